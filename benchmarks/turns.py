"""Gaps between turns of human dialogues beside hand-made edges, and their cost.

    TRACE_EVAL_DATA=... python -m benchmarks.turns [--hour] [--mono]

The dialogues of ``python -m benchmarks.people`` are measured as they are, and through a
telephone, in noise, with crosstalk and an echo.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from benchmarks.fault_calls import heard_in, leaking
from benchmarks.people.sets import Folder, read_sets
from benchmarks.report import arguments, data_folder, people_folder, table, timed
from benchmarks.watch import peak_mb
from extractors import decode
from trace_eval.conversations.floor import speech_edges
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.data.conversation import Role
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import time_turns
from trace_eval.turns.timed import Timed

#: Kinds of events that wrong edges make.
FALSE = ("overlap", "agent_interruption", "yield", "no_yield", "backchannel")

#: Median, 95th percentile and share within 0.1 s that a dialogue as it is must reach.
GAPS = (0.06, 0.15, 0.75)

#: Median of the gaps in worse recordings, seconds, at most.
WORSE_S = 0.09

#: CPU seconds and MB of a call of an hour, at most: with a channel of each, and in one.
HOUR, HOUR_MONO = (40.0, 400.0), (60.0, 600.0)

#: Length of a call that is repeated for an hour in one channel, seconds.
_PART_S = 45


def main() -> None:
    """Measure and print; exit 1 when a limit is missed."""
    args = arguments(
        __doc__,
        hour=(False, "also measure a call of an hour"),
        mono=(False, "measure an hour in one channel alone, by itself for its memory"),
    )
    if args.mono:
        _limited("an hour in one channel", hour_mono(), HOUR_MONO)
        return
    (folder,) = (one for one in read_sets(people_folder()) if one.name == "turns")
    if folder.missing:
        sys.exit(f"turns: {folder.missing}")
    rows = [gaps(folder, "clean", "trace-eval/1")]
    rows += [gaps(folder, how, "trace-eval/2") for how in RECORDINGS]
    header = [
        "recording",
        "definitions",
        "median, s",
        "95th percentile",
        "within .1 s",
        "false",
    ]
    table("error of the gap between two turns", header, rows)
    median, p95, share, _ = rows[1][2:]
    missed = [row[0] for row in rows[2:] if row[2] > WORSE_S]
    missed += [f"{row[0]}: false events" for row in rows[1:] if row[5]]
    if median > GAPS[0] or p95 > GAPS[1] or share < GAPS[2]:
        missed.append("clean")
    if args.hour:
        _limited("a stereo call of an hour", hour(), HOUR)
    if missed:
        sys.exit(f"limits are missed: {', '.join(missed)}")


def _limited(title: str, measured: list[list[Any]], limits: Sequence[float]) -> None:
    """Print what was measured; exit 1 where it is over a limit."""
    table(title, ["what", "value"], measured)
    over = [
        what
        for (what, value), most in zip(measured, limits, strict=True)
        if value > most
    ]
    if over:
        sys.exit(f"limits are missed: {', '.join(over)}")


def _crossed(sound: Any, rate: int, late_s: float, gain_db: float) -> tuple[Any, int]:
    """Each voice leaks into the other channel."""
    late = round(late_s * rate)
    sides = [leaking(sound, late, voice, gain_db)[:, 1 - voice] for voice in (1, 0)]
    return np.stack(sides, axis=1), rate


#: How the same dialogue may have been recorded: (samples, rate) from (samples, rate,
#: rng).
RECORDINGS: dict[str, Callable[[Any, int, np.random.Generator], tuple[Any, int]]] = {
    "clean": lambda sound, rate, rng: (sound, rate),
    "8 kHz mu-law": lambda *call: heard_in("telephone", *call),
    "noise 20 dB below": lambda *call: heard_in("noise", *call),
    "crosstalk of -30 dB": lambda sound, rate, rng: _crossed(sound, rate, 0.03, -30.0),
    "an echo of -25 dB": lambda sound, rate, rng: _crossed(sound, rate, 0.06, -25.0),
}


def gaps(folder: Folder, how: str, definitions: str) -> list[Any]:
    """Errors of the gaps of all dialogues, and events that are not there."""
    truth: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    audio = {edge.clip: edge.audio for edge in folder.edges}
    for edge in folder.edges:
        truth[edge.clip].append((edge.start_s, edge.end_s, edge.channel))
    with tempfile.TemporaryDirectory() as made:
        for clip, path in audio.items():
            sound, rate = soundfile.read(path)
            sound, rate = RECORDINGS[how](sound, rate, np.random.default_rng(3))
            peak = max(1.0, np.abs(sound).max())
            soundfile.write(Path(made) / f"{clip}.wav", sound / peak, rate)
        options = TurnsOptions(layout="stereo", definitions=definitions)
        calls = time_turns(made, options).conversations
    errors = np.array(
        [gap_error(one, sorted(truth[one.item.id]), definitions) for one in calls]
    )
    false = sum(event.kind in FALSE for one in calls for event in one.measured.events)
    figures = (np.median(errors), np.quantile(errors, 0.95), np.mean(errors <= 0.1))
    return [how, definitions, *map(float, figures), false]


def gap_error(
    timed: Timed, truth: Sequence[tuple[float, float, int]], name: str
) -> float:
    """Return how far a dialogue's gap is from the hand-made one, in seconds."""
    call = (
        timed.item.conversation
        if name == "trace-eval/2"
        else speech_edges(timed.item.conversation)
    )
    turns = []
    for start, end, channel in truth:
        role: Role = "agent" if channel else "user"
        spans = [
            (one.start_s or 0.0, one.end_s or 0.0) for _, one in call.turns_of(role)
        ]
        turns.append(
            max(spans, key=lambda s: min(s[1], end) - max(s[0], start), default=(0, 0))
        )
    return abs((turns[1][0] - turns[0][1]) - (truth[1][0] - truth[0][1]))


def hour() -> list[list[Any]]:
    """Processor time and memory of a stereo call of an hour at 16 kHz."""
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hour.wav"
        with soundfile.SoundFile(path, "w", 16_000, 2, subtype="PCM_16") as file:
            for minute in range(60):
                part = 0.003 * rng.standard_normal((960_000, 2))
                part[:480_000, minute % 2] *= 50
                file.write(part)
        _, seconds = timed(lambda: time_turns(path))
    return [
        [f"the call, CPU s (at most {HOUR[0]:g})", seconds],
        [f"the call, peak MB of the process (at most {HOUR[1]:g})", peak_mb()],
    ]


def hour_mono() -> list[list[Any]]:
    """Processor time and memory of an hour in which two voices share a channel."""
    with tempfile.TemporaryDirectory() as folder:
        voices = [sorted((data_folder() / "people" / "emotion" / "audio").glob(f"{who}*"))
                  for who in ("03", "08")]  # fmt: skip
        sound = np.zeros(_PART_S * 16_000)
        at, turn = 8_000, 0
        while at < len(sound) - 80_000:
            part = decode(voices[turn % 2][turn]).speech
            sound[at : at + len(part)] += 0.3 * part
            at, turn = at + len(part) + 8_000, turn + 1
        path = Path(folder) / "hour.wav"
        with soundfile.SoundFile(path, "w", 16_000, 1, subtype="PCM_16") as file:
            for _ in range(3_600 // _PART_S):
                file.write(sound)
        options = TurnsOptions(layout="mono", read=ReadOptions(agent_channel="greets"))
        _, seconds = timed(lambda: time_turns(path, options))
    return [
        [f"the call, CPU s (at most {HOUR_MONO[0]:g})", seconds],
        [f"the call, peak MB of the process (at most {HOUR_MONO[1]:g})", peak_mb()],
    ]


if __name__ == "__main__":
    main()
