"""Judges over clients of a test's own, and their outcomes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.ask.base import ChatClient
from trace_eval.judges.ask.calls import Backend
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.prices import Price
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.score import ScoreForm
from trace_eval.judges.registry.kinds import compares, view_of
from trace_eval.judges.views.answer.audio import AudioView


def judged(judge: Judge, cases: Iterable[Case], at_once: bool = False) -> list[Any]:
    """The outcomes of cases, one after the other or all at once; then the judge is closed."""

    async def main() -> list[Any]:
        try:
            if at_once:
                return await asyncio.gather(*map(judge.judge, cases))
            return [await judge.judge(one) for one in cases]
        finally:
            await judge.close()

    return asyncio.run(main())


def reading_judge(
    spec: str, client: ChatClient, options: JudgeOptions, price: Price | None = None
) -> LLMJudge:
    """A judge of pairs that reads blueprints."""
    return compares(Backend(spec, client, price), options)


def listening_judge(
    spec: str, client: ChatClient, options: JudgeOptions, price: Price | None = None
) -> LLMJudge:
    """A judge of pairs that listens and is asked the task of the options."""
    return compares(Backend(spec, client, price), options, listens=True)


def scoring_judge(
    spec: str,
    client: ChatClient,
    options: JudgeOptions,
    price: Price | None,
    rubric: ScoreRubric,
    heard: AudioView | None = None,
) -> LLMJudge:
    """A judge of single answers, which reads them, or hears them where that is given."""
    form = ScoreForm(rubric, options, listens=heard is not None)
    return LLMJudge(form, heard or view_of(rubric, options), Backend(spec, client, price))
