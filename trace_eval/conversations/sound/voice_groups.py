"""Two groups of pieces of speech, most alike within, and how sure each piece is."""

from __future__ import annotations

from itertools import repeat
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
    best = np.zeros(len(lengths), np.int64)
    most = -np.inf
    pairs = _least_alike(likeness, lengths)
    weighed = np.outer(lengths, lengths)
    weighed *= likeness
    for one, other in pairs:
        groups = _settled(likeness, lengths, one, other)
        first = _likeness_within(weighed, lengths, groups == 0)
        second = _likeness_within(weighed, lengths, groups == 1)
        if first + second > most:
            best = groups
            most = first + second
    return best


def _settled(
    likeness: VoiceVectors, lengths: NDArray[Any], one: int, other: int
) -> NDArray[np.int64]:
    """Part pieces around two of them, and move each to its group until none moves."""
    is_like_other = likeness[:, one] < likeness[:, other]
    groups = is_like_other.astype(np.int64)
    groups[one] = 0
    groups[other] = 1
    for _ in range(_ROUNDS):
        to_first = _mean_likeness(likeness, lengths, groups == 0)
        to_second = _mean_likeness(likeness, lengths, groups == 1)
        moved = (to_second > to_first).astype(np.int64)
        one_is_empty = len(np.unique(moved)) < 2
        if one_is_empty or np.array_equal(moved, groups):
            break
        groups = moved
    return groups


def _likeness_within(
    weighed: NDArray[np.floating[Any]],
    lengths: NDArray[Any],
    members: NDArray[np.bool_],
) -> float:
    """Return the weighed likeness of a group's pairs, a second of its speech."""
    of_pairs = weighed[np.ix_(members, members)].sum()
    seconds = lengths[members].sum()
    return float(of_pairs / max(1e-9, seconds))


def _least_alike(
    likeness: VoiceVectors, lengths: NDArray[Any]
) -> list[tuple[int, int]]:
    """Return pairs of pieces, long ones before short ones, that are the least alike.

    Each piece is compared with those before it by itself: all pairs of an hour at once
    take 100 MB.
    """
    least: list[tuple[float, int, int]] = []
    for one in range(1, len(lengths)):
        shorter = np.minimum(lengths[one], lengths[:one])
        penalty = likeness[one, :one] - 0.1 * shorter
        others = np.argsort(penalty)[:_STARTS]
        least += zip(
            penalty[others].tolist(), repeat(one), others.tolist(), strict=False
        )
        least = sorted(least)[:_STARTS]
    return [(one, other) for _, one, other in least]


def _mean_likeness(
    likeness: VoiceVectors, lengths: NDArray[Any], members: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the mean likeness of every piece to those of a group, without itself."""
    to_all = likeness[:, members] @ lengths[members]
    to_itself = np.where(members, np.diag(likeness) * lengths, 0.0)
    weight_of_all = lengths[members].sum()
    weight_of_itself = np.where(members, lengths, 0.0)
    weight = np.maximum(weight_of_all - weight_of_itself, 1e-9)
    return np.asarray((to_all - to_itself) / weight)


def contrast_of(
    likeness: VoiceVectors, groups: NDArray[np.int64], lengths: NDArray[Any]
) -> float:
    """Return which share of the likeness within the groups is missing between them.

    Short or lively speech makes all pieces less alike, of one voice and of two, by the
    same factor; the share corrects for it, as Spearman's correction for attenuation
    does. Pairs are weighed by their lengths.
    """
    weights = np.outer(lengths, lengths)
    np.fill_diagonal(weights, 0.0)
    is_same = groups[:, None] == groups[None]
    within = _weighted_mean(likeness[is_same], weights[is_same])
    between = _weighted_mean(likeness[~is_same], weights[~is_same])
    return (within - between) / within if within > 0 else 0.0


def _weighted_mean(values: NDArray[Any], weights: NDArray[Any]) -> float:
    return float((values * weights).sum() / max(1e-9, weights.sum()))


def centred(vectors: VoiceVectors, lengths: NDArray[Any]) -> VoiceVectors:
    """Take out what all pieces share, which is the recording's channel and no voice."""
    return _rows_of_length_one(vectors - _shared(vectors, lengths))


def _shared(vectors: VoiceVectors, lengths: NDArray[Any]) -> NDArray[np.floating[Any]]:
    return np.asarray(np.average(vectors, axis=0, weights=lengths))


def _rows_of_length_one(vectors: NDArray[Any]) -> NDArray[Any]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(1e-9, norms))


def unit(vector: NDArray[Any]) -> VoiceVectors:
    """Scale a vector to the length one."""
    norm = float(np.linalg.norm(vector))
    return np.asarray(vector / max(1e-9, norm), np.float32)


def nearer(
    likeness: VoiceVectors, groups: NDArray[np.int64], lengths: NDArray[Any]
) -> NDArray[np.float64]:
    """Return how much more each piece is like its own voice than like the other."""
    to_first = _mean_likeness(likeness, lengths, groups == 0)
    to_second = _mean_likeness(likeness, lengths, groups == 1)
    return np.where(groups == 0, to_first - to_second, to_second - to_first)


def leans(
    short: VoiceVectors,
    vectors: VoiceVectors,
    *,
    lengths: NDArray[Any],
    groups: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return how much more each short piece is like the second voice than the first."""
    moved = _rows_of_length_one(short - _shared(vectors, lengths))
    from_centres = centred(vectors, lengths)
    is_first = groups == 0
    is_second = groups == 1
    first = unit(lengths[is_first] @ from_centres[is_first])
    second = unit(lengths[is_second] @ from_centres[is_second])
    return np.asarray(moved @ (second - first), np.float64)
