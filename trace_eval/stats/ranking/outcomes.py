"""Pairwise outcomes between systems, counted per pair of systems, and win rates.

A win is 1, a tie 1/2. With typed ties ``both_bad`` is 0 for both: it is evidence
against both. Rates are exact rationals, so that equal systems stay equal: in floating
point two equal rates can differ in the 16th digit, and so in rank. Ranks keep ties: 1
is best, equal values share the better rank (1, 2, 2, 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from blueprints import UserError
from trace_eval.estimate.arrays import Array, Reals
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.codes import LABELS, MISSING, SPLIT, TIE, is_untyped
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers
from trace_eval.show.table import column as titled
from trace_eval.stats.agreement.drawn import INSTRUCTIONS, ITEMS, drawn_units
from trace_eval.stats.agreement.position import self_mask

#: What a comparison can say, from the side of the pair's first system.
OUTCOMES = ("win", "loss", "tie", "both_bad")

_WIN, _LOSS, _TIE, _BAD = range(len(OUTCOMES))


@dataclass(frozen=True)
class Outcomes:
    """Comparisons of systems.

    Attributes:
        systems: names of those with a comparison, sorted.
        pairs: (first, second) of every compared pair, first < second [shape=(pairs,
            2)].
        counts: comparisons by :data:`OUTCOMES`; ``tie`` holds ``both_good``, plain ties
            and those on which raters split [shape=(pairs, 4)].
        cell: flat index into ``counts`` of every comparison [shape=(comparisons,)].
        unit: number of what it is drawn with, see :func:`outcomes_of`; None: each by
            itself [shape=(comparisons,)].
        typed: the labels tell good ties from bad ones.
        split: comparisons on which raters split.
        drawn: what a unit is, in words.
        absent: systems of which no comparison has a label.
        unscored, self_compared: rows left out, because they have no label, or compare a
            system with itself.
        unchanged: comparisons of two systems that gave the same recording, each a tie;
            0 where other comparisons are there, because then these are left out.
    """

    systems: tuple[str, ...]
    pairs: WholeNumbers
    counts: WholeNumbers
    cell: WholeNumbers
    unit: WholeNumbers | None
    typed: bool
    unscored: int
    self_compared: int
    split: int = 0
    drawn: str = ITEMS
    absent: tuple[str, ...] = ()
    unchanged: int = 0

    @property
    def by_instruction(self) -> bool:
        """Tell whether an instruction has several, dependent comparisons."""
        return self.drawn == INSTRUCTIONS

    @property
    def design(self) -> Reals:
        """The games of the pairs [shape=(pairs, systems)].

        +1 stands for the first and -1 for the second system of a pair.
        """
        design = np.zeros((len(self.pairs), len(self.systems)))
        rows = np.arange(len(self.pairs))
        first, second = self.pairs.T
        design[rows, first] = 1
        design[rows, second] = -1
        return design


def outcomes_between(labels: Mapping[tuple[str, str], str]) -> Outcomes:
    """Return the outcomes of each two systems' comparison, with its preference."""
    first = texts_of([name for name, _ in labels])
    second = texts_of([name for _, name in labels])
    codes = np.array([LABELS.index(label) for label in labels.values()], np.int8)
    numbers = texts_of(range(len(codes)))
    facts = {"system_a": first, "system_b": second}
    table = Opinions("comparisons", numbers, {"preference": codes}, facts=facts)
    return outcomes_of(table)


def outcomes_of(
    table: Opinions, dimension: str | None = None, cluster: bool = False
) -> Outcomes:
    """Count the outcomes of one judge (one row per item).

    Args:
        dimension: which labels; None: see :meth:`Opinions.column`.
        cluster: refuse comparisons whose instruction is unknown; else each of those is
            one unit. Comparisons of one instruction are drawn together, and so are
            copies and both orders of a pair.

    Raises:
        UserError: the systems are not known, there is no such label, nothing is left,
            or an instruction is not known where it must be.
    """
    column = table.column(dimension)
    codes = table.codes[column]
    if not {"system_a", "system_b"} <= table.facts.keys():
        raise UserError(
            f"{table.source}: a ranking needs the columns system_a and system_b"
        )
    system_a = _named_systems(table, "a")
    system_b = _named_systems(table, "b")
    same = self_mask(table.facts, len(table))
    compared = ~same & (codes != MISSING)
    unchanged = np.zeros(len(table), bool)
    if not compared.any():
        # A release that changed nothing is a result, not an error.
        unchanged = same & (system_a != system_b)
        compared = unchanged
        same = same & ~unchanged
        codes = np.where(unchanged, TIE, codes)
    unscored = ~same & ~compared
    if not compared.any():
        raise UserError(
            f"{table.source}: no comparison is left: {int(same.sum())} compare a system"
            f" with itself, {int(unscored.sum())} have no {column} label"
        )
    if cluster and None in table.facts.get("instruction_id", np.array([None])).tolist():
        raise UserError(
            "--cluster draws whole instructions: give every item an instruction_id"
        )
    unit, drawn = drawn_units(table, compared)
    if unit is not None:
        unit = unit[compared]
    codes = codes[compared]
    names_a = system_a[compared].tolist()
    names_b = system_b[compared].tolist()
    systems = sorted(set(names_a) | set(names_b))
    pairs, cell = _cells(names_a, names_b, codes, systems)
    counts = np.bincount(cell, minlength=len(pairs) * len(OUTCOMES))
    every_system = set(system_a.tolist()) | set(system_b.tolist())
    return Outcomes(
        systems=tuple(systems),
        pairs=pairs,
        counts=counts.reshape(-1, len(OUTCOMES)),
        cell=cell,
        unit=unit,
        typed=not is_untyped(codes),
        unscored=int(unscored.sum()),
        self_compared=int(same.sum()),
        split=int((codes >= SPLIT).sum()),
        drawn=drawn,
        absent=tuple(sorted(every_system - set(systems))),
        unchanged=int(unchanged.sum()),
    )


def _named_systems(table: Opinions, side: str) -> Array:
    """Return the systems of one side; UserError where a row has none."""
    systems = table.facts[f"system_{side}"]
    for row, name in enumerate(systems.tolist()):
        if not name:
            raise UserError(
                f"{table.source}: {table.ids[row]!r} has no system_{side}; name it"
            )
    return systems


#: The outcome of each label from the side of system A; a split is a tie.
_OUTCOME_OF_LABEL = np.array([_WIN, _LOSS, _TIE, _BAD, _TIE])


def _cells(
    names_a: Sequence[str],
    names_b: Sequence[str],
    codes: Array,
    systems: Sequence[str],
) -> tuple[WholeNumbers, WholeNumbers]:
    """Return the pairs of systems, and the flat cell of each comparison's outcome."""
    number = {name: index for index, name in enumerate(systems)}
    a = np.array([number[name] for name in names_a], np.int64)
    b = np.array([number[name] for name in names_b], np.int64)
    outcome = _OUTCOME_OF_LABEL[np.minimum(codes, SPLIT - 1)]
    is_exchanged = (a > b) & (outcome <= _LOSS)
    outcome = np.where(is_exchanged, 1 - outcome, outcome)
    key = np.minimum(a, b) * len(systems) + np.maximum(a, b)
    distinct, pair = np.unique(key, return_inverse=True)
    pairs = np.stack(np.divmod(distinct, len(systems)), axis=1)
    return pairs, np.asarray(pair * len(OUTCOMES) + outcome)


@dataclass(frozen=True)
class MeetingRow:
    """Two systems against each other: the first one's win rate, 0 to 1."""

    first: str
    second: str
    comparisons: int
    rate: float = field(metadata=titled("win rate of the first"))


def win_rates(
    outcomes: Outcomes, typed: bool = False, baseline: str | None = None
) -> list[RankedValue]:
    """Return each system's win rate over all comparisons, ties as halves.

    With ``baseline`` only comparisons with it count, and its own rate is None. With
    ``typed`` a ``both_bad`` counts 0 instead of 1/2.
    """
    doubled, games = points_of(outcomes, outcomes.counts, typed)
    if baseline is None:
        points_of_system = doubled.sum(1)
        games_of_system = games.sum(1)
    else:
        opponent = outcomes.systems.index(baseline)
        points_of_system = doubled[:, opponent]
        games_of_system = games[:, opponent]
    rates: list[RankedValue] = []
    for doubled_points, number in zip(points_of_system, games_of_system, strict=True):
        rates.append(_rate(doubled_points, number) if number else None)
    return rates


def _rate(doubled_points: Any, games: Any) -> Fraction:
    """Divide points, given twice, by the games."""
    return Fraction(int(doubled_points), 2 * int(games))


def mean_win_rates(outcomes: Outcomes, typed: bool = False) -> list[RankedValue]:
    """Average each system's win rates over opponents, who all weigh the same."""
    doubled, games = points_of(outcomes, outcomes.counts, typed)
    means: list[RankedValue] = []
    for points_against, games_against in zip(doubled, games, strict=True):
        met = games_against > 0
        rates = list(map(_rate, points_against[met], games_against[met]))
        if rates:
            means.append(sum(rates, Fraction(0)) / len(rates))
        else:
            means.append(None)
    return means


def meetings(outcomes: Outcomes, typed: bool = False) -> list[MeetingRow]:
    """Return every two systems that were compared."""
    doubled, games = points_of(outcomes, outcomes.counts, typed)
    rows: list[MeetingRow] = []
    for first, second in outcomes.pairs.tolist():
        comparisons = int(games[first, second])
        row = MeetingRow(
            first=outcomes.systems[first],
            second=outcomes.systems[second],
            comparisons=comparisons,
            rate=float(doubled[first, second] / (2 * comparisons)),
        )
        rows.append(row)
    return rows


def points(codes: Array, typed: bool) -> tuple[Array, Array]:
    """Return both sides' points by codes of labels or of :data:`OUTCOMES`.

    The codes are the same. A win is 1, a loss 0, a tie a half; with ``typed`` a
    ``both_bad`` is 0 for both.
    """
    of_tie = np.where((codes == _BAD) & typed, 0.0, 0.5)
    a = np.where(codes == _WIN, 1.0, np.where(codes == _LOSS, 0.0, of_tie))
    b = np.where(codes == _LOSS, 1.0, np.where(codes == _WIN, 0.0, of_tie))
    return a, b


def points_of(outcomes: Outcomes, counts: Array, typed: bool) -> tuple[Array, Array]:
    """Return twice the points, and comparisons, of row system against column system.

    Both are [shape=(..., systems, systems)], from counts by :data:`OUTCOMES`
    [shape=(..., pairs, 4)].

    With ``typed`` a ``both_bad`` is 0 for both, not a half.
    """
    size = len(outcomes.systems)
    doubled = np.zeros((*counts.shape[:-2], size, size), counts.dtype)
    games = np.zeros_like(doubled)
    first, second = outcomes.pairs.T
    win, loss, tie, bad = np.moveaxis(counts, -1, 0)
    shared = tie if typed else tie + bad
    doubled[..., first, second] = 2 * win + shared
    doubled[..., second, first] = 2 * loss + shared
    games[..., first, second] = games[..., second, first] = counts.sum(-1)
    return doubled, games


#: Fitted and resampled values are compared after rounding to this many decimals: below
#: it is the optimiser and the order of summation, not the data.
DECIMALS = 9


#: What systems are ranked by: a rate, or a fitted number; None: there is none.
RankedValue = Fraction | float | None


def ranks(values: Sequence[RankedValue]) -> list[int | None]:
    """Rank values; floats are rounded first, rationals are compared exactly."""
    keys: list[RankedValue] = []
    for value in values:
        keys.append(round(value, DECIMALS) if isinstance(value, float) else value)
    ranked = [key for key in keys if key is not None]
    places: list[int | None] = []
    for key in keys:
        if key is None:
            places.append(None)
        else:
            places.append(1 + sum(other > key for other in ranked))
    return places
