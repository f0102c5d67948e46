"""The one judge over a chat model: ``LLMJudge(form, view, backend)``.

It checks a case's evidence, prepares it, decides whether to ask at all, asks, and makes
one outcome of the replies. Judges differ in their view (what is shown) and their answer
form (how it is read).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from pydantic import JsonValue

from blueprints import UserError
from extractors import AudioError
from trace_eval.data.items import Item
from trace_eval.data.judgement import CheckedClaim
from trace_eval.data.measures.whole import not_the_answer
from trace_eval.data.outcome import Order, Outcome, Reason
from trace_eval.judges.ask.base import Request
from trace_eval.judges.ask.budget import Budget
from trace_eval.judges.ask.calls import Backend, Call, CallOutcome, of_both, together
from trace_eval.judges.ask.message import sent_record
from trace_eval.judges.ask.replies import reply_key
from trace_eval.judges.ask.sender import Sender
from trace_eval.judges.ask.view import (
    AnsweredQuestion,
    AnswerForm,
    Question,
    Replies,
    View,
)
from trace_eval.judges.base import Activity, Case, Judge, refuses
from trace_eval.judges.claims.reasons import checked, in_words, with_claims
from trace_eval.judges.options.groups import ChatOptions, Reasons, names_of


class LLMJudge(Judge):
    """A judge over a chat model. One instance serves a whole run, concurrently."""

    #: Told by a panel, which does not import this module. No part of a judge's interface.
    sends_messages = True

    def __init__(self, form: AnswerForm[Any], view: View, backend: Backend) -> None:
        self.form, self.view = form, view
        self.spec, self.client, self.price = backend
        self.options = view.options
        self.rubric = form.rubric
        self.accepts = frozenset({form.rubric.item})  # type: ignore[misc] # the rubric's
        self.reads = view.reads  # type: ignore[misc] # the view's
        self.takes_conversations = view.takes_conversations  # type: ignore[misc]
        self.sender = Sender(backend, view.options, form.read, view.repair)

    @property
    def uses(self) -> frozenset[str]:  # type: ignore[override]
        """Fields of ``JudgeOptions`` with an effect on this judge or its client."""
        unused = frozenset() if self.client.gives_choices else {"choices"}
        used = names_of(ChatOptions) | self.view.uses | self.client.uses
        return used - unused - self.client.ignores

    @property
    def budget(self) -> Budget:
        """Money spent so far."""
        return self.sender.asker.budget

    @property
    def concurrency(self) -> int:
        return self.sender.concurrency

    def parameters(self) -> dict[str, JsonValue]:
        """Return everything that decides the judgements; equal for equal options.

        Made from the options themselves: one that decides cannot be left out.
        """
        return {
            "model": self.client.model,
            "server": self.client.server,
            **self.client.parameters(),
            "prompt": self.view.sha256,
            **self.options.deciding(names_of(ChatOptions) | self.view.uses),
            **self.form.parameters(),
            **self.view.parameters(),
        }

    def observed(self) -> dict[str, JsonValue]:
        """Return the server's dialect, the load it took, and the cost."""
        limiter = self.sender.asker.caller.limiter
        return {
            **self.client.observed(),
            "calls_in_flight_at_most": int(limiter.limit),
            "price": self.price.model_dump(mode="json") if self.price else None,
            "spent_usd": self.budget.spending.spent if self.price else None,
            "possibly_spent_usd": self.budget.spending.possible if self.price else None,
            **self.view.observed(),
        }

    def activity(self) -> Activity:
        cost = self.budget.committed if self.price else None
        return Activity(self.sender.asker.caller.limiter.in_flight, cost)

    def load(self) -> None:
        """Start the client's server, where it brings one along."""
        self.client.load()

    def roles(self, item: Item) -> list[str]:
        return self.view.roles(item)

    def orders(self, item: Item) -> tuple[Order, ...]:
        """Return the orders in which the answers are shown; a single answer has one."""
        return self.options.orders(item.id) if len(item.answers) > 1 else ("ab",)

    def calls(self, case: Case) -> list[Call]:
        """Return the questions that this case needs, in the order of its opinions."""
        prepared = self.view.prepare(case)
        if self._without_calls(case, prepared):
            return []
        return [call for _, call in self._calls(case, prepared)]

    def calls_to_make(self, case: Case) -> list[tuple[Call, bool]] | None:
        """Return calls and whether each is cached; None for a case without any."""
        try:
            if refuses(self, case.item) or self.view.missing_evidence(case):
                return None
            if not_the_answer(case.item, case.blueprints):
                return None
            calls: list[tuple[Call, bool]] = []
            for call in self.calls(case):
                calls.append((call, self.sender.stored(call) is not None))
            return calls
        except UserError:  # a recording that cannot be decoded
            return None

    def requests(self, calls: Sequence[Call]) -> Iterator[Sequence[Call]]:
        """Group a case's calls as they are sent: one by one, or all of a question."""
        if self.options.choices and self.client.takes_choices:
            return iter(_by_question(calls))
        return ((call,) for call in calls)

    async def judge(self, case: Case) -> Outcome:
        """Judge one case; sends nothing without evidence or where none is needed."""
        if reason := self.view.missing_evidence(case):
            return self.unscored(case.item, Reason.EVIDENCE_MISSING, reason)
        try:
            if "audio" in self.reads:
                prepared = await asyncio.to_thread(self.view.prepare, case)
            else:
                prepared = self.view.prepare(case)
        except AudioError as error:
            return self.unscored(case.item, self.view.reason_of(error), str(error))
        if result := self._without_calls(case, prepared):
            return result
        calls = self._calls(case, prepared)
        outcomes = await self._ask([call for _, call in calls], case)
        sent = {id(question): sent_record(question.messages) for question, _ in calls}
        answered = [
            AnsweredQuestion(question, call, sent[id(question)], outcome)
            for (question, call), outcome in zip(calls, outcomes, strict=True)
        ]
        item, view = case.item, self.view
        caveats, cropped = view.caveats(case, prepared), view.cropped(case, prepared)
        if self.reasons == "retry":
            answered = await self._ask_again(answered, case)
        outcome = self.form.outcome(
            Replies(
                item=item,
                judge=self.spec,
                questions=answered,
                caveats=caveats,
                cropped=cropped,
            )
        )
        return (
            with_claims(outcome, case, self.rubric.scale)
            if self.reasons != "off"
            else outcome
        )

    @property
    def reasons(self) -> Reasons:
        """What becomes of the claims in reasons; only pairs that are read have some."""
        return self.options.reasons if "reasons" in self.view.uses else "off"

    async def _ask_again(
        self, answered: list[AnsweredQuestion[Any]], case: Case
    ) -> list[AnsweredQuestion[Any]]:
        """Ask again where a claim was false; keep the replies with better reasons."""
        if self.client.ordered:
            return [await self._once_more(each, case) for each in answered]
        return await together(self._once_more(each, case) for each in answered)

    async def _once_more(
        self, answered: AnsweredQuestion[Any], case: Case
    ) -> AnsweredQuestion[Any]:
        first = answered.outcome
        untrue = self._untrue(answered, case)
        if not untrue:
            return answered
        problem = (
            f"its reasons state what the evidence does not say: {in_words(untrue)}"
        )
        messages = self.view.repair(answered.question.messages, first.raw, problem)
        question = replace(answered.question, messages=messages)
        call = self._call(case.item.id, question, answered.call.sample)
        second = await self.sender.answer(call)
        usable = second.reason is None
        again = replace(answered, outcome=second)
        better = usable and len(self._untrue(again, case)) < len(untrue)
        return replace(answered, outcome=of_both(first, second, takes_second=better))

    def _untrue(
        self, answered: AnsweredQuestion[Any], case: Case
    ) -> list[CheckedClaim]:
        """Return the claims of a reply that do not hold."""
        opinion = self.form.opinion(answered)
        if opinion is None or answered.outcome.reason is not None:
            return []
        untrue: list[CheckedClaim] = []
        for claim in checked(opinion, case, self.rubric.scale):
            if claim.holds is False:
                untrue.append(claim)
        return untrue

    def _without_calls(self, case: Case, prepared: Any) -> Outcome | None:
        """Return the outcome of a case without a request: an example, or silent."""
        if details := self.view.example_of(case, prepared):
            return self.unscored(case.item, Reason.IS_EXAMPLE, details)
        if reason := self.view.nothing_in(case, prepared):
            return self.form.of_nothing(case.item, self.spec, reason)
        return None

    def _calls(self, case: Case, prepared: Any) -> list[tuple[Question, Call]]:
        calls: list[tuple[Question, Call]] = []
        for question in self.view.questions(case, prepared, self.orders(case.item)):
            for sample in range(self.options.samples):
                calls.append((question, self._call(case.item.id, question, sample)))
        return calls

    async def _ask(self, calls: list[Call], case: Case) -> list[CallOutcome[Any]]:
        if self.options.choices:
            same = _by_question(calls)
            groups = await together(self.sender.answers_together(each) for each in same)
            outcomes = [outcome for group in groups for outcome in group]
        else:
            outcomes = await self.sender.answers(calls)
        explained: list[CallOutcome[Any]] = []
        for outcome in outcomes:
            if outcome.reason in (Reason.PROMPT_CUT, Reason.TOO_LARGE):
                detail = f"{outcome.detail}{self.view.if_cut(case)}"
                outcome = replace(outcome, detail=detail)
            explained.append(outcome)
        return explained

    def _call(self, item: str, question: Question, sample: int) -> Call:
        """Make the call of a question's sample, with the key of its stored reply."""
        options = self.options
        request = Request(
            messages=question.messages,
            schema=self.form.schema,
            seed=options.seed + sample,
            temperature=options.sampling_temperature,
            max_tokens=options.reply_tokens,
            top_p=options.top_p,
            top_k=options.top_k,
            unsent=options.unsent,
            about=(item, question.order),
        )
        requested: dict[str, JsonValue] = {
            "messages": [message.record() for message in request.messages],
            "schema": dict(request.schema),
            "seed": request.seed,
            "temperature": float(request.temperature),
            "max_tokens": request.max_tokens,
            "sample": sample,
            "client": self.client.parameters(),
        }
        # What came later is named only where it is used, so that older caches keep
        # their keys.
        later: dict[str, JsonValue] = {
            "top_p": request.top_p,
            "top_k": request.top_k,
            "unsent": [*sorted(request.unsent)] or None,
        }
        requested |= {name: value for name, value in later.items() if value is not None}
        key = reply_key(self.client.server, self.client.model, requested)
        return Call(
            item=item, order=question.order, sample=sample, key=key, request=request
        )

    async def close(self) -> None:
        await self.client.close()
        self.sender.close()


def _by_question(calls: Sequence[Call]) -> list[list[Call]]:
    """Group calls by question, in order; samples of a question share its messages."""
    return [
        list(same) for _, same in groupby(calls, lambda call: id(call.request.messages))
    ]
