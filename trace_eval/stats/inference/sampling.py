"""How the labelled pairs were drawn, and whether they can speak for the whole run.

Inverse inclusion probabilities tell it: over the labelled pairs they add up to the pairs that
these stand for (Horvitz & Thompson 1952). Where that is the whole run, no pair was out of reach,
and those without a label had the probability of the rest. Where it is not, and nobody says how
likely the other pairs were, a kind of pair that was hardly ever asked for may be missing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from trace_eval.opinions.cells import Texts

Array = NDArray[np.float64]

#: Inclusion probabilities are written with as many digits as leave this relative error.
ROUNDING = 5e-4

#: Standard errors that a sum over a random sample may be off before it counts as wrong.
CHANCE = 4.0


@dataclass(frozen=True)
class Drawn:
    """How the labelled items were drawn, as far as is known.

    Attributes:
        inclusion: probability with which each pair of the run was asked for, NaN where unknown
            [shape=(n,)]; None: all pairs are taken as equally likely.
        problem: why the labels say nothing of the other pairs; None: they do.
        doubt: why an exact promise is not possible, though estimates are; None: it is.
        gap: pairs that estimates do not speak for, though an exact bound may; None: none.
    """

    inclusion: Array | None
    problem: str | None = None
    doubt: str | None = None
    gap: str | None = None

    @property
    def caption(self) -> str | None:
        """What to say under estimates from such labels."""
        return self.doubt or self.gap


def drawn_labels(
    source: str,
    ids: Texts,
    provided: Array | None,
    requested: NDArray[np.bool_],
    scored: NDArray[np.bool_],
) -> Drawn:
    """The one rule for labels with and without inclusion probabilities.

    Args:
        source: file of the labels, for messages.
        ids: pairs of the run [shape=(n,)].
        provided: their inclusion probabilities, NaN where the labels have none [shape=(n,)]; None:
            the labels have no such column and are taken as a random sample.
        requested: pairs with a label [shape=(n,)].
        scored: pairs with a judgement [shape=(n,)].

    Raises:
        UserError: some labels have a probability and others have none.
    """
    if provided is None or not requested.any():
        return Drawn(None)
    lacking = np.flatnonzero(requested & np.isnan(provided))
    if len(lacking) == requested.sum():
        whole = bool(requested[scored].all())
        return Drawn(None, None if whole else _unknown(source, len(lacking)))
    if len(lacking):
        raise UserError(
            f"{source}: {counted(len(lacking), 'label has', 'labels have')} no inclusion"
            f" probability, first {ids[lacking[0]]!r}; finish the needed pairs of the review and"
            " export again"
        )
    if not np.isnan(provided[scored]).any():
        return _all_known(source, provided, requested, scored)
    weight = 1 / provided[requested]
    stands, total = float(weight.sum()), len(ids)
    exact = 0.5 + ROUNDING * float(weight[weight > 1].sum())
    # pairs without a judgement may have been out of the draw: their recordings cannot be played
    if min(abs(stands - total), abs(stands - (scored | requested).sum())) <= exact:
        return Drawn(np.where(np.isnan(provided), provided[requested].min(), provided))
    spread = float(np.sqrt(((1 - provided[requested]) * weight**2).sum()))
    if abs(stands - total) > exact + CHANCE * spread:
        return Drawn(None, _part(source, stands, total))
    return Drawn(provided, None, _others(source))


def _all_known(
    source: str, provided: Array, requested: NDArray[np.bool_], scored: NDArray[np.bool_]
) -> Drawn:
    """Probabilities of all pairs: the labels must be as many as these make likely."""
    present = ~np.isnan(provided)
    missed = int((present & ~requested & (provided == 1)).sum())
    if missed:
        certain = "with an inclusion of 1"
        return Drawn(
            None,
            f"{source}: {counted(missed, f'pair {certain} has', f'pairs {certain} have')} no label,"
            " so the draw that it tells of is not finished",
        )
    chance = provided[present]
    expected, spread = float(chance.sum()), float(np.sqrt((chance * (1 - chance)).sum()))
    number = int((present & requested).sum())
    if abs(number - expected) > 0.5 + ROUNDING * len(chance) + CHANCE * spread:
        return Drawn(
            None,
            f"{source}: {counted(number, 'label')} where the inclusion of all pairs makes"
            f" {expected:.0f} likely, so they are not the draw that it tells of",
        )
    least = (1 - ROUNDING) * provided[present & requested].min()
    unlike = int((provided[present & ~requested] < least).sum())
    return Drawn(provided, gap=_unlike(source, unlike, len(provided)) if unlike else None)


def _unlike(source: str, number: int, total: int) -> str:
    of = f"of {counted(total, 'pair')}"
    return (
        f"{source}: {counted(number, f'{of} was', f'{of} were')} less likely to be asked for than"
        " any labelled one, so estimates and intervals do not speak for them"
    )


def _unknown(source: str, number: int) -> str:
    return (
        f"{source}: the inclusion of its {counted(number, 'label')} is empty, so nobody knows how"
        " they were drawn; a review tells once its needed pairs and one of the random slice are"
        " done"
    )


def _part(source: str, stands: float, total: int) -> str:
    why = (
        "only a part of the run was in the draw; finish it, or label a random sample of the run"
        if stands < total
        else "they cannot be its own"
    )
    return (
        f"{source}: by their inclusion the labels stand for {stands:.0f} of"
        f" {counted(total, 'pair')} (sum of 1 / inclusion), so {why}"
    )


def _others(source: str) -> str:
    return (
        f"{source}: the inclusion of pairs without a label is unknown, so a kind that was hardly"
        " ever asked for may be missing; give each of them a row with its inclusion and no label"
    )
