"""Runs side by side: a judge that reads and one that listens; an old judge and a new one."""
