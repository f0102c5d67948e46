"""Judging one pair, and the blueprint of one recording, in this process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blueprints import Blueprint, InputError
from trace_eval.api.python_words import python_words
from trace_eval.data.items import Item, Pair
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.outcome import Outcome
from trace_eval.data.policies import any_policy
from trace_eval.data.records import pair_from_record
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.extracting.engine import Engine
from trace_eval.extracting.event_loop import complete
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import engine_of, extract
from trace_eval.judges.registry.create import panel_of
from trace_eval.runs.fuse import check_policy, fuse
from trace_eval.runs.options import Options
from trace_eval.runs.pipeline import Pipeline, load_model, plan_for
from trace_eval.runs.table import result_html


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
        return result_html(self.judgement, self.fused)


def blueprint(
    source: Path | str | bytes, options: ExtractOptions | None = None
) -> Blueprint:
    """Make the blueprint of one recording in this process.

    Raises:
        UserError: the recording cannot be decoded.
    """
    options = options or ExtractOptions(workers=0)
    (result,) = extract([source], options)
    if result.blueprint is None:
        raise InputError(result.error or "no blueprint")
    return result.blueprint


class ItemJudge:
    """A judge, with its extraction, for items that come one by one, without a run."""

    def __init__(self, options: Options) -> None:
        rubrics = list(map(load_rubric, options.rubrics))
        self._extract = options.extract
        self._panel = panel_of(options.judges, rubrics, options.judging)
        self.policy = any_policy(options.policy)
        if not rubrics:
            check_policy(self.policy, self._panel.judges[0])
        load_model(self._panel)
        self._engines: list[Engine] = []
        self._pipelines: dict[bool, Pipeline] = {}

    async def outcome(self, item: Item) -> Outcome:
        """Return the judge's outcome for an item.

        The first item with sound, and the first without, decide which extractors run.
        """
        sounds = bool(self._panel.roles(item))
        if sounds not in self._pipelines:
            plan = plan_for(self._panel, self._extract, [item])
            self._engines.append(engine_of(self._extract, plan, 1))
            self._pipelines[sounds] = Pipeline(self._engines[-1], self._panel)
        (outcome,) = await self._pipelines[sounds].judge(item)
        return outcome

    async def close(self) -> None:
        """Stop the extraction, and the judge's connections."""
        for engine in self._engines:
            await engine.close()
        await self._panel.close()


@python_words
def judge_pair(
    pair: Pair | Mapping[str, Any], options: Options | None = None
) -> Result:
    """Judge one pair in this process, without a run folder.

    Args:
        pair: itself, or a dict in any layout of a manifest; its relative paths count
            from here.
        options: how.

    Raises:
        UserError: the dict is no pair.
    """
    if not isinstance(pair, Pair):
        pair = pair_from_record({"id": "1", **pair}, Path.cwd())
    judging = ItemJudge(options or Options(extract=ExtractOptions(workers=0)))

    async def work() -> Outcome:
        try:
            return await judging.outcome(pair)
        finally:
            await judging.close()

    judgement = complete(work)
    assert isinstance(judgement, Judgement)
    return Result(pair, judgement, fuse(judgement, judging.policy))
