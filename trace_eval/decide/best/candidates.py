"""Candidates: several recordings of one text, read, measured, and grouped by their text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blueprints import Absent, Blueprint, Signal, Status, UserError
from trace_eval.data.columns import Fields
from trace_eval.data.input_options import InputOptions
from trace_eval.data.items import Single
from trace_eval.data.manifests import Manifest, read_records
from trace_eval.data.measures.numbers import number_in
from trace_eval.data.records import Spill
from trace_eval.data.singles import SINGLE_FIELDS, single_from_record
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract_each, groups_alone, source_of

#: Names of the field that candidates of one text share; the first is ours.
GROUP = ("group", "question_id", "instruction_id")

#: Groups of one instruction are one observation; where it is not the group, it is kept
#: beside it.
INSTRUCTION = "instruction_id"

#: A list of candidates inside a record of their group.
LIST = "candidates"

#: What a record of a candidate is made of, for ``--column``.
_NAMES = {
    **SINGLE_FIELDS.names,
    "group": GROUP,
    "text": ("text",),
    "candidate": ("candidate",),
}


@dataclass(frozen=True)
class Candidate:
    """One recording."""

    item: Single  # its question_id is the group
    clip: str | None  # SHA-256 of its samples; None: it cannot be decoded
    # why it cannot be judged: not decoded, or no voice is in it
    problem: str | None = None
    blueprint: Blueprint | None = None  # the groups that were wanted; None: not decoded

    @property
    def id(self) -> str:
        """``GROUP/CANDIDATE``."""
        return self.item.id


@dataclass(frozen=True)
class TextGroup:
    """The candidates for one text."""

    name: str  # unique in the file
    # different ones that can be judged, in the order of the bracket
    candidates: tuple[Candidate, ...]
    unscored: tuple[Candidate, ...]  # those that cannot
    same: Mapping[
        str, str
    ]  # id -> id of the candidate with equal samples that stands for it

    @property
    def instruction(self) -> str:
        """What several groups can share: the instruction by its id, else the text, else itself."""
        for candidate in (*self.candidates, *self.unscored):
            if stated := candidate.item.meta.get(INSTRUCTION):
                return str(stated)
            if candidate.item.reference:
                return " ".join(candidate.item.reference[0].casefold().split())
        return self.name


def read_candidates(
    path: Path | str,
    audio_root: Path | str | None = None,
    spill: Spill | None = None,
    columns: Mapping[str, str] | None = None,
) -> Manifest:
    """Read candidates as single answers, ``question_id`` being the group.

    A record is one candidate, or a group with a list ``candidates``. Fields: ``group``,
    ``text`` or ``reference`` (what should have been said), ``audio``, ``system``,
    ``candidate`` (a name, unique in its group; default: the system's, else its place),
    and all of single answers.

    Raises:
        UserError: the file itself cannot be read, or has no record at all.
    """
    positions: dict[str, int] = {}

    def singles(record: dict[str, Any], root: Path | str, _: object) -> list[Single]:
        return [
            single_from_record(each, root, spill)
            for each in _flattened(record, positions)
        ]

    fields = Fields(
        _NAMES, ("audio",), frozenset(("audio",)), frozenset((LIST,)), numbered=False
    )
    return read_records(
        path, singles, InputOptions(audio_root, columns=columns or {}), fields
    )


def _flattened(
    record: dict[str, Any], positions: dict[str, int]
) -> Iterator[dict[str, Any]]:
    names = [name for name in GROUP if record.get(name) not in (None, "")]
    if not names:
        raise UserError("group: missing; candidates of one text share a group")
    group = str(record[names[0]])
    shared = {k: v for k, v in record.items() if k not in (*GROUP, LIST, "candidate")}
    if record.get(INSTRUCTION) not in (None, ""):
        shared[INSTRUCTION] = str(record[INSTRUCTION])
    listed = record.get(LIST)
    if listed is None:
        members: Sequence[Any] = [{"candidate": record.get("candidate")}]
    elif isinstance(listed, list) and listed:
        members = [
            {"audio": each} if isinstance(each, str) else each for each in listed
        ]
    else:
        raise UserError(f"{LIST}: expected a list of recordings (got {listed!r:.60})")
    for member in members:
        if not isinstance(member, Mapping):
            raise UserError(
                f"{LIST}: expected an object or a path (got {member!r:.60})"
            )
        single = {**shared, **member}
        positions[group] = positions.get(group, 0) + 1
        name = (
            single.pop("candidate", None)
            or single.get("system")
            or str(positions[group])
        )
        text = single.pop("text", None)
        if text is not None:
            single.setdefault("reference", text)
        yield {**single, "id": f"{group}/{name}", "question_id": group}


def groups_of(candidates: Iterable[Candidate], seed: int) -> list[TextGroup]:
    """Group candidates in the order of the file; each group in the order of its bracket."""
    by_group: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_group.setdefault(str(candidate.item.question_id), []).append(candidate)
    return [_group(name, members, seed) for name, members in by_group.items()]


def _group(name: str, members: Sequence[Candidate], seed: int) -> TextGroup:
    first: dict[str, str] = {}
    kept, unscored, same = [], [], {}
    for member in members:
        if member.clip is None or member.problem:
            unscored.append(member)
        elif (other := first.setdefault(member.clip, member.id)) != member.id:
            same[member.id] = other
        else:
            kept.append(member)
    # a place in the bracket depends on no name of a system or file, nor on their order
    kept.sort(key=lambda one: hashlib.sha256(f"{seed}:{one.clip}".encode()).hexdigest())
    return TextGroup(name, tuple(kept), tuple(unscored), same)


def measure(
    items: Sequence[Single], options: ExtractOptions, groups: Sequence[str] = ()
) -> list[Candidate]:
    """Decode every candidate, and extract some groups and those that they need.

    Raises UserError for a group that is not extracted by these options.
    """
    results: dict[str, Extracted] = {}
    spoken = [item for item in items if item.answer.has_audio]
    sources = {item.answer.source_id: source_of(item.answer) for item in spoken}

    def keep(done: Extracted) -> None:
        results[done.source] = done

    # the signal shows whether there is anything to judge
    extract_each(
        list(sources.values()), groups_alone(options, ("signal", *groups)), keep
    )
    return [_candidate(item, results.get(item.answer.source_id)) for item in items]


def _candidate(item: Single, done: Extracted | None) -> Candidate:
    if done is None:
        return Candidate(item, None, "it has no recording of its own")
    if done.blueprint is None:
        return Candidate(item, None, done.error or "it cannot be decoded")
    signal = done.blueprint.signal
    problem = None
    if isinstance(signal, Absent) and signal.status in (
        Status.SILENT,
        Status.TOO_SHORT,
    ):
        problem = signal.reason
    elif isinstance(signal, Signal) and signal.peak_dbfs is None:
        problem = "silent: all samples are zero"
    return Candidate(item, done.blueprint.clip, problem, done.blueprint)


def numbers_of(
    groups: Sequence[TextGroup], place: tuple[str, str]
) -> tuple[dict[str, float | None], dict[str, str]]:
    """Return numbers by id, and why there is none by id."""
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
