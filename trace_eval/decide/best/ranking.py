"""The order of the candidates of a group: by their scores, or by comparisons.

Which comparisons come next is a pure function of the verdicts so far: a selection that
was killed continues by reading its verdicts, and asks nothing twice. ``all`` compares
every two; ``knockout`` plays a bracket down to four and compares those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

from pydantic import Field

from blueprints import Strict, counted
from trace_eval.data.items import PlainLabel
from trace_eval.decide.best.candidates import TextGroup
from trace_eval.decide.best.options import Scheme
from trace_eval.stats.ranking.fit import BRADLEY_TERRY
from trace_eval.stats.ranking.outcomes import outcomes_between, ranks
from trace_eval.stats.ranking.strengths import strengths

#: ``auto`` compares every two of at most this many.
MOST_FOR_ALL = 8

#: A knockout ends with every two of so many.
FINALISTS = 4

#: Two candidates by their place in the bracket, the earlier one first.
Match = tuple[str, str]


@dataclass(frozen=True)
class SchemeVerdict:
    """The verdict of a comparison; ``label`` is None where the judge cannot decide."""

    label: PlainLabel | None  # "1": the first of the match is better
    p_first: float = 0.5  # share of the first plus half of the ties, 0 to 1
    why: str | None = None  # why there is no label, where the judge gives a reason


VerdictsByMatch = Mapping[Match, SchemeVerdict]


@dataclass(frozen=True)
class Bracket:
    """The progress of a group through its comparisons."""

    matches: tuple[Match, ...]  # the next comparisons; empty: none is left
    finalists: tuple[str, ...]  # those not knocked out, in the order of the bracket
    # candidate -> the round in which it was knocked out, from 1
    rounds: Mapping[str, int]


def chosen(scheme: Scheme, candidates: int) -> Literal["all", "knockout"]:
    """Return the scheme for a group of a given size."""
    if scheme == "auto":
        return "all" if candidates <= MOST_FOR_ALL else "knockout"
    return scheme


def comparisons(scheme: Scheme, candidates: int) -> int:
    """Return how many comparisons a group needs."""
    knockout = chosen(scheme, candidates) == "knockout"
    final = min(candidates, FINALISTS) if knockout else candidates
    return (candidates - final) + final * (final - 1) // 2


def bracket(
    scheme: Scheme, candidates: Sequence[str], verdicts: VerdictsByMatch
) -> Bracket:
    """Return the comparisons that a group needs next.

    Args:
        candidates: in the order of the bracket.
        verdicts: all comparisons so far; those of other rounds do no harm.
    """
    alive = list(candidates)
    out: dict[str, int] = {}
    number = 0
    while chosen(scheme, len(candidates)) == "knockout" and len(alive) > FINALISTS:
        number += 1
        # neighbours, but never so many that under four are left; the first ones may
        # have a bye
        count = min(len(alive) // 2, len(alive) - FINALISTS)
        players = alive[len(alive) - 2 * count :]
        matches = list(zip(players[::2], players[1::2], strict=True))
        open_ = tuple(match for match in matches if match not in verdicts)
        if open_:
            return Bracket(open_, tuple(alive), out)
        for first, second in matches:
            verdict = verdicts[first, second]
            # of a tie the one with the larger share goes on, else the earlier in the
            # bracket
            lost_tie = verdict.label == "tie" and verdict.p_first < 0.5
            loser = first if verdict.label == "2" or lost_tie else second
            out[loser] = number
            alive.remove(loser)
    final = tuple(match for match in combinations(alive, 2) if match not in verdicts)
    return Bracket(final, tuple(alive), out)


class Ranked(Strict):
    """One candidate of a group."""

    candidate: str
    system: str | None = None
    clip: str
    rank: int = Field(ge=1, description="1 is best; equal ones share it")
    score: float | None = Field(
        None, description="of a judge that scores single answers"
    )
    strength: float | None = Field(
        None,
        description="Bradley-Terry log-strength among the finalists; their mean is 0",
    )
    knocked_out: int | None = Field(
        None, description="round of the knockout that it lost, from 1"
    )


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
    tied: bool = Field(
        False, description="others are as good; the smallest clip hash won"
    )
    ranking: list[Ranked] = Field(default_factory=list)
    comparisons: int = Field(0, description="pairs that were judged for it")
    ties: int = 0
    undecided: int = Field(
        0, description="comparisons in which the judge could not tell"
    )
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
        scores: id -> score; None: the judge gave none.
        why: id -> why there is none.
        lower: less is better.
    """
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for candidate in group.candidates:
        score = scores.get(candidate.id)
        if score is None:
            reasons[candidate.id] = why.get(candidate.id, "no score")
        else:
            values[candidate.id] = float(score)
    sign = -1 if lower else 1
    places = _ranks({name: sign * value for name, value in values.items()})
    ranked = [
        _ranked(group, name, rank, score=values[name]) for name, rank in places.items()
    ]
    return _outcome(group, ranked, reasons)


def by_comparisons(
    group: TextGroup, bracket: Bracket, verdicts: VerdictsByMatch
) -> Ranking:
    """Order finalists by Bradley-Terry, and the others by their last round."""
    decided: dict[Match, PlainLabel] = {}
    for match in combinations(bracket.finalists, 2):
        label = verdicts[match].label if match in verdicts else None
        if label is not None:
            decided[match] = label
    values = dict.fromkeys(bracket.finalists, 0.0)
    if decided:  # log-strengths with mean 0; undecided comparisons are left out
        # a game of each candidate against an average one: every strength is finite
        fitted = strengths(BRADLEY_TERRY, outcomes_between(decided), prior=1.0)
        values |= dict(zip(fitted.systems, fitted.values or (), strict=False))
    ranked: list[Ranked] = []
    for name, rank in _ranks(values).items():
        ranked.append(_ranked(group, name, rank, strength=values[name]))
    for name, rank in _ranks(bracket.rounds).items():
        round_ = bracket.rounds[name]
        ranked.append(_ranked(group, name, len(values) + rank, knocked_out=round_))
    ids = {candidate.id for candidate in group.candidates}
    played = [verdict for match, verdict in verdicts.items() if set(match) <= ids]
    ties = sum(verdict.label == "tie" for verdict in played)
    undecided = sum(verdict.label is None for verdict in played)
    reasons: dict[str, str] = {}
    if played and undecided == len(played):
        # What is left of the order is the candidates' hashes.
        ranked = []
        message = f"none of {counted(len(played), 'comparison')} could be judged"
        why = sorted({verdict.why for verdict in played if verdict.why})
        if why:
            message = f"{message}: {'; '.join(why)}"
        reasons = dict.fromkeys(sorted(ids), message)
    result = _outcome(group, ranked, reasons)
    return result.model_copy(
        update={"comparisons": len(played), "ties": ties, "undecided": undecided}
    )


def _ranks(values: Mapping[str, float]) -> dict[str, int]:
    """Return each name's rank, 1 for the largest; equal ones share it."""
    places = ranks(list(values.values()))
    return {name: rank or 0 for name, rank in zip(values, places, strict=True)}


def _ranked(group: TextGroup, name: str, rank: int, **by: Any) -> Ranked:
    member = next(candidate for candidate in group.candidates if candidate.id == name)
    system, clip = member.item.system, str(member.clip)
    return Ranked(candidate=name, system=system, clip=clip, rank=rank, **by)


def _outcome(
    group: TextGroup, ranked: list[Ranked], reasons: Mapping[str, str]
) -> Ranking:
    ranked = sorted(ranked, key=lambda row: (row.rank, row.clip))
    unscored: list[Unscored] = []
    for candidate in group.unscored:
        reason = str(candidate.problem)
        unscored.append(Unscored(candidate=candidate.id, reason=reason))
    for name, reason in reasons.items():
        unscored.append(Unscored(candidate=name, reason=reason))
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
