"""What the groups ``speaker`` and ``sounds`` hear, beside ratings of the clips.

    TRACE_EVAL_DATA=... python -m benchmarks.people.heard [--most 1000]

Of every rated set and scale: the clips with a change of the voice or a sound that
nobody asked for, the mean rating of these less that of the others, both less the mean
of their group; and how often the least likeness of the voice within a clip orders pairs
as listeners do. Evidence without such a figure moves no verdict of ``rules``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.people import defects, figures
from benchmarks.people.sets import Folder, read_sets
from benchmarks.report import arguments, people_folder, save, table_of
from blueprints import Absent, Blueprint, Extension
from extractors.audio import Clip, decode
from extractors.networks.sounds import LAUGHTER, MUSIC, TONES, VOCAL, YamnetExtractor
from extractors.networks.speaker import CHANGE, CampplusExtractor
from extractors.pitch import PraatPitchExtractor
from extractors.signal import SignalExtractor
from trace_eval.judges.rules.heard import VOICE_OR_MOOD

#: The kinds of evidence that are counted.
KINDS = (CHANGE, VOICE_OR_MOOD, LAUGHTER, VOCAL, MUSIC, TONES)

#: Differences of MUSHRA that count in pairs, and of other scales in standard
#: deviations.
_APART, _APART_SD = 10.0, 0.5


def main() -> None:
    """Measure, print, save."""
    args = arguments(__doc__, most=(1000, "clips of each set"))
    results = {}
    for folder in read_sets(people_folder()):
        if folder.missing or folder.name not in defects.RATED:
            continue
        results[folder.name] = _of_set(folder, args.most)
    save(
        "people_heard",
        {
            "figure": ["value", "low", "high", "clips or pairs", "groups"],
            "sets": figures.as_saved(results),
        },
    )


def _of_set(folder: Folder, most: int) -> dict[str, Any]:
    """Return the figures of each scale of a set."""
    folder.clips = folder.clips[:most]
    heard = {clip.item: groups_of(decode(clip.audio)) for clip in folder.clips}
    events = {item: _events(groups) for item, groups in heard.items()}
    likeness = np.array([_likeness(heard[clip.item]) for clip in folder.clips])
    results: dict[str, Any] = {}
    for scale in defects.RATED[folder.name]:
        rows = defects.of_scale(folder.clips, events, scale, KINDS)
        rated = np.array([clip.mean(scale) for clip in folder.clips])
        mushra = scale == "quality"
        apart = _APART if mushra else _APART_SD * float(np.nanstd(rated))
        pairs = figures.pairs_of(folder.clips, scale)
        orders = figures.concordances({"likeness": likeness}, pairs, apart, [])
        figure, words = orders["likeness"]
        rows["likeness within"] = {
            "clips with": int(np.isfinite(likeness).sum()),
            "in order": figure,
            "words": words,
        }
        title = f"{folder.name}, {scale}: {len(folder.clips)} clips"
        blank = {"clips with": 0, "difference": "-", "in order": "-", "words": "-"}
        table_of(
            title, "evidence", {kind: {**blank, **row} for kind, row in rows.items()}
        )
        results[scale] = rows
    return results


def groups_of(clip: Clip) -> Mapping[str, Extension | Absent]:
    """Return what both extractors say of a clip."""
    blueprint = Blueprint(clip=clip.sha256)
    for extractor in (SignalExtractor(), PraatPitchExtractor()):
        value = extractor.extract(clip, blueprint)
        blueprint = blueprint.with_group(extractor.group, value, extractor.provenance())
    groups: dict[str, Extension | Absent] = {}
    for heard in (CampplusExtractor(), YamnetExtractor()):
        group = heard.extract(clip, blueprint)
        assert isinstance(group, Extension | Absent)
        groups[heard.group] = group
    return groups


def _events(groups: Mapping[str, Extension | Absent]) -> list[dict[str, Any]]:
    """Return the events of all groups that were measured."""
    return [
        event.model_dump()
        for group in groups.values()
        if isinstance(group, Extension)
        for event in group.events or ()
    ]


def _likeness(groups: Mapping[str, Extension | Absent]) -> float:
    """Return the least likeness within a clip; NaN where it is not known."""
    group = groups["speaker"]
    value = group.values.get("likeness") if isinstance(group, Extension) else None
    return value if isinstance(value, float) else float("nan")


if __name__ == "__main__":
    main()
