"""A run in memory, and its report's head: what was judged, how much, at what cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blueprints import GROUPS, Absent, Blueprint, counted
from fusion import DIMENSIONS, POLICIES, RATINGS
from trace_eval.data.answers import Recording
from trace_eval.data.items import Pair, instruction_of
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.outcome import Usage
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.findings import findings_among
from trace_eval.runs.outcomes import (
    ClipRecord,
    FirstPositionTest,
    ProblemRecord,
    VerdictRow,
    first_position_test,
    scored_pairs,
)
from trace_eval.runs.record import RunRecord
from trace_eval.runs.run import Run
from trace_eval.runs.voices import voices_of

#: Titles of the judged dimensions and of their fusion.
TITLES = {
    "content": "Content",
    "voice_quality": "Voice quality",
    "paralinguistics": "Paralinguistics",
    "overall": "Overall",
    "preference": "Preference",
}


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
    labels: Opinions | None = None  # of a file; None: those of the pairs

    @classmethod
    def read(cls, folder: Path) -> Facts:
        """Load a run folder; UserError if it is not one, or of another version."""
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
        """Return the record of a recording; None where it was never decoded."""
        return self.clips.get(recording.source_id)

    def blueprint_of(self, recording: Recording) -> Blueprint | None:
        """Return the blueprint of a recording, if there is one."""
        record = self.clip_of(recording)
        if record is None or not record.clip:
            return None
        return self.blueprints.get(record.clip)

    def transcript_of(self, recording: Recording) -> str:
        """Return the recogniser's text of a recording; empty where there is none."""
        blueprint = self.blueprint_of(recording)
        if blueprint is None or isinstance(blueprint.transcript, Absent):
            return ""
        return blueprint.transcript.text


@dataclass(frozen=True)
class ReportedRatings:
    """The counts of each rating on one dimension, over the pairs that have it."""

    dimension: str
    scored: int
    counts: dict[str, int]
    # Of each count, those on which the two orders contradict each other.
    inconsistent: dict[str, int] = field(default_factory=dict)

    @property
    def parts(self) -> list[tuple[str, float, int, bool]]:
        """(rating, share of scored pairs, count, inconsistent), as declared."""
        parts = []
        for rating, number in self.counts.items():
            doubtful = self.inconsistent.get(rating, 0)
            firm = number - doubtful
            if firm:
                parts.append((rating, firm / self.scored, firm, False))
            if doubtful:
                parts.append((rating, doubtful / self.scored, doubtful, True))
        return parts


def summarise(facts: Facts) -> dict[str, Any]:
    """Compute the figures of the report's first section.

    ``scored`` of the ``total`` records of the input have an overall rating, and
    ``unscored`` says why the others have none; ``remedy`` is what most pairs say of it,
    where no pair has one. The cost is of the ``priced`` pairs of those ``used``, None
    where none has a price. ``position_test`` is None where one order alone was asked.
    ``wall_s`` are seconds of all sessions, ``call_s`` those spent in calls of the
    judge.
    """
    judged = [pair for pair in facts.pairs if pair.id in facts.judgements]
    judgements = [facts.judgements[pair.id] for pair in judged]
    ids = (pair.id for pair in facts.pairs)
    scored, unscored = scored_pairs(ids, facts.judgements, facts.overall)
    if facts.problems:
        unscored["unreadable_record"] = len(facts.problems)
    total = len(facts.pairs) + len(facts.problems)
    usages = [judgement.usage for judgement in judgements if judgement.usage]
    sessions = facts.record.sessions
    position = first_position_test(
        map(VerdictRow.of, judgements), map(instruction_of, judged)
    )
    remedy = ""
    if not scored:
        remedy = _most_common_detail(judgements)
    return {
        "total": total,
        "scored": len(scored),
        "coverage": len(scored) / total if total else 0.0,
        "unscored": dict(unscored.most_common()),
        "clips": len(facts.clips),
        "clip_errors": sum(record.error is not None for record in facts.clips.values()),
        "audio_s": _seconds_of_audio(facts.blueprints.values()),
        "policy_summary": _policy_summary(facts.overall.values()),
        "ratings": list(_ratings(facts, judgements)),
        "swap": list(_swap(judgements)),
        "measured": list(_measured(facts)),
        "usage": _sum(usages),
        "priced": sum(usage.cost_usd is not None for usage in usages),
        "used": len(usages),
        "sessions": sessions,
        "wall_s": sum(session.seconds or 0.0 for session in sessions),
        "call_s": _seconds_of_calls(judgements),
        "warnings": list(_warnings(facts, judgements, position)),
        "position_test": position,
        "remedy": remedy,
    }


def _most_common_detail(judgements: Iterable[Judgement]) -> str:
    """Return what most judgements say in detail; empty where none says anything."""
    details = Counter(judgement.detail for judgement in judgements if judgement.detail)
    if not details:
        return ""
    detail, _ = details.most_common(1)[0]
    return detail


def _seconds_of_audio(blueprints: Iterable[Blueprint]) -> float:
    seconds = 0.0
    for blueprint in blueprints:
        if not isinstance(blueprint.signal, Absent):
            seconds += blueprint.signal.duration_s
    return seconds


def _seconds_of_calls(judgements: Iterable[Judgement]) -> float | None:
    """Sum the seconds of all calls of the judge; None where no call was timed."""
    seconds: list[float] = []
    for judgement in judgements:
        for opinion in judgement.opinions:
            if opinion.seconds is not None:
                seconds.append(opinion.seconds)
    return sum(seconds) if seconds else None


def _policy_summary(overall: Iterable[Overall]) -> str:
    """Describe the built-in policies that fused the overall ratings."""
    policies = sorted({fused.policy for fused in overall})
    return " ".join(POLICIES[name].summary for name in policies if name in POLICIES)


def _warnings(
    facts: Facts, judgements: Sequence[Judgement], position: FirstPositionTest | None
) -> Iterable[str]:
    if position and position.warning:
        yield f"Do not use these ratings: {position.warning}."
    for finding in findings_among(facts.blueprints.values(), facts.pairs):
        yield f"{finding}."
    for voice in voices_of(Run(facts.folder)):
        if not voice.unknown:  # of few answers rank and gate say so
            yield f"{voice.sentence}."
    yield from facts.record.unused_labels
    caveats: Counter[str] = Counter()
    for judgement in judgements:
        caveats.update(judgement.caveats)
    for caveat, number in caveats.most_common():
        if number == len(facts.pairs):
            yield caveat
        else:
            yield f"On {counted(number, 'pair')}: {caveat}"


def _ratings(
    facts: Facts, judgements: Sequence[Judgement]
) -> Iterable[ReportedRatings]:
    for name in DIMENSIONS:
        counts: Counter[Any] = Counter()
        doubtful: Counter[Any] = Counter()
        for judgement in judgements:
            if name not in judgement.dimensions:
                continue
            rating = judgement.rating(name)
            counts[rating] += 1
            if name in judgement.inconsistent:
                doubtful[rating] += 1
        yield ReportedRatings(
            dimension=name,
            scored=counts.total(),
            counts=_by_rating(counts),
            inconsistent=_by_rating(doubtful),
        )
    fused = Counter(record.rating for record in facts.overall.values() if record.rating)
    unsure: Counter[Any] = Counter()
    for judgement in judgements:
        if judgement.inconsistent and judgement.pair in facts.overall:
            unsure[facts.overall[judgement.pair].rating] += 1
    yield ReportedRatings(
        dimension="overall",
        scored=fused.total(),
        counts=_by_rating(fused),
        inconsistent=_by_rating(unsure),
    )


def _by_rating(counts: Counter[Any]) -> dict[str, int]:
    return {str(rating): counts[rating] for rating in RATINGS}


def _swap(judgements: Sequence[Judgement]) -> Iterable[dict[str, Any]]:
    """Count pairs with equal ratings in both orders, of those ``judged`` in both."""
    for name in DIMENSIONS:
        verdicts = (judgement.dimensions.get(name) for judgement in judgements)
        consistent = Counter(verdict.consistent for verdict in verdicts if verdict)
        yield from _same_in_both(name, consistent)
    consistent = Counter(judgement.consistent for judgement in judgements)
    yield from _same_in_both("all three", consistent)


def _same_in_both(
    name: str, consistent: Mapping[bool | None, int]
) -> Iterable[dict[str, Any]]:
    """Yield a row if any pair was judged in both orders; None counts the others."""
    same = consistent.get(True, 0)
    judged = same + consistent.get(False, 0)
    if judged:
        yield {"dimension": name, "same": same, "judged": judged}


def _measured(facts: Facts) -> Iterable[dict[str, Any]]:
    """Yield the groups of clips: who measured each, how often it is absent, and why."""
    plan = facts.record.extractors
    work: Counter[str] = Counter()
    for session in facts.record.sessions:
        work.update(session.extracted_s)
    extensions: set[str] = set()
    for blueprint in facts.blueprints.values():
        extensions.update(blueprint.extensions)
    groups = list(GROUPS) + sorted(extensions) + list(plan)
    for group in dict.fromkeys(groups):
        absent: Counter[str] = Counter()
        for blueprint in facts.blueprints.values():
            values = blueprint.group(group)
            if isinstance(values, Absent):
                absent[str(values.status)] += 1
        row: dict[str, Any] = {
            "group": group,
            "extractor": "",
            "version": "",
            "packages": "",
            "revision": "",
            "present": len(facts.blueprints) - absent.total(),
            "absent": dict(absent.most_common()),
            "seconds": None,
        }
        if group in plan:
            source = plan[group]
            versions = [f"{name} {v}" for name, v in source.packages.items()]
            row["extractor"] = source.extractor
            row["version"] = source.version
            row["packages"] = ", ".join(versions)
            row["revision"] = source.revision or ""
            row["seconds"] = work.get(source.extractor)
        yield row


def _sum(usages: Sequence[Usage]) -> Usage | None:
    if not usages:
        return None
    costs = [usage.cost_usd for usage in usages if usage.cost_usd is not None]
    return Usage(
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        cached_tokens=sum(usage.cached_tokens for usage in usages),
        cost_usd=sum(costs) if costs else None,
    )
