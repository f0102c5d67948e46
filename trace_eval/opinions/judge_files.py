"""Files whose rows hold a judge's verdict and a human label, or its verdicts in both orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from blueprints import UserError
from fusion import mean_points, threshold
from trace_eval.data.columns import Columns
from trace_eval.data.label_files import (
    OpinionTable,
    columns_of,
    names_raters,
    read_columns,
    refuse_without,
)
from trace_eval.data.spelling import PLAIN, are_replies, spelled, verdict
from trace_eval.data.tables import column_names
from trace_eval.opinions.cells import UnreadValues
from trace_eval.opinions.codes import LABEL_COLUMNS, LABELS, SCORE_FACTS, flip
from trace_eval.opinions.labels import Reading, RowSystems, label_table, mapped
from trace_eval.opinions.opinions import Opinions


def read_judge_file(
    path: Path, columns: Columns, numbers: Sequence[str] = (), rows_are_items: bool = False
) -> Opinions:
    """The verdicts of one judge file, with its column of human labels as ``labels``.

    Scores of the judge are ``score_a/b`` (or ``score1/2``), annotators' are ``truth_score_a/b``
    (or ``groundtruth1/2``). A column of whole replies is read by its marks ``[[A]]``, ``[[B]]``
    and ``[[C]]`` (a tie); a reply without one leaves no label.

    ``rows_are_items`` numbers the rows of a file without ids: nothing else is joined to them.

    Raises:
        UserError: the file cannot be read, a named column is not there, or a value is neither
            a label nor mapped to one.
    """
    table = OpinionTable.of_file(path)
    results = _columns(path, columns, numbers)
    truth = results.pop("truth", None)
    truth_scores = {
        name: results.pop(f"truth_{name}") for name in SCORE_FACTS if f"truth_{name}" in results
    }
    prediction = results.pop("prediction", None)
    systems, unread = RowSystems.of(results), UnreadValues(str(path), results.get("id", ()))
    own_labels = {} if truth is None else _labels(truth, columns.truth, columns, systems, unread)
    if prediction is not None:
        results = {name: values for name, values in results.items() if name not in LABEL_COLUMNS}
        results |= _labels(prediction, columns.prediction, columns, systems, unread)
    else:
        refuse_without(table, results, LABEL_COLUMNS, numbered=truth is not None or rows_are_items)
        results = mapped(results, columns.mapping)
    unread.refuse(mappable=True)
    judged = label_table(
        str(path),
        results,
        default_ids=truth is not None or rows_are_items,
        numbers=numbers,
        reading=Reading(mappable=True),
    )
    human = None
    if truth is not None or truth_scores:
        judges_own = {*LABEL_COLUMNS, *SCORE_FACTS, "rater", "repeat"}
        identity = {name: of for name, of in results.items() if name not in judges_own}
        human = label_table(
            f"{columns.truth or 'human scores'} of {path}",
            {**identity, **own_labels, **truth_scores},
            default_ids=True,
            numbers=numbers,
        )
    judged = replace(judged, human=prediction is None and names_raters(table.columns()))
    return (flipped(judged) if columns.flip_b else judged).beside(human)


def _columns(path: Path, columns: Columns, numbers: Sequence[str]) -> dict[str, Any]:
    """The columns that are read, those that are named as ``prediction``, ``truth`` and ``id``."""
    named = {"prediction": columns.prediction, "truth": columns.truth, "id": columns.id}
    own = {name: ours for ours, name in named.items() if name is not None}
    if len(own) < sum(name is not None for name in named.values()):
        raise UserError("--prediction, --truth and --id need three different columns")
    sides = {name: name for number in numbers for name in (f"{number}_a", f"{number}_b")}
    results = dict(read_columns(path, {**sides, **columns_of(columns.named), **own}))
    for name, ours in own.items():
        if ours not in results:
            raise UserError(f"{path}: no column {name!r}; see its header")
    return results


def _labels(
    values: Sequence[Any],
    name: str | None,
    columns: Columns,
    systems: RowSystems,
    unread: UnreadValues,
) -> dict[str, list[Any]]:
    """A column of labels under the name that its values allow."""
    replies = are_replies([None if value is None else str(value) for value in values])
    verdicts: list[str | None] = []
    for row, value in enumerate(values):
        if value in (None, ""):
            verdicts.append(None)
            continue
        text = columns.mapping.get(str(value), str(value))
        try:
            verdicts.append(
                verdict(text, columns.tail)
                if replies and text not in LABELS
                else spelled(text, systems.at(row))
            )
        except ValueError as error:
            unread.add(str(name), text, row, str(error), LABELS)
    return {"preference" if {*verdicts} <= {None, *PLAIN} else "overall": verdicts}


def flipped(table: Opinions) -> Opinions:
    """A judge's table as if it had been shown A first."""
    facts = dict(table.facts)
    for one, other in (SCORE_FACTS, SCORE_FACTS[::-1]):
        if one in table.facts:
            facts[other] = table.facts[one]
    codes = {name: flip(column) for name, column in table.codes.items()}
    return replace(table, codes=codes, facts=facts)


#: Columns of the layout -> what they are read as.
_COLUMNS = {
    "instruction_id": "instruction_id",
    "model_name": "system_a",
    "position1_prediction": "first",
    "position2_prediction": "second",
}
_TURNED: dict[str | None, str] = {"1": "2", "2": "1", "tie": "tie"}


def has_positions(path: Path) -> bool:
    """True of a CSV table with the columns of both orders."""
    names = column_names(path) if path.suffix == ".csv" else ()
    return {"position1_prediction", "position2_prediction"} <= set(names)


def read_positions(path: Path, baseline: str | None) -> Opinions:
    """The table as judgements and single calls, A being the system and B the baseline.

    A comparison in which either order has no label is left out, and so is the baseline
    against itself.

    Raises:
        UserError: no baseline is named, a column is missing, or nothing was decided.
    """
    if baseline is None:
        raise UserError(
            f"{path}: compares systems with one that it does not name; name it by --baseline"
        )
    result = read_columns(path, _COLUMNS)
    for name, ours in _COLUMNS.items():
        if ours not in result:
            raise UserError(f"{path}: no column {name!r}; needed are {', '.join(_COLUMNS)}")
    rows = [
        (instruction, system, first, _TURNED[second])
        for instruction, system, first, second in zip(
            *(result[name] for name in _COLUMNS.values()), strict=True
        )
        if first in _TURNED and second in _TURNED and system != baseline
    ]
    if not rows:
        raise UserError(f"{path}: no comparison with 1, 2 or tie in both orders")
    calls: list[dict[str, Any]] = []
    whole: list[dict[str, Any]] = []
    for instruction, system, first, second in rows:
        facts = {
            "id": f"{instruction}/{system}",
            "instruction_id": instruction,
            "system_a": system,
            "system_b": baseline,
        }
        verdicts = [str(first), second]
        whole.append({**facts, "preference": threshold(mean_points(verdicts))})
        calls += [
            {**facts, "order": order, "repeat": f"{order}/0", "preference": label}
            for order, label in zip(("ab", "ba"), verdicts, strict=True)
        ]
    judged, opinions = (
        label_table(str(path), {name: [row[name] for row in table] for name in table[0]})
        for table in (whole, calls)
    )
    return judged.beside(calls=opinions)
