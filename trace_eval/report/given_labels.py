"""Human labels from a file, put on the pairs of a run before its report is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from blueprints import InputError
from fusion import RATINGS
from trace_eval.data.columns import OUR_NAMES, Columns
from trace_eval.data.items import Labels
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.codes import (
    MATCHES,
    MISSING,
    UNTYPED,
    Codes,
    collapse_codes,
    is_untyped,
    label_text,
)
from trace_eval.opinions.opinions import Opinions, no_common_ids
from trace_eval.report.summary import Facts
from trace_eval.runs.opinions import read_with_labels


def with_labels_of(
    facts: Facts, provided: Any, columns: Columns | None = None
) -> Facts:
    """Return the facts of a run with other human labels in place of its own.

    Args:
        provided: a table of labels, or its file.

    Raises:
        InputError: it cannot be read, or names none of the run's pairs.
    """
    _, labels = read_with_labels([facts.folder], provided, columns or OUR_NAMES)
    if labels is None:
        raise InputError(f"{provided}: holds no human labels")
    items = labels.per_item
    by_column = _columns_of_pairs(items)
    ids = texts_of([pair.id for pair in facts.pairs])
    rows = items.find(ids).tolist()
    if all(row < 0 for row in rows):
        raise InputError(no_common_ids(labels, str(facts.folder), ids))
    pairs = []
    for pair, row in zip(facts.pairs, rows, strict=True):
        labels_of_pair = None
        if row >= 0:
            labels_of_pair = _labels_in(by_column, row)
        pairs.append(pair.model_copy(update={"labels": labels_of_pair}))
    return replace(facts, pairs=tuple(pairs), labels=labels)


def _columns_of_pairs(items: Opinions) -> Mapping[str, Codes]:
    """Return a pair's label columns by field; untyped ties are a preference."""
    columns = dict(items.agreed)
    if "overall" in columns and is_untyped(columns["overall"]):
        columns["preference"] = columns.pop("overall")
    if "preference" in columns:
        columns["preference"] = collapse_codes(columns["preference"])
    return columns


def _labels_in(columns: Mapping[str, Codes], row: int) -> Labels:
    """Return the labels of one pair.

    A plain tie of a single dimension has no type, and raters who split have no label
    in common: neither is a label here.
    """
    values: dict[str, object] = {}
    for name, codes in columns.items():
        code = int(codes[row])
        if code == MISSING:
            continue
        if name == "match":
            values[name] = code == MATCHES["true"]
        elif name == "preference":
            if code < len(UNTYPED):
                values[name] = UNTYPED[code]
        elif label_text(code) in RATINGS:
            values[name] = label_text(code)
    return Labels.model_validate(values)
