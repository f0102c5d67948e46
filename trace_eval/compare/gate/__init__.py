"""The regression gate: a candidate beside a baseline, and the judge's own noise."""
