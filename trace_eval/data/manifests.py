"""Reading manifests of pairs: JSONL, CSV, Parquet and the HCoT JSON layouts.

Reading never stops at a bad record: it is listed as a :class:`Problem` with file and
record, the others go on, and the run's coverage counts it.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.data import strict_json
from trace_eval.data.pairs import Pair, Recording
from trace_eval.data.parts import Part, Shard, digest
from trace_eval.data.records import Spill, pair_from_record
from trace_eval.data.urls import glob_base, is_url, name_of, parent, place, shown

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
    """The readable pairs of a file, and what is wrong with the others.

    Attributes:
        path: of the file; a string where it is a URL.
        pairs: in the order of the file.
        problems: records that are no pairs.
        part: set where these are not all pairs of the file.
    """

    path: Path | str
    pairs: list[Pair]
    problems: list[Problem] = field(default_factory=list)
    part: Part | None = None

    @property
    def total(self) -> int:
        """Records in the file (of a shard: its share of them), readable or not."""
        return len(self.pairs) + len(self.problems)

    def shard(self, shard: Shard) -> Manifest:
        """One of several disjoint parts; pairs of one instruction stay together if they can.

        Problems belong to the first part, so that they are counted once.
        """
        places = shard.places([_asked(pair) for pair in self.pairs])
        part = Part(shard, len(self.pairs), digest(pair.id for pair in self.pairs), tuple(places))
        return replace(
            self,
            pairs=[self.pairs[place] for place in places],
            problems=self.problems if shard.index == 1 else [],
            part=part,
        )


def _asked(pair: Pair) -> Hashable:
    """Equal for pairs that share their instruction, and so its clip."""
    if pair.instruction_id:
        return "id", pair.instruction_id
    if pair.instruction.has_audio:
        return "source", pair.instruction.source_id
    return ("text", pair.instruction.text) if pair.instruction.text else ("pair", pair.id)


def read_manifest(
    path: Path | str, audio_root: Path | str | None = None, spill: Spill | None = None
) -> Manifest:
    """Read all pairs of a manifest.

    Args:
        path: ``.jsonl``, ``.csv`` (header row), ``.parquet`` or ``.json`` (a list); or the URL
            of such a file, which is fetched.
        audio_root: folder of relative audio paths, or its URL; default: the manifest's own.
        spill: where embedded recordings go, see :func:`trace_eval.data.records.spill_to`.

    Raises:
        UserError: the file itself cannot be read, or has no record at all.
    """
    with _local(place(path)) as (file, label, home):
        return _read(file, label, home if audio_root is None else place(audio_root), spill)


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
        yield copy, shown(path), parent(path)


def _read(path: Path, label: Path | str, root: Path | str, spill: Spill | None) -> Manifest:
    root = root.resolve() if isinstance(root, Path) else root
    pairs: list[Pair] = []
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for where, record in _records(path, label):
        if isinstance(record, str):
            problems.append(Problem(where, record))
            continue
        try:
            pair = pair_from_record(record, root, spill)
        except UserError as error:
            name = record.get("id", record.get("index"))
            problems.append(Problem(where, str(error), None if name is None else str(name)))
            continue
        if pair.id in seen:
            problems.append(
                Problem(where, f"id {pair.id!r} is also at {seen[pair.id]}; give each its own")
            )
            continue
        seen[pair.id] = where
        pairs.append(pair)
    if not pairs and not problems:
        raise UserError(f"{label}: no records; expected one pair per line or row")
    return Manifest(label, pairs, problems)


def _records(path: Path, label: Path | str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """(where, record) or (where, what is wrong with it)."""
    if not path.is_file():
        raise UserError(f"{label}: no such file; give a manifest ({', '.join(MANIFEST_SUFFIXES)})")
    try:
        match path.suffix.lower():
            case ".jsonl" | ".ndjson":
                yield from _checked(label, "line", strict_json.lines(path))
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
    label: Path | str, unit: str, rows: Iterable[tuple[int, object]]
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


def check_audio(pairs: Iterable[Pair]) -> list[Problem]:
    """Missing and undecodable recordings, found from file headers, each file once.

    Those behind URLs are not looked at: asking for a million of them takes hours, and what is
    wrong with one is told when it is fetched.
    """
    problems = []
    checked: dict[str, str | None] = {}
    for pair in pairs:
        for role in ("instruction", "a", "b"):
            recording: Recording = getattr(pair, role)
            if recording.audio is None:
                continue
            source = recording.source_id
            if source not in checked:
                checked[source] = _header_problem(recording.audio)
            if what := checked[source]:
                problems.append(Problem(f"pair {pair.id}, {role}: {source}", what, pair.id))
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
        raise UserError(f"{shown(url)}: no recordings below it ({', '.join(AUDIO_SUFFIXES)})")
    return found


def recordings_of(
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
    for path in map(place, inputs):
        if _suffix(path) not in MANIFEST_SUFFIXES:
            below = find_recordings(path) if isinstance(path, Path) else find_urls(path)
            found.update(dict.fromkeys(below))
            continue
        manifest = read_manifest(path, audio_root, spill)
        problems += manifest.problems
        for pair in manifest.pairs:
            places = (r.audio or r.url for r in (pair.instruction, pair.a, pair.b))
            found.update({where: None for where in places if where is not None})
    if shard is None:
        return list(found), problems
    recordings = list(found)
    mine = [recordings[number] for number in shard.places(range(len(recordings)))]
    return mine, problems if shard.index == 1 else []


def _suffix(path: Path | str) -> str:
    return Path(name_of(path) if isinstance(path, str) and is_url(path) else path).suffix.lower()
