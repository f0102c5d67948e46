"""The drill: inputs, servers and surroundings that break things; see docs/results."""
