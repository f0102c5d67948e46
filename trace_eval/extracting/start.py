"""How extraction is started: from options to a plan, an engine, and blueprints."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from blueprints import UserError, language_code
from extractors import (
    AUTO,
    NONE,
    PROFILES,
    Extractor,
    another_recogniser,
    gpu_count,
    plan_extractors,
)
from trace_eval.data.files import is_folder
from trace_eval.data.recordings import find_recordings
from trace_eval.data.system import cores
from trace_eval.data.urls import is_url
from trace_eval.extracting.cache import check_folder
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.engine import Engine, LocalEngine, Resuming, each
from trace_eval.extracting.event_loop import complete
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.source import ClipSource, source_from
from trace_eval.extracting.workers import end_if_imported_by_worker


def extractors_of(options: ExtractOptions) -> list[Extractor]:
    """Return a profile's extractors with the user's overrides, in dependency order.

    Raises:
        UserError: a name is unknown, or an option is given that no recogniser here
            takes.
    """
    choices = {
        "language": options.language and language_code(options.language),
        "beam_size": options.beam_size,
        "compute_type": options.compute_type,
    }
    settings = {"device": options.device, "batch": options.batch_size, **choices}
    plan = plan_extractors(
        options.profile, options.overrides, settings, options.extractor_options
    )
    for name, value in choices.items():
        if value is not None and not any(
            hasattr(extractor, name) for extractor in plan
        ):
            remedy = "use -x transcript=faster-whisper:NAME"
            if name == "language":
                remedy = another_recogniser("faster-whisper")
            raise UserError(
                f"{name} {value!r}: no extractor of this plan takes a {name}; {remedy}"
            )
    return plan


def pinned(plan: Sequence[Extractor], options: ExtractOptions) -> ExtractOptions:
    """Return options that make this plan again, wherever they are read.

    What the profile left to this machine is named: the recogniser that was chosen, and
    groups that had no extractor here. Extractors that have no registered name stay as
    they were given.
    """
    is_local = options.engine == "local"
    specs: dict[str, str | Extractor] = {}
    for extractor in plan:
        is_missing = is_local and extractor.unavailable() is not None
        specs[extractor.group] = NONE if is_missing else extractor.named
    try:
        remade = extractors_of(replace(options, overrides=specs, extractor_options={}))
    except UserError:
        return options
    by_name = {extractor.name: extractor for extractor in remade}
    own_options: dict[str, dict[str, Any]] = {}
    for extractor in plan:
        other = by_name.get(extractor.name)
        if type(other) is not type(extractor):
            continue
        for name in (field.name for field in fields(extractor)):
            value = getattr(extractor, name)
            if value != getattr(other, name) and isinstance(value, str | int | float):
                own_options.setdefault(extractor.name, {})[name] = value
    return replace(
        options, overrides={**options.overrides, **specs}, extractor_options=own_options
    )


def groups_alone(options: ExtractOptions, groups: Sequence[str]) -> ExtractOptions:
    """Limit the options to these groups and those that they need."""
    overrides: dict[str, str | Extractor] = dict.fromkeys(
        [*PROFILES[options.profile], *options.overrides], NONE
    )
    overrides.update((e.group, e) for e in with_needs(extractors_of(options), groups))
    return replace(options, overrides=overrides)


def with_needs(plan: Sequence[Extractor], groups: Iterable[str]) -> list[Extractor]:
    """Select the extractors of some groups, with those that they need themselves."""
    wanted = set(groups)
    for extractor in reversed(plan):  # dependencies come first
        if extractor.group in wanted:
            wanted |= set(extractor.needs)
    return [extractor for extractor in plan if extractor.group in wanted]


def check_available(plan: Sequence[Extractor], options: ExtractOptions) -> None:
    """Refuse a plan that cannot run on this machine, before any clip is worked on.

    A Ray cluster may have what this machine lacks, so there nothing is refused. What a
    profile brings although it has no wheel everywhere is absent with its reason, unless
    it was named.

    Raises:
        UserError: names every extractor that lacks a package or a model, with the
            remedies.
    """
    if options.engine == "ray":
        return
    lacking: dict[str, str] = {}
    for extractor in plan:
        is_named = options.overrides.get(extractor.group, AUTO) != AUTO
        if extractor.everywhere or is_named:
            reason = extractor.unavailable()
            if reason is not None:
                lacking[extractor.group] = reason
    if not lacking:
        return
    reasons = "".join(f"\n  {group}: {reason}" for group, reason in lacking.items())
    left_out = dict.fromkeys(lacking)
    for extractor in plan:  # dependencies come first
        if not left_out.keys().isdisjoint(extractor.needs):
            left_out[extractor.group] = None
    without = " ".join(f"-x {group}=none" for group in left_out)
    raise UserError(
        f"profile {options.profile}: {len(lacking)} of {len(plan)} extractors cannot"
        f" run here; nothing was extracted{reasons}\nor go without: {without}"
    )


def engine_of(
    options: ExtractOptions,
    plan: Sequence[Extractor],
    clips: int,
    sources: Iterable[ClipSource] = (),
    shards: str | None = None,
) -> Engine:
    """Make the engine for about this many clips; call it inside a running event loop.

    Args:
        sources: every recording that will be asked for.
        shards: where the engine ``ray`` keeps its results: a folder or an fsspec URL.

    Raises:
        UserError: the engine ``ray`` cannot be had, or there is no place for its
            shards; or the cache cannot be where it is wanted.
    """
    if options.engine == "ray" and shards is None:
        raise UserError(
            "engine ray: keeps its results in a folder; use extract_to or"
            " judge_manifest"
        )
    check_available(plan, options)
    check_folder(options.cache)
    for extractor in plan:
        extractor.provenance()  # hashes model files here, once for all workers
    cache, one_model = options.cache, options.one_model_at_a_time
    whole = Plan(tuple(plan), cache, options.max_seconds, one_model)
    if options.engine == "ray" and shards is not None:
        from trace_eval.extracting.ray.engine import RayEngine

        return RayEngine(whole, sources, shards, options)
    gpus = _gpus(plan, options)[: max(1, clips)]
    workers = options.workers
    if workers is None:
        workers = min(max(1, cores() - len(gpus)), max(1, clips))
    return LocalEngine(whole, workers, gpus)


def _gpus(plan: Sequence[Extractor], options: ExtractOptions) -> Sequence[str | None]:
    """Return which GPU each process with models may see; None: any."""
    needs_gpu = any(extractor.runs_on == "gpu" for extractor in plan)
    if options.device == "cpu" or not needs_gpu:
        return []
    count = gpu_count()
    if options.device != "auto":
        return [None] if count else []
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible:
        return visible.split(",")[:count]
    return [str(number) for number in range(count)]


def extract_each(
    sources: Collection[ClipSource],
    options: ExtractOptions,
    listener: Callable[[Extracted], None],
    shards: str | None = None,
    begin: Callable[[int], None] | None = None,
) -> None:
    """Extract recordings and tell of each as soon as it is done; keeps none of them.

    Args:
        sources: distinct recordings.
        shards: as of :func:`engine_of`.
        begin: told how many are not in shards yet; the others are then neither read nor
            told of.
    """
    end_if_imported_by_worker()
    plan = extractors_of(options)

    async def work() -> None:
        engine = engine_of(
            options, plan, clips=len(sources), sources=sources, shards=shards
        )

        async def one(source: ClipSource) -> None:
            listener(await engine.extract(source))

        left: Iterable[ClipSource] = sources
        if begin is not None:
            left = engine.left if isinstance(engine, Resuming) else sources
            begin(len(left))
        try:
            await each(left, one, engine.capacity)
        finally:
            await engine.close()

    complete(work)


def extract(
    sources: Path | str | bytes | Sequence[Path | str | bytes],
    options: ExtractOptions | None = None,
    listener: Callable[[Extracted], None] | None = None,
) -> list[Extracted]:
    """Extract blueprints of recordings, in order; a bad one is an error in its place.

    Args:
        sources: a recording, its URL or its bytes, a folder of recordings, or a list of
            them.

    Raises:
        UserError: no recording lies below a folder, or an option is unknown.
    """
    every = [sources] if isinstance(sources, Path | str | bytes) else sources
    all_sources = [source_from(one) for source in every for one in _below(source)]
    results: dict[str, Extracted] = {}

    def keep(extracted: Extracted) -> None:
        results[extracted.source] = extracted
        if listener:
            listener(extracted)

    distinct = {source.id: source for source in all_sources}.values()
    extract_each(distinct, options or ExtractOptions(), keep)
    return [results[source.id] for source in all_sources]


def _below(source: Path | str | bytes) -> Sequence[Path | str | bytes]:
    if isinstance(source, bytes) or is_url(source) or not is_folder(Path(source)):
        return [source]
    return find_recordings(Path(source))
