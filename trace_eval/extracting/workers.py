"""One worker process, restarted when it dies; what it dies on is an error of that clip."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import NamedTuple

from blueprints import Blueprint
from extractors.models import prime_hashes
from trace_eval.extracting.clip import ClipExtractor, Extracted, Source
from trace_eval.extracting.plan import Plan

#: Numerical libraries read how many threads to use when they are loaded.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)

#: After more audio than this, freed memory goes back to the system, seconds: a worker that has
#: seen two minutes would keep 100 MB for ever. To give it back at once instead, by malloc's
#: environment variables, takes a page fault for every array: a tenth of all time but ASR's.
TRIM_AFTER_S = 30.0


class Task(NamedTuple):
    """A recording, and what earlier stages found of it."""

    source: Source
    known: Blueprint | None = None


@dataclass(frozen=True)
class Place:
    """Where a worker runs.

    Attributes:
        threads: of its numerical libraries.
        gpu: the only GPU that it sees, as in ``CUDA_VISIBLE_DEVICES``; None: what its parent
            sees.
    """

    threads: int = 1
    gpu: str | None = None

    def environment(self) -> dict[str, str]:
        """Variables of the worker."""
        found = dict.fromkeys(THREAD_VARIABLES, str(self.threads))
        return found if self.gpu is None else {**found, "CUDA_VISIBLE_DEVICES": self.gpu}


class Slot:
    """One worker.

    Args:
        plan: what it runs.
        place: where; None: a thread of this process, which nothing protects from crashes.
    """

    def __init__(self, plan: Plan, place: Place | None) -> None:
        self._plan = plan
        self._place = place
        self._local: ClipExtractor | None = None
        self._executor: Executor | None = None
        self._pid: Future[int] | None = None
        self._last: Future[list[Extracted]] | None = None

    async def run(
        self, tasks: Sequence[Task], groups: frozenset[str] | None = None
    ) -> list[Extracted]:
        """Extract a batch; a clip on which the worker dies is an error of that clip.

        Args:
            tasks: the recordings.
            groups: fill these only; default: all that the plan has.
        """
        if not tasks:
            return []
        try:
            return await asyncio.wrap_future(self._submit(list(tasks), groups))
        except BrokenProcessPool:
            self._executor = self._pid = None
            if len(tasks) > 1:
                return [(await self.run([task], groups))[0] for task in tasks]
            name = tasks[0].source.id
            return [
                Extracted(
                    name,
                    error=f"{name}: the worker process died on it (out of"
                    " memory, or a crash in native code); convert or replace the file",
                )
            ]

    def _submit(self, tasks: list[Task], groups: frozenset[str] | None) -> Future[list[Extracted]]:
        work = self._run_here if self._place is None else _run_in_worker
        self._last = self._start().submit(work, tasks, groups)
        return self._last

    def _run_here(self, tasks: list[Task], groups: frozenset[str] | None) -> list[Extracted]:
        if self._local is None:
            self._local = self._plan.build()
        return _run(self._local, tasks, groups)

    def _start(self) -> Executor:
        if self._executor is None:
            if self._place is None:
                self._executor = ThreadPoolExecutor(1)
            else:
                self._executor = ProcessPoolExecutor(
                    1, multiprocessing.get_context("spawn"), _start_worker, (self._plan,)
                )
                with _set(self._place.environment()):  # the process starts inside this submit
                    self._pid = self._executor.submit(os.getpid)
        return self._executor

    def close(self) -> None:
        """Stop the worker; a clip that it is working on is dropped."""
        if self._executor is not None:
            self._executor.shutdown(wait=self._place is None, cancel_futures=True)
        busy = self._last is not None and not self._last.done()
        if busy and self._pid is not None and self._pid.done() and not self._pid.exception():
            # Python waits for busy workers before it exits; nobody wants their clip any more.
            # Idle ones end by themselves, and put away what their libraries left open.
            with suppress(ProcessLookupError):
                os.kill(self._pid.result(), signal.SIGTERM)
        if self._local is not None:
            self._local.close()


@contextmanager
def _set(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _run(
    extractor: ClipExtractor, tasks: list[Task], groups: frozenset[str] | None
) -> list[Extracted]:
    return extractor.run([task.source for task in tasks], [task.known for task in tasks], groups)


# --- inside a worker -------------------------------------------------------------------

_worker: ClipExtractor | None = None


def _start_worker(plan: Plan) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    exit_with_parent()
    prime_hashes(plan.hashes)
    _worker = plan.build()


def exit_with_parent() -> None:
    """A killed parent cannot tell its workers to stop; they would wait for ever."""
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _run_in_worker(tasks: list[Task], groups: frozenset[str] | None) -> list[Extracted]:
    assert _worker is not None
    found = _run(_worker, tasks, groups)
    if sum(outcome.audio_s for outcome in found) > TRIM_AFTER_S:
        with suppress(OSError, AttributeError):  # only glibc has it
            ctypes.CDLL(None).malloc_trim(0)
    return found
