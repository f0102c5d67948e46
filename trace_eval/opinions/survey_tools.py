"""Records of Qualtrics, MTurk, Toloka and Label Studio, one for each opinion."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from blueprints import InputError, counted
from trace_eval.data import names, strict_json
from trace_eval.data.spelling import is_missing
from trace_eval.opinions.cells import number_of
from trace_eval.opinions.column_words import sums_up
from trace_eval.opinions.survey_cells import (
    PREFIX,
    Records,
    SurveyRecord,
    SurveyTable,
    cell_text,
    columns_of,
    is_answer,
    without_prefixes,
)

# ---- Qualtrics: texts of questions and ids of imports stand in the first rows


#: Qualtrics' own name of who answered: it is unique, and stands in every export.
_RESPONSE = "ResponseId"

#: What Qualtrics calls a question that has no name of its own; in a loop a number
#: stands before it.
_QUESTION = re.compile(r"(?:\d{1,3}_)?Q(?:ID)?\d")

#: A column of one of several parts of a question, whatever that is called.
_PART = re.compile(r"_\d{1,3}\Z")

#: A column of a round of a loop.
_ROUND = re.compile(r"(?P<round>\d{1,3})_")

#: What it measures of a page: when it was clicked and left.
_TIMER = re.compile(r"_(?:First Click|Last Click|Page Submit|Click Count)\Z")

#: Numbers in its column ``Status`` that are no responses of raters.
_STATUS = {"1": "a survey preview", "2": "a survey test", "8": "spam", "9": "spam"}


def is_qualtrics(table: SurveyTable) -> bool:
    """Tell whether ids of imports stand in the first rows."""
    return any(map(_is_import_row, table.records[:2]))


def _is_import_row(record: Mapping[str, Any]) -> bool:
    return any(str(value).startswith('{"ImportId"') for value in record.values())


def qualtrics(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Call a column by the text of its question, where its own name is a number of one.

    Raters are called by ``ResponseId`` where no other column names them.
    """
    records = table.records
    if _is_import_row(records[0]):
        texts: Mapping[str, Any] = {}
        responses = records[1:]
    else:
        texts = records[0]
        responses = records[2:]
    new_names = _questions(records[0], texts, records[1 if texts else 0])
    rater = names.first_of({"rater": names.LABELS["rater"]}, new_names.values())
    if _RESPONSE in new_names and not rater:
        new_names[_RESPONSE] = "rater"
        notes.append(
            f"no column names the raters, so each is called by its {_RESPONSE}"
        )
    status = Counter(cell_text(record, "Status") for record in responses)
    for number, rows in status.items():
        if number in _STATUS:
            notes.append(
                f"Status {number} is {_STATUS[number]}: {counted(rows, 'row')} of it"
                f" count; leave them out by --where 'Status!={number}'"
            )
    for record in responses:
        response: SurveyRecord = {}
        for name, value in record.items():
            if not _TIMER.search(name):
                response[new_names.get(name, name)] = value
        yield response


def _questions(
    columns: Collection[str], texts: Mapping[str, Any], imports: Mapping[str, Any]
) -> dict[str, str]:
    """Map columns to the texts of their questions, or to their own names.

    A loop asks one question again: its rounds are told apart by their numbers.

    Args:
        imports: the ids of imports, which name a question whatever a user calls it; one
            that has a single part keeps its name.
    """
    new_names: dict[str, str] = {}
    stems: dict[str, str] = {}
    for name in columns:
        if _PART.search(name) and "QID" in str(imports.get(name)):
            stems[name] = _PART.sub("", name)
    parts = Counter(stems.values())
    for name in columns:
        is_part = parts[stems.get(name, "")] > 1
        is_question = texts.get(name) and (_QUESTION.match(name) or is_part)
        new_names[name] = str(texts[name]) if is_question else name
    times = Counter(new_names.values())
    for name, text in new_names.items():
        if times[text] > 1:
            in_loop = _ROUND.match(name)
            new_names[name] = f"{text} [{in_loop['round']}]" if in_loop else name
    if len(set(new_names.values())) < len(new_names):  # two questions of one loop
        return {name: name for name in columns}
    return new_names


# ---- MTurk and Toloka: what was shown, what was answered, and who answered


def is_batch(table: SurveyTable) -> bool:
    """Tell whether columns are called as those of answers in a batch of tasks."""
    return any(map(is_answer, table.columns))


def batch(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Call what was shown and answered by its own name, and unfold answers in JSON.

    A task with several items, whose columns are numbered, becomes a record for each.
    """
    records = _without_echoes(list(map(_with_answers, table.records)))
    several = _several(columns_of(records))
    if several:
        notes.append(
            f"each row is read as a task with {counted(len(several), 'item')}, by the"
            " numbers behind the names of columns"
        )
        records = list(_each_item(records, several))
    new_names = without_prefixes(columns_of(records))
    score = _only_number(records, new_names)
    if score:
        new_names[score] = "score"
        notes.append(f"the column {score} is read as the scores")
    for record in records:
        yield {new_names[name]: value for name, value in record.items()}


def _with_answers(record: Mapping[str, Any]) -> SurveyRecord:
    """Unfold what JSON cells hold, under the prefix of answers where theirs has it."""
    unfolded: SurveyRecord = {}
    for name, value in record.items():
        answers = _answers(value)
        prefix = "Answer." if is_answer(name) else ""
        for place, answer in answers.items():
            unfolded[f"{prefix}{place}"] = answer
        if not answers:
            unfolded[name] = value
    return unfolded


def _without_echoes(records: Records) -> Records:
    """Leave out answers that a form sends back as they were shown, in every record."""
    shown: dict[str, str] = {}
    for name in columns_of(records):
        if PREFIX.match(name) and not is_answer(name):
            shown[PREFIX.sub("", name, count=1)] = name
    echoes: set[str] = set()
    for name in filter(is_answer, columns_of(records)):
        source = shown.get(PREFIX.sub("", name, count=1))
        if source and all(
            cell_text(record, name) == cell_text(record, source) for record in records
        ):
            echoes.add(name)
    if not echoes:
        return records
    kept: list[SurveyRecord] = []
    for record in records:
        kept.append({n: value for n, value in record.items() if n not in echoes})
    return kept


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
        if is_answer(name):
            answered.add(parts["number"])
        else:
            shown.add(parts["number"])
    if shown != answered or len(shown) < 2:
        return {}
    return items


def _each_item(
    records: Records, several: Mapping[str, Mapping[str, str]]
) -> Iterator[SurveyRecord]:
    """Yield a record for each item of a task that has a value in any column."""
    numbered = set(chain.from_iterable(several.values()))
    for record in records:
        shared = {name: value for name, value in record.items() if name not in numbered}
        for columns in several.values():
            item = {short: record.get(name) for name, short in columns.items()}
            if any(value not in (None, "") for value in item.values()):
                yield shared | item


def _only_number(records: Records, new_names: Mapping[str, str]) -> str | None:
    """Return the only column of numeric answers; None if there are several.

    None, too, if a column is named as scores or labels are.
    """
    opinions = {"score", "mos", "preference", "overall", "match"}
    fields = names.first_of({**names.LABELS, **names.SCORES}, new_names.values())
    if not opinions.isdisjoint(fields):
        return None
    found: list[str] = []
    for name in filter(is_answer, new_names):
        cells = {cell_text(record, name) for record in records}
        numbers = {number_of(cell) for cell in cells if not is_missing(cell)}
        if numbers and None not in numbers and not numbers <= {1.0, 2.0}:
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


#: What an answer says, by the kind of its control.
_ANSWERS = frozenset(("choices", "rating", "number", "selected"))


def is_studio(table: SurveyTable) -> bool:
    """Tell whether records are tasks with annotations, or the smaller forms of them."""
    columns = table.columns
    if table.records and all(map(_is_task, table.records)):
        return True
    names_annotation = "lead_time" in columns or "annotation_id" in columns
    return "annotator" in columns and names_annotation


def _is_task(record: Mapping[str, Any]) -> bool:
    has_annotations = _annotations_of(record) is not None
    return has_annotations and isinstance(record.get("data"), Mapping)


def _is_mapping(value: object) -> bool:
    return isinstance(value, Mapping)


def _annotations_of(task: Mapping[str, Any]) -> list[Any] | None:
    """Return what annotators said of a task, which versions before 1.0 name otherwise.

    None: it is no task.
    """
    for name in ("annotations", "completions"):
        annotations = task.get(name)
        if isinstance(annotations, list) and all(map(_is_mapping, annotations)):
            return annotations
    return None


def studio(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each annotation that was not skipped."""
    annotations: list[SurveyRecord] = []
    skipped = 0
    for record in table.records:
        skipped += _dropped(record)
        for annotation in _annotations(record):
            skipped += annotation.pop("was_cancelled", False) is True
            single = {name: _single(value) for name, value in annotation.items()}
            annotations.append(single)
    if not annotations:
        raise InputError("no task has an annotation; export it again when some have")
    _name_score(annotations)
    if skipped:
        notes.append(
            f"{counted(skipped, 'annotation')} skipped by their annotators count as"
            " none"
        )
    pairwise: set[str] = set()
    for annotation in annotations:
        for name, value in annotation.items():
            if isinstance(value, Mapping) and "selected" in value:
                pairwise.add(name)
    if pairwise:
        undecided = sum(not any(map(one.get, pairwise)) for one in annotations)
        if undecided:
            notes.append(
                f"no side is selected in {counted(undecided, 'annotation')}, which is a"
                " tie"
            )
    ids = set(names.NAMES["id"]) - {"id"}
    for annotation in annotations:
        if any(annotation.get(name) not in (None, "") for name in ids):
            # it is the number of the task; the item has an id of its own
            annotation.pop("id", None)
        for name in sorted(pairwise):
            answer = annotation.pop(name, None) or {}
            column = "preference" if len(pairwise) == 1 else name
            annotation[column] = answer.get("selected") or "tie"
        yield {name: _chosen(value) for name, value in annotation.items()}


def _name_score(annotations: Iterable[SurveyRecord]) -> None:
    """Call the control that holds ratings or numbers the score, where it is alone.

    A control that is called like a label, such as ``overall``, keeps its name.
    """
    controls: dict[str, None] = {}
    keys: set[str] = set()
    for annotation in annotations:
        for name, value in annotation.items():
            if isinstance(value, Mapping) and not _ANSWERS.isdisjoint(value):
                controls[name] = None
                keys.update(value)
    only = next(iter(controls), "")
    if len(controls) != 1 or keys.isdisjoint({"rating", "number"}) or sums_up(only):
        return
    if not names.first_of({**names.LABELS, **names.SCORES}, controls):
        for annotation in annotations:
            annotation["score"] = annotation.pop(only, None)


def _annotations(record: Mapping[str, Any]) -> Iterator[SurveyRecord]:
    """Yield each annotation of a task as a record; smaller forms are one already."""
    of_task = _annotations_of(record)
    if of_task is None:
        yield {name: _answer(value) for name, value in record.items()}
        return
    for annotation in of_task:
        is_cancelled = annotation.get("was_cancelled") is True
        opinion: SurveyRecord = dict(record["data"])
        opinion["rater"] = _person(annotation.get("completed_by"))
        opinion.setdefault("id", record.get("id"))
        opinion["was_cancelled"] = is_cancelled
        if not is_cancelled:
            for result in annotation.get("result") or ():
                name = str(result.get("from_name", "choice"))
                opinion[name] = result.get("value")
        if not is_cancelled or len(of_task) == 1:
            yield opinion


def _dropped(record: Mapping[str, Any]) -> int:
    """Count the skipped annotations of a task that has others."""
    annotations = _annotations_of(record)
    if annotations is None or len(annotations) == 1:
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
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
        return value[0]
    return value


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
    if isinstance(inner, list | Mapping):
        return value
    return inner
