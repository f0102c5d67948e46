"""Win rates of systems, by a table's own labels or with a judge's help."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.paired import sign_flip
from trace_eval.show.table import column, p_text
from trace_eval.stats.inference.influence import PPIComponents, ppi_components
from trace_eval.stats.inference.ppi import PPIEstimate, estimate
from trace_eval.stats.inference.sampling import Design, simple_design
from trace_eval.stats.ranking.outcomes import OUTCOMES, Outcomes, points


@dataclass(frozen=True)
class RateRow:
    """One system's win rate by human labels (a tie is half), 0 to 1."""

    system: str
    rate: PPIEstimate


@dataclass(frozen=True)
class DifferenceRow:
    """``first`` minus ``second`` in win rate; ``p_holm`` over all pairs of systems."""

    first: str
    second: str
    difference: PPIEstimate
    p_holm: float | None = field(metadata=column("Holm p", p_text))


@dataclass(frozen=True)
class WinRates:
    """Win rates, their differences, and in words how the labels were chosen.

    Attributes:
        split: labelled comparisons on which annotators split, half a win for each
            system.
        unscored: labelled comparisons that the judge gave no label; they count all the
            same.
        silent: comparisons with neither, which nothing is said of.
    """

    systems: tuple[RateRow, ...]
    differences: tuple[DifferenceRow, ...]
    design: str
    split: int = 0
    unscored: int = 0
    silent: int = 0


def own_rates(
    outcomes: Outcomes, level: float = 0.95, typed: bool = False
) -> tuple[RateRow, ...]:
    """Return win rates by one table's labels, best first."""
    everyone = np.ones(len(outcomes.cell), bool)
    design = simple_design(everyone, None, outcomes.unit)
    pair, outcome = np.divmod(outcomes.cell, len(OUTCOMES))
    first, second = outcomes.pairs[pair].T
    own = points(outcome, typed)
    rows: list[RateRow] = []
    for number, name in enumerate(outcomes.systems):
        _, rate = rated(
            (first == number, second == number),
            own,
            judge=own,
            scored=everyone,
            design=design,
            level=level,
        )
        rows.append(RateRow(name, rate))
    return tuple(sorted(rows, key=best_first))


def best_first(row: RateRow) -> tuple[float, str]:
    """Return a key that sorts rates, the highest one first, and then names."""
    if row.rate.both is None:
        return 1.0, row.system
    return -round(row.rate.both, 9), row.system


def rated(
    places: tuple[Mask, Mask],
    human: tuple[Array, Array],
    judge: tuple[Array, Array],
    scored: Mask,
    design: Design,
    level: float,
) -> tuple[PPIComponents, PPIEstimate]:
    """Estimate a system's win rate, from its points as A or as B.

    Where labels count alone and are independent, p is that of the exact sign test: the
    score test behind the interval errs in up to 7 % of the draws of fewer than ten
    labels.
    """
    is_a, is_b = places
    rows = np.flatnonzero(is_a | is_b)
    y, f = (
        np.where(is_b[rows], as_b[rows], as_a[rows]) for as_a, as_b in (human, judge)
    )
    design = design.take(rows)
    parts = ppi_components(y, f, design, scored[rows])
    rate = estimate(parts, level)
    if not scored[rows].any():  # the judge has no rate of its own
        rate = replace(rate, judged=0, judge=None, judge_interval=None)
    if rate.p is None or rate.weight:
        return parts, rate
    labelled = design.labelled
    is_independent = len(np.unique(design.cluster[labelled])) == labelled.sum()
    has_one_weight = len(np.unique(design.weight[labelled])) <= 1
    if is_independent and has_one_weight:
        p = sign_flip(y[labelled] - 0.5)
        rate = replace(rate, p=p, exact=True)
    return parts, rate
