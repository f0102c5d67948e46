"""Means over all pairs of a run, from labels that were not drawn alike.

A review asks about doubtful pairs more often than about others, so the plain share of
the labelled pairs on which something holds is not that of all pairs. Here each label
weighs the inverse of the probability with which it was asked for (Horvitz & Thompson
1952); no judge helps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from blueprints import UserError
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.opinions.codes import MISSING, Codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.inference.influence import ppi_components
from trace_eval.stats.inference.ppi import PPIEstimate, estimate
from trace_eval.stats.inference.sampling import Drawn, drawn_labels, simple_design
from trace_eval.stats.sentences import same

#: How such figures are explained in a sentence, and the test of their differences.
BY_DRAW, WEIGHTED = "by how they were drawn", "test of the weighted difference"


@dataclass(frozen=True)
class UnevenDraw:
    """All pairs of a run, some of which were likelier to be labelled than others.

    Attributes:
        pairs: one row for each, with its instruction where it is known.
        drawn: with the inclusion of each pair.
    """

    pairs: Opinions
    drawn: Drawn

    def mean(self, values: Array, scored: Mask, level: float) -> PPIEstimate:
        """Estimate the mean of values over the scored pairs, 0 to 1.

        Args:
            values: NaN where there is no label [shape=(n,)].
            scored: pairs that have a verdict [shape=(n,)].
        """
        rows = np.flatnonzero(scored)
        own = values[rows]
        inclusion = self.drawn.inclusion
        unit = self.pairs.units()
        assert inclusion is not None
        known = ~np.isnan(own)
        design = simple_design(
            known, inclusion[rows], None if unit is None else unit[rows]
        )
        components = ppi_components(np.nan_to_num(own), np.zeros(len(rows)), design)
        return estimate(components, level, power=0.0)

    def gap(
        self, first: Array, second: Array, scored: Mask, level: float
    ) -> PPIEstimate:
        """Estimate the mean of first minus second, -1 to 1; ``p`` is that it is 0."""
        result = self.mean((1 + first - second) / 2, scored, level)
        limits = result.labels_interval
        return replace(
            result,
            labels=None if result.labels is None else 2 * result.labels - 1,
            labels_interval=limits and (2 * limits[0] - 1, 2 * limits[1] - 1),
        )


def uneven_draw(
    pairs: Opinions, labels: Opinions, truth: Codes, codes: Codes
) -> UnevenDraw | None:
    """Read how labels of all pairs were drawn; None: alike, or nobody knows.

    Args:
        truth: what annotators say of each pair; missing: nothing [shape=(n,)].
        codes: what the judge says [shape=(n,)].
    """
    inclusion = labels.per_item.spread(pairs.ids).facts.get("inclusion")
    labelled: Mask = truth != MISSING
    try:
        drawn = drawn_labels(
            labels.source,
            pairs.ids,
            provided=inclusion,
            requested=labelled,
            scored=codes != MISSING,
        )
    except UserError:
        return None
    if drawn.inclusion is None or drawn.problem is not None or not labelled.any():
        return None
    own = drawn.inclusion[labelled]
    return (
        None if same(float(own.min()), float(own.max())) else UnevenDraw(pairs, drawn)
    )
