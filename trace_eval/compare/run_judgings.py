"""The judging of a run folder: verdicts on pairs, or scores of single answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from typing import Any

import numpy as np

from blueprints import UserError
from trace_eval.compare.judgings import ABSENT, Ceiling, Judging
from trace_eval.data import jsonl, strict_json
from trace_eval.data.answers import Answer
from trace_eval.data.items import Pair, Single
from trace_eval.data.judgement import Judgement
from trace_eval.data.scores import Score
from trace_eval.estimate.arrays import Array
from trace_eval.opinions.cells import Texts, texts_of
from trace_eval.opinions.codes import MISSING, Codes
from trace_eval.opinions.instructions import questions_of
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
    all_judgements = run.judgements()
    all_pairs = {pair.id: pair for pair in run.pairs()}
    ids = table.ids.tolist()
    judgements = [all_judgements[name] for name in ids]
    pairs = [all_pairs[name] for name in ids]
    why_missing = texts_of([_why_missing(judgement) for judgement in judgements])
    codes: dict[str, Codes] = {}
    reasons: dict[str, Texts] = {}
    for name, column in table.codes.items():
        is_missing = column == MISSING
        is_whole = name in ("overall", "preference")
        if is_whole or not is_missing.all():
            codes[f"pair.{name}"] = column
            reasons[f"pair.{name}"] = np.where(is_missing, why_missing, np.array(None))
    facts = dict(table.facts)
    facts |= _facts(pairs, [[judgement] for judgement in judgements])
    facts["answer_a"] = _recordings(table, "clip_a", [pair.a for pair in pairs])
    facts["answer_b"] = _recordings(table, "clip_b", [pair.b for pair in pairs])
    durations = [facts[name] for name in ("duration_a", "duration_b") if name in facts]
    if durations:
        facts["length"] = np.fmax.reduce(durations)
    label_sets = {one.label_set for one in judgements if one.status == "scored"}
    judging = Judging(
        source=run.folder.resolve().name,
        ids=table.ids,
        codes=codes,
        facts=facts,
        reasons=reasons,
        record=run.record(),
        label_sets=tuple(sorted(label_sets)),
        evidence=_evidence(run)[0],
    )
    return with_labels(judging, table.labels)


def _why_missing(judgement: Judgement) -> str:
    """Say why a judgement has no label in some column."""
    if judgement.status == "scored":
        return "no_rating"
    return str(judgement.reason or "incomplete")


def _recordings(table: Opinions, clips: str, answers: Sequence[Answer]) -> Texts:
    """Return what identifies answers: their clips, or else their sources."""
    names = [answer.source_id for answer in answers]
    for row, clip in enumerate(table.facts.get(clips, ())):
        names[row] = clip or names[row]
    return texts_of(names)


def _scores(run: Run) -> Judging:
    scored: dict[str, dict[str, Score]] = {}
    for score in run.scores():
        scored.setdefault(score.rubric, {})[score.item] = score
    if not scored:
        raise UserError(
            f"{run.folder}: the run has no scores yet; repeat the trace-eval rate that"
            " began it, or name another run"
        )
    record = run.record()
    rubrics = run.rubrics()
    judged_ids: set[str] = set()
    for by_item in scored.values():
        judged_ids.update(by_item)
    items = [item for item in run.singles() if item.id in judged_ids]
    points: dict[str, Array] = {}
    reasons: dict[str, Texts] = {}
    scale = None
    for rubric, by_item in scored.items():
        scores = [by_item.get(item.id) for item in items]
        numbers = rubrics[rubric].numbers
        values = np.array([_value(score) for score in scores], float)
        points[f"{rubric}.score"] = places_on(values, numbers)
        reasons[f"{rubric}.score"] = texts_of([_reason(score) for score in scores])
        scale = numbers if len(scored) == 1 else None
    evidence, durations = _evidence(run)
    clips = {source: clip.clip for source, clip in run.clips().items()}
    item_facts = {
        "instruction_id": questions_of(items),
        "category": [item.category for item in items],
        "system_a": [item.system for item in items],
    }
    facts: dict[str, Array] = {}
    for name, column in item_facts.items():
        if any(column):
            facts[name] = texts_of(column)
    answers: list[str] = []
    scores_of_items: list[list[Score]] = []
    for item in items:
        recordings = [clips.get(source) or source for source in _sources(item)]
        answers.append(_hash([item.answer.text, recordings]))
        scores_of_item: list[Score] = []
        for by_item in scored.values():
            if item.id in by_item:
                scores_of_item.append(by_item[item.id])
        scores_of_items.append(scores_of_item)
    facts |= _facts(items, scores_of_items)
    facts["answer_a"] = texts_of(answers)
    length, unit = _lengths(items, clips, durations)
    if length is not None:
        facts["length"] = length
    hashes = [f"{name} {spec.get('sha256')}" for name, spec in record.rubrics.items()]
    judging = Judging(
        source=run.folder.resolve().name,
        ids=texts_of([item.id for item in items]),
        codes={},
        facts=facts,
        scores=points,
        reasons=reasons,
        length_unit=unit,
        scale=scale,
        record=record,
        label_sets=tuple(sorted(hashes)),
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
    if not labels.codes:
        return _with_ratings(judging, rated(labels))
    ceiling: Ceiling | None = None
    if among := human_ceiling(labels):
        ceiling = Ceiling(among.pairs, among.agreement, among.kappa)
    return replace(judging, labels=labels, ceiling=ceiling)


def _with_ratings(judging: Judging, ratings: Opinions) -> Judging:
    """Add the mean human rating of each item, 0 to 1, and how far raters differ."""
    if judging.scale is None or not len(ratings):
        return judging
    low = judging.scale.low
    high = judging.scale.high
    places: dict[str, list[float]] = {}
    values = values_of(ratings).tolist()
    for name, value in zip(ratings.ids.tolist(), values, strict=True):
        if not low <= value <= high:
            raise UserError(
                f"{ratings.source}: rating of item {name!r:.60} is {value:g}, and"
                f" {judging.source} scores from {low:g} to {high:g}; give ratings by"
                " the same rubric"
            )
        places.setdefault(name, []).append((value - low) / (high - low))
    means = np.full(len(judging), np.nan)
    gaps: list[float] = []
    for row, name in enumerate(judging.ids.tolist()):
        if name in places:
            means[row] = np.mean(places[name])
            gaps += [abs(one - other) for one, other in combinations(places[name], 2)]
    if np.isnan(means).all():
        return judging
    ceiling: Ceiling | None = None
    if gaps:
        ceiling = Ceiling(len(gaps), error=float(np.mean(gaps)))
    facts = dict(judging.facts)
    facts["rated"] = means
    return replace(judging, facts=facts, ceiling=ceiling)


def _facts(
    items: Sequence[Pair | Single],
    records_of_items: Sequence[Sequence[Judgement | Score]],
) -> dict[str, Array]:
    """Collect the facts of :class:`Judging` that items and their records give."""
    replies: list[str | None] = []
    hashes: list[str] = []
    are_cached: list[bool] = []
    are_sure: list[bool] = []
    for records in records_of_items:
        replies.append(_replies(records))
        hashes.append(_hash([record.model_dump(mode="json") for record in records]))
        are_cached.append(any(map(_is_cached, records)))
        are_sure.append(all(map(_is_sure, records)))
    return {
        "question": texts_of([_question(item) for item in items]),
        "replies": texts_of(replies),
        "copies": texts_of(hashes),
        "cached": np.array(are_cached, bool),
        "sure": np.array(are_sure, bool),
        "severe": np.array([_is_severe(item) for item in items], bool),
    }


def _lengths(
    items: Sequence[Single],
    clips: Mapping[str, str | None],
    durations: Mapping[str, float],
) -> tuple[Array | None, str]:
    """Return each answer's seconds; its words where no answer is a recording."""
    seconds_of_items: list[float] = []
    has_recordings = False
    for item in items:
        total = 0.0
        for source in _sources(item):
            seconds = durations.get(clips.get(source) or "")
            if seconds is not None:
                has_recordings = True
                total += seconds
        seconds_of_items.append(total or np.nan)
    if has_recordings:
        return np.array(seconds_of_items, float), "s"
    texts = [item.answer.text for item in items]
    if not any(texts):
        return None, "s"
    words_of_items: list[float] = []
    for text in texts:
        words_of_items.append(np.nan if text is None else len(text.split()))
    return np.array(words_of_items, float), "words"


def _value(score: Score | None) -> float:
    """Return the number that an item got; NaN where it got none."""
    if score is None or score.value is None:
        return float("nan")
    return score.value


def _reason(score: Score | None) -> str | None:
    if score is None:
        return ABSENT
    if score.value is not None:
        return None
    return str(score.reason or "incomplete")


def _sources(item: Single) -> list[str]:
    return [recording.source_id for recording in item.answer_recordings.values()]


def _question(item: Pair | Single) -> str:
    """Hash a question's words, or its recording where it has no words."""
    parts: list[Any] = [item.instruction.text or item.instruction.source_id]
    if isinstance(item, Single):
        parts += [list(item.reference), item.context]
    return _hash(parts)


def _hash(value: Any) -> str:
    return sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()


def _replies(records: Sequence[Judgement | Score]) -> str | None:
    """Hash of the raw replies; None where no model replied."""
    raw: list[str] = []
    for record in records:
        raw += [one.raw for one in record.opinions if one.raw is not None]
    return _hash(raw) if raw else None


def _is_cached(record: Judgement | Score) -> bool:
    return any(opinion.cached for opinion in record.opinions)


def _is_sure(record: Judgement | Score) -> bool:
    """Say whether there are several samples that are all equal."""
    if isinstance(record, Score):
        return record.sd == 0
    answers = [opinion.ratings for opinion in record.opinions if opinion.ratings]
    if len(answers) < 2:
        return False
    first = answers[0]
    return all(ratings == first for ratings in answers)


def _is_severe(item: Pair | Single) -> bool:
    """Tell whether an item's meta has ``"severe": true``, or a word of ``tags``."""
    if item.meta.get("severe") is True:
        return True
    tags = item.meta.get("tags")
    return isinstance(tags, list) and "severe" in tags


def _evidence(run: Run) -> tuple[dict[str, str], dict[str, float]]:
    """Clip -> hash of its blueprint, and clip -> seconds."""
    path = run.path("blueprints.jsonl")
    hashes: dict[str, str] = {}
    seconds: dict[str, float] = {}
    for line in jsonl.read(path):
        record = strict_json.record(line, path)
        clip = record["clip"]
        hashes[clip] = sha256(line.encode()).hexdigest()
        signal = record.get("signal")
        duration = signal.get("duration_s") if isinstance(signal, dict) else None
        if isinstance(duration, int | float):
            seconds[clip] = float(duration)
    return hashes, seconds
