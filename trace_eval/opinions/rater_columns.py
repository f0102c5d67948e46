"""Tables with a column for each rater, or for each part of a label."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import zip_longest

from blueprints import InputError, UserError
from trace_eval.data.settings import nearest
from trace_eval.data.spelling import (
    NOBODY,
    PLAIN,
    SideNames,
    is_missing,
    plain,
    spelled,
)
from trace_eval.opinions.cells import number_of
from trace_eval.opinions.codes import LABEL_COLUMNS, SCORE_FACTS
from trace_eval.opinions.column_words import (
    RATER,
    names_a_part,
    names_worse,
    of_one_opinion,
    sums_up,
)
from trace_eval.opinions.label_files import (
    NAMES,
    OpinionTable,
    TextColumns,
    names_raters,
)
from trace_eval.opinions.opinions import DataWarning


def labelled_columns(
    table: OpinionTable,
    named: Mapping[str, str],
    systems: Collection[object] = (),
    has_judge: bool = False,
) -> tuple[TextColumns, tuple[DataWarning, ...]]:
    """Read a table of labels; columns of one rater each become one, with a note.

    So is the only column of labels of an export that names its raters, whatever it is
    called.

    Args:
        named: column -> our name, as a user gives them, and of more numbers to read.
        systems: names of systems that its labels may hold.
        has_judge: human labels beside a judge's keep their names (``label_overall``).
    """
    header = table.columns
    wanted = _labels_beside(header)
    if has_judge:
        wanted = {name: name for name in wanted}
    wanted.update(named)
    raters = rater_columns(wanted, header)
    if raters:
        wanted = {name: ours for name, ours in wanted.items() if ours != "rater"}
    read = table.read(wanted)
    if not raters and not read.keys().isdisjoint(LABEL_COLUMNS + SCORE_FACTS):
        return read, ()
    of_each = _label_of_each(table, read, systems, raters)
    if of_each is not None:
        return of_each, (_rater_note(table, of_each["rater"], systems),)
    only = _only_labels(table, systems)
    if only is None:
        return read, ()
    name, dimension, column = only
    text = (
        f"{table.name}: the column {name} is read as the labels, because no other"
        f" holds any; --column {dimension}=COLUMN names another"
    )
    return read | {dimension: column}, (DataWarning("labels", text),)


def _labels_beside(columns: Collection[str]) -> dict[str, str]:
    """Find human labels (``label_overall``) in a table with a judge's ``overall``, too.

    A run's table of results has both.
    """
    human: dict[str, str] = {}
    for name in LABEL_COLUMNS:
        if f"label_{name}" in columns:
            human[f"label_{name}"] = name
    has_both = any(name in columns for name in human.values())
    return human if has_both else {}


def dimension_of(labels: Collection[str]) -> str:
    """Name the column that labels belong to: of typed ties it is ``overall``."""
    return "overall" if set(labels) - PLAIN else "preference"


def label_columns(
    table: OpinionTable, names: Sequence[str], systems: Collection[object] = ()
) -> tuple[TextColumns, dict[str, set[str]]]:
    """Read these columns of a table, and the labels of those that hold labels alone."""
    winners = set(map(plain, systems))
    try:
        columns = table.read({name: name for name in names})
    except UserError:  # of a column that is no text, say
        return {}, {}
    a = columns.get("system_a", ())
    b = columns.get("system_b", ())
    sides = list(zip_longest(a, b, columns.get("system", ())))
    labels: dict[str, set[str]] = {}
    for name in names:
        with suppress(ValueError):
            values = _labels_in(columns.get(name, ()), sides, winners)
            if values:
                labels[name] = values
    return columns, labels


def _labels_in(
    cells: Sequence[str | None], sides: Sequence[SideNames], winners: Collection[str]
) -> set[str]:
    """Return the labels in a column; a system's name stands for any winner.

    Raises:
        ValueError: a cell is no label.
    """
    labels: set[str] = set()
    # Cells repeat: a hundred thousand hold a few labels of a few systems.
    for cell, names in set(zip_longest(cells, sides)):
        if plain(cell or "") in winners:
            labels.add("1")
        elif not is_missing(cell):
            labels.add(spelled(cell, names or NOBODY))
    return labels


def rater_columns(named: Mapping[str, str], columns: Collection[str]) -> list[str]:
    """Return raters' columns from ``--column rater=ann,bob``; empty if it names one.

    Raises:
        UserError: one of several does not exist.
    """
    typed = next((column for column, ours in named.items() if ours == "rater"), "")
    if typed in columns or "," not in typed:
        return []
    raters = [part.strip() for part in typed.split(",")]
    for rater in raters:
        if rater not in columns:
            raise InputError(
                f"--column rater={typed}: no column {rater!r};"
                f" {nearest(rater, columns)}"
            )
    return raters


def _label_of_each(
    table: OpinionTable,
    read: TextColumns,
    systems: Collection[object] = (),
    raters: Sequence[str] = (),
) -> TextColumns | None:
    """Turn a table with a column for each rater into one with a row for each label.

    Of several columns that hold labels alone all are raters', or those that are called
    so. A column of 1 and 2 alone may count anything: it is a rater's where the others
    are written with 1 and 2 as well and its name is none of a part of a study. None: it
    has no two such columns, or says in one who rated.

    Args:
        read: the columns that were read of it.
        systems: names of systems that its labels may hold.
        raters: the columns, where a user names them.
    """
    others = raters or unnamed(table.columns)
    columns, labels = label_columns(table, others, systems)
    called = list(raters) or [name for name in labels if RATER.fullmatch(name)]
    if len(called) < 2:
        called = _like_raters(columns, labels)
    of_raters: TextColumns = {}
    values: set[str] = set()
    for name in called:
        of_raters[name] = columns.get(name, [])
        values |= labels.get(name, set())
    return _of_each(read, of_raters, dimension_of(values))


def _only_labels(
    table: OpinionTable, systems: Collection[object] = ()
) -> tuple[str, str, list[str | None]] | None:
    """Return the only label column of a table that names raters: name, ours, cells.

    None: no rater is named, or none or several columns hold labels alone. Columns of 1
    and 2 may count anything.
    """
    header = table.columns
    if not names_raters(header):
        return None
    others = [name for name in unnamed(header) if not names_a_part(name)]
    columns, labels = label_columns(table, others, systems)
    worded = [name for name in labels if not _are_digits(columns[name])]
    if len(worded) != 1:
        return None
    (name,) = worded
    return name, dimension_of(labels[name]), columns[name]


def _rater_note(
    table: OpinionTable,
    of_rows: Sequence[str | None],
    systems: Collection[object],
) -> DataWarning:
    """Say which columns are read as raters, and which may be, too."""
    raters = list(dict.fromkeys(map(str, of_rows)))
    text = f"{table.name}: each of the columns {', '.join(raters)} is read as a rater"
    others = [name for name in _columns_like_labels(table) if name not in raters]
    left_out = [name for name in others if not sums_up(name)]
    for name in others:
        if name not in left_out:
            text += f"; {name} was left out because it is called like no rater"
    if left_out:
        all_of_them = _as_raters(raters + left_out)
        text += (
            f"; {', '.join(left_out)} may be labels, too, and was left out: --column"
            f" {all_of_them} counts all"
        )
    for name, cell in _partly_labels(table, raters, systems).items():
        with_it = _as_raters(raters + [name])
        text += (
            f"; {name} was left out because {cell!r:.40} in it is no label: --column"
            f" {with_it} asks what it means"
        )
    return DataWarning("raters", text)


def _as_raters(names: Sequence[str]) -> str:
    """Write what ``--column`` says of raters as a shell takes it."""
    return shlex.quote(f"rater={','.join(names)}")


def _columns_like_labels(table: OpinionTable) -> list[str]:
    """List columns of 1 and 2 alone, named as no part of a study: raters' perhaps."""
    labels = label_columns(table, unnamed(table.columns))[1]
    return [name for name in labels if not names_a_part(name)]


def _like_raters(columns: TextColumns, labels: Mapping[str, set[str]]) -> list[str]:
    """Find columns that may be raters' by content and, if digits, by their names.

    Columns of several parts of an opinion are no raters', and neither are those that
    sum raters up.
    """
    of_raters = of_one_opinion([name for name in labels if not sums_up(name)])
    worded = [name for name in of_raters if not _are_digits(columns[name])]
    digits_count = not worded
    for name in worded:
        digits_count = digits_count or not {"1", "2"}.isdisjoint(columns[name])
    like_raters: list[str] = []
    for name in of_raters:
        if name in worded or (digits_count and not names_a_part(name)):
            like_raters.append(name)
    return like_raters


def _partly_labels(
    table: OpinionTable, raters: Collection[str], systems: Collection[object] = ()
) -> dict[str, str]:
    """Return columns most of whose cells are labels, with the first that is none."""
    names: list[str] = []
    for name in unnamed(table.columns):
        if name not in raters and not names_a_part(name) and not sums_up(name):
            names.append(name)
    columns, labels = label_columns(table, names, systems)
    winners = set(map(plain, systems)) | _systems_in(table)
    partly_labels: dict[str, str] = {}
    for name in names:
        if name in labels:
            continue
        strange = _strange_among_labels(columns.get(name, ()), winners)
        if strange is not None:
            partly_labels[name] = strange
    return partly_labels


def _systems_in(table: OpinionTable) -> set[str]:
    """Return the systems that a table names, in the form of :func:`plain`."""
    fields: dict[str, str] = {}
    for name in table.columns:
        if NAMES.get(name) in ("system_a", "system_b", "system"):
            fields[name] = NAMES[name]
    systems: set[str] = set()
    if fields:
        for column in table.read(fields).values():
            systems.update(plain(cell) for cell in column if cell)
    return systems


def _strange_among_labels(
    cells: Sequence[str | None], winners: Collection[str]
) -> str | None:
    """Return the first cell that is no label where at least half of all are labels."""
    counts = Counter(cells)
    present = {cell: count for cell, count in counts.items() if not is_missing(cell)}
    total = sum(present.values())
    first: str | None = None
    strange = 0
    for cell, count in present.items():
        if cell and not _is_label(cell, winners):
            first = first or cell
            strange += count
        if 2 * strange > total:
            return None
    return first


def _is_label(cell: str, winners: Collection[str]) -> bool:
    with suppress(ValueError):
        return bool(_labels_in([cell], [], winners))
    return False


def _are_digits(cells: Iterable[str | None]) -> bool:
    """Tell whether all cells that are not empty are whole numbers."""
    return all(cell.isdigit() for cell in cells if cell)


def unnamed(header: Iterable[str]) -> list[str]:
    """Return columns that may hold labels, as their names say nothing else.

    A name is neither a known one, nor that of a column of the worse answer.
    """
    return [name for name in header if name not in NAMES and not names_worse(name)]


def score_of_each(
    table: OpinionTable, read: TextColumns, raters: Sequence[str] = ()
) -> TextColumns | None:
    """Do for scores what :func:`_label_of_each` does for labels.

    Columns are named like raters: ``rater1``, ``listener 2``.
    """
    return _of_each(read, _columns_of_raters(table, raters), "score")


def holds_scores_of_raters(table: OpinionTable, raters: Sequence[str] = ()) -> bool:
    """Whether columns of raters hold scores, and no labels."""
    columns = _columns_of_raters(table, raters)
    if len(columns) < 2:
        return False
    cells: set[str | None] = set()
    for column in columns.values():
        cells.update(column)
    numbers = {number_of(cell) for cell in cells if not is_missing(cell)}
    return bool(numbers) and None not in numbers and not numbers <= {1.0, 2.0}


def _columns_of_raters(table: OpinionTable, raters: Sequence[str]) -> TextColumns:
    """Read the columns that are named, else those that are called like raters."""
    names = list(raters)
    if not names:
        names = [name for name in table.columns if RATER.fullmatch(name)]
    if not names:
        return {}
    columns = table.read({name: name for name in names})
    return {name: columns.get(name, []) for name in names}


def _of_each(read: TextColumns, columns: TextColumns, name: str) -> TextColumns | None:
    """Repeat what was read for each rater's column, and put these in one, ``name``."""
    if len(columns) < 2 or "rater" in read:
        return None
    rows = max(map(len, columns.values()))
    raters: list[str | None] = []
    opinions: list[str | None] = []
    for rater, values in columns.items():
        raters += [rater] * rows
        opinions += values
    repeated = {field: values * len(columns) for field, values in read.items()}
    return repeated | {"rater": raters, name: opinions}
