"""The test of one metric: is the candidate worse, and what drop would be seen?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trace_eval.estimate.paired import sign_flip
from trace_eval.gate.options import GateOptions
from trace_eval.gate.power import Spread, spread, wider
from trace_eval.gate.report import Verdict

Array = NDArray[np.float64]


#: Power for the margin under which a gate cannot tell.
CAN_TELL = 0.5


@dataclass(frozen=True)
class Drop:
    """The test of one metric.

    Attributes:
        items: that both runs scored.
        difference: candidate minus baseline, points from 0 to 1.
        p: one-sided, of "the candidate is worse".
        power: chance that the test sees a drop of the margin, by the upper limit of the noise.
        spread: of the noise: what else the test can see.
    """

    items: int
    difference: float
    p: float
    power: float
    spread: Spread


def measure(
    differences: Array,
    cluster: NDArray[np.int64] | None,
    options: GateOptions,
    noise: Sequence[tuple[Array, NDArray[np.int64] | None]] = (),
    labels: bool = True,
) -> Drop:
    """Test paired differences for a drop, and say what the test can see.

    Args:
        differences: candidate minus baseline of the items that both scored [shape=(n,)].
        cluster: of each item; None: independent.
        options: margin, level, seed.
        noise: differences of A/A with their clusters; the wider of these and of the differences
            themselves says what can be seen.
        labels: of verdicts, not of scores.
    """
    number = len(differences)
    result = spread(differences, cluster, labels)
    if not number:
        return Drop(0, 0.0, 1.0, 0.0, result)
    sure = spread(differences, cluster, labels, sure=True)
    for gaps, units in noise:
        result = wider(result, spread(gaps, units, labels))
        sure = wider(sure, spread(gaps, units, labels, sure=True))
    seen = replace(result, items=number, units=round(result.units * number / result.items))
    surely = replace(sure, items=number, units=round(sure.units * number / sure.items))
    return Drop(
        number,
        float(differences.mean()),
        sign_flip(differences, cluster, "less", seed=options.bootstrap.seed),
        surely.at(options.margin, options.alpha),
        seen,
    )


def decide(drop: Drop, p: float, options: GateOptions, limit: float | None = None) -> Verdict:
    """The verdict on one metric.

    Args:
        drop: what was measured.
        p: after Holm's correction.
        options: the margin and the level.
        limit: one-sided 95 % lower limit of the difference, for ``strict``.
    """
    if p <= options.alpha and drop.difference < -options.margin:
        return "fail"
    if options.strict and limit is not None and limit < -options.margin:
        return "fail"
    return "cannot tell" if drop.power < CAN_TELL else "pass"
