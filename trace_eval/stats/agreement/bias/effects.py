"""Bias and noise of the judges of a report, from whatever their files allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.table import column
from trace_eval.stats.agreement.bias.difficulty import Difficulty, calls_by_item, difficulty
from trace_eval.stats.agreement.bias.length import LengthBias, length_bias
from trace_eval.stats.agreement.bias.position import PositionBias, join_orders, position_bias
from trace_eval.stats.agreement.bias.self_comparison import (
    SelfComparisons,
    self_comparisons,
    self_mask,
)
from trace_eval.stats.agreement.bias.verbosity import Verbosity, verbosity
from trace_eval.stats.agreement.judges import Judge
from trace_eval.stats.agreement.noise import JudgeNoise, noise


@dataclass(frozen=True)
class PositionRow:
    """Position bias of a judge; ``basis`` says how the two orders were joined."""

    judge: str
    dimension: str
    basis: str
    bias: PositionBias


@dataclass(frozen=True)
class LengthRow:
    """Length bias of a judge."""

    judge: str
    dimension: str
    bias: LengthBias


@dataclass(frozen=True)
class VerbosityRow:
    """Preference for more words, of a judge."""

    judge: str
    dimension: str
    bias: Verbosity


@dataclass(frozen=True)
class DifficultyRow:
    """Accuracy and bias of a judge by the distance between the mean human opinions."""

    judge: str
    dimension: str
    difficulty: Difficulty


@dataclass(frozen=True)
class SelfRow:
    """Self-comparisons of a judge."""

    judge: str
    dimension: str
    counts: SelfComparisons


@dataclass(frozen=True)
class NoiseRow:
    """Noise of a judge, or of the raters themselves."""

    judge: str
    dimension: str
    basis: str = field(metadata=column("from"))
    noise: JudgeNoise


def _widest(judge: Judge, fact: str) -> Opinions:
    """All judged items where the judgements know the fact, else the labelled ones."""
    return judge.own.first if fact in judge.own.facts else judge.joined


def position_rows(judge: Judge) -> Iterator[PositionRow]:
    """See :func:`positions`, over all judged items where the judgements know their clips."""
    yield from positions(judge.name, _widest(judge, "clip_a"))


def positions(judge: str, judged: Opinions) -> Iterator[PositionRow]:
    """By audio identity over the judgements, and by order over the calls of a run.

    Args:
        judge: its name.
        judged: one row per item.
    """
    clips = [judged.facts.get(name) for name in ("clip_a", "clip_b", "instruction_id")]
    if clips[0] is not None and clips[1] is not None:
        joined = np.array(join_orders(clips[0], clips[1], clips[2]), np.int64).reshape(-1, 2)
        if len(joined):
            for dimension, codes in judged.codes.items():
                bias = position_bias(codes[joined[:, 0]], codes[joined[:, 1]])
                yield PositionRow(judge, dimension, "audio identity", bias)
    if judged.calls is not None:
        yield from _call_order(judge, judged.calls)


def _call_order(name: str, opinions: Opinions) -> Iterator[PositionRow]:
    """Pairs that were asked in both orders; the n-th call of one order meets that of the other."""
    order, repeat = opinions.facts["order"], opinions.repeat
    assert repeat is not None
    index = {
        (key, side, sample.partition("/")[2]): row
        for row, (key, side, sample) in enumerate(
            zip(opinions.ids.tolist(), order.tolist(), repeat.tolist(), strict=True)
        )
    }
    both = [
        (row, index[key, "ba", sample])
        for (key, side, sample), row in index.items()
        if side == "ab" and (key, "ba", sample) in index
    ]
    if not both:
        return
    forth, back = np.array(both, np.int64).T
    for dimension, codes in opinions.codes.items():
        shown = codes[back]  # labels are in the pair's own A and B; B was shown first here
        shown = np.where((shown == 0) | (shown == 1), 1 - shown, shown).astype(np.int8)
        yield PositionRow(name, dimension, "calls", position_bias(codes[forth], shown))


def length_rows(judge: Judge, items: Opinions) -> Iterator[LengthRow]:
    """Per dimension, without self-comparisons; nothing where no duration is known."""
    a, b = judge.joined.facts.get("duration_a"), judge.joined.facts.get("duration_b")
    if a is None or b is None:
        return
    apart = self_mask(judge.joined.facts, len(items))
    for dimension, truth in items.agreed.items():
        predicted = judge.joined.codes.get(dimension)
        if predicted is not None:
            kept = np.where(apart, MISSING, truth).astype(np.int8)
            yield LengthRow(judge.name, dimension, length_bias(kept, predicted, a, b))


def verbosity_rows(judge: Judge, items: Opinions) -> Iterator[VerbosityRow]:
    """Per dimension, without self-comparisons; nothing where no transcript's length is known."""
    a, b = judge.joined.facts.get("tokens_a"), judge.joined.facts.get("tokens_b")
    if a is None or b is None:
        return
    apart = self_mask(judge.joined.facts, len(items))
    for dimension, truth in items.agreed.items():
        predicted = judge.joined.codes.get(dimension)
        if predicted is not None:
            kept = np.where(apart, MISSING, truth).astype(np.int8)
            yield VerbosityRow(judge.name, dimension, verbosity(kept, predicted, a, b))


def difficulty_rows(judge: Judge) -> Iterator[DifficultyRow]:
    """Per dimension of the calls; nothing where orders or mean opinions are not known."""
    a, b = judge.joined.facts.get("mos_a"), judge.joined.facts.get("mos_b")
    if a is None or b is None or judge.own.calls is None:
        return
    calls = judge.own.calls
    rows = judge.joined.find(calls.ids)
    facts = {
        name: np.where(rows >= 0, column[rows].astype(float), np.nan)
        for name, column in (("mos_a", a), ("mos_b", b))
    }
    for dimension, codes in calls.codes.items():
        result = calls_by_item(calls.ids, calls.facts["order"], codes, facts)
        parts = difficulty(*result) if result else None
        if parts is not None:
            yield DifficultyRow(judge.name, dimension, parts)


def self_rows(judge: Judge) -> Iterator[SelfRow]:
    """Per dimension, over all judged items; nothing where there is no self-comparison."""
    judged = _widest(judge, "system_a")
    mask = self_mask(judged.facts, len(judged))
    if mask.any():
        for dimension, codes in judged.codes.items():
            yield SelfRow(judge.name, dimension, self_comparisons(codes, mask))


def noise_rows(judge: Judge) -> Iterator[NoiseRow]:
    """Repeated judgements, and repeated calls within one order."""
    if judge.own.repeat is not None:
        yield from _noise(judge.name, "repeats", judge.own)
    if judge.own.calls is not None:
        yield from _noise(judge.name, "calls of one order", judge.own.calls)


def people_noise(labels: Opinions) -> Iterator[NoiseRow]:
    """Repeated labels of the same rater: the ceiling of every judge."""
    if labels.repeat is not None:
        yield from _noise("people", "repeats", labels)


def _noise(name: str, basis: str, table: Opinions) -> Iterator[NoiseRow]:
    item = _same_question(table)
    for dimension, codes in table.codes.items():
        result = noise(item, codes)
        if result.items:
            yield NoiseRow(name, dimension, basis, result)


def _same_question(table: Opinions) -> NDArray[np.int64]:
    """Rows of the same item, rater and order are repetitions of each other."""
    columns = [table.ids.tolist()]
    for values in (table.rater, table.facts.get("order")):
        if values is not None:
            columns.append(values.tolist())
    index: dict[object, int] = {}
    keys = zip(*columns, strict=True)
    return np.fromiter((index.setdefault(k, len(index)) for k in keys), np.int64, len(table))
