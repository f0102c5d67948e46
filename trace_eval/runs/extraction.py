"""Blueprints into a folder, without a run: what ``trace-eval extract`` writes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from blueprints import Absent, Blueprint, Status, UserError
from trace_eval.data import jsonl
from trace_eval.data.files import replace_file
from trace_eval.data.measures.voice import SystemVoice
from trace_eval.data.outputs import claimed
from trace_eval.data.urls import is_url, redacted
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.source import ClipSource, source_from
from trace_eval.extracting.start import extract_each
from trace_eval.runs.events import Listener, RunEvent
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.run import Run
from trace_eval.runs.voices import voices_of_folder

#: Absences that are facts about the tools, not about the clip.
_NOT_RUN = frozenset({Status.UNAVAILABLE, Status.FAILED})


@dataclass(frozen=True)
class Extraction:
    """The JSON of ``extract --json``.

    Attributes:
        out: file or URL of the blueprints.
        recordings: how many were named.
        errors: one sentence per recording that could not be decoded.
        missing: group that no recording has, because its extractor never ran through ->
            why.
        problems: records of manifests that could not be read.
        voices: whether the recordings, as answers of one system, have one voice.
    """

    out: str
    recordings: int
    errors: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    voices: list[SystemVoice] = field(default_factory=list)


def extract_to(
    out: Path | str,
    sources: Sequence[Path | str],
    options: ExtractOptions,
    listener: Listener | None = None,
) -> Extraction:
    """Extract recordings into ``out/blueprints.jsonl`` and ``out/clips.jsonl``, anew.

    Outcomes are appended as soon as they are known; what is in the cache costs nothing,
    so the same command continues after a kill. The engine ``ray`` also keeps
    ``out/shards``, and where ``out`` is a URL nothing else; what an earlier job has
    finished is not read again there.
    """
    if is_url(out) and options.engine != "ray":
        raise UserError(f"{out}: only -X engine=ray writes to a URL; name a folder")
    where = str(Path(out) / "blueprints.jsonl")
    if is_url(out):
        where = redacted(str(out))
    done = Extraction(where, len(sources))
    missing = None

    def tell(result: Extracted) -> None:
        nonlocal missing
        if keep:
            keep(result)
        if result.error:
            done.errors.append(result.error)
        if result.blueprint:
            lacking = _not_run(result.blueprint)
            old = lacking if missing is None else missing
            missing = {name: reason for name, reason in old.items() if name in lacking}
        if listener:
            listener(RunEvent(clip=result))

    finished = 0

    def begin(left: int) -> None:
        nonlocal finished
        finished = len(sources) - left
        if listener:
            listener(RunEvent(pending=left))

    requested = _Requested(sources)
    with nullcontext() if is_url(out) else claimed(Path(out), "extract", private=True):
        keep = None if is_url(out) else _into(Path(out))
        skipping = begin if is_url(out) else None
        extract_each(requested, options, tell, shards=f"{out}/shards", begin=skipping)
    # What is finished lacks no group for want of an extractor: such clips are tried
    # again.
    done.missing.update({} if finished else missing or {})
    if not is_url(out):
        done.voices.extend(voices_of_folder(Run(Path(out))))
    return done


class _Requested(Collection[ClipSource]):
    """The sources of recordings, each made on demand: millions take much memory."""

    def __init__(self, recordings: Sequence[Path | str]) -> None:
        self._recordings = recordings

    def __len__(self) -> int:
        return len(self._recordings)

    def __iter__(self) -> Iterator[ClipSource]:
        return map(source_from, self._recordings)

    def __contains__(self, source: object) -> bool:
        return any(source == one for one in self)


def _not_run(blueprint: Blueprint) -> dict[str, str]:
    """Group whose extractor did not run through -> why."""
    reasons: dict[str, str] = {}
    for name in blueprint.provenance:
        group = blueprint.group(name)
        if isinstance(group, Absent) and group.status in _NOT_RUN:
            reasons[name] = group.reason
    return reasons


def _into(out: Path) -> Callable[[Extracted], None]:
    """Return a function that appends outcomes to files, a clip's blueprint once."""
    blueprints = out / "blueprints.jsonl"
    clips = out / "clips.jsonl"
    for path in (blueprints, clips):
        replace_file(path, b"")
    seen: set[str | None] = set()

    def keep(result: Extracted) -> None:
        clip = result.blueprint.clip if result.blueprint else None
        jsonl.append(
            clips, ClipRecord(source=result.source, clip=clip, error=result.error)
        )
        if result.blueprint and clip not in seen:
            seen.add(clip)
            jsonl.append(blueprints, result.blueprint)

    return keep
