"""Every number of a blueprint and the judge ``rules`` beside human labels of real sound.

    python -m benchmarks.people [--data DIR] [--rival NAME=FILE.csv]...

DIR (default: ``people`` under TRACE_EVAL_DATA) holds the sets in our layout, or the public
repositories as cloned. A rival is a table of item and score: another tool's number of the
same clips. Blueprints are cached, so that the second run takes a minute.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.people import asked, defects, edges, figures, measured
from benchmarks.people.sets import SCALES, Folder, Rated, read_sets
from benchmarks.report import save, table
from blueprints import Blueprint, UserError

#: Set -> its scale, and how far two means must be apart for their order to count.
QUALITY = {"codecs": 10.0, "enhanced": 10.0}

#: What stands in the place of a figure in the results.
FIGURE = ["value", "low", "high", "pairs or clips", "groups"]

#: Numbers that are printed whatever they say; of the others those that say something.
PRINTED = ("quality.", "signal.bandwidth", "distillmos.", "loudness.integrated", "signal.duration")


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    shared = os.environ.get("TRACE_EVAL_DATA")
    default = Path(shared) / "people" if shared else None
    parser.add_argument("--data", type=Path, default=default, metavar="DIR")
    parser.add_argument("--rival", action="append", default=[], metavar="NAME=FILE.csv")
    args = parser.parse_args()
    if args.data is None:
        sys.exit("give --data DIR, or set TRACE_EVAL_DATA")
    try:
        save("people", measure(args.data, args.rival))
    except UserError as error:
        sys.exit(f"error: {error}")


def measure(data: Path, rivals: Sequence[str] = ()) -> dict[str, Any]:
    """Everything, as it is saved; printed on the way."""
    folders = read_sets(data)
    items = {clip.item for folder in folders for clip in folder.clips}
    scores = dict(measured.read_rival(text, items) for text in rivals)
    result: dict[str, Any] = {"figure": FIGURE, "left out": {}, "dropped": {}, "sets": {}}
    result["defects"] = {}
    for folder in folders:
        if folder.missing:
            result["left out"][folder.name] = folder.missing
            print(f"\n{folder.name}: left out: {folder.missing}")
            continue
        result["sets"].update(_figures(folder, scores))
        if folder.name in defects.RATED:
            result["defects"][folder.name] = defects.as_saved(defects.defect_figures(folder))
        if folder.dropped:
            result["dropped"][folder.name] = dict(folder.dropped)
            print(f"\n{folder.name}: not used: {dict(folder.dropped)}")
    return result


def _figures(folder: Folder, rivals: dict[str, dict[str, float]]) -> dict[str, Any]:
    if folder.name == "turns":
        results = edges.edge_figures(folder)
        rows = [[name, *map(str, row.values())] for name, row in results.items()]
        header = ["edge", "median |error|, s", "95th percentile", "within .1 s", "mean error"]
        table("turns: turn edges beside a listener's", header, rows)
        return {"turns": {"edges": _json(results)}}
    blueprints = measured.blueprints_of(folder)
    if folder.name in QUALITY:
        return dict(_quality(folder, blueprints, rivals))
    clips = folder.clips
    numbers = measured.numbers_of(clips, blueprints)
    numbers |= measured.rival_numbers(clips, rivals)
    scales: dict[str, Any] = {}
    for scale in SCALES if folder.name == "delivery" else ("natural", "recognised"):
        spread = float(np.std([clip.mean(scale) for clip in clips]))
        apart = 0.5 * spread if folder.name == "delivery" else 10.0
        scales[scale] = _numbers(f"{folder.name}, {scale}", clips, numbers, scale, apart)
    if folder.name == "emotion":
        pairs = {"emotion": list(asked.emotion_pairs(clips))}
        order = {}
    else:
        pairs = {
            f"{steps} step{'s' * (steps > 1)}": list(asked.planted_pairs(clips, steps))
            for steps in (1, 2)
        }
        order = asked.ordered(clips, numbers)
        for name, figure in order.items():
            print(f"\ndelivery: {asked.PLANTED[name][1]} orders planted {name}: {figure}")
    results = {name: asked.asked_figures(own, blueprints) for name, own in pairs.items()}
    for name, kinds in results.items():
        header = ["asked for", "decided", "right", "against", "ratings"]
        rows = [
            [k, *(str(f[part]) for part in header[1:4]), f["ratings"]] for k, f in kinds.items()
        ]
        table(f"{folder.name}, {name}: rules, asked for it", header, rows)
    return {folder.name: {"numbers": scales, "order": _json(order), "asked": _json(results)}}


def _quality(
    folder: Folder, blueprints: dict[str, Blueprint], rivals: dict[str, dict[str, float]]
) -> Iterator[tuple[str, Any]]:
    """MUSHRA sets; of enhanced speech also without the clean references."""
    parts = {folder.name: folder.clips}
    if folder.name == "enhanced":
        parts["enhanced, no references"] = [c for c in folder.clips if c.condition != "clean"]
    for name, clips in parts.items():
        numbers = measured.numbers_of(clips, blueprints) | measured.rival_numbers(clips, rivals)
        apart = QUALITY[folder.name]
        rows = _numbers(name, clips, numbers, "quality", apart)
        pairs = figures.pairs_of(clips, "quality")
        if pairs.verdict is None or not len(pairs):
            folder.dropped["set without two raters of a clip"] += 1
            yield name, {"numbers": {"quality": rows}}
            continue
        provided = {
            "rules": np.array(
                [
                    measured.judged(
                        blueprints[clips[i].item], blueprints[clips[j].item], "voice_quality"
                    )[0]
                    for i, j in zip(pairs.a, pairs.b, strict=True)
                ]
            )
        }
        for base, column in measured.BASELINES.items():
            gap = numbers[column][pairs.a] - numbers[column][pairs.b]
            provided[f"the {base}"] = np.nan_to_num(np.sign(gap)).astype(np.int64)
        result = figures.decisions(provided, pairs.verdict, pairs.unit)
        majority = max(float((pairs.verdict == code).mean()) for code in (-1, 0, 1))
        ceiling = figures.ceiling(clips, "quality", apart)
        header = ["judge", "decided", "right", "against", "accuracy", ""]
        shown = [
            [k, *map(str, row.values()), figures.words(row["right"])] for k, row in result.items()
        ]
        if ceiling:
            own = (ceiling.decided, ceiling.right, ceiling.against)
            cells = ("-" if value is None else f"{value:.3f}" for value in own)
            shown.append(["half of the raters", *cells, "", ""])
        shown.append(["majority", "", "", "", f"{majority:.3f}", ""])
        table(f"{name}: judges on {len(pairs)} pairs", header, shown)
        yield (
            name,
            {
                "clips": len(clips),
                "numbers": {"quality": rows},
                "judges": _json(result),
                "majority": majority,
                "ceiling": asdict(ceiling) if ceiling else None,
            },
        )


def _numbers(
    title: str, clips: Sequence[Rated], numbers: dict[str, Any], scale: str, apart: float
) -> dict[str, Any]:
    """Concordance and rho of every number, printed and as saved."""
    pairs = figures.pairs_of(clips, scale)
    baselines = [name for name in measured.BASELINES.values() if name in numbers]
    order = figures.concordances(numbers, pairs, apart, baselines)
    rank = figures.rhos(numbers, clips, scale)
    rows = {
        name: {
            "concordance": order[name][0],
            "words": order[name][1],
            "rho": rank[name][0],
            "rho within conditions": rank[name][1],
        }
        for name in numbers
    }
    ordered = sorted(rows.items(), key=lambda row: -(row[1]["concordance"].value or 0))
    rows = {
        name: row
        for name, row in ordered
        if name.startswith(PRINTED) or "." not in name or row["words"].startswith(("with ", "agai"))
    }
    shown = [[name, *map(str, row.values())] for name, row in rows.items()]
    header = ["number", "concordance", "says", "rho", "rho within conditions"]
    count = int((np.abs(pairs.gap) >= apart).sum())
    table(f"{title}: {len(clips)} clips, {count} pairs {apart:.2g} apart", header, shown)
    return _json(rows)


def _json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    if isinstance(value, figures.Figure):
        return [v if v is None else round(v, 4) for v in (value.value, value.low, value.high)] + [
            value.n,
            value.units,
        ]
    return value


if __name__ == "__main__":
    main()
