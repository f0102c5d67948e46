"""What is left to do: finished recordings are found again, the others are cut into chunks."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from trace_eval.data.jsonl import canonical
from trace_eval.extracting.cache import stamp_of
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.provenance import plan_record
from trace_eval.extracting.ray.parquet import SUFFIX, ShardFolder
from trace_eval.extracting.source import ClipSource

#: Recordings of a chunk: a minute or two of work, lost when its worker dies; and files that
#: are worth opening.
CHUNK_CLIPS = 64

#: Chunks for each worker of a small job, so that none waits long for the last one.
CHUNKS_PER_WORKER = 4

#: Hexadecimal digits of the digests in a shard's name: 64 bits.
_DIGITS = 16

#: Shards whose index is read at once; on an object store each takes a round trip.
_READERS = 16


@dataclass(frozen=True)
class Chunk:
    """Recordings that are worked on in one go, and become one shard.

    Attributes:
        name: of its shard: digest of the plan, digest of the recordings.
        versions: of the files, as seen before they were read.
        again: there is a shard of that name, and none of its recordings came to anything.
    """

    name: str
    sources: tuple[ClipSource, ...]
    versions: tuple[str | None, ...]
    again: bool = False


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
    shards: dict[str, str] = {}
    if not names:
        return shards
    versions = {source.id: version_of(source) for source in sources}
    with ThreadPoolExecutor(_READERS) as readers:
        for name, entries in zip(names, readers.map(folder.entries, names), strict=True):
            for source, version, final in entries:
                if final and source in versions and versions[source] == version:
                    shards[source] = name
    return shards


def cut(
    digest: str, sources: Sequence[ClipSource], workers: int, names: Collection[str] = ()
) -> list[Chunk]:
    """Chunks of some recordings, in their order; the same ones for the same recordings."""
    fair = -(-len(sources) // (CHUNKS_PER_WORKER * max(1, workers)))
    size = max(1, min(CHUNK_CLIPS, fair))
    chunks = []
    for start in range(0, len(sources), size):
        some = tuple(sources[start : start + size])
        versions = tuple(map(version_of, some))
        content = [[source.id, version] for source, version in zip(some, versions, strict=True)]
        name = f"{digest}-{_digest(content)}{SUFFIX}"
        chunks.append(Chunk(name, some, versions, again=name in names))
    return chunks


def version_of(source: ClipSource) -> str | None:
    """Size and time of a file; None where there is none that this machine can see."""
    stamp = stamp_of(source.path) if source.path else None
    return f"{stamp.size}-{stamp.mark}" if stamp else None


def _digest(identity: object) -> str:
    return hashlib.sha256(canonical(identity).encode()).hexdigest()[:_DIGITS]
