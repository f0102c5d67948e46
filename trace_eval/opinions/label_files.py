"""Columns of tables of labels and scores, under our names and as text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

from blueprints import InputError, UserError
from trace_eval.data import names
from trace_eval.data.columns import FIRST, Fields, RowFilter, at
from trace_eval.data.settings import nearest
from trace_eval.data.spelling import PLAIN, is_missing, plain, spelled
from trace_eval.data.tables import CSV, column_names, csv_columns, records
from trace_eval.opinions.cells import number_of
from trace_eval.opinions.opinions import DataWarning
from trace_eval.opinions.row_status import is_status, thrown_out
from trace_eval.opinions.survey_layouts import RATER, fits_any, unfolded

#: What label files are made of, for ``--column``.
LABEL_FIELDS = Fields(names.LABELS, numbered=False)

#: What files of scores are made of.
SCORE_FIELDS = Fields(names.SCORES, numbered=False)

#: Accepted name in a file of labels -> our name of it.
NAMES: dict[str, str] = names.fields_of(names.LABELS)

TextColumns = dict[str, list[str | None]]


@dataclass(frozen=True)
class OpinionTable:
    """A table of labels or scores, wherever it is.

    Attributes:
        name: what messages call it.
        read: gives its columns, from name in it -> our name.
        columns: gives the names of its columns.
        notes: sentences on what was understood by its layout, and on rows that were thrown out.
    """

    name: str
    read: Callable[[Mapping[str, str]], TextColumns]
    columns: Callable[[], Sequence[str]]
    notes: tuple[str, ...] = ()

    @classmethod
    def of_file(
        cls, path: Path, fields: Fields = LABEL_FIELDS, where: Sequence[RowFilter] = ()
    ) -> OpinionTable:
        """Read a file; see :func:`read_columns`. ``where`` says which of its rows count."""
        first = _first_records(path)
        if where or fits_any(first):
            rows = [record for _, record in _good(path, None)]
            return cls.of_records(str(path), rows, fields, where)
        read = partial(read_columns, path, fields=fields)
        names = partial(names_in, path)
        return cls(str(path), read, names, tuple(_thrown_out(path, names())))

    @classmethod
    def at_hand(
        cls, provided: Any, fields: Fields = LABEL_FIELDS, where: Sequence[RowFilter] = ()
    ) -> OpinionTable:
        """Read records that are no file; see :meth:`trace_eval.data.sources.RecordTable.of`."""
        from trace_eval.data.sources import RecordTable

        return cls.of_records("table", list(RecordTable.of(provided).records), fields, where)

    @classmethod
    def of_records(
        cls, name: str, records: Sequence[Any], fields: Fields, where: Sequence[RowFilter]
    ) -> OpinionTable:
        """Select the records that count, and unfold them to one for each opinion."""
        notes: list[str] = []
        if all(isinstance(record, Mapping) for record in records):
            records = _where(name, records, where)
            before = names_of(records)
            status: dict[str, list[Any]] = {}
            for column in filter(is_status, before):
                status[column] = [record.get(column) for record in records]
            notes += thrown_out(status)
            try:
                records = unfolded(records, notes)
            except UserError as error:
                raise InputError(f"{name}, {error}") from None
        columns = names_of(records)

        def read(own: Mapping[str, str]) -> TextColumns:
            wanted = _wanted(own, fields, columns)
            return _columns(name, enumerate(records, start=1), wanted)

        return cls(name, read, lambda: columns, tuple(notes))

    def warnings(self) -> tuple[DataWarning, ...]:
        """Say for a report how the table was understood."""
        return tuple(DataWarning("table", f"{self.name}: {note}") for note in self.notes)


def names_of(records: Sequence[Any]) -> list[str]:
    """List the columns of records, by first appearance."""
    rows = (record for record in records if isinstance(record, Mapping))
    return list(dict.fromkeys(column for row in rows for column in row))


def _first_records(path: Path) -> list[Mapping[str, Any]]:
    """Read the first records of a file; none of one that cannot be read."""
    try:
        first = [row for _, row in islice(records(path), FIRST)]
    except UserError:
        return []
    return [row for row in first if isinstance(row, Mapping)]


def _thrown_out(path: Path, names: Sequence[str]) -> Iterator[str]:
    status = [name for name in names if is_status(name)]
    with suppress(UserError):  # what is wrong with the file, its reader says
        columns = read_columns(path, {name: name for name in status}) if status else {}
        yield from thrown_out({name: columns[name] for name in status if name in columns})


def _where(
    name: str, records: Sequence[Mapping[str, Any]], conditions: Sequence[RowFilter]
) -> Sequence[Mapping[str, Any]]:
    """Select records that meet every condition; of conditions on one column one is enough."""
    columns = names_of(records)
    wanted: dict[str, list[RowFilter]] = {}
    for condition in conditions:
        column = condition.column
        if not any(column in record or at(record, column) is not None for record in records):
            raise InputError(
                f"{name}: --where {column}: no such column; {nearest(column, columns)}"
            )
        kind = column if condition.equal else f"{column}!={condition.value}"
        wanted.setdefault(kind, []).append(condition)

    def holds(record: Mapping[str, Any], any_of: Sequence[RowFilter]) -> bool:
        return any(condition.holds(at(record, condition.column)) for condition in any_of)

    left = list(records)
    for group in wanted.values():
        left = [record for record in left if holds(record, group)]
    if conditions and not left:
        shown = " ".join(map(str, conditions))
        raise InputError(f"{name}: no row is left by {shown}; see the values of these columns")
    return left


def columns_of(columns: Mapping[str, str], fields: Fields = LABEL_FIELDS) -> dict[str, str]:
    """Map columns of the file to our names, from field -> column; refuse a field that is none."""
    return {column: fields.field(name) for name, column in columns.items()}


def read_columns(
    path: Path, own: Mapping[str, str] | None = None, fields: Fields = LABEL_FIELDS
) -> TextColumns:
    """Read the known columns of a file, as text; what is missing is ``None``.

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
    """List the names of a file's columns; what is nested has our name of it."""
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


def _good(path: Path, wanted: Collection[str] | None) -> Iterator[tuple[int, Any]]:
    """Yield a file's numbered records; a bad one refuses it, since labels are read whole."""
    for number, (where, record) in enumerate(records(path, names=wanted), start=1):
        if isinstance(record, str):
            raise InputError(f"{where}: {record}")
        yield number, record


def _columns(
    path: Path | str, numbered: Iterable[tuple[int, Any]], available: Mapping[str, str]
) -> TextColumns:
    columns: TextColumns = {}
    used: dict[str, None] = {}
    count = 0
    for count, record in numbered:
        if not isinstance(record, dict):
            raise InputError(f"{path}, record {count}: expected an object, got {record!r:.60}")
        try:
            flat = flatten(record, used, available)
        except UserError as error:
            raise InputError(f"{path}, record {count}: {error}") from None
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
    """Flatten one JSON record to columns of text; ``used`` collects the names that were read.

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
            raise InputError(f"{name} is given twice, {columns[name]!r} and {text!r}; keep one")
        if text is not None or name not in columns:
            columns[name] = text
    return columns


def _named(
    record: Mapping[str, Any], used: dict[str, None], available: Mapping[str, str]
) -> Iterator[tuple[str, Any]]:
    """Yield our name and the value of every accepted column of a record, in file order."""
    for key, value in record.items():
        if key == "labels" and value is not None and not isinstance(value, Mapping):
            raise InputError(f"labels: expected an object (got {value!r:.80})")
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
            raise InputError(
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
    meant = _meant(table, free, systems) if absent != "id" else None
    meant = meant or (f"{absent}={near[0]}" if near else None)
    hint = f"perhaps --column {shlex.quote(meant or '')}"
    raise InputError(
        f"{table.name}: {details} ({', '.join(accepted)}); it has {', '.join(header[:24])};"
        f" {hint if meant else f'add one, or name it: --column {absent}=COLUMN'}"
    )


def _meant(table: OpinionTable, names: Sequence[str], systems: Collection[object]) -> str | None:
    """Write ``FIELD=COLUMN`` for columns of labels alone: one, or several of raters."""
    labels = _label_columns(table, names, systems)[1]
    if len(labels) > 1 and not names_raters(table.columns()):
        return f"rater={','.join(labels)}"
    return next((f"{_dimension(every)}={name}" for name, every in labels.items()), None)


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


def rater_columns(named: Mapping[str, str], columns: Collection[str]) -> list[str]:
    """Return several raters' columns, from ``--column rater=ann,bob``; empty if it names one.

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

    Of several columns that hold labels alone all are raters', or those that are called so. A
    column of 1 and 2 alone may count anything: it is a rater's where the others are written with
    1 and 2 as well and its name is none of a part of a study. None: it has no two such columns,
    or says in one who rated.

    Args:
        results: what was read of it.
        systems: names of systems that its labels may hold.
        raters: the columns, where a user names them.
    """
    others = raters or [name for name in table.columns() if name not in NAMES]
    columns, labels = _label_columns(table, others, systems)
    called = list(raters) or [name for name in labels if RATER.fullmatch(name)]
    if len(called) < 2:
        called = _like_raters(columns, labels)
    every = set().union(*(labels.get(name, set()) for name in called))
    return _of_each(results, {n: columns.get(n, []) for n in called}, _dimension(every))


def only_labels(
    table: OpinionTable, systems: Collection[object] = ()
) -> tuple[str, str, list[str | None]] | None:
    """Return the only column of labels of a table that names raters: its name, ours, and it.

    None: no rater is named, or none or several columns hold labels alone. Columns of 1 and 2 may
    count anything.
    """
    header = table.columns()
    if not names_raters(header):
        return None
    others = [name for name in header if name not in NAMES and not _names_a_part(name)]
    columns, labels = _label_columns(table, others, systems)
    worded = [name for name in labels if not all(map(str.isdigit, filter(None, columns[name])))]
    if len(worded) != 1:
        return None
    (name,) = worded
    return name, _dimension(labels[name]), columns[name]


def columns_like_labels(table: OpinionTable) -> list[str]:
    """List columns of 1 and 2 alone whose names are no part of a study: they may be raters'."""
    others = [name for name in table.columns() if name not in NAMES]
    labels = _label_columns(table, others)[1]
    return [name for name in labels if not _names_a_part(name)]


def _like_raters(columns: TextColumns, labels: Mapping[str, set[str]]) -> list[str]:
    """Find columns that may be raters' by what they hold, and by name where that is digits."""
    digits = [name for name in labels if all(map(str.isdigit, filter(None, columns[name])))]
    words = [name for name in labels if name not in digits]
    with_digits = any({"1", "2"} & {*columns[name]} for name in words)
    plain = [name for name in digits if not _names_a_part(name)]
    return [n for n in labels if n in words or (n in plain and (with_digits or not words))]


def _names_a_part(name: str) -> bool:
    words = re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
    return not words or any(word.casefold() in _DESIGN for word in words)


def score_of_each(
    table: OpinionTable, results: TextColumns, raters: Sequence[str] = ()
) -> TextColumns | None:
    """Do the same for scores, in columns named like raters: ``rater1``, ``listener 2``."""
    names = list(raters) or [name for name in table.columns() if RATER.fullmatch(name)]
    columns = table.read({name: name for name in names}) if names else {}
    return _of_each(results, {name: columns.get(name, []) for name in names}, "score")


def holds_scores_of_raters(table: OpinionTable, raters: Sequence[str] = ()) -> bool:
    """Whether columns of raters hold scores, and no labels."""
    names = list(raters) or [name for name in table.columns() if RATER.fullmatch(name)]
    if len(names) < 2:
        return False
    columns = table.read({name: name for name in names})
    cells = {cell for name in names for cell in columns.get(name, []) if not is_missing(cell)}
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
