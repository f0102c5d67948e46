"""Shards: finished recordings as Parquet, in a folder or fsspec URL; what is left.

One row per recording, :data:`SCHEMA`. A shard appears as a whole or not at all. Its
name begins with the digest of its plan, so that shards of another plan in the same
folder are told apart.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from blueprints import Blueprint, UserError
from extractors import READING, size_and_mark
from trace_eval.data import strict_json
from trace_eval.data.jsonl import canonical
from trace_eval.data.place import Place
from trace_eval.extracting.cache import lasting
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.provenance import plan_record
from trace_eval.extracting.source import ClipSource

#: The columns of a shard.
SCHEMA = pa.schema(
    [
        (
            "source",
            pa.string(),
        ),  # as the manifest names it: path, URL, or hash of embedded bytes
        (
            "version",
            pa.string(),
        ),  # the reading, size and mark of the file as the driver saw it, if any
        (
            "clip",
            pa.string(),
        ),  # SHA-256 of the samples, rate and channels; null with an error
        ("error", pa.string()),  # why there is no blueprint; null with one
        ("blueprint", pa.string()),  # JSON, to the letter what the local engine writes
        ("audio_s", pa.float64()),  # seconds of audio
        (
            "work",
            pa.string(),
        ),  # JSON: extractor -> seconds; empty when all came from a cache
        # False where another try may do better: an error, or a group absent for a
        # passing reason.
        ("final", pa.bool_()),
    ]
)

SUFFIX = ".parquet"

#: Recordings of a chunk: a minute or two of work, lost when its worker dies; and files
#: that are worth opening.
CHUNK_CLIPS = 64

#: Chunks for each worker of a small job, so that none waits long for the last one.
CHUNKS_PER_WORKER = 4

#: Hexadecimal digits of the digests in a shard's name: 64 bits.
_DIGITS = 16

#: Shards that wait for a reader.
_ASKED = 1024

#: Shards whose index is read at once; on an object store each takes a round trip.
_READERS = 16


def to_parquet(extracted: Sequence[Extracted], versions: Sequence[str | None]) -> bytes:
    """Return a shard's bytes; ``versions`` of files, None where nobody looked."""
    rows = [
        _row(one, version) for one, version in zip(extracted, versions, strict=True)
    ]
    sink = BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, SCHEMA), sink, compression="zstd")
    return sink.getvalue()


def _row(one: Extracted, version: str | None) -> dict[str, object]:
    row: dict[str, object] = {
        "source": one.source,
        "version": version,
        "clip": None,
        "error": one.error,
        "blueprint": None,
        "audio_s": one.audio_s,
        "work": json.dumps(one.work),
        "final": False,
    }
    blueprint = one.blueprint
    if blueprint is not None:
        groups = [blueprint.group(name) for name in blueprint.provenance]
        row["clip"] = blueprint.clip
        row["blueprint"] = blueprint.model_dump_json()
        row["final"] = all(map(lasting, groups))
    return row


class ShardFolder(Place):
    """The shards at one place."""

    def names(self, prefix: str) -> list[str]:
        """List the finished shards that begin with ``prefix``, sorted."""
        return [n for n in self.listed() if n.startswith(prefix) and n.endswith(SUFFIX)]

    def entries(self, name: str) -> list[tuple[str, str | None, bool]]:
        """Return (source, version, final) of a shard's rows, to find what is left."""
        columns = ["source", "version", "final"]
        table = self._read(name, columns)
        sources, versions, final = (table.column(each).to_pylist() for each in columns)
        return list(zip(sources, versions, final, strict=True))

    def outcomes(self, name: str) -> list[Extracted]:
        """Read the outcomes that a shard holds."""
        where = f"{self}/{name}"
        outcomes: list[Extracted] = []
        for row in self._read(name).to_pylist():
            blueprint = None
            if row["blueprint"]:
                blueprint = strict_json.own(Blueprint, row["blueprint"], where)
            outcome = Extracted(
                source=row["source"],
                blueprint=blueprint,
                error=row["error"],
                audio_s=row["audio_s"],
                work=dict(strict_json.record(row["work"], where)),
            )
            outcomes.append(outcome)
        return outcomes

    def _read(self, name: str, columns: list[str] | None = None) -> pa.Table:
        """Read a shard, or only some columns and the index at the end of its file."""
        try:
            with self.opened(name) as file, pq.ParquetFile(file) as shard:
                return shard.read(columns, use_threads=False)
        except (pa.ArrowInvalid, KeyError) as error:
            raise UserError(
                f"{self}/{name}: not a shard ({error}); delete it and run again"
            ) from None


@dataclass(frozen=True)
class Chunk:
    """Recordings that are worked on in one go, and become one shard.

    Attributes:
        name: of its shard: digest of the plan, digest of the recordings.
        versions: of the files, as seen before they were read.
        again: there is a shard of that name, and none of its recordings came to
            anything.
        earlier: shards of other plans that hold some of its recordings.
    """

    name: str
    sources: tuple[ClipSource, ...]
    versions: tuple[str | None, ...]
    again: bool = False
    earlier: tuple[str, ...] = ()


def plan_digest(plan: Plan) -> str:
    """Digest a plan; plans with equal blueprints have equal digests.

    What counts is how files are read, extractors, versions and the limit of length.
    """
    identity = {
        "reading": READING,
        "extractors": plan_record(plan.extractors),
        "max_seconds": plan.max_seconds,
    }
    return _digest(identity)


class Finished:
    """The recordings that some shards hold for good: an index of 12 bytes for each.

    A recording counts while its file is as it was; behind a URL it is taken to stay the
    same. Of several shards with the same recording the last one counts.
    """

    def __init__(self, folder: ShardFolder, names: Sequence[str]) -> None:
        self._names = names
        marks, counts = bytearray(), array("i")
        with ThreadPoolExecutor(_READERS) as readers:
            for start in range(0, len(names), _ASKED):  # a place in a queue costs a kB
                some = names[start : start + _ASKED]
                for part in readers.map(lambda n: _marks(folder.entries(n)), some):
                    marks += part
                    counts.append(len(part) // _MARK_BYTES)
        numbers = np.frombuffer(marks, dtype=np.uint64)
        # Half the memory of numpy's own places; a job of more recordings is none of one
        # machine.
        order = np.argsort(numbers, kind="stable").astype(np.uint32)
        self._marks = numbers[order]
        del numbers, marks
        self._shard = np.repeat(np.arange(len(names), dtype=np.int32), counts)[order]

    def __len__(self) -> int:
        return len(self._shard)

    def find(self, source: ClipSource) -> str | None:
        """Return the name of the shard that holds a recording, if there is one."""
        ((_, name),) = self.find_each([source])
        return name

    def find_each(
        self, sources: Iterable[ClipSource]
    ) -> Iterator[tuple[ClipSource, str | None]]:
        """Yield recordings in order, each with the name of its shard, or None."""
        remaining = iter(sources)
        while block := list(islice(remaining, _BLOCK)):
            content = b"".join(_mark(source.id, version_of(source)) for source in block)
            marks = np.frombuffer(content, dtype=np.uint64)
            places = np.searchsorted(self._marks, marks, side="right") - 1
            for source, mark, place in zip(block, marks, places.tolist(), strict=True):
                is_held = place >= 0 and self._marks[place] == mark
                yield source, self._names[int(self._shard[place])] if is_held else None


#: Recordings that are looked for together.
_BLOCK = 4096

#: Bytes that stand for a recording and the version of its file. Of two million
#: recordings that are looked for among two million others, one is taken for another in
#: one job of five million.
_MARK_BYTES = 8


def _mark(source: str, version: str | None) -> bytes:
    text = f"{source}\0{version or ''}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=_MARK_BYTES).digest()


def _marks(entries: Iterable[tuple[str, str | None, bool]]) -> bytes:
    return b"".join(
        [_mark(source, version) for source, version, final in entries if final]
    )


def cut(
    digest: str,
    sources: Sequence[ClipSource],
    workers: int,
    names: Collection[str] = (),
    earlier: Mapping[str, str] = MappingProxyType({}),
) -> list[Chunk]:
    """Cut recordings into chunks, in order; equal recordings give equal chunks.

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
        content = [
            [source.id, version] for source, version in zip(some, versions, strict=True)
        ]
        name = f"{digest}-{_digest(content)}{SUFFIX}"
        held = {earlier[source.id] for source in some if source.id in earlier}
        chunk = Chunk(
            name, some, versions, again=name in names, earlier=tuple(sorted(held))
        )
        chunks.append(chunk)
    return chunks


def version_of(source: ClipSource) -> str | None:
    """Return a file's size and mark; None for a file that this machine cannot see.

    A file that is read in another way now has another version, too.
    """
    both = size_and_mark(source.path) if source.path else None
    return f"{READING}-{both[0]}-{both[1]}" if both else None


def _digest(identity: object) -> str:
    return hashlib.sha256(canonical(identity).encode()).hexdigest()[:_DIGITS]
