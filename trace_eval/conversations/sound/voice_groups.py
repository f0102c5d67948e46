"""Two groups of pieces of speech that are most alike within, and how sure each piece is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

VoiceVectors = NDArray[np.floating[Any]]

#: Rounds of the search for two groups, and pairs of pieces at which it begins.
_ROUNDS, _STARTS = 30, 6


def two_groups(likeness: VoiceVectors, lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Part pieces into two groups that are most alike within, weighed by their lengths.

    From each of the least alike pairs on, pieces go to the group that they are more
    like in the mean, until none moves; the partition with the most likeness within
    counts.
    """
    best, most = np.zeros(len(lengths), np.int64), -np.inf
    weights = lengths[:, None] * lengths[None]
    for one, other in _least_alike(likeness, lengths):
        groups = (likeness[:, one] < likeness[:, other]).astype(np.int64)
        groups[one], groups[other] = 0, 1
        for _ in range(_ROUNDS):
            moved = np.stack(
                [_mean_likeness(likeness, lengths, groups == g) for g in (0, 1)]
            )
            after = moved.argmax(axis=0)
            if len(np.unique(after)) < 2 or (after == groups).all():
                break
            groups = after
        within = sum(
            (likeness * weights)[np.ix_(groups == g, groups == g)].sum()
            / max(1e-9, lengths[groups == g].sum())
            for g in (0, 1)
        )
        if within > most:
            best, most = groups, float(within)
    return best


def _least_alike(
    likeness: VoiceVectors, lengths: NDArray[Any]
) -> list[tuple[int, int]]:
    """Return pairs of pieces, long ones before short ones, that are the least alike."""
    penalty = likeness - 0.1 * np.minimum(lengths[:, None], lengths[None])
    rows, columns = np.tril_indices(len(lengths), -1)
    order = np.argsort(penalty[rows, columns])[:_STARTS]
    return [(int(rows[n]), int(columns[n])) for n in order]


def _mean_likeness(
    likeness: VoiceVectors, lengths: NDArray[Any], mine: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Mean likeness of every piece to those of a group, without itself."""
    total, weight = (
        likeness[:, mine] @ lengths[mine],
        np.full(len(lengths), lengths[mine].sum()),
    )
    total = total - np.where(mine, np.diag(likeness) * lengths, 0.0)
    weight = weight - np.where(mine, lengths, 0.0)
    return np.asarray(total / np.maximum(weight, 1e-9))


def contrast_of(
    likeness: VoiceVectors, groups: NDArray[np.int64], lengths: NDArray[Any]
) -> float:
    """Mean likeness within the groups less that between them, weighed by lengths."""
    weights = lengths[:, None] * lengths[None]
    np.fill_diagonal(weights, 0.0)
    same = groups[:, None] == groups[None]
    within, between = (
        float((likeness * weights)[where].sum() / max(1e-9, weights[where].sum()))
        for where in (same, ~same)
    )
    return within - between


def centred(vectors: VoiceVectors, lengths: NDArray[Any]) -> VoiceVectors:
    """Take out what all pieces share, which is the recording's channel and no voice."""
    moved = vectors - np.average(vectors, axis=0, weights=lengths)
    return np.asarray(
        moved / np.maximum(1e-9, np.linalg.norm(moved, axis=1, keepdims=True))
    )


def unit(vector: NDArray[Any]) -> VoiceVectors:
    """Scale a vector to the length one."""
    return np.asarray(vector / max(1e-9, float(np.linalg.norm(vector))), np.float32)


def nearer(
    likeness: VoiceVectors, groups: NDArray[np.int64], lengths: NDArray[Any]
) -> NDArray[np.float64]:
    """Return how much more each piece is like its own voice than like the other."""
    first, second = (
        _mean_likeness(likeness, lengths, groups == voice) for voice in (0, 1)
    )
    return np.where(groups == 0, first - second, second - first)


def leans(
    short: VoiceVectors,
    vectors: VoiceVectors,
    *,
    lengths: NDArray[Any],
    groups: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return how much more each short piece is like the second voice than like the first."""
    shared = np.average(vectors, axis=0, weights=lengths)
    moved = short - shared
    moved = moved / np.maximum(1e-9, np.linalg.norm(moved, axis=1, keepdims=True))
    apart = centred(vectors, lengths)
    first, second = (
        unit(lengths[groups == voice] @ apart[groups == voice]) for voice in (0, 1)
    )
    return np.asarray(moved @ (second - first), np.float64)
