"""Outcomes of calls: the cached reply, else the model's, which is requested once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, Generic, TypeVar

from blueprints import BudgetError, UserError
from blueprints.decimals import written_above
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import CallFailed, Unusable
from trace_eval.judges.ask.calls import (
    Asker,
    Attempts,
    Backend,
    Call,
    CallOutcome,
    Read,
    Repair,
    together,
)
from trace_eval.judges.ask.prices import usage_of
from trace_eval.judges.ask.replies import LEASE_S, ReplyCache, StoredReply, new_owner
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.base import JudgeUnreachable
from trace_eval.judges.options.judge_options import JudgeOptions

T = TypeVar("T")

#: Longest raw reply that a judgement keeps, characters.
MAX_RAW_CHARS = 65_536

#: Equal refusals of sound, before any reply, after which no more is sent: where their
#: words say that the model takes no sound, and where they do not.
DEAF_AFTER, ALIKE_AFTER = 3, 10

#: Interval of checks whether another run has the reply, seconds.
LEASE_POLL_S = 0.25


class _Renewal:
    """Renews a lease until it is cancelled; a timer costs a tenth of a task."""

    def __init__(self, renew: Callable[[], object]) -> None:
        self._renew = renew
        self._again()

    def _again(self) -> None:
        self.timer = asyncio.get_running_loop().call_later(LEASE_S / 3, self._due)

    def _due(self) -> None:
        self._renew()
        self._again()


class Sender(Generic[T]):
    """Sends the calls of one judge: its replies, the cache, the money.

    ``failures``: reply key -> why a batch has no reply for it (see
    ``judges.ask.batch``).

    Raises:
        UserError: the reply cache cannot be used, ``max_cost`` is set without a known
            price, or ``offline`` without a cache.
    """

    def __init__(
        self, backend: Backend, options: JudgeOptions, read: Read[T], repair: Repair
    ) -> None:
        client, price = backend.client, backend.price
        if options.max_cost is not None and price is None:
            raise BudgetError(
                f"--max-cost: no price is known for {client.model!r} at {client.server};"
                " write it into a table and name that with -J prices=FILE (see"
                " docs/how-to/language-models.md)"
            )
        if options.offline and not options.cache:
            raise UserError("offline: there is no reply cache to answer from; name one")
        self.spec = backend.spec
        self.client = client
        self.options = options
        self.price = price
        self.read = read
        self.failures: dict[str, tuple[Reason, str]] = {}
        self._flights: dict[str, asyncio.Event] = {}
        self._replied = False  # some call brought a reply
        self._refusals: Counter[str] = Counter()  # of sound, by their words
        self._replies = (
            ReplyCache(options.cache) if options.cache and not client.ordered else None
        )
        self.asker = Asker(
            backend=backend,
            options=options,
            in_flight=self.concurrency,
            read=read,
            repair=repair,
        )

    @property
    def concurrency(self) -> int:
        """Calls in flight at most."""
        if self.client.ordered:
            return 1
        return self.options.concurrency or self.client.usual_concurrency

    def stored(self, call: Call) -> CallOutcome[T] | None:
        """Return the cached reply of a call, if it can still be read."""
        kept = self._replies.get(call.key) if self._replies else None
        if kept is None:
            return None
        try:
            value = self.read(kept.text)
        except ReplyError:
            return None
        # A batch's replies were bought for this run; other cached ones cost nothing
        # now.
        bought = kept.batch and self.options.offline
        return CallOutcome(
            value=value,
            raw=_bounded(kept.text),
            repaired=kept.repaired,
            cached=not bought,
            usage=usage_of(kept.tokens, self.price, batch=kept.batch),
            seed=kept.seed,
            choice=kept.choice,
        )

    def keep(self, key: str, reply: StoredReply) -> None:
        """Put a usable reply into the cache."""
        if self._replies:
            self._replies.put(key, reply)

    async def answers(self, calls: Sequence[Call]) -> list[CallOutcome[T]]:
        """Return the outcomes of calls, in their order."""
        if self.client.ordered:
            return [await self.answer(call) for call in calls]
        return await together(self.answer(call) for call in calls)

    async def answers_together(self, calls: Sequence[Call]) -> list[CallOutcome[T]]:
        """Answer several samples of a question: those not cached go in one request."""
        outcomes: dict[str, CallOutcome[T]] = {}
        if self.client.takes_choices:
            outcomes = await self._in_one_request(calls)
        return await together(
            _ready(outcomes[call.key]) if call.key in outcomes else self.answer(call)
            for call in calls
        )

    async def _in_one_request(self, calls: Sequence[Call]) -> dict[str, CallOutcome[T]]:
        """Return the outcomes, by key, of the calls that could be made in one request.

        A call that another run is making is left out, not waited for: two runs that
        hold a part of each other's calls would wait for ever.
        """
        with ExitStack() as held:
            mine: list[Call] = []
            for call in calls:
                if not self._at_hand(call) and self._take(call, held):
                    mine.append(call)
            if len(mine) < 2:
                return {}
            return dict(
                zip([call.key for call in mine], await self._ask(mine), strict=True)
            )

    def _take(self, call: Call, held: ExitStack) -> bool:
        """Whether this run may call until ``held`` ends; another may be calling."""
        if self._replies is None:
            return True
        owner = new_owner()
        if call.key in self._flights or not self._replies.lease(call.key, owner):
            return False
        held.callback(self._replies.release, call.key, owner)
        if self._at_hand(call):  # it came between looking and leasing
            return False
        self._flights[call.key] = asyncio.Event()
        held.callback(lambda: self._flights.pop(call.key).set())
        renewal = _Renewal(partial(self._replies.lease, call.key, owner))
        held.callback(lambda: renewal.timer.cancel())
        return True

    async def answer(self, call: Call) -> CallOutcome[T]:
        """Return the cached reply of a call, else the model's.

        Equal calls at the same time are one: the others wait until its reply is cached.
        """
        with ExitStack() as held:
            while not (at_hand := self._at_hand(call)):
                if self._take(call, held):
                    return (await self._ask([call]))[0]
                if flight := self._flights.get(call.key):
                    await flight.wait()
                else:  # another run makes the same call, or its reply has just come
                    await asyncio.sleep(LEASE_POLL_S)
            return at_hand

    def _at_hand(self, call: Call) -> CallOutcome[T] | None:
        """Return the outcome without sending: the cached reply, or why none."""
        if replayed := self.stored(call):
            return replayed
        if self.options.offline:
            reason, detail = self.failures.get(
                call.key, (Reason.UNREACHABLE, "no reply of this call was kept")
            )
            return CallOutcome(reason=reason, detail=detail)
        limit = self.options.max_request_mb * 1e6
        size = sum(message.body_bytes for message in call.request.messages)
        if size <= limit:
            return None
        megabytes = written_above(size / 1e6, limit / 1e6, digits=1)
        remedy = "shorten what it reads"
        if call.request.audio_s:
            remedy = (
                f"{_smaller(self.options)}raise -J max_request_mb if the server takes"
                " more"
            )
        detail = (
            f"a request would have {megabytes} MB, and at most {limit / 1e6:g} are"
            f" sent; {remedy}"
        )
        return CallOutcome(reason=Reason.TOO_LARGE, detail=detail)

    async def _ask(self, calls: Sequence[Call]) -> list[CallOutcome[T]]:
        """Ask the model for the replies to a call, or to samples in one request."""
        return await self.asker.ask(
            [call.request for call in calls],
            lambda index, taken: self._outcome(calls[index], taken),
        )

    def _outcome(self, call: Call, taken: Attempts[T]) -> CallOutcome[T]:
        """Make the outcome of a call; a reply that can be used is cached."""
        kept: dict[str, Any] = {
            "repaired": taken.repaired,
            "seed": taken.seed if taken.seed != call.request.seed else None,
            "choice": taken.choice,
        }
        took = kept | {"seconds": taken.seconds, "usage": taken.usage}
        if taken.reply:
            self._replied = True
            self.keep(
                call.key, StoredReply.of(taken.reply.text, taken.reply.tokens, **kept)
            )
            return CallOutcome(taken.value, raw=_bounded(taken.reply.text), **took)
        failure = taken.failure
        assert failure is not None
        self._check_going_on(call, failure)
        raw = failure.raw if isinstance(failure, Unusable) else None
        detail = failure.detail
        if failure.reason is Reason.TOO_LARGE:
            if call.request.audio_s:
                detail += "; lower -J max_request_mb, and the audio with it"
            else:
                detail += "; let the server take larger requests"
        return CallOutcome(None, failure.reason, detail, _bounded(raw), **took)

    def _check_going_on(self, call: Call, failure: CallFailed | Unusable) -> None:
        """Raise JudgeUnreachable where no other call would bring an answer either."""
        if isinstance(failure, Unusable):
            self._replied |= failure.raw is not None
            return
        if failure.unreachable:
            raise JudgeUnreachable(
                f"judge {self.spec}: {failure.detail}; stopped, because no attempt was"
                " answered; repeat the same command to go on"
            ) from None
        if (
            self._replied
            or failure.reason is not Reason.REFUSED
            or not call.request.audio_s
        ):
            return
        self._refusals[failure.detail] += 1
        count = self._refusals[failure.detail]
        if count >= (DEAF_AFTER if failure.deaf else ALIKE_AFTER):
            raise JudgeUnreachable(
                f"judge {self.spec}: {failure.detail}; stopped after {count} identical"
                " refusals of sound and no reply; check what it hears with"
                " trace-eval doctor --judge, then repeat the same command to go on"
            ) from None

    def close(self) -> None:
        """Release the reply cache."""
        if self._replies:
            self._replies.close()


def _smaller(options: JudgeOptions) -> str:
    """Name the options that make a request with sound smaller, and are not set yet."""
    ways = []
    if options.audio_rate is None or options.audio_rate > 16_000:
        ways.append("-J audio_rate=16000")
    if options.examples and options.shots != 0:
        ways.append("fewer -J shots")
    if options.audio_format != "mp3":
        ways.append("-J audio_format=mp3")
    return f"use {', '.join(ways)}, or " if ways else ""


async def _ready(outcome: CallOutcome[T]) -> CallOutcome[T]:
    return outcome


def _bounded(raw: str | None) -> str | None:
    if raw is None or len(raw) <= MAX_RAW_CHARS:
        return raw
    return raw[:MAX_RAW_CHARS] + f"… [{len(raw) - MAX_RAW_CHARS} characters left out]"
