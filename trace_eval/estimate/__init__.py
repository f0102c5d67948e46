"""Intervals and tests that hold with few or unequal units: below all statistics, no reader."""
