"""Measure whether the checker finds planted faults of reasons, and only them."""
