"""Records of Qualtrics, MTurk, Toloka, forms and Label Studio, one per opinion."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from blueprints import counted
from trace_eval.data import names, strict_json
from trace_eval.data.spelling import is_missing
from trace_eval.opinions.cells import number_of
from trace_eval.opinions.survey_cells import (
    PREFIX,
    Records,
    SurveyRecord,
    cell_text,
    columns_of,
    label_of,
)

# ---- Qualtrics: texts of questions and ids of imports stand in the first rows


#: Qualtrics' own name of who answered: it is unique, and stands in every export.
_RESPONSE = "ResponseId"


def is_qualtrics(records: Records) -> bool:
    """Tell whether ids of imports stand in the first rows."""
    return any(_is_import_row(record) for record in records[:2])


def _is_import_row(record: Mapping[str, Any]) -> bool:
    return any(str(value).startswith('{"ImportId"') for value in record.values())


def qualtrics(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Call a column by the text of its question, where its own name is a number of one.

    Raters are called by ``ResponseId`` where no other column names them.
    """
    above = next(n for n, record in enumerate(records[:2]) if _is_import_row(record))
    texts = records[0] if above else {}
    called = {
        name: str(texts[name]) if texts.get(name) and re.match(r"Q\d", name) else name
        for name in records[0]
    }
    who = names.first_of({"rater": names.LABELS["rater"]}, called.values())
    if _RESPONSE in called and not who:
        called[_RESPONSE] = "rater"
        notes.append(
            f"no column names the raters, so each is called by its {_RESPONSE}"
        )
    for record in records[above + 1 :]:
        yield {called.get(name, name): value for name, value in record.items()}


# ---- MTurk and Toloka: what was shown, what was answered, and who answered


def is_batch(records: Records) -> bool:
    """Tell whether columns are called as those of answers in a batch of tasks."""
    return any(re.match(r"Answer\.|OUTPUT:", name) for name in columns_of(records))


def batch(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Call what was shown and answered by its own name, and unfold answers in JSON."""
    columns = columns_of(records)
    bare = {name: PREFIX.sub("", name, count=1) for name in columns}
    twice = {name for name in bare.values() if [*bare.values()].count(name) > 1}
    bare = {name: name if short in twice else short for name, short in bare.items()}
    for record in records:
        ours: SurveyRecord = {}
        for name, value in record.items():
            ours |= _answers(value) or {bare[name]: value}
        yield ours


def _answers(cell: object) -> SurveyRecord:
    """Read a form's answers by place from a JSON cell, ``[{"pref": {"A": true}}]``."""
    if not isinstance(cell, str) or not cell.lstrip().startswith(("[{", "{")):
        return {}
    try:
        value = strict_json.loads(cell)
    except strict_json.BadJson:
        return {}
    parts = value if isinstance(value, list) else [value]
    every: SurveyRecord = {}
    for part in parts:
        if isinstance(part, dict):
            every |= _flat(part)
    return every


def _flat(record: Mapping[str, Any], stem: str = "") -> SurveyRecord:
    flat: SurveyRecord = {}
    for name, value in record.items():
        place = f"{stem}{name}"
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{place}.")
        else:
            flat[place] = value
    return flat


# ---- forms: a row for each rater, a column for each item


_IN_BRACKETS = re.compile(r"\A(?P<question>.*?\S)\s*\[(?P<item>[^\[\]]+)\]\s*")
_BEHIND_DASH = re.compile(r"\A(?P<question>.*\S)\s+[-–—]\s+(?P<item>[^\n]+?)\s*", re.S)
_BEFORE_COLON = re.compile(r"\A(?P<item>[^:\n]*[^:\s]):\s+(?P<question>[^\n]*\S)\s*")

#: A place on a scale with its word, as forms offer it: ``4 - Good``, ``4 (good)``, ``4:
#: good``.
_PLACE_AND_WORD = re.compile(
    r"(?P<place>[+-]?\d{1,3}(?:\.\d{1,3})?)\s{0,4}[-–—:.)=(]\s{0,4}[^\W\d]\D*"
)


def _questions(columns: Collection[str]) -> dict[str, dict[str, str]]:
    """Map questions about several items to their items' columns of answers."""
    for form in (_IN_BRACKETS, _BEHIND_DASH, _BEFORE_COLON):
        groups: dict[str, dict[str, str]] = {}
        for name in columns:
            if parts := form.fullmatch(name):
                groups.setdefault(parts["question"], {})[parts["item"]] = name
        several = {
            question: items for question, items in groups.items() if len(items) > 1
        }
        if several:
            return several
    return {}


def is_form(records: Records) -> bool:
    """Tell whether one question has a column for each of several items."""
    columns = columns_of(records)
    return bool(_questions(columns)) and not names.first_of(
        {"id": names.NAMES["id"]}, columns
    )


def form(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each item that a row, which is a rater, has answers for."""
    columns = columns_of(records)
    questions = _questions(columns)
    answers = {name for items in questions.values() for name in items.values()}
    only = next(iter(questions)) if len(questions) == 1 else None
    called = _called(records, questions[only].values()) if only else None
    who = names.first_of({"rater": names.LABELS["rater"]}, columns).get("rater")
    every = list(dict.fromkeys(item for items in questions.values() for item in items))
    by = f"the column {who}" if who else "their place"
    notes.append(
        f"each row is read as a rater, called by {by}, and"
        f" {counted(len(every), 'column')} as {counted(len(every), 'item')}, called by"
        " what stands beside the question"
    )
    for number, record in enumerate(records, start=1):
        shared = {name: value for name, value in record.items() if name not in answers}
        shared["rater"] = shared.pop(who, None) if who else f"row {number}"
        for item in every:
            given = {
                called or question: _place(record.get(items[item]))
                for question, items in questions.items()
                if item in items
            }
            yield {**shared, "id": item, **given}


def _place(answer: object) -> object:
    """Return an answer's place if it is a place and its word; others stay as is."""
    parts = _PLACE_AND_WORD.fullmatch(str(answer).strip())
    return parts["place"] if parts else answer


def _called(records: Records, columns: Collection[str]) -> str:
    """Name the answers' column: ``score`` for numbers beyond labels, or a label's.

    Labels are 1 and 2.
    """
    cells = {
        str(_place(cell_text(record, name))) for record in records for name in columns
    }
    present = {cell for cell in cells if not is_missing(cell)}
    if (
        present
        and all(number_of(cell) is not None for cell in present)
        and present - {"1", "2"}
    ):
        return "score"
    labels = {label_of(cell) for cell in present}
    return "overall" if labels & {"both_good", "both_bad"} else "preference"


# ---- Label Studio: JSON with annotations, and its smaller forms


def is_studio(records: Records) -> bool:
    """Tell whether records are tasks with annotations, or the smaller forms of them."""
    columns = {*columns_of(records)}
    whole = bool(records) and all(
        isinstance(record.get("annotations"), list)
        and isinstance(record.get("data"), Mapping)
        for record in records
    )
    return whole or (
        "annotator" in columns and bool(columns & {"lead_time", "annotation_id"})
    )


def studio(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each annotation that was not skipped."""
    flat = [one for record in records for one in _annotations(record)]
    cancelled = sum(one.pop("was_cancelled", False) is True for one in flat)
    if cancelled:
        notes.append(
            f"{counted(cancelled, 'annotation')} skipped by their annotators count"
            " as none"
        )
    pairwise = {
        name
        for one in flat
        for name, value in one.items()
        if isinstance(value, Mapping) and "selected" in value
    }
    neither = 0
    for one in flat:
        neither += bool(pairwise) and not any(map(one.get, pairwise))
    if neither:
        notes.append(
            f"no side is selected in {counted(neither, 'annotation')}, which is a tie"
        )
    ids = {*names.NAMES["id"]} - {"id"}
    for one in flat:
        if any(one.get(name) not in (None, "") for name in ids):
            one.pop("id", None)  # the number of the task; the item has an id of its own
        for name in sorted(pairwise):
            side = (one.pop(name, None) or {}).get("selected")
            one["preference" if len(pairwise) == 1 else name] = side or "tie"
        yield {name: _chosen(value) for name, value in one.items()}


def _annotations(record: Mapping[str, Any]) -> Iterator[SurveyRecord]:
    """Yield each annotation of a task as a record; smaller forms are one already."""
    if not isinstance(record.get("annotations"), list):
        yield {name: _answer(value) for name, value in record.items()}
        return
    for annotation in record["annotations"]:
        who = annotation.get("completed_by")
        one: SurveyRecord = {**record["data"], "rater": _person(who)}
        one.setdefault("id", record.get("id"))
        one["was_cancelled"] = annotation.get("was_cancelled") is True
        for result in () if one["was_cancelled"] else annotation.get("result") or ():
            value = result.get("value")
            one[str(result.get("from_name", "choice"))] = value
        if not one["was_cancelled"] or len(record["annotations"]) == 1:
            yield one


def _person(who: object) -> object:
    if isinstance(who, Mapping):
        return who.get("email") or who.get("id")
    return who


def _answer(value: object) -> object:
    """Read a cell, where an answer may be JSON in text."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return strict_json.loads(value)
        except strict_json.BadJson:
            return value
    return value


def _chosen(value: object) -> object:
    """Return what an answer says: its one choice, or its rating."""
    inner = value
    if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], Mapping):
        inner = inner[0]
    if isinstance(inner, Mapping):
        for key in ("choices", "rating", "number", "selected"):
            if key in inner:
                inner = inner[key]
                break
    if isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    return inner if not isinstance(inner, list | Mapping) else value
