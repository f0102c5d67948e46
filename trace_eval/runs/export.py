"""Blueprints into a folder, without a run: what ``trace-eval extract`` writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from blueprints import UserError
from trace_eval.data import jsonl
from trace_eval.data.urls import is_url
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.start import extract_each, source_from
from trace_eval.options import ExtractOptions
from trace_eval.runs.inputs import refuse_package
from trace_eval.runs.pipeline import Event, Listener
from trace_eval.runs.run import ClipRecord


def extract_to(
    out: Path | str,
    sources: Sequence[Path | str],
    options: ExtractOptions,
    listener: Listener | None = None,
) -> list[str]:
    """Extract recordings into ``out/blueprints.jsonl`` and ``out/clips.jsonl``.

    Outcomes are appended as soon as they are known; what is in the cache costs nothing, so
    the same command continues after a kill. Both files are made anew. The engine ``ray`` also
    keeps ``out/shards``; where ``out`` is a URL, that is all there is.

    Returns:
        One sentence per recording that could not be decoded.
    """
    if not is_url(out):
        refuse_package(Path(out))
    errors: list[str] = []
    keep = _nothing if is_url(out) else _into(Path(out))
    if is_url(out) and options.engine != "ray":
        raise UserError(f"{out}: only --engine ray writes to a URL; name a folder")

    def tell(found: Extracted) -> None:
        keep(found)
        if found.error:
            errors.append(found.error)
        if listener:
            listener(Event(clip=found))

    asked = [source_from(path) for path in sources]
    extract_each(asked, options, tell, shards=f"{out}/shards")
    return errors


def _nothing(found: Extracted) -> None:
    pass


def _into(out: Path) -> Callable[[Extracted], None]:
    """Appends an outcome to the files of a folder, a clip's blueprint once."""
    out.mkdir(parents=True, exist_ok=True)
    blueprints, clips = out / "blueprints.jsonl", out / "clips.jsonl"
    for path in (blueprints, clips):
        path.write_bytes(b"")
    seen: set[str] = set()

    def keep(found: Extracted) -> None:
        clip = found.blueprint.clip if found.blueprint else None
        jsonl.append(clips, ClipRecord(source=found.source, clip=clip, error=found.error))
        if found.blueprint and clip not in seen:
            seen.add(found.blueprint.clip)
            jsonl.append(blueprints, found.blueprint)

    return keep
