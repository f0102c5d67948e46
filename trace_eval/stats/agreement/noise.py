"""Run-to-run noise: how far repeated judgements of one item agree with each other.

Mean pairwise agreement is the observed part of Fleiss (1971): per item the share of equal
pairs among its repetitions. Test-retest takes the first two repetitions of every item as
two raters. No judge can be expected to agree better with human labels than with itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from trace_eval.opinions.codes import LABELS, MISSING, Codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.table import column
from trace_eval.stats.agreement.counts import accuracy, joint_counts, kappa
from trace_eval.stats.agreement.judges import JudgeOpinions


@dataclass(frozen=True)
class JudgeNoise:
    """Null where no item was repeated.

    Attributes:
        items: items with at least two repetitions; ``opinions`` their number.
        pairwise: mean over items of the share of equal pairs, 0 to 1.
        unanimous: share of items whose repetitions all agree.
        retest: agreement of the first with the second repetition; ``retest_kappa`` beyond
            chance.
    """

    items: int
    opinions: int
    pairwise: float | None = field(metadata=column("pairwise agreement"))
    unanimous: float | None
    retest: float | None = field(metadata=column("test-retest"))
    retest_kappa: float | None = field(metadata=column("test-retest kappa"))


def noise(item: NDArray[np.int64], codes: Codes) -> JudgeNoise:
    """Noise of one label column.

    Args:
        item: which item each opinion is about, from 0 [shape=(n,)].
        codes: the opinions in the order of the repetitions [shape=(n,)].
    """
    present = codes != MISSING
    item, codes = item[present], codes[present]
    number = int(item.max()) + 1 if len(item) else 0
    cells = item * len(LABELS) + codes
    votes = np.bincount(cells, minlength=number * len(LABELS)).reshape(number, len(LABELS))
    repeats = votes.sum(1)
    votes, repeats = votes[repeats >= 2], repeats[repeats >= 2]
    if not len(votes):
        return JudgeNoise(0, 0, None, None, None, None)
    equal = (votes * (votes - 1)).sum(1) / (repeats * (repeats - 1))
    first, second = _first_two(item, codes)
    table = joint_counts(first, second, len(LABELS))
    chance_corrected = float(kappa(table))
    return JudgeNoise(
        len(votes),
        int(repeats.sum()),
        float(equal.mean()),
        float((votes.max(1) == repeats).mean()),
        float(accuracy(table)),
        None if np.isnan(chance_corrected) else chance_corrected,
    )


def _first_two(item: NDArray[np.int64], codes: Codes) -> tuple[Codes, Codes]:
    order = np.argsort(item, kind="stable")
    item, codes = item[order], codes[order]
    start = np.flatnonzero(np.r_[True, item[1:] != item[:-1]])
    start = start[start + 1 < len(item)]
    start = start[item[start] == item[start + 1]]
    return codes[start], codes[start + 1]


@dataclass(frozen=True)
class NoiseRow:
    """Noise of a judge, or of the raters themselves."""

    judge: str
    dimension: str
    basis: str = field(metadata=column("from"))
    noise: JudgeNoise


def noise_rows(judge: JudgeOpinions) -> Iterator[NoiseRow]:
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
