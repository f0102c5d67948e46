"""Retries, waits and the number of calls in flight."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.ask.limits import (
    DEAD_AFTER,
    RETRIES_AFTER_TIMEOUT,
    Caller,
    Limiter,
    wait_s,
)
from trace_eval.judges.options.groups import CallOptions

NO_WAIT = CallOptions(timeout_s=10, retries=3, backoff_s=0.0, max_wait_s=60.0)


def failing(times: int, failure: CallFailed) -> tuple[Callable[[], object], list[int]]:
    calls = [0]

    async def send() -> str:
        calls[0] += 1
        if calls[0] <= times:
            raise failure
        return "done"

    return send, calls


def run(caller: Caller, send: Callable[[], object]) -> object:
    return asyncio.run(caller.call(send))


def limited(after: float | None = None) -> CallFailed:
    return CallFailed(Reason.RATE_LIMITED, "429", retry=True, retry_after=after)


def unreached() -> CallFailed:
    return CallFailed(Reason.UNREACHABLE, "503", retry=True)


@pytest.mark.parametrize(
    ("failure", "attempts"),
    [
        (unreached(), 4),  # one attempt and three retries
        (CallFailed(Reason.REFUSED, "401"), 1),  # cannot pass
        (limited(3600.0), 1),  # the server asks for too long a wait
    ],
)
def test_a_call_is_given_up(failure: CallFailed, attempts: int) -> None:
    send, calls = failing(99, failure)
    with pytest.raises(CallFailed) as caught:
        run(Caller(4, NO_WAIT), send)
    assert caught.value.reason is failure.reason
    assert calls == [attempts]


def test_429_halves_the_limit_and_503_does_not() -> None:
    for times, failure, limit in (
        (1, unreached(), 8.0),
        (1, limited(), 4.25),  # halved to 4, then one success gives back 1/4
        (3, limited(), 2.0),  # 8 -> 4 -> 2 -> 1, + 1/1
    ):
        caller = Caller(8, NO_WAIT)
        run(caller, failing(times, failure)[0])
        assert caller.limiter.limit == pytest.approx(limit)
    for _ in range(200):
        caller.limiter.succeeded()
    assert caller.limiter.limit == 8.0


def test_a_burst_of_429_halves_once() -> None:
    async def main() -> float:
        limiter = Limiter(8)
        async with limiter.slot() as one, limiter.slot() as two:
            limiter.too_many(one, 0)
            limiter.too_many(two, 0)
        return limiter.limit

    assert asyncio.run(main()) == 4.0


def test_retry_after_counts_and_all_wait() -> None:
    async def main() -> list[float]:
        caller = Caller(4, replace(NO_WAIT, backoff_s=60.0))
        loop = asyncio.get_running_loop()
        started, times = loop.time(), []
        send, _ = failing(1, limited(0.2))

        async def other() -> None:
            await asyncio.sleep(0.05)
            await caller.call(quick)
            times.append(loop.time() - started)

        async def quick() -> None:
            return None

        async def first() -> None:
            await caller.call(send)
            times.append(loop.time() - started)

        await asyncio.gather(first(), other())
        return times

    times = asyncio.run(main())
    # Both wait 0.2 s as the server asked, and neither the 60 s of backoff.
    assert min(times) >= 0.19
    assert max(times) < 5


@pytest.mark.parametrize(("retries", "asked"), [(3, 61.0), (0, 30.0)])
def test_who_gives_up_stops_nobody(retries: int, asked: float) -> None:
    async def main() -> None:
        caller = Caller(4, replace(NO_WAIT, retries=retries))
        with pytest.raises(CallFailed):
            await caller.call(failing(9, limited(asked))[0])
        async with asyncio.timeout(1):
            await caller.call(failing(0, limited())[0])
        assert caller.limiter.limit < 4  # that it is too much was said all the same

    asyncio.run(main())


def test_backoff_doubles_with_jitter_and_has_a_ceiling() -> None:
    failure = unreached()
    assert [wait_s(n, failure, 1.0, 1.0) for n in range(6)] == [1, 2, 4, 8, 16, 30]
    assert wait_s(2, failure, 1.0, 0.0) == 2.0
    assert wait_s(2, limited(7.5), 1.0, 0.0) == 7.5
    assert wait_s(100_000, failure, 1.0, 1.0) == 30


def test_a_call_that_took_all_of_its_time_is_made_again_once() -> None:
    calls = []

    async def slow() -> None:
        calls.append(1)
        await asyncio.sleep(30)

    with pytest.raises(CallFailed) as caught:
        run(Caller(1, replace(NO_WAIT, retries=5, timeout_s=0.05)), slow)
    assert caught.value.reason is Reason.UNREACHABLE
    assert caught.value.billed
    assert caught.value.timed_out
    assert len(calls) == 1 + RETRIES_AFTER_TIMEOUT == 2


@pytest.mark.parametrize("reason", [Reason.UNREACHABLE, Reason.SERVER_ERROR])
def test_a_dead_server_is_not_retried_for_ever(reason: Reason) -> None:
    caller = Caller(4, NO_WAIT)
    send, calls = failing(10**9, CallFailed(reason, "503", retry=True))
    for _ in range(20):
        with pytest.raises(CallFailed):
            run(caller, send)
    # Five calls of four attempts reach DEAD_AFTER = 20; the other fifteen try once
    # each.
    assert calls == [DEAD_AFTER + 15]
    run(caller, failing(0, unreached())[0])
    send, calls = failing(1, unreached())
    run(caller, send)
    assert calls == [2]


def test_no_more_than_the_limit_are_in_flight_and_order_is_kept() -> None:
    async def main() -> tuple[int, list[int]]:
        limiter, now, most, order = Limiter(3), 0, 0, []

        async def one(number: int) -> None:
            nonlocal now, most
            async with limiter.slot():
                order.append(number)
                now += 1
                most = max(most, now)
                await asyncio.sleep(0.001)
                now -= 1

        await asyncio.gather(*(one(number) for number in range(30)))
        assert limiter.in_flight == 0
        return most, order

    assert asyncio.run(main()) == (3, list(range(30)))


def test_cancelling_leaves_no_trace() -> None:
    async def main() -> None:
        limiter = Limiter(1)

        async def hold() -> None:
            async with limiter.slot():
                await asyncio.sleep(30)

        tasks = [asyncio.create_task(hold()) for _ in range(5)]
        await asyncio.sleep(0.01)
        tasks[0].cancel()  # the holder and a waiter, in the same moment
        tasks[1].cancel()
        await asyncio.sleep(0.01)
        assert limiter.in_flight == 1  # the next waiter has the place
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert limiter.in_flight == 0
        async with asyncio.timeout(1), limiter.slot():
            pass

    asyncio.run(main())


def test_a_place_given_to_a_cancelled_waiter_goes_on() -> None:
    async def main() -> None:
        limiter = Limiter(1)
        release = asyncio.Event()

        async def hold() -> None:
            async with limiter.slot():
                await release.wait()

        async def wait() -> None:
            async with limiter.slot():
                pass

        holder = asyncio.create_task(hold())
        await asyncio.sleep(0)
        waiter = asyncio.create_task(wait())
        await asyncio.sleep(0)
        release.set()
        await asyncio.sleep(0)  # the holder wakes, and gives its place to the waiter
        waiter.cancel()
        await asyncio.gather(holder, waiter, return_exceptions=True)
        async with asyncio.timeout(1), limiter.slot():
            pass
        assert limiter.in_flight == 0

    asyncio.run(main())
