"""A run in memory, and its report's head: what was judged, how much, at what cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from blueprints import GROUPS, Absent, Blueprint, Transcript, counted
from fusion import DIMENSIONS, POLICIES, RATINGS
from trace_eval.data.answers import Recording
from trace_eval.data.items import Pair
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
    instruction_of,
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
        """Load a run folder; UserError for none, or a record of another version."""
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
        return self.blueprints.get(record.clip) if record and record.clip else None

    def transcript_of(self, recording: Recording) -> str:
        """Return the recogniser's text of a recording; empty where there is none."""
        blueprint = self.blueprint_of(recording)
        result = blueprint.transcript if blueprint else None
        return result.text if isinstance(result, Transcript) else ""


@dataclass(frozen=True)
class ReportedRatings:
    """How often each rating was given on one dimension, over the pairs that have it."""

    dimension: str
    scored: int
    counts: dict[str, int]
    # Of each count, those on which the two orders contradict each other.
    inconsistent: dict[str, int] = field(default_factory=dict)

    @property
    def parts(self) -> list[tuple[str, float, int, bool]]:
        """(rating, share of scored pairs, count, inconsistent), as declared."""
        results = []
        for rating, n in self.counts.items():
            doubtful = self.inconsistent.get(rating, 0)
            results.append((rating, (n - doubtful) / self.scored, n - doubtful, False))
            results.append((rating, doubtful / self.scored, doubtful, True))
        return [part for part in results if part[2]]


def summarise(facts: Facts) -> dict[str, Any]:
    """Compute the figures of the report's first section.

    ``scored`` of the ``total`` records of the input have an overall rating, and
    ``unscored`` says why the others have none; ``remedy`` is what most pairs say of it,
    where no pair has one. The cost is of the ``priced`` pairs of those ``used``, None
    where none has a price. ``position_test`` is None where one order alone was asked.
    ``wall_s`` are seconds of all sessions, ``call_s`` those spent in calls of the
    judge.
    """
    judgements = [facts.judgements.get(pair.id) for pair in facts.pairs]
    available = [judgement for judgement in judgements if judgement]
    ids = (pair.id for pair in facts.pairs)
    scored, unscored = scored_pairs(ids, facts.judgements, facts.overall)
    if facts.problems:
        unscored["unreadable_record"] = len(facts.problems)
    policies = sorted({fused.policy for fused in facts.overall.values()})
    spent = [judgement.usage for judgement in available if judgement.usage]
    sessions = facts.record.sessions
    calls = [o.seconds for j in available for o in j.opinions if o.seconds is not None]
    signals = [
        b.signal for b in facts.blueprints.values() if not isinstance(b.signal, Absent)
    ]
    instructions = [
        instruction_of(pair) for pair in facts.pairs if pair.id in facts.judgements
    ]
    position = first_position_test(map(VerdictRow.of, available), instructions)
    details = Counter(judgement.detail for judgement in available if judgement.detail)
    total = len(facts.pairs) + len(facts.problems)
    return {
        "total": total,
        "scored": len(scored),
        "coverage": len(scored) / total if total else 0.0,
        "unscored": dict(unscored.most_common()),
        "clips": len(facts.clips),
        "clip_errors": sum(record.error is not None for record in facts.clips.values()),
        "audio_s": sum(signal.duration_s for signal in signals),
        "policy_summary": " ".join(
            POLICIES[name].summary for name in policies if name in POLICIES
        ),
        "ratings": list(_ratings(facts, available)),
        "swap": list(_swap(available)),
        "measured": list(_measured(facts)),
        "usage": _sum(spent),
        "priced": sum(usage.cost_usd is not None for usage in spent),
        "used": len(spent),
        "sessions": sessions,
        "wall_s": sum(session.seconds or 0.0 for session in sessions),
        "call_s": sum(calls) if calls else None,
        "warnings": list(_warnings(facts, available, position)),
        "position_test": position,
        "remedy": details.most_common(1)[0][0] if details and not scored else "",
    }


def _warnings(
    facts: Facts, available: Sequence[Judgement], position: FirstPositionTest | None
) -> Iterable[str]:
    if position and position.warning:
        yield f"Do not use these ratings: {position.warning}."
    for finding in findings_among(facts.blueprints.values(), facts.pairs):
        yield f"{finding}."
    for voice in voices_of(Run(facts.folder)):
        if not voice.unknown:  # of few answers rank and gate say so
            yield f"{voice.sentence}."
    yield from facts.record.unused_labels
    for text, count in Counter(
        text for j in available for text in j.caveats
    ).most_common():
        yield (
            text
            if count == len(facts.pairs)
            else f"On {counted(count, 'pair')}: {text}"
        )


def _ratings(facts: Facts, available: Sequence[Judgement]) -> Iterable[ReportedRatings]:
    for name in DIMENSIONS:
        scored = [judgement for judgement in available if name in judgement.dimensions]
        counts = Counter(judgement.rating(name) for judgement in scored)
        doubtful = Counter(j.rating(name) for j in scored if name in j.inconsistent)
        yield ReportedRatings(
            name, len(scored), _by_rating(counts), _by_rating(doubtful)
        )
    fused = Counter(record.rating for record in facts.overall.values() if record.rating)
    swayed = {judgement.pair for judgement in available if judgement.inconsistent}
    unsure: Counter[Any] = Counter(
        facts.overall[pair].rating for pair in swayed if pair in facts.overall
    )
    yield ReportedRatings(
        "overall", fused.total(), _by_rating(fused), _by_rating(unsure)
    )


def _by_rating(counts: Counter[Any]) -> dict[str, int]:
    return {str(rating): counts[rating] for rating in RATINGS}


def _swap(available: Sequence[Judgement]) -> Iterable[dict[str, Any]]:
    """Count pairs with equal ratings in both orders, of those ``judged`` in both."""
    for name in DIMENSIONS:
        verdicts = (judgement.dimensions.get(name) for judgement in available)
        votes = [
            one.consistent for one in verdicts if one and one.consistent is not None
        ]
        if votes:
            yield {"dimension": name, "same": sum(votes), "judged": len(votes)}
    equal = [judgement.consistent for judgement in available]
    whole = [value for value in equal if value is not None]
    if whole:
        yield {"dimension": "all three", "same": sum(whole), "judged": len(whole)}


def _measured(facts: Facts) -> Iterable[dict[str, Any]]:
    """Yield the groups of clips: who measured each, how often it is absent, and why."""
    plan = facts.record.extractors
    work: Counter[str] = Counter()
    for session in facts.record.sessions:
        work.update(session.extracted_s)
    every = list(facts.blueprints.values())
    extra = sorted({name for blueprint in every for name in blueprint.extensions})
    for group in dict.fromkeys((*GROUPS, *extra, *plan)):
        results = [blueprint.group(group) for blueprint in every]
        absent = Counter(str(g.status) for g in results if isinstance(g, Absent))
        source = plan.get(group)
        packages = source.packages.items() if source else ()
        yield {
            "group": group,
            "extractor": source.extractor if source else "",
            "version": source.version if source else "",
            "packages": ", ".join(f"{k} {v}" for k, v in packages),
            "revision": (source.revision or "") if source else "",
            "present": len(results) - absent.total(),
            "absent": dict(absent.most_common()),
            "seconds": work.get(source.extractor) if source else None,
        }


def _sum(spent: Sequence[Usage]) -> Usage | None:
    if not spent:
        return None
    costs = [usage.cost_usd for usage in spent if usage.cost_usd is not None]
    return Usage(
        input_tokens=sum(usage.input_tokens for usage in spent),
        output_tokens=sum(usage.output_tokens for usage in spent),
        cached_tokens=sum(usage.cached_tokens for usage in spent),
        cost_usd=sum(costs) if costs else None,
    )
