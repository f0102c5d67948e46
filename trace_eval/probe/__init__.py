"""Tests of a judge itself: injected orders, and probes whose outcome is known beforehand."""
