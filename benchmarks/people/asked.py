"""Delivery that was asked for: planted rate, pitch and loudness, and acted emotions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.people.figures import Figure, decisions, estimates, numbered, share
from benchmarks.people.measured import judged
from benchmarks.people.sets import Rated
from blueprints import Blueprint
from trace_eval.estimate.resample import Resampler

#: What was planted -> its levels in rising order, and the measure that should order
#: them.
PLANTED = {
    "rate": (("slow", "medium", "fast"), "rate.wpm"),
    "pitch": (("low", "medium", "high"), "pitch.mean_hz"),
    "intensity": (("x-soft", "medium", "x-loud"), "loudness.integrated_lufs"),
}

#: What was planted -> how the low and the high level are asked for.
ASKS = {
    "rate": ("Say the next sentence slowly.", "Say the next sentence fast."),
    "pitch": (
        "Say the next sentence in a low-pitched voice.",
        "Say the next sentence in a high-pitched voice.",
    ),
    "intensity": ("Say the next sentence softly.", "Say the next sentence loudly."),
}

#: Emotion -> how it is asked for.
EMOTION_ASKS = {
    "anger": "Say the next sentence angrily.",
    "boredom": "Say the next sentence in a bored voice.",
    "disgust": "Say the next sentence with disgust.",
    "fear": "Say the next sentence fearfully, in a frightened voice.",
    "happiness": "Say the next sentence happily.",
    "sadness": "Say the next sentence sadly.",
}


@dataclass(frozen=True)
class Asked:
    """Two clips, a request, and which clip meets it better.

    ``verdict`` is 1 or -1 for that clip, else 0.
    """

    a: Rated
    b: Rated
    kind: str
    instruction: str
    verdict: int


def _planted(clips: Sequence[Rated]) -> Iterator[tuple[int, int, str, int]]:
    """Yield pairs of clips that differ in one thing alone.

    Each is two places, what differs, and by how many steps.
    """
    for i, j in combinations(range(len(clips)), 2):
        a, b = clips[i].facts, clips[j].facts
        differ = [name for name in PLANTED if a[name] != b[name]]
        if clips[i].group == clips[j].group and len(differ) == 1:
            (name,) = differ
            levels = PLANTED[name][0]
            yield i, j, name, levels.index(b[name]) - levels.index(a[name])


def planted_pairs(clips: Sequence[Rated], steps: int) -> Iterator[Asked]:
    """Yield pairs of one text and voice that differ by some steps in one thing.

    Either direction is asked for.
    """
    for i, j, name, rise in _planted(clips):
        for kind, (low, high) in ASKS.items() if abs(rise) == steps else ():
            for instruction, sign in ((low, 1), (high, -1)):
                right = sign * (1 if rise > 0 else -1) if kind == name else 0
                yield Asked(clips[i], clips[j], kind, instruction, right)


def emotion_pairs(clips: Sequence[Rated]) -> Iterator[Asked]:
    """Yield pairs of one speaker and text, with emotions that are asked for.

    A pair is the emotion and neutral speech, or two clips without the emotion.
    """
    for a, b in combinations(clips, 2):
        if a.group != b.group:
            continue
        shown = (a.facts["emotion"], b.facts["emotion"])
        for emotion, instruction in EMOTION_ASKS.items():
            if set(shown) == {emotion, "neutral"}:
                yield Asked(
                    a, b, emotion, instruction, 1 if shown[0] == emotion else -1
                )
            elif emotion not in shown:
                yield Asked(a, b, emotion, instruction, 0)


def ordered(clips: Sequence[Rated], numbers: Mapping[str, Any]) -> dict[str, Figure]:
    """Return the share of pairs that each measure orders as planted.

    Ties count one half.
    """
    results = {}
    for name, (_, measure) in PLANTED.items():
        rows, unit = [], []
        for i, j, differs, rise in _planted(clips):
            gap = numbers[measure][j] - numbers[measure][i]
            if differs == name and np.isfinite(gap):
                rows.append(0.5 + 0.5 * np.sign(gap) * np.sign(rise))
                unit.append(clips[i].unit)
        if rows:
            resampler = Resampler(numbered(unit))
            share(resampler, name, np.array(rows), np.arange(len(rows)))
            results |= estimates(resampler, {name: len(rows)})
    return results


def asked_figures(
    requested: Sequence[Asked], blueprints: Mapping[str, Blueprint]
) -> dict[str, dict[str, Any]]:
    """Kind of request -> figures of ``rules``."""
    results: dict[str, dict[str, Any]] = {}
    for kind in dict.fromkeys(one.kind for one in requested):
        own = [one for one in requested if one.kind == kind]
        said = [
            judged(
                blueprints[one.a.item],
                blueprints[one.b.item],
                "paralinguistics",
                one.instruction,
            )
            for one in own
        ]
        verdict = np.array([one.verdict for one in own])
        unit = numbered([one.a.unit for one in own])
        results |= {kind: decisions({"rules": np.array(said)}, verdict, unit)["rules"]}
    return results
