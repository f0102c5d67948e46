"""Replies read strictly: labels, two scores, or one score, and what they come to."""
