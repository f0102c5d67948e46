"""A scorer that is trained: correctness as a distribution over human ratings (ORCA)."""
