"""The statistics of the main table: one row each, read by scores, tables, JSON and HTML.

A new statistic is a file with a function of joint counts, and a row here.
"""

from __future__ import annotations

from dataclasses import dataclass

from trace_eval.stats.agreement.accuracy import accuracy, accuracy_2way, accuracy_3way
from trace_eval.stats.agreement.balanced import balanced_accuracy
from trace_eval.stats.agreement.bootstrap import Statistic
from trace_eval.stats.agreement.counts import TYPED, UNTYPED
from trace_eval.stats.agreement.f1 import macro_f1
from trace_eval.stats.agreement.gwet import gwet_ac1
from trace_eval.stats.agreement.half_ties import accuracy_half_ties
from trace_eval.stats.agreement.kappa import kappa


@dataclass(frozen=True)
class Metric:
    """A statistic of agreement.

    Attributes:
        name: key in JSON and CSV; stable for programs.
        title: head of its column, for people.
        about: what it counts, in a clause; shown under the table.
        statistic: of joint counts ``[..., truth, predicted]``.
        scales: label sets on which it is defined.
        share: it is a share of right items.
    """

    name: str
    title: str
    about: str
    statistic: Statistic
    scales: tuple[tuple[str, ...], ...] = (TYPED, UNTYPED)
    share: bool = False


METRICS: tuple[Metric, ...] = (
    Metric("accuracy_4way", "4-way", "all typed ties apart", accuracy, (TYPED,), share=True),
    Metric("accuracy_3way", "3-way", "ties collapsed", accuracy_3way, share=True),
    Metric("accuracy_2way", "2-way", "where both sides name a winner", accuracy_2way, share=True),
    Metric("accuracy_half_ties", "ties half", "a tie is half right", accuracy_half_ties),
    Metric("balanced", "balanced", "every true class weighs the same", balanced_accuracy),
    Metric("macro_f1", "macro-F1", "mean F1 of the labels that occur", macro_f1),
    Metric("kappa", "Cohen's kappa", "agreement beyond both sides' own label shares", kappa),
    Metric("gwet_ac1", "Gwet's AC1", "beyond chance, steady when one label prevails", gwet_ac1),
)

#: Names of the metrics that are shares.
SHARES = frozenset(metric.name for metric in METRICS if metric.share)


def metrics_of(labels: tuple[str, ...]) -> dict[str, Metric]:
    """Name -> metric, of those that a label set allows."""
    return {metric.name: metric for metric in METRICS if labels in metric.scales}
