"""Files of a judge's verdicts: with a human label a row, or in both orders."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from blueprints import InputError
from fusion import mean_points, threshold
from trace_eval.data.columns import Columns, Ends, of_both_sides
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
from trace_eval.opinions.absent_columns import items_of_raters, refuse_without
from trace_eval.opinions.cells import without_traps
from trace_eval.opinions.checked_labels import label_table
from trace_eval.opinions.codes import LABEL_COLUMNS, LABELS, SCORE_FACTS, flip
from trace_eval.opinions.encoding import (
    LabelReading,
    OutsideScale,
    RowSystems,
    labels_beside_scale,
    mapped,
    on_scale,
)
from trace_eval.opinions.label_files import (
    LABEL_FIELDS,
    OpinionTable,
    names_raters,
    read_columns,
)
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.rater_columns import labelled_columns
from trace_eval.opinions.unread import UnreadValues


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
    cells, notes = _columns(table, columns, numbers)
    of_each = any(note.check == "raters" for note in notes)
    if of_each and rows_are_items and "id" not in cells:
        # a row is an item of every rater
        raters = len(set(cells["rater"]))
        rows = len(cells["rater"]) // raters
        cells["id"] = [str(row + 1) for row in range(rows)] * raters
    has_truth = "truth" in cells
    has_prediction = "prediction" in cells
    human_scores = _take_columns(cells, "truth_", SCORE_FACTS)
    traps: dict[str, tuple[bool, ...]] = {}
    if not has_prediction and not has_truth:
        cells, traps = without_traps(str(path), cells, LABEL_COLUMNS)
    human_labels = _take_columns(cells, "label_", LABEL_COLUMNS)
    if "rater" in cells:
        cells["rater"] = [
            path.stem if is_missing(rater) else rater for rater in cells["rater"]
        ]
    numbered = has_truth or rows_are_items
    of_judge = columns
    if has_truth or has_prediction:
        of_judge = columns.without_scale()  # it is that of the human labels
        cells, human_labels = _with_named_labels(table, cells, columns)
    else:
        if human_labels:
            of_judge = columns.without_scale()
        refuse_without(table, cells, LABEL_COLUMNS, numbered=numbered, mappable=True)
        cells = mapped(cells, of_judge.mapping, of_judge.scale)
    if rows_are_items and "rater" in cells and "id" not in cells:
        notes += _rows_as_items(table)
    judged = label_table(
        str(path),
        cells,
        default_ids=numbered,
        numbers=numbers,
        reading=LabelReading(mappable=True, scale=of_judge.scale),
    )
    human = None
    if human_labels or human_scores:
        human_cells = dict(cells)
        for name in chain(LABEL_COLUMNS, SCORE_FACTS, ("rater", "repeat")):
            human_cells.pop(name, None)
        human_cells |= mapped(human_labels, columns.mapping, columns.scale)
        human_cells |= human_scores
        title = "human scores"
        if human_labels:
            title = columns.truth or "human labels"
        human_scale = None if has_truth else columns.scale
        human = label_table(
            f"{title} of {path}",
            human_cells,
            default_ids=True,
            numbers=numbers,
            reading=LabelReading(mappable=True, scale=human_scale),
        )
    has_annotators_beside = bool(human_labels or human_scores)
    named = {} if has_annotators_beside else LABEL_FIELDS.by_column(columns.named)
    by_raters = bool(notes) or names_raters(table.columns, named)
    judged = replace(
        judged,
        labels=human,
        human=by_raters and not has_prediction,
        traps=traps,
        warnings=judged.warnings + table.warnings + notes,
    )
    return flipped(judged) if columns.flip_b else judged


def _rows_as_items(table: OpinionTable) -> tuple[DataWarning, ...]:
    """Warn that labels of one item are taken for several, where a column tells them."""
    item = items_of_raters(table)
    if item is None:
        return ()
    text = (
        f"{table.name}: each row is taken for an item of its own; where {item} says"
        f" which rows are of one item: --column {shlex.quote(f'id={item}')}"
    )
    return (DataWarning("ids", text),)


def _take_columns(
    cells: dict[str, Any], prefix: str, names: Sequence[str]
) -> dict[str, Any]:
    """Move columns with a prefix out of a table, under their names without it."""
    taken: dict[str, Any] = {}
    for name in names:
        if f"{prefix}{name}" in cells:
            taken[name] = cells.pop(f"{prefix}{name}")
    return taken


def _columns(
    table: OpinionTable, columns: Columns, numbers: Sequence[str]
) -> tuple[dict[str, Any], tuple[DataWarning, ...]]:
    """Read the columns, with notes on those of raters.

    Under their own names are those that are named as ``prediction``, ``truth`` and
    ``id``, and the human labels (``label_overall``) that stand beside a judge's, as in
    a run's table of results.
    """
    options = [
        (columns.prediction, "prediction"),
        (columns.truth, "truth"),
        (columns.id, "id"),
    ]
    by_option: dict[str, str] = {}
    for name, ours in options:
        if name in by_option:
            raise InputError(
                "--prediction, --truth and --id need three different columns"
            )
        if name is not None:
            by_option[name] = ours
    named = LABEL_FIELDS.by_column(columns.named)
    wanted = of_both_sides(numbers) | named | by_option
    notes: tuple[DataWarning, ...] = ()
    if columns.prediction or columns.truth:
        cells = table.read(wanted)
    else:
        cells, notes = labelled_columns(table, wanted, has_judge=True)
    for name, ours in by_option.items():
        if ours not in cells:
            raise InputError(f"{table.name}: no column {name!r}; see its header")
    return dict(cells), notes


def _with_named_labels(
    table: OpinionTable, cells: dict[str, Any], columns: Columns
) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Read the columns of ``--prediction`` and ``--truth``: cells, and human labels.

    Raises:
        UserError: a value is neither a label nor mapped to one.
    """
    cells = dict(cells)
    truth = cells.pop("truth", None)
    prediction = cells.pop("prediction", None)
    of_judge = columns.without_scale()
    systems = RowSystems.of(cells)
    unread = UnreadValues(table.name, cells.get("id", ()))
    human_labels: dict[str, list[Any]] = {}
    if truth is not None:
        human_labels = _labels(
            truth,
            columns.truth,
            columns=columns,
            systems=systems,
            unread=unread,
            scale=columns.scale,
        )
    if prediction is not None:
        for name in LABEL_COLUMNS:
            cells.pop(name, None)
        cells |= _labels(
            prediction,
            columns.prediction,
            columns=of_judge,
            systems=systems,
            unread=unread,
            scale=None,
        )
    else:
        refuse_without(table, cells, LABEL_COLUMNS, numbered=True, mappable=True)
        cells = mapped(cells, of_judge.mapping, of_judge.scale)
    unread.refuse(mappable=True)
    return cells, human_labels


def _labels(
    values: Sequence[Any],
    name: str | None,
    columns: Columns,
    systems: RowSystems,
    unread: UnreadValues,
    scale: Ends | None,
) -> dict[str, list[Any]]:
    """Return a column of labels under the name that its values allow."""
    texts = [None if value is None else str(value) for value in values]
    replies = are_replies(texts)
    verdicts: list[str | None] = []
    meanings = mapped({"overall": values}, columns.mapping, scale)["overall"]
    negative = negative_numbers(meanings)
    for row, value in enumerate(meanings):
        if isinstance(value, Declared):
            text: str = value
        else:
            text = "" if value is None else str(value)
        scaled: object = text
        if scale is not None:
            scaled = on_scale(text, scale)
            text = str(scaled)
        if isinstance(scaled, OutsideScale):
            unread.add(
                str(name),
                values,
                value=text,
                row=row,
                why=scaled.why,
                allowed=labels_beside_scale(LABELS, scale),
            )
            continue
        try:
            if text in negative:
                raise ValueError(MAY_BE_NEGATIVE)
            if replies and text not in (*LABELS, ""):
                label = verdict(text, columns.tail)
            else:
                label = spelled(text, systems.at(row))
            verdicts.append(label)
        except ValueError as error:
            if is_missing(text):
                verdicts.append(None)
                continue
            unread.add(
                str(name),
                values,
                value=text,
                row=row,
                why=str(error),
                allowed=labels_beside_scale(LABELS, scale),
            )
    has_typed_ties = not PLAIN.issuperset(filter(None, verdicts))
    return {"overall" if has_typed_ties else "preference": verdicts}


def flipped(table: Opinions) -> Opinions:
    """Return a judge's table as if it had been shown A first."""
    facts = dict(table.facts)
    if "score_a" in table.facts:
        facts["score_b"] = table.facts["score_a"]
    if "score_b" in table.facts:
        facts["score_a"] = table.facts["score_b"]
    codes = dict(table.codes)
    for name, column in table.codes.items():
        if name != "match":  # is of both sides alike
            codes[name] = flip(column)
    return replace(table, codes=codes, facts=facts, flipped=True)


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
    cells = read_columns(path, _COLUMNS)
    for name, ours in _COLUMNS.items():
        if ours not in cells:
            raise InputError(
                f"{path}: no column {name!r}; needed are {', '.join(_COLUMNS)}"
            )
    calls: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []
    rows = zip(*(cells[ours] for ours in _COLUMNS.values()), strict=True)
    for instruction, system, first, second in rows:
        if first not in _TURNED or second not in _TURNED or system == baseline:
            continue
        facts = {
            "id": f"{instruction}/{system}",
            "instruction_id": instruction,
            "system_a": system,
            "system_b": baseline,
        }
        by_order = {"ab": str(first), "ba": _TURNED[second]}
        points = mean_points(list(by_order.values()))
        pairs.append(facts | {"preference": threshold(points)})
        for order, label in by_order.items():
            call = {"order": order, "repeat": f"{order}/0", "preference": label}
            calls.append(facts | call)
    if not pairs:
        raise InputError(f"{path}: no comparison with 1, 2 or tie in both orders")
    judged = label_table(str(path), _by_column(pairs))
    return judged.beside(calls=label_table(str(path), _by_column(calls)))


def _by_column(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Turn records that all have the same fields into columns."""
    columns: dict[str, list[Any]] = {}
    for name in rows[0]:
        columns[name] = [row[name] for row in rows]
    return columns
