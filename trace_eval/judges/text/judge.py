"""The text-LLM judge: TRACE's second stage (Textual Reasoning over Audio Cues for Evaluation).

It shows a model the two blueprints in one or both orders, one or more times each, reads a
rating per dimension from every reply, and reconciles them. The model never gives an
overall rating; that is the policy's work.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from blueprints import Absent, UserError
from trace_eval.data.judgement import Judgement, Opinion, Order, Reason
from trace_eval.data.pairs import Pair
from trace_eval.judges.base import Activity, Case
from trace_eval.judges.chat.ask import Asker, NothingHeard
from trace_eval.judges.chat.base import ChatClient, Request
from trace_eval.judges.chat.prices import Budget, Price, usage_of
from trace_eval.judges.chat.replies import ReplyCache, StoredReply, reply_key
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.parse import ParseError, Verdicts, parse_reply
from trace_eval.judges.reconcile import judgement_of, swap_back
from trace_eval.judges.schema import reply_schema
from trace_eval.judges.text.prompt import ABOUT_THE_CLIP, Message, PromptPack

#: Longest raw reply that a judgement keeps, characters.
MAX_RAW_CHARS = 65_536


@dataclass(frozen=True)
class Call:
    """One question to the model, and the key of its answer in the reply cache."""

    pair: str
    order: Order
    sample: int
    key: str
    request: Request


class LLMJudge:
    """A judge over one chat client. One instance serves a whole run, concurrently.

    Args:
        spec: what the user typed, e.g. ``openai:gpt-4.1-mini``.
        client: makes single calls.
        options: everything that can be chosen.
        price: what calls cost; None: unknown, and then there can be no ``max_cost``.

    Attributes:
        failures: reply key -> why a batch has no reply for it (see ``judges.batch``).

    Raises:
        UserError: the template or the reply cache cannot be used, ``max_cost`` is set without
            a known price, or ``offline`` without a cache.
    """

    def __init__(
        self, spec: str, client: ChatClient, options: JudgeOptions, price: Price | None = None
    ) -> None:
        if options.max_cost is not None and price is None:
            raise UserError(
                f"max_cost: no price is known for {client.model!r} at {client.server}; add it to"
                " a table and name that with --prices (see docs/judges.md)"
            )
        if options.offline and not options.cache:
            raise UserError("offline: there is no reply cache to answer from; name one")
        self.spec = spec
        self.client = client
        self.options = options
        self.price = price
        self.prompts = PromptPack(options)
        self.failures: dict[str, tuple[Reason, str]] = {}
        self._schema = reply_schema(options.elicitation)
        self._replies = ReplyCache(options.cache) if options.cache and not client.ordered else None
        self.asker = Asker(client, self.prompts, options, price, self.concurrency)

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
        """What decides the judgements. Equal for equal options; see :meth:`observed`."""
        options = self.options
        return {
            "model": self.client.model,
            "server": self.client.server,
            **self.client.parameters(),
            "prompt": self.prompts.sha256,
            "mode": options.mode,
            "rendering": options.rendering,
            "drop": [*sorted(options.drop)],
            "elicitation": options.elicitation,
            "swap": options.swap,
            "samples": options.samples,
            "temperature": options.sampling_temperature,
            "seed": options.seed,
            "max_tokens": options.max_tokens,
            "repair": options.repair,
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

    def needs_instruction(self, pair: Pair) -> bool:
        """In mode transcript a spoken instruction matters only where it is not written."""
        return self.options.mode == "blueprint" or not pair.instruction.text

    def orders(self, pair: str) -> tuple[Order, ...]:
        """The orders in which a pair is shown; ``random`` is decided by seed and pair."""
        if self.options.swap == "both":
            return ("ab", "ba")
        if self.options.swap == "off":
            return ("ab",)
        coin = hashlib.sha256(f"{self.options.seed}\x00{pair}".encode("utf-8", "replace")).digest()
        return ("ab",) if coin[0] % 2 == 0 else ("ba",)

    def calls(self, case: Case) -> list[Call]:
        """Every question that this case needs, in the order of its opinions."""
        evidence = self.prompts.evidence(case)
        return [
            self._call(case.pair.id, order, sample, self.prompts.messages(evidence, order))
            for order in self.orders(case.pair.id)
            for sample in range(self.options.samples)
        ]

    def _call(self, pair: str, order: Order, sample: int, messages: tuple[Message, ...]) -> Call:
        options = self.options
        request = Request(
            messages=messages,
            schema=self._schema,
            seed=options.seed + sample,
            temperature=options.sampling_temperature,
            max_tokens=options.max_tokens,
            about=(pair, order),
        )
        asked: dict[str, JsonValue] = {
            "messages": [[message.role, message.content] for message in request.messages],
            "schema": self._schema,
            "seed": request.seed,
            "temperature": float(request.temperature),
            "max_tokens": request.max_tokens,
            "sample": sample,
            "client": self.client.parameters(),
        }
        return Call(
            pair, order, sample, reply_key(self.client.server, self.client.model, asked), request
        )

    async def judge(self, case: Case) -> Judgement:
        """Judge one case. Nothing is sent where our own tools left no transcript."""
        if lacking := self.lacking(case):
            return Judgement.unscored(case.pair.id, self.spec, Reason.EVIDENCE_MISSING, lacking)
        calls = self.calls(case)
        opinions = await self._opinions(calls)
        return judgement_of(case.pair.id, self.spec, self.orders(case.pair.id), opinions)

    async def _opinions(self, calls: Sequence[Call]) -> list[Opinion]:
        if self.client.ordered:
            return [await self._opinion(call) for call in calls]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._opinion(call)) for call in calls]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

    def lacking(self, case: Case) -> str | None:
        """Why the case cannot be judged: an absence that says nothing about the answer."""
        if "transcript" in self.options.drop:
            return None
        for side, blueprint in (("A", case.a), ("B", case.b)):
            heard = blueprint.transcript
            if isinstance(heard, Absent) and heard.status not in ABOUT_THE_CLIP:
                return f"answer {side} has no transcript ({heard.status}): {heard.reason}"
        if case.pair.instruction.has_audio and case.instruction_text is None:
            asked = case.instruction.transcript if case.instruction else None
            if asked is None or (isinstance(asked, Absent) and asked.status not in ABOUT_THE_CLIP):
                return "the instruction is spoken, and there is no transcript of it"
        return None

    def stored(self, call: Call) -> StoredReply | None:
        """The cached reply of a call, if it still parses."""
        found = self._replies.get(call.key) if self._replies else None
        if found:
            try:
                parse_reply(found.text, self.options.elicitation)
            except ParseError:
                return None
        return found

    def keep(self, key: str, reply: StoredReply) -> None:
        """Put a usable reply into the cache."""
        if self._replies:
            self._replies.put(key, reply)

    async def _opinion(self, call: Call) -> Opinion:
        blank = Opinion(order=call.order, sample=call.sample, seed=call.request.seed)
        if found := self.stored(call):
            return self._replayed(call, blank, found)
        if self.options.offline:
            told = "no reply of this call was kept"
            reason, detail = self.failures.get(call.key, (Reason.UNREACHABLE, told))
            return blank.model_copy(update={"reason": reason, "detail": detail})
        try:
            heard = await self.asker.ask(call.request)
        except NothingHeard as failed:
            return blank.model_copy(
                update={
                    "reason": failed.reason,
                    "detail": failed.detail,
                    "raw": _bounded(failed.raw),
                    "repaired": failed.repaired,
                    "seconds": failed.seconds,
                    "usage": failed.usage,
                }
            )
        tokens = heard.reply.tokens
        self.keep(
            call.key,
            StoredReply(
                text=heard.reply.text,
                repaired=heard.repaired,
                input_tokens=tokens.input,
                output_tokens=tokens.output,
                cached_tokens=tokens.cached,
            ),
        )
        return blank.model_copy(
            update={
                **self._said(call, heard.verdicts),
                "raw": _bounded(heard.reply.text),
                "repaired": heard.repaired,
                "seconds": heard.seconds,
                "usage": heard.usage,
            }
        )

    def _replayed(self, call: Call, blank: Opinion, found: StoredReply) -> Opinion:
        # A batch's replies were bought for this run; other kept ones cost nothing now.
        bought = found.batch and self.options.offline
        return blank.model_copy(
            update={
                **self._said(call, parse_reply(found.text, self.options.elicitation)),
                "raw": _bounded(found.text),
                "repaired": found.repaired,
                "cached": not bought,
                "usage": usage_of(found.tokens, self.price, batch=found.batch),
            }
        )

    def _said(self, call: Call, verdicts: Verdicts) -> dict[str, object]:
        ratings = swap_back(verdicts.ratings, call.order)
        return {"ratings": ratings, "reasoning": verdicts.reasoning}

    async def close(self) -> None:
        """Release connections and the reply cache."""
        await self.client.close()
        if self._replies:
            self._replies.close()


def _bounded(raw: str | None) -> str | None:
    if raw is None or len(raw) <= MAX_RAW_CHARS:
        return raw
    return raw[:MAX_RAW_CHARS] + f"… [{len(raw) - MAX_RAW_CHARS} characters left out]"
