"""Files whose rows hold a judge's verdict and a human label, under any names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from blueprints import UserError
from trace_eval.data.columns import Columns
from trace_eval.data.label_files import columns_of, read_columns
from trace_eval.data.spelling import NOBODY, PLAIN, Names, are_replies, spelled, verdict
from trace_eval.data.without_labels import refuse_without
from trace_eval.opinions.codes import LABEL_COLUMNS, LABELS, SCORE_FACTS, Codes
from trace_eval.opinions.labels import Reading, label_table, mapped, names_of
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.unread import Unread


def read_judge_file(
    path: Path, columns: Columns, numbers: Sequence[str] = (), rows_are_items: bool = False
) -> Opinions:
    """The verdicts of one judge file, with its column of human labels as ``labels``.

    Scores of the judge are ``score_a/b`` (or ``score1/2``), people's are ``truth_score_a/b``
    (or ``groundtruth1/2``). A column of whole replies is read by its marks ``[[A]]``, ``[[B]]``
    and ``[[C]]`` (a tie); a reply without one leaves no label.

    ``rows_are_items`` numbers the rows of a file without ids: nothing else is joined to them.

    Raises:
        UserError: the file cannot be read, a named column is not there, or a value is neither
            a label nor mapped to one.
    """
    provided = {columns.prediction: "prediction", columns.truth: "truth", columns.id: "id"}
    own = {name: ours for name, ours in provided.items() if name is not None}
    sides = {name: name for number in numbers for name in (f"{number}_a", f"{number}_b")}
    named = sum(name is not None for name in (columns.prediction, columns.truth, columns.id))
    if len(own) < named:
        raise UserError("--prediction, --truth and --id need three different columns")
    results: dict[str, Any] = dict(
        read_columns(path, {**sides, **columns_of(columns.named), **own})
    )
    for name, ours in own.items():
        if ours not in results:
            raise UserError(f"{path}: no column {name!r}; see its header")
    truth = results.pop("truth", None)
    truth_scores = {
        name: results.pop(f"truth_{name}") for name in SCORE_FACTS if f"truth_{name}" in results
    }
    prediction = results.pop("prediction", None)
    systems, unread = names_of(results), Unread(str(path), results.get("id", ()))
    own_labels = {} if truth is None else _labels(truth, columns.truth, columns, systems, unread)
    if prediction is not None:
        results = {name: values for name, values in results.items() if name not in LABEL_COLUMNS}
        results |= _labels(prediction, columns.prediction, columns, systems, unread)
    else:
        refuse_without(path, results, LABEL_COLUMNS, truth is not None or rows_are_items)
        results = mapped(results, columns.mapping)
    unread.refuse(mappable=True)
    judged = label_table(
        str(path),
        results,
        default_ids=truth is not None or rows_are_items,
        numbers=numbers,
        reading=Reading(mappable=True),
    )
    people = None
    if truth is not None or truth_scores:
        identity = {
            name: values
            for name, values in results.items()
            if name not in (*LABEL_COLUMNS, *SCORE_FACTS, "rater", "repeat")
        }
        people = label_table(
            f"{columns.truth or 'human scores'} of {path}",
            {**identity, **own_labels, **truth_scores},
            default_ids=True,
            numbers=numbers,
        )
    return (flipped(judged) if columns.flip_b else judged).beside(people)


def _labels(
    values: Sequence[Any],
    name: str | None,
    columns: Columns,
    systems: Sequence[Names] | None,
    unread: Unread,
) -> dict[str, list[Any]]:
    """A column of labels under the name that its values allow."""
    replies = are_replies([None if value is None else str(value) for value in values])
    said: list[str | None] = []
    for row, value in enumerate(values):
        if value in (None, ""):
            said.append(None)
            continue
        text = columns.mapping.get(str(value), str(value))
        try:
            said.append(
                verdict(text, columns.tail)
                if replies and text not in LABELS
                else spelled(text, systems[row] if systems else NOBODY)
            )
        except ValueError as error:
            unread.add(str(name), text, row, str(error), LABELS)
    return {"preference" if {*said} <= {None, *PLAIN} else "overall": said}


def flip(codes: Codes) -> Codes:
    """The label with A and B exchanged: winners change place, ties stay."""
    return np.where((codes == 0) | (codes == 1), 1 - codes, codes).astype(np.int8)


def flipped(table: Opinions) -> Opinions:
    """A judge's table as if it had been shown A first."""
    facts = dict(table.facts)
    for one, other in (SCORE_FACTS, SCORE_FACTS[::-1]):
        if one in table.facts:
            facts[other] = table.facts[one]
    codes = {name: flip(column) for name, column in table.codes.items()}
    return replace(table, codes=codes, facts=facts)
