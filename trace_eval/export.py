"""Blueprints into a folder, without a run: what ``trace-eval extract`` writes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trace_eval import jsonl
from trace_eval.api import extract_each, source_from
from trace_eval.extraction import Extracted
from trace_eval.options import ExtractOptions
from trace_eval.pipeline import Event, Listener
from trace_eval.run import ClipRecord


def extract_to(
    out: Path, sources: Sequence[Path], options: ExtractOptions, listener: Listener | None = None
) -> list[str]:
    """Extract recordings into ``out/blueprints.jsonl`` and ``out/clips.jsonl``.

    Outcomes are appended as soon as they are known; what is in the cache costs nothing, so
    the same command continues after a kill. Both files are made anew.

    Returns:
        One sentence per recording that could not be decoded.
    """
    out.mkdir(parents=True, exist_ok=True)
    blueprints, clips = out / "blueprints.jsonl", out / "clips.jsonl"
    for path in (blueprints, clips):
        path.write_bytes(b"")
    seen: set[str] = set()
    errors: list[str] = []

    def store(found: Extracted) -> None:
        if found.error:
            errors.append(found.error)
        clip = found.blueprint.clip if found.blueprint else None
        jsonl.append(clips, ClipRecord(source=found.source, clip=clip, error=found.error))
        if found.blueprint and clip not in seen:
            seen.add(found.blueprint.clip)
            jsonl.append(blueprints, found.blueprint)
        if listener:
            listener(Event(clip=found))

    extract_each([source_from(path) for path in sources], options, store)
    return errors
