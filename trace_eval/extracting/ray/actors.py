"""What runs on the workers: an actor holds one stage of a plan, and its models."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from blueprints import UserError
from extractors import Extractor, known_hashes, prime_hashes
from trace_eval.data.access import set_url_access
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.clip import Extracted, error_text
from trace_eval.extracting.plan import Plan, Stage
from trace_eval.extracting.provenance import plan_record
from trace_eval.extracting.ray.earlier import recall
from trace_eval.extracting.ray.shards import Chunk, ShardFolder, to_parquet
from trace_eval.extracting.workers import Slot, Task, WorkerDevice

#: Column of what travels between stages, and those of what comes out of the last one.
WORK, NAME, PARQUET, PROBLEM = "work", "name", "parquet", "problem"

#: Clips of a message to the worker: each message costs as much as a short clip.
SENT_CLIPS = 16

Batch = dict[str, Any]


@dataclass(frozen=True)
class Work:
    """A chunk on its way through the stages.

    Attributes:
        extracted: what earlier stages found, by recording; empty before the first one.
        done: its shard was there already, so that nobody works on it.
        problem: why this cluster cannot do the job; Ray would lose the type of an
            exception.
    """

    chunk: Chunk
    extracted: tuple[Extracted, ...] = ()
    done: bool = False
    problem: str = ""

    def packed(self) -> bytes:
        """Return the chunk and its state as the cell of a table."""
        return pickle.dumps(self)


class StageActor:
    """One stage of a plan, over one chunk at a time.

    Args:
        place: of the shards.
        record: group -> provenance, as the driver sees it.
    """

    def __init__(
        self, plan: Plan, stage: Stage, last: bool, place: str, record: dict[str, Any]
    ) -> None:
        prime_hashes(plan.hashes)
        set_url_access(plan.access)
        self._stage, self._last = stage, last
        mine = []
        for extractor in plan.extractors:
            if extractor.group in stage.groups:
                mine.append(extractor)
        self._problem = _difference(mine, record)
        try:
            self._folder = ShardFolder(place)
        except UserError as error:  # Ray would wrap it in pages of its own
            self._problem = str(error)
        self._plan = plan
        self._loop = asyncio.new_event_loop()
        # The worker sees what this actor sees: the GPUs that Ray has given to it.
        self._slot = Slot(replace(plan, hashes=known_hashes()), WorkerDevice())

    def __call__(self, batch: Batch) -> Batch:
        """Work on the chunk of a one-row batch."""
        (cell,) = batch[WORK]
        work: Work = pickle.loads(cell)
        try:
            work = self._advance(work)
        except UserError as error:
            work = replace(work, problem=str(error))
        cells = np.empty(1, dtype=object)
        if not self._last:
            cells[0] = work.packed()
            return {WORK: cells}
        cells[0], problem = self._store(work)
        name = np.array([work.chunk.name])
        return {NAME: name, PARQUET: cells, PROBLEM: np.array([problem])}

    def _advance(self, work: Work) -> Work:
        if work.problem or self._problem:
            return replace(work, problem=work.problem or self._problem)
        chunk = work.chunk
        # Ray runs a task again when its node dies after it, and its shard is there
        # then.
        again = not (chunk.again or self._folder.local) and self._folder.has(chunk.name)
        if work.done or again:
            return Work(chunk, done=True)
        if chunk.earlier:
            self._recall(chunk)
        before = work.extracted or tuple(
            Extracted(source.id) for source in chunk.sources
        )
        extracted = self._loop.run_until_complete(self._run(work, before))
        return replace(work, extracted=tuple(extracted))

    def _recall(self, chunk: Chunk) -> None:
        """Let the worker find in its cache what another plan has measured."""
        cache = Cache(self._plan.cache_folder)
        try:
            recall(cache, self._plan.extractors, self._folder, chunk)
        except UserError:  # a torn shard of another plan costs time, and nothing else
            return
        finally:
            cache.close()

    async def _run(self, work: Work, before: Sequence[Extracted]) -> list[Extracted]:
        tasks: list[tuple[int, Task]] = []
        both = zip(work.chunk.sources, before, strict=True)
        for number, (source, earlier) in enumerate(both):
            if not earlier.error:
                tasks.append((number, Task(source, earlier.blueprint)))
        extracted = list(before)
        batch_size = self._stage.batch_size
        size = batch_size * max(1, SENT_CLIPS // batch_size)
        for start in range(0, len(tasks), size):
            batch = tasks[start : start + size]
            later = await self._slot.run(
                [task for _, task in batch], self._stage.groups, batch_size
            )
            for (number, _), one in zip(batch, later, strict=True):
                extracted[number] = one.after(extracted[number])
        return extracted

    def _store(self, work: Work) -> tuple[bytes, str]:
        """Write the shard to the shared folder, or return its bytes for the driver.

        Returns (bytes for the driver to write, problem).
        """
        if work.done or work.problem:
            return b"", work.problem
        content = to_parquet(work.extracted, work.chunk.versions)
        if self._folder.local:
            return content, ""
        try:
            self._folder.write(work.chunk.name, content)
        except Exception as error:
            return (
                b"",
                f"{self._folder}: a worker cannot write there ({error_text(error)})",
            )
        return b"", ""


def _difference(extractors: Sequence[Extractor], record: dict[str, Any]) -> str:
    """Say why a node's results must not be mixed with others'; empty if they may."""
    for group, mine in plan_record(extractors).items():
        for key, value in mine.items():
            if value != record[group][key]:
                return (
                    f"{group}: a worker node has {key} {value!r:.80}, the driver"
                    f" {record[group][key]!r:.80}; install the same versions and models"
                    " on both"
                )
    return ""
