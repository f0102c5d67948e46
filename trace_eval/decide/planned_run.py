"""A run prepared for a plan of labels: estimates, and open pairs in fair order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.estimate.arrays import Array
from trace_eval.opinions.codes import MISSING, POINTS, collapse_codes, is_untyped
from trace_eval.stats.agreement.drawn import drawn_units
from trace_eval.stats.agreement.position import self_mask
from trace_eval.stats.inference.future_labels import FutureLabels, Mean
from trace_eval.stats.inference.labelled_run import LabelledRun
from trace_eval.stats.inference.ppi import LEAST_LABELS
from trace_eval.stats.options import PlanOptions

#: What may be estimated.
RATES, ACCURACY = "win rates", "accuracy"


class PlannedRun:
    """A run's open pairs in an order, and the intervals that labels would give."""

    def __init__(self, run: LabelledRun, options: PlanOptions) -> None:
        facts = run.table.facts
        named = all(
            name in facts and all(facts[name].tolist())
            for name in ("system_a", "system_b")
        )
        if options.goal == RATES and not named:
            raise UserError(f"{run.table.source}: win rates need system_a and system_b")
        self.goal: str = options.goal or (RATES if named else ACCURACY)
        kept = run.scored
        if self.goal == RATES:  # an unscored verdict counts as a tie of the judge's
            kept = run.represented & ~self_mask(facts, len(run.table.ids))
        self.run, self.rng = run, np.random.default_rng(options.start)
        self.rows = np.flatnonzero(kept)
        self.has_label = (run.truth != MISSING)[self.rows]
        if self.has_label.sum() < LEAST_LABELS:
            raise UserError(
                f"a plan learns from the labels at hand: give {LEAST_LABELS} at least,"
                f" there are {int(self.has_label.sum())}"
            )
        if run.drawn.problem is not None:
            raise UserError(f"no plan: {run.drawn.problem}")
        self.names, self.systems = np.zeros(len(self.rows), np.int64), []
        if named:
            columns = [facts[f"system_{side}"][self.rows].astype(str) for side in "ab"]
            names, number = np.unique(np.concatenate(columns), return_inverse=True)
            self.systems = list(number.reshape(2, -1))
            low, high = np.sort(self.systems, axis=0)
            self.names = low * len(names) + high
        self.future = self._future(options)

    def _future(self, options: PlanOptions) -> FutureLabels:
        run, rows = self.run, self.rows
        codes, truth = run.codes[rows], run.truth[rows]
        if run.column == "preference" or is_untyped(codes) or is_untyped(truth):
            codes, truth = collapse_codes(codes), collapse_codes(truth)
        if self.goal == ACCURACY:
            everything, nothing = np.arange(len(rows)), np.zeros(len(rows))
            values: Array = np.nan_to_num(run.agrees[rows])
            means = [Mean(everything, np.zeros(len(rows), bool), nothing)]
        else:
            values, judged = (
                np.nan_to_num(POINTS[of], nan=0.5) for of in (truth, codes)
            )
            means = list(self._rates(judged))
        # no verdict is a verdict of its own kind
        verdict = np.where(codes == MISSING, codes.max(initial=0) + 1, codes).astype(
            np.int64
        )
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
            here = np.flatnonzero((a == name) | (b == name))
            flipped = b[here] == name
            own = judged[here]
            yield Mean(here, flipped, np.where(flipped, 1 - own, own))

    def order(self) -> NDArray[np.int64]:
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
