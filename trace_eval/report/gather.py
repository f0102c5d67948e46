"""Everything that a report reads of a run, loaded once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blueprints import Blueprint, Transcript
from trace_eval.data.answers import Recording
from trace_eval.data.items import Labels, Pair
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.runs.outcomes import ClipRecord, ProblemRecord
from trace_eval.runs.record import RunRecord
from trace_eval.runs.run import Run


@dataclass(frozen=True)
class Facts:
    """A run in memory."""

    folder: Path
    record: RunRecord
    pairs: tuple[Pair, ...]
    problems: tuple[ProblemRecord, ...]
    clips: dict[str, ClipRecord]  # source of a recording -> what became of it
    blueprints: dict[str, Blueprint]
    judgements: dict[str, Judgement]  # by pair id
    overall: dict[str, Overall]  # by pair id

    @classmethod
    def read(cls, folder: Path) -> Facts:
        """Load a run folder; raises UserError for no run, or a record of another version."""
        run = Run.open(folder)
        return cls(
            folder=folder,
            record=run.record(),
            pairs=tuple(run.pairs()),
            problems=tuple(run.problems()),
            clips=run.clips(),
            blueprints={blueprint.clip: blueprint for blueprint in run.blueprints()},
            judgements=run.judgements(),
            overall=run.overall(),
        )

    def clip_of(self, recording: Recording) -> ClipRecord | None:
        """The record of a recording; None where it was never decoded."""
        return self.clips.get(recording.source_id)

    def blueprint_of(self, recording: Recording) -> Blueprint | None:
        """The blueprint of a recording, if there is one."""
        record = self.clip_of(recording)
        return self.blueprints.get(record.clip) if record and record.clip else None

    def transcript_of(self, recording: Recording) -> str:
        """The recogniser's text of a recording; empty where there is none."""
        blueprint = self.blueprint_of(recording)
        result = blueprint.transcript if blueprint else None
        return result.text if isinstance(result, Transcript) else ""


def compared(
    labels: Labels | None, judgement: Judgement | None, overall: Overall | None
) -> Iterator[tuple[str, str, str]]:
    """(dimension, human label, judge's rating) wherever there are both.

    Against a plain preference the judge's typed ties are one tie.
    """
    if labels is None or judgement is None:
        return
    for name, verdict in judgement.dimensions.items():
        label = getattr(labels, name, None)
        if label is not None:
            yield name, str(label), str(verdict.rating)
    rating = overall.rating if overall else None
    if rating is None:
        return
    if labels.overall is not None:
        yield "overall", str(labels.overall), str(rating)
    elif labels.preference is not None:
        yield "overall", labels.preference, str(rating) if rating in ("1", "2") else "tie"


def disagrees(
    labels: Labels | None, judgement: Judgement | None, overall: Overall | None
) -> bool | None:
    """Whether human label and judge differ overall, else on any dimension; None: not comparable."""
    rows = {name: label != rating for name, label, rating in compared(labels, judgement, overall)}
    if "overall" in rows:
        return rows["overall"]
    return any(rows.values()) if rows else None
