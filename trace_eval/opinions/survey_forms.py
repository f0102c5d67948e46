"""Forms with a row per rater and a column per item, as a record per opinion."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from blueprints import counted
from trace_eval.data import names
from trace_eval.data.spelling import is_missing
from trace_eval.opinions.cells import CATEGORIES, number_of
from trace_eval.opinions.survey_cells import (
    Records,
    SurveyRecord,
    cell_text,
    columns_of,
    label_of,
)

_IN_BRACKETS = re.compile(r"\A(?P<question>.*?\S)\s*\[(?P<item>[^\[\]]+)\]\s*")
_BEHIND_DASH = re.compile(r"\A(?P<question>.*\S)\s+[-–—]\s+(?P<item>[^\n]+?)\s*", re.S)
_BEFORE_COLON = re.compile(r"\A(?P<item>[^:\n]*[^:\s]):\s+(?P<question>[^\n]*\S)\s*")

_IN_PARENTHESES = re.compile(r"\A(?P<question>[^()]+)\((?P<item>[^()]+)\)\s*")

#: The number that a form writes in front of each of its questions.
_NUMBER = re.compile(r"\A\s*Q?\d{1,3}[.)]\s+")

#: Columns that Microsoft Forms writes in front of its questions; the first numbers the
#: responses.
_MICROSOFT = ("ID", "Start time", "Completion time", "Email", "Name")

#: A place on a scale with its word, as forms offer it: ``4 - Good``, ``4 (good)``, ``4:
#: good``.
_PLACE_AND_WORD = re.compile(
    r"(?P<place>[+-]?\d{1,3}(?:\.\d{1,3})?)\s{0,4}[-–—:.)=(]\s{0,4}[^\W\d]\D*"
)


def _questions(columns: Collection[str]) -> dict[str, dict[str, str]]:
    """Map questions about several items to their items' columns of answers.

    The same question about the same item twice is none that is read.
    """
    for form in (_IN_BRACKETS, _BEHIND_DASH, _BEFORE_COLON, _IN_PARENTHESES):
        groups: dict[str, dict[str, str]] = {}
        found = 0
        for name in columns:
            if parts := form.fullmatch(_NUMBER.sub("", name)):
                question = parts["question"].strip()
                groups.setdefault(question, {})[parts["item"].strip()] = name
                found += 1
        if found > sum(map(len, groups.values())):
            continue
        several = {
            question: items for question, items in groups.items() if len(items) > 1
        }
        if several:
            return several
    return {}


def is_form(records: Records) -> bool:
    """Tell whether one question has a column for each of several items."""
    columns = _without_numbers(columns_of(records))
    return bool(_questions(columns)) and not names.first_of(
        {"id": names.NAMES["id"]}, columns
    )


def _without_numbers(columns: list[str]) -> list[str]:
    """Leave out the column that numbers the responses, which is no id of an item."""
    numbered = {*_MICROSOFT[:3]} <= {*columns}
    return [name for name in columns if name != _MICROSOFT[0]] if numbered else columns


def form(records: Records, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each item that a row, which is a rater, has answers for."""
    columns = _without_numbers(columns_of(records))
    questions = _questions(columns)
    answers = {name for items in questions.values() for name in items.values()}
    only = next(iter(questions)) if len(questions) == 1 else None
    called = _called(records, questions[only].values()) if only else None
    who = _rater_column(records)
    every = list(dict.fromkeys(item for items in questions.values() for item in items))
    by = f"the column {who}" if who else "their place"
    notes.append(
        f"each row is read as a rater, called by {by}, and"
        f" {counted(len(every), 'column')} as {counted(len(every), 'item')}, called by"
        " what stands beside the question"
    )
    for number, record in enumerate(records, start=1):
        shared = {name: value for name, value in record.items() if name not in answers}
        if who != _MICROSOFT[0] and _MICROSOFT[0] not in columns:
            shared.pop(_MICROSOFT[0], None)
        shared["rater"] = shared.pop(who, None) if who else f"row {number}"
        for item in every:
            given = {
                called or question: _place(record.get(items[item]))
                for question, items in questions.items()
                if item in items
            }
            yield {**shared, "id": item, **given}


def _rater_column(records: Records) -> str | None:
    """Return the column that names the raters; of nameless responses their number."""
    columns = columns_of(records)
    who = names.first_of({"rater": names.LABELS["rater"]}, columns).get("rater")
    numbered = _without_numbers(columns) != columns
    named = {cell_text(record, who) for record in records} if who else set()
    if numbered and len(named) < len(records):
        return _MICROSOFT[0]
    return who


def _place(answer: object) -> object:
    """Return the place of an answer that is a place and its word; others as is."""
    parts = _PLACE_AND_WORD.fullmatch(str(answer).strip())
    return parts["place"] if parts else answer


def _called(records: Records, columns: Collection[str]) -> str:
    """Name the answers' column: ``score`` or that of a label.

    Numbers other than the labels 1 and 2 are scores, and so are words of P.800.
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
    if present and {cell.casefold() for cell in present} <= CATEGORIES.keys():
        return "score"
    labels = {label_of(cell) for cell in present}
    return "overall" if labels & {"both_good", "both_bad"} else "preference"
