"""The local engine: clips over processes, a dead worker costing one clip.

Each slot owns one worker process and one clip (or batch) at a time, so nothing queues up
unseen and a crash of native code is pinned to the clip that caused it.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Protocol

from extractors.base import Extractor
from extractors.limits import MAX_SECONDS
from trace_eval.cache import Cache
from trace_eval.extraction import ClipExtractor, Extracted, Source

#: What a worker's libraries read when it starts: one thread each, because there is a worker
#: per core, and freed memory goes back to the system, without which a worker that has seen
#: a long clip keeps its peak (396 MB against 163 MB after two minutes of DNSMOS).
_WORKER_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "MALLOC_TRIM_THRESHOLD_": "131072",
}

#: Clips that each model sees before it makes room for the next one: loading takes seconds.
BATCH_PER_MODEL = 32


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Plan:
    """What a worker needs to know; pickled to each."""

    extractors: tuple[Extractor, ...]
    cache_folder: Path | None = None
    max_seconds: float = MAX_SECONDS
    one_model_at_a_time: bool = False

    @property
    def batch_size(self) -> int:
        """Clips that a worker is given at once."""
        if self.one_model_at_a_time:
            return BATCH_PER_MODEL
        return max((extractor.batch_size for extractor in self.extractors), default=1)

    def build(self) -> ClipExtractor:
        """The extractor of one process."""
        return ClipExtractor(
            self.extractors,
            Cache(self.cache_folder),
            self.max_seconds,
            keep_models=not self.one_model_at_a_time,
        )


class Engine(Protocol):
    """Where extraction happens."""

    async def extract(self, source: Source) -> Extracted:
        """The blueprint of one recording; waits for a free worker."""
        ...

    async def close(self) -> None:
        """Stop the workers."""
        ...


class LocalEngine:
    """Worker processes on this machine; ``workers=0`` works in a thread of this process."""

    def __init__(self, plan: Plan, workers: int) -> None:
        self._plan = plan
        self._batch = plan.batch_size
        self._queue: asyncio.Queue[tuple[Source, asyncio.Future[Extracted]]] = asyncio.Queue()
        self._slots = [_Slot(plan, in_process=workers == 0) for _ in range(max(1, workers))]
        self._tasks = [asyncio.create_task(self._serve(slot)) for slot in self._slots]

    async def extract(self, source: Source) -> Extracted:
        """The blueprint of one recording; waits for a free worker."""
        future: asyncio.Future[Extracted] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((source, future))
        return await future

    async def _serve(self, slot: _Slot) -> None:
        while True:
            batch = [await self._queue.get()]
            while len(batch) < self._batch and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            batch = [entry for entry in batch if not entry[1].done()]
            try:
                found = await slot.run([source for source, _ in batch])
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), extracted in zip(batch, found, strict=True):
                if not future.done():
                    future.set_result(extracted)

    async def close(self) -> None:
        """Stop the workers; clips that are being worked on are dropped."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for slot in self._slots:
            slot.close()


class _Slot:
    """One worker, restarted when it dies."""

    def __init__(self, plan: Plan, in_process: bool) -> None:
        self._plan = plan
        self._in_process = in_process
        self._local: ClipExtractor | None = None
        self._executor: Executor | None = None
        self._pid: Future[int] | None = None

    async def run(self, sources: Sequence[Source]) -> list[Extracted]:
        """Extract a batch; a clip on which the worker dies is an error of that clip."""
        if not sources:
            return []
        try:
            return await asyncio.wrap_future(self._submit(list(sources)))
        except BrokenProcessPool:
            self._executor = self._pid = None
            if len(sources) > 1:
                return [(await self.run([source]))[0] for source in sources]
            source = sources[0]
            return [
                Extracted(
                    source.id,
                    error=f"{source.id}: the worker process died on it (out of"
                    " memory, or a crash in native code); convert or replace the file",
                )
            ]

    def _submit(self, sources: list[Source]) -> Future[list[Extracted]]:
        task = self._run_here if self._in_process else _run_in_worker
        return self._start().submit(task, sources)

    def _run_here(self, sources: list[Source]) -> list[Extracted]:
        if self._local is None:
            self._local = self._plan.build()
        return self._local.run(sources)

    def _start(self) -> Executor:
        if self._executor is None:
            if self._in_process:
                self._executor = ThreadPoolExecutor(1)
            else:
                self._executor = ProcessPoolExecutor(
                    1, multiprocessing.get_context("spawn"), _start_worker, (self._plan,)
                )
                with _worker_environment():  # the process starts inside this submit
                    self._pid = self._executor.submit(os.getpid)
        return self._executor

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=self._in_process, cancel_futures=True)
        if self._pid is not None and self._pid.done() and not self._pid.exception():
            # Python waits for busy workers before it exits; nobody wants their clip any more.
            with suppress(ProcessLookupError):
                os.kill(self._pid.result(), signal.SIGTERM)
        if self._local is not None:
            self._local.close()


@contextmanager
def _worker_environment() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _WORKER_ENVIRONMENT}
    os.environ.update(_WORKER_ENVIRONMENT)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


# --- inside a worker -------------------------------------------------------------------

_worker: ClipExtractor | None = None


def _start_worker(plan: Plan) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_die_with_parent, daemon=True).start()
    _worker = plan.build()


def _die_with_parent() -> None:
    """A killed parent cannot tell its workers to stop; they would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _run_in_worker(sources: list[Source]) -> list[Extracted]:
    assert _worker is not None
    return _worker.run(sources)
