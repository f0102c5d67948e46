"""A run's stored items, one by one: cases to judge again, and timed conversations."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from blueprints import Blueprint
from trace_eval.conversations.definitions.own import TRACE_EVAL
from trace_eval.conversations.findings import find, turn_blueprints
from trace_eval.data import jsonl, strict_json
from trace_eval.data.files import write_all
from trace_eval.data.items import Item
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.source import ClipSource
from trace_eval.judges.base import Case
from trace_eval.runs.pipeline import decode_recording
from trace_eval.runs.run import Run
from trace_eval.runs.stored_lines import LineIndex, NumberIndex, line_at

#: Where a recording has no blueprint.
_NOWHERE = -1


class CaseReader:
    """A builder of cases from a run's blueprints, which holds places in the file alone.

    A run that is judged again has it for an
    :class:`~trace_eval.extracting.engine.Engine`.
    """

    #: Recordings in flight; they are read from a file.
    capacity = 16

    def __init__(self, run: Run) -> None:
        self._run = run
        self._errors: dict[str, str] = {}
        blueprints = LineIndex(self._file, "clip")
        places = array("q")
        self._places = NumberIndex(self._sources(blueprints, places), places)

    @property
    def _file(self) -> Path:
        return self._run.path("blueprints.jsonl")

    def _sources(self, blueprints: LineIndex, places: array[int]) -> Iterator[str]:
        """Yield every source, and note its blueprint's place.

        Of several outcomes the last one counts.
        """
        for record in self._run.clip_records():
            place = blueprints.place(record.clip) if record.clip else None
            places.append(_NOWHERE if place is None else place)
            self._errors.pop(record.source, None)
            if record.error:
                self._errors[record.source] = record.error
            yield record.source

    def _place(self, source: str) -> int | None:
        place = self._places.find(source)
        return None if place == _NOWHERE else place

    def blueprint(self, source: str) -> Blueprint | None:
        """Return a blueprint by source id; None if the recording was not decoded."""
        place = self._place(source)
        if place is None:
            return None
        return strict_json.own(Blueprint, line_at(self._file, place), self._file)

    def part(self, sources: Iterable[str]) -> StoredClips:
        """Return what is stored of some recordings, to be read by another process."""
        places: dict[str, int] = {}
        errors: dict[str, str] = {}
        for source in sources:
            place = self._place(source)
            if place is not None:
                places[source] = place
            elif source in self._errors:
                errors[source] = self._errors[source]
        return StoredClips(self._run.folder, places, errors)

    def case(self, item: Item, roles: Collection[str] | None = None) -> Case | None:
        """Build the case of an item from the recordings of some roles, by default all.

        None where a recording of its answers has no blueprint.
        """
        recordings = item.recordings()
        wanted = (
            recordings
            if roles is None
            else [role for role in recordings if role in roles]
        )
        read = {role: self.blueprint(recordings[role].source_id) for role in wanted}
        available = {
            role: blueprint for role, blueprint in read.items() if blueprint is not None
        }
        if any(role in item.answer_roles for role in read.keys() - available.keys()):
            return None
        return Case(item, available, decode_recording)

    def __iter__(self) -> Iterator[Case]:
        for item in self._run.items():
            case = self.case(item)
            if case is not None:
                yield case

    async def extract(self, source: ClipSource) -> Extracted:
        """Return the stored blueprint of one recording, or why there is none."""
        return stored(source, self.blueprint(source.id), self._errors, self._run.folder)

    async def close(self) -> None:
        """Stop nothing."""


@dataclass(frozen=True)
class StoredClips:
    """An :class:`~trace_eval.extracting.engine.Engine` of some recordings of a run.

    Attributes:
        folder: of the run.
        places: recording -> where its blueprint begins in the file.
        errors: recording -> why it has none.
    """

    folder: Path
    places: Mapping[str, int]
    errors: Mapping[str, str]

    #: Recordings in flight.
    capacity: ClassVar[int] = CaseReader.capacity

    async def extract(self, source: ClipSource) -> Extracted:
        """Return the stored blueprint of one recording, or why there is none."""
        place = self.places.get(source.id)
        path = self.folder / "blueprints.jsonl"
        line = None if place is None else line_at(path, place)
        blueprint = None if line is None else strict_json.own(Blueprint, line, path)
        return stored(source, blueprint, self.errors, self.folder)

    async def close(self) -> None:
        """Stop nothing."""


def stored(
    source: ClipSource,
    blueprint: Blueprint | None,
    errors: Mapping[str, str],
    folder: Path,
) -> Extracted:
    """Return the outcome of a recording that a run has stored."""
    if blueprint is not None:
        return Extracted(source.id, blueprint)
    error = errors.get(source.id) or f"{folder} stored no blueprint of it"
    return Extracted(source.id, error=error)


def write_turns(run: Run) -> None:
    """Replace ``turns.jsonl``: each conversation's turns, events, ratios, findings."""
    write_all(run.path("turns.jsonl"), map(jsonl.canonical, _records(run)))


def _records(run: Run) -> Iterator[dict[str, Any]]:
    cases = CaseReader(run)
    for item in run.items():
        measured: dict[str, Blueprint] = {}
        for role, recording in item.recordings().items():
            blueprint = cases.blueprint(recording.source_id)
            if blueprint:
                measured[role] = blueprint
        for side, answer in item.sides.items():
            if answer.conversation is None:
                continue
            findings = find(answer.conversation, turn_blueprints(side, measured))
            yield {
                "item": item.id,
                "side": side,
                "definitions": TRACE_EVAL.name,
                "turns": [
                    turn.model_dump(
                        mode="json", include={"speaker", "start_s", "end_s", "segments"}
                    )
                    for turn in answer.conversation.turns
                ],
                "events": [asdict(event) for event in findings.measured.events],
                "ratios": {
                    name: list(ratio)
                    for name, ratio in findings.measured.ratios.items()
                },
                "findings": [asdict(result) for result in findings.results],
                "caveats": list(findings.measured.caveats),
            }
