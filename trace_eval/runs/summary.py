"""Summary of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trace_eval.extracting.clip import Extracted
from trace_eval.judges.ask.budget import Spending
from trace_eval.runs.outcomes import NOT_MADE, PairCounts
from trace_eval.runs.record import CoverageRecord
from trace_eval.runs.run import Run
from trace_eval.runs.table import Cell, table_of


@dataclass
class Summary:
    """Summary of a run over all its sessions.

    Attributes:
        total: records in the manifest.
        scored: pairs with an overall rating; single answers with a score by every
            rubric.
        unscored: reason -> items without; ``unreadable_record`` counts bad records.
        dimensions: dimension -> pairs with a rating on it; none for single answers.
        clips: recordings extracted or read from the cache in this session.
        clip_errors: of those, the ones that could not be decoded.
        audio_s: seconds of audio behind ``clips``.
        work_s: extractor -> seconds of compute in this session; the cache costs none.
        seconds: duration of this session.
        cache_problem: why the cache was of no use in this session, if it was not.
        spending: what the calls of all sessions cost; None: no price is known, or
            nothing is sent.
    """

    total: int = 0
    scored: int = 0
    unscored: Counter[str] = field(default_factory=Counter)
    dimensions: Counter[str] = field(default_factory=Counter)
    clips: int = 0
    clip_errors: int = 0
    audio_s: float = 0.0
    work_s: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    cache_problem: str | None = None
    spending: Spending | None = None

    @property
    def coverage(self) -> float:
        """Share of records that were scored, 0 to 1."""
        return self.scored / self.total if self.total else 0.0

    def record(self) -> CoverageRecord:
        """Return what the run's record holds of it."""
        return CoverageRecord(
            total=self.total, scored=self.scored, unscored=dict(self.unscored)
        )

    def count_clip(self, clip: Extracted) -> None:
        """Add one recording's outcome."""
        self.clips += 1
        self.clip_errors += clip.error is not None
        self.audio_s += clip.audio_s
        for name, seconds in clip.work.items():
            self.work_s[name] = self.work_s.get(name, 0.0) + seconds
        self.cache_problem = self.cache_problem or clip.cache_problem

    def add(self, other: Summary) -> None:
        """Add the work of another session; they ran side by side."""
        self.clips += other.clips
        self.clip_errors += other.clip_errors
        self.audio_s += other.audio_s
        for name, seconds in other.work_s.items():
            self.work_s[name] = self.work_s.get(name, 0.0) + seconds
        self.cache_problem = self.cache_problem or other.cache_problem

    def count(
        self, run: Run, rubrics: Sequence[str] = (), counts: PairCounts | None = None
    ) -> None:
        """Count the items of a run over all its sessions.

        Args:
            rubrics: of single answers.
            counts: of its pairs, if they are known.
        """
        self.scored = 0
        self.unscored = Counter()
        self.dimensions = Counter()
        if run.holds_scores:
            state = {score.key: (score.status, score.reason) for score in run.scores()}
            for item in run.singles():
                results = [
                    state.get((item.id, name), ("unscored", NOT_MADE))
                    for name in rubrics
                ]
                missing = [reason for status, reason in results if status != "scored"]
                if missing:
                    self.unscored[str(missing[0])] += 1
                else:
                    self.scored += 1
        else:
            counts = counts or count_pairs(run)
            self.scored = counts.scored
            self.dimensions = counts.dimensions
            self.unscored = counts.unscored
        if bad_records := sum(1 for _ in run.problems()):
            self.unscored["unreadable_record"] = bad_records


def count_pairs(run: Run) -> PairCounts:
    """Count the pairs of a run, as they were fused last."""
    judged = run.stored_judgements()
    overall = run.stored_overall()
    counts = PairCounts()
    for pair in run.pairs():
        counts.add(judged.get(pair.id), overall.get(pair.id))
    return counts


@dataclass(frozen=True)
class RunShown:
    """What ``show --json`` and ``fuse --json`` hold of a run.

    Attributes:
        run: its folder.
        policy: that fused it last; None: scores are not fused.
        rows: one per pair, or per item and rubric, by the columns of ``results.csv``.
    """

    run: Path
    policy: str | None
    rows: tuple[Mapping[str, Cell], ...]

    @classmethod
    def of(cls, run: Run) -> RunShown:
        """Read all rows of a run."""
        policy = None if run.holds_scores else run.record().policy
        return cls(run.folder, policy, tuple(table_of(run).records()))


@dataclass(frozen=True)
class JudgedRun:
    """What ``judge --json`` holds: the run's folder, the share scored, and the rest."""

    run: Path | str
    coverage: float
    summary: Summary
