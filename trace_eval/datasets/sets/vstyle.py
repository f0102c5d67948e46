"""vstyle: answers to instructions on how to speak, one row each in ``metadata.jsonl``.

``response_audio_path`` counts from the folder ``wav`` beside it; scored files have
``gemini_score``, a text. Abilities are read from the column, never from file names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from trace_eval.data.items import Single
from trace_eval.datasets.base import Converted, Selection, Source
from trace_eval.datasets.figures import Figure, correlation_figure
from trace_eval.datasets.rows import (
    ANY,
    AuthorsRule,
    ColumnTypes,
    Row,
    Rows,
    alone,
    item_of,
)

#: Commit of the layout and the rules.
COMMIT = "70fa91a"

_SMALL, _THIRD = 0.125 / 6, 0.25 / 3

#: Ability -> its weight; the four groups have a quarter each.
WEIGHTS: Mapping[str, float] = {
    "acoustic_attributes/composite_properties": 0.125,
    "acoustic_attributes/age": _SMALL,
    "acoustic_attributes/gender": _SMALL,
    "acoustic_attributes/speed": _SMALL,
    "acoustic_attributes/emotion": _SMALL,
    "acoustic_attributes/pitch": _SMALL,
    "acoustic_attributes/volume": _SMALL,
    "instruction/emotion": _THIRD,
    "instruction/variation": _THIRD,
    "instruction/style": _THIRD,
    "role_play/character": 0.125,
    "role_play/scenario": 0.125,
    "empathy/anger": 0.0625,
    "empathy/sadness_disappointment": 0.0625,
    "empathy/anxiety_fear": 0.0625,
    "empathy/joy_excitement": 0.0625,
}

_COLUMNS: ColumnTypes = {
    "id": (str, int),
    "ability": str,
    "instruct_text": str,
    "model_name": str,
    "response_audio_path": str,
}

_MARK = re.compile(r"\[\[\s*(\d+(?:\.\d+)?)\s*\]\]")

_MOS: ColumnTypes = {"mos": ANY}
#: Answers that two must share for a correlation.
_LEAST = 3

#: Answer (``ID_INSTRUCT``) -> mark.
Marks = dict[str, float]


def read_vstyle(source: Source, chosen: Selection) -> Converted:
    """Read the answers of each system, with the authors' judge's scores, if any."""
    chosen.check_sets(WEIGHTS)
    files = source.files("metadata*.jsonl")
    if not files:
        raise source.lacks("metadata.jsonl with the answers of a system")
    rows = Rows(source)
    converted = Converted(problems=rows.problems, rubrics=["vstyle"])
    answers: list[tuple[Path, Row]] = []
    systems: set[str] = set()
    for path in files:
        for row in rows.read(path, _COLUMNS, "id"):
            systems.add(row["model_name"])
            is_of_system = chosen.system in (None, row["model_name"])
            if is_of_system and chosen.wants(row["ability"]):
                answers.append((path, row))
    chosen.check_system(systems)
    missing = 0
    for path, row in answers:
        audio = source.recording(path.parent / "wav", row["response_audio_path"])
        missing += audio is None
        with alone(converted.problems, row.where):
            converted.items.append(_item(source, path, row, audio))
    by_system: dict[str, list[Row]] = {}
    for _, row in answers:
        by_system.setdefault(row["model_name"], []).append(row)
    for name in sorted(by_system):
        _score(converted, name, by_system[name])
    if missing:
        converted.notes.append(
            f"{missing} of {len(answers)} recordings are not here; those items hold the"
            " text alone, and the question is about sound"
        )
    marks: dict[str, Marks] = {}
    for _, row in answers:
        if (mark := mark_of(row.get("gemini_score"))) is not None:
            marks.setdefault(row["ability"].partition("/")[0], {})[_key_of(row)] = mark
    _correlate(converted, rows, marks)
    strange = sorted({row["ability"] for _, row in answers} - WEIGHTS.keys())
    if strange:
        converted.notes.append(
            f"abilities without a weight, left out of figures: {', '.join(strange)}"
        )
    converted.make_ids_unique()
    return converted


def _item(source: Source, path: Path, row: Row, audio: Path | str | None) -> Single:
    question: dict[str, Any] = {"text": row["instruct_text"]}
    instruction_path = row.text("instruction_audio_path")
    if instruction_path:
        spoken = source.recording(path.parent / "wav", instruction_path)
        if spoken:
            question["audio"] = spoken
    question_id = row.get("instruct_id")
    return item_of(
        str(row["id"]),
        question,
        row.text("response_text"),
        audio,
        question_id=None if question_id is None else str(question_id),
        system=row["model_name"],
        category=row["ability"],
        meta=row.rest(*_COLUMNS, "response_text", "instruct_id", "gemini_raw"),
    )


def mark_of(score: object) -> float | None:
    """Read the authors' judge's mark: last in double brackets, else the whole text."""
    if type(score) in (int, float):
        return float(score)  # type: ignore[arg-type]
    if not isinstance(score, str):
        return None
    marks = _MARK.findall(score)
    try:
        value = float(marks[-1] if marks else score)
    except ValueError:
        return None
    return value if 1 <= value <= 5 else None


def overall(means: Mapping[str, float]) -> tuple[float, float]:
    """Return the weighted mean over present abilities, and their share of weight."""
    covered = math.fsum(WEIGHTS[name] for name in means)
    total = math.fsum(WEIGHTS[name] * value for name, value in means.items())
    return total / covered, covered / math.fsum(WEIGHTS.values())


def _score(result: Converted, system: str, own: Sequence[Row]) -> None:
    abilities = {row["ability"] for row in own} & WEIGHTS.keys()
    covered = sum(WEIGHTS[name] for name in abilities)
    scored = [row for row in own if row.get("gemini_score") is not None]
    if not scored:
        note = (
            f"no scores in the files; the {len(abilities)} abilities cover {covered:.4f} of"
            " the weight"
        )
        result.figures.append(
            Figure("overall", system, n=len(own), unscored=len(own), note=note)
        )
        return
    marks: dict[str, list[float | None]] = {}
    words = "mark from 1 to 5 of the authors' audio judge"
    rule = AuthorsRule("vstyle", words, f"authors/vstyle/judge@{COMMIT}")
    for row in scored:
        mark = mark_of(row.get("gemini_score"))
        marks.setdefault(row["ability"], []).append(mark)
        details = f"gemini_score is {row.get('gemini_score')!r:.60}"
        result.scores.append(rule.score(str(row["id"]), system, mark, details))
    result.figures.append(_overall(system, marks, len(scored)))


def _overall(
    system: str, marks: Mapping[str, Sequence[float | None]], n: int
) -> Figure:
    """Compute the weighted mean of the marks; unread ones give it bounds, as 1 or 5."""
    read: dict[str, list[float]] = {}
    for name, values in marks.items():
        read[name] = [mark for mark in values if mark is not None]
    counts: dict[str, Any] = {"n": n, "unscored": n - sum(map(len, read.values()))}
    means: dict[str, float] = {}
    for name, values in read.items():
        if values and name in WEIGHTS:
            means[name] = fmean(values)
    if not means:
        return Figure("overall", system, **counts, note="no mark could be read")
    value, covered = overall(means)

    def bound(end: float) -> float:
        """Return the weighted mean with this mark for every mark that was not read."""
        filled: dict[str, float] = {}
        for name, values in marks.items():
            if name in WEIGHTS:
                with_end = [end if mark is None else mark for mark in values]
                filled[name] = fmean(with_end)
        return overall(filled)[0]

    low, high = bound(1), bound(5)
    note = f"{len(means)} abilities cover {covered:.4f} of the weight"
    return Figure(
        "overall", system, ours=value, **counts, worst=low, best=high, note=note
    )


def _key_of(row: Row) -> str:
    """Return the key that joins human ratings and answers."""
    joined = row.get("id_instruct_id")
    return (
        f"{row.get('id')}_{row.get('instruct_id')}" if joined is None else str(joined)
    )


def _correlate(result: Converted, rows: Rows, judged: Mapping[str, Marks]) -> None:
    """Correlate annotators with each other and the judge, over all and by ability.

    Every file with a column ``mos`` is an annotator's; ``judged`` has the judge's marks
    by group.
    """
    human: dict[str, Marks] = {}
    for path in rows.source.files("*.jsonl") + rows.source.files("*.csv"):
        if not path.name.startswith("metadata"):
            human[path.stem] = _marks(rows, path)
    if not human:
        return
    labels: list[tuple[Any, ...]] = []
    for rater, marks_of_rater in human.items():
        for key, mark in marks_of_rater.items():
            labels.append((key, rater, mark))
    result.labels = (("id_instruct_id", "rater", "score"), labels)
    every: Marks = {}
    for marks in judged.values():
        every |= marks
    for group, machine in {"": every, **judged}.items():
        kept: dict[str, Marks] = {}
        for name in sorted(human):
            kept[name] = human[name]
            if group:
                kept[name] = _marks_of(human[name], machine)
        sides: dict[str, tuple[Marks, Marks]] = {}
        for a, b in combinations(kept, 2):
            sides[f"{a} and {b}"] = kept[a], kept[b]
        for name, marks in kept.items():
            sides[f"{name} and the judge"] = marks, machine
        sides["mean of people and the judge"] = _mean_marks(kept.values()), machine
        of_group = f", {group}" if group else ""
        for who, (one, other) in sides.items():
            title = f"Spearman, {who}{of_group}"
            figure = correlation_figure(title, one, other, least=_LEAST)
            result.figures.append(figure)


def _marks_of(marks: Marks, items: Collection[str]) -> Marks:
    """Select the marks of some items."""
    return {key: mark for key, mark in marks.items() if key in items}


def _mean_marks(marks_of_people: Iterable[Marks]) -> Marks:
    """Average the marks of each item over all who gave it one."""
    marks_by_key: dict[str, list[float]] = {}
    for marks in marks_of_people:
        for key, mark in marks.items():
            marks_by_key.setdefault(key, []).append(mark)
    return {key: fmean(marks) for key, marks in marks_by_key.items()}


def _marks(rows: Rows, path: Path) -> Marks:
    marks: Marks = {}
    for row in rows.read(path, _MOS):
        try:
            marks[_key_of(row)] = float(row["mos"])
        except (TypeError, ValueError):
            rows.tell(row, f"mos is {row['mos']!r:.40}; expected a number")
    return marks
