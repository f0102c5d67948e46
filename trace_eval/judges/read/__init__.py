"""Strict reading of replies: labels, two scores, or one score; and their outcomes."""
