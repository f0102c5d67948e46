"""Candidates: several recordings of one text, measured and grouped by text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
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
from trace_eval.extracting.source import source_of
from trace_eval.extracting.start import extract_each, groups_alone

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
    # id -> id of the candidate with equal samples that stands for it
    same: Mapping[str, str]

    @property
    def instruction(self) -> str:
        """Return what groups can share: an instruction's id, a text, or itself."""
        for candidate in self.candidates + self.unscored:
            instruction = candidate.item.meta.get(INSTRUCTION)
            if instruction:
                return str(instruction)
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
        members = _flattened(record, positions)
        return [single_from_record(member, root, spill) for member in members]

    fields = Fields(
        names=_NAMES,
        needed=("audio",),
        sounds=frozenset(("audio",)),
        instead=frozenset((LIST,)),
        numbered=False,
    )
    options = InputOptions(audio_root, columns=columns or {})
    return read_records(path, singles, options, fields)


def _flattened(
    record: dict[str, Any], positions: dict[str, int]
) -> Iterator[dict[str, Any]]:
    names = [name for name in GROUP if record.get(name) not in (None, "")]
    if not names:
        raise UserError("group: missing; candidates of one text share a group")
    group = str(record[names[0]])
    of_members = (*GROUP, LIST, "candidate")
    shared = {name: value for name, value in record.items() if name not in of_members}
    if record.get(INSTRUCTION) not in (None, ""):
        shared[INSTRUCTION] = str(record[INSTRUCTION])
    listed = record.get(LIST)
    if listed is None:
        members: Sequence[Any] = [{"candidate": record.get("candidate")}]
    elif isinstance(listed, list) and listed:
        members = list(map(_member, listed))
    else:
        raise UserError(f"{LIST}: expected a list of recordings (got {listed!r:.60})")
    for member in members:
        if not isinstance(member, Mapping):
            raise UserError(
                f"{LIST}: expected an object or a path (got {member!r:.60})"
            )
        single = {**shared, **member}
        position = positions.get(group, 0) + 1
        positions[group] = position
        name = single.pop("candidate", None) or single.get("system") or position
        text = single.pop("text", None)
        if text is not None:
            single.setdefault("reference", text)
        single["id"] = f"{group}/{name}"
        single["question_id"] = group
        yield single


def _member(listed: object) -> object:
    """Return an entry of a list of candidates; a path alone is its recording."""
    if isinstance(listed, str):
        return {"audio": listed}
    return listed


def groups_of(candidates: Iterable[Candidate], seed: int) -> list[TextGroup]:
    """Group candidates in file order, each group in the order of its bracket."""
    by_group: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_group.setdefault(str(candidate.item.question_id), []).append(candidate)
    return [_group(name, members, seed) for name, members in by_group.items()]


def _group(name: str, members: Sequence[Candidate], seed: int) -> TextGroup:
    ids_by_clip: dict[str, str] = {}
    candidates: list[Candidate] = []
    unscored: list[Candidate] = []
    same: dict[str, str] = {}
    for member in members:
        if member.clip is None or member.problem:
            unscored.append(member)
            continue
        first = ids_by_clip.setdefault(member.clip, member.id)
        if first == member.id:
            candidates.append(member)
        else:
            same[member.id] = first

    def place(candidate: Candidate) -> str:
        """Return a place that depends on no name or order of systems and files."""
        return hashlib.sha256(f"{seed}:{candidate.clip}".encode()).hexdigest()

    candidates.sort(key=place)
    return TextGroup(name, tuple(candidates), tuple(unscored), same)


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
    no_voice = (Status.SILENT, Status.TOO_SHORT)
    if isinstance(signal, Absent) and signal.status in no_voice:
        problem = signal.reason
    elif isinstance(signal, Signal) and signal.peak_dbfs is None:
        problem = "silent: all samples are zero"
    return Candidate(item, done.blueprint.clip, problem, done.blueprint)


def numbers_of(
    groups: Sequence[TextGroup], place: tuple[str, str]
) -> tuple[dict[str, float | None], dict[str, str]]:
    """Return numbers by id, and by id why a number is missing."""
    values: dict[str, float | None] = {}
    why: dict[str, str] = {}
    for candidate in chain.from_iterable(group.candidates for group in groups):
        name = candidate.id
        blueprint = candidate.blueprint
        if blueprint is None:
            continue
        values[name] = number_in(blueprint.model_dump(mode="json"), place)
        group = blueprint.group(place[0])
        if isinstance(group, Absent):
            why[name] = f"group {place[0]}: {group.reason}"
        elif values[name] is None:
            why[name] = f"group {place[0]} has no number {place[1]!r}"
    return values, why
