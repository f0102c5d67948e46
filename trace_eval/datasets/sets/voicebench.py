"""VoiceBench (arXiv 2410.17196): one file of JSON lines per system, set and split.

``MODEL-SET-SPLIT-MODALITY.jsonl`` holds prompts and responses; with ``result-`` before the name,
three judge replies per answer as well. All its rules read text.
"""

from __future__ import annotations

import re
from pathlib import Path

from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Single
from trace_eval.datasets.base import Converted, Selection
from trace_eval.datasets.boards import VOICEBENCH
from trace_eval.datasets.records import unique_ids
from trace_eval.datasets.rows import Row, Rows, alone
from trace_eval.datasets.sets.voicebench_rules import EVALUATORS, SETS, RuleRun
from trace_eval.datasets.source import Source

_NAME = re.compile(
    rf"(?P<judged>result-)?(?P<system>.{{1,120}})-(?P<set>{'|'.join(map(re.escape, SETS))})"
    r"-(?P<split>[^-]{1,60})-(?P<modality>[^-]{1,60})\.jsonl"
)

_RUBRICS = {"open": "voicebench-open", "qa": "voicebench-qa", "harm": "voicebench-harm"}


def read_voicebench(source: Source, chosen: Selection) -> Converted:
    """Read the runs in a folder.

    Raises:
        UserError: no file is named as a run, or names of sets or systems are unknown.
    """
    chosen.check_sets(SETS)
    runs, others = _runs(source, chosen)
    if not runs:
        raise source.lacks("MODEL-SET-SPLIT-MODALITY.jsonl, e.g. naive-openbookqa-test-audio.jsonl")
    rows = Rows(source)
    converted = Converted(problems=rows.problems, by_set=True)
    if others:
        converted.notes.append(
            f"{len(others)} files are not named as runs and were left out, e.g. {others[0].name}"
        )
    for run in runs:
        _read(run, rows, converted, chosen)
    converted.items, converted.scores = unique_ids(converted.items, converted.scores)
    if not chosen.sets:
        converted.boards.append(VOICEBENCH)
    return converted


def _runs(source: Source, chosen: Selection) -> tuple[list[RuleRun], list[Path]]:
    """(runs, of two files of one run the judged one; files that are named otherwise)."""
    runs: dict[tuple[str, str, str, str], RuleRun] = {}
    others = []
    for path in source.files("*.jsonl"):
        match = _NAME.fullmatch(path.name)
        if match is None:
            others.append(path)
            continue
        run = RuleRun(path, match["system"], match["set"], match["split"], match["modality"])
        wanted = chosen.wants(run.set) and chosen.system in (None, run.system)
        if wanted and (match["judged"] or run.key not in runs):
            runs[run.key] = run
    return [runs[key] for key in sorted(runs)], others


def _read(run: RuleRun, rows: Rows, found: Converted, chosen: Selection) -> None:
    kind, _ = SETS[run.set]
    needs: dict[str, type | tuple[type, ...]] = {"prompt": (str, list), "response": str}
    if kind in ("mcq", "qa", "bbh"):
        needs["reference"] = str
    if kind == "bbh":
        needs["id"] = str
    read = rows.read(run.path, needs, "id" if kind == "bbh" else None)
    ids = [_id(run, number, row) for number, row in enumerate(read)]
    for number, row in enumerate(read):
        with alone(found.problems, row.where):
            found.items.append(_item(run, number, row))
    if (rubric := _RUBRICS.get(kind)) and rubric not in found.rubrics:
        found.rubrics.append(rubric)
    EVALUATORS[kind](run, read, ids, found, chosen)


def _item(run: RuleRun, number: int, row: Row) -> Single:
    prompt = row["prompt"]
    text = prompt if isinstance(prompt, str) else "\n".join(map(str, prompt))
    reference = row.text("reference")
    return Single(
        id=_id(run, number, row),
        instruction=Instruction(text=text),
        reference=(reference,) if reference else (),
        answer=Answer(text=row["response"]),
        system=run.system,
        category=run.set,
        split=run.split,
        meta={**row.rest("prompt", "response", "reference"), "modality": run.modality},
    )


def _id(run: RuleRun, number: int, row: Row) -> str:
    own = row.text("id")
    return f"{run.set}-{run.split}-{own if own else format(number, '04d')}"
