"""One worker process, restarted when it dies; the clip it dies on has an error."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import NamedTuple

from blueprints import Blueprint, UserError
from extractors import prime_hashes
from trace_eval.data.access import set_url_access
from trace_eval.data.system import give_back_memory
from trace_eval.extracting.clip import ClipExtractor, Extracted
from trace_eval.extracting.event_loop import ctrl_c_deferred
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.source import ClipSource

#: Numerical libraries read how many threads to use when they are loaded.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)

#: After a clip longer than this, freed memory goes back to the system, seconds: a
#: worker that has seen two minutes would keep 100 MB for ever. To give it back at once
#: instead, by malloc's environment variables, takes a page fault for every array: a
#: tenth of all time but ASR's.
TRIM_AFTER_S = 30.0

#: Held while the running script is out of sight.
_STARTING = threading.RLock()


class Task(NamedTuple):
    """A recording with the results of earlier stages."""

    source: ClipSource
    blueprint: Blueprint | None = None


@dataclass(frozen=True)
class WorkerDevice:
    """The device of a worker.

    Attributes:
        threads: of its numerical libraries.
        gpu: the only GPU that it sees, as in ``CUDA_VISIBLE_DEVICES``; None: what its
            parent sees.
    """

    threads: int = 1
    gpu: str | None = None

    def environment(self) -> dict[str, str]:
        """Return the environment variables of the worker."""
        result = dict.fromkeys(THREAD_VARIABLES, str(self.threads))
        return (
            result if self.gpu is None else {**result, "CUDA_VISIBLE_DEVICES": self.gpu}
        )


class WorkersError(UserError):
    """Worker processes do not start, so nothing can be extracted."""


class Slot:
    """One worker.

    Args:
        place: where; None: a thread of this process, which nothing protects from
            crashes.
    """

    def __init__(self, plan: Plan, place: WorkerDevice | None) -> None:
        self._plan = plan
        self._place = place
        self._local: ClipExtractor | None = None
        self._executor: Executor | None = None
        self._process: BaseProcess | None = None
        self._ready: Future[None] | None = None
        self._last: Future[list[Extracted]] | None = None
        self._ending: threading.Thread | None = None

    async def run(
        self,
        tasks: Sequence[Task],
        groups: frozenset[str] | None = None,
        batch_size: int | None = None,
    ) -> list[Extracted]:
        """Extract clips; one on which the worker dies is an error of that clip.

        Args:
            groups: fill these only; default: all that the plan has.
            batch_size: how many clips are worked on together; default: all of them.

        Raises:
            WorkersError: the worker does not even start.
        """
        if not tasks:
            return []
        try:
            batches = _in_batches(tasks, batch_size or len(tasks))
            return await asyncio.wrap_future(self._submit(batches, groups))
        except BrokenProcessPool:
            if self._ready is None or self._ready.exception() is not None:
                raise WorkersError(
                    "worker processes end before their first clip; a script with"
                    " extractors of"
                    ' its own must call trace_eval below `if __name__ == "__main__":`,'
                    " otherwise"
                    " use workers=0 (--workers 0) to see why"
                ) from None
            self._executor = self._process = self._ready = None
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

    def _submit(
        self, batches: list[list[Task]], groups: frozenset[str] | None
    ) -> Future[list[Extracted]]:
        if self._executor is None and self._place is not None:
            self._start_process(self._place)
        elif self._executor is None:
            self._executor = ThreadPoolExecutor(1)
        assert self._executor is not None
        work = self._run_here if self._place is None else _run_in_worker
        self._last = self._executor.submit(work, batches, groups)
        return self._last

    def _run_here(
        self, batches: list[list[Task]], groups: frozenset[str] | None
    ) -> list[Extracted]:
        if self._local is None:
            self._local = self._plan.build()
        return _extract(self._local, batches, groups)

    def _start_process(self, place: WorkerDevice) -> None:
        """Start the worker; Ctrl-C and SIGTERM wait until :meth:`stop` can end it."""
        # its start, if inside the block, would unblock SIGINT
        resource_tracker.ensure_running()
        with ctrl_c_deferred():
            try:
                executor = ProcessPoolExecutor(
                    1,
                    multiprocessing.get_context("spawn"),
                    _start_worker,
                    (self._plan,),
                )
            except (OSError, ImportError, NotImplementedError) as error:
                raise UserError(
                    f"no worker process can be started without shared memory ({error});"
                    " make /dev/shm writable, or use --workers 0"
                ) from error
            before = set(multiprocessing.active_children())
            with _set(place.environment()), without_script(self._plan):
                self._ready = executor.submit(
                    _wait_ready
                )  # the process starts inside this call
            self._process = next(
                iter(set(multiprocessing.active_children()) - before), None
            )
            self._executor = executor

    def stop(self) -> None:
        """Tell the worker to end; a clip that it is working on is dropped."""
        if self._executor is None or self._ending is not None:
            return
        busy = any(f is not None and not f.done() for f in (self._ready, self._last))
        # An executor that was once told not to wait can never be waited for again; so a
        # thread waits from the start, and workers end side by side.
        self._ending = threading.Thread(
            target=self._executor.shutdown,
            kwargs={"wait": True, "cancel_futures": True},
        )
        self._ending.start()
        if self._process is not None and busy:
            # Idle ones end by themselves, and put away what their libraries left open.
            self._process.terminate()

    def close(self) -> None:
        """Stop the worker and wait for its end.

        Without waiting, Python's own wait at exit races with the thread that watches
        workers.
        """
        self.stop()
        if self._ending is not None:
            self._ending.join()
        if self._local is not None:
            self._local.close()


@contextmanager
def without_script(needed: object) -> Iterator[None]:
    """Keep a process that is spawned here from importing its parent's script.

    A script without a main guard would start everything again in each worker. Only what
    was defined in the script itself, e.g. an extractor, cannot be had without it.
    """
    script = sys.modules["__main__"]
    with _STARTING:
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            pickle.dumps(needed)
        except (pickle.PicklingError, AttributeError, TypeError):
            sys.modules["__main__"] = script
        try:
            yield
        finally:
            sys.modules["__main__"] = script


def end_if_imported_by_worker() -> None:
    """End a worker that imports its parent's script, which has no main guard.

    It would run everything a second time. The parent says so, see :meth:`Slot.run`.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        os._exit(1)


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


def _in_batches(tasks: Sequence[Task], size: int) -> list[list[Task]]:
    return [list(tasks[start : start + size]) for start in range(0, len(tasks), size)]


# --- inside a worker ------------------------------------------------------------------

_worker: ClipExtractor | Exception | None = None


def _start_worker(plan: Plan) -> None:
    global _worker
    exit_with_parent()
    # A lock that a library makes, as tqdm does, has a name in the system, which a worker
    # that is ended in its work leaves behind; one to fork with loses it at once.
    multiprocessing.set_start_method("fork", force=True)
    try:
        prime_hashes(plan.hashes)
        set_url_access(plan.access)
        _worker = plan.build()
    except Exception as error:  # raised here, the pool would only say that it is broken
        _worker = error


def _wait_ready() -> None:
    """Do nothing: the call returns once the process runs."""


def exit_with_parent() -> None:
    """End this process with its parent, which cannot stop it once it is killed."""

    def watch() -> None:
        if parent := multiprocessing.parent_process():
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _run_in_worker(
    batches: list[list[Task]], groups: frozenset[str] | None
) -> list[Extracted]:
    if not isinstance(_worker, ClipExtractor):
        raise WorkersError(f"workers cannot start: {type(_worker).__name__}: {_worker}")
    return _extract(_worker, batches, groups)


def _extract(
    extractor: ClipExtractor,
    batches: Sequence[Sequence[Task]],
    groups: frozenset[str] | None,
) -> list[Extracted]:
    extracted: list[Extracted] = []
    for batch in batches:
        sources, before = zip(*batch, strict=True)
        outcomes = extractor.run(sources, before, groups)
        if max(outcome.audio_s for outcome in outcomes) > TRIM_AFTER_S:
            give_back_memory()
        extracted.extend(outcomes)
    return extracted
