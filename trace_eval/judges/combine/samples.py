"""Opinions -> one score: samples of one judge reduced, several judges pooled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

from fusion import Numbers
from trace_eval.data.items import Item
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.score_estimates import (
    Reduced,
    commonest,
    element_means,
    majority_of,
    min_usable,
    pool,
    reduce_samples,
)
from trace_eval.data.scores import JudgeComponent, Score, ScoreEstimate, ScoreOpinion
from trace_eval.judges.ask.prices import sum_usage
from trace_eval.judges.base import score_fields
from trace_eval.judges.combine.orders import frame

#: Between the specs of several judges.
JOINED = " + "

#: Caveats of the lowest score, given without a call, because there is nothing to rate.
EMPTY = (
    "empty_candidate: the answer has no words, so it has the lowest score without being"
    " asked"
)
SILENT = "silent: nobody can be heard, so it has the lowest score without being asked"


def score_of(
    item: Item,
    rubric: ScoreRubric,
    judge: str,
    opinions: Sequence[ScoreOpinion],
    min_samples: int | None = None,
    **more: Any,
) -> Score:
    """Make the score of one judge's samples, an opinion each.

    Args:
        item, rubric, judge, opinions: what was rated, by what and whom, and the samples
            in order.
        min_samples: usable samples that make a score; None: the rubric's, else more
            than half.
        more: further fields of the record; ``caveats`` are put before ours.
    """
    count, used = len(opinions), sum(opinion.reason is None for opinion in opinions)
    wanted = min_samples or rubric.min_samples
    minimum = min_usable(count) if wanted is None else min(wanted, count)
    enough = (f"{used} of {count} samples are usable", opinions, minimum)
    fields, usable = frame(opinions, [enough], "samples")
    record = {
        **score_fields(item, rubric, judge),
        "samples": count,
        "used": used,
        **more,
    }
    record |= fields
    if not usable:
        return Score(**record)
    scores = [opinion.score for opinion in opinions]
    reduced = reduce_samples(scores, rubric.numbers, rubric.reduce, minimum)
    assert reduced is not None
    caveats = list(more.get("caveats", ())) + list(fields["caveats"])
    if len(reduced.distribution) == 2 and reduced.majority is None:
        caveats.append("undecided: exactly half of the samples say each")
    record |= values_of(reduced, rubric.numbers)
    record["elements"] = element_means([opinion.elements for opinion in usable])
    record["caveats"] = caveats
    return Score(**record)


def stated_score(
    item: Item, rubric: ScoreRubric, judge: str, reduced: Reduced, **more: Any
) -> Score:
    """Make the score of a judge that states a distribution instead of being sampled."""
    record = score_fields(item, rubric, judge) | values_of(reduced, rubric.numbers)
    record |= {"status": "scored", "used": 1, "samples": 1, **more}
    return Score(**record)


def lowest_score(item: Item, rubric: ScoreRubric, judge: str, reason: Reason) -> Score:
    """Make the lowest score, of an answer with nothing in it; no judge was called."""
    scale = rubric.numbers
    return Score(
        **score_fields(item, rubric, judge),
        status="scored",
        reason=reason,
        value=float(scale.low),
        distribution=shares({float(scale.low): 1.0}, scale),
        majority=scale.labels[0] if len(scale.labels) == 2 else None,
        estimate=ScoreEstimate(mean=0.0, variance=0.0, within=0.0),
        silent=reason is Reason.SILENT,
        caveats=[SILENT if reason is Reason.SILENT else EMPTY],
    )


def values_of(reduced: Reduced, scale: Numbers) -> dict[str, Any]:
    """Return the fields of a record that depend on its samples."""
    return {
        "value": reduced.value,
        "sd": reduced.sd,
        "majority": None if reduced.majority is None else scale.parse(reduced.majority),
        "distribution": shares(reduced.distribution, scale),
        "estimate": ScoreEstimate(
            mean=reduced.mean, variance=reduced.variance, within=reduced.variance
        ),
    }


def shares(distribution: dict[float, float], scale: Numbers) -> dict[str, float]:
    """Write a distribution as records hold it: every label of the scale, as text."""
    return {f"{label:g}": distribution.get(float(label), 0.0) for label in scale.labels}


def _mixture_of_shares(scored: Sequence[Score], scale: Numbers) -> dict[float, float]:
    """Return the mean share of each label, in which every judge weighs alike."""
    share_of_judge = 1 / len(scored)
    mixture: dict[float, float] = {}
    for label in scale.labels:
        parts: list[float] = []
        for score in scored:
            distribution = score.distribution or {}
            parts.append(share_of_judge * distribution.get(f"{label:g}", 0.0))
        mixture[float(label)] = math.fsum(parts)
    return mixture


def pooled(item: Item, rubric: ScoreRubric, parts: Sequence[Score]) -> Score:
    """Pool several judges into one record: a mixture of their distributions.

    Judges without a score are left out and named in a caveat; the others share their
    weight.
    """
    scale = rubric.numbers
    scored = [part for part in parts if part.status == "scored"]
    opinions: list[ScoreOpinion] = []
    for part in parts:
        for opinion in part.opinions:
            opinions.append(opinion.model_copy(update={"judge": part.judge}))
    judge = JOINED.join(part.judge for part in parts)
    common = score_fields(item, rubric, judge) | {
        "opinions": opinions,
        "samples": sum(part.samples for part in parts),
        "used": sum(part.used for part in parts),
        "usage": sum_usage([part.usage for part in parts]),
        "cropped": any(part.cropped for part in parts),
        "silent": any(part.silent for part in parts),
    }
    if not scored:
        commonest_reason = commonest(part.reason for part in parts)
        first = next(part for part in parts if part.reason is commonest_reason)
        message = (
            f"none of {len(parts)} judges has a score; {first.judge}: {first.detail}"
        )
        return Score(
            **common,
            status="unscored",
            reason=commonest_reason,
            detail=message,
            parts=_parts(parts, {}),
        )
    share = 1 / len(scored)
    distribution = _mixture_of_shares(scored, scale)
    estimates = [part.estimate for part in scored if part.estimate]
    mixture = pool(estimates, [1.0] * len(scored))
    majority = majority_of(distribution)
    reason = None
    if all(part.reason for part in scored):
        reason = scored[0].reason
    caveats = list(dict.fromkeys(chain.from_iterable(part.caveats for part in parts)))
    missing = [part.judge for part in parts if part.status != "scored"]
    if missing:
        caveats.append(
            f"pooled without {', '.join(missing)}: no score; the others weigh more"
        )
    return Score(
        **common,
        status="scored",
        reason=reason,
        value=scale.value(mixture.mean),
        majority=None if majority is None else scale.parse(majority),
        distribution=shares(distribution, scale),
        elements=element_means([part.elements for part in scored]),
        parts=_parts(parts, {part.judge: share for part in scored}),
        estimate=mixture,
        caveats=caveats,
    )


def _parts(parts: Sequence[Score], weights: dict[str, float]) -> list[JudgeComponent]:
    components: list[JudgeComponent] = []
    for part in parts:
        mean = variance = None
        if part.estimate:
            mean = part.estimate.mean
            variance = part.estimate.variance
        component = JudgeComponent(
            judge=part.judge,
            weight=weights.get(part.judge),
            value=part.value,
            sd=part.sd,
            used=part.used,
            samples=part.samples,
            mean=mean,
            variance=variance,
            reason=part.reason,
            detail=part.detail,
        )
        components.append(component)
    return components
