"""How far judges agree with people, and why: one statistic per file, and a row in ``metrics``."""
