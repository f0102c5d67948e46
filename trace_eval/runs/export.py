"""Blueprints into a folder, without a run: what ``trace-eval extract`` writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from blueprints import Absent, Status, UserError
from trace_eval.data import jsonl
from trace_eval.data.files import replace_file
from trace_eval.data.outputs import claimed, refuse_package
from trace_eval.data.urls import is_url
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.start import extract_each, source_from
from trace_eval.options import ExtractOptions
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.pipeline import Listener, RunEvent

#: Absences that are facts about the tools, not about the clip.
_NOT_RUN = frozenset({Status.UNAVAILABLE, Status.FAILED})


@dataclass
class Shortfall:
    """The groups that were requested and could not be extracted.

    Attributes:
        errors: one sentence per recording that could not be decoded.
        without: group -> clips in which its extractor did not run, and why.
    """

    errors: list[str] = field(default_factory=list)
    without: dict[str, list[str]] = field(default_factory=dict)
    clips: int = 0

    def count(self, extracted: Extracted) -> None:
        """Add one recording's outcome."""
        if extracted.error:
            self.errors.append(extracted.error)
        if extracted.blueprint is None:
            return
        self.clips += 1
        for name in extracted.blueprint.provenance:
            group = extracted.blueprint.group(name)
            if isinstance(group, Absent) and group.status in _NOT_RUN:
                self.without.setdefault(name, []).append(group.reason)

    @property
    def missing(self) -> dict[str, str]:
        """Group that no clip has, because its extractor never ran through -> the first reason."""
        return {
            name: reasons[0] for name, reasons in self.without.items() if len(reasons) == self.clips
        }


def extract_to(
    out: Path | str,
    sources: Sequence[Path | str],
    options: ExtractOptions,
    listener: Listener | None = None,
) -> Shortfall:
    """Extract recordings into ``out/blueprints.jsonl`` and ``out/clips.jsonl``.

    Outcomes are appended as soon as they are known; what is in the cache costs nothing, so
    the same command continues after a kill. Both files are made anew. The engine ``ray`` also
    keeps ``out/shards``; where ``out`` is a URL, that is all there is.

    Returns:
        What went wrong: recordings that could not be decoded, groups that no clip has.
    """
    if not is_url(out):
        refuse_package(Path(out))
    shortfall = Shortfall()
    if is_url(out) and options.engine != "ray":
        raise UserError(f"{out}: only -X engine=ray writes to a URL; name a folder")

    def tell(result: Extracted) -> None:
        if keep:
            keep(result)
        shortfall.count(result)
        if listener:
            listener(RunEvent(clip=result))

    requested = [source_from(path) for path in sources]
    with nullcontext() if is_url(out) else claimed(Path(out), "extract", private=True):
        keep = None if is_url(out) else _into(Path(out))
        extract_each(requested, options, tell, shards=f"{out}/shards")
    return shortfall


def _into(out: Path) -> Callable[[Extracted], None]:
    """Appends an outcome to the files of a folder, a clip's blueprint once."""
    blueprints, clips = out / "blueprints.jsonl", out / "clips.jsonl"
    for path in (blueprints, clips):
        replace_file(path, b"")
    seen: set[str | None] = set()

    def keep(result: Extracted) -> None:
        clip = result.blueprint.clip if result.blueprint else None
        jsonl.append(clips, ClipRecord(source=result.source, clip=clip, error=result.error))
        if result.blueprint and clip not in seen:
            seen.add(clip)
            jsonl.append(blueprints, result.blueprint)

    return keep
