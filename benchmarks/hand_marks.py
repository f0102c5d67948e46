"""Speech of recorded calls, marked by hand: strips to mark, and comparisons.

    python -m benchmarks.hand_marks draw RECORDS --out FOLDER [--seconds 5]
    python -m benchmarks.hand_marks compare READER1.csv READER2.csv --records RECORDS [--save]
    python -m benchmarks.hand_marks stored --records RECORDS

The marks of ``results/hand_marks.json`` are of three calls between a live agent and a
simulated caller, each read twice. Of a pause of .5 to .7 s that one has and the other
has not, no edge is compared: it is counted.

A strip shows waveform, spectrogram and level of each channel on one time axis. Marks
are rows of ``record,channel,start,end``: every stretch of speech of one channel in
which nobody is silent for half a second. Readers mark without having seen what the
product says, or each other's marks.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile

from benchmarks.report import save, stored, table
from trace_eval.conversations.spans import Spans, joined
from trace_eval.data.conversation import ROLES, Role
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import time_turns

#: Silence within a stretch that is marked as one, seconds.
JOIN_S = 0.5

#: A longer pause that one of two has and the other has not is an error of two edges,
#: seconds.
_BRIDGED_S = 0.7

#: What the edges of the product must reach against each reader: median and 95th
#: percentile.
EDGES = (0.06, 0.3)

#: A stretch of the product shorter than this share inside marks is an invented one.
_INSIDE = 0.2

#: Seconds of a strip that the next one repeats.
_AGAIN_S = 0.25

#: Names of the recordings of a record folder.
_FILES = {"user": "audio_user.wav", "agent": "audio_assistant.wav"}

#: What the stored marks are, and how they were made.
_HOW = (
    "Stretches of speech in three recorded calls of a live agent and a simulated caller"
    " (Hindi and English), to .05 s, by two readers of waveform, spectrogram and level"
    " (the strips of this script), each without the other's marks, the log or a"
    " program's output. Silence of half a second inside ends a stretch."
)
_COLUMNS = ("record", "role", "start", "end")

Marks = dict[str, dict[Role, Spans]]


class Compared(NamedTuple):
    """Two lists of spans compared: edge distances of matches, and the unmatched."""

    starts: list[float]
    ends: list[float]
    lost: Spans  # of the first list, without a counterpart
    invented: Spans  # of the second list
    bridged: int  # pauses of .5 to .7 s that one of both has


def main() -> None:
    """Draw strips, or compare marks; exit 1 where the product misses its limits."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="draw strips of records")
    drawing.add_argument("records", type=Path, nargs="+")
    drawing.add_argument("--out", type=Path, required=True)
    drawing.add_argument("--seconds", type=float, default=5.0)
    comparing = commands.add_parser(
        "compare", help="compare two readers and the product"
    )
    comparing.add_argument("marks", type=Path, nargs=2)
    comparing.add_argument("--records", type=Path, required=True)
    comparing.add_argument(
        "--save", action="store_true", help="store the marks as results"
    )
    again = commands.add_parser("stored", help="compare the marks that are stored")
    again.add_argument("--records", type=Path, required=True)
    args = parser.parse_args()
    if args.command == "draw":
        for record in args.records:
            draw(record, args.out, args.seconds)
        return
    if args.command == "stored":
        one, other = (marks_of(rows) for rows in stored("hand_marks")["readers"])
    else:
        readers = [read_rows(path) for path in args.marks]
        one, other = (marks_of(rows) for rows in readers)
        if args.save:
            save(
                "hand_marks",
                {"how": _HOW, "columns": list(_COLUMNS), "readers": readers},
            )
    if not report(one, other, product_marks(args.records, sorted({*one, *other}))):
        sys.exit("limits are missed")


def draw(record: Path, out: Path, seconds: float) -> None:
    """Draw the strips of a record folder as ``RECORD-0000.0.png``.

    The number is a strip's first second.
    """
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    out.mkdir(parents=True, exist_ok=True)
    sounds = {role: soundfile.read(record / name) for role, name in _FILES.items()}
    end_s = max(len(sound) / rate for sound, rate in sounds.values())
    for first in np.arange(0.0, end_s, seconds):
        last = first + seconds + _AGAIN_S
        figure, axes = pyplot.subplots(6, 1, figsize=(19, 13), sharex=True)
        for row, (role, (sound, rate)) in zip((0, 3), sounds.items(), strict=True):
            _draw_channel(axes[row : row + 3], (sound, rate), (first, last), role)
        axes[-1].set_xlim(first, last)
        axes[-1].set_xticks(np.arange(first, last + 1e-6, 0.25))
        axes[-1].set_xticks(np.arange(first, last + 1e-6, 0.05), minor=True)
        axes[-1].set_xlabel("seconds of the recording")
        figure.suptitle(f"{record.name}: {first:.2f} to {last:.2f} s", y=0.995)
        figure.tight_layout()
        figure.savefig(out / f"{record.name}-{first:06.1f}.png", dpi=80)
        pyplot.close(figure)


def _draw_channel(
    axes: Sequence[Any], sound: tuple[Any, int], window: tuple[float, float], role: str
) -> None:
    samples, rate = sound
    first, last = window
    part = samples[int(first * rate) : int(last * rate)]
    times = first + np.arange(len(part)) / rate
    wave, spectrum, level = axes
    wave.plot(times, part, linewidth=0.5)
    wave.set_ylim(-1.05 * np.abs(samples).max(), 1.05 * np.abs(samples).max())
    wave.set_ylabel(f"{role}\nwaveform")
    if len(part) > rate // 10:
        padded = part + 1e-6 * np.random.default_rng(0).standard_normal(len(part))
        spectrum.specgram(
            padded,
            NFFT=512,
            Fs=rate,
            noverlap=448,
            xextent=(first, times[-1]),
            vmin=-140,
            vmax=-50,
        )
    spectrum.set_ylabel(f"{role}\nHz")
    spectrum.set_ylim(0, 6_000)
    hop = rate // 100
    frames = np.square(part[: len(part) // hop * hop]).reshape(-1, hop).mean(axis=1)
    level.plot(
        first + 0.01 * np.arange(len(frames)),
        10 * np.log10(frames + 1e-10),
        linewidth=1,
    )
    level.set_ylim(-95, 0)
    level.set_ylabel(f"{role}\nlevel, dB")
    for axis in axes:
        axis.grid(
            visible=True,
            which="major",
            axis="x",
            linewidth=0.8,
            color="black",
            alpha=0.5,
        )
        axis.grid(
            visible=True,
            which="minor",
            axis="x",
            linewidth=0.4,
            color="gray",
            alpha=0.5,
        )
        axis.tick_params(labelbottom=True)


def read_rows(path: Path) -> list[list[Any]]:
    """Read the marks of a reader: record, role, start and end of each stretch."""
    rows: list[list[Any]] = []
    with path.open(newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            role = {"assistant": "agent"}.get(row["channel"], row["channel"])
            start, end = float(row["start"]), float(row["end"])
            if role not in ROLES or end <= start:
                sys.exit(f"{path}, line {number}: no stretch of user or agent ({row})")
            rows.append([row["record"], role, start, end])
    return rows


def marks_of(rows: Sequence[Sequence[Any]]) -> Marks:
    """Group the marks of a reader; stretches with gaps under half a second are one."""
    spans: dict[str, dict[Role, Spans]] = defaultdict(
        lambda: {role: [] for role in ROLES}
    )
    for record, role, start, end in rows:
        spans[record][role].append((start, end))
    marks: Marks = {}
    for record, sides in spans.items():
        marks[record] = {role: joined(sides[role], JOIN_S) for role in ROLES}
    return marks


def product_marks(records: Path, names: Sequence[str]) -> Marks:
    """Return what the product hears in records, in the same form."""
    marks: Marks = {}
    for name in names:
        (timed,) = time_turns(
            records / name, TurnsOptions(layout="two_files")
        ).conversations
        call = timed.item.conversation
        marks[name] = {}
        for role in ROLES:
            turns = [turn for _, turn in call.turns_of(role)]
            spans = [span for turn in turns for span in turn.stretches]
            marks[name][role] = joined(spans, JOIN_S)
    return marks


def compared(first: Spans, second: Spans) -> Compared:
    """Compare stretches that overlap one to one, the longest overlaps first."""
    parts = len(first) + len(second)
    first, second = _bridged(first, second), _bridged(second, first)
    bridged = parts - len(first) - len(second)
    overlaps = sorted(
        (
            (min(a[1], b[1]) - max(a[0], b[0]), i, j)
            for i, a in enumerate(first)
            for j, b in enumerate(second)
        ),
        reverse=True,
    )
    pairs: dict[int, int] = {}
    for seconds, i, j in overlaps:
        if seconds > 0 and i not in pairs and j not in pairs.values():
            pairs[i] = j
    return Compared(
        [abs(first[i][0] - second[j][0]) for i, j in pairs.items()],
        [abs(first[i][1] - second[j][1]) for i, j in pairs.items()],
        [span for i, span in enumerate(first) if i not in pairs],
        [span for j, span in enumerate(second) if _outside(first, span)],
        bridged,
    )


def _bridged(spans: Spans, other: Spans) -> Spans:
    """Join stretches over the short pauses through which the other list has speech."""
    result: Spans = []
    for start, end in spans:
        before = result[-1][1] if result else -np.inf
        through = any(a < before and start < b for a, b in other)
        if through and start - before < _BRIDGED_S:
            result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
    return result


def _outside(marks: Spans, span: tuple[float, float]) -> bool:
    inside = sum(max(0.0, min(b, span[1]) - max(a, span[0])) for a, b in marks)
    return inside < _INSIDE * (span[1] - span[0])


def report(one: Marks, other: Marks, product: Marks) -> bool:
    """Print how far the three marks differ; return if the product is near enough."""
    rows, good = [], True
    sides: Mapping[str, tuple[Marks, Marks]] = {
        "reader 1 and reader 2": (one, other),
        "the product against reader 1": (one, product),
        "the product against reader 2": (other, product),
    }
    for name, (first, second) in sides.items():
        each = [*_each(first, second)]
        starts = np.array([at for both in each for at in both.starts])
        ends = np.array([at for both in each for at in both.ends])
        edges = np.concatenate((starts, ends))
        invented = sum(len(both.invented) for both in each)
        lost = sum(len(both.lost) for both in each)
        median, p95 = (float(np.quantile(edges, q)) for q in (0.5, 0.95))
        halves = [float(np.median(half)) for half in (starts, ends)]
        bridged = sum(both.bridged for both in each)
        rows.append([name, len(starts), median, p95, *halves, lost, invented, bridged])
        if second is product:
            good &= median <= EDGES[0] and p95 <= EDGES[1] and not invented
    columns = (
        "edges, median s",
        "p95",
        "starts",
        "ends",
        "lost",
        "invented",
        "pauses of one",
    )
    table("speech of recorded calls by hand", ["who", "stretches", *columns], rows)
    return good


def _each(first: Marks, second: Marks) -> Iterator[Compared]:
    for record in first:
        for role in ROLES:
            empty: dict[Role, Spans] = {one: [] for one in ROLES}
            yield compared(first[record][role], second.get(record, empty)[role])


if __name__ == "__main__":
    main()
