"""The verdicts of a judge as one table: of a run folder, or of a file of judgements."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.data.columns import OUR_NAMES, Columns, RowFilter
from trace_eval.data.files import is_file, is_folder
from trace_eval.opinions.instructions import sharing_instructions
from trace_eval.opinions.judge_files import read_judge_file
from trace_eval.opinions.label_files import start_of
from trace_eval.opinions.labels import read_labels, table_labels
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.scores import holds_scores, read_with_ratings
from trace_eval.runs.run_opinions import read_run


def read_opinions(
    path: Path,
    columns: Columns | None = None,
    numbers: Sequence[str] = (),
    rows_are_items: bool = False,
    beside: Any = None,
) -> Opinions:
    """Read a run folder, or a file as :func:`trace_eval.opinions.labels.read_labels`.

    Args:
        columns: of a file, see :func:`trace_eval.opinions.judge_files.read_judge_file`.
        numbers: more numbers per answer to read: of a run's blueprints (``p808``,
            ``utmos``, ``rate.wpm``) or measures (``wer``), of a file's columns
            ``NUMBER_a`` and ``NUMBER_b``.
        rows_are_items: a file may lack ids, because no other labels will be joined to
            it.
        beside: human labels beside it, of which the columns may be; None: none.

    Raises:
        UserError: neither can be read there.
    """
    columns = _own(columns or OUR_NAMES, path, beside)
    if is_file(path):
        return read_judge_file(path, columns, numbers, rows_are_items)
    if not is_folder(path):
        raise UserError(
            f"{path}: no such run or file of judgements; trace-eval runs lists the"
            " runs under runs/"
        )
    if columns != OUR_NAMES:
        raise UserError(
            f"{path}: --prediction, --truth, --id, --map, --flip-b, --where,"
            " --scale and --column mean nothing for a run, whose columns are known;"
            " leave them out"
        )
    return read_run(path, numbers)


def read_with_labels(
    sources: Sequence[Path | Opinions],
    labels: Any,
    columns: Columns | None = None,
    numbers: Sequence[str] = (),
    rows_are_items: bool = False,
    rubric: str | None = None,
    fused_again: bool = False,
) -> tuple[list[Opinions], Opinions | None]:
    """Read judgements or scores, and human labels beside them, for any statistic.

    Args:
        sources: runs, or files of judgements or of scores, or what was read of them.
        labels: a file or a table at hand, e.g. a data frame, whose labels may name the
            systems of an item; or what was read of one; None: none.
        columns: how the files name their columns and labels: beside a run those of the
            labels, of two files each has what it has of them. None: the command has no
            options for them.
        numbers, rows_are_items: see :func:`read_opinions`.
        rubric: name or file of what is scored; None: the only one that the sources
            have.
        fused_again: a policy makes another overall label of the sources', so that a
            file may stand beside itself.

    Raises:
        UserError: one cannot be read, sources hold labels and scores, or a source is
            the file of the labels.
    """
    if not fused_again:
        _refuse_own_labels(sources, labels, columns)
    scored = {holds_scores(source, columns) for source in sources}
    if len(scored) > 1:
        raise UserError(
            "some sources hold labels of pairs and others scores of single answers;"
            " compare those of one kind"
        )
    if True in scored:
        return sharing_instructions(
            *read_with_ratings(sources, labels, columns, rubric)
        )
    mapping = columns.mapping if columns else None
    columns = columns or OUR_NAMES
    judged: list[Opinions] = []
    files: list[Path] = []
    for source in sources:
        if not isinstance(source, Path):
            judged.append(source)
            continue
        read = read_opinions(source, columns, numbers, rows_are_items, beside=labels)
        judged.append(read)
        if is_file(source):
            files.append(source)
    if isinstance(labels, Path):
        of_labels = _of_file(columns, labels, files)
        labels = read_labels(
            labels,
            numbers,
            columns=of_labels.named,
            mapping=mapping,
            about=judged,
            where=of_labels.where,
            scale=of_labels.scale,
        )
    elif labels is not None and not isinstance(labels, Opinions):
        labels = table_labels(
            labels,
            columns.fields,
            mapping=mapping,
            about=judged,
            where=columns.where,
            scale=columns.scale,
        )
    return sharing_instructions(judged, labels)


def _refuse_own_labels(
    sources: Sequence[Path | Opinions], labels: object, columns: Columns | None
) -> None:
    """Raise UserError for a file beside itself, which would agree with all its labels.

    A file that names a column of its judge holds both.
    """
    if not isinstance(labels, Path) or (columns and columns.prediction):
        return
    for source in sources:
        if isinstance(source, Path) and source.resolve() == labels.resolve():
            raise UserError(
                f"{labels}: these labels would be compared with themselves, and always"
                " agree; name the judge's run or file first: trace-eval agree RUN"
                f" --labels {labels}"
            )


def _own(columns: Columns, source: Path, labels: Any) -> Columns:
    """Keep the column names of a source, without those of labels beside it."""
    if labels is None or isinstance(labels, Opinions):
        return columns
    if is_file(source) and isinstance(labels, Path):
        own = _of_file(columns, source, [labels])
    else:
        own = replace(columns, named={}, mapping={}, id=None, where=())
    return own.without_scale()  # it is that of the human labels


def _of_file(columns: Columns, path: Path, others: Sequence[Path]) -> Columns:
    """Keep what is said of a file's columns, but of those that only others have."""
    named = columns.fields
    where = columns.where
    if others and (named or where):
        own = set(start_of(path).columns)
        theirs = set(chain.from_iterable(start_of(other).columns for other in others))
        kept_names: dict[str, str] = {}
        for field, name in named.items():
            if _names_columns(name, own) or not _names_columns(name, theirs):
                kept_names[field] = name
        kept_conditions: list[RowFilter] = []
        for condition in where:
            if condition.column in own or condition.column not in theirs:
                kept_conditions.append(condition)
        named = kept_names
        where = tuple(kept_conditions)
    return replace(columns, named=named, id=None, where=where)


def _names_columns(name: str, columns: Collection[str]) -> bool:
    """Say whether a column is there, or each of several raters' columns."""
    if name in columns:
        return True
    parts = name.split(",")
    return all(part.strip() in columns for part in parts)
