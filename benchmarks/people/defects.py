"""Each kind of defect as a number beside human ratings of real sound.

Of every rated set and scale: the clips that have the defect, the mean rating of these
less that of the others, both less the mean of their group (sentence, noise, speaker and
text). Whole units are drawn together, as in :mod:`benchmarks.people.figures`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
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

#: Fewer clips with a defect than this have no interval.
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
    events: dict[str, Events] = {
        clip.item: measured.events(decode(clip.audio)) for clip in folder.clips
    }
    results = {
        scale: of_scale(folder.clips, events, scale, KINDS)
        for scale in RATED[folder.name]
    }
    for scale, kinds in results.items():
        title = f"{folder.name}, {scale}: {len(folder.clips)} clips"
        table_of(title, "kind", {kind: {**_NONE, **row} for kind, row in kinds.items()})
    return results


#: What is printed of a kind that no clip has.
_NONE = {"clips with": 0, "difference": "-"}


def of_scale(
    clips: list[Rated], events: Mapping[str, Events], scale: str, kinds: Sequence[str]
) -> dict[str, Any]:
    """Return how much lower clips with each kind of event are rated than others."""
    rated = [clip for clip in clips if np.isfinite(clip.mean(scale))]
    groups: dict[str, list[float]] = defaultdict(list)
    for clip in rated:
        groups[clip.group].append(clip.mean(scale))
    centred = np.array(
        [clip.mean(scale) - np.mean(groups[clip.group]) for clip in rated]
    )
    unit = figures.numbered([clip.unit for clip in rated])
    kinds_of_clips = []
    for clip in rated:
        kinds_of_clips.append({event["kind"] for event in events[clip.item]})
    results: dict[str, Any] = {}
    for kind in ("any", *kinds):
        sought = kinds if kind == "any" else (kind,)
        has = np.array([not found.isdisjoint(sought) for found in kinds_of_clips])
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
            figure = replace(figure, low=None, high=None)
        results[kind]["difference"] = figure
    return results
