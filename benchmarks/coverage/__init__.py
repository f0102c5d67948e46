"""Do intervals and promises hold? Worlds with a known truth; ``python -m benchmarks.coverage``."""
