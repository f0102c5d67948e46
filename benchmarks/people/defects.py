"""Each kind of defect as a number beside human ratings of real sound.

Of every rated set and scale: the clips that have the defect, the mean rating of these less that of
the others, both less the mean of their group (sentence, noise, speaker and text), and the rank
correlation of the number of events, their seconds and the strongest one. Whole units are drawn
together, as in :mod:`benchmarks.people.figures`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.defects import Measured
from benchmarks.people import figures
from benchmarks.people.sets import SCALES, Folder, Rated
from benchmarks.report import table_of
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
    for scale, kinds in results.items():
        title = f"{folder.name}, {scale}: {len(folder.clips)} clips"
        table_of(title, "kind", {kind: {**_NONE, **row} for kind, row in kinds.items()})
    return results


#: What is printed of a kind that no clip has; rank correlations are those of its events.
_NONE = {"clips with": 0} | dict.fromkeys(("difference", "count", "seconds", "strength"), "-")


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
        counts = dict.fromkeys(("with", "without", "difference"), int(has.sum()))
        figure = figures.estimates(resampler, counts)["difference"]
        if has.sum() < LEAST_CLIPS:
            results[kind]["difference"] = replace(figure, low=None, high=None)
            continue
        numbers = {
            "count": np.array([float(len(one)) for one in own]),
            "seconds": np.array([sum(e["end_s"] - e["start_s"] for e in one) for one in own]),
            "strength": np.array([max((e["strength"] for e in one), default=0.0) for one in own]),
        }
        rho = figures.rhos(numbers, rated, scale)
        results[kind] |= {"difference": figure, **{name: rho[name][0] for name in numbers}}
    return results
