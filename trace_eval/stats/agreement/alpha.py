"""Krippendorff's alpha for several raters with missing labels.

Source: Krippendorff (2011), Computing Krippendorff's alpha-reliability. The tests
compare with the package ``krippendorff``, which makes a matrix for each item. Nominal
alpha is over the labels as given. Ordinal and interval alpha need an order, which typed
ties do not have (``both_good`` and ``both_bad`` are both "no preference"): they are
over the preference scale ``2 < tie < 1``, at -1, 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from trace_eval.estimate.arrays import Array, Reals
from trace_eval.opinions.codes import LABELS, MISSING, UNTYPED, Codes, collapse_codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers, crosstab, index_of
from trace_eval.show.table import column
from trace_eval.stats.agreement.counts import accuracy, defined, joint_counts, kappa
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.levels import drawn_agreement


@dataclass(frozen=True)
class Alpha:
    """Alpha over items that two raters or more labelled; None: not defined there."""

    nominal: float | None
    ordinal: float | None
    interval: float | None
    raters: int
    items: int


def alpha(item: WholeNumbers, codes: Codes, items: int, raters: int) -> Alpha:
    """Compute alpha of opinions' codes [shape=(n,)].

    Each is about an item from 0 to ``items - 1``.
    """
    present = codes != MISSING
    item = item[present]
    codes = codes[present]
    typed = crosstab(item, codes, items, len(LABELS))
    untyped = crosstab(item, collapse_codes(codes), items, len(UNTYPED))
    # columns 1, 2, tie -> the order of the preference scale: 2, tie, 1
    by_preference = untyped[:, [1, 2, 0]]
    positions = np.array([-1.0, 0.0, 1.0])
    return _of_counts(typed, by_preference, positions, raters)


def scale_alpha(
    item: WholeNumbers,
    label: WholeNumbers,
    items: int,
    positions: Reals,
    raters: int,
) -> Alpha:
    """Compute alpha of ratings on a numeric scale such as 1 to 5, ordinal and interval.

    Args:
        item, label: index of the rated item and of the label that it was given
            [shape=(n,)].
        positions: of the scale's labels, ascending [shape=(labels,)].
    """
    counts = crosstab(item, label, items, len(positions))
    return _of_counts(counts, counts, positions, raters)


def interval_alpha(item: WholeNumbers, value: Reals, items: int) -> float | None:
    """Compute interval alpha of values such as means of samples.

    alpha = 1 - D_o / D_e with squared differences: D_o the mean within items, weighted
    by their values, D_e that of all values (Krippendorff 2011). None: nobody ever
    differs.
    """
    count = np.bincount(item, minlength=items)
    is_shared = count[item] >= 2
    if not is_shared.any():
        return None
    item = item[is_shared]
    value = value[is_shared]
    value = value - value.mean()
    n = len(value)
    total = np.bincount(item, weights=value, minlength=items)
    square = np.bincount(item, weights=value**2, minlength=items)
    size = np.maximum(count, 1)
    squares_within = square - total**2 / size
    disagreement = 2 * squares_within * size / np.maximum(count - 1, 1)
    observed = disagreement.sum() / n
    squares_of_all = (value**2).sum() - value.sum() ** 2 / n
    expected = 2 * squares_of_all / (n - 1)
    if expected <= 1e-15:
        return None
    return float(1 - observed / expected)


def with_each_judge(
    item: WholeNumbers, values: Array, judges: Mapping[str, Array]
) -> Iterator[tuple[str, WholeNumbers, Array]]:
    """Yield name, items and values of the raters with each judge as one more rater.

    A judge has a value for each item.
    """
    for name, judge_values in judges.items():
        every_item = np.arange(len(judge_values))
        items_of_all = np.concatenate([item, every_item])
        values_of_all = np.concatenate([values, judge_values])
        yield f"people and {name}", items_of_all, values_of_all


def _of_counts(
    named: Array,
    ordered: Array,
    positions: Reals,
    raters: int,
) -> Alpha:
    return Alpha(
        nominal=_alpha(named, "nominal"),
        ordinal=_alpha(ordered, "ordinal"),
        interval=_alpha(ordered, "interval", positions),
        raters=raters,
        items=int((named.sum(1) >= 2).sum()),
    )


def _alpha(
    counts: Array,
    level: Literal["nominal", "ordinal", "interval"],
    positions: Reals | None = None,
) -> float | None:
    """Compute alpha from how often each item got each value [shape=(items, values)].

    ``observed`` and ``expected`` are the coincidence matrices [shape=(values, values)]:
    pairs of values within items, each item weighted by 1 / (its values - 1), and of all
    values. Distances are squared: of ``positions``, or of the values' mean ranks.
    """
    counts = counts[counts.sum(1) >= 2]
    if (counts.sum(0) > 0).sum() < 2:  # nobody ever differs: expected disagreement is 0
        return None
    weighted = counts / (counts.sum(1, keepdims=True) - 1)
    observed = weighted.T @ counts - np.diag(weighted.sum(0))
    values = observed.sum(1)
    expected = (np.outer(values, values) - np.diag(values)) / (values.sum() - 1)
    if level == "nominal":
        distance = 1 - np.eye(len(values))
    else:
        points = positions if positions is not None else np.cumsum(values) - values / 2
        distance = np.subtract.outer(points, points) ** 2
    return float(1 - (observed * distance).sum() / (expected * distance).sum())


@dataclass(frozen=True)
class JudgeNoise:
    """Agreement of repeated judgements of one item; None where no item was repeated.

    Attributes:
        items: items with at least two repetitions; ``opinions`` their number.
        pairwise: mean over items of the share of equal pairs, 0 to 1.
        unanimous: share of items whose repetitions all agree.
        retest: agreement of the first with the second repetition; ``retest_kappa``
            beyond chance.
    """

    items: int
    opinions: int
    pairwise: float | None = field(metadata=column("pairwise agreement"))
    unanimous: float | None
    retest: float | None = field(metadata=column("test-retest"))
    retest_kappa: float | None = field(metadata=column("test-retest kappa"))


def noise(item: WholeNumbers, codes: Codes) -> JudgeNoise:
    """Measure the noise of one label column.

    Mean pairwise agreement is the observed part of Fleiss (1971): per item the share of
    equal pairs among its repetitions. Test-retest takes the first two repetitions of
    every item as two raters. No judge can be expected to agree better with human labels
    than with itself. The codes, each about an item from 0, are in the order of the
    repetitions [shape=(n,)].
    """
    present = codes != MISSING
    item = item[present]
    codes = codes[present]
    items = int(item.max(initial=-1)) + 1
    votes = crosstab(item, codes, items, len(LABELS))
    is_repeated = votes.sum(1) >= 2
    votes = votes[is_repeated]
    repeats = votes.sum(1)
    if not len(votes):
        return JudgeNoise(
            items=0,
            opinions=0,
            pairwise=None,
            unanimous=None,
            retest=None,
            retest_kappa=None,
        )
    _, pairwise, _ = drawn_agreement(votes)
    is_unanimous = votes.max(1) == repeats
    first, second = _first_two(item, codes)
    table = joint_counts(first, second, len(LABELS))
    return JudgeNoise(
        items=len(votes),
        opinions=int(repeats.sum()),
        pairwise=pairwise,
        unanimous=float(is_unanimous.mean()),
        retest=float(accuracy(table)),
        retest_kappa=defined(float(kappa(table))),
    )


def _first_two(item: WholeNumbers, codes: Codes) -> tuple[Codes, Codes]:
    """Return the first and the second code of each item that has two."""
    order = np.argsort(item, kind="stable")
    item = item[order]
    codes = codes[order]
    begins_item = np.r_[True, item[1:] != item[:-1]]
    has_second = np.r_[item[1:] == item[:-1], False]
    first = np.flatnonzero(begins_item & has_second)
    return codes[first], codes[first + 1]


@dataclass(frozen=True)
class NoiseRow:
    """Noise of a judge, or of the raters themselves."""

    judge: str
    dimension: str
    basis: str = field(metadata=column("from"))
    noise: JudgeNoise


def noise_rows(judge: JudgeOpinions) -> Iterator[NoiseRow]:
    """Measure repeated judgements, and repeated calls within one order."""
    if judge.own.repeat is not None:
        yield from _noise(judge.name, "repeats", judge.own)
    if judge.own.calls is not None:
        yield from _noise(judge.name, "calls of one order", judge.own.calls)


def annotator_noise(labels: Opinions) -> Iterator[NoiseRow]:
    """Measure repeated labels of the same rater: the ceiling of every judge."""
    if labels.repeat is not None:
        yield from _noise("people", "repeats", labels)


def _noise(name: str, basis: str, table: Opinions) -> Iterator[NoiseRow]:
    """Yield a row per dimension in which something was judged again."""
    columns = [table.ids.tolist()]
    for texts in (table.rater, table.facts.get("order")):
        if texts is not None:
            columns.append(texts.tolist())
    # rows of the same item, rater and order are repetitions of each other
    rows = list(zip(*columns, strict=True))
    item, _ = index_of(rows)
    for dimension, codes in table.codes.items():
        result = noise(item, codes)
        if result.items:
            yield NoiseRow(judge=name, dimension=dimension, basis=basis, noise=result)
