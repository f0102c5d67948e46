"""Scorers of spoken answers for tasks of Inspect (``inspect_ai``).

    from trace_eval.api.inspect_scorers import preferred, rated

    Task(dataset, scorer=[rated("correctness"), preferred(baseline="old_answer")])

An answer is the text, the sound, or both of a model's last message. What cannot be
scored is unscored in Inspect, too, with the reason, and counts in no mean.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from blueprints import UserError
from trace_eval.api.one_pair import ItemJudge
from trace_eval.data.inspect_logs import record_of
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Outcome
from trace_eval.data.records import pair_from_record
from trace_eval.data.scores import Score as OurScore
from trace_eval.data.settings import with_settings
from trace_eval.data.singles import single_from_record
from trace_eval.runs.fuse import fuse
from trace_eval.runs.options import DEFAULT_JUDGE, DEFAULT_RATERS, Options

#: Rating of the answer, shown as A -> its value; a tie of any type is a half.
_VALUES = {"1": 1.0, "2": 0.0}


@scorer(metrics=[mean(), stderr()])
def rated(rubric: str, judge: str = DEFAULT_RATERS[0], **settings: Any) -> Scorer:
    """Score answers by one rubric, on its scale, with the sample's target as reference.

    Args:
        rubric: name of a shipped rubric, or a file.
        judge: spec of a judge of single answers, e.g. ``openai:gpt-4.1-mini``.
        settings: as of :func:`trace_eval.rate`, e.g. ``samples=3``.

    Raises:
        UserError: a name or an option is unknown.
    """
    options = Options(judge=judge, rubrics=(rubric,))
    judging = ItemJudge(with_settings(options, {"workers": 0, **settings}))

    async def score(state: TaskState, target: Target) -> Score:
        try:
            record = {
                "id": _name(state),
                **record_of(state.input, state.output, target),
            }
            outcome = await judging.outcome(single_from_record(record, Path.cwd()))
        except UserError as error:
            return _unscored(state, str(error))
        assert isinstance(outcome, OurScore)
        if outcome.value is None:
            return _unscored(state, _reason(outcome))
        reasons = [
            opinion.reasoning for opinion in outcome.opinions if opinion.reasoning
        ]
        return Score(
            value=outcome.value,
            answer=state.output.completion,
            explanation="\n".join(reasons) or None,
            metadata={
                "judge": outcome.judge,
                "rubric": outcome.rubric,
                "sd": outcome.sd,
            },
        )

    return score


@scorer(metrics=[mean(), stderr()])
def preferred(
    baseline: str = "baseline", judge: str = DEFAULT_JUDGE, **settings: Any
) -> Scorer:
    """Compare each answer with another one: 1 for a win, 0 for a loss, 0.5 for a tie.

    Args:
        baseline: key of the sample's metadata with the other answer: the path or URL of
            a recording, or a record of an answer (``{"audio": ..., "text": ...}``).
        judge: spec of a judge of pairs.
        settings: as of :func:`trace_eval.judge`, e.g. ``policy="majority_vote"``.

    Raises:
        UserError: a name or an option is unknown.
    """
    judging = ItemJudge(with_settings(Options(judge=judge), {"workers": 0, **settings}))

    async def score(state: TaskState, target: Target) -> Score:
        other = state.metadata.get(baseline)
        if other is None:
            return _unscored(
                state, f"metadata has no {baseline!r}; name the key with baseline="
            )
        try:
            single = record_of(state.input, state.output, target)
            b = {"audio": other} if isinstance(other, str) else other
            sides = {
                "instruction": single["instruction"],
                "a": single["answer"],
                "b": b,
            }
            pair = pair_from_record({"id": _name(state), **sides}, Path.cwd())
            outcome = await judging.outcome(pair)
        except UserError as error:
            return _unscored(state, str(error))
        assert isinstance(outcome, Judgement)
        fused = fuse(outcome, judging.policy)
        if fused.rating is None:
            return _unscored(state, _reason(outcome))
        # The judge saw the answer as 1.
        whole = f"{fused.why} (1: the answer, 2: the baseline)"
        each = [f"{name}: {one.reasoning}" for name, one in outcome.dimensions.items()]
        return Score(
            value=_VALUES.get(fused.rating, 0.5),
            answer=state.output.completion,
            explanation="\n".join([whole] + each),
            metadata={
                "judge": outcome.judge,
                "rating": fused.rating,
                "policy": judging.policy.name,
            }
            | {name: verdict.rating for name, verdict in outcome.dimensions.items()},
        )

    return score


def _name(state: TaskState) -> str:
    return f"{state.sample_id}-{state.epoch}"


def _reason(outcome: Outcome) -> str:
    return (
        f"{outcome.reason}: {outcome.detail}" if outcome.detail else str(outcome.reason)
    )


def _unscored(state: TaskState, why: str) -> Score:
    return Score.unscored(
        reason="scoring_failed", answer=state.output.completion, explanation=why
    )
