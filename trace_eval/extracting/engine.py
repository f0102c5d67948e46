"""The local engine: clips over processes, a dead worker costing one clip.

Each slot owns one worker process and one clip (or batch) at a time, so nothing queues
up unseen and a crash of native code is pinned to its clip. Where models run on a GPU,
one process per GPU does that and nothing else, fed by those that do the rest.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from blueprints import UserError
from trace_eval.data.system import cores
from trace_eval.extracting.clip import ClipExtractor, Extracted
from trace_eval.extracting.event_loop import ctrl_c_deferred
from trace_eval.extracting.plan import Plan, Stage
from trace_eval.extracting.source import ClipSource
from trace_eval.extracting.workers import Slot, Task, WorkerDevice

T = TypeVar("T")


class Engine(Protocol):
    """The machine or cluster on which extraction runs."""

    @property
    def capacity(self) -> int:
        """Clips that keep it busy; fewer in flight leave workers idle."""

    async def extract(self, source: ClipSource) -> Extracted:
        """Extract the blueprint of one recording, after waiting for a free worker."""

    async def close(self) -> None:
        """Stop the workers."""


@runtime_checkable
class Resuming(Protocol):
    """An engine that keeps outcomes for later jobs."""

    left: Sequence[ClipSource]
    """The recordings whose outcomes it does not have yet."""


class LocalEngine:
    """Worker processes on this machine; make it inside a running event loop.

    Args:
        workers: processes for what runs on CPUs; 0: a thread of this process runs it
            all.
        gpus: for each process that runs models on a GPU, which one it sees as
            ``CUDA_VISIBLE_DEVICES`` (None: those that this process sees); empty: models
            run where all else does.
    """

    def __init__(
        self, plan: Plan, workers: int, gpus: Sequence[str | None] = ()
    ) -> None:
        gpus = gpus if workers else ()
        threads = 1
        places: list[WorkerDevice | None] = [None]
        if workers:
            threads = max(1, cores() // (workers + len(gpus)))
            places = [WorkerDevice(threads)] * workers
        # What the cache has needs no worker: to start one takes a second. Where this
        # fails, the workers do, too, and say it.
        self._finder: ClipExtractor | None = None
        with suppress(UserError):
            self._finder = plan.build() if workers else None
        self._stages = plan.stages(split=bool(gpus))
        self._lanes = {
            False: self._lane(plan, places, on_gpu=False),
            True: self._lane(
                plan, [WorkerDevice(threads, gpu) for gpu in gpus], on_gpu=True
            ),
        }

    def _lane(
        self, plan: Plan, places: Sequence[WorkerDevice | None], on_gpu: bool
    ) -> _Lane:
        """Return the workers of one kind, with the stages that run there."""
        stages = [stage for stage in self._stages if stage.on_gpu == on_gpu]
        return _Lane([Slot(plan, place) for place in places], stages)

    @property
    def capacity(self) -> int:
        """Clips that keep it busy: each worker's batch, and the next one on its way."""
        return sum(lane.capacity for lane in self._lanes.values())

    async def extract(self, source: ClipSource) -> Extracted:
        """Extract the blueprint of one recording, after waiting for a free worker."""
        if self._finder and (available := self._finder.stored(source)):
            return available
        extracted = Extracted(source.id)
        for stage in self._stages:
            later = await self._lanes[stage.on_gpu].do(
                stage, Task(source, extracted.blueprint)
            )
            extracted = later.after(extracted)
            if extracted.error:
                break
        return extracted

    async def close(self) -> None:
        """Stop the workers; clips that are being worked on are dropped."""
        with ctrl_c_deferred():
            for lane in self._lanes.values():
                await lane.stop()
            for lane in self._lanes.values():
                for slot in lane.slots:
                    slot.close()
            if self._finder:
                self._finder.close()


class _Waiting(NamedTuple):
    """A clip that waits for a worker, and where its outcome is awaited."""

    task: Task
    outcome: asyncio.Future[Extracted]


class _Lane:
    """Slots of one kind and what waits for them.

    Later stages go first: a begun clip is finished before the next one is begun, so
    that little lies between two stages. Workers take their share of what is there, up
    to a batch, and never wait for more.
    """

    def __init__(self, slots: Sequence[Slot], stages: Sequence[Stage]) -> None:
        self.slots = slots
        self._waiting: dict[Stage, deque[_Waiting]] = {
            stage: deque() for stage in reversed(stages)
        }
        self._filled = asyncio.Event()
        self._tasks = [asyncio.create_task(self._serve(slot)) for slot in slots]

    @property
    def capacity(self) -> int:
        """Clips of a batch for each slot, and of its next one."""
        return (
            2 * len(self.slots) * max((s.batch_size for s in self._waiting), default=1)
        )

    async def do(self, stage: Stage, task: Task) -> Extracted:
        """Return the outcome of one stage of one clip."""
        outcome: asyncio.Future[Extracted] = asyncio.get_running_loop().create_future()
        self._waiting[stage].append(_Waiting(task, outcome))
        self._filled.set()
        return await outcome

    async def _take(self) -> tuple[Stage, list[_Waiting]]:
        while True:
            for stage, waiting in self._waiting.items():
                batch: list[_Waiting] = []
                share = math.ceil(
                    len(waiting) / len(self.slots)
                )  # nobody idles beside a batch
                while waiting and len(batch) < min(share, stage.batch_size):
                    entry = waiting.popleft()
                    if not entry.outcome.done():  # nobody may want it any more
                        batch.append(entry)
                if batch:
                    return stage, batch
            self._filled.clear()
            await self._filled.wait()

    async def _serve(self, slot: Slot) -> None:
        while True:
            stage, batch = await self._take()
            try:
                result = await slot.run([entry.task for entry in batch], stage.groups)
            except Exception as error:
                for entry in batch:
                    if not entry.outcome.done():
                        entry.outcome.set_exception(error)
                continue
            for entry, extracted in zip(batch, result, strict=True):
                if not entry.outcome.done():
                    entry.outcome.set_result(extracted)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for slot in self.slots:
            slot.stop()


async def each(
    items: Iterable[T], work: Callable[[T], Awaitable[object]], window: int
) -> None:
    """Work on all items, begun in order, at most ``window`` of them at a time.

    An item is taken when there is room for it. The first exception ends the others and
    passes.
    """
    slots = asyncio.Semaphore(window)

    async def one(item: T) -> None:
        try:
            await work(item)
        finally:
            slots.release()

    try:
        async with asyncio.TaskGroup() as group:
            for item in items:
                await slots.acquire()
                group.create_task(one(item))
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
