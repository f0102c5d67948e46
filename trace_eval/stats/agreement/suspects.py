"""Raters to look at: they agree or repeat least, or fall for traps.

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
from itertools import compress

import numpy as np

from blueprints import InputError, counted
from trace_eval.data.settings import nearest
from trace_eval.estimate.arrays import Array, Mask
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

#: Share of the scale that two scores which are alike lie apart at most.
_ALIKE = 0.1

#: Distances of values differ by less without meaning.
_ROUNDING = 1e-9


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
            answers, or with scores at most a tenth of their scale apart.
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
    if opinions.again is not None:
        rows = [_with_repeats(row, opinions.again) for row in rows]
    return tuple(sorted(rows, key=lambda row: not row.flagged))


def _with_traps(row: RaterRow, answers: Sequence[bool]) -> RaterRow:
    """Add a rater's answers to the traps that a column of the labels tells of."""
    if not answers:
        return row
    right = Share(sum(answers), len(answers))
    reasons = row.reasons
    if _is_worse_than_chance(right):
        reasons += (_FALLS,)
    return replace(row, traps=right.of, right=right.value, reasons=reasons)


def _with_repeats(row: RaterRow, again: Opinions) -> RaterRow:
    """Add how alike a rater scored the same items again.

    Scores are alike that lie at most a tenth of their scale apart.
    """
    assert again.rater is not None
    mine = again.rater == row.rater
    if not mine.any():
        return row
    reach = 0.0
    if again.scale is not None:
        reach = _ALIKE * float(again.scale.high - again.scale.low)
    item, _ = index_of(again.ids[mine].tolist())
    repeats, same = _repeats(item, values_of(again)[mine], reach)
    return replace(row, repeats=repeats, same=same)


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
    raters: list[str] = []
    if opinions.rater is not None:
        raters = [str(rater) for rater in opinions.rater.tolist()]
    for name in names:
        if not raters:
            raise InputError(
                f"--leave-out {name}: the labels of {opinions.source} name no rater;"
                " leave the option out"
            )
        if name not in raters:
            raise InputError(
                f"--leave-out {name}: no such rater in {opinions.source};"
                f" {nearest(name, list(dict.fromkeys(raters)))}"
            )
    stays = np.array([rater not in names for rater in raters], bool)
    if not stays.any():
        raise InputError(
            f"--leave-out: nobody is left in {opinions.source}; keep one rater"
        )
    return opinions.take(stays)


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
    traps = traps or {}
    instructions = instructions or {}
    has_value = ~np.isnan(values)
    voters = list(compress(raters, has_value))
    voted_items = list(compress(items, has_value))
    who, names = index_of(voters)
    item, ids = index_of(voted_items)
    values = values[has_value]
    is_rejected = np.zeros(len(names), bool)
    if of_scores:
        is_rejected = _outside(who, item, values, len(names))
    answer_of_item = np.array([traps.get(id_, np.nan) for id_ in ids])
    answers = answer_of_item[item]
    is_trap = ~np.isnan(answers)
    is_right = values == answers
    # an item whose instruction is unknown is a unit by itself
    unit, _ = index_of([instructions.get(id_, (id_,)) for id_ in ids])
    rows: list[RaterRow] = []
    for number, name in enumerate(names):
        mine = who == number
        shared, agreement, limits = agreement_with_others(
            mine, item, values, unit=unit, of_scores=of_scores
        )
        repeats, same = _repeats(item[mine], values[mine])
        traps_met = mine & is_trap
        right = Share(int((traps_met & is_right).sum()), int(traps_met.sum()))
        reasons: list[str] = []
        if is_rejected[number]:
            reasons.append("rejected by BT.500")
        if _is_worse_than_chance(right):
            reasons.append(_FALLS)
        row = RaterRow(
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
        rows.append(row)
    return _with_outliers(rows)


def _is_worse_than_chance(right: Share) -> bool:
    """Tell whether so few traps were answered right that chance would do better."""
    if not right.of:
        return False
    _, upper = right.interval()
    return upper < 0.5


def _numbers(traps: Mapping[str, str | float], opinions: Opinions) -> dict[str, float]:
    """Return known answers as the values of opinions are."""
    if not opinions.codes:
        return {item: float(answer) for item, answer in traps.items()}
    numbers: dict[str, float] = {}
    for item, answer in traps.items():
        label = str(answer)
        if label in ("both_good", "both_bad"):
            label = "tie"
        numbers[item] = float(UNTYPED.index(label))
    return numbers


def _outside(who: WholeNumbers, item: WholeNumbers, values: Array, raters: int) -> Mask:
    """Return which raters BT.500 rejects [shape=(raters,)]."""
    votes_on_item = np.bincount(item)
    mean = np.bincount(item, values) / votes_on_item
    deviation = values - mean[item]
    squares = np.bincount(item, deviation**2)
    spread = np.sqrt(squares / np.maximum(votes_on_item - 1, 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        kurtosis = votes_on_item * np.bincount(item, deviation**4) / squares**2
    is_normal = (kurtosis >= 2) & (kurtosis <= 4)
    reach_of_item = np.where(is_normal, _NORMAL, _OTHER) * spread
    reach = reach_of_item[item]
    counts = votes_on_item[item] >= LEAST_VOTES
    can_lie_outside = counts & (reach > 0)
    above = np.bincount(who, can_lie_outside & (deviation >= reach), raters)
    below = np.bincount(who, can_lie_outside & (deviation <= -reach), raters)
    votes = np.maximum(np.bincount(who, counts, raters), 1)
    outside = above + below
    one_sided = np.abs(above - below) / np.maximum(outside, 1)
    return np.asarray((outside / votes > _OUTSIDE) & (one_sided < _ONE_SIDED))


def _repeats(
    item: WholeNumbers, values: Array, reach: float = 0.0
) -> tuple[int, float | None]:
    """Return how many items one rater judged again, and the share judged alike.

    ``reach`` is how far two values that are alike lie apart at most.
    """
    votes = np.bincount(item)
    again = np.flatnonzero(votes > 1)
    if not len(again):
        return 0, None
    first = np.full(len(votes), np.nan)
    # of several values, the last that is written stays
    first[item[::-1]] = values[::-1]
    is_other = np.abs(values - first[item]) > reach + _ROUNDING
    differs = np.bincount(item, is_other, len(votes))
    is_same = differs[again] == 0
    return len(again), float(is_same.mean())


def _with_outliers(rows: list[RaterRow]) -> tuple[RaterRow, ...]:
    """Mark raters whose agreement lies far below the others', and put them first."""
    agreements = [row.agreement for row in rows if row.agreement is not None]
    marked = rows
    if len(agreements) >= LEAST_VOTES:
        median = float(np.median(agreements))
        spread = float(np.median(np.abs(np.array(agreements) - median)))
        marked = [_marked(row, median, spread) for row in rows]
    return tuple(sorted(marked, key=_suspects_first))


def _marked(row: RaterRow, median: float, spread: float) -> RaterRow:
    """Add the reason to a rater whose agreement is an outlier among all.

    ``spread`` is the median absolute deviation of the agreements.
    """
    if row.agreement is None:
        return row
    distance = row.agreement - median
    is_outlier = _TO_NORMAL * distance < _OUTLIER * spread
    if -distance < _LEAST_DISTANCE or not is_outlier:
        return row
    return replace(row, reasons=row.reasons + ("agrees far less than the others",))


def _suspects_first(row: RaterRow) -> tuple[bool, float, str]:
    """Order raters: flagged ones first, then by agreement, unknown ones last."""
    agreement = 2.0 if row.agreement is None else row.agreement
    return not row.flagged, agreement, row.rater
