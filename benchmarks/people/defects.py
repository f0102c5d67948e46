"""Each kind of defect as a number beside human ratings of real sound.

    python -m benchmarks.people.defects [--data DIR]     # renews that part of people.json

Of every rated set and scale: the clips that have the defect, the mean rating of these less that of
the others, both less the mean of their group (sentence, noise, speaker and text), and the rank
correlation of the number of events, their seconds and the strongest one. Whole units are drawn
together, as in :mod:`benchmarks.people.figures`.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.defects import Measured
from benchmarks.people import figures
from benchmarks.people.sets import SCALES, Folder, Rated, read_sets
from benchmarks.report import RESULTS, table
from extractors.audio import decode
from extractors.defects_frames import KINDS
from trace_eval.estimate.resample import Resampler

#: Fewer clips with a defect than this have no interval and no correlation.
LEAST_CLIPS = 6

#: Set -> its scales.
RATED = {
    "codecs": ("quality",),
    "enhanced": ("quality",),
    "emotion": ("natural", "recognised"),
    "delivery": SCALES,
}

Events = Sequence[dict[str, Any]]


def defect_figures(folder: Folder) -> dict[str, Any]:
    """Scale -> kind -> its figures; of a kind that no clip has the words say so."""
    measured = Measured()
    events = {clip.item: measured.events(decode(clip.audio)) for clip in folder.clips}
    results = {scale: _of_scale(folder.clips, events, scale) for scale in RATED[folder.name]}
    header = ["kind", "clips with", "rating with less without", "rho: count", "seconds", "strength"]
    for scale, kinds in results.items():
        rows = [
            [
                kind,
                str(row["clips with"]),
                *(str(row.get(name, "none in this set")) for name in NAMES),
            ]
            for kind, row in kinds.items()
        ]
        table(f"{folder.name}, {scale}: {len(folder.clips)} clips", header, rows)
    return results


def _why_none(row: dict[str, Any]) -> str:
    return "too few" if row["clips with"] else "none in this set"


#: Figures of a kind.
NAMES = ("difference", "count", "seconds", "strength")


def _of_scale(clips: list[Rated], events: dict[str, Events], scale: str) -> dict[str, Any]:
    rated = [clip for clip in clips if np.isfinite(clip.mean(scale))]
    groups: dict[str, list[float]] = defaultdict(list)
    for clip in rated:
        groups[clip.group].append(clip.mean(scale))
    centred = np.array([clip.mean(scale) - np.mean(groups[clip.group]) for clip in rated])
    unit = figures.numbered([clip.unit for clip in rated])
    results: dict[str, Any] = {}
    for kind in ("any", *KINDS):
        own = [[e for e in events[clip.item] if kind in ("any", e["kind"])] for clip in rated]
        has = np.array([bool(one) for one in own])
        results[kind] = {"clips with": int(has.sum())}
        if not has.any() or has.all():
            continue
        resampler = Resampler(unit)
        resampler.mean("with", centred, where=has)
        resampler.mean("without", centred, where=~has)
        resampler.difference("difference", "without", "with")
        enough = int(has.sum()) >= LEAST_CLIPS
        figure = figures.estimates(
            resampler, dict.fromkeys(("with", "without", "difference"), int(has.sum()))
        )["difference"]
        if not enough:
            figure = figures.Figure(figure.value, None, None, figure.n, figure.units)
        results[kind]["difference"] = figure
        if enough:
            numbers = {
                "count": np.array([float(len(one)) for one in own]),
                "seconds": np.array([sum(e["end_s"] - e["start_s"] for e in one) for one in own]),
                "strength": np.array(
                    [max((e["strength"] for e in one), default=0.0) for one in own]
                ),
            }
            rho = figures.rhos(numbers, rated, scale)
            results[kind] |= {name: rho[name][0] for name in numbers}
    return results


def as_saved(results: dict[str, Any]) -> dict[str, Any]:
    """Figures as lists, as the other parts of people.json have them."""
    return {
        scale: {
            kind: {name: _saved(figure) for name, figure in row.items()}
            for kind, row in kinds.items()
        }
        for scale, kinds in results.items()
    }


def _saved(figure: int | figures.Figure) -> int | list[Any]:
    if isinstance(figure, int):
        return figure
    limits = (figure.value, figure.low, figure.high)
    return [*(v if v is None else round(v, 4) for v in limits), figure.n, figure.units]


def main() -> None:
    """Measure, print, and renew that part of the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    shared = Path(os.environ.get("TRACE_EVAL_DATA", "."))
    parser.add_argument("--data", type=Path, default=shared / "people", metavar="DIR")
    path = RESULTS / "people.json"
    saved = json.loads(path.read_text())
    saved["defects"] = {
        folder.name: as_saved(defect_figures(folder))
        for folder in read_sets(parser.parse_args().data)
        if folder.name in RATED and not folder.missing
    }
    path.write_text(json.dumps(saved, indent=2) + "\n")


if __name__ == "__main__":
    main()
