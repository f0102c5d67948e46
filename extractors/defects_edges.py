"""Edges that no voice makes: holes cut into speech, ends cut off, clicks, flat tops."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from extractors.audio import SPEECH_RATE, Clip
from extractors.contours import Floats
from extractors.defects_frames import Defect, Frames, decibels_of, joined, runs
from extractors.signal import flat_tops, peak

#: Frames of the envelope, seconds and samples at 16 kHz.
FINE_S = 0.002
FINE = round(FINE_S * SPEECH_RATE)

#: What is so far under the level of speech is quiet, and in the middle of a hole so far, dB. Stops
#: of people and of neural voices keep some sound, or fade for 10 ms.
QUIET_DB, NOTHING_DB = 30.0, 47.0

#: 2 to 8 ms beside a cut, 12 ms of sound are so little under the level of speech, dB.
SOUND_DB = 9.0
_BESIDE_CUT, _SOUND = (1, 3), 6

#: A hole between two cuts lasts so long, seconds; what is longer is a pause.
HOLE_S = (0.016, 0.6)

#: A clip that begins or ends with 10 ms so little under the level of speech is cut there, dB.
EDGE_DB = 15.0
_EDGE = 5

#: A click stands so many times over all that lies beside it, and over the sharpest usual sound.
CLICK_TIMES, CLICK_SHARE = 5.0, 1.0
_CLICK, _BESIDE = 24, 320  # half widths in samples: 1.5 ms, and 20 ms

#: Clicks that are closer are a crackle, seconds.
CRACKLE_S = 0.5

#: Flat tops that make a clipped stretch, and the longest gap between two, seconds.
TOPS, TOPS_APART_S = 12, 0.5


def cut_edges(frames: Frames) -> Iterator[Defect]:
    """Drop-outs, and abrupt beginnings and ends."""
    count = len(frames.wave) // FINE
    fine = decibels_of(np.square(frames.wave[: count * FINE].reshape(count, FINE)).mean(axis=1))
    speech_db = float(np.percentile(fine[fine > fine.max() - 50], 80))
    yield from _holes(fine, speech_db)
    least = speech_db - EDGE_DB
    first, last = (_mean_db(part) for part in (fine[:_EDGE], fine[-_EDGE:]))
    if first > least:
        strength = 1 + (first - least) / EDGE_DB
        yield Defect(kind="abrupt_begin", start_s=0, end_s=0, strength=strength)
    if last > least:
        end = frames.seconds
        strength = 1 + (last - least) / EDGE_DB
        yield Defect(kind="abrupt_end", start_s=end, end_s=end, strength=strength)


def _holes(fine: Floats, speech_db: float) -> Iterator[Defect]:
    """Quiet between two cuts, and behind the last one."""
    least = speech_db - SOUND_DB
    for start, end in runs(fine < speech_db - QUIET_DB):
        if start < 12 or (end - start) * FINE_S < HOLE_S[0]:
            continue
        depth = speech_db - float(np.median(fine[start + 2 : end - 2]))
        before = max(_mean_db(fine[start - k - _SOUND : start - k]) for k in _BESIDE_CUT)
        if depth < NOTHING_DB or before < least:
            continue
        start_s, end_s, strength = start * FINE_S, end * FINE_S, depth / NOTHING_DB
        if end == len(fine):
            yield Defect(kind="abrupt_end", start_s=start_s, end_s=start_s, strength=strength)
        elif end_s - start_s <= HOLE_S[1] and end + 12 <= len(fine):
            after = max(_mean_db(fine[end + k : end + k + _SOUND]) for k in _BESIDE_CUT)
            if after >= least:
                yield Defect(kind="drop_out", start_s=start_s, end_s=end_s, strength=strength)


def _mean_db(levels: Floats) -> float:
    return float(decibels_of((10 ** (levels / 10)).mean()))


def clicks(frames: Frames) -> list[Defect]:
    """Impulses: they are over in 1.5 ms, and nothing beside them is nearly as sharp."""
    sharp = np.abs(np.diff(frames.wave, 2, prepend=0, append=0))
    count = len(sharp) // _CLICK
    if count < 4 * _BESIDE // _CLICK:
        return []
    blocks = sharp[: count * _CLICK].reshape(count, _CLICK).max(axis=1)
    usual = float(np.percentile(blocks, 98))
    results = []
    for block in np.flatnonzero(blocks > CLICK_SHARE * usual):
        at = int(block) * _CLICK + int(sharp[block * _CLICK : (block + 1) * _CLICK].argmax())
        left = sharp[max(0, at - _BESIDE) : max(0, at - _CLICK)]
        right = sharp[at + _CLICK : at + _BESIDE]
        beside = max(left.max(initial=0), right.max(initial=0), 0.05 * usual)
        times = float(sharp[at]) / max(beside, 1e-9)
        if times >= CLICK_TIMES:
            when = min(frames.seconds, at / SPEECH_RATE)
            results.append(
                Defect(kind="click", start_s=when, end_s=when, strength=times / CLICK_TIMES)
            )
    return joined(results, CRACKLE_S)


def clipped(clip: Clip) -> Iterator[Defect]:
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
            yield Defect(kind="clipped", start_s=start_s, end_s=end_s, strength=strength)
