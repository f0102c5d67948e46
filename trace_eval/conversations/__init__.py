"""Conversations, read from many layouts or heard in two channels, and timed by named rules."""
