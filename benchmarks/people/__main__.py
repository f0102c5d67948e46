"""Every number of a blueprint, and the judge ``rules``, beside human labels.

    python -m benchmarks.people [--data DIR] [--rival NAME=FILE.csv]...

DIR (default: ``people`` under TRACE_EVAL_DATA) holds the sets in our layout, or the
public repositories as cloned. A rival is a table of item and score: another tool's
number of the same clips. Blueprints are cached, so that the second run takes a minute.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.people import asked, defects, edges, figures, measured
from benchmarks.people.sets import SCALES, Folder, Rated, read_sets
from benchmarks.report import save, table_of
from blueprints import Blueprint, UserError

#: Sets of MUSHRA, and how far two means must be apart for their order to count.
QUALITY, APART = ("codecs", "enhanced"), 10.0

#: What stands in the place of a figure in the results.
FIGURE = ["value", "low", "high", "pairs or clips", "groups"]

#: Numbers that are printed whatever they say; of the others those that say something.
PRINTED = (
    "quality.",
    "signal.bandwidth",
    "distillmos.",
    "loudness.integrated",
    "signal.duration",
)

Scores = Mapping[str, Mapping[str, float]]


def main() -> None:
    """Measure the sets, print and save the figures."""
    args = measured.bench_arguments(__doc__)
    try:
        save("people", measure(args.data, args.rival))
    except UserError as error:
        sys.exit(f"error: {error}")


def measure(data: Path, rivals: Sequence[str] = ()) -> dict[str, Any]:
    """Everything, as it is saved; printed on the way."""
    folders = read_sets(data)
    items = {clip.item for folder in folders for clip in folder.clips}
    scores = dict(measured.read_rival(text, items) for text in rivals)
    result: dict[str, Any] = {
        "figure": FIGURE,
        "left out": {},
        "dropped": {},
        "sets": {},
    }
    result["defects"] = {}
    for folder in folders:
        if folder.missing:
            result["left out"][folder.name] = folder.missing
            print(f"\n{folder.name}: left out: {folder.missing}")
            continue
        result["sets"].update(_figures(folder, scores))
        if folder.name in defects.RATED:
            result["defects"][folder.name] = defects.defect_figures(folder)
        if folder.dropped:
            result["dropped"][folder.name] = dict(folder.dropped)
            print(f"\n{folder.name}: not used: {dict(folder.dropped)}")
    saved: dict[str, Any] = figures.as_saved(result)
    return saved


def _figures(folder: Folder, rivals: Scores) -> dict[str, Any]:
    if folder.name == "turns":
        results = edges.edge_figures(folder)
        table_of("turns: error of turn edges beside a listener's, s", "edge", results)
        return {"turns": {"edges": results}}
    blueprints = measured.blueprints_of(folder)
    if folder.name in QUALITY:
        return dict(_quality(folder, blueprints, rivals))
    clips, order = folder.clips, {}
    numbers = measured.numbers_of(clips, blueprints) | measured.rival_numbers(
        clips, rivals
    )
    if folder.name == "emotion":
        scales: Sequence[str] = ("natural", "recognised")
        pairs = {"emotion": list(asked.emotion_pairs(clips))}
    else:
        scales = SCALES
        pairs = {
            f"{steps} step{'s' * (steps > 1)}": list(asked.planted_pairs(clips, steps))
            for steps in (1, 2)
        }
        order = asked.ordered(clips, numbers)
        for name, figure in order.items():
            print(
                f"\ndelivery: {asked.PLANTED[name][1]} orders planted {name}: {figure}"
            )
    rows = {}
    for scale in scales:
        spread = float(np.std([clip.mean(scale) for clip in clips]))
        apart = 0.5 * spread if folder.name == "delivery" else APART
        rows[scale] = _numbers(f"{folder.name}, {scale}", clips, numbers, scale, apart)
    kinds = {name: asked.asked_figures(own, blueprints) for name, own in pairs.items()}
    for name, own in kinds.items():
        table_of(f"{folder.name}, {name}: rules, asked for it", "asked for", own)
    return {folder.name: {"numbers": rows, "order": order, "asked": kinds}}


def _quality(
    folder: Folder, blueprints: dict[str, Blueprint], rivals: Scores
) -> Iterator[tuple[str, Any]]:
    """MUSHRA sets; of enhanced speech also without the clean references."""
    parts = {folder.name: folder.clips}
    if folder.name == "enhanced":
        parts["enhanced, no references"] = [
            c for c in folder.clips if c.condition != "clean"
        ]
    for name, clips in parts.items():
        numbers = measured.numbers_of(clips, blueprints) | measured.rival_numbers(
            clips, rivals
        )
        saved: dict[str, Any] = {
            "quality": _numbers(name, clips, numbers, "quality", APART)
        }
        pairs = figures.pairs_of(clips, "quality")
        if pairs.verdict is None or not len(pairs):
            folder.dropped["set without two raters of a clip"] += 1
            yield name, {"numbers": saved}
            continue
        provided = {"rules": measured.preferred(clips, pairs, blueprints)}
        for base, column in measured.BASELINES.items():
            gap = numbers[column][pairs.a] - numbers[column][pairs.b]
            provided[f"the {base}"] = np.nan_to_num(np.sign(gap)).astype(np.int64)
        result = figures.decisions(provided, pairs.verdict, pairs.unit)
        ceiling = figures.ceiling(clips, "quality", APART)
        shown = {
            judge: {**row, "says": figures.words(row["right"])}
            for judge, row in result.items()
        }
        if ceiling:
            columns = next(iter(shown.values()))
            shown["half of the raters"] = {
                part: getattr(ceiling, part, "") for part in columns
            }
        table_of(f"{name}: judges on {len(pairs)} pairs", "judge", shown)
        half = asdict(ceiling) if ceiling else None
        yield (
            name,
            {"clips": len(clips), "numbers": saved, "judges": result, "ceiling": half},
        )


def _numbers(
    title: str,
    clips: Sequence[Rated],
    numbers: dict[str, Any],
    scale: str,
    apart: float,
) -> dict[str, Any]:
    """Concordance of every number, the best first."""
    pairs = figures.pairs_of(clips, scale)
    baselines = [name for name in measured.BASELINES.values() if name in numbers]
    order = figures.concordances(numbers, pairs, apart, baselines)
    rows = {}
    for name in sorted(numbers, key=lambda name: -(order[name][0].value or 0)):
        concordance, words = order[name]
        if (
            name.startswith(PRINTED)
            or "." not in name
            or words.startswith(("with ", "agai"))
        ):
            rows[name] = {"concordance": concordance, "words": words}
    count = int((np.abs(pairs.gap) >= apart).sum())
    table_of(
        f"{title}: {len(clips)} clips, {count} pairs {apart:.2g} apart", "number", rows
    )
    return rows


if __name__ == "__main__":
    main()
