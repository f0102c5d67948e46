"""How the labelled pairs were drawn, and whether they can speak for the whole run.

Inverse inclusion probabilities tell it: over the labelled pairs they add up to the
pairs that these stand for (Horvitz & Thompson 1952). Where that is the whole run, no
pair was out of reach, and those without a label had the probability of the rest. Where
it is not, and nobody says how likely the other pairs were, a kind of pair that was
hardly ever asked for may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from blueprints import UserError, counted
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.limits import NO_SPREAD
from trace_eval.opinions.cells import Texts
from trace_eval.opinions.units import WholeNumbers

#: Inclusion probabilities are written with as many digits as leave this relative error.
ROUNDING = 5e-4

#: Standard errors that a sum over a random sample may be off before it counts as wrong.
CHANCE = 4.0


@dataclass(frozen=True)
class Drawn:
    """How the labelled items were drawn, as far as is known.

    Attributes:
        inclusion: probability with which each pair of the run was asked for, NaN where
            unknown [shape=(n,)]; None: all pairs are taken as equally likely.
        problem: why the labels say nothing of the other pairs; None: they do.
        doubt: why an exact promise is not possible, though estimates are; None: it is.
        gap: pairs that estimates do not speak for, though an exact bound may; None:
            none.
        unreached: pairs that were out of the draw [shape=(n,)]; None: none are known to
            be.
    """

    inclusion: Array | None
    problem: str | None = None
    doubt: str | None = None
    gap: str | None = None
    unreached: Mask | None = None

    @property
    def caption(self) -> str | None:
        """What to say under estimates from such labels."""
        return self.doubt or self.gap


def drawn_labels(
    source: str,
    ids: Texts,
    provided: Array | None,
    requested: Mask,
    scored: Mask,
) -> Drawn:
    """Read how labels were drawn, with probabilities or not, and refuse a mixture.

    Args:
        ids: pairs of the run [shape=(n,)].
        provided: their inclusion probabilities, NaN where the labels have none
            [shape=(n,)]; None: the labels have no such column and are taken as a random
            sample.
        requested, scored: pairs with a label, and with a judgement [shape=(n,)].
    """
    if provided is None or not requested.any():
        return Drawn(None)
    lacking = np.flatnonzero(requested & np.isnan(provided))
    if len(lacking) == requested.sum():
        if requested[scored].all():
            return Drawn(None)
        return Drawn(
            None,
            f"{source}: the inclusion of its {counted(len(lacking), 'label')} is empty,"
            " so nobody knows how they were drawn; a review tells once its needed pairs"
            " and one of the random slice are done",
        )
    if len(lacking):
        raise UserError(
            f"{source}: {counted(len(lacking), 'label has', 'labels have')} no"
            f" inclusion probability, first {ids[lacking[0]]!r}; finish the needed"
            " pairs of the review and export again"
        )
    if not np.isnan(provided[scored]).any():
        return _from_all_probabilities(source, provided, requested, scored)
    return _from_some_probabilities(source, provided, requested, scored)


def _from_some_probabilities(
    source: str,
    provided: Array,
    requested: Mask,
    scored: Mask,
) -> Drawn:
    """Weigh by labelled pairs' probabilities alone: what they stand for is the rest."""
    weight = 1 / provided[requested]
    stands = float(weight.sum())
    total = len(provided)
    exact = 0.5 + ROUNDING * float(weight[weight > 1].sum())
    # pairs without a judgement may have been out of the draw: their recordings cannot
    # be played
    reached = scored | requested
    off_all = abs(stands - total)
    off_reached = abs(stands - reached.sum())
    if min(off_all, off_reached) <= exact:
        rest = np.where(np.isnan(provided), provided[requested].min(), provided)
        return Drawn(rest, unreached=None if off_all <= off_reached else ~reached)
    spread = float(np.sqrt(((1 - provided[requested]) * weight**2).sum()))
    if abs(stands - total) > exact + CHANCE * spread:
        part = (
            "only a part of the run was in the draw; finish it, or label a random"
            " sample of it"
        )
        return Drawn(
            None,
            f"{source}: by their inclusion the labels stand for {stands:.0f} of"
            f" {counted(total, 'pair')} (sum of 1 / inclusion), so"
            f" {part if stands < total else 'they cannot be its own'}",
        )
    return Drawn(
        provided,
        doubt=f"{source}: the inclusion of pairs without a label is unknown, so a kind that was"
        " hardly ever asked for may be missing; give each of them a row with its inclusion and no"
        " label",
    )


def _from_all_probabilities(
    source: str,
    provided: Array,
    requested: Mask,
    scored: Mask,
) -> Drawn:
    """Weigh by all pairs' probabilities.

    Labels must be as many as these make likely.
    """
    present = ~np.isnan(provided)
    missed = int((present & ~requested & (provided == 1)).sum())
    if missed:
        certain = "with an inclusion of 1"
        return Drawn(
            None,
            f"{source}:"
            f" {counted(missed, f'pair {certain} has', f'pairs {certain} have')} no"
            " label, so the draw that it tells of is not finished",
        )
    chance = provided[present]
    expected = float(chance.sum())
    spread = float(np.sqrt((chance * (1 - chance)).sum()))
    number = int((present & requested).sum())
    if abs(number - expected) > 0.5 + ROUNDING * len(chance) + CHANCE * spread:
        return Drawn(
            None,
            f"{source}: {counted(number, 'label')} where the inclusion of all pairs"
            f" makes {expected:.0f} likely, so they are not the draw that it tells of",
        )
    least = (1 - ROUNDING) * provided[present & requested].min()
    unlike = int((provided[present & ~requested] < least).sum())
    if not unlike:
        return Drawn(provided)
    of = f"of {counted(len(provided), 'pair')}"
    return Drawn(
        provided,
        gap=f"{source}: {counted(unlike, f'{of} was', f'{of} were')} less likely to be asked for"
        " than any labelled one, so estimates and intervals do not speak for them",
    )


#: Kinds of items that are drawn with probabilities this many times apart are strata,
#: where the probabilities of all items are known, and are at most so many.
APART, MOST_STRATA = 5.0, 5

#: Share of the items up to which a kind that nobody was asked of is counted with
#: another.
FORGOTTEN = 0.01


@dataclass(frozen=True)
class Design:
    """Which items have a label, and with what probability they were drawn.

    Attributes:
        labelled: items with a label [shape=(n,)].
        weight: inverse inclusion probability; 0 where it is unknown [shape=(n,)].
        stratum: of every item, from 0; None: weighted instead [shape=(n,)].
        cluster: of every item, from 0, of so many ``clusters`` [shape=(n,)].
    """

    labelled: Mask
    weight: Array
    stratum: WholeNumbers | None
    cluster: WholeNumbers
    clusters: int

    @cached_property
    def strata(self) -> WholeNumbers | None:
        """Return each item's stratum, told apart by its weight as well [shape=(n,)].

        Labels of a rarely drawn kind are few and weigh much. Where it is known how many
        items are of that kind, their number among the labels does not matter.
        """
        if self.stratum is not None or not (self.weight > 0).all():
            return self.stratum
        weights, number = np.unique(self.weight, return_inverse=True)
        if not 1 < len(weights) <= MOST_STRATA or weights[-1] < APART * weights[0]:
            return None
        is_all_labelled = np.bincount(number, weights=~self.labelled) == 0
        if (weights[is_all_labelled] > 1).any():
            return None  # one kind stands in for all items without a label
        has_labels = np.bincount(number, weights=self.labelled) > 0
        share = np.bincount(number) / len(number)
        joined = np.where(
            has_labels | (share > FORGOTTEN),
            np.arange(len(weights)),
            np.argmax(has_labels),
        )
        return np.asarray(joined[number], np.int64)

    @property
    def heavy(self) -> tuple[int, float]:
        """Return how many labels are heavy, and their share of all.

        They weigh :data:`APART` times as much as the lightest.
        """
        weight = self.weight[self.labelled]
        heavy = weight >= APART * weight.min(initial=np.inf)
        return int(heavy.sum()), float(
            weight[heavy].sum() / max(weight.sum(), NO_SPREAD)
        )

    def fitted(self) -> Design | None:
        """Return weights of labelled items that add up to all items.

        None: they do so already, or are alike.

        Too many labels of a heavy kind are drawn by chance, or too few. Weights move by
        ``w (w - 1)``, the part of each in the variance of their sum where items are
        drawn one by one (regression estimator: Cassel, Särndal & Wretman 1976), and
        none falls under 1.
        """
        weight = self.weight[self.labelled]
        square = weight * (weight - 1)
        missing = len(self.weight) - float(weight.sum())
        if self.strata is not None or square.sum() <= 0:
            return None
        if weight.max() < (1 + NO_SPREAD) * weight.min() or abs(missing) < 0.5:
            return None
        moved = self.weight.copy()
        moved[self.labelled] = np.maximum(weight + missing * square / square.sum(), 1.0)
        return replace(self, weight=moved)

    def take(self, rows: Array) -> Design:
        """Select the design of some items; cluster numbers stay."""
        stratum = None if self.stratum is None else self.stratum[rows]
        return Design(
            labelled=self.labelled[rows],
            weight=self.weight[rows],
            stratum=stratum,
            cluster=self.cluster[rows],
            clusters=self.clusters,
        )


def simple_design(
    labelled: Mask,
    inclusion: Array | None = None,
    cluster: WholeNumbers | None = None,
) -> Design:
    """Make a design from inclusion probabilities, as a label file holds them.

    Args:
        inclusion: probabilities in (0, 1] of labelled items, and of others where they
            are known; None or NaN: all are equally likely. Where there are 1 and one
            other value (taken with certainty, and a random slice of the rest, as the
            review does) they are two strata.
        cluster: see :class:`Design`; None: every item by itself.
    """
    number = len(labelled)
    cluster = np.arange(number) if cluster is None else cluster
    count = int(cluster.max(initial=-1)) + 1
    if inclusion is None or np.isnan(inclusion[labelled]).any():
        return Design(
            labelled=labelled,
            weight=np.ones(number),
            stratum=None,
            cluster=cluster,
            clusters=count,
        )
    available = np.unique(inclusion[~np.isnan(inclusion)])
    weight = np.nan_to_num(1 / inclusion)
    stratum = None
    if len(available) == 2 and available[1] == 1:
        stratum = (~(labelled & (inclusion == 1))).astype(np.int64)
    return Design(
        labelled=labelled,
        weight=weight,
        stratum=stratum,
        cluster=cluster,
        clusters=count,
    )
