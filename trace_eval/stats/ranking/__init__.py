"""Methods that rank systems: win rates, models of pairwise outcomes, certainty."""
