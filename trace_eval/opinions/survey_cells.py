"""Cells and columns of the records that survey tools write."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from trace_eval.data.spelling import spelled

SurveyRecord = dict[str, Any]
Records = Sequence[Mapping[str, Any]]

#: What MTurk and Toloka write before the names of columns.
PREFIX = re.compile(r"(?:Input|Answer)\.|(?:INPUT|OUTPUT|ASSIGNMENT):")


def columns_of(records: Records) -> list[str]:
    """Return the names of all columns, in the order in which they appear."""
    return list(dict.fromkeys(chain.from_iterable(records)))


def cell_text(record: Mapping[str, Any], name: str) -> str:
    """Return a cell's text without surrounding blanks; empty if there is no cell."""
    value = record.get(name)
    if value is None:
        return ""
    return str(value).strip()


def label_of(text: object) -> str | None:
    """Return the label that a text means; None where it means none."""
    try:
        return spelled(text)
    except ValueError:
        return None
