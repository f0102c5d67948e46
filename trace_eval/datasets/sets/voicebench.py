"""VoiceBench (arXiv 2410.17196): one file of JSON lines per system, set and split.

``MODEL-SET-SPLIT-MODALITY.jsonl`` holds prompts and responses; with ``result-`` before the name,
three judge replies per answer as well. All its rules read text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from trace_eval.data.items import Candidate, Single
from trace_eval.data.pairs import Instruction
from trace_eval.datasets.base import Converted, Selection
from trace_eval.datasets.boards import VOICEBENCH
from trace_eval.datasets.figures import Figure, fallback_sd, mean_figure, share_figure
from trace_eval.datasets.letters import authors_letter, letter_of
from trace_eval.datasets.lists import Phrases, read_phrases
from trace_eval.datasets.records import authors_score, unique_ids
from trace_eval.datasets.replies import (
    is_refusal,
    majority,
    open_marks,
    own_refusal,
    stripped,
    yes_or_no,
)
from trace_eval.datasets.rows import Row, Rows
from trace_eval.datasets.source import Source

#: Commit of the layout and the rules.
COMMIT = "5338154"

#: Set -> (how it is evaluated, its column of the board).
SETS: Mapping[str, tuple[str, str | None]] = {
    "alpacaeval_full": ("open", "alpacaeval"),
    "alpacaeval": ("open", None),
    "commoneval": ("open", "commoneval"),
    "wildvoice": ("open", "wildvoice"),
    "sd-qa": ("qa", "sd-qa"),
    "openbookqa": ("mcq", "openbookqa"),
    "mmsu": ("mcq", "mmsu"),
    "bbh": ("bbh", "bbh"),
    "ifeval": ("ifeval", "ifeval"),
    "advbench": ("harm", "advbench"),
    "mtbench": ("open", None),
}

_NAME = re.compile(
    rf"(?P<judged>result-)?(?P<system>.{{1,120}})-(?P<set>{'|'.join(map(re.escape, SETS))})"
    r"-(?P<split>[^-]{1,60})-(?P<modality>[^-]{1,60})\.jsonl"
)

_RUBRICS = {"open": "voicebench-open", "qa": "voicebench-qa", "harm": "voicebench-harm"}


@dataclass(frozen=True)
class _Run:
    """One file: answers of one system to one set."""

    path: Path
    system: str
    set: str
    split: str
    modality: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Equal for the two files of one run."""
        return self.system, self.set, self.split, self.modality


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
    found = Converted(problems=rows.problems, by_set=True)
    if others:
        found.notes.append(
            f"{len(others)} files are not named as runs and were left out, e.g. {others[0].name}"
        )
    for run in runs:
        _read(run, rows, found, chosen)
    found.items, found.scores = unique_ids(found.items, found.scores)
    if not chosen.sets:
        found.boards.append(VOICEBENCH)
    return found


def _runs(source: Source, chosen: Selection) -> tuple[list[_Run], list[Path]]:
    """(runs, of two files of one run the judged one; files that are named otherwise)."""
    runs: dict[tuple[str, str, str, str], _Run] = {}
    others = []
    for path in source.files("*.jsonl"):
        match = _NAME.fullmatch(path.name)
        if match is None:
            others.append(path)
            continue
        run = _Run(path, match["system"], match["set"], match["split"], match["modality"])
        wanted = chosen.wants(run.set) and chosen.system in (None, run.system)
        if wanted and (match["judged"] or run.key not in runs):
            runs[run.key] = run
    return [runs[key] for key in sorted(runs)], others


def _read(run: _Run, rows: Rows, found: Converted, chosen: Selection) -> None:
    kind, _ = SETS[run.set]
    needs: dict[str, type | tuple[type, ...]] = {"prompt": (str, list), "response": str}
    if kind in ("mcq", "qa", "bbh"):
        needs["reference"] = str
    if kind == "bbh":
        needs["id"] = str
    read = rows.read(run.path, needs, "id" if kind == "bbh" else None)
    items = [_item(run, number, row) for number, row in enumerate(read)]
    found.items += items
    ids = [item.id for item in items]
    if (rubric := _RUBRICS.get(kind)) and rubric not in found.rubrics:
        found.rubrics.append(rubric)
    _EVALUATORS[kind](run, read, ids, found, chosen)


def _item(run: _Run, number: int, row: Row) -> Single:
    prompt = row["prompt"]
    text = prompt if isinstance(prompt, str) else "\n".join(map(str, prompt))
    reference = row.text("reference")
    return Single(
        id=_id(run, number, row),
        instruction=Instruction(text=text),
        reference=(reference,) if reference else (),
        answer=Candidate(text=row["response"]),
        system=run.system,
        category=run.set,
        split=run.split,
        meta={**row.rest("prompt", "response", "reference"), "modality": run.modality},
    )


def _id(run: _Run, number: int, row: Row) -> str:
    own = row.text("id")
    return f"{run.set}-{run.split}-{own if own else format(number, '04d')}"


def _published(run: _Run) -> dict[str, Any]:
    """The board's figure of this system and set, where it prints one."""
    column = SETS[run.set][1]
    board = {name.lower(): row for name, row in VOICEBENCH.rows().items()}
    row = board.get(run.system.lower(), {})
    printed = row.get(column) if column and run.modality == "audio" else None
    return {} if printed is None else {"published": printed, "where": VOICEBENCH.where}


def _score(
    found: Converted,
    run: _Run,
    item: str,
    rule: tuple[str, str],
    value: float | None,
    detail: str = "",
    caveats: Sequence[str] = (),
) -> None:
    name = rule[0].removeprefix("voicebench-")
    found.scores.append(
        authors_score(
            item,
            run.system,
            rule,
            f"authors/voicebench/{name}@{COMMIT}",
            value,
            detail,
            caveats=caveats,
        )
    )


def _name(run: _Run) -> str:
    return f"{run.set}, {run.split}" if run.split != "test" else run.set


def _open(
    run: _Run, read: Sequence[Row], ids: Sequence[str], found: Converted, chosen: Selection
) -> None:
    judged = [(item, row) for item, row in zip(ids, read, strict=True) if "score" in row.record]
    rule = ("voicebench-open", "mean of the marks from 1 to 5 of all replies of a text judge")
    values: list[float] = []
    unread = 0
    for item, row in judged:
        marks = open_marks(row["score"])
        known = [mark for mark in marks if mark is not None]
        values += known
        unread += len(marks) - len(known)
        mean = sum(known) / len(known) if known and len(known) == len(marks) else None
        _score(found, run, item, rule, mean, f"a reply holds no mark: {row['score']!r:.60}")
    if judged:
        note = f"{len(judged)} answers, {len(values) + unread} replies"
        found.figures.append(
            mean_figure(
                _name(run),
                values,
                unread,
                (1, 5),
                system=run.system,
                note=note,
                **_published(run),
            )
        )
    else:
        found.figures.append(
            Figure(_name(run), run.system, note="no judge replies in it", **_published(run))
        )


def _qa(
    run: _Run, read: Sequence[Row], ids: Sequence[str], found: Converted, chosen: Selection
) -> None:
    judged = [(item, row) for item, row in zip(ids, read, strict=True) if "score" in row.record]
    if not judged:
        found.figures.append(
            Figure(_name(run), run.system, note="no judge replies in it", **_published(run))
        )
        return
    rule = ("voicebench-qa", "right if most replies of a text judge are exactly the word yes")
    for item, row in judged:
        said = majority(row["score"])
        detail = f"no reply is the most frequent: {row['score']!r:.60}"
        _score(found, run, item, rule, None if said is None else float(said), detail)
    for how, clean, note in (
        ("majority", str.lower, "the exact word yes, as the authors count; PEDANT is not rerun"),
        ("majority, punctuation stripped", stripped, "counts replies such as 'Yes.'"),
    ):
        votes = [majority(row["score"], clean) for _, row in judged]
        right, unread = sum(v is True for v in votes), sum(v is None for v in votes)
        found.figures.append(
            share_figure(
                f"{_name(run)}, {how}",
                right,
                len(votes),
                unread,
                system=run.system,
                note=f"{right} of {len(votes)}; {note}",
                **(_published(run) if clean is str.lower else {}),
            )
        )


def _mcq(
    run: _Run, read: Sequence[Row], ids: Sequence[str], found: Converted, chosen: Selection
) -> None:
    readers = [("own", letter_of, "letters read by our grammar")]
    if templates := _phrases(chosen.lists, "mcq.py"):
        by_template = partial(authors_letter, templates=templates.entries)
        readers.insert(0, ("templates", by_template, templates.told))
    _letters(run, read, ids, found, readers, ("mcq", 1 / 4))


def _letters(
    run: _Run,
    read: Sequence[Row],
    ids: Sequence[str],
    found: Converted,
    readers: Sequence[tuple[str, Callable[[str], str | None], str]],
    rule: tuple[str, float],
) -> None:
    """Figures of a choice by each reader; the first one's verdicts are the scores."""
    name, chance = rule
    for place, (how, reader, note) in enumerate(readers):
        said = [reader(row["response"]) for row in read]
        wanted = [row["reference"].strip(" ().").upper() for row in read]
        right = sum(s == w for s, w in zip(said, wanted, strict=True))
        unread = sum(s is None for s in said)
        sd = fallback_sd(unread, len(said), chance)
        told = f"{right} of {len(said)}; {note}"
        if unread:
            told += f"; their random fallback would give the expected one, sd {sd:.1f}"
        figure = f"{_name(run)}, {how}"
        more = _published(run) if place == 0 else {}
        found.figures.append(
            share_figure(
                figure, right, len(said), unread, chance, system=run.system, note=told, **more
            )
        )
        if place:
            continue
        words = (f"voicebench-{name}-{how}", f"right if the choice read ({note}) is the reference")
        for item, choice, want in zip(ids, said, wanted, strict=True):
            value = None if choice is None else float(choice == want)
            _score(found, run, item, words, value, "no choice could be read in the reply")


def _bbh(
    run: _Run, read: Sequence[Row], ids: Sequence[str], found: Converted, chosen: Selection
) -> None:
    note = "read by our grammar, their phrases are not rerun"
    _letters(run, read, ids, found, [("own", yes_or_no, note)], ("bbh", 1 / 2))


def _harm(
    run: _Run, read: Sequence[Row], ids: Sequence[str], found: Converted, chosen: Selection
) -> None:
    rules = [("own", own_refusal, "refusals read by our grammar")]
    if phrases := _phrases(chosen.lists, "harm.py"):
        rules.insert(0, ("phrases", partial(is_refusal, phrases=phrases.entries), phrases.told))
    for place, (how, rule, note) in enumerate(rules):
        said = [rule(row["response"]) for row in read]
        found.figures.append(
            share_figure(
                f"{_name(run)}, refusals, {how}",
                sum(said),
                len(said),
                system=run.system,
                note=f"{sum(said)} of {len(said)}; {note}; compare no rates of two rules",
                **(_published(run) if place == 0 and how == "phrases" else {}),
            )
        )
        if place == 0:
            words = (f"voicebench-harm-{how}", f"1 if the answer refuses ({note})")
            for item, row, refused in zip(ids, read, said, strict=True):
                empty = ["empty_candidate"] if not row["response"].strip() else []
                _score(found, run, item, words, float(refused), caveats=empty)


def _ifeval(
    run: _Run, read: Sequence[Row], ids: Sequence[str], found: Converted, chosen: Selection
) -> None:
    note = "the checkers of IFEval are not rerun here; the items keep their instructions"
    found.figures.append(Figure(_name(run), run.system, note=note, **_published(run)))


def _phrases(checkout: str | None, module: str) -> Phrases | None:
    return read_phrases(Path(checkout), module) if checkout else None


_EVALUATORS: Mapping[
    str, Callable[[_Run, Sequence[Row], Sequence[str], Converted, Selection], None]
] = {"open": _open, "qa": _qa, "mcq": _mcq, "bbh": _bbh, "harm": _harm, "ifeval": _ifeval}
