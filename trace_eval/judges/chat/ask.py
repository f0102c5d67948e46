"""One opinion's conversation: a question, retries, and one second chance; all paid for."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from trace_eval.data.judgement import Usage
from trace_eval.judges.chat.base import CallFailed, ChatClient, Reply, Request, Tokens, Unusable
from trace_eval.judges.chat.limits import Caller, RetryPolicy
from trace_eval.judges.chat.prices import Budget, Price, sum_usage, usage_of
from trace_eval.judges.chat.tokens import upper_tokens
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.parse import ParseError, Verdicts, parse_reply
from trace_eval.judges.text.prompt import PromptPack


@dataclass(frozen=True)
class Heard:
    """A usable reply and what it took to get it."""

    reply: Reply
    verdicts: Verdicts
    usage: Usage | None
    repaired: bool
    seconds: float


class Turn:
    """What one opinion has taken so far: tokens, and seconds of calls without waits."""

    def __init__(self, price: Price | None) -> None:
        self.price = price
        self.usage: Usage | None = None
        self.seconds = 0.0
        self.repaired = False

    def count(self, tokens: Tokens) -> None:
        """Add the tokens of a reply."""
        self.usage = sum_usage([self.usage, usage_of(tokens, self.price)])


class NothingHeard(Exception):
    """No usable reply, not even after the second chance."""

    def __init__(self, failure: CallFailed | Unusable, turn: Turn) -> None:
        super().__init__(failure.detail)
        self.reason, self.detail = failure.reason, failure.detail
        self.raw = failure.raw if isinstance(failure, Unusable) else None
        self.usage = turn.usage
        self.repaired = turn.repaired
        self.seconds = turn.seconds


class Asker:
    """Asks a client under the options' limits, retries and budget.

    Attributes:
        caller: retries and the bound on calls in flight.
        budget: money spent so far.
    """

    def __init__(
        self,
        client: ChatClient,
        prompts: PromptPack,
        options: JudgeOptions,
        price: Price | None,
        in_flight: int,
    ) -> None:
        policy = RetryPolicy(options.retries, options.backoff_s, options.max_wait_s)
        self.caller = Caller(in_flight, policy, options.timeout_s)
        self.budget = Budget(options.max_cost, options.spent)
        self._client = client
        self._prompts = prompts
        self._options = options
        self._price = price

    async def ask(self, request: Request) -> Heard:
        """One question, and one repair turn when the reply is of no use.

        Raises:
            NothingHeard: no usable reply.
        """
        turn = Turn(self._price)
        try:
            return await self._reply(request, turn)
        except CallFailed as failure:
            raise NothingHeard(failure, turn) from None
        except Unusable as unusable:
            if not self._options.repair:
                raise NothingHeard(unusable, turn) from None
            return await self._second_chance(request, unusable, turn)

    async def _second_chance(self, request: Request, unusable: Unusable, turn: Turn) -> Heard:
        turn.repaired = True
        messages = self._prompts.repair(request.messages, unusable.raw, unusable.detail)
        try:
            return await self._reply(replace(request, messages=messages), turn)
        except CallFailed as failure:
            # The first reply is the better witness when the second never came.
            unusable.detail += f"; the second chance failed: {failure.detail}"
            raise NothingHeard(unusable, turn) from None
        except Unusable as again:
            raise NothingHeard(again, turn) from None

    async def _reply(self, request: Request, turn: Turn) -> Heard:
        """A parsed reply.

        Raises:
            CallFailed: no reply.
            Unusable: a reply without a verdict.
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
            verdicts = parse_reply(reply.text, self._options.elicitation)
        except ParseError as error:
            raise Unusable(error.reason, error.detail, reply.text, reply.tokens) from None
        return Heard(reply, verdicts, turn.usage, turn.repaired, turn.seconds)

    async def _send(self, request: Request, turn: Turn, worst: float | None) -> Reply:
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
        return (dollars + request.max_tokens * self._price.output) / 1e6
