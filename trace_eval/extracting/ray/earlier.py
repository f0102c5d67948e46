"""What an earlier plan measured, put into the cache, where a new plan looks first.

A group's key holds everything that decides it, so a group is found again where the new
plan would measure the same, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence

from blueprints import Blueprint, UserError
from extractors import Extractor
from trace_eval.extracting.cache import Cache, group_key, lasting
from trace_eval.extracting.ray.shards import Chunk, ShardFolder
from trace_eval.extracting.source import ClipSource


def recall(
    cache: Cache, extractors: Sequence[Extractor], folder: ShardFolder, chunk: Chunk
) -> int:
    """Put a chunk's groups from earlier shards into a cache; return how many it found.

    The count is of recordings.

    A shard that this machine does not see is measured again.
    """
    sources = {source.id: source for source in chunk.sources}
    recalled = 0
    for name in chunk.earlier:
        if not folder.has(name):
            continue
        for outcome in folder.outcomes(name):
            source = sources.get(outcome.source)
            if source is not None and outcome.blueprint is not None:
                _keep(cache, extractors, source, outcome.blueprint)
                recalled += 1
    return recalled


def _keep(
    cache: Cache,
    extractors: Sequence[Extractor],
    source: ClipSource,
    blueprint: Blueprint,
) -> None:
    try:
        stamp = source.stamp() if source.path is not None else None
    except (UserError, OSError):
        stamp = None
    if stamp is not None:
        cache.remember_clip(stamp, blueprint.clip)
    keys: dict[str, str] = {}
    for extractor in extractors:  # those come first that others use
        provenance = blueprint.provenance.get(extractor.group)
        wanted = [name for name in extractor.wants if name in blueprint.provenance]
        used = list(extractor.needs) + wanted
        if provenance is None or not keys.keys() >= set(used):
            continue
        needs = {name: keys[name] for name in used}
        key = keys[extractor.group] = group_key(blueprint.clip, provenance, needs)
        if all(lasting(blueprint.group(name)) for name in used):
            cache.put(key, extractor.group, blueprint.group(extractor.group))
