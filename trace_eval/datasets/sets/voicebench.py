"""VoiceBench (arXiv 2410.17196): one file of JSON lines per system, set and split.

``MODEL-SET-SPLIT-MODALITY.jsonl`` holds prompts and responses; with ``result-`` before
the name, three judge replies per answer as well. All its rules read text.
"""

from __future__ import annotations

import re
from pathlib import Path

from trace_eval.datasets.base import Converted, Selection, Source
from trace_eval.datasets.figures import VOICEBENCH
from trace_eval.datasets.rows import Rows, alone, item_of
from trace_eval.datasets.sets.voicebench_rules import SETS, Evaluation, RuleRun

_NAME = re.compile(
    rf"(?P<judged>result-)?(?P<system>.{{1,120}})-(?P<set>{'|'.join(map(re.escape, SETS))})"
    r"-(?P<split>[^-]{1,60})-(?P<modality>[^-]{1,60})\.jsonl"
)

_RUBRICS = {"open": "voicebench-open", "qa": "voicebench-qa", "harm": "voicebench-harm"}


def read_voicebench(source: Source, chosen: Selection) -> Converted:
    """Read the runs in a folder."""
    runs, others = _runs(source, chosen)
    if not runs:
        raise source.lacks(
            "MODEL-SET-SPLIT-MODALITY.jsonl, e.g. naive-openbookqa-test-audio.jsonl"
        )
    rows = Rows(source)
    converted = Converted(problems=rows.problems, by_set=True)
    if others:
        converted.notes.append(
            f"{len(others)} files are not named as runs and were left out, e.g."
            f" {others[0].name}"
        )
    for run in runs:
        _read(run, rows, converted, chosen)
    converted.make_ids_unique()
    if not chosen.sets:
        converted.boards.append(VOICEBENCH)
    return converted


def _runs(source: Source, chosen: Selection) -> tuple[list[RuleRun], list[Path]]:
    """Find the runs, and the files with other names.

    Of two files of one run, the judged one counts.
    """
    runs: dict[tuple[str, str, str, str], RuleRun] = {}
    others = []
    systems: set[str] = set()
    sets: set[str] = set()
    for path in source.files("*.jsonl"):
        match = _NAME.fullmatch(path.name)
        if match is None:
            others.append(path)
            continue
        run = RuleRun(
            path=path,
            system=match["system"],
            set=match["set"],
            split=match["split"],
            modality=match["modality"],
        )
        systems.add(run.system)
        sets.add(run.set)
        wanted = chosen.wants(run.set) and chosen.system in (None, run.system)
        if wanted and (match["judged"] or run.key not in runs):
            runs[run.key] = run
    chosen.check_sets(SETS, sets)
    if systems:
        chosen.check_system(systems)
    return [runs[key] for key in sorted(runs)], others


def _read(run: RuleRun, rows: Rows, result: Converted, chosen: Selection) -> None:
    kind, _ = SETS[run.set]
    needs: dict[str, type | tuple[type, ...]] = {"prompt": (str, list), "response": str}
    if kind in ("mcq", "qa", "bbh"):
        needs |= {"reference": str}
    if kind == "bbh":
        needs |= {"id": str}
    read = rows.read(run.path, needs, "id" if kind == "bbh" else None)
    names = [row.text("id") or format(number, "04d") for number, row in enumerate(read)]
    ids = [f"{run.set}-{run.split}-{name}" for name in names]
    for name, row in zip(ids, read, strict=True):
        prompt = row["prompt"]
        with alone(result.problems, row.where):
            if not isinstance(prompt, str):
                prompt = "\n".join(map(str, prompt))
            item = item_of(
                name,
                prompt,
                row["response"],
                reference=row.text("reference"),
                system=run.system,
                category=run.set,
                split=run.split,
                meta={
                    **row.rest("prompt", "response", "reference"),
                    "modality": run.modality,
                },
            )
            result.items.append(item)
    if rubric := _RUBRICS.get(kind):
        result.ask(run.set, rubric)
    lists = Path(chosen.lists) if chosen.lists else None
    evaluation = Evaluation(run=run, rows=read, ids=ids, result=result, lists=lists)
    getattr(evaluation, kind)()
