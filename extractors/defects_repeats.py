"""Sound that repeats itself, and sound that is held: loops and stretched sounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from blueprints import Event
from extractors.contours import Floats
from extractors.defects_frames import STEP_S, Bools, Frames, runs

#: Levels in bands are raised to so far under the level of speech: noise does not tell
#: copies apart.
FLOOR_DB = 30.0

#: A frame sounds that is at most so far under the level of speech, dB; of a held sound
#: all do.
SOUND_DB, HELD_SOUND_DB = 25.0, 11.0

#: Shortest and longest phrase that is looked for, frames.
LAGS = (15, 400)

#: Root mean square difference of copies, dB; and that of the sound to itself at other
#: times.
SAME_DB, OTHER_DB = 3.2, 5.0

#: Least length of what is said again, frames, and share of the phrase.
AGAIN, AGAIN_SHARE = 25, 0.85

#: A held sound differs so little from itself one of so many frames later, dB, for so
#: long, seconds: what is drawn out is often a grain of 40 to 80 ms that comes again and
#: again.
HELD_DB, HELD_LAGS, HELD_S = 3.2, range(6, 21), 0.5

#: Frames in a block, and how many of them are compared: one of so many.
_BLOCK, _EVERY = 1000, 2


class _Copy(NamedTuple):
    """A stretch whose sound comes again one lag later; longer ones sort higher."""

    length: int  # frames
    start: int
    lag: int  # frames from the stretch to its copy
    mean: float  # root mean square difference of both, dB


def _clamped(frames: Frames) -> Floats:
    """Return levels in bands, none lower than the floor [shape=(frames, bands)]."""
    is_loud = frames.level > frames.speech_db - 10
    floor = float(np.percentile(frames.bands[is_loud], 75)) - FLOOR_DB
    return np.maximum(frames.bands, floor)


def loops(frames: Frames) -> Iterator[Event]:
    """Find phrases whose sound comes again at once."""
    bands = _clamped(frames)
    active = frames.level > frames.speech_db - SOUND_DB
    for first in range(0, len(bands), _BLOCK):
        yield from _loops_of(bands, active, first)


def _distances(bands: Floats, first: int) -> Floats:
    """Return mean square differences, dB² [shape=(frames, lags)].

    Those behind the end of the clip are huge.
    """
    shortest, longest = LAGS
    here = bands[first : first + _BLOCK : _EVERY]
    there = bands[first : first + _BLOCK + longest]
    squares = np.full((len(here), _EVERY * len(here) + longest), 1e9, np.float32)
    # |a - b|^2 = -2 ab + a^2 + b^2: a product of matrices, and no array of differences.
    inside = squares[:, : len(there)]
    np.matmul(here, there.T, out=inside)
    inside *= -2
    inside += np.square(here).sum(axis=1)[:, None]
    inside += np.square(there).sum(axis=1)
    # Row i from its own frame on: element (i, lag) is the difference of frames i and i
    # + lag.
    row, column = squares.strides
    sheared = np.lib.stride_tricks.as_strided(
        squares[:, shortest:],
        shape=(len(here), longest - shortest),
        strides=(row + _EVERY * column, column),
        writeable=False,
    )
    return np.asarray(sheared / bands.shape[1])


def _loops_of(bands: Floats, active: Bools, first: int) -> Iterator[Event]:
    candidates = _copies(_distances(bands, first), active, first)
    taken = np.zeros(first + _BLOCK + LAGS[1], bool)
    for length, start, lag, mean in sorted(candidates, reverse=True):
        if taken[start : start + length].any():
            continue
        end = start + length + lag
        taken[start:end] = True
        yield Event(
            kind="loop",
            start_s=start * STEP_S,
            end_s=end * STEP_S,
            strength=max(1.0, SAME_DB / max(mean, 0.1)),
        )


def _copies(distances: Floats, active: Bools, first: int) -> list[_Copy]:
    """Return all stretches of a block that come again after one lag.

    Args:
        distances: see :func:`_distances`.
        active: which frames of the clip sound.
        first: the frame of the clip with which the block begins.
    """
    copies: list[_Copy] = []
    same = distances < SAME_DB**2
    lags = np.arange(*LAGS)
    # A gap of 2 frames may lie behind each one.
    least = np.maximum(AGAIN, AGAIN_SHARE * lags) / _EVERY / 3
    is_possible = same.sum(axis=0) >= np.maximum(AGAIN / _EVERY, least)
    for column in np.flatnonzero(is_possible):
        lag = int(lags[column])
        for start, end in runs(_closed(same[:, column])):
            length = _EVERY * (end - start)
            if length < max(AGAIN, AGAIN_SHARE * lag):
                continue
            first_frame = first + _EVERY * start
            sounds = active[first_frame : first + _EVERY * end : _EVERY]
            if _EVERY * sounds.sum() < max(12, 0.4 * length):
                continue
            # What is like itself at all shorter lags, too, is held, not said again.
            at_other_lags = distances[start:end][sounds][:, : column + 1]
            if float(np.median(at_other_lags)) < OTHER_DB**2:
                continue
            at_lag = np.maximum(0, distances[start:end, column])
            mean = float(np.sqrt(at_lag.mean()))
            copies.append(_Copy(length, first_frame, lag, mean))
    return copies


def _closed(same: Bools) -> Bools:
    """Fill gaps of up to 2 frames."""
    out = same.copy()
    for start, end in runs(~same):
        if start > 0 and end < len(same) and end - start <= 2:
            out[start:end] = True
    return out


def held(frames: Frames) -> Iterator[Event]:
    """Find sounds that do not change for longer than a voice holds one."""
    bands = _clamped(frames)
    active = frames.level > frames.speech_db - HELD_SOUND_DB
    for lag in HELD_LAGS:
        if len(bands) <= lag:
            return
        difference = bands[lag:] - bands[:-lag]
        change = np.sqrt(np.square(difference).mean(axis=1))
        sounds = active[lag:] & active[:-lag]
        for start, end in runs(_closed((change < HELD_DB) & sounds)):
            seconds = (end - start + lag) * STEP_S
            if seconds < HELD_S:
                continue
            start_s = start * STEP_S
            yield Event(
                kind="stretched",
                start_s=start_s,
                end_s=start_s + seconds,
                strength=seconds / HELD_S,
            )
