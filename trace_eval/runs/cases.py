"""The cases of a run, read back one by one: to judge again without extracting again."""

from __future__ import annotations

from collections.abc import Iterator

from blueprints import Blueprint
from trace_eval.data import strict_json
from trace_eval.data.items import Single
from trace_eval.data.pairs import Pair, Recording
from trace_eval.judges.base import Case, Rater, SingleCase
from trace_eval.runs.line_index import LineIndex
from trace_eval.runs.pipeline import decode_recording
from trace_eval.runs.run import Run


class CaseReader:
    """Builds cases from a run's blueprints; holds their places in the file, not themselves.

    Args:
        run: a run whose clips were extracted.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._clips = {source: record.clip for source, record in run.clips().items()}
        self._blueprints = LineIndex(run.path("blueprints.jsonl"), "clip")

    def blueprint(self, recording: Recording) -> Blueprint | None:
        """The blueprint of a recording; None when it could not be decoded."""
        return self.stored(recording.source_id)

    def stored(self, source: str) -> Blueprint | None:
        """The same of a recording that is known by its source id."""
        line = self._blueprints.line(self._clips.get(source) or "")
        return (
            None
            if line is None
            else strict_json.own(Blueprint, line, self._run.path("blueprints.jsonl"))
        )

    def case(self, pair: Pair) -> Case | None:
        """The case of a pair; None when an answer has no blueprint."""
        a, b = self.blueprint(pair.a), self.blueprint(pair.b)
        if a is None or b is None:
            return None
        asked = self.blueprint(pair.instruction) if pair.instruction.has_audio else None
        return Case(pair, a, b, asked, decode_recording)

    def single(self, item: Single, rater: Rater) -> SingleCase | None:
        """The case of a single answer; None when a recording that is needed has no blueprint."""
        recordings = item.recordings()
        wanted = {role: self.blueprint(recordings[role]) for role in rater.roles(item)}
        known = {role: blueprint for role, blueprint in wanted.items() if blueprint is not None}
        if wanted.keys() - known.keys() - {"instruction"}:
            return None
        return SingleCase(item, known, decode_recording)

    def __iter__(self) -> Iterator[Case]:
        for pair in self._run.pairs():
            case = self.case(pair)
            if case is not None:
                yield case
