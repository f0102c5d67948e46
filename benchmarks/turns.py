"""Timing of conversations against what is known: logs, hand cases, rendered calls.

    python -m benchmarks.turns [--calls FOLDER]... [--people FOLDER]

Logs are those under TRACE_EVAL_DATA/conversation. FOLDER holds stereo recordings ``NAME.wav``
(channel 0 the user) and ``NAME.json`` with the true segments of ``user`` and ``agent`` and the
planted ``events``; without one, only logs and costs are measured. The second FOLDER holds ``audio``
and ``edges.csv``: hand-made turns of two people (clip, channel, start_s, end_s).
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr

from blueprints import GROUPS
from trace_eval.conversations.floor import speech_edges
from trace_eval.conversations.spans import joined
from trace_eval.data.conversation import Role
from trace_eval.extracting.start import extract
from trace_eval.options import ExtractOptions
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import time_turns
from trace_eval.turns.timed import Timed

#: Distance within which a measured event is the planted one, seconds.
NEAR_S = 0.4

#: A call that ends sooner after its last turn leaves open whether an answer was due, seconds.
NO_REPLY_S = 2.0

#: Largest errors, ms, by quantile: of calls in noise 20 dB below the speech, and of those in more.
ERRORS = {
    ("reply", 0.5): (15, 80),
    ("reply", 0.95): (60, 230),
    ("start", 0.95): (70, 130),
    ("end", 0.95): (70, 230),
}

#: Fewest found of what was planted: in that noise, with crosstalk, and in more noise.
FOUND = {
    "response": (0.97, 0.97, 0.85),
    "unanswered": (0.95, 0.95, 0.95),
    "agent_interruption": (0.85, 0.85, 0.75),
    "yield": (0.75, 0.55, 0.75),
    "backchannel": (0.7, 0.5, 0.7),
}


def main() -> int:
    """Print the acceptance table; the exit code says whether all of it holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=Path, action="append", default=[])
    parser.add_argument("--people", type=Path, help="dialogues with hand-made turns")
    parser.add_argument("--hour", action="store_true", help="also measure a call of an hour")
    args = parser.parse_args()
    rows = [*_logs()]
    for folder in args.calls:
        rows += _calls(folder)
    if args.people:
        rows += _people(args.people)
    if args.hour:
        rows += _hour()
    print(f"{'what':58} {'found':>12} {'wanted':>14}")
    for what, result, wanted, holds in rows:
        print(f"{what:58} {result:>12} {wanted:>14} {'' if holds else '  NO'}")
    return int(not all(row[3] for row in rows))


Row = tuple[str, str, str, bool]


def _logs() -> Iterator[Row]:
    folder = os.environ.get("TRACE_EVAL_DATA")
    if not folder:
        return
    data = Path(folder) / "conversation"
    tau2 = time_turns(data / "tau2" / "experiment", TurnsOptions(definitions="tau-voice/1.0"))
    wanted = json.loads((data / "tau2" / "expected_metrics.json").read_text())["both"]
    result = tau2.record()["figures"]
    for name, value in wanted.items():
        holds = result[name] == value if name == "counts" else abs(result[name] - value) < 1e-9
        shown, want = (
            ("equal",) * 2
            if name == "counts" and holds
            else (str(result[name])[:12], str(value)[:12])
        )
        yield f"tau-voice/1.0 {name}", shown, want, holds
    record = data / "eva" / "record_1.1.2"
    for name, mean, median in (
        ("eva/2026-08", 2.626, 3.738),
        ("trace-eval/2", 5.616, 4.122),
        ("tau-voice/1.0", 5.600, 4.1),
        ("fdb/1.5", 5.616, 4.122),
    ):
        (timed,) = time_turns(record, TurnsOptions(definitions=name)).conversations
        values = timed.measured.values["latency" if name.startswith("eva") else "response"]
        for what, got, want in (
            ("mean", float(np.mean(values)), mean),
            ("median", float(np.median(values)), median),
        ):
            yield f"{name} reply {what}, s", f"{got:.3f}", f"{want:.3f}", abs(got - want) < 1.1e-3


def _calls(folder: Path) -> Iterator[Row]:
    """Rendered calls: errors of edges and replies, and what was found of what was planted."""
    errors: dict[str, list[float]] = defaultdict(list)
    results: dict[str, list[bool]] = defaultdict(list)
    wrong = true = 0
    report = time_turns(folder, TurnsOptions(layout="stereo"))
    crosstalk = noisy = False
    for timed in report.conversations:
        truth = json.loads((folder / f"{timed.item.id}.json").read_text())
        crosstalk |= truth.get("crosstalk_db") is not None
        noisy |= (truth.get("snr_db") or 20.0) < 20.0
        for role in ("user", "agent"):
            spans = joined([tuple(span) for span in truth[role]], 0.3)
            mine = [s for _, turn in timed.item.conversation.turns_of(role) for s in turn.segments]
            wrong += _edges(spans, sorted(mine), errors)
            true += len(spans)
        _planted(truth, timed, errors, results)
    name = f"{folder.name}:"
    for (what, q), limits in ERRORS.items():
        ms, most = 1000 * float(np.quantile(np.abs(errors[what]), q)), limits[noisy]
        yield f"{name} error of {what}, quantile {q:g}, ms", f"{ms:.1f}", f"<= {most}", ms <= most
    share = wrong / true
    what = f"{name} segments invented or missed"
    yield what, f"{share:.4f}", "<= 0.005", share <= 0.005
    for kind, shares in FOUND.items():
        share, least = float(np.mean(results[kind])), shares[2 if noisy else crosstalk]
        shown = f"{sum(results[kind])}/{len(results[kind])}"
        yield f"{name} {kind} found of planted", shown, f">= {least:g}", share >= least
    for kind in ("unanswered at the end", "yield in a pause"):  # where the rules see none
        if results[kind]:
            shown = f"{sum(results[kind])}/{len(results[kind])}"
            yield f"{name} {kind}, found of planted", shown, "", True


#: Median, 95th percentile, and share within 0.1 s of gaps between people's turns; and the same
#: through a telephone, in noise, with crosstalk.
GAPS = (0.06, 0.3, 0.75)
WORSE = (0.09, np.inf, 0.0)

#: Kinds of events that wrong edges make.
FALSE = ("overlap", "agent_interruption", "yield", "no_yield", "backchannel")


def _people(folder: Path) -> Iterator[Row]:
    """Human dialogues under both definitions, and worse recordings of the same."""
    truth: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for row in csv.DictReader((folder / "edges.csv").open(newline="")):
        edges = float(row["start_s"]), float(row["end_s"])
        truth[row["clip"]].append((*edges, int(row["channel"])))
    for how, change in CHANGES.items():
        with tempfile.TemporaryDirectory() as made:
            for file in sorted((folder / "audio").glob("*.flac")):
                change(file, Path(made) / f"{file.stem}.wav")
            for name in ("trace-eval/1", "trace-eval/2"):
                report = time_turns(made, TurnsOptions(layout="stereo", definitions=name))
                calls = [(one, truth[one.item.id]) for one in report.conversations]
                errors = np.array([gap_error(one, sorted(turns), name) for one, turns in calls])
                results = np.median(errors), np.quantile(errors, 0.95), np.mean(errors <= 0.1)
                wanted = (GAPS if how == "clean" else WORSE) if name == "trace-eval/2" else None
                shown = "/".join(f"{value:.3f}" for value in results)
                holds = wanted is None or (
                    results[0] <= wanted[0] and results[1] <= wanted[1] and results[2] >= wanted[2]
                )
                limits = "" if wanted is None else f"<= {wanted[0]:g}"
                yield f"people, {how}, {name}: gap median/p95/share", shown, limits, holds
                kinds = [e.kind for one, _ in calls for e in one.measured.events]
                number = sum(kind in FALSE for kind in kinds)
                what, none = f"people, {how}, {name}: false events", not wanted or not number
                yield what, str(number), "0" if wanted else "", none


def gap_error(timed: Timed, truth: Sequence[tuple[float, float, int]], name: str) -> float:
    """How far the gap between the two turns of a dialogue is from the hand-made one, seconds."""
    call = (
        timed.item.conversation if name == "trace-eval/2" else speech_edges(timed.item.conversation)
    )
    turns = []
    for start, end, channel in truth:
        role: Role = "agent" if channel else "user"
        spans = [(one.start_s or 0.0, one.end_s or 0.0) for _, one in call.turns_of(role)]
        turns.append(max(spans, key=lambda s: min(s[1], end) - max(s[0], start), default=(0, 0)))
    return abs((turns[1][0] - turns[0][1]) - (truth[1][0] - truth[0][1]))


def _changed(how: str) -> Callable[[Path, Path], None]:
    """A recording of the same dialogue: as it is, through a telephone, in noise, with leaks."""

    def change(source: Path, target: Path) -> None:
        sound, rate = soundfile.read(source)
        rng, subtype = np.random.default_rng(3), "PCM_16"
        if how == "mu-law":
            sound, rate, subtype = soxr.resample(sound, rate, 8_000), 8_000, "ULAW"
        if how == "noise 20 dB":
            level = np.array([_spoken_rms(one, rate) for one in sound.T])
            sound = sound + 0.1 * level * rng.standard_normal(sound.shape)
        if how in LEAKS:
            late_s, db = LEAKS[how]
            late = round(late_s * rate)
            leaked = 10 ** (db / 20) * sound[:-late, ::-1]
            sound = sound.copy()
            sound[late:] += leaked
        soundfile.write(target, sound / max(1.0, np.abs(sound).max()), rate, subtype=subtype)

    return change


def _spoken_rms(sound: Any, rate: int) -> float:
    """Root mean square of the frames of 10 ms within 30 dB of the loudest."""
    size = rate // 100
    power = np.square(sound[: len(sound) // size * size].reshape(-1, size)).mean(axis=1)
    return float(np.sqrt(power[power > power.max() / 1_000].mean()))


#: Delay, seconds, and strength, dB, of the other's voice.
LEAKS = {"crosstalk -30 dB": (0.03, -30.0), "echo -25 dB": (0.06, -25.0)}
CHANGES = {how: _changed(how) for how in ("clean", "mu-law", "noise 20 dB", *LEAKS)}


def _edges(
    true: Sequence[tuple[float, float]],
    mine: Sequence[tuple[float, float]],
    errors: dict[str, list[float]],
) -> int:
    """Add the errors of matched segments; how many were missed or invented."""
    used: set[int] = set()
    missed = 0
    for start, end in true:
        over = [n for n, (a, b) in enumerate(mine) if min(end, b) - max(start, a) > 0.02]
        used.update(over)
        if not over:
            missed += 1
            continue
        for what, error in (("start", mine[over[0]][0] - start), ("end", mine[over[-1]][1] - end)):
            if abs(error) <= NEAR_S:
                errors[what].append(error)
    return missed + len(mine) - len(used)


def _planted(
    truth: dict[str, Any],
    timed: Timed,
    errors: dict[str, list[float]],
    results: dict[str, list[bool]],
) -> None:
    measured = timed.measured.events

    def near(kinds: Sequence[str], at_s: float, end: bool = False) -> Any:
        best = [e for e in measured if e.kind in kinds]
        best.sort(key=lambda e: abs((e.end_s if end else e.start_s) - at_s))
        close = best and abs((best[0].end_s if end else best[0].start_s) - at_s) <= NEAR_S
        return best[0] if close else None

    for event in truth["events"]:
        kind = event["kind"]
        if kind in ("plain", "pause", "backchannel"):
            reply = near(["response"], event["agent_start_s"], end=True)
            results["response"].append(reply is not None)
            if reply is not None:
                errors["reply"].append(reply.value_s - event["gap_s"])
        if kind == "unanswered" and truth["seconds"] - event["user_end_s"] < NO_REPLY_S:
            results["unanswered at the end"].append(False)
        elif kind == "unanswered":
            hit = near(["no_response", "missed_turn"], event["user_end_s"])
            results["unanswered"].append(hit is not None)
        if kind == "agent_interrupts":
            hit = near(["agent_interruption"], event["agent_start_s"])
            results["agent_interruption"].append(hit is not None)
        if "barge_s" in event:
            speaks = any(a < event["barge_s"] < b for a, b in joined(truth["agent"], 0.3))
            name = "yield" if speaks else "yield in a pause"
            results[name].append(near(["yield"], event["barge_s"]) is not None)
        if "backchannel_s" in event:
            hit = near(["backchannel"], event["backchannel_s"][0])
            results["backchannel"].append(hit is not None)


def _hour() -> Iterator[Row]:
    """A stereo call of an hour at 16 kHz beside a clip: processor time and memory."""
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "clip.wav"
        soundfile.write(clip, 0.15 * rng.standard_normal(30 * 16_000), 16_000)
        others = dict.fromkeys(GROUPS.keys() - {"signal"}, "none")
        options = ExtractOptions(cache=Path(folder), workers=0, overrides=others)
        extract([clip], replace(options, cache=Path(folder) / "warm"))
        started = time.process_time()
        extract([clip], options)
        spent = time.process_time() - started
        mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        yield "a clip of 30 s, CPU s per second of audio", f"{spent / 30:.4f}", "", True
        yield "a clip of 30 s, peak MB of the process", f"{mb:.0f}", "", True
        path = Path(folder) / "hour.wav"
        with soundfile.SoundFile(path, "w", 16_000, 2, subtype="PCM_16") as file:
            for minute in range(60):
                part = 0.003 * rng.standard_normal((960_000, 2))
                part[:480_000, minute % 2] *= 50
                file.write(part)
        started = time.process_time()
        time_turns(path)
        seconds = time.process_time() - started
    after = resource.getrusage(resource.RUSAGE_SELF)
    per = f"{seconds / 3600:.4f}"
    yield "an hour of stereo, CPU s per second of audio", per, "<= 0.0111", seconds <= 40
    yield "an hour of stereo, CPU s", f"{seconds:.1f}", "<= 40", seconds <= 40
    mb = after.ru_maxrss / 1024
    yield "an hour of stereo, peak MB of the process", f"{mb:.0f}", "<= 400", mb <= 400


if __name__ == "__main__":
    sys.exit(main())
