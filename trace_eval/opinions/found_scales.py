"""The scale of scores that nobody declared: found by their values, or asked for."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError, counted
from fusion import Numbers, likert, span
from trace_eval.data.columns import Ends
from trace_eval.data.spelling import is_missing
from trace_eval.opinions.cells import map_option, number_of

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

#: A scale so many times as long as another is another one; scores that show a scale.
_APART, _LEAST_SCORES = 4, 5

#: No usual scale of few steps goes beyond this.
_FEW_STEPS = 10


#: Different scores that an error writes an option for.
_MOST_TURNED = 11


def scale_of_ends(ends: Ends, texts: Iterable[object] = ()) -> Numbers:
    """Return the scale that a user declares for scores.

    Args:
        texts: the scores as they stand in the table, to say how they are turned round.

    Raises:
        UserError: its ends fall.
    """
    if ends.first > ends.last:
        rising = Ends(ends.last, ends.first, ends.step)
        raise InputError(
            f"--scale {ends}: of scores the least comes first: --scale {rising} where"
            f" {ends.first:g} is the best; where {ends.last:g} is,"
            f" {_how_to_turn(ends, texts)}"
        )
    return span(ends.first, ends.last, ends.step)


def _how_to_turn(ends: Ends, texts: Iterable[object]) -> str:
    """Say how scores are turned round, of which the least is the best."""
    both = ends.first + ends.last
    rising = Ends(ends.last, ends.first, ends.step)
    turned: dict[str, str] = {}
    for text in sorted({str(text) for text in texts if not is_missing(text)}):
        number = number_of(text)
        if number is not None:
            turned[text] = f"{both - number:g}"
    if not turned or len(turned) > _MOST_TURNED:
        return f"subtract each from {both:g} in the file and type --scale {rising}"
    typed = " ".join(map_option(text, number) for text, number in turned.items())
    return f"turn them round: --scale {rising} {typed}"


def scale_by_values(values: Values) -> Numbers:
    """Return the usual scale that holds these scores, or one without known ends."""
    present = values[~np.isnan(values)]
    if not len(present):
        return DEFAULT_SCALE
    low = float(present.min())
    high = float(present.max())
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


def scales_apart(values: Values, systems: Sequence[str | None]) -> str | None:
    """Say that two systems in one column seem to have scales of their own, else None.

    One system's usual scale is four times as long as the other's, such as 0 to 100
    beside 1 to 5, by at least five scores of each.
    """
    of: dict[str, list[float]] = {}
    for system, value in zip(systems, values.tolist(), strict=True):
        if system and not math.isnan(value):
            of.setdefault(system, []).append(value)
    lengths: dict[str, float] = {}
    for system, scores in of.items():
        if len(scores) >= _LEAST_SCORES:
            scale = scale_by_values(np.array(scores))
            lengths[system] = scale.high - scale.low
    if not lengths:
        return None
    short = min(lengths, key=lengths.__getitem__)
    long = max(lengths, key=lengths.__getitem__)
    if lengths[long] < _APART * lengths[short]:
        return None
    return (
        f"{_scores_said(short, of[short])}, but"
        f" {_scores_said(long, of[long])}: if they are on two scales, a difference of"
        " means says nothing; bring both to one scale"
    )


def _scores_said(system: str, scores: Sequence[float]) -> str:
    return f"{system} has scores from {min(scores):g} to {max(scores):g}"


def refuse_off_scale(
    source: str, column: str, texts: Sequence[object], values: Values, ends: Ends
) -> None:
    """Refuse numbers off the scale that a user declares, and say in which rows."""
    off_scale: list[int] = []
    for row, value in enumerate(values.tolist()):
        if not math.isnan(value) and not ends.holds(value):
            off_scale.append(row)
    if not off_scale:
        return
    first = off_scale[0]
    raise InputError(
        f"{source}, record {first + 1}: {column} is {texts[first]!s:.60} in"
        f" {_rows(texts, off_scale)}, which is not on the scale {ends}; correct it, or"
        f" leave it out: {_missing(texts[first])}"
    )


def refuse_doubtful(
    source: str, column: str, texts: Sequence[object], values: Values
) -> None:
    """Refuse numbers that may stand for missing ones, on a scale that nobody declares.

    Those are the usual codes, and others far beyond all the rest; and 0 where the rest
    are whole numbers from 1 to 5.
    """
    distinct = np.unique(values[~np.isnan(values)])
    doubtful: list[float] = []
    plain: list[float] = []
    for value in distinct.tolist():
        if _is_doubtful(value, distinct):
            doubtful.append(value)
        else:
            plain.append(value)
    if not doubtful:
        return
    rows = np.flatnonzero(np.isin(values, doubtful)).tolist()
    first = rows[0]
    spellings = dict.fromkeys(str(texts[row]) for row in rows)
    low = min(distinct)
    high = max(distinct)
    raise InputError(
        f"{source}, record {first + 1}: {column} is {texts[first]!s:.60} in"
        f" {_rows(texts, rows)}, and the other scores go from {min(plain):g} to"
        f" {max(plain):g}; where it means that there is none:"
        f" {' '.join(map(_missing, spellings))}; where it is a score, declare the"
        f" scale: --scale {low:g}..{high:g}"
    )


def _is_doubtful(value: float, distinct: Values) -> bool:
    rest = distinct[distinct != value]
    if not len(rest):
        return False
    low = float(rest.min())
    high = float(rest.max())
    if value == 0:
        is_whole = bool((rest == rest.round()).all())
        return is_whole and low >= 1 and 1 < high <= DEFAULT_SCALE.high
    if value in _CODES and _is_apart(value, distinct):
        return True
    core = distinct[np.abs(distinct) <= _FEW_STEPS]
    beyond = distinct[np.abs(distinct) > _FEW_STEPS]
    if abs(value) <= _FEW_STEPS or len(core) < 3 or len(beyond) > 2:
        return False
    lowest = float(core.min())
    highest = float(core.max())
    away = max(lowest - value, value - highest)
    return bool(away >= 2 * max(highest - lowest, 1))


def _is_apart(code: float, distinct: Values) -> bool:
    """Tell whether a usual code for missing lies away from all other scores."""
    scores = distinct[~np.isin(distinct, list(_CODES))]
    if not len(scores):
        return False
    low = float(scores.min())
    high = float(scores.max())
    if code < 0 <= low:
        return high > 1
    gap = max(low - code, code - high)
    if gap < max(high - low, 1):
        return False
    if code < 0:
        return True
    return high <= _highest_beside_code(code) and len(scores) > 2


def _highest_beside_code(code: float) -> float:
    """Return how high scores go at most beside a code with so many digits."""
    if code < 10:
        return DEFAULT_SCALE.high
    if code < 100:
        return _FEW_STEPS
    return 100


def _rows(texts: Sequence[object], rows: Sequence[int]) -> str:
    first = str(texts[rows[0]])
    same = sum(str(texts[row]) == first for row in rows)
    others = len(rows) - same
    if not others:
        return counted(same, "row")
    return f"{counted(same, 'row')} ({others} more hold others)"


def _missing(text: object) -> str:
    return f"--map {shlex.quote(f'{text}=missing')}"
