"""Running a coroutine to its end from plain functions, wherever they are called."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from types import FrameType
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

#: What acts on a signal, by its number.
_Handlers = dict[int, Callable[[int, FrameType | None], Any]]


def complete(
    function: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Call a coroutine function, and run what it returns to its result.

    Notebooks and servers run their cells and handlers inside an event loop, in which no
    other one can be run. There the work gets a thread with a loop of its own, and this
    one waits for it. Context variables are seen by the work as they are here; Ctrl-C
    cancels it, and passes when it has put away what it holds.

    The function is called in here: an interruption between a call and the first step of
    the coroutine would leave one that nobody awaits.
    """
    work = _Cancellable(lambda: function(*args, **kwargs))
    if not _loop_runs():
        with _cancelled_by_signals(work):
            return asyncio.run(work.run())
    with ThreadPoolExecutor(1, "trace-eval") as thread:
        done = thread.submit(copy_context().run, lambda: asyncio.run(work.run()))
        try:
            return done.result()
        except BaseException:
            if not done.done():
                work.cancel()
            raise


def _loop_runs() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class _Cancellable(Generic[T]):
    """Work that a signal's handler or another thread may cancel at any moment."""

    def __init__(self, begin: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self._begin = begin
        self._unwanted = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None

    @property
    def runs(self) -> bool:
        """Whether it has begun, and has not ended."""
        return self._task is not None

    async def run(self) -> T:
        """Return the result of the work, which may have been cancelled before."""
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        try:
            if self._unwanted:
                raise asyncio.CancelledError
            return await self._begin()
        finally:
            self._task = None

    def cancel(self) -> None:
        """Cancel the work between two of its steps, or as soon as it begins."""
        self._unwanted = True
        if self._loop:
            with suppress(RuntimeError):  # the loop was closed meanwhile
                self._loop.call_soon_threadsafe(self._cancel_task)

    def report_nothing(self) -> None:
        """Let asyncio not report the tasks that end in the middle of a step."""
        if self._loop:
            self._loop.set_exception_handler(lambda *_: None)

    def _cancel_task(self) -> None:
        if self._task:
            self._task.cancel()


@contextmanager
def _cancelled_by_signals(work: _Cancellable[Any]) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM cancel the work, and act when it has ended.

    Python would raise it wherever it comes: in a loop that is half made or half closed,
    too, which complains of that. The second one acts at once, as a step may be long.
    """
    arrived: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        arrived.append(number)
        if len(arrived) == 1:
            work.cancel()
        elif work.runs:
            work.report_nothing()
            tear()

    def tear() -> None:
        first, *_, last = arrived
        arrived.clear()
        _give_back(handlers)
        with suppress(KeyboardInterrupt):
            signal.raise_signal(first)
        try:
            signal.raise_signal(last)
        finally:  # the loop has yet to be closed
            if signal.SIGINT in handlers:  # else nobody would give it back
                signal.signal(signal.SIGINT, signal.SIG_IGN)

    handlers = _take_over(note)
    try:
        yield
    finally:
        _give_back(handlers)
        for number in arrived:
            signal.raise_signal(number)


@contextmanager
def ctrl_c_deferred() -> Iterator[None]:
    """Act on Ctrl-C and SIGTERM after the block; processes begun in it ignore Ctrl-C.

    Half a start leaves a process that nobody knows, and that complains of its own end.
    Blocking SIGINT keeps it from the process, whose mask it inherits, but not from this
    one: another thread may receive it, and Python lets the main thread act on it.
    """
    arrived: list[int] = []
    handlers = _take_over(lambda number, _: arrived.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _give_back(handlers)
        for number in arrived:
            signal.raise_signal(number)


def _take_over(act: Callable[[int, FrameType | None], Any]) -> _Handlers:
    """Let this act on Ctrl-C and SIGTERM where something does, and return what did.

    Only the main thread may choose; elsewhere nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        return {}
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    acting: _Handlers = {
        n: handler for n, handler in before.items() if callable(handler)
    }
    for number in acting:
        signal.signal(number, act)
    return acting


def _give_back(handlers: _Handlers) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
