"""How much of each number ``rules`` needs to prefer a voice, and what it may drop.

    python -m benchmarks.people.weights [--data DIR] [--rival distillmos=FILE.csv]

The lead of an answer is the sum of its leads in P.808 and the logarithm of the
bandwidth, each in units of its own margin, and decides from 1 on. Margins are taken
from a coarse grid of round numbers: a model of many coefficients is not what so few
clips support. Of all grid points that order at least ``LEAST_CONCORDANCE`` of the pairs
of each set, and decide at most ``MOST_AGAINST`` of what human raters do not decide, it
is that with the best worst set, by the share decided right less the share decided wrong
less the share decided against. What leaving out each set, condition and group gives is
printed: margins chosen without it, figures on it.

With ``--rival distillmos=FILE.csv`` (and ``plcmos=FILE.csv``) the same is done with
these beside the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.people.figures import Pairs, in_order, mean_of, pairs_of, parts_of
from benchmarks.people.measured import (
    bench_arguments,
    blueprints_of,
    read_rival,
    rival_numbers,
)
from benchmarks.people.sets import Rated, read_sets
from benchmarks.report import table
from blueprints import Blueprint
from trace_eval.judges.beside.steps import BANDWIDTH, P808, PROMINENCE
from trace_eval.judges.beside.voice import compared as comparable_numbers

Array = NDArray[Any]

LEAST_CONCORDANCE, MOST_AGAINST = 0.9, 0.2

#: Number -> margins that are tried; infinity leaves it out.
GRID: dict[str, tuple[float, ...]] = {
    P808.name: (0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6),
    BANDWIDTH.name: (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5),
    PROMINENCE.name: (2.0, 3.0, 4.0, 5.0, 6.0, math.inf),
}

#: The same of rivals that are named.
RIVALS: dict[str, tuple[float, ...]] = {
    "distillmos": (0.4, 0.6, 0.8, 1.0, 1.2, math.inf),
    "plcmos": (0.6, 0.8, 1.0, 1.5, math.inf),
}

Margins = tuple[float, ...]


@dataclass(frozen=True)
class Compared:
    """The pairs of a set: differences of the numbers, and verdicts.

    Differences have the shape (pairs, numbers).
    """

    name: str
    clips: Sequence[Rated]
    pairs: Pairs
    gaps: Array

    def only(self, rows: NDArray[np.bool_]) -> Compared:
        """Select some of the pairs."""
        kept = {name: value[rows] for name, value in vars(self.pairs).items()}
        return replace(self, pairs=Pairs(**kept), gaps=self.gaps[rows])


class Outcome(NamedTuple):
    """What margins give on a set; counts, so that parts of a set can be small."""

    concordance: float
    human: int
    decided: int
    right: int
    ties: int
    against: int

    @property
    def share_against(self) -> float:
        """The share decided of the pairs that human raters do not decide."""
        return self.against / max(1, self.ties)

    @property
    def utility(self) -> float:
        """Decided right less decided wrong less decided against."""
        return (2 * self.right - self.decided) / max(1, self.human) - self.share_against

    def __str__(self) -> str:
        return (
            f"order {self.concordance:.3f}; {self.decided} of {self.human} decided,"
            f" {self.right} right; {self.against} of {self.ties} against"
        )


def outcome(one: Compared, margins: Margins) -> Outcome:
    """Decisions and order by the sum of differences in their margins."""
    lead = one.gaps @ (1 / np.array(margins))
    said = np.where(np.abs(lead) >= 1, np.sign(lead), 0)
    verdict = one.pairs.verdict
    assert verdict is not None
    (decided, human), (right, _), (against, ties) = (
        (int(top.sum()), int(of.sum())) for top, of in parts_of(said, verdict).values()
    )
    order = mean_of(in_order(lead, one.pairs, 10)[1])
    return Outcome(order, human, decided, right, ties, against)


def best(sets: Sequence[Compared], grid: dict[str, tuple[float, ...]]) -> Margins:
    """Return the grid point with the best worst set, within both limits on each."""

    def rank(margins: Margins) -> tuple[bool, float, float]:
        results = [outcome(one, margins) for one in sets]
        keeps = all(
            not one.concordance < LEAST_CONCORDANCE
            and one.share_against <= MOST_AGAINST
            for one in results
        )
        return keeps, min(one.utility for one in results), -sum(1 / m for m in margins)

    return max(product(*grid.values()), key=rank)


def left_out(
    sets: Sequence[Compared], grid: dict[str, tuple[float, ...]]
) -> Iterator[tuple[str, str, Margins, Outcome]]:
    """(kind, what was left out, margins chosen without it, figures on it)."""
    for one in sets if len(sets) > 1 else ():
        margins = best([other for other in sets if other is not one], grid)
        yield "set", one.name, margins, outcome(one, margins)
    for kind in ("condition", "group"):
        for one in sets:
            named = np.array([getattr(clip, kind) for clip in one.clips])
            for name in sorted(set(named)):
                out = (named[one.pairs.a] == name) | (named[one.pairs.b] == name)
                if out.any() and not out.all():
                    rest = [
                        other.only(~out) if other is one else other for other in sets
                    ]
                    margins = best(rest, grid)
                    yield (
                        kind,
                        f"{one.name}, {name}",
                        margins,
                        outcome(one.only(out), margins),
                    )


def compared(data: Path, rivals: Sequence[str], names: Sequence[str]) -> list[Compared]:
    """Codecs, and enhanced speech without the references, which any number orders."""
    results = []
    for folder in read_sets(data):
        if folder.name not in ("codecs", "enhanced") or folder.missing:
            continue
        blueprints = blueprints_of(folder)
        clips = [clip for clip in folder.clips if clip.condition != "clean"]
        items = {clip.item for clip in clips}
        scores = dict(read_rival(text, items) for text in rivals)
        columns = rival_numbers(clips, scores)
        pairs = pairs_of(clips, "quality")
        voices = [blueprints[clip.item] for clip in clips]
        sides = zip(pairs.a, pairs.b, strict=True)
        own = [_gaps(voices[a], voices[b]) for a, b in sides]
        gaps = []
        for name in names:
            if name in columns:
                gaps.append(columns[name][pairs.a] - columns[name][pairs.b])
            else:
                gaps.append(np.array([one.get(name, 0.0) for one in own]))
        results.append(Compared(folder.name, clips, pairs, np.stack(gaps, axis=1)))
    return results


def _gaps(a: Blueprint, b: Blueprint) -> dict[str, float]:
    """Return differences of two voices; empty if they cannot be compared.

    They are of one length of speech.
    """
    numbers = comparable_numbers(a, b)
    if isinstance(numbers, str):
        return {}
    gaps = {P808.name: numbers.a[P808.name] - numbers.b[P808.name]}
    if BANDWIDTH.name in numbers.a and BANDWIDTH.name in numbers.b:
        gaps[BANDWIDTH.name] = math.log(
            numbers.a[BANDWIDTH.name] / numbers.b[BANDWIDTH.name]
        )
    if PROMINENCE.name in numbers.a and PROMINENCE.name in numbers.b:
        gaps[PROMINENCE.name] = numbers.a[PROMINENCE.name] - numbers.b[PROMINENCE.name]
    return gaps


def main() -> None:
    """Derive and print."""
    args = bench_arguments(__doc__)
    named = {text.partition("=")[0] for text in args.rival}
    grid = GRID | {name: margins for name, margins in RIVALS.items() if name in named}
    if named:
        grid[P808.name] = (*GRID[P808.name], 1.0, math.inf)
    sets = compared(args.data, args.rival, list(grid))
    margins = best(sets, grid)
    print(f"margins: {dict(zip(grid, margins, strict=True))}")
    for one in sets:
        print(f"  {one.name}: {outcome(one, margins)}")
    rows = []
    for kind, name, chosen, result in left_out(sets, grid):
        words = " / ".join(f"{margin:g}" for margin in chosen)
        rows.append([kind, name, words, result])
    header = ["left out", "which", " / ".join(grid), "on it"]
    table("margins chosen without it, figures on it", header, rows)


if __name__ == "__main__":
    main()
