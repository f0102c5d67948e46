"""Policies compared on one set of three-dimension labels: agreement, and three probes.

P1, the content-controlled counterfactual: content is set to ``both_good`` in every pair
and the policy is asked again. A result that is a winner was decided by paralinguistics
if that dimension names this winner, else by voice quality; any other result stayed a
tie.

P2, flip rates: one dimension is set to ``both_good``; a flip is any change of the
policy's own overall rating, not of its agreement with human labels.

P3: ``Pr(rating in {1, 2} | truth both_bad)``, and beside it the accuracy on the pairs
where raters name a winner: a policy that never names one has a perfect first number.
Probes of the TRACE paper, stated here for any policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fusion import DIMENSIONS, RATINGS, Policy, Rating
from trace_eval.estimate.share import quotient
from trace_eval.opinions.codes import BOTH_BAD, BOTH_GOOD, MISSING, Codes, is_untyped
from trace_eval.opinions.units import WholeNumbers, crosstab
from trace_eval.show.table import column, out_of
from trace_eval.stats.agreement.counts import Counts, accuracy, defined, kappa

CELL_SHAPE = (len(RATINGS),) * len(DIMENSIONS)


def policy_codes(policy: Policy) -> NDArray[np.int8]:
    """Return the policy's rating of every cell of typed ties [shape=(4, 4, 4)].

    Axes are content, voice quality and paralinguistics.
    """
    ratings = [RATINGS.index(rating) for rating in policy.table().values()]
    return np.array(ratings, np.int8).reshape(CELL_SHAPE)


def has_dimensions(codes: Mapping[str, Codes]) -> bool:
    """Tell whether a policy applies: all dimensions are there with typed ties."""
    if not all(name in codes for name in DIMENSIONS):
        return False
    return not any(is_untyped(codes[name]) for name in DIMENSIONS)


def cells_of(codes: Mapping[str, Codes]) -> WholeNumbers:
    """Return each row's cell of the 64, or -1 where a dimension is missing."""
    columns = np.stack([codes[name].astype(np.int64) for name in DIMENSIONS])
    is_complete = (columns != MISSING).all(0)
    cells = np.ravel_multi_index(tuple(np.where(is_complete, columns, 0)), CELL_SHAPE)
    return np.where(is_complete, cells, -1)


def fuse_codes(policy: Policy, codes: Mapping[str, Codes]) -> Codes:
    """Fuse codes by a policy.

    The result is missing where it depends on a dimension that is missing.
    """
    # One more place per dimension stands for a missing rating, which may be any.
    rating_at: list[Rating | None] = [*RATINGS, None]
    unknown = len(RATINGS)
    table = np.full((len(rating_at),) * len(DIMENSIONS), MISSING, np.int8)
    for cell in np.ndindex(table.shape):
        ratings = [rating_at[place] for place in cell]
        if not any(ratings):
            continue
        possible = policy.possible(*ratings)
        if len(possible) == 1:
            table[cell] = RATINGS.index(possible[0])
    columns = np.stack([codes[name].astype(np.int64) for name in DIMENSIONS])
    places = np.where(columns == MISSING, unknown, columns)
    return np.asarray(table[tuple(places)])


def cell_counts(cells: WholeNumbers, overall: Codes) -> WholeNumbers:
    """Count (cell, overall label) [shape=(4, 4, 4, 4)]; incomplete rows drop out."""
    is_known = (cells >= 0) & (overall != MISSING)
    labels = len(RATINGS)
    number_of_cells = labels ** len(DIMENSIONS)
    counts = crosstab(cells[is_known], overall[is_known], number_of_cells, labels)
    return counts.reshape(*CELL_SHAPE, labels)


@dataclass(frozen=True)
class PolicyFlips:
    """Changed overall ratings, and their share of all pairs."""

    count: int
    share: float


def flips(table: NDArray[np.int8], counts: WholeNumbers) -> dict[str, PolicyFlips]:
    """Compute P2 per dimension, from :func:`policy_codes` and :func:`cell_counts`."""
    pairs = counts.reshape(*table.shape, -1).sum(-1)
    total = int(pairs.sum())
    by_dimension: dict[str, PolicyFlips] = {}
    for axis, name in enumerate(DIMENSIONS):
        forced = np.take(table, [BOTH_GOOD], axis=axis)  # broadcasts along that axis
        is_flip = forced != table
        count = int(pairs[is_flip].sum())
        share = count / total if total else 0.0
        by_dimension[name] = PolicyFlips(count, share)
    return by_dimension


@dataclass(frozen=True)
class WinnerOnBad:
    """Winners on pairs that annotators call both bad; None where there is no such pair.

    Attributes:
        winner_on_bad: share of ``both_bad`` pairs given a winner; ``bad`` is their
            number.
        winner_accuracy: share right of the pairs with a true winner; ``winners`` their
            number.
    """

    winner_on_bad: float | None
    bad: int = field(metadata=column("of"))
    winner_accuracy: float | None = field(metadata=column("right on winners"))
    winners: int = field(metadata=column("of"))


def winner_on_bad(counts: Counts) -> WinnerOnBad:
    """Compute P3 of ``counts[truth, predicted]`` over typed labels."""
    bad = int(counts[BOTH_BAD].sum())
    bad_with_winner = int(counts[BOTH_BAD, :BOTH_GOOD].sum())
    winners = int(counts[:BOTH_GOOD].sum())
    right_winners = int(np.trace(counts[:BOTH_GOOD, :BOTH_GOOD]))
    return WinnerOnBad(
        winner_on_bad=quotient(bad_with_winner, bad),
        bad=bad,
        winner_accuracy=quotient(right_winners, winners),
        winners=winners,
    )


#: Who can have decided, in the order of the report.
RESOLVERS = ("paralinguistics", "voice_quality", "tie")


@dataclass(frozen=True)
class Resolved:
    """The pairs that one dimension decided.

    It has how often the forced result equals the true overall label; None: no pair.
    """

    count: int
    share: float
    accuracy: float | None


def counterfactual(
    table: NDArray[np.int8], counts: WholeNumbers
) -> dict[str, Resolved]:
    """Compute P1 of one policy, from :func:`policy_codes` and :func:`cell_counts`."""
    forced = table[BOTH_GOOD].astype(np.int64)  # [voice quality, paralinguistics]
    voice_quality, paralinguistics = np.indices(forced.shape)
    is_winner = forced < BOTH_GOOD
    by_paralinguistics = is_winner & (paralinguistics == forced)
    by_voice_quality = is_winner & ~by_paralinguistics & (voice_quality == forced)
    masks = {
        "paralinguistics": by_paralinguistics,
        "voice_quality": by_voice_quality,
        "tie": ~by_paralinguistics & ~by_voice_quality,
    }
    pairs = counts.sum(0)  # [voice quality, paralinguistics, truth]
    right = np.take_along_axis(pairs, forced[..., None], -1).squeeze(-1)
    total = int(pairs.sum())
    resolved: dict[str, Resolved] = {}
    for name in RESOLVERS:
        mask = masks[name]
        count = int(pairs[mask].sum())
        hits = int(right[mask].sum())
        resolved[name] = Resolved(
            count=count,
            share=quotient(count, total) or 0.0,
            accuracy=quotient(hits, count),
        )
    return resolved


@dataclass(frozen=True)
class Mechanism:
    """One policy on one set of labels.

    Attributes:
        labels: whose content, voice quality and paralinguistics went in.
        right, items: pairs where the policy gives the true overall label, of how many.
        kappa: Cohen's kappa with it; None: not defined.
    """

    policy: str
    labels: str = field(metadata=column("dimensions of"))
    right: int = field(metadata=column(shown=out_of("items")))
    items: int
    accuracy: float | None
    kappa: float | None
    counterfactual: dict[str, Resolved]
    flips: dict[str, PolicyFlips]
    winner_on_bad: WinnerOnBad


def mechanisms(
    policies: Mapping[str, Policy],
    labels: str,
    codes: Mapping[str, Codes],
    overall: Codes,
) -> Iterator[Mechanism]:
    """Run all probes of every policy on the same labels.

    Rows with a missing label drop out.
    """
    counts = cell_counts(cells_of(codes), overall)
    counts_of_cell = counts.reshape(-1, len(RATINGS))
    for policy in policies.values():
        table = policy_codes(policy)
        by_rating = np.zeros((len(RATINGS), len(RATINGS)), np.int64)
        np.add.at(by_rating, table.ravel(), counts_of_cell)
        joint = by_rating.T  # [truth, policy's rating]
        yield Mechanism(
            policy=policy.name,
            labels=labels,
            right=int(np.trace(joint)),
            items=int(joint.sum()),
            accuracy=defined(float(accuracy(joint))),
            kappa=defined(float(kappa(joint))),
            counterfactual=counterfactual(table, counts),
            flips=flips(table, counts),
            winner_on_bad=winner_on_bad(joint),
        )
