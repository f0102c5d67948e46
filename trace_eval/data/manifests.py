"""Reading manifests of pairs and of single answers: JSONL, CSV, Parquet, JSON.

Reading never stops at a bad record: it is listed as a :class:`Problem` with file and
record, the others go on, and the run's coverage counts it.
"""

from __future__ import annotations

import csv
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
from trace_eval.data import strict_json
from trace_eval.data.items import Single, items_of_pair
from trace_eval.data.pairs import Pair
from trace_eval.data.parts import Part, Shard, digest
from trace_eval.data.records import Dropped, Spill, is_pair_record, pair_from_record
from trace_eval.data.singles import authors_record, single_from_record
from trace_eval.data.urls import glob_base, is_url, location, name_of, parent, redacted

#: File name endings of manifests, and of recordings where a folder is given.
MANIFEST_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".parquet")
AUDIO_SUFFIXES = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aiff", ".aif", ".au", ".caf")


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
    part: Part | None = None
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
        part = Part(shard, len(self.items), digest(item.id for item in self.items), tuple(places))
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
) -> Manifest:
    """Read all pairs of a manifest.

    Args:
        path: ``.jsonl``, ``.csv`` (header row), ``.parquet`` or ``.json`` (a list); or the URL
            of such a file, which is fetched.
        audio_root: folder of relative audio paths, or its URL; default: the manifest's own.
        spill: where embedded recordings go, see :func:`trace_eval.data.records.spill_to`.
        limit: read this many records at most; None: all.

    Raises:
        UserError: the file itself cannot be read, or has no record at all.
    """
    with _local(location(path)) as (file, label, home):
        root = home if audio_root is None else location(audio_root)
        records = islice(_records(file, label), limit)

        def pairs(record: dict[str, Any], dropped: Dropped) -> Sequence[Pair]:
            return [pair_from_record(record, _at(root), spill, dropped)]

        found = _read(label, records, pairs)
        return replace(found, sha256=_sha256(file))


def read_items(
    path: Path | str,
    audio_root: Path | str | None = None,
    spill: Spill | None = None,
    limit: int | None = None,
) -> Manifest:
    """Read all single answers of a manifest; a record of a pair gives both its answers.

    Args:
        path: as of :func:`read_manifest`; a ``.json`` may also hold an object of items by id,
            as ORCA's authors publish theirs.
        audio_root, spill, limit: as of :func:`read_manifest`.

    Raises:
        UserError: the file itself cannot be read, or has no record at all.
    """

    def items(record: dict[str, Any], root: Path | str, dropped: Dropped) -> Sequence[Single]:
        if is_pair_record(record):
            return items_of_pair(pair_from_record(record, root, spill, dropped))
        return [single_from_record(record, root, spill)]

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
        records = islice(_records(file, label, by_id=True), limit)
        return replace(
            _read(label, records, lambda r, dropped: made_of(r, root, dropped)),
            sha256=_sha256(file),
        )


def _at(root: Path | str) -> Path | str:
    return root.resolve() if isinstance(root, Path) else root


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
    warnings: list[Problem] = []
    seen: dict[str, str] = {}
    for where, record in records:
        if isinstance(record, str):
            problems.append(Problem(where, record))
            continue
        try:
            made = made_of(record, partial(_note, warnings, where))
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
    return Manifest(label, items, problems, warnings=warnings)


def _note(problems: list[Problem], where: str, what: str) -> None:
    problems.append(Problem(where, what))


def _records(
    path: Path, label: Path | str, by_id: bool = False
) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """(where, record) or (where, what is wrong with it).

    Args:
        path, label: the file, and what to call it.
        by_id: a ``.json`` may be an object of records by id.
    """
    if not path.is_file():
        raise UserError(f"{label}: no such file; give a manifest ({', '.join(MANIFEST_SUFFIXES)})")
    try:
        match path.suffix.lower():
            case ".jsonl" | ".ndjson":
                yield from _checked(label, "line", strict_json.lines(path))
            case ".json" if by_id and _is_object(path):
                yield from _members(label, strict_json.read_object(path))
            case ".json":
                yield from _checked(label, "record", enumerate(strict_json.read_list(path)))
            case ".csv":
                yield from _checked(label, "row", enumerate(_csv(path), start=1))
            case ".parquet":
                yield from _checked(label, "row", enumerate(_parquet(path, label)))
            case suffix:
                known = ", ".join(MANIFEST_SUFFIXES)
                raise UserError(f"{label}: a manifest ends in {known}, not {suffix!r}")
    except (strict_json.BadJson, OSError) as error:
        raise UserError(f"{label}: not readable as {path.suffix[1:]} ({error})") from error


def _checked(
    label: Path | str, unit: str, rows: Iterable[tuple[int | str, object]]
) -> Iterator[tuple[str, dict[str, Any] | str]]:
    for number, row in rows:
        where = f"{label}, {unit} {number}"
        if isinstance(row, strict_json.BadJson):
            yield where, str(row)
        elif not isinstance(row, dict):
            yield where, f"expected an object, got {row!r:.80}"
        elif None in row:  # csv.DictReader's key of surplus cells
            yield where, "more cells than the header has columns; quote cells with commas"
        else:
            yield where, row


def _is_object(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def _members(
    label: Path | str, members: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any] | str]]:
    for key, member in members.items():
        for where, record in _checked(label, "item", [(key, member)]):
            yield where, authors_record(key, record) if isinstance(record, dict) else record


def _csv(path: Path) -> Iterator[dict[str, str] | strict_json.BadJson]:
    """The rows under the header; of one that is not UTF-8, or that csv refuses, only that."""
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        reader = csv.DictReader(file)
        try:
            "".join(reader.fieldnames or ()).encode()
        except (UnicodeEncodeError, csv.Error) as error:
            raise strict_json.BadJson(f"its header: {error}; save it as UTF-8") from None
        while True:
            try:
                row = next(reader)
                "".join(cell for cell in row.values() if isinstance(cell, str)).encode()
            except StopIteration:
                return
            except UnicodeEncodeError:
                yield strict_json.BadJson("not UTF-8; save the file as UTF-8")
            except csv.Error as error:
                yield strict_json.BadJson(f"not CSV ({error})")
            else:
                yield row


def _parquet(path: Path, label: Path | str) -> Iterator[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            # Row by row: an audio column holds megabytes in each.
            for batch in file.iter_batches(batch_size=16):
                yield from batch.to_pylist()
    except pa.ArrowInvalid as error:
        raise UserError(f"{label}: not a Parquet file ({error})") from error


def check_audio(items: Iterable[Pair | Single]) -> list[Problem]:
    """Missing and undecodable recordings, found from file headers, each file once.

    Those behind URLs are not looked at: asking for a million of them takes hours, and what is
    wrong with one is told when it is fetched.
    """
    problems = []
    checked: dict[str, str | None] = {}
    for item in items:
        for role, recording in item.recordings().items():
            if recording.audio is None:
                continue
            source = recording.source_id
            if source not in checked:
                checked[source] = _header_problem(recording.audio)
            if what := checked[source]:
                kind = "pair" if isinstance(item, Pair) else "item"
                problems.append(Problem(f"{kind} {item.id}, {role}: {source}", what, item.id))
    return problems


def _header_problem(path: Path) -> str | None:
    import soundfile

    try:
        if not path.is_file():
            return "no such file; check the path or --audio-root"
        info = soundfile.info(str(path))
    except OSError as error:  # e.g. a name longer than the file system allows
        return f"cannot be read ({error.strerror or error}); check the path"
    except soundfile.LibsndfileError as error:
        return f"cannot be decoded ({error.error_string.rstrip('.')}); convert or replace it"
    return None if info.frames else "no samples; replace it"


def find_recordings(path: Path) -> list[Path]:
    """The recordings below a folder (sorted), or the one file itself."""
    if path.is_dir():
        found = sorted(
            p for p in path.rglob("*") if p.suffix.lower() in AUDIO_SUFFIXES and p.is_file()
        )
        if not found:
            raise UserError(f"{path}: no recordings below it ({', '.join(AUDIO_SUFFIXES)})")
        return found
    return [path]


def find_urls(url: str) -> list[str]:
    """URLs of the recordings below a folder or of a glob (sorted), or the one URL itself.

    A URL that ends like a recording is taken for one without asking.
    """
    if glob_base(url) is None and _suffix(url) in AUDIO_SUFFIXES:
        return [url]
    from trace_eval.data.remote import find

    found = find(url, AUDIO_SUFFIXES)
    if not found:
        raise UserError(f"{redacted(url)}: no recordings below it ({', '.join(AUDIO_SUFFIXES)})")
    return found


def recordings_in(
    inputs: Iterable[Path | str],
    audio_root: Path | str | None = None,
    spill: Spill | None = None,
    shard: Shard | None = None,
) -> tuple[list[Path | str], list[Problem]]:
    """The distinct recordings of files, folders and manifests, in order of appearance.

    Args:
        inputs: paths or URLs.
        audio_root, spill: of manifests, see :func:`read_manifest`.
        shard: only this part of them; problems belong to the first part.

    Returns:
        Paths, and URLs as strings; records of manifests that are no pairs.
    """
    found: dict[Path | str, None] = {}
    problems: list[Problem] = []
    for path in map(location, inputs):
        if _suffix(path) not in MANIFEST_SUFFIXES:
            below = find_recordings(path) if isinstance(path, Path) else find_urls(path)
            found.update(dict.fromkeys(below))
            continue
        manifest = read_manifest(path, audio_root, spill)
        problems += manifest.problems
        for pair in manifest.items:
            places = (r.audio or r.url for r in pair.recordings().values())
            found.update({where: None for where in places if where is not None})
    if shard is None:
        return list(found), problems
    recordings = list(found)
    mine = [recordings[number] for number in shard.places(range(len(recordings)))]
    return mine, problems if shard.index == 1 else []


def _suffix(path: Path | str) -> str:
    return Path(name_of(path) if isinstance(path, str) and is_url(path) else path).suffix.lower()
