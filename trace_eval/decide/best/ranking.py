"""The order of the candidates of a group: by their scores, or by their comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Literal

from pydantic import Field

from blueprints import Strict, counted
from trace_eval.decide.best.candidates import TextGroup
from trace_eval.decide.best.schemes import Bracket, Verdicts
from trace_eval.stats.ranking.fit import BRADLEY_TERRY
from trace_eval.stats.ranking.outcomes import outcomes_between, ranks
from trace_eval.stats.ranking.strengths import strengths

#: Games of each candidate against an average one: every strength is finite.
_PRIOR = 1.0


class Ranked(Strict):
    """One candidate of a group."""

    candidate: str
    system: str | None = None
    clip: str
    rank: int = Field(ge=1, description="1 is best; equal ones share it")
    score: float | None = Field(None, description="of a judge that scores single answers")
    strength: float | None = Field(
        None, description="Bradley-Terry log-strength among the finalists; their mean is 0"
    )
    knocked_out: int | None = Field(None, description="round of the knockout that it lost, from 1")


class Unscored(Strict):
    """A candidate that could not be judged."""

    candidate: str
    reason: str


class Ranking(Strict):
    """The outcome of one group."""

    group: str
    status: Literal["scored", "unscored"]
    detail: str | None = Field(None, description="why there is no winner")
    winner: str | None = None
    tied: bool = Field(False, description="others are as good; the smallest clip hash won")
    ranking: list[Ranked] = Field(default_factory=list)
    comparisons: int = Field(0, description="pairs that were judged for it")
    ties: int = 0
    undecided: int = Field(0, description="comparisons in which the judge could not tell")
    unscored: list[Unscored] = Field(default_factory=list)
    same: dict[str, str] = Field(
        default_factory=dict, description="candidate -> the one with the same samples"
    )


def by_scores(
    group: TextGroup,
    scores: Mapping[str, float | None],
    why: Mapping[str, str],
    lower: bool = False,
) -> Ranking:
    """Order the candidates by the score of each.

    Args:
        group: candidates.
        scores: id -> score; None: the judge gave none.
        why: id -> why there is none.
        lower: less is better.
    """
    available = [c for c in group.candidates if scores.get(c.id) is not None]
    values = {c.id: float(scores[c.id] or 0) for c in available}
    places = _ranks({name: -v if lower else v for name, v in values.items()})
    ranked = [_ranked(group, name, rank, score=values[name]) for name, rank in places.items()]
    gone = {c.id: why.get(c.id, "no score") for c in group.candidates if c not in available}
    return _outcome(group, ranked, gone)


def by_comparisons(group: TextGroup, bracket: Bracket, verdicts: Verdicts) -> Ranking:
    """Order the finalists by Bradley-Terry, the others by the round in which they went out."""
    matches = [m for m in combinations(bracket.finalists, 2) if m in verdicts]
    decided = {m: label for m in matches if (label := verdicts[m].label) is not None}
    values = dict.fromkeys(bracket.finalists, 0.0)
    if decided:  # log-strengths with mean 0; undecided comparisons are left out
        fitted = strengths(BRADLEY_TERRY, outcomes_between(decided), prior=_PRIOR)
        values |= dict(zip(fitted.systems, fitted.values or (), strict=False))
    ranked = [
        _ranked(group, name, rank, strength=values[name]) for name, rank in _ranks(values).items()
    ]
    ranked += [
        _ranked(group, name, len(values) + rank, knocked_out=bracket.rounds[name])
        for name, rank in _ranks(bracket.rounds).items()
    ]
    ids = {candidate.id for candidate in group.candidates}
    played = [verdict for match, verdict in verdicts.items() if set(match) <= ids]
    gone: dict[str, str] = {}
    if played and all(verdict.label is None for verdict in played):
        # What is left of the order is the candidates' hashes.
        why = "; ".join(sorted({verdict.why for verdict in played if verdict.why}))
        message = f"none of {counted(len(played), 'comparison')} could be judged"
        ranked, gone = [], dict.fromkeys(sorted(ids), f"{message}: {why}" if why else message)
    result = _outcome(group, ranked, gone)
    return result.model_copy(
        update={
            "comparisons": len(played),
            "ties": sum(verdict.label == "tie" for verdict in played),
            "undecided": sum(verdict.label is None for verdict in played),
        }
    )


def _ranks(values: Mapping[str, float]) -> dict[str, int]:
    """Name -> rank, 1 for the largest; equal ones share it."""
    return {n: rank or 0 for n, rank in zip(values, ranks([*values.values()]), strict=True)}


def _ranked(group: TextGroup, name: str, rank: int, **by: Any) -> Ranked:
    member = next(candidate for candidate in group.candidates if candidate.id == name)
    return Ranked(
        candidate=name,
        system=member.item.system,
        clip=str(member.clip),
        rank=rank,
        **by,
    )


def _outcome(group: TextGroup, ranked: list[Ranked], gone: Mapping[str, str]) -> Ranking:
    ranked = sorted(ranked, key=lambda row: (row.rank, row.clip))
    unscored = [Unscored(candidate=c.id, reason=str(c.problem)) for c in group.unscored]
    unscored += [Unscored(candidate=name, reason=reason) for name, reason in gone.items()]
    return Ranking(
        group=group.name,
        status="scored" if ranked else "unscored",
        detail=None if ranked else "no candidate could be judged",
        winner=ranked[0].candidate if ranked else None,
        tied=sum(row.rank == 1 for row in ranked) > 1,
        ranking=ranked,
        unscored=unscored,
        same=dict(group.same),
    )
