"""A scorer that is trained: correctness as a distribution over people's ratings (ORCA)."""
