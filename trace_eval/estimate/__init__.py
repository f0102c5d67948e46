"""Intervals and tests that hold with few or unequal units; all statistics use them."""
