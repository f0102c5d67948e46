"""The judging that a run folder holds: verdicts on pairs, or scores of single answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from blueprints import UserError
from fusion import numbers
from trace_eval.compare.judgings import ABSENT, Array, Ceiling, Judging
from trace_eval.data import jsonl, strict_json
from trace_eval.data.items import Single
from trace_eval.data.judgement import Judgement
from trace_eval.data.pairs import Pair
from trace_eval.data.scores import Score
from trace_eval.opinions.cells import Texts, texts_of
from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import ratings_of_items
from trace_eval.opinions.scale import rated, values_of
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.run import Run
from trace_eval.stats.agreement.levels import human_ceiling


def pairs_judging(run: Run) -> Judging:
    """The judging that a run of pairs holds.

    Raises:
        UserError: there are no judgements in it.
    """
    table = read_opinions(run.folder)
    judged = run.judgements()
    pairs = {pair.id: pair for pair in run.pairs()}
    ids = table.ids.tolist()
    results, items = [judged[name] for name in ids], [pairs[name] for name in ids]
    why = [str(j.reason or "incomplete") if j.status != "scored" else None for j in results]
    codes = {
        f"pair.{name}": column
        for name, column in table.codes.items()
        if (column != MISSING).any() or name in ("overall", "preference")
    }
    facts = {
        **table.facts,
        "asked": texts_of([_asked(pair) for pair in items]),
        "replies": texts_of([_raw(j) for j in results]),
        "copies": texts_of([_hash(j.model_dump(mode="json")) for j in results]),
        "cached": np.array([any(o.cached for o in j.opinions) for j in results], bool),
        "sure": np.array([_all_equal(j) for j in results], bool),
        "severe": np.array([_is_severe(pair) for pair in items], bool),
    }
    for side in "ab":
        clips = table.facts.get(f"clip_{side}", [None] * len(ids))
        answers = [getattr(pair, side).source_id for pair in items]
        facts[f"answer_{side}"] = texts_of([c or a for c, a in zip(clips, answers, strict=True)])
    durations = [facts[name] for name in ("duration_a", "duration_b") if name in facts]
    if durations:
        facts["length"] = np.fmax.reduce(durations)
    return Judging(
        source=_name(run.folder),
        ids=table.ids,
        codes=codes,
        facts=facts,
        reasons={
            name: texts_of(
                [
                    None if code != MISSING else r or "no_rating"
                    for code, r in zip(column, why, strict=True)
                ]
            )
            for name, column in codes.items()
        },
        labels=table.labels,
        record=run.record(),
        label_sets=tuple(sorted({j.label_set for j in results if j.status == "scored"})),
        evidence=_evidence(run)[0],
        ceiling=pair_ceiling(table.labels),
    )


def pair_ceiling(labels: Opinions | None) -> Ceiling | None:
    """Agreement of two raters on the overall label of one pair."""
    result = human_ceiling(labels) if labels is not None else None
    return None if result is None else Ceiling(result.pairs, result.agreement, result.kappa)


def scores_judging(run: Run) -> Judging:
    """The judging that a run of scores holds.

    Raises:
        UserError: there are no scores in it.
    """
    items = {item.id: item for item in run.singles()}
    scored: dict[str, dict[str, Score]] = {}
    for score in run.scores():
        scored.setdefault(score.rubric, {})[score.item] = score
    if not scored:
        raise UserError(f"{run.folder}: the run has no scores yet; run `trace-eval rate` first")
    record, rubrics = run.record(), run.rubrics()
    ids = [name for name in items if any(name in of for of in scored.values())]
    mine = [items[name] for name in ids]
    points, reasons, scale = {}, {}, None
    for rubric, of in scored.items():
        results = [of.get(name) for name in ids]
        labels = rubrics[rubric].scale.labels
        low, high = min(labels), max(labels)
        values = [np.nan if s is None or s.value is None else s.value for s in results]
        points[f"{rubric}.score"] = (np.array(values, float) - low) / (high - low)
        reasons[f"{rubric}.score"] = texts_of([_reason(s) for s in results])
        scale = numbers(labels) if len(scored) == 1 else None
    every = [[of[name] for of in scored.values() if name in of] for name in ids]
    evidence, durations = _evidence(run)
    length, unit = _lengths(mine, run, durations)
    facts = {
        **_single_facts(mine, run),
        "replies": texts_of([_raw(*scores) for scores in every]),
        "copies": texts_of(
            [_hash([s.model_dump(mode="json") for s in scores]) for scores in every]
        ),
        "cached": np.array([any(o.cached for s in scores for o in s.opinions) for scores in every]),
        "sure": np.array([all(s.sd == 0 for s in scores) for scores in every], bool),
        "severe": np.array([_is_severe(item) for item in mine], bool),
        **({} if length is None else {"length": length}),
    }
    judging = Judging(
        source=_name(run.folder),
        ids=texts_of(ids),
        codes={},
        facts=facts,
        scores=points,
        reasons=reasons,
        length_unit=unit,
        scale=scale,
        record=record,
        label_sets=tuple(sorted(f"{k} {v.get('sha256')}" for k, v in record.rubrics.items())),
        evidence=evidence,
    )
    return with_ratings(judging, ratings_of_items(str(run.folder), mine))


def with_ratings(judging: Judging, ratings: Opinions) -> Judging:
    """The judging with human ratings of its items; unchanged where there are none.

    Raises:
        UserError: a rating is off the scale of the scores.
    """
    ratings = rated(ratings)
    if judging.scale is None or not len(ratings):
        return judging
    low, high = judging.scale.low, judging.scale.high
    provided: dict[str, list[float]] = {}
    for name, value in zip(ratings.ids.tolist(), values_of(ratings).tolist(), strict=True):
        if not low <= value <= high:
            raise UserError(
                f"{ratings.source}: rating of item {name!r:.60} is {value:g}, and {judging.source}"
                f" scores from {low:g} to {high:g}; give ratings by the same rubric"
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


def _lengths(
    items: Sequence[Single], run: Run, durations: Mapping[str, float]
) -> tuple[Array | None, str]:
    """Seconds of each answer's recordings; words where no answer is a recording."""
    clips = {source: record.clip for source, record in run.clips().items()}
    seconds = [[durations.get(clips.get(s) or "") for s in _sources(item)] for item in items]
    if any(value is not None for result in seconds for value in result):
        available = [sum(v for v in result if v) or np.nan for result in seconds]
        return np.array(available, float), "s"
    words = [item.answer.text for item in items]
    if not any(words):
        return None, "s"
    return np.array([np.nan if t is None else len(t.split()) for t in words], float), "words"


def _reason(score: Score | None) -> str | None:
    if score is None:
        return ABSENT
    return None if score.value is not None else str(score.reason or "incomplete")


def _single_facts(items: Sequence[Single], run: Run) -> dict[str, Texts]:
    clips = {source: record.clip for source, record in run.clips().items()}
    facts: dict[str, list[Any]] = {
        "instruction_id": [item.question_id for item in items],
        "category": [item.category for item in items],
        "system_a": [item.system for item in items],
    }
    facts = {name: column for name, column in facts.items() if any(column)}
    facts["asked"] = [_asked(item) for item in items]
    facts["answer_a"] = [
        _hash([item.answer.text, [clips.get(s) or s for s in _sources(item)]]) for item in items
    ]
    return {name: texts_of(column) for name, column in facts.items()}


def _sources(item: Single) -> list[str]:
    return [recording.source_id for recording in item.answer_recordings.values()]


def _asked(item: Pair | Single) -> str:
    """Hash of what the systems were asked: words and, where there are none, the recording."""
    requested = item.instruction
    what: list[Any] = [requested.text or requested.source_id]
    if isinstance(item, Single):
        what += [list(item.reference), item.context]
    return _hash(what)


def _hash(value: Any) -> str:
    return sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()


def _raw(*made: Judgement | Score) -> str | None:
    """Hash of the raw replies; None where no model replied."""
    raw = [o.raw for each in made for o in each.opinions if o.raw is not None]
    return _hash(raw) if raw else None


def _all_equal(judgement: Judgement) -> bool:
    """Several samples that all say the same."""
    said = [o.ratings for o in judgement.opinions if o.ratings]
    return len(said) > 1 and all(ratings == said[0] for ratings in said)


def _is_severe(item: Pair | Single) -> bool:
    """Tagged ``"severe": true`` in its meta, or by a word of ``tags``."""
    tags = item.meta.get("tags")
    return item.meta.get("severe") is True or (isinstance(tags, list) and "severe" in tags)


def _evidence(run: Run) -> tuple[dict[str, str], dict[str, float]]:
    """Clip -> hash of its blueprint, and clip -> seconds."""
    path = run.path("blueprints.jsonl")
    hashes, seconds = {}, {}
    for line in jsonl.read(path):
        record = strict_json.record(line, path)
        hashes[record["clip"]] = sha256(line.encode()).hexdigest()
        signal = record.get("signal")
        if isinstance(signal, dict) and isinstance(signal.get("duration_s"), int | float):
            seconds[record["clip"]] = float(signal["duration_s"])
    return hashes, seconds


def _name(folder: Path) -> str:
    return folder.resolve().name
