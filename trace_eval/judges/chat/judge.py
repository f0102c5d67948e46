"""What all judges over a chat model share: calls, their replies, the cache, the money.

Nothing here knows what is asked or what an answer is: a judge hands in ``read``, which
turns a reply into its own kind of answer, and ``repair``, which words the second chance.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data import Order, Reason
from trace_eval.judges.base import Activity, Judge, JudgeUnreachable
from trace_eval.judges.chat.ask import Answered, Asker, NoAnswer, together
from trace_eval.judges.chat.base import ChatClient, Request
from trace_eval.judges.chat.calls import Call, CallOutcome
from trace_eval.judges.chat.message import Message
from trace_eval.judges.chat.prices import Budget, Price, usage_of
from trace_eval.judges.chat.replies import LEASE_S, ReplyCache, StoredReply, new_owner, reply_key
from trace_eval.judges.chat.reply_json import ReplyError
from trace_eval.judges.options import (
    ChatOptions,
    JudgeOptions,
    PairwiseOptions,
    TextOptions,
    names_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")

#: Longest raw reply that a judgement keeps, characters.
MAX_RAW_CHARS = 65_536

#: Refusals of sound, in equal words and before any reply, after which no more is sent: where the
#: words say that the model takes none, and where they do not.
DEAF_AFTER, ALIKE_AFTER = 3, 10

#: How often it is looked whether another run has got the reply, seconds.
LEASE_POLL_S = 0.25


class _Renewal:
    """Renews a lease until it is cancelled; a timer costs a tenth of a task."""

    def __init__(self, replies: ReplyCache, key: str, owner: str) -> None:
        self._renew = partial(replies.lease, key, owner)
        self._wait()

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LEASE_S / 3, self._again)

    def _again(self) -> None:
        self._renew()
        self._wait()

    def cancel(self) -> None:
        self._timer.cancel()


class ChatJudge(Judge, Generic[T]):
    """A judge over one chat client; subclasses say what is asked and how replies are read.

    Args:
        spec: what the user typed, e.g. ``openai:gpt-4.1-mini``.
        client: makes single calls.
        options: everything that can be chosen.
        price: what calls cost; None: unknown, and then there can be no ``max_cost``.

    Attributes:
        failures: reply key -> why a batch has no reply for it (see ``judges.chat.batch``).

    Raises:
        UserError: the reply cache cannot be used, ``max_cost`` is set without a known price,
            or ``offline`` without a cache.
    """

    #: Fields of ``JudgeOptions`` that this kind of judge uses, whatever its client.
    asks_with: ClassVar[frozenset[str]] = names_of(ChatOptions, PairwiseOptions, TextOptions)

    def __init__(
        self, spec: str, client: ChatClient, options: JudgeOptions, price: Price | None = None
    ) -> None:
        if options.max_cost is not None and price is None:
            raise UserError(
                f"max_cost: no price is known for {client.model!r} at {client.server}; add it to"
                " a table and name that with -J prices (see docs/judges.md)"
            )
        if options.offline and not options.cache:
            raise UserError("offline: there is no reply cache to answer from; name one")
        self.spec = spec
        self.client = client
        self.options = options
        self.price = price
        self.failures: dict[str, tuple[Reason, str]] = {}
        self._flights: dict[str, asyncio.Event] = {}
        self._replied = False  # some call brought a reply
        self._refusals: Counter[str] = Counter()  # of sound, by their words
        self._replies = ReplyCache(options.cache) if options.cache and not client.ordered else None
        self.asker = Asker(client, options, price, self.concurrency, self.read, self.repair)

    # --- what a judge says of itself -----------------------------------------------------

    @abstractmethod
    def read(self, text: str) -> T:
        """A reply's text -> an answer.

        Raises:
            ReplyError: it holds none that can be used.
        """

    @abstractmethod
    def repair(
        self, messages: tuple[Message, ...], reply: str | None, problem: str
    ) -> tuple[Message, ...]:
        """The messages of the second chance."""

    @abstractmethod
    def calls(self, case: Any) -> list[Call]:
        """Every question that this case needs, in the order of its opinions."""

    @property
    @abstractmethod
    def prompt_sha256(self) -> str:
        """Identity of all texts that are sent with every item."""

    @property
    @abstractmethod
    def static_messages(self) -> Sequence[Message]:
        """What is sent with every item, to size the context it needs."""

    def lacking(self, case: Any) -> str | None:
        """Why nothing is sent for a case; None: it can be judged."""
        return None

    # --- what they share ----------------------------------------------------------------

    @property
    def uses(self) -> frozenset[str]:  # type: ignore[override]
        """Options that mean something to this judge or to its client."""
        return self.asks_with | self.client.uses

    @property
    def budget(self) -> Budget:
        """Money spent so far."""
        return self.asker.budget

    @property
    def concurrency(self) -> int:
        """Cases in flight; calls in flight have the same bound."""
        if self.client.ordered:
            return 1
        return self.options.concurrency or self.client.usual_concurrency

    def parameters(self) -> dict[str, JsonValue]:
        """What decides the judgements. Equal for equal options; see :meth:`observed`.

        Made from the options themselves: one that decides cannot be left out.
        """
        return {
            "model": self.client.model,
            "server": self.client.server,
            **self.client.parameters(),
            "prompt": self.prompt_sha256,
            **self.options.deciding(self.asks_with),
        }

    def observed(self) -> dict[str, JsonValue]:
        """What turned out during the run: the server's ways, the load it took, the cost."""
        limiter = self.asker.caller.limiter
        return {
            **self.client.observed(),
            "calls_in_flight_at_most": int(limiter.limit),
            "price": self.price.model_dump(mode="json") if self.price else None,
            "spent_usd": self.budget.spent if self.price else None,
            "possibly_spent_usd": self.budget.unsure if self.price else None,
        }

    def activity(self) -> Activity:
        """Calls in flight, and what has been spent."""
        cost = self.budget.spent + self.budget.unsure if self.price else None
        return Activity(self.asker.caller.limiter.in_flight, cost)

    def call(
        self,
        item: str,
        order: Order,
        sample: int,
        messages: tuple[Message, ...],
        schema: Mapping[str, JsonValue],
    ) -> Call:
        """One question, with the key under which its reply is kept."""
        options = self.options
        request = Request(
            messages=messages,
            schema=schema,
            seed=options.seed + sample,
            temperature=options.sampling_temperature,
            max_tokens=options.reply_tokens,
            top_p=options.top_p,
            top_k=options.top_k,
            unsent=options.unsent,
            about=(item, order),
        )
        asked: dict[str, JsonValue] = {
            "messages": [message.record() for message in request.messages],
            "schema": dict(schema),
            "seed": request.seed,
            "temperature": float(request.temperature),
            "max_tokens": request.max_tokens,
            "sample": sample,
            "client": self.client.parameters(),
        }
        if request.top_p is not None:
            asked["top_p"] = request.top_p
        if request.top_k is not None:
            asked["top_k"] = request.top_k
        if request.unsent:
            asked["unsent"] = [*sorted(request.unsent)]
        key = reply_key(self.client.server, self.client.model, asked)
        return Call(item, order, sample, key, request)

    def calls_to_make(self, case: Any) -> Iterator[tuple[Call, bool]]:
        """(call, whether its reply is kept already) of a case that lacks nothing."""
        for call in self.calls(case):
            yield call, self.stored(call) is not None

    def requests(self, calls: Sequence[Call]) -> Iterator[Sequence[Call]]:
        """Calls of one case as they would be sent: each is a request of its own."""
        return ((call,) for call in calls)

    def stored(self, call: Call) -> StoredReply | None:
        """The cached reply of a call, if it can still be read."""
        kept = self._replies.get(call.key) if self._replies else None
        if kept:
            try:
                self.read(kept.text)
            except ReplyError:
                return None
        return kept

    def keep(self, key: str, reply: StoredReply) -> None:
        """Put a usable reply into the cache."""
        if self._replies:
            self._replies.put(key, reply)

    async def answers(self, calls: Sequence[Call]) -> list[CallOutcome[T]]:
        """What became of each call, in their order."""
        if self.client.ordered:
            return [await self.answer(call) for call in calls]
        return await together(self.answer(call) for call in calls)

    async def answers_together(self, calls: Sequence[Call]) -> list[CallOutcome[T]]:
        """The same for samples of one question: those not kept are asked for in one request."""
        made: dict[str, CallOutcome[T]] = {}
        if self.client.takes_choices:
            made = await self._asked_together(calls)
        return await together(
            _ready(made[call.key]) if call.key in made else self.answer(call) for call in calls
        )

    async def _asked_together(self, calls: Sequence[Call]) -> dict[str, CallOutcome[T]]:
        """Key -> outcome of the calls that could be made in one request.

        A call that somebody else is making just now is left out, not waited for: two runs that
        hold a part of each other's calls would wait for ever.
        """
        with ExitStack() as held:
            mine = [call for call in calls if not self._at_hand(call) and self._take(call, held)]
            if len(mine) < 2:
                return {}
            outcomes = await self.asker.ask_together(
                [call.request for call in mine],
                lambda index, answer: self._outcome(mine[index], answer),
            )
            return {call.key: made for call, made in zip(mine, outcomes, strict=True)}

    def _take(self, call: Call, held: ExitStack) -> bool:
        """The right to make a call until ``held`` ends; False: somebody else makes it."""
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
        held.callback(_Renewal(self._replies, call.key, owner).cancel)
        return True

    async def answer(self, call: Call) -> CallOutcome[T]:
        """The kept reply of a call, else the model's.

        Equal calls at the same time are one: the others wait for its reply to be kept.
        """
        if self._replies is None:
            return await self._answer(call)
        while flight := self._flights.get(call.key):
            await flight.wait()
        self._flights[call.key] = asyncio.Event()
        try:
            return await self._answer(call)
        finally:
            self._flights.pop(call.key).set()

    def _at_hand(self, call: Call) -> CallOutcome[T] | None:
        """What can be said without sending anything: the kept reply, or why nothing is sent."""
        kept = self._replies.get(call.key) if self._replies else None
        if kept and (replayed := self._replayed(kept)):
            return replayed
        if self.options.offline:
            reason, detail = self.failures.get(
                call.key, (Reason.UNREACHABLE, "no reply of this call was kept")
            )
            return CallOutcome(reason=reason, detail=detail)
        if too_large := self._too_large(call):
            return CallOutcome(reason=Reason.TOO_LARGE, detail=too_large)
        return None

    async def _answer(self, call: Call) -> CallOutcome[T]:
        if at_hand := self._at_hand(call):
            return at_hand
        if self._replies is None:
            return await self._asked(call)
        owner = new_owner()
        while not self._replies.lease(call.key, owner):  # another run asks the same just now
            await asyncio.sleep(LEASE_POLL_S)
            kept = self._replies.get(call.key)
            if kept and (replayed := self._replayed(kept)):
                return replayed
        renewing = _Renewal(self._replies, call.key, owner)
        try:
            # It may have come between looking and leasing.
            kept = self._replies.get(call.key)
            return (self._replayed(kept) if kept else None) or await self._asked(call)
        finally:
            renewing.cancel()
            self._replies.release(call.key, owner)

    async def _asked(self, call: Call) -> CallOutcome[T]:
        """The model's reply, kept if it can be used."""
        try:
            return self._outcome(call, await self.asker.ask(call.request))
        except NoAnswer as failed:
            return self._outcome(call, failed)

    def _outcome(self, call: Call, answer: Answered[T] | NoAnswer) -> CallOutcome[T]:
        """What became of a call; a reply that can be used is kept."""
        seed = answer.seed if answer.seed != call.request.seed else None
        if isinstance(answer, NoAnswer):
            self._check_going_on(call, answer)
            return CallOutcome(
                reason=answer.reason,
                detail=answer.detail,
                raw=_bounded(answer.raw),
                repaired=answer.repaired,
                seconds=answer.seconds,
                usage=answer.usage,
                seed=seed,
                choice=answer.choice,
            )
        self._replied = True
        stored = StoredReply.of(answer.reply.text, answer.reply.tokens, answer.repaired)
        self.keep(call.key, stored.model_copy(update={"seed": seed, "choice": answer.choice}))
        return CallOutcome(
            value=answer.value,
            raw=_bounded(answer.reply.text),
            repaired=answer.repaired,
            seconds=answer.seconds,
            usage=answer.usage,
            seed=seed,
            choice=answer.choice,
        )

    def _check_going_on(self, call: Call, answer: NoAnswer) -> None:
        """Notice that no other call would bring an answer either.

        Raises:
            JudgeUnreachable: nobody listens at the address, or the model takes no sound.
        """
        if answer.unreachable:
            raise JudgeUnreachable(
                f"judge {self.spec}: {answer.detail}; stopped here, because nobody answered any"
                " attempt: the same command continues"
            ) from None
        if answer.raw is not None:
            self._replied = True
        if self._replied or answer.reason is not Reason.REFUSED or not call.request.audio_s:
            return
        self._refusals[answer.detail] += 1
        count = self._refusals[answer.detail]
        if count >= (DEAF_AFTER if answer.deaf else ALIKE_AFTER):
            raise JudgeUnreachable(
                f"judge {self.spec}: {answer.detail}; stopped after {count} equal"
                " refusals of sound, because nothing was answered before; ask what it hears with"
                " trace-eval doctor --judge; the same command continues"
            ) from None

    def _too_large(self, call: Call) -> str | None:
        """Why no server would take a call; its body is not made for it."""
        limit = self.options.max_request_mb * 1e6
        size = sum(message.body_bytes for message in call.request.messages)
        if size <= limit:
            return None
        return (
            f"a request would have {size / 1e6:.1f} MB, and at most {limit / 1e6:g} are sent; use"
            " -J audio_rate=16000, fewer -J shots, -J audio_format=mp3, or raise -J max_request_mb"
            " if the server takes more"
        )

    def _replayed(self, kept: StoredReply) -> CallOutcome[T] | None:
        try:
            value = self.read(kept.text)
        except ReplyError:
            return None
        # A batch's replies were bought for this run; other kept ones cost nothing now.
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

    async def close(self) -> None:
        """Release connections and the reply cache."""
        await self.client.close()
        if self._replies:
            self._replies.close()


async def _ready(outcome: CallOutcome[T]) -> CallOutcome[T]:
    return outcome


def _bounded(raw: str | None) -> str | None:
    if raw is None or len(raw) <= MAX_RAW_CHARS:
        return raw
    return raw[:MAX_RAW_CHARS] + f"… [{len(raw) - MAX_RAW_CHARS} characters left out]"
