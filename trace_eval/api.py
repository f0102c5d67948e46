"""What the commands and the library's users call: extract, judge, fuse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from blueprints import Blueprint, UserError
from extractors.base import Extractor
from extractors.registry import plan as plan_extractors
from trace_eval.engine import LocalEngine, Plan, cores
from trace_eval.extraction import Extracted, Source
from trace_eval.fuse import fuse
from trace_eval.judgement import Judgement, Overall
from trace_eval.judges.registry import create_judge
from trace_eval.options import ExtractOptions, Options
from trace_eval.pairs import Pair, Recording
from trace_eval.pipeline import Pipeline, source_of
from trace_eval.policies import load_policy


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
        """How the policy came to it, or why there is none."""
        return self.fused.why


def extractors_of(options: ExtractOptions) -> list[Extractor]:
    """The extractors of a profile with the user's overrides, in dependency order.

    Raises:
        UserError: a name is unknown, or a language is given that no recogniser here takes.
    """
    settings = {"device": options.device, "language": options.language}
    plan = plan_extractors(options.profile, options.overrides, settings)
    if options.language and not any(hasattr(extractor, "language") for extractor in plan):
        raise UserError(
            f"language {options.language!r}: no extractor of this plan takes a language; use"
            " --asr whisper:NAME"
        )
    return plan


def engine_of(options: ExtractOptions, plan: Sequence[Extractor], clips: int) -> LocalEngine:
    """The engine for about so many clips; call it inside a running event loop."""
    workers = min(_processes(plan, options), max(1, clips))
    if options.workers is not None:
        workers = options.workers
    return LocalEngine(
        Plan(tuple(plan), options.cache, options.max_seconds, options.one_model_at_a_time), workers
    )


def _processes(plan: Sequence[Extractor], options: ExtractOptions) -> int:
    """One process per core; one in all where models run on a GPU, which holds them once."""
    if options.device == "cpu" or not any(e.runs_on == "gpu" for e in plan):
        return cores()
    from extractors.device import gpu_count

    return 1 if gpu_count() else cores()


def extract(
    sources: Sequence[Path | str | bytes],
    options: ExtractOptions | None = None,
    listener: Callable[[Extracted], None] | None = None,
) -> list[Extracted]:
    """Blueprints of some recordings, in their order; a bad one is an error in its place."""
    options = options or ExtractOptions()
    plan = extractors_of(options)
    return asyncio.run(_extract_all([_source(s) for s in sources], options, plan, listener))


def _source(content: Path | str | bytes) -> Source:
    recording = Recording(data=content) if isinstance(content, bytes) else Recording(audio=content)
    return source_of(recording)


async def _extract_all(
    sources: Sequence[Source],
    options: ExtractOptions,
    plan: Sequence[Extractor],
    listener: Callable[[Extracted], None] | None,
) -> list[Extracted]:
    engine = engine_of(options, plan, len(sources))

    async def one(source: Source) -> Extracted:
        found = await engine.extract(source)
        if listener:
            listener(found)
        return found

    try:
        return await asyncio.gather(*(one(source) for source in sources))
    finally:
        await engine.close()


def blueprint(source: Path | str | bytes, options: ExtractOptions | None = None) -> Blueprint:
    """The blueprint of one recording, made in this process.

    Raises:
        UserError: the recording cannot be decoded.
    """
    options = options or ExtractOptions(workers=0)
    (found,) = extract([source], options)
    if found.blueprint is None:
        raise UserError(found.error or "no blueprint")
    return found.blueprint


def judge_pair(pair: Pair, options: Options | None = None) -> Result:
    """Judge one pair in this process, without a run folder."""
    options = options or Options(extract=ExtractOptions(workers=0))
    policy = load_policy(options.policy)
    judge = create_judge(options.judge, options.judging)
    plan = extractors_of(options.extract)

    async def work() -> Judgement:
        engine = engine_of(options.extract, plan, 1)
        try:
            return await Pipeline(engine, judge).judge(pair)
        finally:
            await engine.close()
            await judge.close()

    judgement = asyncio.run(work())
    return Result(pair, judgement, fuse(judgement, policy))
