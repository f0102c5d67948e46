"""The judging of a run folder: verdicts on pairs, or scores of single answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.compare.judgings import ABSENT, Ceiling, Judging
from trace_eval.data import jsonl, strict_json
from trace_eval.data.items import Pair, Single
from trace_eval.data.judgement import Judgement
from trace_eval.data.scores import Score
from trace_eval.estimate.arrays import Array
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import places_on, rated, ratings_of_items, values_of
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.run import Run
from trace_eval.stats.agreement.levels import human_ceiling


def run_judging(run: Run) -> Judging:
    """Read a run's judging; raise UserError where nothing has been judged."""
    return _scores(run) if run.holds_scores else _verdicts(run)


def _verdicts(run: Run) -> Judging:
    table = read_opinions(run.folder)
    judged, pairs = run.judgements(), {pair.id: pair for pair in run.pairs()}
    ids = table.ids.tolist()
    results, items = [judged[name] for name in ids], [pairs[name] for name in ids]
    why = texts_of(
        [
            "no_rating" if j.status == "scored" else str(j.reason or "incomplete")
            for j in results
        ]
    )
    codes = {
        f"pair.{name}": column
        for name, column in table.codes.items()
        if (column != MISSING).any() or name in ("overall", "preference")
    }
    facts = {**table.facts, **_facts(items, [[judgement] for judgement in results])}
    for side in "ab":
        clips = table.facts.get(f"clip_{side}", [None] * len(ids))
        answers = [getattr(pair, side).source_id for pair in items]
        facts[f"answer_{side}"] = texts_of(
            [c or a for c, a in zip(clips, answers, strict=True)]
        )
    durations = [facts[name] for name in ("duration_a", "duration_b") if name in facts]
    if durations:
        facts["length"] = np.fmax.reduce(durations)
    judging = Judging(
        source=run.folder.resolve().name,
        ids=table.ids,
        codes=codes,
        facts=facts,
        reasons={
            name: np.where(own == MISSING, why, np.array(None))
            for name, own in codes.items()
        },
        record=run.record(),
        label_sets=tuple(
            sorted({j.label_set for j in results if j.status == "scored"})
        ),
        evidence=_evidence(run)[0],
    )
    return with_labels(judging, table.labels)


def _scores(run: Run) -> Judging:
    scored: dict[str, dict[str, Score]] = {}
    for score in run.scores():
        scored.setdefault(score.rubric, {})[score.item] = score
    if not scored:
        raise UserError(
            f"{run.folder}: the run has no scores yet; run `trace-eval rate` first"
        )
    record, rubrics = run.record(), run.rubrics()
    judged_ids: set[str] = set().union(*scored.values())
    items = [item for item in run.singles() if item.id in judged_ids]
    points, reasons, scale = {}, {}, None
    for rubric, of in scored.items():
        results = [of.get(item.id) for item in items]
        of_rubric = rubrics[rubric].numbers
        values = [np.nan if s is None or s.value is None else s.value for s in results]
        points[f"{rubric}.score"] = places_on(np.array(values, float), of_rubric)
        reasons[f"{rubric}.score"] = texts_of([_reason(s) for s in results])
        scale = of_rubric if len(scored) == 1 else None
    evidence, durations = _evidence(run)
    clips = {source: record.clip for source, record in run.clips().items()}
    length, unit = _lengths(items, clips, durations)
    available = {
        "instruction_id": [item.question_id for item in items],
        "category": [item.category for item in items],
        "system_a": [item.system for item in items],
    }
    answers: list[str] = []
    scores_of_items: list[list[Score]] = []
    for item in items:
        recordings = [clips.get(source) or source for source in _sources(item)]
        answers.append(_hash([item.answer.text, recordings]))
        scores_of_items.append([of[item.id] for of in scored.values() if item.id in of])
    judging = Judging(
        source=run.folder.resolve().name,
        ids=texts_of([item.id for item in items]),
        codes={},
        facts={
            **{
                name: texts_of(column)
                for name, column in available.items()
                if any(column)
            },
            **_facts(items, scores_of_items),
            "answer_a": texts_of(answers),
            **({} if length is None else {"length": length}),
        },
        scores=points,
        reasons=reasons,
        length_unit=unit,
        scale=scale,
        record=record,
        label_sets=tuple(
            sorted(f"{k} {v.get('sha256')}" for k, v in record.rubrics.items())
        ),
        evidence=evidence,
    )
    return with_labels(judging, ratings_of_items(str(run.folder), items))


def with_labels(judging: Judging, labels: Opinions | None) -> Judging:
    """Replace a judging's human labels, or human ratings of its items, by these.

    Raises:
        UserError: a rating is off the scale of the scores.
    """
    if labels is None:
        return judging
    if labels.codes:
        among = human_ceiling(labels)
        ceiling = Ceiling(among.pairs, among.agreement, among.kappa) if among else None
        return replace(judging, labels=labels, ceiling=ceiling)
    ratings = rated(labels)
    if judging.scale is None or not len(ratings):
        return judging
    low, high = judging.scale.low, judging.scale.high
    provided: dict[str, list[float]] = {}
    for name, value in zip(
        ratings.ids.tolist(), values_of(ratings).tolist(), strict=True
    ):
        if not low <= value <= high:
            raise UserError(
                f"{ratings.source}: rating of item {name!r:.60} is {value:g}, and"
                f" {judging.source} scores from {low:g} to {high:g}; give ratings by"
                " the same rubric"
            )
        provided.setdefault(name, []).append((value - low) / (high - low))
    own = [provided.get(name, []) for name in judging.ids.tolist()]
    if not any(own):
        return judging
    gaps = [abs(x - y) for values in own for x, y in combinations(values, 2)]
    mean = np.array([float(np.mean(values)) if values else np.nan for values in own])
    return replace(
        judging,
        facts={**judging.facts, "rated": mean},
        ceiling=Ceiling(len(gaps), error=float(np.mean(gaps))) if gaps else None,
    )


def _facts(
    items: Sequence[Pair | Single], made: Sequence[Sequence[Judgement | Score]]
) -> dict[str, NDArray[Any]]:
    """Collect the facts of :class:`Judging` that items and their records give."""
    hashes: list[str] = []
    cached: list[bool] = []
    for every in made:
        hashes.append(_hash([each.model_dump(mode="json") for each in every]))
        cached.append(
            any(opinion.cached for each in every for opinion in each.opinions)
        )
    return {
        "question": texts_of([_question(item) for item in items]),
        "replies": texts_of([_replies(every) for every in made]),
        "copies": texts_of(hashes),
        "cached": np.array(cached, bool),
        "sure": np.array([all(map(_is_sure, every)) for every in made], bool),
        "severe": np.array([_is_severe(item) for item in items], bool),
    }


def _lengths(
    items: Sequence[Single],
    clips: Mapping[str, str | None],
    durations: Mapping[str, float],
) -> tuple[Array | None, str]:
    """Return each answer's seconds; its words where no answer is a recording."""
    totals: list[float] = []
    any_known = False
    for item in items:
        lengths = [durations.get(clips.get(source) or "") for source in _sources(item)]
        known = [length for length in lengths if length is not None]
        any_known = any_known or bool(known)
        totals.append(sum(known) or np.nan)
    if any_known:
        return np.array(totals, float), "s"
    words = [item.answer.text for item in items]
    if not any(words):
        return None, "s"
    return np.array(
        [np.nan if t is None else len(t.split()) for t in words], float
    ), "words"


def _reason(score: Score | None) -> str | None:
    if score is None:
        return ABSENT
    return None if score.value is not None else str(score.reason or "incomplete")


def _sources(item: Single) -> list[str]:
    return [recording.source_id for recording in item.answer_recordings.values()]


def _question(item: Pair | Single) -> str:
    """Hash of the question: its words and, where there are none, its recording."""
    what: list[Any] = [item.instruction.text or item.instruction.source_id]
    if isinstance(item, Single):
        what += [list(item.reference), item.context]
    return _hash(what)


def _hash(value: Any) -> str:
    return sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()


def _replies(made: Sequence[Judgement | Score]) -> str | None:
    """Hash of the raw replies; None where no model replied."""
    raw = [o.raw for each in made for o in each.opinions if o.raw is not None]
    return _hash(raw) if raw else None


def _is_sure(made: Judgement | Score) -> bool:
    """Say whether there are several samples that are all equal."""
    if isinstance(made, Score):
        return made.sd == 0
    answers = [o.ratings for o in made.opinions if o.ratings]
    return len(answers) > 1 and all(ratings == answers[0] for ratings in answers)


def _is_severe(item: Pair | Single) -> bool:
    """Tell whether an item's meta has ``"severe": true``, or a word of ``tags``."""
    tags = item.meta.get("tags")
    return item.meta.get("severe") is True or (
        isinstance(tags, list) and "severe" in tags
    )


def _evidence(run: Run) -> tuple[dict[str, str], dict[str, float]]:
    """Clip -> hash of its blueprint, and clip -> seconds."""
    path = run.path("blueprints.jsonl")
    hashes, seconds = {}, {}
    for line in jsonl.read(path):
        record = strict_json.record(line, path)
        hashes[record["clip"]] = sha256(line.encode()).hexdigest()
        signal = record.get("signal")
        if isinstance(signal, dict) and isinstance(
            signal.get("duration_s"), int | float
        ):
            seconds[record["clip"]] = float(signal["duration_s"])
    return hashes, seconds
