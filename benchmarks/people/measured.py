"""What the tool says of the clips: blueprint numbers, and verdicts of rules."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.people.figures import Pairs
from benchmarks.people.sets import Folder, Rated
from benchmarks.report import options_of, people_folder
from blueprints import Blueprint, Quality, UserError
from blueprints.blueprint import flat
from tests.support import cases
from trace_eval.data.tables import records
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract
from trace_eval.judges.beside.steps import CLIPPING
from trace_eval.judges.beside.voice import lead_of, numbers_at

Array = NDArray[np.float64]

#: Columns of a blueprint that are no measure of how it sounds.
_NO_MEASURE = (
    "rate_hz",
    "channels",
    "windows",
    "start_s",
    "step_s",
    "probability",
    "words",
)

#: Trivial baselines: what a higher number of each would call better.
BASELINES = {"louder": "loudness.integrated_lufs", "longer": "signal.duration_s"}


def bench_arguments(doc: str | None) -> argparse.Namespace:
    """Parse the folder of the sets and the rivals."""
    parser = options_of(doc)
    parser.add_argument("--data", type=Path, metavar="DIR")
    parser.add_argument("--rival", action="append", default=[], metavar="NAME=FILE.csv")
    args = parser.parse_args()
    args.data = args.data or people_folder()
    return args


def blueprints_of(folder: Folder) -> dict[str, Blueprint]:
    """Return blueprints by item; count and drop recordings that cannot be measured."""
    overrides: dict[str, Any] = (
        {"distillmos": "distillmos"} if find_spec("distillmos") else {}
    )
    result = extract(
        [clip.audio for clip in folder.clips], ExtractOptions(overrides=overrides)
    )
    blueprints = {}
    for clip, one in zip(folder.clips, result, strict=True):
        if one.blueprint is None:
            folder.dropped["sound that cannot be decoded"] += 1
        else:
            blueprints[clip.item] = one.blueprint
    folder.clips = [clip for clip in folder.clips if clip.item in blueprints]
    return blueprints


def numbers_of(
    clips: Sequence[Rated], blueprints: Mapping[str, Blueprint]
) -> dict[str, Array]:
    """Return the values of each measure [shape=(clips,)], without constant ones.

    A missing value is NaN.
    """
    rows = [flat(blueprints[clip.item]) for clip in clips]
    names = dict.fromkeys(name for row in rows for name in row)
    table = {"rules, voice quality": deciding(clips, blueprints)}
    for name in names:
        if name.endswith(_NO_MEASURE):
            continue
        values = np.array([_number(row.get(name)) for row in rows])
        available = values[np.isfinite(values)]
        if len(available) and np.ptp(available):
            table[name] = values
    return table


def deciding(clips: Sequence[Rated], blueprints: Mapping[str, Blueprint]) -> Array:
    """Return the number by which ``rules`` decides between acceptable voices.

    Clips of a group are compared by the longest stretch of speech that all of them
    have.
    """
    groups: dict[str, list[Blueprint]] = {}
    for clip in clips:
        groups.setdefault(clip.group, []).append(blueprints[clip.item])
    seconds = {name: _common_seconds(own) for name, own in groups.items()}
    values = []
    for clip in clips:
        numbers = numbers_at(blueprints[clip.item], seconds[clip.group])
        # Over a voice that has one of everything.
        one = dict.fromkeys(numbers, 1.0) | {CLIPPING.name: 0.0}
        values.append(lead_of(numbers, one).steps if numbers else math.nan)
    return np.array(values)


def _common_seconds(blueprints: Sequence[Blueprint]) -> float:
    """Return the longest stretch of speech that all have numbers of, else 0."""
    lengths = []
    for blueprint in blueprints:
        quality = blueprint.quality
        if isinstance(quality, Quality):
            lengths.append({round(part.seconds, 2) for part in quality.parts or ()})
    return max(set.intersection(*lengths), default=0.0) if lengths else 0.0


def _number(value: object) -> float:
    usable = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if usable else math.nan  # type: ignore[arg-type]


def judged(
    a: Blueprint,
    b: Blueprint,
    dimension: str,
    instruction: str = "Say the next sentence.",
) -> int:
    """Of ``rules``: 1, -1, or 0 where it decides for neither."""
    verdict = cases.judged(a, b, instruction).dimensions.get(dimension)
    return {"1": 1, "2": -1}.get(str(verdict.rating) if verdict else "", 0)


def preferred(
    clips: Sequence[Rated], pairs: Pairs, blueprints: Mapping[str, Blueprint]
) -> NDArray[np.int64]:
    """Of ``rules`` by voice quality: 1, -1 or 0 [shape=(pairs,)]."""
    own = [blueprints[clip.item] for clip in clips]
    sides = zip(pairs.a, pairs.b, strict=True)
    return np.array([judged(own[i], own[j], "voice_quality") for i, j in sides])


def read_rival(text: str, items: set[str]) -> tuple[str, dict[str, float]]:
    """NAME=FILE.csv as (name, item -> score).

    Raises:
        UserError: it is no table of these columns, or has no item of any set that is
            here.
    """
    name, equals, file = text.partition("=")
    if not (name and equals and file):
        raise UserError(f"--rival {text!r}: give NAME=FILE.csv")
    scores, bad = {}, 0
    for _, row in records(Path(file)):
        if not isinstance(row, dict) or not {"item", "score"} <= row.keys():
            raise UserError(f"--rival {file}: {row}; give a CSV file with item, score")
        try:
            value = float(row["score"])
        except (TypeError, ValueError):
            value = math.nan
        if math.isfinite(value):
            scores[str(row["item"])] = value
        else:
            bad += 1
    if not scores.keys() & items:
        raise UserError(
            f"--rival {file}: none of its {len(scores)} items is in a set that is here"
            f" ({bad} rows without a number); items are named like {sorted(items)[:2]}"
        )
    return name, scores


def rival_numbers(
    clips: Sequence[Rated], rivals: Mapping[str, Mapping[str, float]]
) -> dict[str, Array]:
    """Rival -> its scores [shape=(clips,)], for those that know a clip of this set."""
    results: dict[str, Array] = {}
    for name, scores in rivals.items():
        values = np.array([scores.get(clip.item, math.nan) for clip in clips])
        if np.isfinite(values).any():
            results[name] = values
    return results
