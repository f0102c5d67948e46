"""Columns of tables of labels and scores, under our names and as text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import InputError, UserError
from trace_eval.data import names
from trace_eval.data.columns import Fields, RowFilter
from trace_eval.data.file_names import one_form
from trace_eval.data.renamed import FIRST, at
from trace_eval.data.settings import nearest
from trace_eval.data.sources import RecordTable
from trace_eval.data.tables import (
    CSV,
    column_names,
    csv_columns,
    records,
    table_start,
)
from trace_eval.opinions.opinions import DataWarning
from trace_eval.opinions.row_status import is_status, thrown_out
from trace_eval.opinions.survey_cells import PREFIX, SurveyTable, columns_of
from trace_eval.opinions.survey_layouts import fits_any, unfolded

#: What label files are made of, for ``--column``.
LABEL_FIELDS = Fields(names.LABELS, numbered=False)

#: What files of scores are made of.
SCORE_FIELDS = Fields(names.SCORES, numbered=False)

#: Accepted name in a file of labels -> our name of it.
NAMES: dict[str, str] = names.fields_of(names.LABELS)

#: What columns of judges are called.
_OF_JUDGES = {"judge": names.NAMES["judge"]}

#: Columns of a file that a message names.
_SHOWN = 24

TextColumns = dict[str, list[str | None]]


@dataclass(frozen=True)
class OpinionTable:
    """A table of labels or scores, wherever it is.

    Attributes:
        name: what messages call it.
        read: gives its columns, from name in it -> our name.
        columns: the names of its columns, as its layout is read.
        header: the names that they have in the file, where a layout gave them others.
        warnings: what was understood by its layout, and which rows were thrown out.
    """

    name: str
    read: Callable[[Mapping[str, str]], TextColumns]
    columns: Sequence[str]
    header: Sequence[str] = ()
    warnings: tuple[DataWarning, ...] = ()

    @classmethod
    def of_file(
        cls, path: Path, fields: Fields = LABEL_FIELDS, where: Sequence[RowFilter] = ()
    ) -> OpinionTable:
        """Read a file, see :func:`read_columns`; ``where`` says which rows count."""
        start = start_of(path)
        if where or fits_any(start.first):
            rows = [record for _, record in _good(path, None)]
            return cls.of_records(str(path), rows, fields, where)
        warnings: tuple[DataWarning, ...] = ()
        status = list(filter(is_status, start.columns))
        if status:
            warnings = _thrown_out(path, status)
        return cls(
            name=str(path),
            read=partial(read_columns, path, fields=fields, header=start.columns),
            columns=start.columns,
            warnings=warnings,
        )

    @classmethod
    def at_hand(
        cls,
        provided: Any,
        fields: Fields = LABEL_FIELDS,
        where: Sequence[RowFilter] = (),
    ) -> OpinionTable:
        """Read records at hand; see :meth:`trace_eval.data.sources.RecordTable.of`."""
        return cls.of_records(
            "table", list(RecordTable.of(provided).records), fields, where
        )

    @classmethod
    def of_records(
        cls,
        name: str,
        records: Sequence[Any],
        fields: Fields,
        where: Sequence[RowFilter],
    ) -> OpinionTable:
        """Select the records that count, and unfold them to one for each opinion."""
        notes: list[str] = []
        header: list[str] = []
        if all(isinstance(record, Mapping) for record in records):
            records = _where(name, records, where)
            status: dict[str, list[Any]] = {}
            for column in filter(is_status, columns_of(records)):
                status[column] = [record.get(column) for record in records]
            notes += thrown_out(status)
            header = columns_of(records)
            try:
                records = unfolded(records, notes)
            except UserError as error:
                raise InputError(f"{name}, {error}") from None
        columns = columns_of(filter(_is_mapping, records))

        def read(named: Mapping[str, str]) -> TextColumns:
            wanted = _wanted(_as_read(named, columns), fields, columns)
            return _columns(name, enumerate(records, start=1), wanted)

        if header == columns:
            header = []
        return cls(name, read, columns, header=header, warnings=_warnings(name, notes))

    def shown_columns(self) -> str:
        """List the last columns for a message: as the file has them, then as read.

        Survey tools put their own first.
        """
        as_read = ", ".join(self.columns[-_SHOWN:])
        if not self.header:
            return as_read
        return f"{', '.join(self.header[-_SHOWN:])}, which are read as {as_read}"


def _warnings(name: str, notes: Iterable[str]) -> tuple[DataWarning, ...]:
    """Say for a report how a table was understood."""
    return tuple(DataWarning("table", f"{name}: {note}") for note in notes)


def _as_read(named: Mapping[str, str], columns: Collection[str]) -> dict[str, str]:
    """Name columns as they are read, if a user writes a tool's prefix before them."""
    as_read: dict[str, str] = {}
    for name, ours in named.items():
        short = PREFIX.sub("", name, count=1)
        is_short = name not in columns and short in columns
        as_read[short if is_short else name] = ours
    return as_read


def _is_mapping(record: object) -> bool:
    return isinstance(record, Mapping)


def _thrown_out(path: Path, status: Sequence[str]) -> tuple[DataWarning, ...]:
    """Say which rows of a file a survey tool threw out, by its columns of status."""
    try:
        columns = read_columns(path, {name: name for name in status})
    except UserError:  # what is wrong with the file, its reader says
        return ()
    present = {name: columns[name] for name in status if name in columns}
    return _warnings(str(path), thrown_out(present))


def _where(
    name: str, records: Sequence[Mapping[str, Any]], conditions: Sequence[RowFilter]
) -> Sequence[Mapping[str, Any]]:
    """Select records that meet every condition; of those on one column, any will do."""
    alternatives: dict[str, list[RowFilter]] = {}
    for condition in conditions:
        column = condition.column
        if not any(_has_column(record, column) for record in records):
            remedy = nearest(column, columns_of(records))
            raise InputError(f"{name}: --where {column}: no such column; {remedy}")
        kind = column if condition.equal else f"{column}!={condition.value}"
        alternatives.setdefault(kind, []).append(condition)
    left = list(records)
    for any_of in alternatives.values():
        left = [record for record in left if _meets(record, any_of)]
    if conditions and not left:
        shown = " ".join(map(str, conditions))
        raise InputError(
            f"{name}: {shown} leaves no row; see which values these columns have"
        )
    return left


def _has_column(record: Mapping[str, Any], column: str) -> bool:
    return column in record or at(record, column) is not None


def _meets(record: Mapping[str, Any], any_of: Sequence[RowFilter]) -> bool:
    return any(condition.holds(at(record, condition.column)) for condition in any_of)


def read_columns(
    path: Path,
    own: Mapping[str, str] | None = None,
    fields: Fields = LABEL_FIELDS,
    header: Sequence[str] | None = None,
) -> TextColumns:
    """Read the known columns of a file, as text; what is missing is ``None``.

    Args:
        own: more names in the file -> ours; a name of ours in it gives way.
        header: the names of its columns; None: they are looked up.

    Raises:
        UserError: the file is no table, a row of it is bad, or two columns mean the
            same.
    """
    own = own or {}
    if path.suffix.lower() in CSV:
        if header is None:
            header = column_names(path)
        wanted = _wanted(own, fields, header)
        columns = csv_columns(path, wanted)
        if columns is not None:
            _refuse_synonyms(path, columns, wanted)
            renamed = {wanted[name]: values for name, values in columns.items()}
            return _in_one_form(renamed)
    readable = {"label", "labels", "dimensions"}
    readable.update(own)
    for accepted in fields.names.values():
        readable.update(accepted)
    rows = _good(path, readable)
    first = list(islice(rows, FIRST))
    columns_of_first = chain.from_iterable(record for _, record in first)
    wanted = _wanted(own, fields, set(columns_of_first))
    return _columns(path, chain(first, rows), wanted)


class FileStart(NamedTuple):
    """What a file of labels or scores begins with.

    Attributes:
        columns: names of its columns; of a nested one our name of it.
        first: its first records, by which a layout is known.
    """

    columns: list[str]
    first: SurveyTable


def start_of(path: Path) -> FileStart:
    """Look at the start of a file; of one that cannot be read there is none."""
    header, rows = table_start(path)
    first = SurveyTable.of(rows)
    if path.suffix.lower() in CSV:
        return FileStart(header, first)
    columns: dict[str, None] = {}
    for record in rows:
        # A plain field keeps its own name: "judge" says of nobody that he is an
        # annotator.
        columns.update(dict.fromkeys(record))
        nested: dict[str, Any] = {}
        for name, value in record.items():
            if isinstance(value, Mapping):
                nested[name] = value
        try:
            columns.update(dict.fromkeys(flatten(nested, {})))
        except UserError:
            return FileStart([], first)
    return FileStart(list(columns), first)


def names_raters(
    columns: Collection[str], named: Mapping[str, str] | None = None
) -> bool:
    """Whether one of these columns says who of the annotators gave each label.

    Args:
        named: column -> our name, as a user gives them; one that is called like that of
            judges stays theirs.
    """
    for column, ours in (named or {}).items():
        if ours == "rater" and not names.first_of(_OF_JUDGES, [column]):
            return True
    return bool(names.first_of({"rater": names.NAMES["rater"]}, columns))


def _wanted(
    own: Mapping[str, str], fields: Fields, columns: Collection[str]
) -> dict[str, str]:
    """Map the columns to read to our names, of which a user's own come first."""
    wanted: dict[str, str] = {}
    for name, ours in names.fields_of(fields.names, columns).items():
        if ours not in own.values():
            wanted[name] = ours
    wanted.update(own)
    return wanted


def _good(path: Path, wanted: Collection[str] | None) -> Iterator[tuple[int, Any]]:
    """Yield a file's numbered records; a bad one refuses it: labels are read whole."""
    for number, (where, record) in enumerate(records(path, names=wanted), start=1):
        if isinstance(record, str):
            raise InputError(f"{where}: {record}")
        yield number, record


def _columns(
    path: Path | str, numbered: Iterable[tuple[int, Any]], wanted: Mapping[str, str]
) -> TextColumns:
    columns: TextColumns = {}
    used: dict[str, None] = {}
    count = 0
    for count, record in numbered:
        if not isinstance(record, dict):
            raise InputError(
                f"{path}, record {count}: expected an object, got {record!r:.60}"
            )
        try:
            flat = flatten(record, used, wanted)
        except UserError as error:
            raise InputError(f"{path}, record {count}: {error}") from None
        for name, value in flat.items():
            column = columns.setdefault(name, [])
            column.extend([None] * (count - 1 - len(column)))
            column.append(value)
    _refuse_synonyms(path, used, wanted)
    for column in columns.values():
        column.extend([None] * (count - len(column)))
    return _in_one_form(columns)


#: Columns of paths, which are called as their files are.
_PATHS = frozenset({"clip_a", "clip_b", "recording"})


def _in_one_form(columns: TextColumns) -> TextColumns:
    """Give names of items, systems and raters the Unicode form they are joined by."""
    for name, values in columns.items():
        if name in _PATHS:
            continue
        if not all(value is None or value.isascii() for value in values):
            columns[name] = [value and one_form(value) for value in values]
    return columns


def flatten(
    record: Mapping[str, Any],
    used: dict[str, None],
    accepted: Mapping[str, str] = NAMES,
) -> dict[str, str | None]:
    """Flatten a JSON record to columns of text; ``used`` collects the names it read.

    A record may nest ``label``/``labels``, the sides ``a`` and ``b`` of a pair, and the
    ``dimensions`` of a judgement.

    Raises:
        UserError: two places give different values of one name.
    """
    columns: dict[str, str | None] = {}
    for name, value in _named(record, used, accepted):
        if isinstance(value, str) or value is None:
            text = value or None
        elif type(value) in (int, float):
            text = str(value)
        else:
            text = repr(value)
        if text is not None and columns.get(name) not in (None, text):
            raise InputError(
                f"{name} is given twice, {columns[name]!r} and {text!r}; keep one"
            )
        if text is not None or name not in columns:
            columns[name] = text
    return columns


def _named(
    record: Mapping[str, Any], used: dict[str, None], accepted: Mapping[str, str]
) -> Iterator[tuple[str, Any]]:
    """Yield our name and the value of each accepted column, in a record's order."""
    for key, value in record.items():
        if key == "labels" and value is not None and not isinstance(value, Mapping):
            raise InputError(f"labels: expected an object (got {value!r:.80})")
        if key in ("label", "labels") and isinstance(value, Mapping):
            for name, label in value.items():
                if name in accepted:
                    yield accepted[name], label
        elif key == "dimensions" and isinstance(value, Mapping):
            for name, verdict in value.items():
                if isinstance(verdict, Mapping) and name in accepted:
                    yield accepted[name], verdict.get("rating")
        elif key in ("a", "b") and isinstance(value, Mapping):
            yield f"system_{key}", value.get("system")
            yield f"clip_{key}", value.get("audio")
        elif key in accepted and not isinstance(value, Mapping | list):
            used[key] = None
            yield accepted[key], value


def _refuse_synonyms(
    path: Path | str, used: Iterable[str], accepted: Mapping[str, str]
) -> None:
    """Refuse a table of which two columns that were read have one name of ours."""
    first_names: dict[str, str] = {}
    for name in used:
        ours = accepted[name]
        first = first_names.setdefault(ours, name)
        if first != name:
            raise InputError(
                f"{path}: columns {first!r} and {name!r} both give {ours}; keep one"
            )
