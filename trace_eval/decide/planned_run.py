"""A run prepared for a plan of labels: estimates, and open pairs in fair order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from blueprints import UserError
from trace_eval.estimate.arrays import Array
from trace_eval.opinions.codes import MISSING, POINTS, collapse_codes, is_untyped
from trace_eval.opinions.units import WholeNumbers
from trace_eval.stats.agreement.drawn import drawn_units
from trace_eval.stats.agreement.position import self_mask
from trace_eval.stats.inference.future_labels import FutureLabels, Mean
from trace_eval.stats.inference.labelled_run import LabelledRun
from trace_eval.stats.inference.ppi import LEAST_LABELS
from trace_eval.stats.options import PlanOptions

#: What may be estimated.
RATES, ACCURACY = "win rates", "accuracy"


def _systems(run: LabelledRun) -> list[Array]:
    """Return the columns of A's and B's systems; empty unless every pair names both."""
    columns: list[Array] = []
    for name in ("system_a", "system_b"):
        column = run.table.facts.get(name)
        if column is None or not all(column.tolist()):
            return []
        columns.append(column)
    return columns


class PlannedRun:
    """A run's open pairs in an order, and the intervals that labels would give."""

    def __init__(self, run: LabelledRun, options: PlanOptions) -> None:
        systems = _systems(run)
        goal = options.goal or (RATES if systems else ACCURACY)
        if goal == RATES and not systems:
            raise UserError(f"{run.table.source}: win rates need system_a and system_b")
        counts = run.scored
        if goal == RATES:  # an unscored verdict counts as a tie of the judge's
            is_self = self_mask(run.table.facts, len(run.table.ids))
            counts = run.represented & ~is_self
        self.goal: str = goal
        self.run = run
        self.rng = np.random.default_rng(options.start)
        self.rows = np.flatnonzero(counts)
        self.has_label = (run.truth != MISSING)[self.rows]
        if self.has_label.sum() < LEAST_LABELS:
            raise UserError(
                f"a plan learns from the labels at hand: give {LEAST_LABELS} at least,"
                f" there are {int(self.has_label.sum())}"
            )
        if run.drawn.problem is not None:
            raise UserError(f"no plan: {run.drawn.problem}")
        self.names = np.zeros(len(self.rows), np.int64)
        self.systems: list[WholeNumbers] = []
        if systems:
            columns = [column[self.rows].astype(str) for column in systems]
            names, number = np.unique(np.concatenate(columns), return_inverse=True)
            self.systems = list(number.reshape(2, -1))
            low, high = np.sort(self.systems, axis=0)
            self.names = low * len(names) + high
        self.future = self._future(options)

    def _future(self, options: PlanOptions) -> FutureLabels:
        run = self.run
        rows = self.rows
        codes = run.codes[rows]
        truth = run.truth[rows]
        if run.column == "preference" or is_untyped(codes) or is_untyped(truth):
            codes = collapse_codes(codes)
            truth = collapse_codes(truth)
        if self.goal == ACCURACY:
            values: Array = np.nan_to_num(run.agrees[rows])
            nobody_flipped = np.zeros(len(rows), bool)
            of_all = Mean(np.arange(len(rows)), nobody_flipped, np.zeros(len(rows)))
            means = [of_all]
        else:
            values = np.nan_to_num(POINTS[truth], nan=0.5)
            judged = np.nan_to_num(POINTS[codes], nan=0.5)
            means = list(self._rates(judged))
        no_verdict = codes.max(initial=0) + 1  # it is a verdict of its own kind
        verdict = np.where(codes == MISSING, no_verdict, codes).astype(np.int64)
        group, _ = drawn_units(run.table)
        if group is not None:
            group = np.asarray(np.unique(group[rows], return_inverse=True)[1])
        inclusion = run.drawn.inclusion
        if inclusion is not None:
            # of the others nothing is known: taken for the least likely that has a
            # label
            least = inclusion[rows][self.has_label].min()
            inclusion = np.where(np.isnan(inclusion[rows]), least, inclusion[rows])
        return FutureLabels(
            values=values,
            has_label=self.has_label,
            verdict=verdict,
            inclusion=inclusion,
            cluster=group,
            means=tuple(means),
            level=options.level,
            seed=options.start,
        )

    def _rates(self, judged: Array) -> Iterator[Mean]:
        a, b = self.systems
        for name in np.unique(np.r_[a, b]):
            rows = np.flatnonzero((a == name) | (b == name))
            flipped = b[rows] == name
            points = judged[rows]
            yield Mean(rows, flipped, np.where(flipped, 1 - points, points))

    def order(self) -> WholeNumbers:
        """Deal open pairs so that each prefix has its share of every two systems."""
        shuffled = self.rng.permutation(np.flatnonzero(~self.has_label))
        names = self.names[shuffled]
        grouped = np.argsort(names, kind="stable")
        _, start, size = np.unique(
            names[grouped], return_index=True, return_counts=True
        )
        at = np.repeat(np.arange(len(size)), size)
        within = np.arange(len(grouped)) - start[at]
        order = np.empty(len(grouped))
        order[grouped] = (within + self.rng.random(len(size))[at]) / size[at]
        return np.asarray(self.rows[shuffled[np.argsort(order, kind="stable")]])
