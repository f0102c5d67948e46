"""Tests of a judge: prompt injections, and probes whose outcome is known beforehand."""
