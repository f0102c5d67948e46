"""What to type where a table of scores has no column of ids, or of scores."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence

from blueprints import InputError, UserError
from trace_eval.data.spelling import is_missing
from trace_eval.opinions.cells import CATEGORIES, number_of
from trace_eval.opinions.column_words import (
    names_an_answer,
    names_an_item,
    names_somebody,
)
from trace_eval.opinions.label_files import OpinionTable, TextColumns, names_raters
from trace_eval.opinions.survey_forms import place_of

#: Columns that a message names: the last ones, for survey tools put their own first.
_SHOWN = 24


def refuse_without_scores(
    table: OpinionTable, columns: Collection[str], lacking: str, what: str
) -> None:
    """Refuse a table of scores that lacks a column.

    Args:
        columns: our names of those that it has.
        lacking: our name of the one that it lacks.
        what: the table that is expected, in words.

    Raises:
        UserError: names the table's columns, and what is likely meant by some.
    """
    shown = ", ".join(table.columns[-_SHOWN:])
    remedy = f"name it: --column {lacking}=COLUMN, of {shown}"
    typed = columns_of_scores_meant(table, columns)
    if typed:
        remedy = f"{remedy}; perhaps {typed}"
    raise InputError(f"{table.name}: no column {lacking!r}; {what}; {remedy}")


def columns_of_scores_meant(table: OpinionTable, columns: Collection[str]) -> str:
    """Write the options that name id, score and rater; empty if no score is found.

    Args:
        columns: our names of the columns that need no option.
    """
    header = table.columns
    try:
        cells = table.read({name: name for name in header})
    except UserError:  # of a column that is no text, say
        return ""
    meant: list[str] = []
    if {"score", "mos"}.isdisjoint(columns):
        score = _likely_score(cells, header)
        if score is None:
            return ""
        meant.append(f"score={score}")
    if {"id", "recording"}.isdisjoint(columns):
        item = next(filter(names_an_item, header), None)
        if item is None:
            return ""
        meant.append(f"id={item}")
    rater = next(filter(names_somebody, header), None)
    if rater is not None and not names_raters(header):
        meant.append(f"rater={rater}")
    return " ".join(f"--column {shlex.quote(one)}" for one in meant)


def _likely_score(cells: TextColumns, header: Sequence[str]) -> str | None:
    """Return the column of scores that is called like an answer."""
    for name in filter(names_an_answer, header):
        if _holds_scores(cells.get(name, ())):
            return name
    return None


def _holds_scores(cells: Sequence[str | None]) -> bool:
    """Tell whether cells are numbers, or places with words, and not all alike."""
    values = {
        cell.strip().casefold() for cell in cells if cell and not is_missing(cell)
    }
    if len(values) < 2:
        return False
    are_words = CATEGORIES.keys() >= values
    return are_words or all(number_of(place_of(value)) is not None for value in values)
