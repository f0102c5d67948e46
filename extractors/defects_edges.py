"""Edges that no voice makes: holes cut into speech, ends cut off, clicks, flat tops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from blueprints import Event
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.contours import Floats
from extractors.defects_frames import Frames, decibels_of, joined, runs
from extractors.signal import flat_tops, peak

#: Frames of the envelope, seconds and samples at 16 kHz.
FINE_S = 0.002
FINE = round(FINE_S * SPEECH_RATE)

#: What is so far under the level of speech is quiet; so far in the middle of a hole: hardly any
#: stop of a voice, and none, dB.
QUIET_DB, NOTHING_DB, ZERO_DB = 30.0, 47.0, 75.0

#: 12 ms of sound before a hole and behind it are at most so little under the level of speech, dB.
SOUND_DB = 9.0

#: The last millisecond before a cut, and the first one behind it: the last pulse of a voice decays
#: before a stop closes, and a stop bursts before the voice is back, dB under the level of speech.
BEFORE_DB, AFTER_DB, BOTH_DB, END_DB = 10.0, 7.0, 10.0, 14.0

#: Full level, and what a codec leaves of a cut 2 ms behind it, dB under the level of speech.
SMEARED_DB = (3.0, 20.0)

#: Samples beside a cut are sound so little under the level of speech, dB.
_HEARD_DB = 22.0

#: A hole between two cuts lasts so long, seconds; one without a sharp edge, at most so long.
HOLE_S, BLUNT_HOLE_S = (0.016, 1.0), 0.6

#: A clip that begins or ends with 10 ms so little under the level of speech is cut there, and so
#: much over the quietest 5 %, dB. Recordings begin close before the first stop's burst.
BEGIN_DB, EDGE_DB, OVER_FLOOR_DB = 12.0, 15.0, 12.0
_EDGE = 5

#: A click stands so many times over the sharpest and over the loudest that lies beside it, and so
#: many times over both together; its height is such a share of the clip's; and it holds so many
#: times the sharpness of the 1.5 ms around it.
CLICK_TIMES, CLICK_HIGH, CLICK_BOTH, CLICK_SHARE, CLICK_NARROW = 2.5, 2.0, 11.0, 0.2, 4.0
_CORE, _CLICK, _BESIDE = 6, 24, 320  # half widths in samples: .4 ms, 1.5 ms, and 20 ms

#: Clicks that are closer are a crackle, seconds.
CRACKLE_S = 0.5

#: Flat tops that make a clipped stretch, and the longest gap between two, seconds.
TOPS, TOPS_APART_S = 12, 0.5


def cut_edges(frames: Frames) -> Iterator[Event]:
    """Drop-outs, and abrupt beginnings and ends."""
    count = len(frames.wave) // FINE
    fine = decibels_of(np.square(frames.wave[: count * FINE].reshape(count, FINE)).mean(axis=1))
    speech_db = float(np.percentile(fine[fine > fine.max() - 50], 80))
    yield from _holes(frames, fine, speech_db)
    floor = float(np.percentile(fine, 5)) + OVER_FLOOR_DB
    for kind, part, at, under in (
        ("abrupt_begin", fine[:_EDGE], 0.0, BEGIN_DB),
        ("abrupt_end", fine[-_EDGE:], frames.seconds, EDGE_DB),
    ):
        over = float(decibels_of((10 ** (part / 10)).mean())) - max(speech_db - under, floor)
        if over > 0:
            yield Event(kind=kind, start_s=at, end_s=at, strength=1 + over / EDGE_DB)


def _holes(frames: Frames, fine: Floats, speech_db: float) -> Iterator[Event]:
    """Quiet between two cuts, and behind the last one."""
    blunt = []
    for start, end in runs(fine < speech_db - QUIET_DB):
        if start < 12 or (end - start) * FINE_S < HOLE_S[0]:
            continue
        depth = speech_db - float(np.median(fine[start + 2 : end - 2]))
        start_s, end_s, strength = start * FINE_S, end * FINE_S, max(1, depth / NOTHING_DB)
        hole = Event(kind="drop_out", start_s=start_s, end_s=end_s, strength=strength)
        left = _beside(frames.wave[max(0, start * FINE - 256) : start * FINE + 48], speech_db)
        if end == len(fine):
            cut = left.edge > -END_DB or left.smeared
            if left.level > -SOUND_DB - 3 and cut and depth > NOTHING_DB:
                yield hole.model_copy(update={"kind": "abrupt_end", "end_s": start_s})
            continue
        right = _beside(frames.wave[end * FINE - 48 : end * FINE + 256][::-1], speech_db)
        if min(left.level, right.level) < -SOUND_DB or hole.seconds > HOLE_S[1]:
            continue
        sharp = depth > NOTHING_DB and (left.edge > -BEFORE_DB or right.edge > -AFTER_DB)
        if sharp or left.edge + right.edge > -BOTH_DB:
            yield hole
        elif depth > ZERO_DB and hole.seconds < BLUNT_HOLE_S:
            blunt.append(hole)
    if len(blunt) == 1:  # formant synthesis closes all of its stops with zeros
        yield blunt[0]


class _Side(NamedTuple):
    """What lies beside a hole, dB over the level of speech.

    Attributes:
        level: of the 6 or 15 ms beside it, whichever is louder.
        edge: of the last 1 ms.
        smeared: it falls within 2 ms from full level, as a codec leaves a cut.
    """

    level: float
    edge: float
    smeared: bool


def _beside(wave: Samples, speech_db: float) -> _Side:
    """The side of a hole that lies at the end of this."""
    heard = np.flatnonzero(np.abs(wave) > 10 ** ((speech_db - _HEARD_DB) / 20))
    if not len(heard) or heard[-1] < 100:
        return _Side(-np.inf, -np.inf, False)
    power = np.square(wave[: heard[-1] + 1])
    edge, fall, *levels = (
        float(decibels_of(power[-size:].mean())) - speech_db for size in (16, 32, 96, 240)
    )
    return _Side(max(levels), edge, max(levels) > -SMEARED_DB[0] and fall < -SMEARED_DB[1])


def clicks(frames: Frames) -> list[Event]:
    """Impulses: they are over at once, and nothing beside them is nearly as sharp or as high.

    A stop's burst is followed by its noise, and a pulse of the voice by the next one.
    """
    sharp, height = np.abs(np.diff(frames.wave, 2, prepend=0, append=0)), np.abs(frames.wave)
    count = len(sharp) // _CLICK
    if count < 4 * _BESIDE // _CLICK:
        return []
    blocks = sharp[: count * _CLICK].reshape(count, _CLICK).max(axis=1)
    usual, top = float(np.percentile(blocks, 98)), float(height.max())
    results = []
    for block in np.flatnonzero(blocks > 0.5 * usual):
        at = int(block) * _CLICK + int(sharp[block * _CLICK : (block + 1) * _CLICK].argmax())
        core = slice(max(0, at - _CORE), at + _CORE + 1)
        high = float(height[core].max())
        if high < CLICK_SHARE * top:
            continue
        times = float(sharp[at]) / max(_beside_click(sharp, at), 0.05 * usual)
        over = high / max(_beside_click(height, at), 1e-9)
        if times < CLICK_TIMES or over < CLICK_HIGH or times * over < CLICK_BOTH:
            continue
        inside = float(np.square(sharp[core]).sum())
        around = float(np.square(sharp[max(0, at - _CLICK) : at + _CLICK + 1]).sum())
        if inside >= CLICK_NARROW * (around - inside):
            when, strength = min(frames.seconds, at / SPEECH_RATE), times * over / CLICK_BOTH
            results.append(Event(kind="click", start_s=when, end_s=when, strength=strength))
    return joined(results, CRACKLE_S)


def _beside_click(values: Floats, at: int) -> float:
    left = values[max(0, at - _BESIDE) : max(0, at - _CLICK)].max(initial=0)
    return float(max(left, values[at + _CLICK : at + _BESIDE].max(initial=0)))


def clipped(clip: Clip) -> Iterator[Event]:
    """Stretches with flat tops, see :func:`extractors.signal.clipping_ratio`."""
    highest = peak(clip.samples)
    tops = [
        starts
        for channel in clip.samples.T
        for sign in (1, -1)
        for starts, _ in (flat_tops(sign * channel, highest),)
    ]
    when = np.sort(np.concatenate(tops)) / clip.rate
    apart = np.flatnonzero(np.diff(when) > TOPS_APART_S) + 1
    for part in np.split(when, apart):
        if len(part) >= TOPS:
            start_s, end_s = float(part[0]), float(part[-1])
            strength = len(part) / TOPS
            yield Event(kind="clipped", start_s=start_s, end_s=end_s, strength=strength)
