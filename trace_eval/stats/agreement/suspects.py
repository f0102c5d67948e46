"""Raters to look at: who agrees least with the others, repeats least, and falls for traps.

A rater is flagged by published rules alone:

* *rejected*: of ratings on a scale, the screening of observers of ITU-R BT.500-15
  (annex 1, 2.3.1): more than 5 % of the votes lie outside two standard deviations of
  the votes on the same item (the square root of 20 where their kurtosis is not between
  2 and 4), on both sides alike. Items with fewer than :data:`LEAST_VOTES` votes are
  passed over.
* *outlier*: the agreement with the others has a modified z score below -3.5 among the
  raters (median absolute deviation: Iglewicz & Hoaglin 1993).
* *traps* (known in Python, or by a column ``trap`` of the labels): the upper limit of
  the share of right answers to items with a known answer is below one half, which is
  what chance gives.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError, counted
from trace_eval.data.settings import nearest
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import Range
from trace_eval.estimate.share import Share
from trace_eval.opinions.codes import MISSING, UNTYPED, collapse_codes
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.ratings import values_of
from trace_eval.opinions.units import WholeNumbers, index_of
from trace_eval.show.table import column, within
from trace_eval.stats.agreement.with_others import agreement_with_others

#: Votes on an item below which nobody's vote on it can lie outside.
LEAST_VOTES = 5

#: Raters of whom it can be said that one differs from the others.
LEAST_RATERS = 3

#: Share of votes outside, and how one-sided they may be, by BT.500.
_OUTSIDE, _ONE_SIDED = 0.05, 0.3

#: Standard deviations outside of which a vote lies, of normal votes and of others.
_NORMAL, _OTHER = 2.0, 20**0.5

#: Modified z score of an outlier, and what makes a median absolute deviation one of the
#: normal.
_OUTLIER, _TO_NORMAL = -3.5, 0.6745

#: Said of a rater whose answers to traps are worse than chance.
_FALLS = "falls for traps"

#: An agreement that differs from the median by less is none to look at, however alike
#: the rest are.
_LEAST_DISTANCE = 0.05


@dataclass(frozen=True)
class RaterRow:
    """One rater, those to look at first.

    Attributes:
        items: that this and another rater judged, ``votes`` of this one in all.
        agreement: with the others: of labels the mean share of them with the same one;
            of scores the correlation with their mean. None: too few items in common.
        interval: of it, at 95 % (Wilson's or Fisher's; where items share an
            instruction, that is the unit: score limits, or jackknife limits on Fisher's
            scale).
        repeats: items judged twice or more; ``same``: share of those with equal
            answers.
        traps: items with a known answer; ``right``: share answered so.
        reasons: rules that flag this rater, in words; empty: none does.
    """

    rater: str
    votes: int
    items: int
    agreement: float | None = field(
        metadata=column("agrees with others", within("interval"))
    )
    interval: Range | None
    repeats: int
    same: float | None = field(metadata=column("same again"))
    traps: int
    right: float | None = field(metadata=column("traps right"))
    reasons: tuple[str, ...] = field(
        default=(), metadata=column("look at", lambda value, _: "; ".join(value))
    )

    @property
    def flagged(self) -> bool:
        """Whether a rule says that somebody should look at this rater."""
        return bool(self.reasons)


def raters_of(
    opinions: Opinions,
    dimension: str | None = None,
    traps: Mapping[str, str | float] | None = None,
    instructions: Mapping[str, str] | None = None,
) -> tuple[RaterRow, ...]:
    """Check every rater of labels or scores; empty where none is named.

    Args:
        opinions: a row for each label or score.
        dimension: which labels; None: overall, else preference.
        traps: item -> its known answer, a label or a score.
        instructions: item -> its instruction, where known; items of one are one unit.
    """
    if opinions.rater is None:
        return ()
    if opinions.codes:
        codes = collapse_codes(opinions.codes[opinions.column(dimension)])
        values = np.where(codes == MISSING, np.nan, codes.astype(float))
    else:
        values = values_of(opinions).astype(float)
    return check_raters(
        opinions.rater.tolist(),
        opinions.ids.tolist(),
        values,
        of_scores=not opinions.codes,
        traps=_numbers(traps or {}, opinions),
        instructions=instructions,
    )


def checked_raters(
    opinions: Opinions, instructions: Mapping[str, str] | None = None
) -> tuple[RaterRow, ...]:
    """Check the raters of opinions where there are three or more with names."""
    if opinions.rater is None or len(set(opinions.rater.tolist())) < LEAST_RATERS:
        return ()
    if opinions.codes and not {"overall", "preference"} & opinions.codes.keys():
        return ()
    checked = raters_of(opinions, instructions=instructions)
    rows = [_with_traps(row, opinions.traps.get(row.rater, ())) for row in checked]
    return tuple(sorted(rows, key=lambda row: not row.flagged))


def _with_traps(row: RaterRow, answers: Sequence[bool]) -> RaterRow:
    """Add a rater's answers to the traps that a column of the labels tells of."""
    if not answers:
        return row
    right = Share(sum(answers), len(answers))
    falls = (_FALLS,) if right.interval()[1] < 0.5 else ()
    reasons = (*row.reasons, *falls)
    return replace(row, traps=right.of, right=right.value, reasons=reasons)


def suspects_warning(source: str, rows: Sequence[RaterRow]) -> tuple[DataWarning, ...]:
    """Say in one line which raters to look at, and how to leave one out."""
    flagged = [row for row in rows if row.flagged]
    if not flagged:
        return ()
    shown = [f"{row.rater} ({'; '.join(row.reasons)})" for row in flagged[:3]]
    rest = f" and {len(flagged) - 3} more" if len(flagged) > 3 else ""
    text = (
        f"{source}: look at {len(flagged)} of {counted(len(rows), 'rater')}:"
        f" {', '.join(shown)}{rest}; all of them count, --leave-out"
        f" {shlex.quote(flagged[0].rater)} leaves one out"
    )
    return (DataWarning("suspects", text),)


def without_raters(opinions: Opinions, names: Sequence[str]) -> Opinions:
    """Leave out all labels or scores of some raters.

    Raises:
        UserError: there is no such rater, or nobody is left.
    """
    if not names:
        return opinions
    raters = (
        [] if opinions.rater is None else [str(one) for one in opinions.rater.tolist()]
    )
    for name in names:
        if name not in raters:
            raise InputError(
                f"--leave-out {name}: no such rater in {opinions.source};"
                f" {nearest(name, list(dict.fromkeys(raters)))}"
            )
    kept = np.array([name not in names for name in raters], bool)
    if not kept.any():
        raise InputError(
            f"--leave-out: nobody is left in {opinions.source}; keep one rater"
        )
    return opinions.take(kept)


def check_raters(
    raters: list[str],
    items: list[str],
    values: Array,
    of_scores: bool,
    traps: Mapping[str, float] | None = None,
    instructions: Mapping[str, str] | None = None,
) -> tuple[RaterRow, ...]:
    """Check raters by their votes, one for each row; see :class:`RaterRow`.

    Args:
        values: scores, or numbers of labels; NaN: none [shape=(n,)].
        of_scores: the values have an order and distances.
        traps: item -> its known answer, as in ``values``.
        instructions: item -> its instruction, where known; items of one are one unit.
    """
    there = ~np.isnan(values)
    who, names = index_of(
        [name for name, one in zip(raters, there, strict=True) if one]
    )
    item, ids = index_of([name for name, one in zip(items, there, strict=True) if one])
    values = values[there]
    outside = (
        _outside(who, item, values, len(names))
        if of_scores
        else np.zeros(len(names), bool)
    )
    answers = np.array([(traps or {}).get(name, np.nan) for name in ids])[item]
    unit, _ = index_of([(instructions or {}).get(name, (name,)) for name in ids])
    rows = []
    for number, name in enumerate(names):
        mine = who == number
        shared, agreement, limits = agreement_with_others(
            mine, item, values, unit=unit, of_scores=of_scores
        )
        repeats, same = _repeats(item[mine], values[mine])
        known = mine & ~np.isnan(answers)
        right = Share(int((values[known] == answers[known]).sum()), int(known.sum()))
        reasons = ["rejected by BT.500"] if outside[number] else []
        if right.of and right.interval()[1] < 0.5:
            reasons.append(_FALLS)
        rows.append(
            RaterRow(
                rater=str(name),
                votes=int(mine.sum()),
                items=shared,
                agreement=agreement,
                interval=limits,
                repeats=repeats,
                same=same,
                traps=right.of,
                right=right.value,
                reasons=tuple(reasons),
            )
        )
    return _with_outliers(rows)


def _numbers(traps: Mapping[str, str | float], opinions: Opinions) -> dict[str, float]:
    """Return known answers as the values of opinions are."""
    if not opinions.codes:
        return {item: float(answer) for item, answer in traps.items()}
    ties = {"both_good": "tie", "both_bad": "tie"}
    return {
        item: float(UNTYPED.index(ties.get(str(answer), str(answer))))
        for item, answer in traps.items()
    }


def _outside(
    who: WholeNumbers, item: WholeNumbers, values: Array, raters: int
) -> NDArray[np.bool_]:
    """Return which raters BT.500 rejects [shape=(raters,)]."""
    number = np.bincount(item)
    mean = np.bincount(item, values) / number
    away = values - mean[item]
    squares = np.bincount(item, away**2)
    deviation = np.sqrt(squares / np.maximum(number - 1, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        kurtosis = number * np.bincount(item, away**4) / squares**2
    normal = (kurtosis >= 2) & (kurtosis <= 4)
    reach = (np.where(normal, _NORMAL, _OTHER) * deviation)[item]
    counted = (number >= LEAST_VOTES)[item]
    above = np.bincount(who, counted & (reach > 0) & (away >= reach), raters)
    below = np.bincount(who, counted & (reach > 0) & (away <= -reach), raters)
    votes = np.maximum(np.bincount(who, counted, raters), 1)
    both = above + below
    one_sided = np.abs(above - below) / np.maximum(both, 1)
    return np.asarray((both / votes > _OUTSIDE) & (one_sided < _ONE_SIDED))


def _repeats(item: WholeNumbers, values: Array) -> tuple[int, float | None]:
    """Return how many items one rater judged again, and the share with equal answers."""
    number, first = np.bincount(item), np.full(int(item.max(initial=-1)) + 1, np.nan)
    first[item[::-1]] = values[::-1]
    again = np.flatnonzero(number > 1)
    if not len(again):
        return 0, None
    differs = np.bincount(item, values != first[item], len(number))
    return len(again), float((differs[again] == 0).mean())


def _with_outliers(rows: list[RaterRow]) -> tuple[RaterRow, ...]:
    """Mark raters whose agreement lies far below the others', those to look at first."""
    known = np.array([row.agreement for row in rows if row.agreement is not None])
    middle = float(np.median(known)) if len(known) else 0.0
    spread = float(np.median(np.abs(known - middle))) if len(known) else 0.0
    results = []
    for row in rows:
        if row.agreement is not None and middle - row.agreement >= _LEAST_DISTANCE:
            far = _TO_NORMAL * (row.agreement - middle) < _OUTLIER * spread
            if far and len(known) >= LEAST_VOTES:
                row = replace(
                    row, reasons=(*row.reasons, "agrees far less than the others")
                )
        results.append(row)
    return tuple(sorted(results, key=_suspects_first))


def _suspects_first(row: RaterRow) -> tuple[bool, float, str]:
    return not row.flagged, 2.0 if row.agreement is None else row.agreement, row.rater
