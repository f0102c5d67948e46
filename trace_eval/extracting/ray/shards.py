"""Shards: finished recordings as Parquet files, in a folder or at any fsspec URL; and what is left.

One row per recording, :data:`SCHEMA`. A shard appears as a whole or not at all. Its name begins
with the digest of its plan, so that shards of another plan in the same folder are told apart.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem

from blueprints import Blueprint, UserError
from extractors import stamp_of
from trace_eval.data import strict_json
from trace_eval.data.files import replace_file
from trace_eval.data.jsonl import canonical
from trace_eval.data.remote import file_system
from trace_eval.data.urls import location, redacted
from trace_eval.extracting.cache import lasting
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.provenance import plan_record
from trace_eval.extracting.source import ClipSource

#: The columns of a shard.
SCHEMA = pa.schema(
    [
        ("source", pa.string()),  # as the manifest names it: path, URL, or hash of embedded bytes
        (
            "version",
            pa.string(),
        ),  # size and mark of the file as the driver saw it, if any
        ("clip", pa.string()),  # SHA-256 of the samples, rate and channels; null with an error
        ("error", pa.string()),  # why there is no blueprint; null with one
        ("blueprint", pa.string()),  # JSON, to the letter what the local engine writes
        ("audio_s", pa.float64()),  # seconds of audio
        ("work", pa.string()),  # JSON: extractor -> seconds; empty when all came from a cache
        # False where another try may do better: an error, or a group absent for a passing reason.
        ("final", pa.bool_()),
    ]
)

SUFFIX = ".parquet"

#: Recordings of a chunk: a minute or two of work, lost when its worker dies; and files that
#: are worth opening.
CHUNK_CLIPS = 64

#: Chunks for each worker of a small job, so that none waits long for the last one.
CHUNKS_PER_WORKER = 4

#: Hexadecimal digits of the digests in a shard's name: 64 bits.
_DIGITS = 16

#: Shards whose index is read at once; on an object store each takes a round trip.
_READERS = 16


def to_parquet(extracted: Sequence[Extracted], versions: Sequence[str | None]) -> bytes:
    """Return the bytes of a shard; ``versions``: those of the files, None where nobody looked."""
    rows = [_row(one, version) for one, version in zip(extracted, versions, strict=True)]
    sink = BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), sink, compression="zstd")
    return sink.getvalue()


def _row(one: Extracted, version: str | None) -> dict[str, object]:
    blueprint = one.blueprint
    groups = [blueprint.group(name) for name in blueprint.provenance] if blueprint else []
    return {
        "source": one.source,
        "version": version,
        "clip": blueprint.clip if blueprint else None,
        "error": one.error,
        "blueprint": blueprint.model_dump_json() if blueprint else None,
        "audio_s": one.audio_s,
        "work": json.dumps(one.work),
        "final": blueprint is not None and all(map(lasting, groups)),
    }


class ShardFolder:
    """The shards at one place.

    Args:
        place: a folder, or an fsspec URL whose filesystem is installed (``s3fs``, ``gcsfs``).

    Raises:
        UserError: the protocol is unknown or not allowed, or its package is missing.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self._shown = redacted(place)
        try:
            where = location(place)
            if isinstance(where, Path):
                self._fs, self._root = LocalFileSystem(), str(where.absolute())
            else:
                self._fs, self._root = file_system(where)
        except (ImportError, ValueError) as error:
            message = str(error).removeprefix(f"{redacted(place)}: ")
            raise UserError(f"{redacted(place)}: {message}; install it or name a folder") from None

    def __str__(self) -> str:
        return self._shown

    @property
    def local(self) -> bool:
        """True where only this machine is sure to see it, so that it does the writing."""
        return isinstance(self._fs, LocalFileSystem)

    def names(self, prefix: str) -> list[str]:
        """Names of the finished shards that begin with ``prefix``, sorted."""
        if not self._fs.exists(self._root):
            return []
        results = (str(path).rpartition("/")[2] for path in self._fs.ls(self._root, detail=False))
        return sorted(n for n in results if n.startswith(prefix) and n.endswith(SUFFIX))

    def has(self, name: str) -> bool:
        """Tell whether the shard is finished."""
        self._fs.invalidate_cache()
        return bool(self._fs.exists(self._path(name)))

    def write(self, name: str, content: bytes) -> None:
        """Write a shard; readers see it whole or not at all."""
        self._fs.makedirs(self._root, exist_ok=True)
        if not self.local:
            self._fs.pipe_file(self._path(name), content)  # one object, put in one operation
            return
        replace_file(Path(self._path(name)), content)

    def entries(self, name: str) -> list[tuple[str, str | None, bool]]:
        """(source, version, final) of a shard's rows: enough to know what is left to do."""
        rows = self._read(name, ["source", "version", "final"]).to_pylist()
        return [(row["source"], row["version"], row["final"]) for row in rows]

    def outcomes(self, name: str) -> list[Extracted]:
        """Read the outcomes that a shard holds."""
        where = f"{self}/{name}"
        return [
            Extracted(
                source=row["source"],
                blueprint=strict_json.own(Blueprint, row["blueprint"], where)
                if row["blueprint"]
                else None,
                error=row["error"],
                audio_s=row["audio_s"],
                work=dict(strict_json.record(row["work"], where)),
            )
            for row in self._read(name).to_pylist()
        ]

    def _read(self, name: str, columns: list[str] | None = None) -> pa.Table:
        try:
            return pq.read_table(BytesIO(self._fs.cat_file(self._path(name))), columns=columns)
        except (pa.ArrowInvalid, KeyError) as error:
            raise UserError(
                f"{self}/{name}: not a shard ({error}); delete it and run again"
            ) from None

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"


@dataclass(frozen=True)
class Chunk:
    """Recordings that are worked on in one go, and become one shard.

    Attributes:
        name: of its shard: digest of the plan, digest of the recordings.
        versions: of the files, as seen before they were read.
        again: there is a shard of that name, and none of its recordings came to anything.
        earlier: shards of other plans that hold some of its recordings.
    """

    name: str
    sources: tuple[ClipSource, ...]
    versions: tuple[str | None, ...]
    again: bool = False
    earlier: tuple[str, ...] = ()


def plan_digest(plan: Plan) -> str:
    """Equal for plans that give equal blueprints: extractors, their versions, the limit."""
    identity = {"extractors": plan_record(plan.extractors), "max_seconds": plan.max_seconds}
    return _digest(identity)


def finished(
    folder: ShardFolder, names: Sequence[str], sources: Iterable[ClipSource]
) -> dict[str, str]:
    """Source id -> the shard that holds it for good, for those recordings that have one.

    A recording counts while its file is as it was; behind a URL it is taken to stay the same.
    """
    if not names:
        return {}
    versions = {source.id: version_of(source) for source in sources}
    # Made of the sources' own ids: millions of equal texts need not be held twice.
    shards: dict[str, str | None] = dict.fromkeys(versions)
    with ThreadPoolExecutor(_READERS) as readers:
        for name, entries in zip(names, readers.map(folder.entries, names), strict=True):
            for source, version, final in entries:
                if final and source in versions and versions[source] == version:
                    shards[source] = name
    return {source: name for source, name in shards.items() if name is not None}


def cut(
    digest: str,
    sources: Sequence[ClipSource],
    workers: int,
    names: Collection[str] = (),
    earlier: Mapping[str, str] = MappingProxyType({}),
) -> list[Chunk]:
    """Cut recordings into chunks, in their order; the same ones for the same recordings.

    Args:
        names: of shards of the plan that are there.
        earlier: recording -> the shard of another plan that holds it.
    """
    fair = -(-len(sources) // (CHUNKS_PER_WORKER * max(1, workers)))
    size = max(1, min(CHUNK_CLIPS, fair))
    chunks = []
    for start in range(0, len(sources), size):
        some = tuple(sources[start : start + size])
        versions = tuple(map(version_of, some))
        content = [[source.id, version] for source, version in zip(some, versions, strict=True)]
        name = f"{digest}-{_digest(content)}{SUFFIX}"
        held = {earlier[source.id] for source in some if source.id in earlier}
        chunk = Chunk(name, some, versions, again=name in names, earlier=tuple(sorted(held)))
        chunks.append(chunk)
    return chunks


def version_of(source: ClipSource) -> str | None:
    """Return a file's size and mark; None where there is none that this machine can see."""
    stamp = stamp_of(source.path) if source.path else None
    return f"{stamp.size}-{stamp.mark}" if stamp else None


def _digest(identity: object) -> str:
    return hashlib.sha256(canonical(identity).encode()).hexdigest()[:_DIGITS]
