"""Judges over clients of a test's own, and their outcomes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.ask.base import ChatClient, Reply, Request
from trace_eval.judges.ask.calls import Backend
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.prices import Price
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.score import ScoreForm
from trace_eval.judges.registry.kinds import compares, view_of
from trace_eval.judges.views.answer.audio import AudioView


def judged(judge: Judge, cases: Iterable[Case], at_once: bool = False) -> list[Any]:
    """Judge cases, one after the other or all at once; then close the judge."""
    return judged_by([judge], cases, at_once)


def judged_by(
    judges: Sequence[Judge], cases: Iterable[Case], at_once: bool = True
) -> list[Any]:
    """Judge all cases by each of the judges, which are then closed."""

    async def main() -> list[Any]:
        asked = [(judge, one) for one in cases for judge in judges]
        try:
            async with asyncio.timeout(600):  # a test that waits for ever fails
                if at_once:
                    return await asyncio.gather(
                        *(judge.judge(one) for judge, one in asked)
                    )
                return [await judge.judge(one) for judge, one in asked]
        finally:
            for judge in judges:
                await judge.close()

    return asyncio.run(main())


def replied(client: ChatClient, request: Request) -> Reply:
    """Return a client's reply to a request; then close it."""

    async def main() -> Reply:
        try:
            return await client.chat(request)
        finally:
            await client.close()

    return asyncio.run(main())


def unasked(**chosen: Any) -> JudgeOptions:
    """Options of a server that is never asked."""
    return JudgeOptions(base_url="http://127.0.0.1:9/v1", **chosen)


def reading_judge(
    spec: str, client: ChatClient, options: JudgeOptions, price: Price | None = None
) -> LLMJudge:
    """Make a judge of pairs that reads blueprints."""
    return compares(Backend(spec, client, price), options)


def listening_judge(
    spec: str, client: ChatClient, options: JudgeOptions, price: Price | None = None
) -> LLMJudge:
    """Make a judge of pairs that listens and is asked the task of the options."""
    return compares(Backend(spec, client, price), options, listens=True)


def scoring_judge(
    spec: str,
    client: ChatClient,
    *,
    options: JudgeOptions,
    price: Price | None,
    rubric: ScoreRubric,
    heard: AudioView | None = None,
) -> LLMJudge:
    """Make a judge of single answers, which reads or, with ``heard``, hears them."""
    form = ScoreForm(rubric, options, listens=heard is not None)
    return LLMJudge(
        form, heard or view_of(rubric, options), Backend(spec, client, price)
    )
