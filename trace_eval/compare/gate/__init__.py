"""The regression gate: a candidate against a baseline, in the light of the judge's own noise."""
