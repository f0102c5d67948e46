"""Numbers beside their limits: a figure over 290 is never printed as 290."""

from __future__ import annotations

from collections.abc import Iterable

#: Decimals that a number gets at most.
_MOST = 6


def written_apart(value: float, limits: Iterable[float], digits: int) -> str:
    """Write a value with as many decimals as show on which side of its limits it lies.

    Args:
        digits: decimals that it has anyway.

    >>> written_apart(290.37, [80, 290], 0), written_apart(290, [80, 290], 0)
    ('290.4', '290')
    """
    limits = tuple(limits)
    text = f"{value:.{digits}f}"
    while digits < _MOST and any(
        _side(float(text), limit) != _side(value, limit) for limit in limits
    ):
        digits += 1
        text = f"{value:.{digits}f}"
    return text


def written_above(value: float, limit: float, digits: int) -> str:
    """Write a value over its limit, rounded up, so that it can be the next limit.

    >>> written_above(2.14, 1.7, 1), written_above(30.004, 30, 2)
    ('2.2', '30.004')
    """
    text = written_apart(value, [limit], digits)
    if float(text) >= value:
        return text
    digits = len(text.partition(".")[2])
    return f"{float(text) + 10**-digits:.{digits}f}"


def _side(value: float, limit: float) -> int:
    return (value > limit) - (value < limit)
