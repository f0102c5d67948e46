"""Running a coroutine to its end from plain functions, wherever they are called."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")


def complete(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its result, also where an event loop is running already.

    Notebooks and servers run their cells and handlers inside an event loop, in which no
    other one can be run. There the work gets a thread with a loop of its own, and this
    one waits for it. Context variables are seen by the work as they are here; Ctrl-C
    cancels it, and passes when it has put away what it holds.
    """
    if not _loop_runs():
        return _run(work)
    cancel: Future[Callable[[], object]] = Future()

    async def cancellable() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None
        cancel.set_result(lambda: loop.call_soon_threadsafe(task.cancel))
        return await work

    with ThreadPoolExecutor(1, "trace-eval") as thread:
        done = thread.submit(copy_context().run, asyncio.run, cancellable())
        try:
            return done.result()
        except BaseException:
            if not done.done():
                with suppress(RuntimeError):  # it ended meanwhile
                    cancel.result()()
            raise


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run as `asyncio.run`, but let no further Ctrl-C disturb a loop that is closing.

    What a closing loop had still to await would be reported as never awaited.
    """
    runner = asyncio.Runner()
    try:
        with ctrl_c_deferred():
            runner.get_loop()  # half a loop would complain when it is thrown away
        return runner.run(work)
    except KeyboardInterrupt:
        # It may have torn a task in the middle of a step, which asyncio reports when
        # that is freed.
        runner.get_loop().set_exception_handler(lambda *_: None)
        raise
    finally:
        with ctrl_c_ignored():
            runner.close()
            work.close()  # Ctrl-C may have come before its first step


@contextmanager
def ctrl_c_ignored() -> Iterator[None]:
    """Ignore Ctrl-C while resources are being released."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def ctrl_c_deferred() -> Iterator[None]:
    """Act on Ctrl-C and SIGTERM after the block; processes begun in it ignore Ctrl-C.

    Half a start leaves a process that nobody knows, and that complains of its own end.
    Blocking SIGINT keeps it from the process, whose mask it inherits, but not from this
    one: another thread may receive it, and Python lets the main thread act on it.
    """
    arrived: list[int] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if callable(signal.getsignal(number)):
                handlers[number] = signal.signal(number, lambda n, _: arrived.append(n))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for signum in arrived:
            signal.raise_signal(signum)
