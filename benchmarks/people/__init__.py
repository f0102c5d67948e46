"""Every number and judge beside human labels of real sound; run ``python -m benchmarks.people``."""
