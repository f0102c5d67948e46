"""Judging one pair, and the blueprint of one recording, in this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blueprints import Blueprint, UserError
from trace_eval.api.python_words import python_words
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.pairs import Pair
from trace_eval.data.policies import any_policy
from trace_eval.data.records import pair_from_record
from trace_eval.extracting.event_loop import complete
from trace_eval.extracting.start import engine_of, extract
from trace_eval.judges.registry.create import panel_of
from trace_eval.options import ExtractOptions, Options
from trace_eval.runs.fuse import check_policy, fuse
from trace_eval.runs.pipeline import Pipeline, load_model, plan_for


@dataclass(frozen=True)
class Result:
    """One judged pair."""

    pair: Pair
    judgement: Judgement
    fused: Overall

    @property
    def overall(self) -> str | None:
        """The overall rating; None when the pair is unscored."""
        return self.fused.rating

    @property
    def why(self) -> str:
        """The policy's reason for the overall rating, or why there is none."""
        return self.fused.why

    def _repr_html_(self) -> str:
        from trace_eval.runs.notebook import result_html

        return result_html(self.judgement, self.fused)


def blueprint(source: Path | str | bytes, options: ExtractOptions | None = None) -> Blueprint:
    """The blueprint of one recording, made in this process.

    Raises:
        UserError: the recording cannot be decoded.
    """
    options = options or ExtractOptions(workers=0)
    (result,) = extract([source], options)
    if result.blueprint is None:
        raise UserError(result.error or "no blueprint")
    return result.blueprint


@python_words()
def judge_pair(pair: Pair | Mapping[str, Any], options: Options | None = None) -> Result:
    """Judge one pair in this process, without a run folder.

    Args:
        pair: itself, or a dict in any layout of a manifest; its relative paths count from here.
        options: how.

    Raises:
        UserError: the dict is no pair.
    """
    if not isinstance(pair, Pair):
        pair = pair_from_record({"id": "1", **pair}, Path.cwd())
    options = options or Options(extract=ExtractOptions(workers=0))
    policy = any_policy(options.policy)
    judge = panel_of(options.judges, (), options.judging)
    check_policy(policy, judge.judges[0])
    plan = plan_for(judge, options.extract, [pair])
    load_model(judge)

    async def work() -> Judgement:
        engine = engine_of(options.extract, plan, 1)
        try:
            (judgement,) = await Pipeline(engine, judge).judge(pair)
            assert isinstance(judgement, Judgement)
            return judgement
        finally:
            await engine.close()
            await judge.close()

    judgement = complete(work())
    return Result(pair, judgement, fuse(judgement, policy))
