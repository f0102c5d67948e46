"""Stretches of time as sorted lists of (start, end): joined, overlapping, cut out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Spans = list[tuple[float, float]]

#: A tuple that begins with start and end.
Span = TypeVar("Span", bound=tuple[Any, ...])


def joined(spans: Iterable[tuple[float, float]], gap_s: float = 0.0) -> Spans:
    """Sort stretches, and join those with gaps under ``gap_s``, or that overlap.

    >>> joined([(0, 1), (1.2, 2), (3, 4)], 0.3)
    [(0, 2), (3, 4)]
    """
    spans_joined: Spans = []
    for start, end in sorted(spans):
        if not spans_joined:
            spans_joined.append((start, end))
            continue
        last_start, last_end = spans_joined[-1]
        if start <= last_end or start - last_end < gap_s:
            spans_joined[-1] = (last_start, max(last_end, end))
        else:
            spans_joined.append((start, end))
    return spans_joined


def overlaps(
    left: Sequence[tuple[float, float]], right: Sequence[tuple[float, float]]
) -> Spans:
    """Return where both sound; each list sorted and apart."""
    shared: Spans = []
    one = other = 0
    while one < len(left) and other < len(right):
        left_start, left_end = left[one]
        right_start, right_end = right[other]
        start = max(left_start, right_start)
        end = min(left_end, right_end)
        if start < end:
            shared.append((start, end))
        if left_end <= right_end:
            one += 1
        else:
            other += 1
    return shared


def gaps(spans: Sequence[tuple[float, float]]) -> Spans:
    """Return the gaps between sorted stretches that are apart."""
    return [(end, start) for (_, end), (start, _) in pairwise(spans)]


def without(
    spans: Iterable[tuple[float, float]], holes: Iterable[tuple[float, float]]
) -> Spans:
    """Return the parts of spans that lie outside of holes.

    >>> without([(0, 5)], [(1, 2), (4, 9)])
    [(0, 1), (2, 4)]
    """
    left = list(spans)
    for low, high in holes:
        outside: Spans = []
        for start, end in left:
            before = (start, min(end, low))
            behind = (max(start, high), end)
            outside += [part for part in (before, behind) if part[0] < part[1]]
        left = outside
    return left


def around(spans: Sequence[Span], at_s: float) -> Span | None:
    """Return the span that contains a time; spans must be sorted and disjoint."""
    position = bisect_left(spans, (at_s,)) - 1
    if position < 0:
        return None
    span = spans[position]
    return span if span[1] > at_s else None


def total(spans: Iterable[tuple[float, float]]) -> float:
    """Return the seconds in all."""
    return sum(end - start for start, end in spans)


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Find half-open index ranges of consecutive true values.

    >>> runs(np.array([True, False, True, True]))
    [(0, 1), (2, 4)]
    """
    changes = np.diff(flags.astype(np.int8), prepend=0, append=0)
    edges = np.flatnonzero(changes)
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]
