"""Agreement of judges with human labels: a statistic per file, a row in ``metrics``."""
