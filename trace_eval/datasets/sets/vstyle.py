"""vstyle: answers to instructions on how to speak, one row each in ``metadata.jsonl``.

``response_audio_path`` counts from the folder ``wav`` beside it; scored files have
``gemini_score``, a text. Abilities are read from the column, never from file names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from trace_eval.data.answers import Instruction
from trace_eval.data.items import Single
from trace_eval.datasets.base import Converted, Selection
from trace_eval.datasets.figures import Figure, weighted
from trace_eval.datasets.records import AuthorsRule, answer_of, unique_ids
from trace_eval.datasets.rows import ANY, Columns, Row, Rows, alone
from trace_eval.datasets.source import Source
from trace_eval.stats.ranking.correlation import correlate

#: Commit of the layout and the rules.
COMMIT = "70fa91a"

_SMALL, _THIRD = 0.125 / 6, 0.25 / 3

#: Ability -> its weight; the four groups have a quarter each.
WEIGHTS: Mapping[str, float] = {
    "acoustic_attributes/composite_properties": 0.125,
    **{
        f"acoustic_attributes/{name}": _SMALL
        for name in ("age", "gender", "speed", "emotion", "pitch", "volume")
    },
    **{f"instruction/{name}": _THIRD for name in ("emotion", "variation", "style")},
    **{f"role_play/{name}": 0.125 for name in ("character", "scenario")},
    **{
        f"empathy/{name}": 0.0625
        for name in ("anger", "sadness_disappointment", "anxiety_fear", "joy_excitement")
    },
}

_COLUMNS: Columns = {
    "id": (str, int),
    "ability": str,
    "instruct_text": str,
    "model_name": str,
    "response_audio_path": str,
}

_MARK = re.compile(r"\[\[\s*(\d+(?:\.\d+)?)\s*\]\]")


def read_vstyle(source: Source, chosen: Selection) -> Converted:
    """Read the answers of each system, with the scores of the authors' judge where they are.

    Raises:
        UserError: there is no ``metadata.jsonl``, or it has other columns.
    """
    chosen.check_sets(WEIGHTS)
    files = source.files("metadata*.jsonl")
    if not files:
        raise source.lacks("metadata.jsonl with the answers of a system")
    rows = Rows(source)
    converted = Converted(problems=rows.problems, rubrics=["vstyle"])
    read = [(path, row) for path in files for row in rows.read(path, _COLUMNS, "id")]
    kept = [
        (path, row)
        for path, row in read
        if chosen.wants(row["ability"]) and chosen.system in (None, row["model_name"])
    ]
    missing = 0
    for path, row in kept:
        audio = source.recording(path.parent / "wav", row["response_audio_path"])
        missing += audio is None
        with alone(converted.problems, row.where):
            converted.items.append(_item(source, path, row, audio))
    for name in sorted({row["model_name"] for _, row in kept}):
        own = [row for _, row in kept if row["model_name"] == name]
        _score(converted, name, own)
    if missing:
        converted.notes.append(
            f"{missing} of {len(kept)} recordings are not here; those items hold the text alone,"
            " and the question is about sound"
        )
    add_people(converted, rows, _judged([row for _, row in kept]))
    strange = sorted({row["ability"] for _, row in kept} - WEIGHTS.keys())
    if strange:
        converted.notes.append(
            f"abilities without a weight, left out of figures: {', '.join(strange)}"
        )
    converted.items, converted.scores = unique_ids(converted.items, converted.scores)
    return converted


def _judged(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Group of abilities -> answer -> mark of the authors' judge."""
    marks: dict[str, dict[str, float]] = {}
    for row in rows:
        mark = mark_of(row.get("gemini_score"))
        if mark is not None:
            marks.setdefault(row["ability"].partition("/")[0], {})[key_of(row)] = mark
    return marks


def _item(source: Source, path: Path, row: Row, audio: Path | str | None) -> Single:
    requested = row.text("instruction_audio_path")
    spoken = source.recording(path.parent / "wav", requested) if requested else None
    return Single(
        id=str(row["id"]),
        question_id=None if row.get("instruct_id") is None else str(row.get("instruct_id")),
        instruction=Instruction.model_validate(
            {"text": row["instruct_text"], **({"audio": spoken} if spoken else {})}
        ),
        answer=answer_of(row.text("response_text"), audio),
        system=row["model_name"],
        category=row["ability"],
        meta=row.rest(*_COLUMNS, "response_text", "instruct_id", "gemini_raw"),
    )


def mark_of(score: object) -> float | None:
    """The mark of the authors' judge: the last one in double brackets, else the whole text."""
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
    """(weighted mean over the abilities that are there, share of all weight that they cover)."""
    return weighted(means, WEIGHTS)


def _score(found: Converted, system: str, own: Sequence[Row]) -> None:
    here = {row["ability"] for row in own} & WEIGHTS.keys()
    covered = sum(WEIGHTS[name] for name in here)
    scored = [row for row in own if row.get("gemini_score") is not None]
    if not scored:
        note = (
            f"no scores in the files; the {len(here)} abilities cover {covered:.4f} of the weight"
        )
        found.figures.append(Figure("overall", system, n=len(own), unscored=len(own), note=note))
        return
    marks: dict[str, list[float]] = {}
    unread: dict[str, int] = {}
    words = "mark from 1 to 5 of the authors' audio judge"
    rule = AuthorsRule("vstyle", words, f"authors/vstyle/judge@{COMMIT}")
    for row in scored:
        mark = mark_of(row.get("gemini_score"))
        ability = row["ability"]
        if mark is None:
            unread[ability] = unread.get(ability, 0) + 1
        else:
            marks.setdefault(ability, []).append(mark)
        details = f"gemini_score is {row.get('gemini_score')!r:.60}"
        found.scores.append(rule.score(str(row["id"]), system, mark, details))
    found.figures.append(_overall(system, marks, unread, len(scored)))


def _overall(
    system: str, marks: Mapping[str, list[float]], unread: Mapping[str, int], n: int
) -> Figure:
    available = {name: values for name, values in marks.items() if name in WEIGHTS}
    lost = sum(unread.values())
    if not available:
        return Figure("overall", system, n=n, unscored=n, note="no mark could be read")
    value, covered = overall({name: sum(v) / len(v) for name, v in available.items()})
    names = (available.keys() | unread.keys()) & WEIGHTS.keys()
    low, high = (
        overall(
            {
                name: (sum(marks.get(name, ())) + end * unread.get(name, 0))
                / (len(marks.get(name, ())) + unread.get(name, 0))
                for name in names
            }
        )[0]
        for end in (1, 5)
    )
    note = f"{len(available)} abilities cover {covered:.4f} of the weight"
    return Figure(
        "overall", system, ours=value, n=n, unscored=lost, worst=low, best=high, note=note
    )


_MOS: Columns = {"mos": ANY}

#: Answers that two must share for a correlation.
_LEAST = 3

#: Answer (``ID_INSTRUCT``) -> mark.
Marks = dict[str, float]


def key_of(row: Row) -> str:
    """The key that joins human ratings and answers."""
    joined = row.get("id_instruct_id")
    return f"{row.get('id')}_{row.get('instruct_id')}" if joined is None else str(joined)


def add_people(result: Converted, rows: Rows, judged: Mapping[str, Mapping[str, float]]) -> None:
    """Correlate annotators with each other and with the judge, over all and by group of abilities.

    Args:
        result: gets figures and labels.
        rows: of the source; every file with a column ``mos`` is an annotator's.
        judged: group of abilities -> answer -> mark of the judge.
    """
    people = _annotators(rows)
    if not people:
        return
    result.labels = (
        ("id_instruct_id", "rater", "score"),
        [(key, name, mark) for name, marks in people.items() for key, mark in marks.items()],
    )
    every = {key: mark for marks in judged.values() for key, mark in marks.items()}
    groups: dict[str, Mapping[str, float]] = {"": every, **judged}
    for group, machine in groups.items():
        kept = {n: _within(m, machine if group else None) for n, m in people.items()}
        keys = {key for marks in kept.values() for key in marks}
        means = {
            key: sum(provided) / len(provided)
            for key in keys
            if (provided := [marks[key] for marks in kept.values() if key in marks])
        }
        about = f", {group}" if group else ""
        for one, other in combinations(sorted(kept), 2):
            _correlation(result, f"Spearman, {one} and {other}{about}", kept[one], kept[other])
        for name in sorted(kept):
            _correlation(result, f"Spearman, {name} and the judge{about}", kept[name], machine)
        _correlation(result, f"Spearman, mean of people and the judge{about}", means, machine)


def _annotators(rows: Rows) -> dict[str, Marks]:
    people: dict[str, Marks] = {}
    for path in (*rows.source.files("*.jsonl"), *rows.source.files("*.csv")):
        if path.name.startswith("metadata"):
            continue
        marks: Marks = {}
        for row in rows.read(path, _MOS):
            try:
                marks[key_of(row)] = float(row["mos"])
            except (TypeError, ValueError):
                rows.tell(row, f"mos is {row['mos']!r:.40}; expected a number")
        people[path.stem] = marks
    return people


def _within(marks: Marks, keys: Mapping[str, float] | None) -> Marks:
    return marks if keys is None else {key: mark for key, mark in marks.items() if key in keys}


def _correlation(
    result: Converted, name: str, one: Mapping[str, float], other: Mapping[str, float]
) -> None:
    shared: Sequence[str] = sorted(one.keys() & other.keys())
    rho = None
    if len(shared) >= _LEAST:
        first, second = ({key: marks[key] for key in shared} for marks in (one, other))
        rho = correlate("first", first, "second", second).spearman
    result.figures.append(Figure(name, decimals=4, ours=rho, n=len(shared)))
