"""Planted defects and clean speech: what ``defects`` finds, where, and what it costs.

    python -m benchmarks.defects [--clips 100] [--seed 1]

Needs TRACE_EVAL_DATA, espeak-ng and flite. Of the seventeen voices of
``defects_voices`` every second one was used to choose thresholds; the figures are of
the others, with other places and strengths. Four thresholds were last moved by counts
of the others at seed 5. An event is right where it overlaps what was planted, within .1
s; every other event of its kind, in clips of whichever kind and in clips without a
defect, is wrong. Only where another kind was planted an event is neither: a cut may
click, and clipping may begin with a cut. They are counted beside it.

A clean clip that a file's end cuts at full level ends abruptly, and that is no false
alarm: where all files of a folder last exactly as long, and the last 10 ms are within
15 dB of the level of speech. The shares are given with and without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from benchmarks.defects_planted import KINDS, planted
from benchmarks.defects_voices import coded, held_out
from benchmarks.report import arguments, data_folder, save, table_of, timed
from blueprints import Absent, Blueprint
from extractors.audio import Clip, decode
from extractors.defects import DefectsExtractor
from extractors.signal import SignalExtractor

#: Overlap is asked for within so many seconds, and both ends are right within them.
WITHIN_S = 0.1

Event = dict[str, Any]


class Measured:
    """Events of clips, and the processor time that they took."""

    def __init__(self) -> None:
        self.cpu_s = self.sound_s = 0.0

    def events(self, clip: Clip) -> list[Event]:
        """Return what is found in a clip."""
        signal = SignalExtractor().extract(clip, Blueprint(clip="clip"))
        known = Blueprint(clip="clip", signal=signal)
        group, seconds = timed(lambda: DefectsExtractor().extract(clip, known))
        self.cpu_s += seconds
        self.sound_s += clip.seconds
        return (
            [] if isinstance(group, Absent) else group.model_dump()["values"]["events"]
        )


def found(
    clips: int, seed: int, data: Path, measured: Measured
) -> dict[str, dict[str, Any]]:
    """Kind -> recall, precision, errors of spans."""
    own_voices = held_out(data)
    wrong: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    errors: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    for kind in (None, *KINDS):
        for one in planted(kind, own_voices, clips, seed):
            samples, rate = coded(one.samples, one.rate, one.codec)
            first, last = one.start - WITHIN_S, one.end + WITHIN_S
            own = []
            for event in measured.events(
                Clip(samples.astype(np.float32)[:, None], rate)
            ):
                overlaps = event["end_s"] >= first and event["start_s"] <= last
                if event["kind"] == kind and overlaps:
                    own.append(event)
                else:
                    counter = beside if kind and overlaps else wrong
                    counter[event["kind"]] += 1
            if own and kind:
                best = max(own, key=lambda event: event["strength"])
                errors[kind].append(
                    (abs(best["start_s"] - one.start), abs(best["end_s"] - one.end))
                )
    results: dict[str, dict[str, Any]] = {}
    for kind, pairs in errors.items():
        hits = len(pairs)
        near = [max(pair) <= WITHIN_S for pair in pairs] or [False]
        results[kind] = {
            "clips": clips,
            "recall": round(hits / clips, 3),
            "precision": round(hits / max(1, hits + wrong[kind]), 3),
            "wrong": wrong[kind],
            "at another defect": beside[kind],
            "median error, s": round(float(np.median(pairs or [(0.0, 0.0)])), 3),
            "spans within .1 s": round(float(np.mean(near)), 3),
        }
    return results


def clean(data: Path, measured: Measured) -> Iterator[tuple[str, dict[str, Any]]]:
    """Folder -> how many clips are without an event."""
    for name in ("people/emotion", "people/delivery", "people/codecs", "prompts"):
        paths = sorted(
            path
            for path in (data / name).rglob("*")
            if path.suffix in (".wav", ".flac", ".mp3")
        )
        kinds: list[set[str]] = []
        for path in paths:
            events = measured.events(decode(path))
            kinds.append({event["kind"] for event in events})
        yield (
            name,
            {
                "clips": len(paths),
                "without an event": round(kinds.count(set()) / len(paths), 3),
                "without one but an abrupt end": round(
                    sum(not own - {"abrupt_end"} for own in kinds) / len(paths), 3
                ),
                "exactly 2 s long": sum(
                    soundfile.info(path).duration == 2 for path in paths
                ),
            },
        )


def main() -> None:
    """Plant defects, measure them, print and save the counts."""
    args = arguments(__doc__, clips=(100, "of each kind"), seed=1)
    data, measured = data_folder(), Measured()
    kinds = found(args.clips, args.seed, data, measured)
    table_of("planted", "kind", kinds)
    folders = dict(clean(data, measured))
    table_of("clean", "clean", folders)
    cost = measured.cpu_s / measured.sound_s
    print(f"\n{cost:.4f} CPU s per s of sound")
    figures = {"planted": kinds, "clean": folders, "cpu_s_per_s": round(cost, 4)}
    save("defects", {"seed": args.seed, **figures})


if __name__ == "__main__":
    main()
