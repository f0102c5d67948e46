"""Runs side by side: judges that read and that listen, or an old and a new judge."""
