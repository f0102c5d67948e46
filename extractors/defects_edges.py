"""Edges that no voice makes: holes cut into speech, ends cut off, flat tops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from blueprints import Event
from extractors.audio import SPEECH_RATE, Clip, Samples
from extractors.contours import Floats
from extractors.defects_frames import Frames, decibels_of, runs
from extractors.signal import CLIP_STEP, flat_tops, peak

#: Frames of the envelope, seconds and samples at 16 kHz.
FINE_S = 0.002
FINE = round(FINE_S * SPEECH_RATE)

#: Quiet is so far under the level of speech; hardly any stop of a voice is so far under
#: it, dB.
QUIET_DB, NOTHING_DB = 30.0, 47.0

#: 12 ms of sound before a hole and behind it are at most so little under the level of
#: speech, dB.
SOUND_DB = 9.0

#: The last millisecond before a cut, and the first one behind it: the last pulse of a
#: voice decays before a stop closes, and a stop bursts before the voice is back, dB
#: under the level of speech.
BEFORE_DB, AFTER_DB, BOTH_DB = 10.0, 7.0, 10.0

#: Samples beside a cut are sound so little under the level of speech, dB.
_AUDIBLE_DB = 22.0

#: A hole between two cuts lasts so long, seconds.
HOLE_S = (0.016, 1.0)

#: Sound is near full level so little under the level of speech, dB. From there a voice
#: takes longer to fall silent at an end than this, seconds; a hole that is so much
#: deeper than speech falls and rises faster than this together, and each faster than
#: the last: codecs smear no cut for longer.
FULL_DB, END_FALL_S, BLUNT_DB, FALLS_S, CUT_S = 6.0, 0.014, 55.0, 0.024, 0.019

#: Digital silence is so much under the level of speech, dB, which no room is:
#: ``SOUND_DB`` and ``FALLS_S`` beside it, whose edges codecs smear.
DIGITAL_DB, DIGITAL = 80.0, (12.0, 0.036)

#: Formant synthesis closes all of its stops with zeros: where there are more than so
#: many holes that are almost as deep and fall and rise within this, seconds, it is the
#: voice that has them.
LIKE_DB, LIKE_FALLS_S, LIKE_HOLES = 45.0, 0.08, 2

#: What lies before a fall is sound, and no click, in so many of 12 frames, dB under
#: that level.
SOUNDS_DB, SOUNDS = 20.0, 5

#: A clip that begins or ends with 10 ms so little under the level of speech is cut
#: there, and so much over the quietest 5 %, dB. Recordings begin close before the first
#: stop's burst.
BEGIN_DB, EDGE_DB, OVER_FLOOR_DB = 12.0, 15.0, 12.0
_EDGE = 5

#: Flat tops that make a clipped stretch, and the longest gap between two, seconds.
TOPS, TOPS_APART_S = 12, 0.5


def cut_edges(frames: Frames) -> Iterator[Event]:
    """Find drop-outs, and abrupt beginnings and ends."""
    fine = _envelope(frames.wave)
    audible = fine[fine > fine.max() - 50]
    speech_db = float(np.percentile(audible, 80))
    yield from _holes(frames, fine, speech_db)
    floor = float(np.percentile(fine, 5)) + OVER_FLOOR_DB
    least_at_begin = max(speech_db - BEGIN_DB, floor)
    least_at_end = max(speech_db - EDGE_DB, floor)
    for kind, part, at_s, least in (
        ("abrupt_begin", fine[:_EDGE], 0.0, least_at_begin),
        ("abrupt_end", fine[-_EDGE:], frames.seconds, least_at_end),
    ):
        mean_power = (10 ** (part / 10)).mean()
        over = float(decibels_of(mean_power)) - least
        if over > 0:
            strength = 1 + over / EDGE_DB
            yield Event(kind=kind, start_s=at_s, end_s=at_s, strength=strength)


def _envelope(wave: Samples) -> Floats:
    """Return the level of each ``FINE_S``, dB."""
    count = len(wave) // FINE
    rows = wave[: count * FINE].reshape(count, FINE)
    return decibels_of(np.square(rows).mean(axis=1))


def _holes(frames: Frames, fine: Floats, speech_db: float) -> Iterator[Event]:
    """Find quiet between two cuts, and behind the last one."""
    blunt: list[Event] = []
    holes_like_stops = 0
    for start, end in runs(fine < speech_db - QUIET_DB):
        if start < 12 or (end - start) * FINE_S < HOLE_S[0]:
            continue
        depth = speech_db - float(np.median(fine[start + 2 : end - 2]))
        start_s = start * FINE_S
        hole = Event(
            kind="drop_out",
            start_s=start_s,
            end_s=end * FINE_S,
            strength=max(1, depth / NOTHING_DB),
        )
        fall_s = _since_full(fine[:start], speech_db)
        if end == len(fine):
            if fall_s < END_FALL_S and depth > NOTHING_DB:
                yield hole.model_copy(update={"kind": "abrupt_end", "end_s": start_s})
            continue
        if hole.seconds > HOLE_S[1]:
            continue
        first, last = start * FINE, end * FINE  # samples
        wave_before = frames.wave[max(0, first - 256) : first + 48]
        wave_behind = frames.wave[last - 48 : last + 256]
        left = _beside(wave_before, speech_db)
        right = _beside(wave_behind[::-1], speech_db)
        rise_s = _since_full(fine[: end - 1 : -1], speech_db)
        comes_back_at_once = right.edge > -AFTER_DB and rise_s < CUT_S
        has_sharp_edge = left.edge > -BEFORE_DB or comes_back_at_once
        is_sharp = depth > NOTHING_DB and has_sharp_edge
        if depth > DIGITAL_DB:
            sound_db, falls_s = DIGITAL
        else:
            sound_db, falls_s = SOUND_DB, FALLS_S
        has_sound_beside = min(left.level, right.level) >= -sound_db
        has_sharp_edges = left.edge + right.edge > -BOTH_DB
        if has_sound_beside and (is_sharp or has_sharp_edges):
            yield hole
            continue
        both_s = fall_s + rise_s
        if depth > LIKE_DB and both_s <= LIKE_FALLS_S:
            holes_like_stops += 1
        is_steep = both_s <= falls_s and max(fall_s, rise_s) < CUT_S
        if depth > BLUNT_DB and is_steep:
            blunt.append(hole)
    if holes_like_stops <= LIKE_HOLES:
        yield from blunt


def _since_full(fine: Floats, speech_db: float) -> float:
    """Return how long ago the sound was near full level, seconds.

    A click or nothing gives .12.
    """
    sounding = fine[-12:] >= speech_db - SOUNDS_DB
    if np.count_nonzero(sounding) < SOUNDS:
        return 0.12
    full = np.flatnonzero(fine[-60:] >= speech_db - FULL_DB)
    if not len(full):
        return 0.12
    frames_since = min(60, len(fine)) - 1 - int(full[-1])
    return FINE_S * frames_since


class _Side(NamedTuple):
    """What lies beside a hole, dB over the level of speech."""

    level: float  # of the 6 or 15 ms beside it, whichever is louder
    edge: float  # of the last 1 ms


def _beside(wave: Samples, speech_db: float) -> _Side:
    """Describe the sound before a hole that begins where this sound ends."""
    least_amplitude = 10 ** ((speech_db - _AUDIBLE_DB) / 20)
    audible = np.flatnonzero(np.abs(wave) > least_amplitude)
    if not len(audible) or audible[-1] < 100:
        return _Side(level=-np.inf, edge=-np.inf)
    power = np.square(wave[: audible[-1] + 1])
    last_1_ms = _mean_level(power[-16:], speech_db)
    last_6_ms = _mean_level(power[-96:], speech_db)
    last_15_ms = _mean_level(power[-240:], speech_db)
    return _Side(level=max(last_6_ms, last_15_ms), edge=last_1_ms)


def _mean_level(power: Floats, speech_db: float) -> float:
    """Return the level of some samples' power over that of speech, dB."""
    return float(decibels_of(power.mean())) - speech_db


def clipped(clip: Clip) -> Iterator[Event]:
    """Find stretches with flat tops, see :func:`extractors.signal.clipping_ratio`.

    Where a clip has them, two samples in a row at the same limit are one as well.
    """
    highest = peak(clip.samples)
    tops, limited = [], []
    for channel in clip.samples.T:
        for wave in (channel, -channel):
            starts, _ = flat_tops(wave, highest)
            tops.append(starts)
            if len(starts):
                is_limit = wave >= wave.max() - CLIP_STEP
                limited.append(np.flatnonzero(is_limit[1:] & is_limit[:-1]))
    tops_s = np.sort(np.concatenate(tops)) / clip.rate
    if len(tops_s) < TOPS:
        return
    limited_s = np.sort(np.concatenate(limited)) / clip.rate
    gaps = np.flatnonzero(np.diff(limited_s) > TOPS_APART_S)
    for stretch in np.split(limited_s, gaps + 1):
        start_s, end_s = stretch[0], stretch[-1]
        before = np.searchsorted(tops_s, start_s)
        until = np.searchsorted(tops_s, end_s, "right")
        count = int(until - before)
        if count >= TOPS:
            strength = count / TOPS
            yield Event(kind="clipped", start_s=start_s, end_s=end_s, strength=strength)
