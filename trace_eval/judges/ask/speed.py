"""How fast a model answers that its judge serves, measured by a few calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trace_eval.judges.ask.base import CallFailed, ChatClient, Request, Unusable
from trace_eval.judges.base import Case

if TYPE_CHECKING:
    from trace_eval.judges.ask.judge import LLMJudge

#: Seconds after which no further answer is waited for.
PATIENCE_S = 60.0

#: Measured calls at most; so many times those that are in flight together.
MOST_CALLS, ROUNDS = 128, 2


@dataclass(frozen=True)
class Speed:
    """The time of a few calls, with this many in flight at once.

    Attributes:
        calls: that were answered within ``seconds``.
    """

    calls: int
    in_flight: int
    seconds: float

    def hours(self, calls: int) -> float:
        """Return the hours that a number of calls takes."""
        return calls * self.seconds / self.calls / 3600


def first_requests(
    judge: LLMJudge, cases: Iterable[Case], number: int
) -> list[Request]:
    """Return the first requests that a judge would send."""
    requests: list[Request] = []
    for case in cases:
        missing = [call for call, kept in judge.calls_to_make(case) or () if not kept]
        requests += [calls[0].request for calls in judge.requests(missing)]
        if len(requests) >= number:
            break
    return requests[:number]


def measured(judge: LLMJudge, requests: Sequence[Request]) -> Speed:
    """Send requests as a run would, after one that warms up; replies are not kept.

    Raises:
        UserError: the server does not start.
        CallFailed: no call was answered.
    """
    judge.client.load()

    async def run() -> Speed:
        try:
            return await _measured(judge.client, requests, judge.sender.concurrency)
        finally:
            await judge.close()

    return asyncio.run(run())


async def _measured(
    client: ChatClient, requests: Sequence[Request], in_flight: int
) -> Speed:
    with suppress(Unusable):
        await asyncio.wait_for(client.chat(requests[0]), PATIENCE_S)
    gate, failures = asyncio.Semaphore(in_flight), list[CallFailed]()

    async def ask(request: Request) -> bool:
        async with gate:
            try:
                await client.chat(request)
            except CallFailed as failure:
                failures.append(failure)
                return False
            except Unusable:  # it took its time all the same
                return True
            return True

    started = time.monotonic()
    tasks = [asyncio.create_task(ask(request)) for request in requests]
    done, late = await asyncio.wait(tasks, timeout=PATIENCE_S)
    seconds = time.monotonic() - started
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    answered = sum(task.result() for task in done)
    if not answered:
        raise failures[0] if failures else CallFailed.after(PATIENCE_S)
    return Speed(answered, min(in_flight, len(requests)), seconds)
