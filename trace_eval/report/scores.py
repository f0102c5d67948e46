"""The report of a run of scores: every answer's score, spread, reasons and sound."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any
from urllib.parse import quote

from blueprints import Blueprint, Transcript
from blueprints.notation import cut_short
from fusion import Numbers
from trace_eval.conversations.findings import turn_blueprints
from trace_eval.data.items import Single
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import Score
from trace_eval.report.answer import score_rankings
from trace_eval.report.audio import AudioAssets
from trace_eval.report.lanes import lanes_of
from trace_eval.report.page import pieces
from trace_eval.report.run_sentences import score_answer
from trace_eval.report.timing import timing_of
from trace_eval.runs.findings import findings_in
from trace_eval.runs.run import Run
from trace_eval.runs.voices import voices_of
from trace_eval.stats.inference.ppi import LEAST_LABELS
from trace_eval.stats.options import RankOptions
from trace_eval.stats.ranking.report import RankReport

#: Longest reason of a score in the list, characters; all of it stands below.
WHY_SHOWN = 180

#: Longest text of one field on the page, characters; the rest is in the run.
SHOWN = 4_000


def write_scores(run: Run, assets: AudioAssets) -> Iterator[str]:
    """Generate the page, piece by piece."""
    rubrics = run.rubrics()
    lines = list(_lines(run, rubrics, assets))
    record = run.record()
    rankings = score_rankings(run)
    voices = [row.sentence for row in voices_of(run) if not row.unknown]
    calls = [item.call for item in run.singles() if item.call]
    reasons: Counter[str] = Counter()
    for line in lines:
        if line["score"] is None:
            reasons["not_judged"] += 1
        elif line["value"] is None:
            reasons[str(line["score"].reason)] += 1
    return pieces(
        "scores.html.j2",
        "scores.js",
        "lanes.js",
        css="scores.css",
        shown=SHOWN,
        name=run.folder.resolve().name,
        record=record,
        rubrics=rubrics,
        lines=lines,
        systems=list(_systems(rankings, rubrics)),
        nameless=not any(line["item"].system for line in lines),
        timing=timing_of(calls, lambda name: f"call-{quote(name)}"),
        sentences=score_answer(run, rankings),
        reasons=reasons,
        caveats=list(findings_in(run)) + voices + _caveats(lines),
        problems=list(run.problems()),
        level=RankOptions().bootstrap.level,
        least=LEAST_LABELS,
    )


def _lines(
    run: Run, rubrics: dict[str, ScoreRubric], assets: AudioAssets
) -> Iterator[dict[str, Any]]:
    """Yield a line per item and rubric: what it is rated by, and what can be played."""
    scores = {score.key: score for score in run.scores()}
    clips = run.clips()
    transcribed: dict[str, Blueprint] = {}
    for blueprint in run.blueprints():
        if isinstance(blueprint.transcript, Transcript):
            transcribed[blueprint.clip] = blueprint
    number = count()
    for item in run.singles():
        recordings = item.recordings()
        blueprints: dict[str, Blueprint] = {}
        for role, recording in recordings.items():
            record = clips.get(recording.source_id)
            if record and record.clip in transcribed:
                blueprints[role] = transcribed[record.clip]
        call, shown = None, list(blueprints.items())
        if item.answer.conversation:
            turns = turn_blueprints("answer", blueprints)
            call = lanes_of(item.answer.conversation, turns, assets, clips)
            shown = []  # it stands in the turns
        sounds = []
        for role, recording in recordings.items():
            if call and role != "instruction":
                continue  # the lanes play it
            sound = assets.sound(recording, clips.get(recording.source_id))
            sounds.append((role, sound))
        for name, rubric in rubrics.items():
            line = _line(item, rubric, scores.get((item.id, name)))
            line["number"] = next(number)
            line["item"] = item
            line["recognised"] = shown
            line["sounds"] = tuple(sounds)
            line["call"] = call
            yield line


def _line(item: Single, rubric: ScoreRubric, score: Score | None) -> dict[str, Any]:
    """Show an answer under one rubric, on its scale.

    ``spread`` is one standard deviation of the distribution, None where one opinion is
    all there is; ``distance`` is how far the judge is from the mean of the annotators;
    ``histogram`` has (label, share of it, share of the largest).
    """
    scale = rubric.numbers
    line: dict[str, Any] = {
        "rubric": rubric,
        "score": score,
        "value": None,
        "spread": None,
        "bar": None,
        "human": None,
        "ratings": 0,
        "human_at": None,
        "distance": None,
        "histogram": [],
        "why": "",
    }
    if score:
        line["value"] = score.value
        line["histogram"] = _histogram(score)
        line["why"] = _why(score)
        if score.estimate and score.estimate.variance is not None:
            deviation = score.estimate.variance**0.5
            line["spread"] = deviation * (scale.high - scale.low)
        if score.value is not None:
            half = line["spread"] or 0.0
            low, high = score.value - half, score.value + half
            line["bar"] = _bar(scale, low, score.value, high)
    if item.labels and item.labels.ratings:
        human = statistics.fmean(item.labels.ratings.values())
        line["human"] = human
        line["ratings"] = len(item.labels.ratings)
        line["human_at"] = _at(scale, human)
        if line["value"] is not None:
            line["distance"] = abs(line["value"] - human)
    return line


def _histogram(score: Score) -> list[tuple[str, float, float]]:
    shares = score.distribution or {}
    largest = max(shares.values(), default=0) or 1.0
    return [(label, share, share / largest) for label, share in shares.items()]


def _why(score: Score) -> str:
    """Say in a line why an answer has its score, by the opinion nearest to it."""
    words = score.detail or ""
    if score.value is not None:
        least = math.inf
        for opinion in score.opinions:
            if not opinion.reasoning or opinion.score is None:
                continue
            distance = abs(opinion.score - score.value)
            if distance < least:
                least = distance
                words = opinion.reasoning
    return cut_short(words, WHY_SHOWN)


def _at(scale: Numbers, value: float) -> float:
    return 100 * min(1.0, max(0.0, scale.position(value)))


def _bar(scale: Numbers, low: float, at: float, high: float) -> dict[str, float]:
    """Place a mean and its spread on the scale, in percent of its width."""
    left, right = _at(scale, low), _at(scale, high)
    return {"left": left, "width": right - left, "at": _at(scale, at)}


def _systems(
    rankings: dict[str, RankReport], rubrics: dict[str, ScoreRubric]
) -> Iterator[dict[str, Any]]:
    """Yield means per system as in ``rank``, highest first, with scale positions."""
    for name, ranking in rankings.items():
        numbers = rubrics[name].numbers
        for row in sorted(ranking.means, key=lambda row: -(row.mean.value or 0.0)):
            mean, interval = row.mean.value, row.mean.interval
            if mean is None:
                continue
            low, high = interval or (mean, mean)
            yield {
                "system": row.system,
                "rubric": name,
                "scored": row.scored,
                "unscored": row.unscored,
                "mean": mean,
                "interval": interval,
                "method": row.mean.method,
                "bar": _bar(numbers, low, mean, high),
            }


def _caveats(lines: Sequence[dict[str, Any]]) -> list[str]:
    """Return one caveat of each kind; the words before its colon are its kind."""
    caveats: dict[str, str] = {}
    for line in lines:
        if line["score"] is None:
            continue
        for caveat in line["score"].caveats:
            kind, _, _ = caveat.partition(":")
            if " of " not in kind:
                caveats.setdefault(kind, caveat)
    return list(caveats.values())
