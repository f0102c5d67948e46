"""Records of Qualtrics, MTurk, Toloka and Label Studio, one for each opinion."""

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
)

# ---- Qualtrics: texts of questions and ids of imports stand in the first rows


#: Qualtrics' own name of who answered: it is unique, and stands in every export.
_RESPONSE = "ResponseId"

#: What Qualtrics calls a question that has no name of its own; in a loop a number
#: stands before it.
_QUESTION = re.compile(r"(?:\d{1,3}_)?Q(?:ID)?\d")

#: Numbers in its column ``Status`` that are no responses of raters.
_STATUS = {"1": "a survey preview", "2": "a survey test", "8": "spam", "9": "spam"}


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
        name: str(texts[name]) if texts.get(name) and _QUESTION.match(name) else name
        for name in records[0]
    }
    who = names.first_of({"rater": names.LABELS["rater"]}, called.values())
    if _RESPONSE in called and not who:
        called[_RESPONSE] = "rater"
        notes.append(
            f"no column names the raters, so each is called by its {_RESPONSE}"
        )
    status = [cell_text(record, "Status") for record in records[above + 1 :]]
    for number in dict.fromkeys(status):
        if number in _STATUS:
            rows = counted(status.count(number), "row")
            notes.append(
                f"Status {number} is {_STATUS[number]}: {rows} of it count; leave them"
                f" out by --where 'Status!={number}'"
            )
    for record in records[above + 1 :]:
        yield {called.get(name, name): value for name, value in record.items()}


# ---- MTurk and Toloka: what was shown, what was answered, and who answered


def is_batch(records: Records) -> bool:
    """Tell whether columns are called as those of answers in a batch of tasks."""
    return any(re.match(r"Answer\.|OUTPUT:", name) for name in columns_of(records))


def batch(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Call what was shown and answered by its own name, and unfold answers in JSON.

    A task with several items, whose columns are numbered, becomes a record for each.
    """
    if several := _several(columns_of(records)):
        notes.append(
            f"each row is read as a task with {counted(len(several), 'item')}, by the"
            " numbers behind the names of columns"
        )
        records = list(_each_item(records, several))
    columns = columns_of(records)
    bare = {name: PREFIX.sub("", name, count=1) for name in columns}
    twice = {name for name in bare.values() if [*bare.values()].count(name) > 1}
    bare = {name: name if short in twice else short for name, short in bare.items()}
    if score := _only_number(records, bare):
        bare[score] = "score"
        notes.append(f"the column {score} is read as the scores")
    for record in records:
        ours: SurveyRecord = {}
        for name, value in record.items():
            ours |= _answers(value) or {bare[name]: value}
        yield ours


_NUMBERED = re.compile(r"(?P<name>[^\d\s]{1,60})(?P<number>\d{1,3})(?P<rest>\D{0,20})")


def _several(columns: Collection[str]) -> dict[str, dict[str, str]]:
    """Map the number of an item to its columns, and those to their names without it.

    There are several items where what was shown and what was answered have the same
    numbers.
    """
    items: dict[str, dict[str, str]] = {}
    shown: set[str] = set()
    answered: set[str] = set()
    for name in columns:
        parts = _NUMBERED.fullmatch(name)
        if parts is None or not PREFIX.match(name):
            continue
        stem = f"{parts['name'].rstrip('_-.')}{parts['rest']}"
        items.setdefault(parts["number"], {})[name] = stem
        is_answer = name.startswith(("Answer.", "OUTPUT:"))
        (answered if is_answer else shown).add(parts["number"])
    return items if shown == answered and len(shown) > 1 else {}


def _each_item(
    records: Records, several: Mapping[str, Mapping[str, str]]
) -> Iterator[SurveyRecord]:
    """Yield a record for each item of a task that has a value in any column."""
    numbered = {name for columns in several.values() for name in columns}
    for record in records:
        rest = {name: value for name, value in record.items() if name not in numbered}
        for columns in several.values():
            own = {short: record.get(name) for name, short in columns.items()}
            if any(value not in (None, "") for value in own.values()):
                yield {**rest, **own}


def _only_number(records: Records, bare: Mapping[str, str]) -> str | None:
    """Return the only column of numeric answers; None if there are several.

    None, too, if a column is named as scores or labels are.
    """
    known = {"score", "mos", "preference", "overall", "match"}
    fields = {**names.LABELS, **names.SCORES}
    if known & names.first_of(fields, bare.values()).keys():
        return None
    found: list[str] = []
    for name in bare:
        cells = {cell_text(record, name) for record in records}
        present = {cell for cell in cells if not is_missing(cell)}
        numbers = {number_of(cell) for cell in present}
        is_answer = name.startswith(("Answer.", "OUTPUT:"))
        if is_answer and numbers and None not in numbers and not numbers <= {1.0, 2.0}:
            found.append(name)
    return found[0] if len(found) == 1 else None


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
    for one in flat:
        one |= {name: _single(value) for name, value in one.items()}
    cancelled = sum(one.pop("was_cancelled", False) is True for one in flat)
    cancelled += sum(_dropped(record) for record in records)
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


def _dropped(record: Mapping[str, Any]) -> int:
    """Count the skipped annotations of a task that has others."""
    annotations = record.get("annotations")
    if not isinstance(annotations, list) or len(annotations) == 1:
        return 0
    return sum(one.get("was_cancelled") is True for one in annotations)


def _person(who: object) -> object:
    if isinstance(who, Mapping):
        return who.get("email") or who.get("id")
    return who


def _answer(value: object) -> object:
    """Read a cell, where an answer may be JSON in text."""
    if isinstance(value, str) and value.startswith(("{", "[{")):
        try:
            return strict_json.loads(value)
        except strict_json.BadJson:
            return value
    return value


def _single(value: object) -> object:
    """Return the one result of a list that holds it alone."""
    alone = (
        isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping)
    )
    return value[0] if alone and isinstance(value, list) else value


def _chosen(value: object) -> object:
    """Return what an answer says: its one choice, or its rating."""
    inner = value
    if isinstance(inner, Mapping):
        for key in ("choices", "rating", "number", "selected"):
            if key in inner:
                inner = inner[key]
                break
    if isinstance(inner, list) and len(inner) == 1:
        inner = inner[0]
    return inner if not isinstance(inner, list | Mapping) else value
