"""What a run stored of its items, one by one: cases to be judged again, and timed conversations."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict
from typing import Any

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
from trace_eval.runs.reader import LineIndex
from trace_eval.runs.run import Run


class CaseReader:
    """Builds cases from a run's blueprints; holds their places in the file, not themselves.

    A run that is judged again has it for an :class:`~trace_eval.extracting.engine.Engine`.
    """

    #: Recordings in flight; they are read from a file.
    capacity = 16

    def __init__(self, run: Run) -> None:
        self._run = run
        records = run.clips().values()
        self._clips = {record.source: record.clip for record in records}
        self._errors = {record.source: record.error for record in records if record.error}
        self._blueprints = LineIndex(run.path("blueprints.jsonl"), "clip")

    def blueprint(self, source: str) -> Blueprint | None:
        """Return a recording's blueprint by its source id; None when it could not be decoded."""
        line = self._blueprints.line(self._clips.get(source) or "")
        path = self._run.path("blueprints.jsonl")
        return None if line is None else strict_json.own(Blueprint, line, path)

    def case(self, item: Item, roles: Collection[str] | None = None) -> Case | None:
        """Build the case of an item from the recordings of some roles, by default all.

        None where a recording of its answers has no blueprint.
        """
        recordings = item.recordings()
        wanted = recordings if roles is None else [role for role in recordings if role in roles]
        read = {role: self.blueprint(recordings[role].source_id) for role in wanted}
        available = {role: blueprint for role, blueprint in read.items() if blueprint is not None}
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
        if result := self.blueprint(source.id):
            return Extracted(source.id, result)
        error = self._errors.get(source.id) or f"{self._run.folder} stored no blueprint of it"
        return Extracted(source.id, error=error)

    async def close(self) -> None:
        """Nothing to stop."""


def write_turns(run: Run) -> None:
    """Replace ``turns.jsonl``: turns, events, ratios and findings of every conversation."""
    write_all(run.path("turns.jsonl"), map(jsonl.canonical, _records(run)))


def _records(run: Run) -> Iterator[dict[str, Any]]:
    cases = CaseReader(run)
    for item in run.items():
        available = {
            role: cases.blueprint(one.source_id) for role, one in item.recordings().items()
        }
        measured = {role: blueprint for role, blueprint in available.items() if blueprint}
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
                "ratios": {name: list(ratio) for name, ratio in findings.measured.ratios.items()},
                "findings": [asdict(result) for result in findings.results],
                "caveats": list(findings.measured.caveats),
            }
