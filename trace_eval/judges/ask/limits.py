"""Bounds on calls: how many at once, how many retries, and how long to wait."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.options.groups import CallOptions

#: After so many calls in a row that found no server, or an error of its own, none is
#: retried until one gets through: a dead server should not cost every pair all its
#: waits.
DEAD_AFTER = 20

#: Retries of a call that took all of its time: at temperature 0 a model that repeats
#: itself will do so again, and five more times five minutes are half an hour for one
#: pair.
RETRIES_AFTER_TIMEOUT = 1

#: Retries of a call whose connection is refused, before any answer: a missing server
#: costs seconds, and a server that restarts is waited for.
RETRIES_BEFORE_FIRST = 2

#: Longest wait that backoff alone asks for, seconds.
MAX_BACKOFF_S = 30.0

T = TypeVar("T")


class Limiter:
    """At most ``limit`` calls in flight, which a server that says "too many" halves.

    A 429 halves it once per burst: calls that were under way then do not shrink it
    again. Each success gives back a share, so that it grows by one for each round of
    calls, up to ``most`` (as in TCP). Waiters are served in order; cancelling one
    leaves no trace.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._bursts = 0
        self._pause_until = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[int]:
        """Wait for a place; yields the burst number for :meth:`too_many`."""
        await self._acquire()
        try:
            yield self._bursts
        finally:
            self.in_flight -= 1
            self._wake()

    async def _acquire(self) -> None:
        if self._waiting or self.in_flight >= int(self.limit):
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.in_flight -= 1  # the place was given in the same moment
                    self._wake()
                else:
                    with suppress(ValueError):  # it may have been passed over already
                        self._waiting.remove(turn)
                raise
        else:
            self.in_flight += 1

    def _wake(self) -> None:
        while self._waiting and self.in_flight < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)

    def too_many(self, burst: int, wait_s: float) -> None:
        """Send less after a refusal for load, and nothing at all for ``wait_s``."""
        now = asyncio.get_running_loop().time()
        self._pause_until = max(self._pause_until, now + wait_s)
        if burst == self._bursts:
            self._bursts += 1
            self.limit = max(1.0, self.limit / 2)

    def succeeded(self) -> None:
        """Give back a share of the limit after a call that went well."""
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        self._wake()

    async def paused(self) -> None:
        """Sleep for as long as the server asked callers to wait."""
        while (left := self._pause_until - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(left)


def wait_s(attempt: int, failure: CallFailed, backoff_s: float, draw: float) -> float:
    """Return the seconds before the next attempt; ``draw`` in [0, 1] is the jitter.

    ``Retry-After`` counts in full. Backoff doubles from ``backoff_s`` and is drawn from
    its upper half, so that callers do not return in step.
    """
    if failure.retry_after is not None:
        return failure.retry_after
    doubled = backoff_s * 2.0 ** min(attempt, 32)
    return min(doubled, MAX_BACKOFF_S) * (0.5 + 0.5 * draw)


class Caller:
    """Makes calls under one limiter, with the options' retries; one for each judge."""

    def __init__(self, most: int, options: CallOptions) -> None:
        self.limiter = Limiter(most)
        self._options = options
        self._unreached = 0
        self._reached = False
        self._random = random.Random()

    async def call(
        self,
        send: Callable[[], Awaitable[T]],
        ready: Callable[[], Awaitable[None]] | None = None,
    ) -> T:
        """Call ``send``, again as long as that can help.

        ``ready`` is awaited before each attempt, outside of its timeout.
        """
        for attempt in itertools.count():
            async with self.limiter.slot() as burst:
                await self.limiter.paused()
                if ready:
                    await ready()
                try:
                    response = await self._in_time(send)
                except CallFailed as failure:
                    if (wait := self._failed(attempt, failure, burst)) is None:
                        raise
                else:
                    self._unreached, self._reached = 0, True
                    self.limiter.succeeded()
                    return response
            await asyncio.sleep(wait)
        raise AssertionError("unreachable: attempts are counted without end")

    def _failed(self, attempt: int, failure: CallFailed, burst: int) -> float | None:
        """Return the seconds to wait for the next attempt; None: the call is given up.

        A wait that the server asks for holds for all calls, unless this call gives up.
        """
        if failure.reason in (Reason.UNREACHABLE, Reason.SERVER_ERROR):
            self._unreached += 1
        self._reached |= failure.reason is Reason.SERVER_ERROR
        options = self._options
        wait = wait_s(attempt, failure, options.backoff_s, self._random.random())
        most = options.retries
        if failure.unreachable and not self._reached:
            most = min(most, RETRIES_BEFORE_FIRST)
        if failure.timed_out:
            most = min(most, RETRIES_AFTER_TIMEOUT)
        again = failure.retry and attempt < most and self._unreached < DEAD_AFTER
        again = again and wait <= options.max_wait_s
        if failure.reason is Reason.RATE_LIMITED:
            requested = again and failure.retry_after is not None
            self.limiter.too_many(burst, wait if requested else 0.0)
        return wait if again else None

    async def _in_time(self, send: Callable[[], Awaitable[T]]) -> T:
        try:
            async with asyncio.timeout(self._options.timeout_s):
                return await send()
        except TimeoutError:
            raise CallFailed.after(self._options.timeout_s) from None
