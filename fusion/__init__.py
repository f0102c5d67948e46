"""Deterministic fusion of three typed-tie ratings into one. Standard library only."""

from fusion.policies import CELLS, DEFAULT_POLICY, POLICIES, Decision, Policy
from fusion.probability import Distribution, entropy, fuse_distributions, mode
from fusion.ratings import DIMENSIONS, RATINGS, Dimension, Rating, rating_min
from fusion.tables import ENTRY_POINT_GROUP, load_policy, policy_from_rows, read_policy

__all__ = [
    "CELLS",
    "DEFAULT_POLICY",
    "DIMENSIONS",
    "ENTRY_POINT_GROUP",
    "POLICIES",
    "RATINGS",
    "Decision",
    "Dimension",
    "Distribution",
    "Policy",
    "Rating",
    "entropy",
    "fuse_distributions",
    "load_policy",
    "mode",
    "policy_from_rows",
    "rating_min",
    "read_policy",
]
