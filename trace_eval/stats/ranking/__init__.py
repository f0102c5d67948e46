"""Methods that rank systems: win rates, models of pairwise outcomes, and how sure they are."""
