"""Whether intervals and promises hold, in worlds with a known truth.

Run ``python -m benchmarks.coverage``.
"""
