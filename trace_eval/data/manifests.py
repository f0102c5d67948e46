"""Reading pairs and single answers from whatever :mod:`trace_eval.data.sources` opens.

Reading never stops at a bad record: it is listed as a :class:`Problem` with file and
record, the others go on, and the run's coverage counts it.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from blueprints import InputError, UserError, counted
from trace_eval.data.columns import Fields
from trace_eval.data.conversation import ConversationReader
from trace_eval.data.input_options import InputOptions
from trace_eval.data.items import Labels, Pair, Single, items_of_pair
from trace_eval.data.layouts import is_chosen
from trace_eval.data.paired import answers_of_systems, pairs_of_systems, question_of
from trace_eval.data.records import (
    PAIR_FIELDS,
    Dropped,
    NoLabel,
    Spill,
    is_pair_record,
    pair_from_record,
)
from trace_eval.data.renamed import Renamed
from trace_eval.data.shards import IdDigest, ManifestShard, Shard, digest, lined_up
from trace_eval.data.singles import SINGLE_FIELDS, single_from_record
from trace_eval.data.sources import ItemSource, RecordTable, opened, source_of
from trace_eval.data.system_folders import FolderRow


@dataclass(frozen=True)
class Problem:
    """Something wrong with one record or one recording of the input."""

    where: str
    what: str
    pair: str | None = None

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True)
class Manifest:
    """The readable items of a file, and the reasons why others cannot be read.

    Attributes:
        path: of the file; a string where it is a URL.
        items: in the order of the file; all of one kind.
        problems: records that are no items.
        part: set where these are not all items of the file.
        sha256: of the file; None: it was not read from one.
        warnings: of records that are items, but not with all that they hold.
        notes: what was made of the file beyond what stands in it, said once.
        columns: field -> column of the file, as its reader was told.
    """

    path: Path | str
    items: Sequence[Pair | Single]
    problems: list[Problem] = field(default_factory=list)
    part: ManifestShard | None = None
    sha256: str | None = None
    warnings: list[Problem] = field(default_factory=list)
    notes: tuple[Problem, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def pairs(self) -> list[Pair]:
        """The items that are pairs."""
        return [item for item in self.items if isinstance(item, Pair)]

    @property
    def singles(self) -> list[Single]:
        """The items that are single answers."""
        return [item for item in self.items if isinstance(item, Single)]

    @property
    def total(self) -> int:
        """Records in the file (of a shard: its share of them), readable or not."""
        return len(self.items) + len(self.problems)

    def shard(self, shard: Shard) -> Manifest:
        """Return one of several disjoint parts; an instruction's items stay together.

        Problems belong to the first part, so that they are counted once.
        """
        return self.cut(shard.of).part(shard)

    def cut(self, count: int) -> Parts:
        """Say what the parts of the items are; none is made before it is asked for."""
        return Parts(self, count)


class Parts:
    """All disjoint parts of a manifest, as :meth:`Manifest.shard` gives one."""

    def __init__(self, whole: Manifest, count: int) -> None:
        self._whole = whole
        ids = IdDigest()
        self._line = lined_up(_digested(whole.items, ids))
        self._digest = ids.hexdigest()
        #: In their order.
        self.shards = [Shard(index, count) for index in range(1, count + 1)]

    def cut(self, shard: Shard) -> ManifestShard:
        """Say which items a part has."""
        places = tuple(shard.cut(self._line))
        return ManifestShard(shard, len(self._line), self._digest, places)

    def part(self, shard: Shard) -> Manifest:
        """Make a part."""
        whole, cut = self._whole, self.cut(shard)
        return replace(
            whole,
            items=[whole.items[place] for place in cut.places],
            problems=whole.problems if shard.index == 1 else [],
            part=cut,
        )


def _digested(items: Iterable[Pair | Single], ids: IdDigest) -> Iterator[Hashable]:
    """Yield the question of every item, and digest its id."""
    for item in items:
        ids.add(item.id)
        yield question_of(item)


#: Values that are no labels, named in a message at most.
_SHOWN = 6

#: Longest value that anybody types.
_TYPED = 60


class NoColumns(InputError):
    """A table has no column for what is needed."""


def read_manifest(
    path: ItemSource,
    audio_root: Path | str | None = None,
    spill: Spill | None = None,
    limit: int | None = None,
    conversations: ConversationReader | None = None,
    columns: Mapping[str, str] | None = None,
) -> Manifest:
    """Read all pairs of an input.

    Args:
        path: ``.jsonl``, ``.csv`` or ``.tsv`` (header row), ``.parquet``, ``.arrow`` or
            ``.json`` (a list); a folder of them, of recordings of systems, or of a data
            set; the URL of such a file or folder, which is fetched; or a source that is
            none of them. Where each row is one system's answer to a question, every two
            answers to it are a pair.
        audio_root: folder of relative audio paths, or its URL; default: the manifest's
            own.
        spill: where embedded recordings go, see
            :func:`trace_eval.data.records.spill_to`.
        limit: read this many records at most; None: all.
        columns: field -> column of the file, e.g. ``{"a": "system_a_audio"}``.
        conversations: reads answers that are conversations in files of other layouts.

    Raises:
        UserError: the file itself cannot be read, has no record at all, or has no
            column for an answer.
    """

    def pairs(
        record: dict[str, Any], root: Path | str, dropped: Dropped
    ) -> Sequence[Pair]:
        return [
            pair_from_record(
                record, root, spill=spill, dropped=dropped, conversations=conversations
            )
        ]

    reading = InputOptions(audio_root, columns or {}, limit)
    try:
        return read_records(path, pairs, reading, PAIR_FIELDS, by_id=False)
    except NoColumns:
        with suppress(UserError):
            singles = read_items(
                path,
                audio_root,
                spill=spill,
                limit=limit,
                conversations=conversations,
                columns=columns,
            )
            if paired := _paired(singles):
                return paired
        raise


def read_items(
    path: ItemSource,
    audio_root: Path | str | None = None,
    spill: Spill | None = None,
    limit: int | None = None,
    conversations: ConversationReader | None = None,
    columns: Mapping[str, str] | None = None,
) -> Manifest:
    """Read all single answers of an input; a record of a pair gives both its answers.

    Args:
        path: as of :func:`read_manifest`; a ``.json`` may also hold an object of items
            by id, as ORCA's authors publish theirs; a folder may hold recordings alone.
        audio_root, spill, limit, columns, conversations: as of :func:`read_manifest`.

    Raises:
        UserError: the file itself cannot be read, has no record at all, or no column
            for an answer.
    """

    def items(
        record: dict[str, Any], root: Path | str, dropped: Dropped
    ) -> Sequence[Single]:
        if is_pair_record(record):
            pair = pair_from_record(
                record, root, spill=spill, dropped=dropped, conversations=conversations
            )
            return items_of_pair(pair)
        singles: list[Single] = []
        for one in answers_of_systems(record) or [record]:
            singles.append(single_from_record(one, root, spill, conversations))
        return singles

    names = {**PAIR_FIELDS.names, **SINGLE_FIELDS.names}
    names["id"] = tuple(
        dict.fromkeys((*SINGLE_FIELDS.names["id"], *PAIR_FIELDS.names["id"]))
    )
    fields = replace(SINGLE_FIELDS, names=names)
    return read_records(
        path, items, InputOptions(audio_root, columns or {}, limit), fields
    )


def read_records(
    path: ItemSource,
    made_of: Callable[[dict[str, Any], Path | str, Dropped], Sequence[Pair | Single]],
    reading: InputOptions | None = None,
    fields: Fields | None = None,
    by_id: bool = True,
) -> Manifest:
    """Read an input of any layout, as :func:`read_items` takes it.

    Args:
        made_of: (record, folder of relative paths, where to say what is left out) ->
            its items.
        fields: what its records are made of; None: nothing is known of them.
        by_id: a ``.json`` may be an object of records by id; single answers are wanted.

    Raises:
        UserError: the file itself cannot be read, or has no record at all.
    """
    reading, path = reading or InputOptions(), source_of(path)
    with opened(path, reading, by_id) as source:
        columns = {} if source.prompted else reading.columns
        table = Renamed(str(source.label), fields or Fields({}), columns)
        rows = islice(source.rows, reading.limit)
        manifest = _read(source.label, rows, made_of, table)
        manifest = replace(manifest, sha256=source.sha256, columns=reading.columns)
        notes = (Problem(str(source.label), note) for note in source.notes)
        manifest = replace(manifest, notes=(*notes, *manifest.notes))
    if isinstance(
        path, RecordTable
    ):  # two of one name are told apart by what they hold
        name = (
            f"{path.name}-{digest(item.id + repr(item) for item in manifest.items)[:8]}"
        )
        manifest = replace(manifest, path=Path(name))
    return manifest


def _paired(singles: Manifest) -> Manifest | None:
    pairs, twice = pairs_of_systems(singles.singles)
    where = str(singles.path)
    problems = [
        *singles.problems,
        *(Problem(where, what, name) for name, what in twice.items()),
    ]
    systems = ", ".join(sorted({str(item.system) for item in singles.singles}))
    notes = (
        Problem(where, f"every two answers to one question are a pair, of {systems}"),
    )
    return (
        replace(singles, items=pairs, problems=problems, notes=notes) if pairs else None
    )


def _read(
    label: Path | str,
    rows: Iterable[FolderRow],
    made_of: Callable[[dict[str, Any], Path | str, Dropped], Sequence[Pair | Single]],
    table: Renamed,
) -> Manifest:
    items: list[Pair | Single] = []
    problems: list[Problem] = []
    unread: dict[str, list[tuple[str, NoLabel]]] = {}
    ties: set[str] = set()
    seen: dict[str, str] = {}
    for (where, _, root), record in table.rows(rows, lambda row: row.record):
        if isinstance(record, str):
            problems.append(Problem(where, record))
            continue
        lines: list[NoLabel] = []
        try:
            made = made_of(record, root, lines.append)
        except UserError as error:
            name = record.get("id", record.get("index"))
            problems.append(
                Problem(where, str(error), None if name is None else str(name))
            )
            continue
        finally:
            for line in lines:
                unread.setdefault(line.field, []).append((where, line))
        ties.update(item.id for item in made if any(map(_is_tie, lines)))
        for item in made:
            if item.id not in seen:
                seen[item.id] = where
                items.append(item)
            else:
                what = f"id {item.id!r} is also at {seen[item.id]}; give each its own"
                problems.append(Problem(where, what))
    table.check_named()
    if not items and (missing := table.missing()):
        raise NoColumns(missing)
    if not items and not problems:
        raise InputError(f"{label}: no records; expected one item per line or row")
    plain = ties and all(_is_tie(what) for _, what in unread["overall"])
    if plain and (untyped := _untyped(items, ties)):
        items = untyped
        del unread["overall"]
    warnings = [_unused(field, result, items) for field, result in unread.items()]
    kept = [_without(item, unread.keys()) for item in items] if unread else items
    notes = tuple(_notes(label, table, items))
    return Manifest(label, kept, problems, warnings=warnings, notes=notes)


def _notes(
    label: Path | str, table: Renamed, items: Sequence[Pair | Single]
) -> Iterator[Problem]:
    """Yield what was made of the file beyond what stands in it."""
    where = str(label)
    for column, name in table.misspelt():
        yield Problem(
            where,
            f"column {column!r} is not read, only kept as meta; did you mean {name}?",
        )
    if table.numbered:
        yield Problem(
            where, "has no column id; items are called by their row number, from 1"
        )
    if is_chosen(table.values):
        first = 0
        for item in items:
            if isinstance(item, Pair) and item.labels is not None:
                first += item.labels.preference == "1"
        yield Problem(
            where,
            f"chosen and rejected: the chosen answer is A in {first} of"
            f" {counted(len(items), 'pair')} and B in the others, by a hash of the id,"
            " so that the place does not tell the label",
        )


def _is_tie(what: NoLabel) -> bool:
    return what.tie and what.field == "overall"


def _untyped(
    items: Sequence[Pair | Single], ties: set[str]
) -> list[Pair | Single] | None:
    """Turn overall labels into plain preferences; None if some ties are typed."""
    results: list[Pair | Single] = []
    for item in items:
        labels = (item.labels if isinstance(item, Pair) else None) or Labels()
        label = "tie" if item.id in ties else labels.overall
        if label is None:
            results.append(item)
            continue
        if str(label) not in ("1", "2", "tie"):
            return None
        labels = labels.model_copy(update={"overall": None, "preference": str(label)})
        results.append(item.model_copy(update={"labels": labels}))
    return results


def _unused(
    field: str, results: Sequence[tuple[str, NoLabel]], items: Iterable[Pair | Single]
) -> Problem:
    """Say why no label of a column is used: readable ones are no sample of it."""
    where, first = results[0]
    read = sum(bool(getattr(item.labels, field, None)) for item in items)
    every = list(dict.fromkeys(str(line.value) for _, line in results))
    others = (
        f" and {counted(len(every) - _SHOWN, 'other')}" if len(every) > _SHOWN else ""
    )
    got = ", ".join(f"{value!r:.80}" for value in every[:_SHOWN])
    short = [value for value in every[:_SHOWN] if len(value) <= _TYPED]
    options = [f"--map {shlex.quote(f'{value}=LABEL')}" for value in short]
    meant = " ".join(options or ["--map VALUE=LABEL"])
    return Problem(
        where,
        f"column {first.column} is not a label ({first.expected}, got {got}{others});"
        f" {len(results)} of its {len(results) + read} values cannot be read, so none"
        " is used as a label and no agreement comes from them: write each as one of the"
        f" labels, say what each means (trace-eval agree RUN --labels FILE {meant}), or"
        " rename the column if it holds none",
    )


def _without(item: Pair | Single, fields: Iterable[str]) -> Pair | Single:
    """Remove these labels from an item."""
    if item.labels is None:
        return item
    labels = item.labels.model_copy(update=dict.fromkeys(fields))
    holds_something = any(value is not None for _, value in labels)
    return item.model_copy(update={"labels": labels if holds_something else None})
