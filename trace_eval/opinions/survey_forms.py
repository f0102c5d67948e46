"""Forms with a column for each item, choice or rater, as a record per opinion."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

from blueprints import InputError, counted
from trace_eval.data import names
from trace_eval.data.spelling import PLAIN, is_missing, label_of
from trace_eval.opinions.cells import CATEGORIES, number_of
from trace_eval.opinions.column_words import RATER, names_a_part
from trace_eval.opinions.survey_cells import (
    NO,
    OPINIONS_OF_PAIRS,
    YES,
    SurveyRecord,
    SurveyTable,
    cell_text,
    without,
)

# ---- several columns that may name the raters, of which the first are empty


#: What columns of raters are called, without what does not count in a name.
_RATERS = frozenset(map(names.bare, names.NAMES["rater"]))


def _empty_raters(table: SurveyTable) -> list[str]:
    """List columns of raters without a cell, where another one names them."""
    of_raters = [name for name in table.columns if names.bare(name) in _RATERS]
    if len(of_raters) < 2:
        return []
    empty = [name for name in of_raters if all(map(is_missing, table.texts(name)))]
    return empty if len(empty) < len(of_raters) else []


def has_empty_raters(table: SurveyTable) -> bool:
    """Tell whether a column that may name the raters is empty, and another one not."""
    return bool(_empty_raters(table))


def named_raters(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Leave out the columns of raters that are empty."""
    empty = _empty_raters(table)
    for record in table.records:
        yield without(record, empty)


# ---- one column of flags for each choice


_STEM = re.compile(r"\A(?P<stem>.+[.:_\s\-/\[])(?P<choice>[^.:]+?)\]?")


def _flag_columns(table: SurveyTable) -> list[str]:
    """List columns of yes and no that have no meaning by their name."""
    flags: list[str] = []
    for name in table.columns:
        if names.bare(name) in names.KNOWN:
            continue
        cells = {text.casefold() for text in table.texts(name)}
        if cells <= YES | NO and not cells <= {""}:
            flags.append(name)
    return flags


def _places(table: SurveyTable) -> dict[str, str]:
    """Map flag columns to places on a scale; empty if there is no scale.

    A scale is a question with three or more numbers.
    """
    questions: dict[str, dict[str, str]] = {}
    for name in _flag_columns(table):
        parts = _STEM.fullmatch(name)
        if parts and number_of(parts["choice"]) is not None:
            questions.setdefault(parts["stem"], {})[name] = parts["choice"]
    for places in questions.values():
        if len(places) > 2:
            return places
    return {}


def _choices(table: SurveyTable) -> dict[str, str]:
    """Map flag columns to the labels they stand for; empty if not of both sides."""
    questions: dict[str, dict[str, str]] = {}
    places = _places(table)
    for name in _flag_columns(table):
        if name in places:
            continue
        stem = ""
        label = label_of(name)
        parts = _STEM.fullmatch(name)
        if label is None and parts:
            stem = parts["stem"]
            label = label_of(parts["choice"])
        if label is not None:
            questions.setdefault(stem, {})[name] = label
    for labels in questions.values():
        if {"1", "2"} <= set(labels.values()):
            return labels
    return {}


def _checked(record: Mapping[str, Any], choices: Collection[str]) -> list[str]:
    """List the flag columns that a record says yes in."""
    return [name for name in choices if cell_text(record, name).casefold() in YES]


def has_flags(table: SurveyTable) -> bool:
    """Tell whether each row checks one of several columns of yes and no at most."""
    if not OPINIONS_OF_PAIRS.isdisjoint(table.fields):
        return False
    choices = _choices(table) or _places(table)
    checks = [len(_checked(record, choices)) for record in table.records]
    return any(checks) and max(checks) < 2


def flags(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Read the column that each row checks as its label, or its score."""
    choices = _choices(table)
    if not choices:
        choices = _places(table)
        column = "score"
    elif PLAIN.issuperset(choices.values()):
        column = "preference"
    else:
        column = "overall"
    notes.append(f"the columns {', '.join(choices)} are read as one choice")
    for number, record in enumerate(table.records, start=1):
        checked = _checked(record, choices)
        if len(checked) > 1:
            raise InputError(
                f"record {number}: {' and '.join(checked)} are both checked; keep"
                " one of them"
            )
        opinion = without(record, choices)
        opinion[column] = choices[checked[0]] if checked else None
        yield opinion


# ---- a row for each rater, and a column for each item


_IN_BRACKETS = re.compile(r"\A(?P<question>.*?\S)\s*\[(?P<item>[^\[\]]+)\]\s*")
_BEHIND_DASH = re.compile(r"\A(?P<question>.*\S)\s+[-–—]\s+(?P<item>[^\n]+?)\s*", re.S)
_BEFORE_COLON = re.compile(r"\A(?P<item>[^:\n]*[^:\s]):\s+(?P<question>[^\n]*\S)\s*")

_IN_PARENTHESES = re.compile(r"\A(?P<question>[^()]+)\((?P<item>[^()]+)\)\s*")

#: A short name of a question and the number of its item, as PsyToolkit writes them:
#: ``pref:1``, ``pref:2``.
_NUMBER_BEHIND_COLON = re.compile(r"\A(?P<question>[^\W\d]\w*):(?P<item>\d{1,3})\Z")

#: How a column names its question and its item.
_FORMS = (
    _IN_BRACKETS,
    _BEHIND_DASH,
    _BEFORE_COLON,
    _IN_PARENTHESES,
    _NUMBER_BEHIND_COLON,
)

#: What a question ends with, also in Chinese, Arabic and Greek.
_QUESTION_MARKS = ("?", "？", "؟", ";")

_DIGIT = re.compile(r"\d")

#: The number that a form writes in front of each of its questions.
_NUMBER = re.compile(r"\A\s*Q?\d{1,3}[.)]\s+")

#: Columns that number the responses of a form -> others that stand beside them, as
#: Microsoft Forms and LimeSurvey write them.
_NUMBERS = {
    "ID": ("Start time", "Completion time"),
    "id": ("submitdate", "lastpage", "startlanguage"),
}

#: Columns of who answered a form, of which other tables may have two.
_ANSWERED_BY = (*names.LABELS["rater"], "username", "nutzername", "respondent_id")

#: A place on a scale with its word, as forms offer it: ``4 - Good``, ``4 (good)``, ``4:
#: good``.
_PLACE_AND_WORD = re.compile(
    r"(?P<place>[+-]?\d{1,3}(?:\.\d{1,3})?)\s{0,4}[-–—:.)=(]\s{0,4}[^\W\d]\D*"
)


def _questions(columns: Collection[str]) -> dict[str, dict[str, str]]:
    """Map questions about several items to their items' columns of answers.

    The same question about the same item twice is none that is read. Where each item is
    a block of its own, its question stands where its item would; a table of labels may
    have notes that look alike: ``A (clipped?)``.
    """
    is_of_labels = bool(names.first_of(names.LABELS, columns).keys() - {"rater"})
    ways = (False,) if is_of_labels else (False, True)
    for is_swapped in ways:
        for form in _FORMS:
            questions = _questions_of(columns, form, is_swapped)
            if questions:
                return questions
    return {}


def _questions_of(
    columns: Collection[str], form: re.Pattern[str], is_swapped: bool
) -> dict[str, dict[str, str]]:
    """Map questions of one form to their items' columns of answers.

    Args:
        is_swapped: what is written as an item is the question, and ends with its mark:
            ``Pair 1 [Which is better?]``. A unit, as in ``delay [ms]``, does not. The
            item has a number: ``ann [Which is better?]`` is a rater.
    """
    questions: dict[str, dict[str, str]] = {}
    for name in columns:
        parts = form.fullmatch(_NUMBER.sub("", name))
        if parts is None:
            continue
        question = parts["question"].strip()
        item = parts["item"].strip()
        if is_swapped:
            question, item = item, question
            is_numbered = _DIGIT.search(item) and not RATER.fullmatch(item)
            if not is_numbered or not question.endswith(_QUESTION_MARKS):
                continue
        items = questions.setdefault(question, {})
        if item in items:
            return {}
        items[item] = name
    return {question: items for question, items in questions.items() if len(items) > 1}


def is_form(table: SurveyTable) -> bool:
    """Tell whether one question has a column for each of several items."""
    number_column = _number_column(table.columns)
    columns = [name for name in table.columns if name != number_column]
    has_ids = bool(names.first_of({"id": names.NAMES["id"]}, columns))
    return not has_ids and bool(_questions(columns))


def _number_column(columns: Collection[str]) -> str | None:
    """Return the column that numbers the responses, which is no id of an item."""
    for column, others in _NUMBERS.items():
        if {column, *others} <= set(columns):
            return column
    return None


def form(table: SurveyTable, notes: list[str]) -> Iterator[SurveyRecord]:
    """Make a record of each item that a row, which is a rater, has answers for."""
    number_column = _number_column(table.columns)
    questions = _questions(table.columns)
    answers: set[str] = set()
    for columns_of_items in questions.values():
        answers.update(columns_of_items.values())
    only_answer = _called(table, answers) if len(questions) == 1 else None
    rater_column = _rater_column(table)
    every_item = list(dict.fromkeys(chain.from_iterable(questions.values())))
    number_of_items = len(every_item)
    by = f"the column {rater_column}" if rater_column else "their place"
    notes.append(
        f"each row is read as a rater, called by {by}, and"
        f" {counted(number_of_items, 'column')} as {counted(number_of_items, 'item')},"
        " called by what stands beside the question"
    )
    for column in _alone(table, answers):
        notes.append(
            f"{column} was left out, because its question has no other item; if it is an"
            " answer, give all columns of one question the same words"
        )
    times = Counter(chain.from_iterable(questions.values()))
    if len(questions) > 1 and set(times.values()) == {1}:
        notes.append(
            f"{' and '.join(questions)} are asked of different items; where they are one"
            " question in two languages, give their columns the same words"
        )
    for number, record in enumerate(table.records, start=1):
        shared = without(record, answers)
        if number_column and number_column != rater_column:
            shared.pop(number_column, None)
        rater = shared.pop(rater_column, None) if rater_column else f"row {number}"
        shared["rater"] = rater
        for item in every_item:
            opinion = shared | {"id": item}
            for question, columns_of_items in questions.items():
                if item in columns_of_items:
                    answer = place_of(record.get(columns_of_items[item]))
                    opinion[only_answer or question] = answer
            yield opinion


def _alone(table: SurveyTable, answers: Collection[str]) -> list[str]:
    """List columns called like the answers that have answers, about one item alone."""
    forms = [form for form in _FORMS if _have_form(answers, form)]
    given: set[str] = set()
    for name in answers:
        given.update(filter(None, table.texts(name)))
    alone: list[str] = []
    for name in table.columns:
        if name in answers or names_a_part(name):
            continue
        if not any(_have_form([name], form) for form in forms):
            continue
        if not given.isdisjoint(table.texts(name)):
            alone.append(name)
    return alone


def _have_form(columns: Collection[str], form: re.Pattern[str]) -> bool:
    return all(form.fullmatch(_NUMBER.sub("", column)) for column in columns)


def _rater_column(table: SurveyTable) -> str | None:
    """Return the column that names the raters; of nameless responses their number.

    An empty column names nobody.
    """
    columns: list[str] = []
    for name in table.columns:
        if not all(map(is_missing, table.texts(name))):
            columns.append(name)
    column = names.first_of({"rater": _ANSWERED_BY}, columns).get("rater")
    number_column = _number_column(columns)
    if column is None or number_column is None:
        return column or number_column
    raters = table.texts(column)
    return column if len(set(raters)) == len(raters) else number_column


def place_of(answer: object) -> object:
    """Return the place of an answer that is a place and its word; others as is."""
    parts = _PLACE_AND_WORD.fullmatch(str(answer).strip())
    return parts["place"] if parts else answer


def _called(table: SurveyTable, columns: Collection[str]) -> str:
    """Name the answers' column: ``score`` or that of a label.

    Numbers other than the labels 1 and 2 are scores, and so are words of P.800.
    """
    present: set[str] = set()
    for name in columns:
        for text in table.texts(name):
            cell = str(place_of(text))
            if not is_missing(cell):
                present.add(cell)
    are_numbers = all(number_of(cell) is not None for cell in present)
    are_words = CATEGORIES.keys() >= {cell.casefold() for cell in present}
    if are_numbers and present - {"1", "2"}:
        return "score"
    if are_words and present:
        return "score"
    labels = {label_of(cell) for cell in present}
    return "overall" if labels & {"both_good", "both_bad"} else "preference"
