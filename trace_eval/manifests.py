"""Reading manifests of pairs: JSONL, CSV, Parquet and the HCoT JSON layouts.

Reading never stops at a bad record: it is listed as a :class:`Problem` with file and
record, the others go on, and the run's coverage counts it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.pairs import Pair, Recording
from trace_eval.records import Spill, pair_from_record

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
    """The readable pairs of a file, and what is wrong with the others."""

    path: Path
    pairs: list[Pair]
    problems: list[Problem] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Records in the file, readable or not."""
        return len(self.pairs) + len(self.problems)


def read_manifest(
    path: Path, audio_root: Path | None = None, spill: Spill | None = None
) -> Manifest:
    """Read all pairs of a manifest.

    Args:
        path: ``.jsonl``, ``.csv`` (header row), ``.parquet`` or ``.json`` (a list).
        audio_root: folder of relative audio paths; default: the manifest's own folder.
        spill: where embedded recordings go, see :func:`trace_eval.records.spill_to`.

    Raises:
        UserError: the file itself cannot be read, or has no record at all.
    """
    root = (path.parent if audio_root is None else audio_root).resolve()
    pairs: list[Pair] = []
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for where, record in _records(path):
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
        raise UserError(f"{path}: no records; expected one pair per line or row")
    return Manifest(path, pairs, problems)


def _records(path: Path) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """(where, record) or (where, what is wrong with it)."""
    if not path.is_file():
        raise UserError(f"{path}: no such file; give a manifest ({', '.join(MANIFEST_SUFFIXES)})")
    try:
        match path.suffix.lower():
            case ".jsonl" | ".ndjson":
                yield from _jsonl(path)
            case ".json":
                rows = json.loads(path.read_text(encoding="utf-8-sig"))
                if not isinstance(rows, list):
                    raise UserError(f"{path}: expected a JSON list of pairs")
                yield from _checked(path, "record", enumerate(rows))
            case ".csv":
                with path.open(encoding="utf-8-sig", newline="") as file:
                    reader = csv.DictReader(file)
                    yield from _checked(path, "row", enumerate(reader, start=1))
            case ".parquet":
                yield from _checked(path, "row", enumerate(_parquet(path)))
            case suffix:
                known = ", ".join(MANIFEST_SUFFIXES)
                raise UserError(f"{path}: a manifest ends in {known}, not {suffix!r}")
    except (UnicodeDecodeError, json.JSONDecodeError, csv.Error, OSError) as error:
        raise UserError(f"{path}: not readable as {path.suffix[1:]} ({error})") from error


def _checked(
    path: Path, unit: str, rows: Iterable[tuple[int, object]]
) -> Iterator[tuple[str, dict[str, Any] | str]]:
    for number, row in rows:
        where = f"{path}, {unit} {number}"
        if not isinstance(row, dict):
            yield where, f"expected an object, got {row!r:.80}"
        elif None in row:  # csv.DictReader's key of surplus cells
            yield where, "more cells than the header has columns; quote cells with commas"
        else:
            yield where, row


def _jsonl(path: Path) -> Iterator[tuple[str, dict[str, Any] | str]]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                yield f"{path}, line {number}", f"not JSON ({error}); write one object per line"
                continue
            yield from _checked(path, "line", [(number, record)])


def _parquet(path: Path) -> Iterator[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            # Row by row: an audio column holds megabytes in each.
            for batch in file.iter_batches(batch_size=16):
                yield from batch.to_pylist()
    except pa.ArrowInvalid as error:
        raise UserError(f"{path}: not a Parquet file ({error})") from error


def check_audio(pairs: Iterable[Pair]) -> list[Problem]:
    """Missing and undecodable recordings, found from file headers, each file once."""
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

    if not path.is_file():
        return "no such file; check the path or --audio-root"
    try:
        info = soundfile.info(str(path))
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


def recordings_of(
    inputs: Iterable[Path], audio_root: Path | None = None, spill: Spill | None = None
) -> tuple[list[Path], list[Problem]]:
    """The distinct recordings of files, folders and manifests, in order of appearance."""
    found: dict[Path, None] = {}
    problems: list[Problem] = []
    for path in inputs:
        if path.suffix.lower() not in MANIFEST_SUFFIXES:
            found.update(dict.fromkeys(find_recordings(path)))
            continue
        manifest = read_manifest(path, audio_root, spill)
        problems += manifest.problems
        for pair in manifest.pairs:
            recordings = (pair.instruction, pair.a, pair.b)
            found.update({r.audio: None for r in recordings if r.audio is not None})
    return list(found), problems
