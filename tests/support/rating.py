"""Items, rubrics and judges for the tests of ratings."""

from __future__ import annotations

import asyncio
from typing import Any

from blueprints import Blueprint
from tests.support.cases import blueprint
from tests.support.llm_judges import scoring_judge
from trace_eval.data.items import Single
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import Score
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.prices import FREE
from trace_eval.judges.ask.scripted import ScriptedClient
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions


def single(candidate: str | None = "It leans south.", **fields: Any) -> Single:
    """Return a written answer with a question and a reference; None: a recording."""
    answer = {"audio": "/sys_alpha/a.wav"} if candidate is None else {"text": candidate}
    return Single.model_validate(
        {
            "id": "i1",
            "question_id": "q1",
            "instruction": {"text": "Which way does it lean?"},
            "reference": ["South"],
            "answer": answer,
            "system": "SYSTEM-ALPHA",
            "labels": {"scores": {"ann": 2}, "feedback": {"ann": ["LABEL-SECRET"]}},
            **fields,
        }
    )


def case_of(item: Single | None = None, **blueprints: Blueprint) -> Case:
    """Return a case; a spoken answer has a blueprint unless told."""
    item = item or single()
    if item.answer.has_audio and not blueprints:
        blueprints = {"answer": blueprint()}
    return Case(item, blueprints)


def scripted(
    replies: list[Any], rubric: str | ScoreRubric = "correctness", **options: Any
) -> LLMJudge:
    """Make a rating judge over a script."""
    chosen = JudgeOptions(backoff_s=0, retries=0, **options)
    what = load_rubric(rubric) if isinstance(rubric, str) else rubric
    return scoring_judge(
        "scripted:x", ScriptedClient(replies), options=chosen, price=FREE, rubric=what
    )


def say(score: Any, reasoning: str = "because") -> dict[str, Any]:
    """Write a reply."""
    return {"reasoning": reasoning, "score": score}


def rate(judge: LLMJudge, case: Case | None = None) -> Score:
    """Return the score of one case."""
    return asyncio.run(judge.judge(case or case_of()))
