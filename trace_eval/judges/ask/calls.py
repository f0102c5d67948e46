"""One question to a model: its calls, retries, one second chance, and its answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

from trace_eval.data.outcome import Order, Reason, Usage
from trace_eval.data.scores import Choice
from trace_eval.judges.ask.base import (
    CallFailed,
    ChatClient,
    Choices,
    Reply,
    Request,
    Unusable,
)
from trace_eval.judges.ask.budget import Budget, Ledger
from trace_eval.judges.ask.limits import Caller
from trace_eval.judges.ask.message import Message, upper_tokens
from trace_eval.judges.ask.prices import Price, sum_usage, usage_of
from trace_eval.judges.ask.purse import SharedBudget
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.options.judge_options import JudgeOptions

T = TypeVar("T")
R = TypeVar("R")

#: How much sound may cost above its estimate by seconds.
AUDIO_MARGIN = 1.1

#: Reads a reply's text.
#:
#: Raises:
#:     ReplyError: it holds no usable answer.
Read = Callable[[str], T]

#: (messages sent, unusable reply or None, what was wrong) -> messages of the second
#: chance.
Repair = Callable[[tuple[Message, ...], str | None, str], tuple[Message, ...]]


class Backend(NamedTuple):
    """A chat client, the price of its calls, and the spec of the judge over it."""

    spec: str
    client: ChatClient
    price: Price | None = None


@dataclass(frozen=True)
class Call:
    """One question to the model, and the key of its answer in the reply cache."""

    item: str
    order: Order
    sample: int
    key: str
    request: Request


@dataclass(frozen=True)
class CallOutcome(Generic[T]):
    """The outcome of one call: an answer, or the reason why there is none."""

    value: T | None = None
    reason: Reason | None = None
    detail: str | None = None
    raw: str | None = None  # the last reply as it came, bounded
    repaired: bool = False  # the first reply was unusable, the second counts
    cached: bool = False
    seconds: float | None = None  # of the calls, without waits
    usage: Usage | None = None
    seed: int | None = None  # that was sent, where it is not the call's own
    choice: Choice | None = None  # which reply it was of a request for several


def of_both(
    first: CallOutcome[T], second: CallOutcome[T], takes_second: bool
) -> CallOutcome[T]:
    """Return one of two outcomes of a question, with the time and the cost of both."""
    taken = second if takes_second else first
    sent = [each for each in (first, second) if not each.cached]
    return replace(
        taken,
        repaired=taken.repaired or takes_second,
        cached=not sent,
        seconds=sum(each.seconds or 0.0 for each in sent) if sent else None,
        usage=sum_usage([each.usage for each in sent or (first, second)]),
    )


@dataclass
class Attempts(Generic[T]):
    """One question in work: its cost so far, and its reply or why there is none.

    ``seconds`` are without waits; ``choice`` is None where the reply was the only one.
    """

    price: Price | None
    seed: int
    seconds: float = 0.0
    usage: Usage | None = None
    choice: Choice | None = None
    repaired: bool = False
    reply: Reply | None = None
    value: T | None = None
    failure: CallFailed | Unusable | None = None

    def count(self, came: Choices, index: int = 0) -> None:
        """Add one of a request's replies: its share of the tokens and the cost."""
        count = len(came.replies)
        self.choice = Choice(index=index, of=count) if count > 1 else None
        usage = usage_of(came.replies[index].tokens, self.price)
        if usage and self.price:
            # Sound that the server does not count apart is rounded to whole tokens
            # once.
            cost = self.price.cost(came.tokens)
            each = None if cost is None else cost / count
            usage = usage.model_copy(update={"cost_usd": each})
        self.usage = sum_usage([self.usage, usage])


async def together(tasks: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Await all results, in their order; the first error cancels the others."""
    every = list(tasks)
    if len(every) == 1:
        return [await every[0]]
    try:
        async with asyncio.TaskGroup() as group:
            started = [group.create_task(task) for task in every]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in started]


def _budget(options: JudgeOptions) -> Budget:
    if options.purse is not None:
        return SharedBudget(options.max_cost, options.purse)
    ledger = Ledger(options.ledger, options.spent) if options.ledger else None
    return Budget(options.max_cost, options.spent, ledger)


class Asker(Generic[T]):
    """Sends questions to a client under the options' limits, retries and budget.

    ``in_flight``: calls at once.
    """

    def __init__(
        self,
        backend: Backend,
        options: JudgeOptions,
        in_flight: int,
        read: Read[T],
        repair: Repair,
    ) -> None:
        self.caller = Caller(in_flight, options)
        self.budget = _budget(options)
        self._client = backend.client
        self._options = options
        self._price = backend.price
        self._read = read
        self._repair = repair

    async def ask(
        self, requests: Sequence[Request], done: Callable[[int, Attempts[T]], R]
    ) -> list[R]:
        """Ask for samples of one question in a request; each has its own second chance.

        Requests are equal but for their seeds, and the first is sent. Samples for which
        the server gave no reply are requested one by one. ``done`` makes the result of
        an index and its attempts, as soon as there is an answer.
        """
        sent = replace(requests[0], choices=len(requests))
        first: Attempts[T] = Attempts(self._price, sent.seed)
        try:
            choices = await self._call(sent, first)
        except CallFailed as failure:
            each = replace(
                first, seconds=first.seconds / len(requests), failure=failure
            )
            return [done(index, each) for index in range(len(requests))]

        async def one(index: int, request: Request) -> R:
            if index >= len(choices.replies):
                return (await self.ask([request], lambda _, taken: done(index, taken)))[
                    0
                ]
            taken = replace(first, seconds=first.seconds / len(choices.replies))
            taken.count(choices, index)
            await self._finish(request, choices.replies[index], taken)
            return done(index, taken)

        return await together(
            one(index, request) for index, request in enumerate(requests)
        )

    async def _finish(
        self, request: Request, reply: Reply | Unusable, taken: Attempts[T]
    ) -> None:
        """Read a reply; one of no use gets its second chance."""
        unusable = self._unusable(reply, taken)
        taken.failure = unusable
        # A model that heard nothing and is asked again learns to hide it.
        if (
            not unusable
            or not self._options.repair
            or unusable.reason is Reason.NOT_HEARD
        ):
            return
        taken.repaired = True
        messages = self._repair(request.messages, unusable.raw, unusable.detail)
        try:
            again = await self._call(replace(request, messages=messages), taken)
        except CallFailed as failure:
            # The first reply is the better witness when the second never came.
            unusable.detail += f"; the second chance failed: {failure.detail}"
            return
        taken.seed = request.seed
        taken.count(again)
        taken.failure = self._unusable(again.replies[0], taken)

    def _unusable(self, reply: Reply | Unusable, taken: Attempts[T]) -> Unusable | None:
        """Say why a reply is of no use; None: its answer is kept."""
        if isinstance(reply, Unusable):
            return reply
        try:
            taken.value = self._read(reply.text)
        except ReplyError as error:
            return Unusable(error.reason, error.detail, reply.text, reply.tokens)
        taken.reply = reply
        return None

    async def _call(self, request: Request, taken: Attempts[T]) -> Choices:
        """Send one request, under the limits and within the budget."""
        worst = self._worst(request)

        async def send() -> Choices:
            with self.budget.reserve(worst) as ticket:
                started = time.monotonic()
                try:
                    if request.choices > 1:
                        choices = await self._client.choices(request)
                    else:
                        reply = await self._client.chat(request)
                        choices = Choices((reply,), reply.tokens)
                except Unusable as unusable:
                    choices = Choices((unusable,), unusable.tokens)
                finally:
                    taken.seconds += time.monotonic() - started
                ticket.cost = self._price.cost(choices.tokens) if self._price else 0.0
                return choices

        return await self.caller.call(send, lambda: self.budget.room(worst))

    def _worst(self, request: Request) -> float | None:
        """Return the most US dollars that a call can cost; None: no price is known."""
        if not self._price:
            return None
        if not self._price.input and not self._price.output:
            return 0.0
        dollars = upper_tokens(request.messages) * self._price.input
        if request.audio_s:
            sound = self._price.audio_tokens(request.audio_s * AUDIO_MARGIN)
            if sound is None or self._price.audio_input is None:
                return None
            dollars += sound * self._price.audio_input
        return (
            dollars + request.choices * request.max_tokens * self._price.output
        ) / 1e6
