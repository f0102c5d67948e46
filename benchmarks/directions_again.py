"""Whether a larger recogniser writes down the directions that tiny.en lost.

    python -m benchmarks.directions_again [--seed 3] [--most 60]

Answers of ``benchmarks.directions --others`` are rendered again in their voices and
heard by base: in turn one whose direction tiny.en lost, one that it kept, and one
without a direction. What was heard is stored after each, so that a run may be cut off.
"""

from __future__ import annotations

import random
import tempfile
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from benchmarks.directions import MadeAnswer
from benchmarks.directions_voices import OTHER_VOICES, render
from benchmarks.extract import filled
from benchmarks.report import arguments, save, stored, table
from blueprints import Transcript
from extractors.audio import decode
from extractors.registry import create
from trace_eval.data.measures.directions import read_aloud

TITLES = {
    "lost": "lost by tiny.en",
    "kept": "kept by tiny.en",
    "none": "nothing read aloud",
}


def main() -> None:
    """Render, hear by base, store and print."""
    options = arguments(__doc__, seed=3, most=60)
    made = [
        MadeAnswer(**each) for each in stored(f"directions_{options.seed}")["heard"]
    ]
    chance = random.Random(options.seed)
    voices = [chance.choice(OTHER_VOICES) for _ in made]
    parts = [create("signal"), create("faster-whisper:base")]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in _in_turn(made)[: options.most]:
            one, path = made[number], Path(folder) / "answer.wav"
            render(one.words, *voices[number], path=path)
            words = filled(decode(path), parts).transcript
            heard = words.text if isinstance(words, Transcript) else ""
            rows.append({"kind": kind_of(one), "request": one.request, "base": heard})
            save("directions_again", {"rows": rows})
    show(rows)


def _in_turn(made: list[MadeAnswer]) -> list[int]:
    """Return the places of answers of each kind in turn."""
    by_kind: dict[str, list[int]] = {kind: [] for kind in TITLES}
    for place, answer in enumerate(made):
        kind = kind_of(answer)
        if kind in by_kind:
            by_kind[kind].append(place)
    turns = chain.from_iterable(zip_longest(*by_kind.values()))
    return [place for place in turns if place is not None]


def kind_of(one: MadeAnswer) -> str:
    """Return whether tiny.en lost or kept a direction, or there is none."""
    if not one.aloud:
        return "none"
    return "kept" if read_aloud(one.request, one.heard) else "lost"


def show(rows: list[dict[str, Any]]) -> None:
    """Print what is found by base, of each kind."""
    lines: list[list[object]] = []
    for kind, title in TITLES.items():
        those = [row for row in rows if row["kind"] == kind]
        spoken = sum(bool(read_aloud(row["request"], row["base"])) for row in those)
        lines.append([title, f"{spoken} of {len(those)}"])
    print(f"found by base in {len(rows)} answers heard again")
    table("directions heard again by base", ["answers", "found by base"], lines)


if __name__ == "__main__":
    main()
