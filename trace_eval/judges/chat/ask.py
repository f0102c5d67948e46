"""One question's conversation: the call, retries, and one second chance; all paid for."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from trace_eval.data.judgement import Usage
from trace_eval.judges.chat.base import CallFailed, ChatClient, Reply, Request, Tokens, Unusable
from trace_eval.judges.chat.ledger import Ledger
from trace_eval.judges.chat.limits import Caller, RetryPolicy
from trace_eval.judges.chat.message import Message
from trace_eval.judges.chat.prices import Budget, Price, sum_usage, usage_of
from trace_eval.judges.chat.reply_json import ReplyError
from trace_eval.judges.chat.tokens import upper_tokens
from trace_eval.judges.options import JudgeOptions

T = TypeVar("T")

#: How much sound may cost above its estimate by seconds.
AUDIO_MARGIN = 1.1

#: Reads a reply's text.
#:
#: Raises:
#:     ReplyError: it holds no usable answer.
Read = Callable[[str], T]

#: (messages sent, unusable reply or None, what was wrong) -> messages of the second chance.
Repair = Callable[[tuple[Message, ...], str | None, str], tuple[Message, ...]]


@dataclass(frozen=True)
class Answered(Generic[T]):
    """A usable reply and what it took to get it."""

    value: T
    reply: Reply
    usage: Usage | None
    repaired: bool
    seconds: float


class Exchange:
    """What one question has taken so far: tokens, and seconds of calls without waits."""

    def __init__(self, price: Price | None) -> None:
        self.price = price
        self.usage: Usage | None = None
        self.seconds = 0.0
        self.repaired = False

    def count(self, tokens: Tokens) -> None:
        """Add the tokens of a reply."""
        self.usage = sum_usage([self.usage, usage_of(tokens, self.price)])


class NoAnswer(Exception):
    """No usable reply, not even after the second chance."""

    def __init__(self, failure: CallFailed | Unusable, turn: Exchange) -> None:
        super().__init__(failure.detail)
        self.reason, self.detail = failure.reason, failure.detail
        self.unreachable = isinstance(failure, CallFailed) and failure.unreachable
        self.raw = failure.raw if isinstance(failure, Unusable) else None
        self.usage = turn.usage
        self.repaired = turn.repaired
        self.seconds = turn.seconds


class Asker(Generic[T]):
    """Asks a client under the options' limits, retries and budget.

    Args:
        client: makes single calls.
        options: limits, retries, budget, and whether there is a second chance.
        price: what calls cost; None: unknown.
        in_flight: calls at once.
        read: turns a reply into an answer.
        repair: words the second chance.

    Attributes:
        caller: retries and the bound on calls in flight.
        budget: money spent so far.
    """

    def __init__(
        self,
        client: ChatClient,
        options: JudgeOptions,
        price: Price | None,
        in_flight: int,
        read: Read[T],
        repair: Repair,
    ) -> None:
        policy = RetryPolicy(options.retries, options.backoff_s, options.max_wait_s)
        self.caller = Caller(in_flight, policy, options.timeout_s)
        ledger = Ledger(options.ledger, options.spent) if options.ledger else None
        self.budget = Budget(options.max_cost, options.spent, ledger)
        self._client = client
        self._options = options
        self._price = price
        self._read = read
        self._repair = repair

    async def ask(self, request: Request) -> Answered[T]:
        """One question, and one repair turn when the reply is of no use.

        Raises:
            NoAnswer: no usable reply.
        """
        turn = Exchange(self._price)
        try:
            return await self._reply(request, turn)
        except CallFailed as failure:
            raise NoAnswer(failure, turn) from None
        except Unusable as unusable:
            if not self._options.repair:
                raise NoAnswer(unusable, turn) from None
            return await self._second_chance(request, unusable, turn)

    async def _second_chance(
        self, request: Request, unusable: Unusable, turn: Exchange
    ) -> Answered[T]:
        turn.repaired = True
        messages = self._repair(request.messages, unusable.raw, unusable.detail)
        try:
            return await self._reply(replace(request, messages=messages), turn)
        except CallFailed as failure:
            # The first reply is the better witness when the second never came.
            unusable.detail += f"; the second chance failed: {failure.detail}"
            raise NoAnswer(unusable, turn) from None
        except Unusable as again:
            raise NoAnswer(again, turn) from None

    async def _reply(self, request: Request, turn: Exchange) -> Answered[T]:
        """A reply that was read.

        Raises:
            CallFailed: no reply.
            Unusable: a reply without an answer.
        """
        worst = self._worst(request)
        try:
            reply = await self.caller.call(
                lambda: self._send(request, turn, worst), lambda: self.budget.room(worst)
            )
        except Unusable as unusable:
            turn.count(unusable.tokens)
            raise
        turn.count(reply.tokens)
        try:
            value = self._read(reply.text)
        except ReplyError as error:
            raise Unusable(error.reason, error.detail, reply.text, reply.tokens) from None
        return Answered(value, reply, turn.usage, turn.repaired, turn.seconds)

    async def _send(self, request: Request, turn: Exchange, worst: float | None) -> Reply:
        with self.budget.reserve(worst) as ticket:
            started = time.monotonic()
            try:
                reply = await self._client.chat(request)
            except Unusable as unusable:
                ticket.cost = self._price.cost(unusable.tokens) if self._price else 0.0
                raise
            finally:
                turn.seconds += time.monotonic() - started
            ticket.cost = self._price.cost(reply.tokens) if self._price else 0.0
            return reply

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
        return (dollars + request.max_tokens * self._price.output) / 1e6
