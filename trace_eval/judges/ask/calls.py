"""One question to a model: the call, retries, one second chance, and what came of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
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
    Tokens,
    Unusable,
)
from trace_eval.judges.ask.ledger import Ledger
from trace_eval.judges.ask.limits import Caller
from trace_eval.judges.ask.message import Message, upper_tokens
from trace_eval.judges.ask.prices import Budget, Price, sum_usage, usage_of
from trace_eval.judges.ask.reply_json import ReplyError
from trace_eval.judges.options.judge_options import JudgeOptions

T = TypeVar("T")
R = TypeVar("R")
Came = TypeVar("Came", Reply, Choices)

#: How much sound may cost above its estimate by seconds.
AUDIO_MARGIN = 1.1

#: Reads a reply's text.
#:
#: Raises:
#:     ReplyError: it holds no usable answer.
Read = Callable[[str], T]

#: (messages sent, unusable reply or None, what was wrong) -> messages of the second chance.
Repair = Callable[[tuple[Message, ...], str | None, str], tuple[Message, ...]]


class Backend(NamedTuple):
    """A chat client, what its calls cost, and how the judge over it is written."""

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
    """What became of one call: an answer, or the reason why there is none.

    Attributes:
        value: the answer as ``read`` made it; None where ``reason`` says why.
        raw: the last reply as it came, bounded.
        repaired: the first reply was unusable, the second counts.
        cached: read from the reply cache, nothing was sent.
        seconds: time of the calls, without waits.
        seed: as it was sent, where it is not the call's own; ``choice``: which reply it was of
            a request for several. Neither is part of :meth:`record`: only ratings have them.
    """

    value: T | None = None
    reason: Reason | None = None
    detail: str | None = None
    raw: str | None = None
    repaired: bool = False
    cached: bool = False
    seconds: float | None = None
    usage: Usage | None = None
    seed: int | None = None
    choice: Choice | None = None

    def record(self) -> dict[str, Any]:
        """Everything but the answer, under the names that opinions have for it."""
        names = ("reason", "detail", "raw", "repaired", "cached", "seconds", "usage")
        return {name: getattr(self, name) for name in names}


class Attempts:
    """What one question has taken so far: tokens, and seconds of calls without waits.

    Attributes:
        seed: that was sent for the reply which counts.
        choice: which of several replies to one request that was; None: it was the only one.
    """

    def __init__(self, price: Price | None, seed: int) -> None:
        self.price = price
        self.usage: Usage | None = None
        self.seconds = 0.0
        self.repaired = False
        self.seed = seed
        self.choice: Choice | None = None

    def count(self, tokens: Tokens) -> None:
        """Add the tokens of a reply."""
        self.usage = sum_usage([self.usage, usage_of(tokens, self.price)])

    def share(self, made: Choices, index: int, seconds: float) -> None:
        """Begin with one reply to a request for several: its share of tokens, cost and time."""
        count = len(made.replies)
        if count > 1:
            self.choice = Choice(index=index, of=count)
        self.seconds += seconds / count
        self.usage = usage_of(made.replies[index].tokens, self.price)
        if self.usage and self.price:
            # Sound that the server does not count apart is rounded to whole tokens once.
            cost = self.price.cost(made.tokens)
            each = None if cost is None else cost / count
            self.usage = self.usage.model_copy(update={"cost_usd": each})


@dataclass(frozen=True)
class Answered(Generic[T]):
    """A usable reply, what it says, and what it took to get it."""

    value: T
    reply: Reply
    turn: Attempts


@dataclass(eq=False)
class NoAnswer(Exception):
    """No usable reply, not even after the second chance."""

    failure: CallFailed | Unusable
    turn: Attempts


async def together(tasks: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all, in their order; the first error cancels the others."""
    try:
        async with asyncio.TaskGroup() as group:
            started = [group.create_task(task) for task in tasks]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in started]


class Asker(Generic[T]):
    """Asks a client under the options' limits, retries and budget.

    Args:
        backend: makes single calls.
        options: limits, retries, budget, and whether there is a second chance.
        in_flight: calls at once.
        read: turns a reply into an answer.
        repair: words the second chance.

    Attributes:
        caller: retries and the bound on calls in flight.
        budget: money spent so far.
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
        ledger = Ledger(options.ledger, options.spent) if options.ledger else None
        self.budget = Budget(options.max_cost, options.spent, ledger)
        self._client = backend.client
        self._options = options
        self._price = backend.price
        self._read = read
        self._repair = repair

    async def ask(self, request: Request) -> Answered[T]:
        """One question, and one repair turn when the reply is of no use.

        Raises:
            NoAnswer: no usable reply.
        """
        turn = Attempts(self._price, request.seed)
        try:
            return await self._reply(request, turn)
        except CallFailed as failure:
            raise NoAnswer(failure, turn) from None
        except Unusable as unusable:
            return await self._second_chance(request, unusable, turn)

    async def ask_together(
        self, requests: Sequence[Request], done: Callable[[int, Answered[T] | NoAnswer], R]
    ) -> list[R]:
        """Samples of one question as one request that asks for several replies.

        A reply of no use has its own repair turn, as a request of its own; samples for which
        the server gave no reply are asked one by one.

        Args:
            requests: equal but for their seeds; the first one's is sent.
            done: (index, what became of it) -> result, called as soon as that is known.
        """
        joint = replace(requests[0], choices=len(requests))
        sent = Attempts(self._price, joint.seed)
        try:
            made = await self._call(self._client.choices, joint, sent)
        except CallFailed as failure:
            sent.seconds /= len(requests)
            return [done(index, NoAnswer(failure, sent)) for index in range(len(requests))]
        except Unusable as unusable:
            made = Choices((unusable,), unusable.tokens)

        async def one(index: int, request: Request) -> R:
            try:
                if index >= len(made.replies):
                    return done(index, await self.ask(request))
                turn = Attempts(self._price, joint.seed)
                turn.share(made, index, sent.seconds)
                return done(index, await self._chosen(request, made.replies[index], turn))
            except NoAnswer as failed:
                return done(index, failed)

        return await together(one(index, request) for index, request in enumerate(requests))

    async def _chosen(
        self, request: Request, reply: Reply | Unusable, turn: Attempts
    ) -> Answered[T]:
        """Read one of several replies, or give it its second chance."""
        try:
            return self._answered(reply, turn)
        except Unusable as unusable:
            return await self._second_chance(request, unusable, turn)

    async def _second_chance(
        self, request: Request, unusable: Unusable, turn: Attempts
    ) -> Answered[T]:
        # Who heard nothing and is asked again learns to hide it.
        if not self._options.repair or unusable.reason is Reason.NOT_HEARD:
            raise NoAnswer(unusable, turn) from None
        turn.repaired = True
        first = turn.seed, turn.choice
        turn.seed, turn.choice = request.seed, None
        messages = self._repair(request.messages, unusable.raw, unusable.detail)
        try:
            return await self._reply(replace(request, messages=messages), turn)
        except CallFailed as failure:
            # The first reply is the better witness when the second never came.
            turn.seed, turn.choice = first
            unusable.detail += f"; the second chance failed: {failure.detail}"
            raise NoAnswer(unusable, turn) from None
        except Unusable as again:
            raise NoAnswer(again, turn) from None

    async def _reply(self, request: Request, turn: Attempts) -> Answered[T]:
        """A reply that was read.

        Raises:
            CallFailed: no reply.
            Unusable: a reply without an answer.
        """
        try:
            reply = await self._call(self._client.chat, request, turn)
        except Unusable as unusable:
            turn.count(unusable.tokens)
            raise
        turn.count(reply.tokens)
        return self._answered(reply, turn)

    def _answered(self, reply: Reply | Unusable, turn: Attempts) -> Answered[T]:
        if isinstance(reply, Unusable):
            raise reply
        try:
            value = self._read(reply.text)
        except ReplyError as error:
            raise Unusable(error.reason, error.detail, reply.text, reply.tokens) from None
        return Answered(value, reply, turn)

    async def _call(
        self, send: Callable[[Request], Awaitable[Came]], request: Request, turn: Attempts
    ) -> Came:
        """What one request brings, under the limits and within the budget."""
        worst = self._worst(request)
        return await self.caller.call(
            lambda: self._send(send, request, turn, worst), lambda: self.budget.room(worst)
        )

    async def _send(
        self,
        send: Callable[[Request], Awaitable[Came]],
        request: Request,
        turn: Attempts,
        worst: float | None,
    ) -> Came:
        with self.budget.reserve(worst) as ticket:
            started = time.monotonic()
            try:
                came = await send(request)
            except Unusable as unusable:
                ticket.cost = self._price.cost(unusable.tokens) if self._price else 0.0
                raise
            finally:
                turn.seconds += time.monotonic() - started
            ticket.cost = self._price.cost(came.tokens) if self._price else 0.0
            return came

    def _worst(self, request: Request) -> float | None:
        """US dollars that a call can cost at most; None: no price is known."""
        if not self._price:
            return None
        if not self._price.input and not self._price.output:
            return 0.0
        dollars = upper_tokens(request.messages) * self._price.input
        seconds = sum(message.audio_s for message in request.messages)
        if seconds:
            sound = self._price.audio_tokens(seconds * AUDIO_MARGIN)
            if sound is None or self._price.audio_input is None:
                return None
            dollars += sound * self._price.audio_input
        return (dollars + request.choices * request.max_tokens * self._price.output) / 1e6
