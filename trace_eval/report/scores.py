"""The report of a run of scores: every answer's score, spread, reasons and sound."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any
from urllib.parse import quote

from blueprints import Blueprint, Transcript
from fusion import Numbers
from trace_eval.conversations.findings import turn_blueprints
from trace_eval.data.items import Single
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import Score
from trace_eval.report.answer import score_answer, score_rankings
from trace_eval.report.audio import AudioAssets
from trace_eval.report.lanes import lanes_of
from trace_eval.report.page import pieces
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
    calls = [item.call for item in run.singles()]
    unscored = [line["score"] for line in lines if line["value"] is None]
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
        timing=timing_of(
            [call for call in calls if call],
            lambda name: f"call-{quote(name)}",
        ),
        sentences=score_answer(run, rankings),
        reasons=Counter(
            str(score.reason) if score else "not_judged" for score in unscored
        ),
        caveats=[*findings_in(run), *voices, *_caveats(lines)],
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
    words = {
        b.clip: b for b in run.blueprints() if isinstance(b.transcript, Transcript)
    }
    number = count()
    for item in run.singles():
        blueprints: dict[str, Blueprint] = {}
        for role, recording in item.recordings().items():
            record = clips.get(recording.source_id)
            if record and record.clip in words:
                blueprints[role] = words[record.clip]
        call, recognised = None, [*blueprints.items()]
        if item.answer.conversation:
            turns = turn_blueprints("answer", blueprints)
            call = lanes_of(item.answer.conversation, turns, assets, clips)
            recognised = []  # it stands in the turns
        sounds = tuple(
            (role, assets.sound(recording, clips.get(recording.source_id)))
            for role, recording in item.recordings().items()
            if not call or role == "instruction"
        )
        shown = {"item": item, "recognised": recognised, "sounds": sounds, "call": call}
        for name, rubric in rubrics.items():
            line = _line(item, rubric, scores.get((item.id, name)))
            yield {"number": next(number), **shown, **line}


def _line(item: Single, rubric: ScoreRubric, score: Score | None) -> dict[str, Any]:
    """Show an answer under one rubric, on its scale.

    ``spread`` is one standard deviation of the distribution, None where one opinion is
    all there is; ``distance`` is how far the judge is from the mean of the annotators;
    ``histogram`` has (label, share of it, share of the largest).
    """
    scale = rubric.numbers
    provided = list(item.labels.ratings.values()) if item.labels else []
    human = statistics.fmean(provided) if provided else None
    value = score.value if score else None
    variance = score.estimate.variance if score and score.estimate else None
    spread = None if variance is None else variance**0.5 * (scale.high - scale.low)
    half = spread or 0.0
    shares = (score.distribution if score else None) or {}
    top = max(shares.values(), default=0) or 1.0
    return {
        "rubric": rubric,
        "score": score,
        "value": value,
        "spread": spread,
        "bar": None
        if value is None
        else _bar(scale, value - half, value, value + half),
        "human": human,
        "ratings": len(provided),
        "human_at": None if human is None else _at(scale, human),
        "distance": None if human is None or value is None else abs(value - human),
        "histogram": [(label, share, share / top) for label, share in shares.items()],
        "why": _why(score) if score else "",
    }


def _why(score: Score) -> str:
    """Say in a line why an answer has its score, by the opinion nearest to it."""
    words = score.detail or ""
    explained = [
        one for one in score.opinions if one.reasoning and one.score is not None
    ]
    if score.value is not None and explained:
        value = score.value
        nearest = min(explained, key=lambda one: abs((one.score or 0) - value))
        words = nearest.reasoning
    return words if len(words) <= WHY_SHOWN else f"{words[: WHY_SHOWN - 1]}…"


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
    every: dict[str, str] = {}
    for line in lines:
        for caveat in line["score"].caveats if line["score"] else ():
            every.setdefault(caveat.partition(":")[0], caveat)
    return [caveat for about, caveat in every.items() if " of " not in about]
