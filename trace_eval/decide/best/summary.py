"""The gain of a selection, as measured by a second judge or by raters.

The judge that picked the winners cannot say how good they are: of N noisy scores the
highest is high by luck too. So a gain is reported only by another judge, or by human
scores.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from blueprints import Strict
from trace_eval.decide.best.ranking import Ranking
from trace_eval.estimate.options import IntervalOptions
from trace_eval.estimate.paired import mean_difference

#: The notes of a selection with a check, and without one.
CHECKED = "the gain was measured by others than the judge that picked"
UNCHECKED = (
    "no gain is reported: a judge cannot vouch for its own pick; name another one with"
    " --check, or give the candidates human scores"
)


class Gain(Strict):
    """Winners against the others, by a second judge or by human labels.

    Means are over the groups that count: those with a winner and one other candidate
    that the second judge scored.
    """

    by: str = Field(description="who checked: a judge, or annotators")
    groups: int
    winner: float | None = Field(None, description="mean score of the winners")
    all: float | None = Field(
        None,
        description="mean of the groups' mean scores; the expected score of a random candidate",
    )
    gain: float | None = Field(None, description="winner minus all")
    low: float | None = Field(None, description="95 % interval over instructions")
    high: float | None = None
    method: str | None = Field(None, description="what made the interval")
    no_interval: str | None = Field(None, description="why there is none")
    wins: int = Field(
        0, description="winner against one other candidate, drawn by the seed"
    )
    ties: int = 0
    losses: int = 0
    unscored: int = Field(0, description="such comparisons that could not be scored")


class SelectionSummary(Strict):
    """A selection in numbers."""

    judge: str = Field(description="who picked")
    scheme: str
    groups: int
    selected: int = Field(description="groups with a winner")
    tied: int = Field(description="groups in which others are as good")
    candidates: int
    unscored: int
    same: int = Field(description="candidates with the samples of another one")
    comparisons: int
    undecided: int
    gains: list[Gain] = Field(default_factory=list)
    note: str


def random_other(ranking: Ranking, seed: int) -> str | None:
    """Draw one candidate of the group that is not the winner, by the seed."""
    others = sorted(
        row.candidate for row in ranking.ranking if row.candidate != ranking.winner
    )
    if not others:
        return None
    digest = hashlib.sha256(f"{seed}:{ranking.group}".encode()).digest()
    return others[int.from_bytes(digest[:8]) % len(others)]


def gain_by_scores(
    by: str,
    rankings: Sequence[Ranking],
    scores: Mapping[str, float | None],
    seed: int,
    lower: bool = False,
    instructions: Mapping[str, str] | None = None,
) -> Gain:
    """Return the gain on a second judge's scores of all candidates.

    Args:
        by: who gave the scores.
        rankings: of the judge that picked, one a group.
        scores: of the second judge, by candidate.
        seed: of the one other candidate that each winner is compared with.
        lower: less is better.
        instructions: of each group, by its name; groups of one instruction are one
            observation. None: each group has its own.
    """
    winners, means, outcome = [], [], []
    of_group: list[str] = []
    for ranking in rankings:
        available = [scores.get(row.candidate) for row in ranking.ranking]
        values = [value for value in available if value is not None]
        best = scores.get(str(ranking.winner))
        if best is None or len(values) < 2:
            continue
        winners.append(best)
        means.append(sum(values) / len(values))
        of_group.append((instructions or {}).get(ranking.group, ranking.group))
        other = scores.get(str(random_other(ranking, seed)))
        if other is not None:
            outcome.append((best > other) - (best < other))
    if not winners:
        return Gain(by=by, groups=0)
    sign = -1 if lower else 1
    difference = sign * (np.array(winners) - np.array(means))
    _, unit = np.unique(of_group, return_inverse=True)
    estimate = mean_difference(difference, unit, IntervalOptions())
    low, high = estimate.ends
    won = [sign * each for each in outcome]
    return Gain(
        by=by,
        groups=len(winners),
        winner=float(np.mean(winners)),
        all=float(np.mean(means)),
        gain=float(difference.mean()),
        low=low,
        high=high,
        method=estimate.method,
        no_interval=estimate.reason,
        wins=won.count(1),
        ties=won.count(0),
        losses=won.count(-1),
    )
