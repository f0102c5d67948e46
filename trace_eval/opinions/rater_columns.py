"""Tables with a column for each rater, or for each part of a label."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
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
from trace_eval.opinions.codes import LABEL_COLUMNS
from trace_eval.opinions.column_words import (
    names_a_part,
    names_worse,
    of_one_opinion,
    sums_up,
)
from trace_eval.opinions.label_files import (
    LABEL_FIELDS,
    NAMES,
    OpinionTable,
    TextColumns,
    names_raters,
)
from trace_eval.opinions.opinions import DataWarning
from trace_eval.opinions.row_status import is_status
from trace_eval.opinions.survey_layouts import RATER

#: Labels as a table of floats has them.
_AS_FLOATS = (0.0, 0.5, 1.0, 2.0)

#: Values of a label that are told apart: two winners, and ties of two kinds.
_MOST_LABELS = 4


def refuse_without(
    table: OpinionTable,
    fields: Collection[str],
    labels: Collection[str],
    *,
    numbered: bool = False,
    systems: Collection[object] = (),
    ids: Collection[str] = (),
) -> None:
    """Refuse a table of labels without ids or without labels.

    Args:
        fields: our names of its columns that were read.
        labels: our names of columns of labels.
        numbered: the rows of a table without ids are numbered.
        systems: names of systems that its labels may hold.
        ids: those of the items that it may be about.

    Raises:
        UserError: names the table's columns, the accepted names, and the nearest
            column.
    """
    has_id = numbered or not {"id", "recording"}.isdisjoint(fields)
    has_labels = not {*labels, "score_a"}.isdisjoint(fields)
    if has_id and has_labels:
        return
    header = table.columns()
    free = _unnamed(header)
    if has_id:
        absent = "overall"
        problem = "no column of labels"
        accepted = (*labels, "winner")
        near = get_close_matches(absent, free, n=1, cutoff=0.7)
        by_cells = _meant(table, free, systems)
        meant = [by_cells] if by_cells else [f"{absent}={name}" for name in near]
    else:
        absent = "id"
        problem = "no column 'id'"
        accepted = LABEL_FIELDS.names["id"]
        near = get_close_matches(absent, free, n=1, cutoff=0.4)
        meant = _likely(table, free, near=near, systems=systems, ids=ids)
    remedy = f"add one, or name it: --column {absent}=COLUMN"
    if meant:
        typed = [f"--column {shlex.quote(one)}" for one in meant]
        remedy = f"perhaps {' '.join(typed)}"
    clauses = [f"it has {', '.join(header[:24])}"]
    for name in header:
        if names_worse(name):
            clauses.append(f"{name} names the worse answer")
    clauses.append(remedy)
    raise InputError(
        f"{table.name}: {problem} ({', '.join(accepted)}); {'; '.join(clauses)}"
    )


def _likely(
    table: OpinionTable,
    names: Sequence[str],
    near: Sequence[str],
    systems: Collection[object],
    ids: Collection[str],
) -> list[str]:
    """Write ``FIELD=COLUMN`` for the id, and for rater and label, by what columns hold.

    The id's column has ids of the items in most of its cells, or is called nearly so.
    """
    columns, labels = _label_columns(table, names, systems)
    known = frozenset(ids)
    shares = {name: _share(columns.get(name, ()), known) for name in names}
    item = max(shares, key=shares.__getitem__, default="")
    if shares.get(item, 0.0) <= 0.5:
        return [f"id={name}" for name in near]
    others = [name for name in names if name != item]
    unlabelled = [name for name in others if name not in labels]
    rater = next(
        (name for name in unlabelled if _tells_apart(columns, item, name)), None
    )
    fields = {NAMES.get(name) for name in table.columns()}
    meant = [f"id={item}"]
    if rater is not None and "rater" not in fields:
        meant.append(f"rater={rater}")
    if fields.isdisjoint(LABEL_COLUMNS):
        label = _meant(table, others, systems)
        for name in unlabelled:
            if label is None and name != rater and _has_few(columns[name]):
                label = f"preference={name}"
        if label is not None:
            meant.append(label)
    return meant


def _share(cells: Sequence[str | None], known: Collection[str]) -> float:
    """Return which share of the cells are among the known."""
    if not cells:
        return 0.0
    return sum(cell in known for cell in cells) / len(cells)


def _has_few(cells: Sequence[str | None]) -> bool:
    """Whether the cells have the number of values that labels have."""
    values = {cell for cell in cells if not is_missing(cell)}
    return 2 <= len(values) <= _MOST_LABELS


def _tells_apart(columns: TextColumns, item: str, name: str) -> bool:
    """Whether a column tells the rows of an item apart, by values that come again."""
    items = columns[item]
    cells = columns.get(name, [])
    rows = list(zip(items, cells, strict=False))
    return _repeats(items) and _repeats(cells) and not _repeats(rows)


def _repeats(values: Sequence[object]) -> bool:
    return len(set(values)) < len(values)


def _meant(
    table: OpinionTable, names: Sequence[str], systems: Collection[object]
) -> str | None:
    """Write ``FIELD=COLUMN`` for columns of labels alone: one, or several of raters."""
    names = [name for name in names if not is_status(name) and not names_a_part(name)]
    columns, labels = _label_columns(table, names, systems)
    if not labels:
        for name in names:
            cells = columns.get(name, ())
            if _compares(cells) or (name == "score" and _are_codes(cells)):
                labels[name] = set()
    of_raters = [name for name in labels if not sums_up(name)]
    meant = of_one_opinion(of_raters or list(labels)[:1])
    if not meant:
        return None
    if len(meant) > 1 and not names_raters(table.columns()):
        return f"rater={','.join(meant)}"
    return f"{_dimension(labels[meant[0]])}={meant[0]}"


def _compares(cells: Iterable[str | None]) -> bool:
    """Tell whether a column compares by numbers alone: some below 0, or written 1.0."""
    is_signed = False
    for cell in cells:
        if is_missing(cell):
            continue
        number = number_of(cell)
        if number is None:
            return False
        is_written_as_float = "." in (cell or "") and number in _AS_FLOATS
        is_signed = is_signed or number < 0 or is_written_as_float
    return is_signed


def _are_codes(cells: Collection[str | None]) -> bool:
    """Tell whether numbers may be codes of choices: 1 and 2, and others from 0 to 4."""
    numbers = {number_of(cell) for cell in cells if not is_missing(cell)}
    return {1.0, 2.0} < numbers <= {0.0, 1.0, 2.0, 3.0, 4.0}


def _dimension(labels: Collection[str]) -> str:
    return "overall" if set(labels) - PLAIN else "preference"


def _label_columns(
    table: OpinionTable, names: Sequence[str], systems: Collection[object] = ()
) -> tuple[TextColumns, dict[str, set[str]]]:
    """Read these columns of a table, and the labels of those that hold labels alone."""
    winners = set(map(plain, systems))
    try:
        columns = table.read({name: name for name in names})
    except UserError:  # of a column that is no text, say
        return {}, {}
    systems_of_rows = zip_longest(
        columns.get("system_a", ()),
        columns.get("system_b", ()),
        columns.get("system", ()),
    )
    sides = list(systems_of_rows)
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
    whole = next((column for column, ours in named.items() if ours == "rater"), "")
    if whole in columns or "," not in whole:
        return []
    parts = [part.strip() for part in whole.split(",")]
    for part in parts:
        if part not in columns:
            raise InputError(
                f"--column rater={whole}: no column {part!r}; {nearest(part, columns)}"
            )
    return parts


def label_of_each(
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
    others = raters or _unnamed(table.columns())
    columns, labels = _label_columns(table, others, systems)
    called = list(raters) or [name for name in labels if RATER.fullmatch(name)]
    if len(called) < 2:
        called = _like_raters(columns, labels)
    of_raters: TextColumns = {}
    values: set[str] = set()
    for name in called:
        of_raters[name] = columns.get(name, [])
        values |= labels.get(name, set())
    return _of_each(read, of_raters, _dimension(values))


def only_labels(
    table: OpinionTable, systems: Collection[object] = ()
) -> tuple[str, str, list[str | None]] | None:
    """Return the only label column of a table that names raters: name, ours, cells.

    None: no rater is named, or none or several columns hold labels alone. Columns of 1
    and 2 may count anything.
    """
    header = table.columns()
    if not names_raters(header):
        return None
    others = [name for name in _unnamed(header) if not names_a_part(name)]
    columns, labels = _label_columns(table, others, systems)
    worded = [name for name in labels if not _are_digits(columns[name])]
    if len(worded) != 1:
        return None
    (name,) = worded
    return name, _dimension(labels[name]), columns[name]


def rater_note(
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
        text += (
            f"; {', '.join(left_out)} may be labels, too, and was left out: --column"
            f" rater={','.join(raters + left_out)} counts all"
        )
    for name, cell in _partly_labels(table, raters, systems).items():
        text += (
            f"; {name} was left out because {cell!r:.40} in it is no label: --column"
            f" rater={','.join([*raters, name])} asks what it means"
        )
    return DataWarning("raters", text)


def _columns_like_labels(table: OpinionTable) -> list[str]:
    """List columns of 1 and 2 alone, named as no part of a study: raters' perhaps."""
    labels = _label_columns(table, _unnamed(table.columns()))[1]
    return [name for name in labels if not names_a_part(name)]


def _like_raters(columns: TextColumns, labels: Mapping[str, set[str]]) -> list[str]:
    """Find columns that may be raters' by content and, if digits, by their names.

    Columns of several parts of an opinion are no raters', and neither are those that
    sum raters up.
    """
    of_raters = of_one_opinion([name for name in labels if not sums_up(name)])
    labels = {name: labels[name] for name in of_raters}
    words = [name for name in labels if not _are_digits(columns[name])]
    with_digits = any(not {"1", "2"}.isdisjoint(columns[name]) for name in words)
    digits_count = with_digits or not words
    found: list[str] = []
    for name in labels:
        if name in words or (digits_count and not names_a_part(name)):
            found.append(name)
    return found


def _partly_labels(
    table: OpinionTable, raters: Collection[str], systems: Collection[object] = ()
) -> dict[str, str]:
    """Return columns most of whose cells are labels, with the first that is none."""
    names: list[str] = []
    sides: dict[str, str] = {}
    for name in table.columns():
        if NAMES.get(name) in ("system_a", "system_b", "system"):
            sides[name] = NAMES[name]
    for name in _unnamed(table.columns()):
        if name not in raters and not names_a_part(name) and not sums_up(name):
            names.append(name)
    columns, labels = _label_columns(table, names, systems)
    winners = set(map(plain, systems))
    for column in table.read(sides).values() if sides else ():
        winners.update(plain(cell) for cell in column if cell)
    results: dict[str, str] = {}
    for name in names:
        strange = None
        if name not in labels:
            strange = _strange_among_labels(columns.get(name, ()), winners)
        if strange is not None:
            results[name] = strange
    return results


def _strange_among_labels(
    cells: Sequence[str | None], winners: Collection[str]
) -> str | None:
    """Return the first cell that is no label where at least half of all are labels."""
    counts = Counter(cells)
    given = sum(count for cell, count in counts.items() if not is_missing(cell))
    first: str | None = None
    strange = 0
    for cell, count in counts.items():
        if cell and not is_missing(cell) and not _is_label(cell, winners):
            first = cell if first is None else first
            strange += count
        if 2 * strange > given:
            return None
    return first


def _is_label(cell: str, winners: Collection[str]) -> bool:
    with suppress(ValueError):
        return bool(_labels_in([cell], [], winners))
    return False


def _are_digits(cells: Iterable[str | None]) -> bool:
    """Tell whether all cells that are not empty are whole numbers."""
    return all(cell.isdigit() for cell in cells if cell)


def _unnamed(header: Iterable[str]) -> list[str]:
    """Return columns that may hold labels, as their names say nothing else.

    A name is neither a known one, nor that of a column of the worse answer.
    """
    return [name for name in header if name not in NAMES and not names_worse(name)]


def score_of_each(
    table: OpinionTable, read: TextColumns, raters: Sequence[str] = ()
) -> TextColumns | None:
    """Do for scores what :func:`label_of_each` does for labels.

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
        names = [name for name in table.columns() if RATER.fullmatch(name)]
    if not names:
        return {}
    columns = table.read({name: name for name in names})
    return {name: columns.get(name, []) for name in names}


def _of_each(read: TextColumns, columns: TextColumns, name: str) -> TextColumns | None:
    """Repeat what was read for each rater's column, and put these in one, ``name``."""
    if len(columns) < 2 or "rater" in read:
        return None
    size = max(map(len, columns.values()))
    result = {field: values * len(columns) for field, values in read.items()}
    raters: list[str | None] = []
    opinions: list[str | None] = []
    for rater, values in columns.items():
        raters += [rater] * size
        opinions += values
    result["rater"] = raters
    result[name] = opinions
    return result
