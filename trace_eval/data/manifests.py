"""Reading manifests of pairs and of single answers: JSONL, CSV, Parquet, JSON.

Reading never stops at a bad record: it is listed as a :class:`Problem` with file and
record, the others go on, and the run's coverage counts it.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.data.conversation import ConversationReader
from trace_eval.data.files import utf8_name
from trace_eval.data.items import Single, items_of_pair
from trace_eval.data.manifest_files import records_of
from trace_eval.data.pairs import Pair
from trace_eval.data.parts import ManifestPart, Shard, digest
from trace_eval.data.records import Dropped, NoLabel, Spill, is_pair_record, pair_from_record
from trace_eval.data.singles import single_from_record
from trace_eval.data.urls import location, name_of, parent, redacted


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
    """The readable items of a file, and what is wrong with the others.

    Attributes:
        path: of the file; a string where it is a URL.
        items: in the order of the file; all of one kind.
        problems: records that are no items.
        part: set where these are not all items of the file.
        sha256: of the file; None: it was not read from one.
        warnings: of records that are items, but not with all that they hold.
    """

    path: Path | str
    items: Sequence[Pair | Single]
    problems: list[Problem] = field(default_factory=list)
    part: ManifestPart | None = None
    sha256: str | None = None
    warnings: list[Problem] = field(default_factory=list)

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
        """One of several disjoint parts; items of one instruction stay together if they can.

        Problems belong to the first part, so that they are counted once.
        """
        places = shard.places([question_of(item) for item in self.items])
        part = ManifestPart(
            shard, len(self.items), digest(item.id for item in self.items), tuple(places)
        )
        return replace(
            self,
            items=[self.items[place] for place in places],
            problems=self.problems if shard.index == 1 else [],
            part=part,
        )


def question_of(item: Pair | Single) -> Hashable:
    """Equal for items that share their instruction, and so its clip."""
    if item.question_id:
        return "id", item.question_id
    if item.instruction.has_audio:
        return "source", item.instruction.source_id
    return ("text", item.instruction.text) if item.instruction.text else ("item", item.id)


def read_manifest(
    path: Path | str,
    audio_root: Path | str | None = None,
    spill: Spill | None = None,
    limit: int | None = None,
    conversations: ConversationReader | None = None,
) -> Manifest:
    """Read all pairs of a manifest.

    Args:
        path: ``.jsonl``, ``.csv`` (header row), ``.parquet`` or ``.json`` (a list); or the URL
            of such a file, which is fetched.
        audio_root: folder of relative audio paths, or its URL; default: the manifest's own.
        spill: where embedded recordings go, see :func:`trace_eval.data.records.spill_to`.
        limit: read this many records at most; None: all.
        conversations: reads answers that are conversations in files of other layouts.

    Raises:
        UserError: the file itself cannot be read, or has no record at all.
    """
    with _local(location(path)) as (file, label, home):
        root = _at(home if audio_root is None else location(audio_root))
        records = islice(records_of(file, label), limit)

        def pairs(record: dict[str, Any], dropped: Dropped) -> Sequence[Pair]:
            return [pair_from_record(record, root, spill, dropped, conversations)]

        found = _read(label, records, pairs)
        return replace(found, sha256=_sha256(file))


def read_items(
    path: Path | str,
    audio_root: Path | str | None = None,
    spill: Spill | None = None,
    limit: int | None = None,
    conversations: ConversationReader | None = None,
) -> Manifest:
    """Read all single answers of a manifest; a record of a pair gives both its answers.

    Args:
        path: as of :func:`read_manifest`; a ``.json`` may also hold an object of items by id,
            as ORCA's authors publish theirs.
        audio_root, spill, limit, conversations: as of :func:`read_manifest`.

    Raises:
        UserError: the file itself cannot be read, or has no record at all.
    """

    def items(record: dict[str, Any], root: Path | str, dropped: Dropped) -> Sequence[Single]:
        if is_pair_record(record):
            pair = pair_from_record(record, root, spill, dropped, conversations)
            return items_of_pair(pair)
        return [single_from_record(record, root, spill, conversations)]

    return read_records(path, items, audio_root, limit)


def read_records(
    path: Path | str,
    made_of: Callable[[dict[str, Any], Path | str, Dropped], Sequence[Pair | Single]],
    audio_root: Path | str | None = None,
    limit: int | None = None,
) -> Manifest:
    """Read a manifest of any layout.

    Args:
        path: as of :func:`read_items`.
        made_of: (record, folder of relative paths, where to say what is left out) -> its items.
        audio_root, limit: as of :func:`read_manifest`.

    Raises:
        UserError: the file itself cannot be read, or has no record at all.
    """
    with _local(location(path)) as (file, label, home):
        root = _at(home if audio_root is None else location(audio_root))
        records = islice(records_of(file, label, by_id=True), limit)
        return replace(
            _read(label, records, lambda r, dropped: made_of(r, root, dropped)),
            sha256=_sha256(file),
        )


def _at(root: Path | str) -> Path | str:
    return utf8_name(root.resolve()) if isinstance(root, Path) else root


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _local(path: Path | str) -> Iterator[tuple[Path, Path | str, Path | str]]:
    """(a file on this machine, what to call it, the folder of relative paths)."""
    if isinstance(path, Path):
        yield path, path, path.parent
        return
    from trace_eval.data.remote import fetch

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / (name_of(path) or "manifest")
        copy.write_bytes(fetch(path))
        yield copy, redacted(path), parent(path)


def _read(
    label: Path | str,
    records: Iterable[tuple[str, dict[str, Any] | str]],
    made_of: Callable[[dict[str, Any], Dropped], Sequence[Pair | Single]],
) -> Manifest:
    items: list[Pair | Single] = []
    problems: list[Problem] = []
    unread: dict[str, list[tuple[str, NoLabel]]] = {}
    seen: dict[str, str] = {}
    for where, record in records:
        if isinstance(record, str):
            problems.append(Problem(where, record))
            continue
        try:
            made = made_of(record, partial(_note, unread, where))
        except UserError as error:
            name = record.get("id", record.get("index"))
            problems.append(Problem(where, str(error), None if name is None else str(name)))
            continue
        for item in made:
            if item.id in seen:
                told = f"id {item.id!r} is also at {seen[item.id]}; give each its own"
                problems.append(Problem(where, told))
                continue
            seen[item.id] = where
            items.append(item)
    if not items and not problems:
        raise UserError(f"{label}: no records; expected one item per line or row")
    warnings = [_unused(field, found, items) for field, found in unread.items()]
    kept = [_without(item, unread.keys()) for item in items] if unread else items
    return Manifest(label, kept, problems, warnings=warnings)


def _note(unread: dict[str, list[tuple[str, NoLabel]]], where: str, what: NoLabel) -> None:
    unread.setdefault(what.field, []).append((where, what))


def _unused(
    field: str, found: Sequence[tuple[str, NoLabel]], items: Iterable[Pair | Single]
) -> Problem:
    """Why none of a column's labels is used: those that can be read are no sample of it."""
    where, first = found[0]
    read = sum(bool(getattr(item.labels, field, None)) for item in items)
    return Problem(
        where,
        f"column {first.column} is no label ({first.expected}, got {first.value!r:.80});"
        f" {len(found)} of its {len(found) + read} values cannot be read, so none is used as a"
        " label and no agreement comes from them: write each as one of the labels, or rename the"
        " column if it holds none",
    )


def _without(item: Pair | Single, fields: Iterable[str]) -> Pair | Single:
    """The item without these labels."""
    if item.labels is None:
        return item
    kept = item.labels.model_copy(update=dict.fromkeys(fields))
    told = any(value is not None for _, value in kept)
    return item.model_copy(update={"labels": kept if told else None})
