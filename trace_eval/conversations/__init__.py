"""Conversations, read from many layouts or heard, and timed by named rules."""
