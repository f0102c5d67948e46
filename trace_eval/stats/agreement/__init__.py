"""Agreement of judges with human labels: one statistic per file, and a row in ``metrics``."""
