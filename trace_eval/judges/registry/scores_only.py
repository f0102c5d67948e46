"""Judges that score single answers, and compare pairs by those scores alone."""

from __future__ import annotations

from trace_eval.judges.registry.kinds import KINDS
from trace_eval.judges.reward.load import locate


def scores_only(spec: str) -> bool:
    """Whether a judge scores single answers and compares them by their scores."""
    kind, _, argument = spec.partition(":")
    if kind == "reward":
        return locate(argument).scores
    return kind in KINDS and KINDS[kind].pairs is None
