"""Which cells of truth and prediction count for a statistic, and how much: see ``estimates``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.measures import MeasurePart
from trace_eval.opinions.codes import TIE
from trace_eval.stats.agreement.counts import CREDIT


def right(labels: int) -> tuple[MeasurePart, ...]:
    """Equal labels, of all items."""
    return (_share(np.eye(labels, dtype=bool)),)


def right_3way(labels: int) -> tuple[MeasurePart, ...]:
    """Equal labels with all ties made one."""
    return (_share(np.equal.outer(_collapsed(labels), _collapsed(labels))),)


def right_2way(labels: int) -> tuple[MeasurePart, ...]:
    """Equal winners, of the items where both sides name one."""
    winner = np.arange(labels) < TIE
    return (_share(np.eye(labels, dtype=bool), np.logical_and.outer(winner, winner)),)


def half_right(labels: int) -> tuple[MeasurePart, ...]:
    """Credit with ties as halves."""
    collapsed = _collapsed(labels)
    return (_share(CREDIT[np.ix_(collapsed, collapsed)]),)


def recalls(labels: int) -> tuple[MeasurePart, ...]:
    """For each true label how often it is said."""
    eye = np.eye(labels, dtype=bool)
    return tuple(_share(eye, np.tile(eye[label][:, None], labels)) for label in range(labels))


def f1_shares(labels: int) -> tuple[MeasurePart, ...]:
    """For each label the items on which both sides give it, of those on which any side does.

    F1 is ``2 J / (1 + J)`` of that share J.
    """
    parts = []
    for label in range(labels):
        mine = np.arange(labels) == label
        counted = np.logical_or.outer(mine, mine)
        hits = np.logical_and.outer(mine, mine)
        parts.append(
            MeasurePart(hits.ravel().astype(float), counted.ravel().astype(float), curve=_f1)
        )
    return tuple(parts)


def _f1(share: float) -> float:
    return 2 * share / (1 + share)


def _share(credit: NDArray[Any], counted: NDArray[np.bool_] | None = None) -> MeasurePart:
    every = np.ones(credit.size) if counted is None else counted.ravel().astype(float)
    return MeasurePart(credit.ravel().astype(float), every)


def _collapsed(labels: int) -> NDArray[np.int64]:
    return np.minimum(np.arange(labels), TIE)
