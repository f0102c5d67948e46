"""Many opinions into one outcome: orders, samples, votes, several judges."""
