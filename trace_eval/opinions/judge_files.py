"""Files of a judge's verdicts: with a human label a row, or in both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from blueprints import InputError
from fusion import mean_points, threshold
from trace_eval.data.columns import Columns, Ends
from trace_eval.data.marked_verdicts import are_replies, verdict
from trace_eval.data.spelling import (
    MAY_BE_NEGATIVE,
    PLAIN,
    Declared,
    is_missing,
    negative_numbers,
    spelled,
)
from trace_eval.data.tables import column_names
from trace_eval.opinions.cells import UnreadValues, without_traps
from trace_eval.opinions.codes import LABEL_COLUMNS, LABELS, SCORE_FACTS, flip
from trace_eval.opinions.label_files import (
    OpinionTable,
    columns_of,
    names_raters,
    read_columns,
)
from trace_eval.opinions.labels import (
    LabelReading,
    RowSystems,
    label_table,
    labelled_columns,
    labels_beside,
    mapped,
    on_scale,
)
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.rater_columns import refuse_without


def read_judge_file(
    path: Path,
    columns: Columns,
    numbers: Sequence[str] = (),
    rows_are_items: bool = False,
) -> Opinions:
    """Read one judge's verdicts from a file; its human labels become ``labels``.

    Scores of the judge are ``score_a/b`` (or ``score1/2``), annotators' are
    ``truth_score_a/b`` (or ``groundtruth1/2``). A column of whole replies is read by
    its marks ``[[A]]``, ``[[B]]`` and ``[[C]]`` (a tie); a reply without one leaves no
    label.

    ``rows_are_items`` numbers the rows of a file without ids: nothing else is joined to
    them.

    Raises:
        UserError: the file cannot be read, a named column is not there, or a value is
            neither a label nor mapped to one.
    """
    table = OpinionTable.of_file(path, where=columns.where)
    results, notes = _columns(table, columns, numbers)
    if (
        notes and rows_are_items and "id" not in results
    ):  # a row is an item of every rater
        raters = len(dict.fromkeys(results["rater"]))
        rows = len(results["rater"]) // raters
        results["id"] = [str(row + 1) for row in range(rows)] * raters
    truth = results.pop("truth", None)
    truth_scores = {
        name: results.pop(f"truth_{name}")
        for name in SCORE_FACTS
        if f"truth_{name}" in results
    }
    traps: dict[str, tuple[bool, ...]] = {}
    if not columns.prediction and truth is None:
        results, traps = without_traps(str(path), results, LABEL_COLUMNS)
    own_labels = {
        name: results.pop(f"label_{name}")
        for name in LABEL_COLUMNS
        if f"label_{name}" in results
    }
    prediction = results.pop("prediction", None)
    systems, unread = (
        RowSystems.of(results),
        UnreadValues(str(path), results.get("id", ())),
    )
    if "rater" in results:
        results["rater"] = [
            path.stem if is_missing(who) else who for who in results["rater"]
        ]
    scale, judges_scale = columns.scale, columns.scale
    if truth is not None or prediction is not None or own_labels:
        judges_scale = None  # a scale is that of the human labels
    if truth is not None:
        own_labels |= _labels(
            truth,
            columns.truth,
            columns=columns,
            systems=systems,
            unread=unread,
            scale=scale,
        )
    if prediction is not None:
        results = {
            name: values
            for name, values in results.items()
            if name not in LABEL_COLUMNS
        }
        results |= _labels(
            prediction,
            columns.prediction,
            columns=columns,
            systems=systems,
            unread=unread,
            scale=None,
        )
    else:
        refuse_without(
            table, results, LABEL_COLUMNS, numbered=truth is not None or rows_are_items
        )
        results = mapped(results, columns.mapping, judges_scale)
    unread.refuse(mappable=True)
    judged = label_table(
        str(path),
        results,
        default_ids=truth is not None or rows_are_items,
        numbers=numbers,
        reading=LabelReading(mappable=True, scale=judges_scale),
    )
    human = None
    if own_labels or truth_scores:
        judges_own = {*LABEL_COLUMNS, *SCORE_FACTS, "rater", "repeat"}
        identity = {name: of for name, of in results.items() if name not in judges_own}
        human = label_table(
            (
                f"{columns.truth or 'human labels' if own_labels else 'human scores'}"
                f" of {path}"
            ),
            {**identity, **mapped(own_labels, columns.mapping, scale), **truth_scores},
            default_ids=True,
            numbers=numbers,
            reading=LabelReading(
                mappable=True, scale=None if truth is not None else scale
            ),
        )
    raters = bool(notes) or names_raters(table.columns())
    judged = replace(judged, human=prediction is None and raters, traps=traps)
    warnings = (*judged.warnings, *table.warnings(), *notes)
    return (flipped(judged) if columns.flip_b else judged).beside(
        human, warnings=warnings
    )


def _columns(
    table: OpinionTable, columns: Columns, numbers: Sequence[str]
) -> tuple[dict[str, Any], tuple[DataWarning, ...]]:
    """Read the columns, with notes on those of raters.

    Under their own names are those that are named as ``prediction``, ``truth`` and
    ``id``, and the human labels (``label_overall``) that stand beside a judge's, as in
    a run's table of results.
    """
    named = {"prediction": columns.prediction, "truth": columns.truth, "id": columns.id}
    own = {name: ours for ours, name in named.items() if name is not None}
    if len(own) < sum(name is not None for name in named.values()):
        raise InputError("--prediction, --truth and --id need three different columns")
    sides = {
        name: name for number in numbers for name in (f"{number}_a", f"{number}_b")
    }
    beside = (
        {}
        if {*own.values()} & {"prediction", "truth"}
        else labels_beside(table.columns())
    )
    wanted = {
        **sides,
        **{name: name for name in beside},
        **columns_of(columns.named),
        **own,
    }
    notes: tuple[DataWarning, ...] = ()
    if columns.prediction or columns.truth:
        results = table.read(wanted)
    else:
        results, notes = labelled_columns(table, wanted)
    for name, ours in own.items():
        if ours not in results:
            raise InputError(f"{table.name}: no column {name!r}; see its header")
    return dict(results), notes


def _labels(
    values: Sequence[Any],
    name: str | None,
    columns: Columns,
    systems: RowSystems,
    unread: UnreadValues,
    scale: Ends | None,
) -> dict[str, list[Any]]:
    """Return a column of labels under the name that its values allow."""
    replies = are_replies([None if value is None else str(value) for value in values])
    verdicts: list[str | None] = []
    (texts,) = mapped({"overall": values}, columns.mapping, scale).values()
    negative = negative_numbers(texts)
    for row, value in enumerate(texts):
        text = (
            ""
            if value is None
            else value
            if isinstance(value, Declared)
            else str(value)
        )
        if scale is not None:
            text = str(on_scale(text, scale))
        try:
            if text in negative:
                raise ValueError(MAY_BE_NEGATIVE)
            verdicts.append(
                verdict(text, columns.tail)
                if replies and text not in (*LABELS, "")
                else spelled(text, systems.at(row))
            )
        except ValueError as error:
            if is_missing(text):
                verdicts.append(None)
                continue
            unread.add(str(name), text, row, str(error), LABELS)
            unread.seen(str(name), values)
    return {"preference" if {*verdicts} <= {None, *PLAIN} else "overall": verdicts}


def flipped(table: Opinions) -> Opinions:
    """Return a judge's table as if it had been shown A first."""
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
    """Tell whether a CSV table has the columns of both orders."""
    names = column_names(path) if path.suffix == ".csv" else ()
    return {"position1_prediction", "position2_prediction"} <= set(names)


def read_positions(path: Path, baseline: str | None) -> Opinions:
    """Read the table as judgements and calls: A is the system, B the baseline.

    A comparison in which either order has no label is left out, and so is the baseline
    against itself.

    Raises:
        UserError: no baseline is named, a column is missing, or nothing was decided.
    """
    if baseline is None:
        raise InputError(
            f"{path}: compares systems with one that it does not name; name it by"
            " --baseline"
        )
    result = read_columns(path, _COLUMNS)
    for name, ours in _COLUMNS.items():
        if ours not in result:
            raise InputError(
                f"{path}: no column {name!r}; needed are {', '.join(_COLUMNS)}"
            )
    columns = [result[name] for name in _COLUMNS.values()]
    rows = [
        (instruction, system, first, _TURNED[second])
        for instruction, system, first, second in zip(*columns, strict=True)
        if first in _TURNED and second in _TURNED and system != baseline
    ]
    if not rows:
        raise InputError(f"{path}: no comparison with 1, 2 or tie in both orders")
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
    judged = label_table(str(path), _by_column(whole))
    return judged.beside(calls=label_table(str(path), _by_column(calls)))


def _by_column(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Turn records that all have the same fields into columns."""
    columns: dict[str, list[Any]] = {}
    for name in rows[0]:
        columns[name] = [row[name] for row in rows]
    return columns
