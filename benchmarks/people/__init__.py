"""Every number and judge beside human labels of real sound.

Run ``python -m benchmarks.people``.
"""
