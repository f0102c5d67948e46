"""The statistics of the main tables, of labels and of scores: one row each.

A new statistic is a file with a function, and a row here; tables, JSON, CSV, intervals and the
report read the rows. Of labels it is a function of joint counts, of scores one that registers with
the resampler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from trace_eval.stats.agreement.accuracy import accuracy, accuracy_2way, accuracy_3way
from trace_eval.stats.agreement.balanced import balanced_accuracy
from trace_eval.stats.agreement.bootstrap import Statistic
from trace_eval.stats.agreement.concordance import ccc
from trace_eval.stats.agreement.counts import TYPED, UNTYPED
from trace_eval.stats.agreement.crps import crps
from trace_eval.stats.agreement.errors import bias, mae, mse
from trace_eval.stats.agreement.f1 import macro_f1
from trace_eval.stats.agreement.gwet import gwet_ac1
from trace_eval.stats.agreement.half_ties import accuracy_half_ties
from trace_eval.stats.agreement.kappa import kappa
from trace_eval.stats.agreement.kendall import tau_b
from trace_eval.stats.agreement.nll import nll_of_beta, nll_of_labels
from trace_eval.stats.agreement.pearson import r
from trace_eval.stats.agreement.scored import ScoreStatistic
from trace_eval.stats.agreement.spearman import rho

#: What computes it: of labels a function of joint counts ``[..., truth, predicted]``.
S = TypeVar("S")


@dataclass(frozen=True)
class Metric(Generic[S]):
    """A statistic of agreement.

    Attributes:
        name: key in JSON and CSV; stable for programs.
        title: head of its column, for people.
        about: what it counts, in a clause; shown under the table.
        statistic: computes it.
        scales: label sets on which it is defined; of scores none.
        share: it is a share of right items.
        better: the better values; None: neither, as of a bias.
    """

    name: str
    title: str
    about: str
    statistic: S
    scales: tuple[tuple[str, ...], ...] = (TYPED, UNTYPED)
    share: bool = False
    better: Literal["higher", "lower"] | None = "higher"


METRICS: tuple[Metric[Statistic], ...] = (
    Metric("accuracy_4way", "4-way", "all typed ties apart", accuracy, (TYPED,), share=True),
    Metric("accuracy_3way", "3-way", "ties collapsed", accuracy_3way, share=True),
    Metric("accuracy_2way", "2-way", "where both sides name a winner", accuracy_2way, share=True),
    Metric("accuracy_half_ties", "ties half", "a tie is half right", accuracy_half_ties),
    Metric("balanced", "balanced", "every true class weighs the same", balanced_accuracy),
    Metric("macro_f1", "macro-F1", "mean F1 of the labels that occur", macro_f1),
    Metric("kappa", "Cohen's kappa", "agreement beyond both sides' own label shares", kappa),
    Metric("gwet_ac1", "Gwet's AC1", "beyond chance, steady when one label prevails", gwet_ac1),
)

SCORE_METRICS: tuple[Metric[ScoreStatistic], ...] = (
    Metric("rho", "Spearman rho", "correlation of ranks", rho, ()),
    Metric("tau_b", "Kendall tau-b", "pairs of answers in the same order", tau_b, ()),
    Metric("r", "Pearson r", "linear correlation", r, ()),
    Metric("ccc", "Lin's concordance", "1 is equality", ccc, ()),
    Metric("mae", "MAE", "mean absolute error", mae, (), better="lower"),
    Metric("mse", "MSE", "mean squared error", mse, (), better="lower"),
    Metric("bias", "bias", "judge minus people", bias, (), better=None),
    Metric("crps", "CRPS per rating", "of the distribution", crps, (), better="lower"),
    Metric("nll_labels", "NLL per rating, labels", "in nats", nll_of_labels, (), better="lower"),
    Metric("nll_beta", "NLL per rating, Beta", "of a density", nll_of_beta, (), better="lower"),
)

#: Names of the metrics that are shares.
SHARES = frozenset(metric.name for metric in METRICS if metric.share)


def metrics_of(labels: tuple[str, ...]) -> dict[str, Metric[Statistic]]:
    """Name -> metric, of those that a label set allows."""
    return {metric.name: metric for metric in METRICS if labels in metric.scales}
