"""Sounds other than speech: hold music, typing, tones, ringing.

It is neither talk nor silence, and looked for where the detector hears nobody: what
stands out of the channel's softest moments, is loud enough beside its speech, and
lasts. Noise that an automatic gain raises in pauses is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trace_eval.conversations.sound.lanes import (
    BANDS,
    HOP_S,
    SILENT_DB,
    Lane,
    Levels,
    inside,
)
from trace_eval.conversations.spans import Spans, joined, runs


@dataclass(frozen=True)
class SoundRules:
    """Constants, dB and seconds."""

    above_db: float = 12.0  # above the softest moments
    softest: float = 0.1  # share of a channel that is taken for these
    below_db: float = 40.0  # softer than the channel's speech by more, nobody hears it
    least_db: float = -60.0  # the same on a channel without speech
    join_s: float = 0.5  # keys clatter with shorter pauses
    least_s: float = 0.5  # shorter sounds are knocks,
    beep_s: float = 0.08  # but for so long ones
    beeps: int = 3  # of which so many follow each other
    beeps_s: float = 1.5  # with shorter pauses
    busy: float = 0.15  # share of a stretch that stands out at least
    away_s: float = 0.2  # from speech, which sets in and rings out
    steady_db: float = 2.0  # noise varies by less,
    shape_db: float = 3.0  # and its bands are as those of the softest moments


SOUND_RULES = SoundRules()


def other_sounds(lane: Lane, speech: Sequence[Spans]) -> Spans:
    """Find where a lane has sound while nobody speaks, in seconds of the conversation.

    ``speech`` is that of all lanes: what is softer there may be an echo.
    """
    rules = SOUND_RULES
    times = lane.times(len(lane.levels), HOP_S)
    near: Spans = []
    for spans in speech:
        for start, end in spans:
            near.append((start - rules.away_s, end + rules.away_s))
    is_free = ~inside(joined(near), times)
    has_sound = lane.levels > SILENT_DB + 1
    if not (is_free & has_sound).any():
        return []
    floor = float(np.quantile(lane.levels[has_sound], rules.softest))
    if (~has_sound).mean() > rules.softest:  # the softest moments are digital silence
        floor = SILENT_DB
    least_audible = rules.least_db
    is_spoken = inside(lane.stretches, times)
    if is_spoken.any():
        level = float(np.quantile(lane.levels[is_spoken], 0.9))
        least_audible = level - rules.below_db
    line = max(floor + rules.above_db, least_audible)
    is_hot = is_free & (lane.levels > line)
    is_soft = has_sound & (lane.levels <= floor + 1.0)
    has_bands = lane.bands.shape == (len(BANDS), len(lane.levels))
    noise = None
    if has_bands and is_soft.any():
        noise = _spectrum(lane, np.flatnonzero(is_soft))
    hot_spans = [(first * HOP_S, last * HOP_S) for first, last in runs(is_hot)]
    sounds: Spans = []
    beeps: Spans = []
    for start, end in joined(hot_spans, rules.join_s):
        part = slice(round(start / HOP_S), round(end / HOP_S))
        length_s = end - start
        if length_s >= rules.least_s:
            is_busy = is_hot[part].mean() >= rules.busy
            if is_busy and not _is_noise(lane, part, noise):
                sounds.append((start, end))
        elif length_s >= rules.beep_s:
            beeps.append((start, end))
    sounds.extend(_in_series(beeps))
    sounds = joined(sounds)
    return [(lane.at(start), lane.at(end)) for start, end in sounds]


def _in_series(beeps: Spans) -> Spans:
    """Return the stretches in which short sounds follow each other."""
    rules = SOUND_RULES
    starts = [start for start, _ in beeps]
    series: Spans = []
    for start, end in joined(beeps, rules.beeps_s):
        within = sum(start <= at < end for at in starts)
        if within >= rules.beeps:
            series.append((start, end))
    return series


def _is_noise(lane: Lane, part: slice, noise: Levels | None) -> bool:
    """Tell whether a stretch is steady, with the spectrum of the softest moments."""
    levels = lane.levels[part]
    if noise is None or len(levels) < 3:
        return False
    hops = np.arange(len(levels))
    line = np.polyfit(hops, levels, 1)
    off_trend = levels - np.polyval(line, hops)
    if np.std(off_trend) > SOUND_RULES.steady_db:
        return False
    spectrum = _spectrum(lane, np.arange(part.start, part.stop))
    return bool(np.abs(spectrum - noise).max() < SOUND_RULES.shape_db)


def _spectrum(lane: Lane, hops: NDArray[np.int64]) -> Levels:
    """Return the level of each band beside that of all, in the median of hops, dB."""
    of_bands = np.median(lane.bands[:, hops], axis=1)
    of_all = np.median(lane.levels[hops])
    return np.asarray(of_bands - of_all)
