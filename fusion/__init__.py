"""Scales, rubrics, and the fusion of three typed ties into one. Standard library only."""

from fusion.policies import CELLS, DEFAULT_POLICY, POLICIES, Decision, Policy
from fusion.probability import Distribution, entropy, fuse_distributions, mode
from fusion.ratings import DIMENSIONS, RATINGS, Dimension, Rating, from_steps, rating_min
from fusion.rubric import TRACE, Rubric
from fusion.scales import (
    BINARY,
    FORCED,
    LABEL_SETS,
    MATCH,
    PLAIN,
    PREFERENCE,
    TYPED_TIE,
    LabelSet,
    Numbers,
    OffScale,
    Pooling,
    Scale,
    likert,
    numbers,
    points,
)
from fusion.tables import ENTRY_POINT_GROUP, load_policy, policy_from_rows, read_policy

__all__ = [
    "BINARY",
    "CELLS",
    "DEFAULT_POLICY",
    "DIMENSIONS",
    "ENTRY_POINT_GROUP",
    "FORCED",
    "LABEL_SETS",
    "MATCH",
    "PLAIN",
    "POLICIES",
    "PREFERENCE",
    "RATINGS",
    "TRACE",
    "TYPED_TIE",
    "Decision",
    "Dimension",
    "Distribution",
    "LabelSet",
    "Numbers",
    "OffScale",
    "Policy",
    "Pooling",
    "Rating",
    "Rubric",
    "Scale",
    "entropy",
    "from_steps",
    "fuse_distributions",
    "likert",
    "load_policy",
    "mode",
    "numbers",
    "points",
    "policy_from_rows",
    "rating_min",
    "read_policy",
]
