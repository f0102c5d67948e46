"""Columns of tables of labels and scores, under our names and as text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import UserError
from trace_eval.data import names
from trace_eval.data.columns import FIRST, Fields
from trace_eval.data.spelling import PLAIN, plain, spelled
from trace_eval.data.tables import CSV, column_names, csv_columns, records

#: What label files are made of, for ``--column``.
LABEL_FIELDS = Fields(names.LABELS, numbered=False)

#: What files of scores are made of.
SCORE_FIELDS = Fields(names.SCORES, numbered=False)

#: Accepted name in a file of labels -> our name of it.
NAMES: dict[str, str] = names.fields_of(names.LABELS)

Columns = dict[str, list[str | None]]


class OpinionTable(NamedTuple):
    """A table of labels or scores, wherever it is, by its name in messages."""

    name: str
    read: Callable[[Mapping[str, str]], Columns]  # its columns, from name in it -> our name
    columns: Callable[[], Sequence[str]]  # gives the names of its columns

    @classmethod
    def of_file(cls, path: Path, fields: Fields = LABEL_FIELDS) -> OpinionTable:
        """A file; see :func:`read_columns`."""
        read = partial(read_columns, path, fields=fields)
        return cls(str(path), read, partial(names_in, path))

    @classmethod
    def at_hand(cls, provided: Any, fields: Fields = LABEL_FIELDS) -> OpinionTable:
        """A data frame, a list of dicts, ...; see :meth:`trace_eval.data.sources.Table.of`."""
        from trace_eval.data.sources import Table

        name, records = "table", list(Table.of(provided).records)
        rows = (row for row in records if isinstance(row, Mapping))
        columns = list(dict.fromkeys(column for row in rows for column in row))

        def read(own: Mapping[str, str]) -> Columns:
            wanted = _wanted(own, fields, columns)
            return _columns(name, enumerate(records, start=1), wanted)

        return cls(name, read, lambda: columns)


def columns_of(columns: Mapping[str, str], fields: Fields = LABEL_FIELDS) -> dict[str, str]:
    """Column of the file -> our name, from field -> column; refuses a field that is none."""
    return {column: fields.field(name) for name, column in columns.items()}


def read_columns(
    path: Path, own: Mapping[str, str] | None = None, fields: Fields = LABEL_FIELDS
) -> Columns:
    """The known columns of a file, as text; what is missing is ``None``.

    Args:
        own: more names in the file -> ours; a name of ours in it gives way.

    Raises:
        UserError: the file is no table, a row of it is bad, or two columns mean the same.
    """
    if path.suffix.lower() in CSV:
        wanted = _wanted(own or {}, fields, column_names(path))
        columns = csv_columns(path, wanted)
        if columns is not None:
            _refuse_synonyms(path, columns, wanted)
            return {wanted[name]: values for name, values in columns.items()}
    every = {name for aliases in fields.names.values() for name in aliases}
    rows = _good(path, {*every, *(own or ()), "label", "labels", "dimensions"})
    first = list(islice(rows, FIRST))
    wanted = _wanted(own or {}, fields, {name for _, record in first for name in record})
    return _columns(path, chain(first, rows), wanted)


def names_in(path: Path) -> list[str]:
    """Names of a file's columns; what is nested has our name of it."""
    if path.suffix.lower() in CSV:
        return column_names(path)
    try:
        first = [row for _, row in islice(records(path), FIRST) if isinstance(row, dict)]
        every = (name for record in first for name in (*record, *flatten(record, {})))
        return list(dict.fromkeys(every))
    except UserError:
        return []


def names_raters(columns: Collection[str]) -> bool:
    """Whether one of these columns says who of the annotators gave each label."""
    return bool(names.first_of({"rater": names.NAMES["rater"]}, columns))


def _wanted(own: Mapping[str, str], fields: Fields, have: Collection[str]) -> dict[str, str]:
    available = names.fields_of(fields.names, have)
    return {name: ours for name, ours in available.items() if ours not in own.values()} | dict(own)


def _good(path: Path, wanted: Collection[str]) -> Iterator[tuple[int, Any]]:
    """The numbered records of a file; a bad one refuses it, since labels are read whole."""
    for number, (where, record) in enumerate(records(path, names=wanted), start=1):
        if isinstance(record, str):
            raise UserError(f"{where}: {record}")
        yield number, record


def _columns(
    path: Path | str, numbered: Iterable[tuple[int, Any]], available: Mapping[str, str]
) -> Columns:
    columns: Columns = {}
    used: dict[str, None] = {}
    count = 0
    for count, record in numbered:
        if not isinstance(record, dict):
            raise UserError(f"{path}, record {count}: expected an object, got {record!r:.60}")
        try:
            flat = flatten(record, used, available)
        except UserError as error:
            raise UserError(f"{path}, record {count}: {error}") from None
        for name, value in flat.items():
            column = columns.setdefault(name, [])
            column.extend([None] * (count - 1 - len(column)))
            column.append(value)
    _refuse_synonyms(path, used, available)
    for column in columns.values():
        column.extend([None] * (count - len(column)))
    return columns


def flatten(
    record: Mapping[str, Any], used: dict[str, None], available: Mapping[str, str] = NAMES
) -> dict[str, str | None]:
    """The columns of one JSON record as text; ``used`` collects the names that were read.

    A record may nest ``label``/``labels``, the sides ``a`` and ``b`` of a pair, and the
    ``dimensions`` of a judgement.

    Raises:
        UserError: two places give different values of one name.
    """
    columns: dict[str, str | None] = {}
    for name, value in _named(record, used, available):
        if isinstance(value, str) or value is None:
            text = value or None
        else:
            text = str(value) if type(value) in (int, float) else repr(value)
        if text is not None and columns.get(name) not in (None, text):
            raise UserError(f"{name} is given twice, {columns[name]!r} and {text!r}; keep one")
        if text is not None or name not in columns:
            columns[name] = text
    return columns


def _named(
    record: Mapping[str, Any], used: dict[str, None], available: Mapping[str, str]
) -> Iterator[tuple[str, Any]]:
    """Our name and the value of every accepted column of a record, in file order."""
    for key, value in record.items():
        if key == "labels" and value is not None and not isinstance(value, Mapping):
            raise UserError(f"labels: expected an object (got {value!r:.80})")
        if key in ("label", "labels") and isinstance(value, Mapping):
            yield from ((available[k], v) for k, v in value.items() if k in available)
        elif key == "dimensions" and isinstance(value, Mapping):
            for name, verdict in value.items():
                if isinstance(verdict, Mapping) and name in available:
                    yield available[name], verdict.get("rating")
        elif key in ("a", "b") and isinstance(value, Mapping):
            yield f"system_{key}", value.get("system")
            yield f"clip_{key}", value.get("audio")
        elif key in available and not isinstance(value, Mapping | list):
            used[key] = None
            yield available[key], value


def _refuse_synonyms(path: Path | str, used: Iterable[str], available: Mapping[str, str]) -> None:
    seen: dict[str, str] = {}
    for name in used:
        other = seen.setdefault(available[name], name)
        if other != name:
            raise UserError(
                f"{path}: columns {other!r} and {name!r} both give {available[name]}; keep one"
            )


def refuse_without(
    table: OpinionTable,
    results: Collection[str],
    labels: Collection[str],
    *,
    numbered: bool = False,
    systems: Collection[object] = (),
) -> None:
    """Refuse a table of labels without ids or without labels.

    Args:
        results: our names of its columns that were read.
        labels: our names of columns of labels.
        numbered: the rows of a table without ids are numbered.
        systems: names of systems that its labels may hold.

    Raises:
        UserError: names the table's columns, the accepted names, and the nearest column.
    """
    if not numbered and not {"id", "recording"} & set(results):
        absent, details, accepted = "id", "no column 'id'", LABEL_FIELDS.names["id"]
    elif not set(results) & {*labels, "score_a"}:
        absent, details, accepted = "overall", "no column of labels", (*labels, "winner")
    else:
        return
    header = table.columns()
    free = [name for name in header if name not in NAMES]
    near = get_close_matches(absent, free, n=1, cutoff=0.4 if absent == "id" else 0.7)
    meant = _label_column(table, free, systems) if absent != "id" else None
    meant = meant or (f"{absent}={near[0]}" if near else None)
    hint = f"did you mean --column {shlex.quote(meant or '')}?"
    raise UserError(
        f"{table.name}: {details} ({', '.join(accepted)}); it has {', '.join(header[:24])};"
        f" {hint if meant else f'add one, or name it: --column {absent}=COLUMN'}"
    )


def _label_column(
    table: OpinionTable, names: Sequence[str], systems: Collection[object]
) -> str | None:
    """``FIELD=COLUMN`` for the first of these columns whose values all are labels."""
    columns = _label_columns(table, names, systems)[1]
    return next((f"{_dimension(labels)}={name}" for name, labels in columns.items()), None)


def _dimension(labels: Collection[str]) -> str:
    return "overall" if set(labels) - PLAIN else "preference"


def _label_columns(
    table: OpinionTable, names: Sequence[str], systems: Collection[object] = ()
) -> tuple[Columns, dict[str, set[str]]]:
    """These columns of a table, and of those whose values all are labels the labels."""
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
                if value
            }
    return columns, {name: labels for name, labels in results.items() if labels}


#: A column of one rater, whatever it holds.
_RATER = re.compile(
    r"(r|rater|annotator|listener|worker|participant|evaluator|subject)[\s_-]*\d+", re.I
)


def label_of_each(table: OpinionTable, results: Columns) -> Columns | None:
    """A table with a column of labels for each rater as one with a row for each label.

    Of several columns that hold labels alone all are raters', or those that are called so. Numbers
    are labels only in columns that are called so: 1 and 2 may count anything. None: it has no two
    such columns, or says in one who rated.

    Args:
        results: what was read of it.
    """
    others = [name for name in table.columns() if name not in NAMES]
    columns, labels = _label_columns(table, others)
    raters = [name for name in labels if _RATER.fullmatch(name)] or [
        name for name in labels if not all(map(str.isdigit, filter(None, columns[name])))
    ]
    every = set().union(*(labels[name] for name in raters))
    return _of_each(results, {name: columns[name] for name in raters}, _dimension(every))


def score_of_each(table: OpinionTable, results: Columns) -> Columns | None:
    """The same of scores, in columns that are called as raters are: ``rater1``, ``listener 2``."""
    names = [name for name in table.columns() if _RATER.fullmatch(name)]
    columns = table.read({name: name for name in names}) if names else {}
    return _of_each(results, {name: columns[name] for name in names}, "score")


def _of_each(table: Columns, columns: Columns, name: str) -> Columns | None:
    if len(columns) < 2 or "rater" in table:
        return None
    size = max(map(len, columns.values()))
    return {
        **{field: values * len(columns) for field, values in table.items()},
        "rater": [who for who in columns for _ in range(size)],
        name: [value for values in columns.values() for value in values],
    }
