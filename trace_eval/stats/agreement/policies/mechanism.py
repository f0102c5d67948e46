"""Policies compared on one set of three-dimension labels: agreement, P1, P2 and P3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fusion import Policy
from trace_eval.opinions.codes import Codes
from trace_eval.show.table import column, out_of
from trace_eval.stats.agreement.counts import accuracy, kappa
from trace_eval.stats.agreement.policies.counterfactual import Resolved, counterfactual
from trace_eval.stats.agreement.policies.flips import PolicyFlips, flips
from trace_eval.stats.agreement.policies.policy import cell_counts, cells_of, policy_codes
from trace_eval.stats.agreement.policies.winner_on_bad import WinnerOnBad, winner_on_bad


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


def fused_counts(table: NDArray[np.int8], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """(truth, policy's rating) [shape=(4, 4)] from counts of (cell, truth)."""
    joint = np.zeros((4, 4), np.int64)
    flat = counts.reshape(-1, 4)
    np.add.at(joint.T, table.ravel(), flat)
    return joint


def mechanism(policy: Policy, labels: str, counts: NDArray[np.int64]) -> Mechanism:
    """All probes of one policy; ``counts`` is (C, VQ, P, true overall)."""
    table = policy_codes(policy)
    joint = fused_counts(table, counts)
    agreed, chance_corrected = float(accuracy(joint)), float(kappa(joint))
    return Mechanism(
        policy.name,
        labels,
        int(np.trace(joint)),
        int(joint.sum()),
        None if np.isnan(agreed) else agreed,
        None if np.isnan(chance_corrected) else chance_corrected,
        counterfactual(table, counts),
        flips(table, counts),
        winner_on_bad(joint),
    )


def mechanisms(
    policies: Mapping[str, Policy], labels: str, codes: Mapping[str, Codes], overall: Codes
) -> list[Mechanism]:
    """Every policy on the same labels; rows with a missing label drop out."""
    counts = cell_counts(cells_of(codes), overall)
    return [mechanism(policy, labels, counts) for policy in policies.values()]
