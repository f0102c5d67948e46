"""Small label tables for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from trace_eval.estimate.options import BootstrapOptions
from trace_eval.opinions.checked_labels import label_table
from trace_eval.opinions.codes import LABELS, Codes
from trace_eval.opinions.opinions import Opinions

#: Few resamples: these tests look at structure, not at the third digit.
QUICK = BootstrapOptions(resamples=200)

_SHORT = {"1": "1", "2": "2", "g": "both_good", "b": "both_bad", "t": "tie", "-": ""}


def codes(text: str) -> Codes:
    """``"12gbt-"`` as label codes: winners, both_good, both_bad, tie, missing."""
    names = [_SHORT[letter] for letter in text]
    return np.array([LABELS.index(n) if n else -1 for n in names], np.int8)


def words(text: str) -> list[str]:
    """Spell letters out as label texts."""
    return [_SHORT[letter] for letter in text]


def table(source: str, columns: dict[str, str], **extra: Sequence[Any]) -> Opinions:
    """Make a table of items p0, p1, ... from letters per column."""
    number = len(next(iter(columns.values())))
    ids = extra.pop("id", [f"p{row}" for row in range(number)])
    texts = {name: words(letters) for name, letters in columns.items()}
    return label_table(source, {"id": ids, **texts, **extra})


def votes_of(*items: str, column: str = "preference", **facts: str) -> Opinions:
    """Return labels: an item a text, a rater a letter; facts have a word per item."""
    cells = [
        (n, m, letter)
        for n, letters in enumerate(items)
        for m, letter in enumerate(letters)
    ]
    rows, raters, letters = zip(*cells, strict=True)
    columns = {}
    for name, text in facts.items():
        of_item = text.split()
        columns[name] = [of_item[n] for n in rows]
    columns |= {"id": [f"p{n}" for n in rows], "rater": [f"r{m}" for m in raters]}
    return table("people", {column: "".join(letters)}, **columns)
