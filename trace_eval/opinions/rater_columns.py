"""Tables with a column for each rater, or for each part of a label."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import zip_longest

from blueprints import InputError, UserError
from trace_eval.data.settings import nearest
from trace_eval.data.spelling import PLAIN, is_missing, plain, spelled
from trace_eval.opinions.cells import number_of
from trace_eval.opinions.codes import LABEL_COLUMNS
from trace_eval.opinions.label_files import (
    LABEL_FIELDS,
    NAMES,
    OpinionTable,
    TextColumns,
    names_raters,
)
from trace_eval.opinions.row_status import is_status
from trace_eval.opinions.survey_layouts import RATER

#: Values of a label that are told apart: two winners, and ties of two kinds.
_MOST_LABELS = 4


def refuse_without(
    table: OpinionTable,
    results: Collection[str],
    labels: Collection[str],
    *,
    numbered: bool = False,
    systems: Collection[object] = (),
    ids: Collection[str] = (),
) -> None:
    """Refuse a table of labels without ids or without labels.

    Args:
        results: our names of its columns that were read.
        labels: our names of columns of labels.
        numbered: the rows of a table without ids are numbered.
        systems: names of systems that its labels may hold.
        ids: those of the items that it may be about.

    Raises:
        UserError: names the table's columns, the accepted names, and the nearest
            column.
    """
    if not numbered and not {"id", "recording"} & set(results):
        absent, details, accepted = "id", "no column 'id'", LABEL_FIELDS.names["id"]
    elif not set(results) & {*labels, "score_a"}:
        absent, details, accepted = (
            "overall",
            "no column of labels",
            (*labels, "winner"),
        )
    else:
        return
    header = table.columns()
    free = _unnamed(header)
    near = get_close_matches(absent, free, n=1, cutoff=0.4 if absent == "id" else 0.7)
    if absent == "id":
        meant = _likely(table, free, near, systems, ids)
    else:
        own = _meant(table, free, systems)
        meant = [own] if own else [f"{absent}={name}" for name in near]
    worse = [f"{name} names the worse answer" for name in header if _names_worse(name)]
    hint = " ".join(("perhaps", *(f"--column {shlex.quote(one)}" for one in meant)))
    raise InputError(
        f"{table.name}: {details} ({', '.join(accepted)}); it has"
        f" {', '.join(header[:24])};{''.join(f' {clause};' for clause in worse)}"
        f" {hint if meant else f'add one, or name it: --column {absent}=COLUMN'}"
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
    apart = [name for name in others if name not in labels]
    rater = next((name for name in apart if _tells_apart(columns, item, name)), None)
    fields = set(map(NAMES.get, table.columns()))
    meant = [f"id={item}"]
    if rater is not None and "rater" not in fields:
        meant.append(f"rater={rater}")
    if fields.isdisjoint(LABEL_COLUMNS):
        few = (name for name in apart if name != rater and _has_few(columns[name]))
        unread = next((f"preference={name}" for name in few), None)
        meant += filter(None, [_meant(table, others, systems) or unread])
    return meant


def _share(cells: Sequence[str | None], known: Collection[str]) -> float:
    """Return which share of the cells are among the known."""
    return sum(cell in known for cell in cells) / len(cells) if cells else 0.0


def _has_few(cells: Sequence[str | None]) -> bool:
    """Whether the cells have the number of values that labels have."""
    return 2 <= len({cell for cell in cells if not is_missing(cell)}) <= _MOST_LABELS


def _tells_apart(columns: TextColumns, item: str, name: str) -> bool:
    """Whether a column tells the rows of an item apart, by values that come again."""
    items, cells = columns[item], columns.get(name, [])
    rows = list(zip(items, cells, strict=False))
    is_repeated = len(set(cells)) < len(cells) and len(set(items)) < len(items)
    return is_repeated and len(set(rows)) == len(rows)


def _meant(
    table: OpinionTable, names: Sequence[str], systems: Collection[object]
) -> str | None:
    """Write ``FIELD=COLUMN`` for columns of labels alone: one, or several of raters."""
    names = [name for name in names if not is_status(name) and not _names_a_part(name)]
    columns, labels = _label_columns(table, names, systems)
    labels = labels or {
        name: set() for name in names if _compares(columns.get(name, ()))
    }
    if len(labels) > 1 and not names_raters(table.columns()):
        return f"rater={','.join(labels)}"
    return next((f"{_dimension(every)}={name}" for name, every in labels.items()), None)


def _compares(cells: Iterable[str | None]) -> bool:
    """Tell whether a column is a comparison scale: numbers alone, some below 0."""
    numbers = [number_of(cell) for cell in cells if not is_missing(cell)]
    return None not in numbers and any(
        number is not None and number < 0 for number in numbers
    )


def _dimension(labels: Collection[str]) -> str:
    return "overall" if set(labels) - PLAIN else "preference"


def _label_columns(
    table: OpinionTable, names: Sequence[str], systems: Collection[object] = ()
) -> tuple[TextColumns, dict[str, set[str]]]:
    """Read these columns of a table, and the labels of those that hold labels alone."""
    called = set(map(plain, systems))
    try:
        columns = table.read({name: name for name in names})
    except UserError:  # of a column that is no text, say
        return {}, {}
    sides = [columns.get(name) or [] for name in ("system_a", "system_b", "system")]
    results = {}
    for name in names:
        rows = zip_longest(columns.get(name, []), *sides)
        with suppress(ValueError):
            results[name] = {
                "1" if plain(value) in called else spelled(value, (a, b, own))
                for value, a, b, own in rows
                if plain(value or "") in called or not is_missing(value)
            }
    return columns, {name: labels for name, labels in results.items() if labels}


#: What columns are called that number parts of a study: their 1 and 2 are no labels.
_DESIGN = frozenset((
    "session", "part", "group", "block", "batch", "page", "trial", "set", "order", "list", "gender",
    "sex", "age", "run", "round", "day", "week", "version", "condition", "level", "class", "fold",
    "split", "repeat", "count", "number", "nr", "no", "n", "position", "side", "hand", "task",
    "section", "phase", "study", "wave", "form", "note", "notes", "remark", "comment", "room",
    "site", "channel", "speaker", "turn", "turns", "question", "stage", "step", "seed", "rank",
    "length", "duration", "difficulty", "priority", "cluster", "visit", "experiment", "screen",
))  # fmt: skip


#: Words in names of columns that hold the answer that lost: read as a rater's, or as the
#: label, they would turn every label round.
_WORSE = frozenset((
    "worse", "worst", "loser", "loses", "lost", "rejected", "dispreferred", "unpreferred",
    "disliked", "dislikes", "dislike", "least", "inferior", "weaker", "weakest",
))  # fmt: skip


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
    results: TextColumns,
    systems: Collection[object] = (),
    raters: Sequence[str] = (),
) -> TextColumns | None:
    """Turn a table with a column for each rater into one with a row for each label.

    Of several columns that hold labels alone all are raters', or those that are called
    so. A column of 1 and 2 alone may count anything: it is a rater's where the others
    are written with 1 and 2 as well and its name is none of a part of a study. None: it
    has no two such columns, or says in one who rated.

    Args:
        results: what was read of it.
        systems: names of systems that its labels may hold.
        raters: the columns, where a user names them.
    """
    others = raters or _unnamed(table.columns())
    columns, labels = _label_columns(table, others, systems)
    called = list(raters) or [name for name in labels if RATER.fullmatch(name)]
    if len(called) < 2:
        called = _like_raters(columns, labels)
    every = set().union(*(labels.get(name, set()) for name in called))
    return _of_each(results, {n: columns.get(n, []) for n in called}, _dimension(every))


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
    others = [name for name in _unnamed(header) if not _names_a_part(name)]
    columns, labels = _label_columns(table, others, systems)
    worded = [
        name
        for name in labels
        if not all(map(str.isdigit, filter(None, columns[name])))
    ]
    if len(worded) != 1:
        return None
    (name,) = worded
    return name, _dimension(labels[name]), columns[name]


def columns_like_labels(table: OpinionTable) -> list[str]:
    """List columns of 1 and 2 alone, named as no part of a study: raters' perhaps."""
    labels = _label_columns(table, _unnamed(table.columns()))[1]
    return [name for name in labels if not _names_a_part(name)]


def _like_raters(columns: TextColumns, labels: Mapping[str, set[str]]) -> list[str]:
    """Find columns that may be raters' by content and, if digits, by their names."""
    digits = [
        name for name in labels if all(map(str.isdigit, filter(None, columns[name])))
    ]
    words = [name for name in labels if name not in digits]
    with_digits = any({"1", "2"} & {*columns[name]} for name in words)
    plain = [name for name in digits if not _names_a_part(name)]
    return [
        n for n in labels if n in words or (n in plain and (with_digits or not words))
    ]


def _names_a_part(name: str) -> bool:
    words = _words(name)
    return not words or not _DESIGN.isdisjoint(words)


def _names_worse(name: str) -> bool:
    return not _WORSE.isdisjoint(_words(name))


def _words(name: str) -> list[str]:
    """Split a column's name into words, also where capitals begin them."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [word.casefold() for word in re.findall(r"[^\W\d_]+", apart)]


def _unnamed(header: Iterable[str]) -> list[str]:
    """Return columns that may hold labels: of no known name, and not of the worse answer."""
    return [name for name in header if name not in NAMES and not _names_worse(name)]


def score_of_each(
    table: OpinionTable, results: TextColumns, raters: Sequence[str] = ()
) -> TextColumns | None:
    """Do for scores what :func:`label_of_each` does for labels.

    Columns are named like raters: ``rater1``, ``listener 2``.
    """
    names = list(raters) or [name for name in table.columns() if RATER.fullmatch(name)]
    columns = table.read({name: name for name in names}) if names else {}
    return _of_each(results, {name: columns.get(name, []) for name in names}, "score")


def holds_scores_of_raters(table: OpinionTable, raters: Sequence[str] = ()) -> bool:
    """Whether columns of raters hold scores, and no labels."""
    names = list(raters) or [name for name in table.columns() if RATER.fullmatch(name)]
    if len(names) < 2:
        return False
    columns = table.read({name: name for name in names})
    cells = {
        cell for name in names for cell in columns.get(name, []) if not is_missing(cell)
    }
    numbers = {number_of(cell) for cell in cells}
    return bool(cells) and None not in numbers and not numbers <= {1.0, 2.0}


def _of_each(table: TextColumns, columns: TextColumns, name: str) -> TextColumns | None:
    if len(columns) < 2 or "rater" in table:
        return None
    size = max(map(len, columns.values()))
    return {
        **{field: values * len(columns) for field, values in table.items()},
        "rater": [who for who in columns for _ in range(size)],
        name: [value for values in columns.values() for value in values],
    }
