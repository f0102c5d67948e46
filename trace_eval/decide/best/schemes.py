"""The comparisons that come next: pure functions of the verdicts so far.

A selection that was killed continues by reading its verdicts, and asks nothing twice.
``all`` compares every two; ``knockout`` plays a bracket down to four and compares those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

from trace_eval.data.items import Preference

Scheme = Literal["auto", "all", "knockout"]
SCHEMES: tuple[str, ...] = get_args(Scheme)

#: ``auto`` compares every two of at most this many.
MOST_FOR_ALL = 8

#: A knockout ends with every two of so many.
FINALISTS = 4

#: Two candidates by their place in the bracket, the earlier one first.
Match = tuple[str, str]


@dataclass(frozen=True)
class SchemeVerdict:
    """The verdict of a comparison; ``label`` is None where the judge could not decide.

    Attributes:
        label: ``1``: the first of the match is better.
        p_first: share of the first plus half of the ties, 0 to 1.
        why: why there is no label, where the judge gives a reason.
    """

    label: Preference | None
    p_first: float = 0.5
    why: str | None = None


Verdicts = Mapping[Match, SchemeVerdict]


@dataclass(frozen=True)
class Bracket:
    """How far a group has come.

    Attributes:
        matches: the next comparisons; empty: none is left.
        finalists: candidates that were not knocked out, in the order of the bracket.
        rounds: candidate -> the round in which it was knocked out, from 1.
    """

    matches: tuple[Match, ...]
    finalists: tuple[str, ...]
    rounds: Mapping[str, int]


def chosen(scheme: Scheme, candidates: int) -> Literal["all", "knockout"]:
    """The scheme for a group of a given size."""
    if scheme == "auto":
        return "all" if candidates <= MOST_FOR_ALL else "knockout"
    return scheme


def comparisons(scheme: Scheme, candidates: int) -> int:
    """How many comparisons a group needs."""
    final = candidates
    if chosen(scheme, candidates) == "knockout":
        final = min(candidates, FINALISTS)
    return (candidates - final) + final * (final - 1) // 2


def bracket(scheme: Scheme, candidates: Sequence[str], verdicts: Verdicts) -> Bracket:
    """The comparisons that a group needs next.

    Args:
        scheme: how.
        candidates: in the order of the bracket.
        verdicts: all comparisons so far; those of other rounds do no harm.
    """
    alive = list(candidates)
    out: dict[str, int] = {}
    number = 0
    while chosen(scheme, len(candidates)) == "knockout" and len(alive) > FINALISTS:
        number += 1
        # neighbours, but never so many that under four are left; the first ones may have a bye
        count = min(len(alive) // 2, len(alive) - FINALISTS)
        players = alive[len(alive) - 2 * count :]
        matches = list(zip(players[::2], players[1::2], strict=True))
        open_ = tuple(match for match in matches if match not in verdicts)
        if open_:
            return Bracket(open_, tuple(alive), out)
        for match in matches:
            label, share = verdicts[match].label, verdicts[match].p_first
            # of a tie the one with the larger share goes on, else the earlier in the bracket
            loser = match[0] if label == "2" or (label == "tie" and share < 0.5) else match[1]
            out[loser] = number
            alive.remove(loser)
    final = tuple(m for m in combinations(alive, 2) if m not in verdicts)
    return Bracket(final, tuple(alive), out)
