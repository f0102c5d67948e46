"""Measurements of every candidate, and the numbers that order them."""

from __future__ import annotations

from collections.abc import Sequence

from blueprints import Absent, Signal, Status
from trace_eval.data.items import Single
from trace_eval.data.measures.numbers import number_in
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract_each, groups_alone, source_of
from trace_eval.select.candidates import Candidate, TextGroup

#: The group that shows whether there is anything to judge.
_SIGNAL = "signal"


def measure(
    items: Sequence[Single], options: ExtractOptions, groups: Sequence[str] = ()
) -> list[Candidate]:
    """Decode every candidate, and extract some groups and those that they need.

    Raises:
        UserError: a group is not extracted by these options.
    """
    results: dict[str, Extracted] = {}
    spoken = [item for item in items if item.answer.has_audio]
    sources = {item.answer.source_id: source_of(item.answer) for item in spoken}

    def keep(done: Extracted) -> None:
        results[done.source] = done

    extract_each(list(sources.values()), groups_alone(options, (_SIGNAL, *groups)), keep)
    return [_candidate(item, results.get(item.answer.source_id)) for item in items]


def _candidate(item: Single, done: Extracted | None) -> Candidate:
    if done is None:
        return Candidate(item, None, "it has no recording of its own")
    if done.blueprint is None:
        return Candidate(item, None, done.error or "it cannot be decoded")
    signal = done.blueprint.signal
    problem = None
    if isinstance(signal, Absent) and signal.status in (Status.SILENT, Status.TOO_SHORT):
        problem = signal.reason
    elif isinstance(signal, Signal) and signal.peak_dbfs is None:
        problem = "silent: all samples are zero"
    return Candidate(item, done.blueprint.clip, problem, done.blueprint)


def numbers_of(
    groups: Sequence[TextGroup], place: tuple[str, str]
) -> tuple[dict[str, float | None], dict[str, str]]:
    """(id -> number, id -> why there is none)."""
    values: dict[str, float | None] = {}
    why: dict[str, str] = {}
    for candidate in (one for group in groups for one in group.candidates):
        name, blueprint = candidate.id, candidate.blueprint
        if blueprint is None:
            continue
        values[name] = number_in(blueprint.model_dump(mode="json"), place)
        group = blueprint.group(place[0])
        if isinstance(group, Absent):
            why[name] = f"group {place[0]}: {group.reason}"
        elif values[name] is None:
            why[name] = f"group {place[0]} has no number {place[1]!r}"
    return values, why
