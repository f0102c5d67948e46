"""How many of each system's answers have a defect, where the blueprints of a run hold the group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from trace_eval.data import jsonl, strict_json
from trace_eval.data.files import is_file, is_folder
from trace_eval.estimate.resample import UNIT, Resampler
from trace_eval.opinions.opinions import SIDE_NAMES
from trace_eval.opinions.units import index_of
from trace_eval.runs.run import Run
from trace_eval.stats.options import RankOptions
from trace_eval.stats.ranking.report import DefectRow


def defect_rows(source: Path, options: RankOptions) -> tuple[DefectRow, ...]:
    """Share of each system's answers with a defect, by kind; answers to a question vary together.

    Args:
        source: a run folder; there are no rows of a file, nor where the group was not extracted.
        options: of the intervals, and what systems are called that have no name.
    """
    if not is_folder(source) or not (kinds := _kinds_by_clip(run := Run.open(source))):
        return ()
    answers = list(_answers(run, kinds, options.systems or SIDE_NAMES))
    systems = np.array([name for name, *_ in answers], dtype=object)
    questions, _ = index_of([question for _, question, _ in answers])
    resampler = Resampler(questions, options.bootstrap.seed)
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for kind in ("any", *sorted({kind for *_, own in answers for kind in own})):
        has = np.array([bool(own) if kind == "any" else kind in own for *_, own in answers])
        for name in sorted(set(systems.tolist())):
            mine = systems == name
            counts[name, kind] = int(mine.sum()), int(has[mine].sum())
            resampler.mean(f"{kind} of {name}", has, bounds=UNIT, where=mine)
    shares = resampler.estimates(options.bootstrap)
    return tuple(
        DefectRow(name, kind, *numbers, shares[f"{kind} of {name}"])
        for (name, kind), numbers in counts.items()
    )


def _kinds_by_clip(run: Run) -> dict[str, frozenset[str]]:
    """Clip -> kinds of its defects; a clip in which none could be looked for is not there."""
    path = run.path("blueprints.jsonl")
    results: dict[str, frozenset[str]] = {}
    for line in jsonl.read(path) if is_file(path) else ():
        record = strict_json.record(line, path)
        group = (record.get("extensions") or {}).get("defects") or {}
        if "values" in group:
            counts = group["values"].get("counts") or {}
            results[record["clip"]] = frozenset(kind for kind, number in counts.items() if number)
    return results


def _answers(
    run: Run, kinds: dict[str, frozenset[str]], names: tuple[str, ...]
) -> Iterator[tuple[str, str, frozenset[str]]]:
    """System, question and kinds of defects of every answer that was looked at, each once."""
    clips = {source: record.clip for source, record in run.clips().items()}
    seen = set()
    for item in run.items():
        question = item.question_id or item.id
        placed = zip(item.sides.values(), item.systems, names, strict=False)
        for answer, system, place in placed:
            clip = clips.get(answer.source_id) if answer.has_audio else None
            key = (system or place, question, clip)
            if clip in kinds and key not in seen:
                seen.add(key)
                yield system or place, question, kinds[clip]
