"""The Ray engine: the cluster works through recordings, this machine reads shards."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace

from blueprints import UserError, install_line, is_installed
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.provenance import plan_record
from trace_eval.extracting.ray.cluster import Driver
from trace_eval.extracting.ray.driver import RayJob, extract_chunks
from trace_eval.extracting.ray.shards import (
    CHUNK_CLIPS,
    Finished,
    ShardFolder,
    plan_digest,
)
from trace_eval.extracting.source import ClipSource

#: Shards that are held in memory: they come about in the order in which they are asked
#: for.
_HELD = 8


class RayEngine:
    """An :class:`~trace_eval.extracting.engine.Engine` over a Ray cluster.

    All recordings are handed over at once, and shards appear while the first are asked
    for. What an earlier job has finished is read from its shards; with nothing else to
    do, Ray is not started. Make it inside a running event loop.

    Args:
        sources: every recording that :meth:`extract` will be asked for.
        place: folder of the shards, written by this machine, or fsspec URL, written by
            the workers.
        options: address of the cluster, device, and ``workers`` as the most CPU actors.

    Raises:
        UserError: Ray is missing, no cluster answers, or it has no GPU for a plan that
            is told to use one.
    """

    def __init__(
        self,
        plan: Plan,
        sources: Iterable[ClipSource],
        place: str,
        options: ExtractOptions,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._folder = ShardFolder(place)
        self._held: OrderedDict[str, dict[str, Extracted]] = OrderedDict()
        self._reading = asyncio.Lock()
        self._arrivals: dict[str, asyncio.Future[None]] = {}
        self._driver: Driver | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._workers = 1
        digest = plan_digest(plan)
        names = self._folder.names(digest)
        self._finished = Finished(self._folder, names)
        #: Recording -> the shard that is made of it now.
        self._shards: dict[str, str] = {}
        held = self._finished.find_each(sources)
        left = {source.id: source for source, name in held if name is None}
        #: Recordings that no shard of the plan holds for good.
        self.left = list(left.values())
        if left:
            if not is_installed("ray"):
                remedy = install_line("ray")
                raise UserError(
                    f"engine ray: the package ray is not installed; run: {remedy}"
                )
            others = [
                name for name in self._folder.names("") if not name.startswith(digest)
            ]
            earlier = Finished(self._folder, others)
            before = {
                source.id: name for source, name in earlier.find_each(self.left) if name
            }
            job = RayJob(
                plan=plan,
                record=plan_record(plan.extractors),
                digest=digest,
                names=frozenset(names),
                sources=self.left,
                earlier=before,
                place=place,
                options=options,
            )
            self._start(job)

    @property
    def capacity(self) -> int:
        """Return how many clips are in flight, so that no shard is news twice.

        They are those of all workers' shards.
        """
        return CHUNK_CLIPS * self._workers

    async def extract(self, source: ClipSource) -> Extracted:
        """Return the blueprint of one recording, after waiting for its shard."""
        stored = self._shards.get(source.id)
        name = stored or self._finished.find(source)
        if name is None:
            return Extracted(
                source.id, error=f"{source.id}: has changed; run the job again"
            )
        if stored:
            await asyncio.shield(self._arrivals[stored])
        async with self._reading:
            if name not in self._held:
                self._held[name] = await asyncio.to_thread(self._read, name)
                if len(self._held) > _HELD:
                    self._held.popitem(last=False)
            self._held.move_to_end(name)
            result = self._held[name].get(source.id)
        if result is None:  # the mark of another recording is the same
            error = f"{source.id}: is not in {name}; delete that shard and run again"
            return Extracted(source.id, error=error)
        return result if stored else replace(result, work={})

    async def close(self) -> None:
        """Stop the cluster, or leave it; unfinished shards are dropped."""
        self._closed = True
        for arrival in self._arrivals.values():
            arrival.cancel()
        if self._driver and self._thread:
            await asyncio.to_thread(self._driver.stop)
            await asyncio.to_thread(self._thread.join)

    def _start(self, job: RayJob) -> None:
        self._driver = Driver(job.options.ray_address, extract_chunks, job)
        try:
            self._workers, chunks = self._driver.next()
        except BaseException:
            self._driver.stop()
            raise
        for name, sources in chunks.items():
            self._arrivals[name] = self._loop.create_future()
            self._shards |= dict.fromkeys(sources, name)
        self._thread = threading.Thread(
            target=self._receive, args=(self._driver,), daemon=True
        )
        self._thread.start()

    def _receive(self, driver: Driver) -> None:
        """Store, in a thread, what the cluster yields, and wake whoever awaits it."""
        missing = set(self._arrivals)
        problem: Exception = RuntimeError("Ray ended before all shards were finished")
        try:
            for name, content in driver.arrivals():
                if content:
                    self._folder.write(name, content)
                missing.discard(name)
                self._tell(name)
        except Exception as error:
            problem = error
        for name in missing:
            self._tell(name, problem)

    def _tell(self, name: str, problem: Exception | None = None) -> None:
        def arrive() -> None:
            arrival = self._arrivals[name]
            if arrival.done():
                return
            if problem is None:
                arrival.set_result(None)
            else:
                arrival.set_exception(problem)
                arrival.exception()  # nobody may be waiting for it

        if not self._closed:
            self._loop.call_soon_threadsafe(arrive)

    def _read(self, name: str) -> dict[str, Extracted]:
        return {result.source: result for result in self._folder.outcomes(name)}
