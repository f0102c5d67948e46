"""The scale of scores that nobody declared: found by their values, or asked for."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError, counted
from fusion import Numbers, likert, span
from trace_eval.data.columns import Ends

Values = NDArray[np.float64]

#: The scale of scores that do not name theirs, where they fit.
DEFAULT_SCALE = likert(1, 5)

#: Check of the warning that states a scale that was found.
FOUND_SCALE = "scale"

#: Ends of scales in use, the first that holds all values counts.
_USUAL = ((1, 5), (0, 1), (1, 7), (1, 10), (0, 5), (0, 10), (0, 100))

#: Ends of those with a middle at zero.
_SIGNED = (1, 2, 3, 5, 10, 50, 100)

#: Numbers that stand for a missing one in the data of surveys.
_CODES = frozenset((
    -1, -7, -8, -9, -77, -88, -99, -777, -888, -999, -9999, -99999,
    9, 77, 88, 99, 777, 888, 999, 9999, 99999,
))  # fmt: skip

#: No usual scale of few steps goes beyond this.
_FEW_STEPS = 10


def scale_of_ends(ends: Ends) -> Numbers:
    """Return the scale that a user declares for scores.

    Raises:
        UserError: its ends fall.
    """
    if ends.first > ends.last:
        raise InputError(
            f"--scale {ends}: of scores the worst comes first: --scale"
            f" {Ends(ends.last, ends.first, ends.step)}"
        )
    return span(ends.first, ends.last, ends.step)


def scale_by_values(values: Values) -> Numbers:
    """Return the usual scale that holds these scores, or one without known ends."""
    present = values[~np.isnan(values)]
    if not len(present):
        return DEFAULT_SCALE
    low, high = float(present.min()), float(present.max())
    if low >= DEFAULT_SCALE.low and high <= DEFAULT_SCALE.high:
        return DEFAULT_SCALE
    for first, last in _USUAL:
        if first <= low and high <= last:
            return span(first, last)
    for end in _SIGNED:
        if low < 0 and -end <= low and high <= end:
            return span(-end, end)
    return span(low, high if high > low else low + 1, bounded=False)


def said_of(scale: Numbers) -> str:
    """Say how scores were read."""
    if not scale.bounded:
        return (
            f"scores are read as numbers without ends, here {scale.low:g} to"
            f" {scale.high:g}; --scale WORST..BEST declares them"
        )
    return (
        f"scores are read as {scale.low:g} to {scale.high:g}, by their values; --scale"
        " WORST..BEST declares another scale"
    )


def refuse_off_scale(
    source: str, column: str, texts: Sequence[object], values: Values, ends: Ends
) -> None:
    """Refuse numbers off the scale that a user declares, and say in which rows."""
    off = [row for row, value in enumerate(values.tolist()) if value == value]
    off = [row for row in off if not ends.holds(float(values[row]))]
    if off:
        raise InputError(
            f"{source}, record {off[0] + 1}: {column} is {texts[off[0]]!s:.60} in"
            f" {_rows(texts, off)}, which is not on the scale {ends}; correct it, or"
            f" leave it out: {_missing(texts[off[0]])}"
        )


def refuse_doubtful(
    source: str, column: str, texts: Sequence[object], values: Values
) -> None:
    """Refuse numbers that may stand for missing ones, on a scale that nobody declares.

    Those are the usual codes, and others far beyond all the rest; and 0 where the rest
    are whole numbers from 1 to 5.
    """
    distinct = np.unique(values[~np.isnan(values)])
    doubtful = [
        float(value) for value in distinct if _is_doubtful(float(value), distinct)
    ]
    if not doubtful:
        return
    rest = np.array([value for value in distinct.tolist() if value not in doubtful])
    rows = np.flatnonzero(np.isin(values, doubtful)).tolist()
    spelt = dict.fromkeys(str(texts[row]) for row in rows)
    low, high = min(distinct), max(distinct)
    raise InputError(
        f"{source}, record {rows[0] + 1}: {column} is {texts[rows[0]]!s:.60} in"
        f" {_rows(texts, rows)}, and the other scores go from {rest.min():g} to"
        f" {rest.max():g}; where it means that there is none:"
        f" {' '.join(map(_missing, spelt))}; where it is a score, declare the scale:"
        f" --scale {low:g}..{high:g}"
    )


def _is_doubtful(value: float, distinct: Values) -> bool:
    rest = distinct[distinct != value]
    if not len(rest):
        return False
    if value == 0:
        whole = bool((rest == rest.round()).all())
        return whole and rest.min() >= 1 < rest.max() <= DEFAULT_SCALE.high
    if value in _CODES and _is_apart(value, distinct):
        return True
    core = distinct[np.abs(distinct) <= _FEW_STEPS]
    beyond = distinct[np.abs(distinct) > _FEW_STEPS]
    if abs(value) <= _FEW_STEPS or len(core) < 3 or len(beyond) > 2:
        return False
    away = max(core.min() - value, value - core.max())
    return bool(away >= 2 * max(float(core.max() - core.min()), 1))


def _is_apart(code: float, distinct: Values) -> bool:
    """Whether a usual code stands apart from all scores that are none."""
    rest = distinct[~np.isin(distinct, list(_CODES))]
    if not len(rest):
        return False
    if code < 0 <= rest.min():
        return bool(rest.max() > 1)
    size = float(rest.max() - rest.min())
    if max(rest.min() - code, code - rest.max()) < max(size, 1):
        return False
    fits = {1: DEFAULT_SCALE.high, 2: _FEW_STEPS}.get(len(f"{abs(code):.0f}"), 100)
    return bool(code < 0 or (rest.max() <= fits and len(rest) > 2))


def _rows(texts: Sequence[object], rows: Sequence[int]) -> str:
    same = sum(str(texts[row]) == str(texts[rows[0]]) for row in rows)
    others = len(rows) - same
    return counted(same, "row") + (f" ({others} more hold others)" if others else "")


def _missing(text: object) -> str:
    return f"--map {shlex.quote(f'{text}=missing')}"
