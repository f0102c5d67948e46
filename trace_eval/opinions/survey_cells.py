"""Cells and columns of the records that survey tools write."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from fusion import DIMENSIONS
from trace_eval.data import names

SurveyRecord = dict[str, Any]
Records = Sequence[Mapping[str, Any]]

#: Fields of opinions about pairs; a table that has one needs no other column of them.
OPINIONS_OF_PAIRS = frozenset(
    (*DIMENSIONS, "overall", "preference", "match", "score_a")
)

#: What a cell says that answers yes or no, in small letters.
YES = frozenset(("true", "1", "yes", "x", "on", "checked", "✓", "1.0", "t", "y"))
NO = frozenset(("false", "0", "no", "off", "unchecked", "", "0.0", "f", "n"))

#: What MTurk and Toloka write before the names of columns.
PREFIX = re.compile(r"(?:Input|Answer)\.|(?:INPUT|OUTPUT|ASSIGNMENT):")

#: What stands before the name of a column of answers.
_ANSWERED = ("Answer.", "OUTPUT:")

#: Fields that only a rater can give, and those that only the study knows.
_BY_RATERS = frozenset(("score", "mos", "match", "preference", *DIMENSIONS, "overall"))
_BY_STUDY = frozenset(("id", "system", "system_a", "system_b", "clip_a", "clip_b",
                       "recording", "instruction_id", "question_id", "category"))  # fmt: skip


def is_answer(column: str) -> bool:
    """Tell whether a column is called as one that raters filled in."""
    return column.startswith(_ANSWERED)


def without_prefixes(columns: Collection[str]) -> dict[str, str]:
    """Map columns to their names without prefix, where that tells them apart.

    Of two columns with one name, that of the side that can know the field has it: a
    system is what was shown, a label is what was answered.
    """
    short_names = {name: PREFIX.sub("", name, count=1) for name in columns}
    sharing: dict[str, list[str]] = {}
    for name, short in short_names.items():
        sharing.setdefault(short, []).append(name)
    fields = names.fields_of(names.SCORES) | names.fields_of(names.LABELS)
    for short, of_short in sharing.items():
        if len(of_short) < 2:
            continue
        field = fields.get(short.casefold())
        knowing: list[str] = []
        if short not in of_short and field in _BY_RATERS | _BY_STUDY:
            by_raters = field in _BY_RATERS
            knowing = [name for name in of_short if is_answer(name) == by_raters]
        for name in of_short:
            if knowing != [name]:
                short_names[name] = name
    return short_names


#: Records that are looked at for a layout.
_LOOKED_AT = 50


@dataclass(frozen=True)
class SurveyTable:
    """The records of a table with the names of its columns, as layouts look at them.

    Attributes:
        columns: names of all columns, in the order in which they appear.
        fields: our name of a field of labels -> the column that holds it.
    """

    records: Records
    columns: list[str]
    fields: dict[str, str]

    @classmethod
    def of(cls, records: Records) -> SurveyTable:
        """Look at all records once."""
        columns = columns_of(records)
        return cls(records, columns, names.first_of(names.LABELS, columns))

    @cached_property
    def start(self) -> SurveyTable:
        """Return the first records, by which a layout is known."""
        return SurveyTable.of(self.records[:_LOOKED_AT])

    def texts(self, column: str) -> list[str]:
        """Return the text of each cell of a column, see :func:`cell_text`."""
        return [cell_text(record, column) for record in self.records]


def columns_of(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the names of all columns, in the order in which they appear."""
    return list(dict.fromkeys(chain.from_iterable(records)))


def cell_text(record: Mapping[str, Any], name: str) -> str:
    """Return a cell's text without surrounding blanks; empty if there is no cell."""
    value = record.get(name)
    if value is None:
        return ""
    return str(value).strip()


def without(record: Mapping[str, Any], columns: Collection[str | None]) -> SurveyRecord:
    """Copy a record without some of its columns."""
    return {name: value for name, value in record.items() if name not in columns}
