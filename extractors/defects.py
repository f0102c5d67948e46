"""Defects that a listener would name: where in the clip, and how strong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from blueprints import (
    Absent,
    Blueprint,
    Event,
    Extension,
    FiniteJson,
    Present,
    Signal,
    Status,
)
from blueprints.decimals import written_apart
from extractors.audio import Clip
from extractors.base import Extractor
from extractors.contours import swing_dbfs
from extractors.defects_clicks import clicks
from extractors.defects_edges import clipped, cut_edges
from extractors.defects_frames import KINDS, STEP_S, Frames, framed, joined, runs
from extractors.defects_pitch import jumps
from extractors.defects_repeats import held, loops
from extractors.defects_tones import hums

#: Shorter clips are all beginning and end, seconds.
MIN_SECONDS = 0.5

#: A clip without speech whose peak is under it is silence in place of an answer, dBFS.
SILENT_DBFS = -46.0

#: Pauses from so long on are named, seconds: three times the 1 s of a long one in
#: spontaneous speech, and as long as what :mod:`trace_eval.judges.rules` calls no
#: neutral delivery.
LONG_PAUSE_S = 3.0

#: Silence before or behind the speech is named from so long on, and from this share of
#: the clip.
SILENCE_S, SILENCE_SHARE = 2.0, 0.5

#: And where it is so far under the speech, dB.
SILENCE_DB = 35.0

#: A click beside digital silence has no end of strength.
MOST_STRENGTH = 100.0

#: Events of one kind that are so close are one, seconds.
JOINED_S = 0.3


@dataclass(frozen=True)
class DefectsExtractor(Extractor):
    """Defects that listeners would name, by kind and time: loops, drop-outs, clicks.

    Every threshold was chosen on planted defects and on clean speech, acted anger
    included, and measured on other voices: ``python -m benchmarks.defects``.
    """

    name: ClassVar[str] = "defects"
    group: ClassVar[str] = "defects"
    version: ClassVar[str] = "6"
    limits: ClassVar[str] = (
        "lossy codecs soften drop-outs and clicks, and bend flat tops away; closures of"
        " formant synthesis pass for drop-outs; words that are said again otherwise are"
        " no loop; a pitch that steps down from under 150 Hz passes for creak, and some"
        " creak for a jump. A clip that is cut inside a word ends abruptly, even where"
        " that was meant."
    )
    needs: ClassVar[tuple[str, ...]] = ("signal",)

    def extract(self, clip: Clip, blueprint: Blueprint) -> Present | Absent:
        """Find events; absent for clips under 0.5 s and for sound without speech."""
        signal = blueprint.signal
        if not isinstance(signal, Signal):
            return Absent(
                status=Status.FAILED, reason=f"needs group signal: {signal.reason}"
            )
        if clip.seconds < MIN_SECONDS:
            reason = (
                f"{written_apart(clip.seconds, [MIN_SECONDS], digits=3)} s, defects are"
                f" looked for from {MIN_SECONDS:g} s on"
            )
            return Absent(status=Status.TOO_SHORT, reason=reason)
        if not signal.speech:
            if swing_dbfs(clip.samples) >= SILENT_DBFS:
                reason = "there is sound but no speech, of which defects are known"
                return Absent(status=Status.NO_SPEECH, reason=reason)
            whole = Event(
                kind="silence",
                start_s=0,
                end_s=clip.seconds,
                strength=1 / SILENCE_SHARE,
            )
            return _group([whole])
        frames = framed(clip.speech)
        events = list(_sounds(clip, frames))
        events.extend(_quiet(frames, signal))
        return _group(events)


def _sounds(clip: Clip, frames: Frames) -> Iterator[Event]:
    drop_outs: list[Event] = []
    ends: list[Event] = []
    for edge in cut_edges(frames):
        if edge.kind == "drop_out":
            drop_outs.append(edge)
        else:
            ends.append(edge)
    yield from joined(drop_outs, JOINED_S)
    yield from ends
    yield from clicks(frames)
    yield from clipped(clip)
    stretched = joined(list(held(frames)), JOINED_S)
    yield from stretched
    # A held sound repeats itself, and has lines that stand still; a hum covers the
    # pitch.
    yield from _outside(joined(list(loops(frames)), JOINED_S), stretched)
    hum = list(_outside(hums(frames), stretched))
    yield from hum
    yield from _outside(jumps(frames), hum)


def _outside(events: list[Event], others: list[Event]) -> Iterator[Event]:
    """Yield those that do not share half of themselves with one of the others."""
    for event in events:
        if not any(_share_half(event, other) for other in others):
            yield event


def _share_half(one: Event, other: Event) -> bool:
    """Whether two events have half of the shorter one in common."""
    common_s = min(one.end_s, other.end_s) - max(one.start_s, other.start_s)
    return common_s >= 0.5 * min(one.seconds, other.seconds)


def _quiet(frames: Frames, signal: Signal) -> Iterator[Event]:
    for pause in signal.pauses:
        if pause.seconds >= LONG_PAUSE_S:
            start_s, end_s = _quiet_part(frames, pause.start_s, pause.end_s)
            strength = pause.seconds / LONG_PAUSE_S
            yield Event(
                kind="long_pause", start_s=start_s, end_s=end_s, strength=strength
            )
    before_speech = (0.0, signal.speech[0].start_s)
    behind_speech = (signal.speech[-1].end_s, signal.duration_s)
    for start_s, end_s in (before_speech, behind_speech):
        seconds = end_s - start_s
        share = seconds / signal.duration_s
        if seconds < SILENCE_S or share < SILENCE_SHARE:
            continue
        first = round(start_s / STEP_S) + 5
        last = round(end_s / STEP_S) - 5
        loudest_db = float(np.percentile(frames.level[first:last], 95))
        if loudest_db < frames.speech_db - SILENCE_DB:
            start_s, end_s = _quiet_part(frames, start_s, end_s)
            strength = share / SILENCE_SHARE
            yield Event(kind="silence", start_s=start_s, end_s=end_s, strength=strength)


def _quiet_part(frames: Frames, start_s: float, end_s: float) -> tuple[float, float]:
    """Find the longest quiet there and up to .3 s beside it.

    The detector hears words end late.
    """
    first = max(0, round((start_s - 0.3) / STEP_S))
    last = round((end_s + 0.3) / STEP_S)
    levels = frames.level[first:last]
    floor = float(np.percentile(levels, 50))
    is_quiet = levels < max(floor + 8, frames.speech_db - 36)

    def length(run: tuple[int, int]) -> int:
        start, end = run
        return end - start

    start, end = max(runs(is_quiet), key=length, default=(0, 0))
    if (end - start) * STEP_S < 0.8 * (end_s - start_s):
        return start_s, end_s
    begin_s = (first + start) * STEP_S
    return begin_s, min(frames.seconds, (first + end) * STEP_S)


def _group(events: list[Event]) -> Extension:
    """Make the group of events in order of time."""
    counts = Counter(event.kind for event in events)
    rows: list[FiniteJson] = []
    for event in sorted(events, key=lambda event: (event.start_s, event.kind)):
        row: FiniteJson = {
            "kind": event.kind,
            "start_s": round(event.start_s, 3),
            "end_s": round(event.end_s, 3),
            "strength": round(min(event.strength, MOST_STRENGTH), 2),
        }
        rows.append(row)
    return Extension(
        values={
            "events": rows,
            "count": len(events),
            "counts": {kind: counts[kind] for kind in KINDS},
        }
    )
