"""Conditions for CI: ``agreement=0.6`` fails where a figure is lower."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blueprints import UserError
from blueprints.decimals import written_apart
from trace_eval.estimate.share import quotient
from trace_eval.stats.agreement.metrics import SCORE_METRICS
from trace_eval.stats.agreement.parts import MAIN
from trace_eval.stats.report import AgreeReport

if TYPE_CHECKING:  # whoever has a card or a ranking has imported what is in it
    from trace_eval.decide.card import Card
    from trace_eval.estimate.interval import Range
    from trace_eval.stats.agreement.score import JudgeScore
    from trace_eval.stats.inference.ppi import PPIEstimate
    from trace_eval.stats.ranking.report import RankReport
    from trace_eval.stats.report import ScoreReport

#: The name of the main accuracy, which every judge has.
AGREEMENT = "agreement"


@dataclass(frozen=True)
class GateCondition:
    """A figure with its least value; an unknown figure fails."""

    who: str
    name: str
    value: float | None
    least: float

    @property
    def failed(self) -> bool:
        """Whether the figure is lower, or unknown."""
        return self.value is None or self.value < self.least

    @property
    def text(self) -> str:
        """The condition in one line."""
        shown = "not known"
        if self.value is not None:
            shown = written_apart(self.value, [self.least], digits=4)
        return f"{self.who}: {self.name} is {shown}, wanted at least {self.least:g}"


def checked(
    texts: Sequence[str], values: Mapping[str, Mapping[str, float | None]]
) -> list[GateCondition]:
    """Check every condition for every judge or system that has such a figure.

    Args:
        texts: ``NAME=LEAST``.
        values: whose -> figure -> value; None: not known.

    Raises:
        UserError: a text has no ``=`` or no finite number after it, or no such figure
            exists.
    """
    rows: list[GateCondition] = []
    offered = sorted(set().union(*values.values()))
    for text in texts:
        name, equals, value = (part.strip() for part in text.rpartition("="))
        try:
            least = float(value)
        except ValueError:
            least = math.nan
        if not equals or not math.isfinite(least):
            raise UserError(
                f"--fail-under {text!r}: write NAME=NUMBER, e.g. {(*offered, name)[0]}=0.6"
            )
        if name not in offered:
            some = ", ".join(offered)
            raise UserError(f"--fail-under {name}: no such figure; use one of {some}")
        # Who holds other figures of the same kind lacks this one; who holds none is not
        # asked.
        kind: set[str] = set()
        for own in values.values():
            if name in own:
                kind.update(own)
        for who, own in values.items():
            if kind & own.keys():
                rows.append(GateCondition(who, name, own.get(name), least))
    return rows


def rank_values(report: RankReport) -> dict[str, dict[str, float | None]]:
    """Return ends of win rates' intervals: by the judge, by labels, and by both.

    ``SYSTEM`` is the lower end, by both where there are human labels, else by the
    judge; ``judge:SYSTEM``, ``labels:SYSTEM`` and ``both:SYSTEM`` name one of them.
    Where every pair has a label, both is the rate of the labels. ``upper:SYSTEM`` is
    the upper end of the same interval: it is lower than a number only where the system
    is shown to be worse than that. A rate without an interval is not known, nor is a
    rate by a judge that scored no pair.
    """
    rows = report.labelled if report.powered is None else report.powered.systems
    human: dict[str, PPIEstimate | None] = {row.system: row.rate for row in rows}
    if report.silent:
        human = dict.fromkeys(human)
    lower: dict[str, float | None] = {}
    upper: dict[str, float | None] = {}
    for row in report.judged:
        interval = row.rate.labels_interval
        rate = human.get(row.system)
        intervals: dict[str, Range | None] = {
            "judge": interval,
            "labels": None,
            "both": None,
        }
        if rate:
            intervals["labels"] = rate.labels_interval
            intervals["both"] = rate.interval
            if report.human:
                intervals["judge"] = None
        lower |= {
            f"{by}:{row.system}": ends and ends[0] for by, ends in intervals.items()
        }
        chosen = intervals["both" if human else "judge"]
        lower[row.system] = chosen and chosen[0]
        upper[f"upper:{row.system}"] = chosen and chosen[1]
    level = f"{report.options.bootstrap.level:.0%}"
    return {
        f"win rate, lower end of the {level} interval": lower,
        f"win rate, upper end of the {level} interval": upper,
    }


def score_values(scores: Iterable[JudgeScore]) -> dict[str, dict[str, float | None]]:
    """Return a judge's figures: ``agreement``, ``coverage``, ``DIMENSION.METRIC``."""
    values: dict[str, dict[str, float | None]] = {}
    for score in scores:
        values_of_judge = values.setdefault(score.judge, {})
        for name, metric in score.metrics.items():
            values_of_judge[f"{score.dimension}.{name}"] = metric.value
        if score.dimension in MAIN and AGREEMENT not in values_of_judge:
            values_of_judge |= {
                AGREEMENT: score.accuracy.value,
                "coverage": score.coverage,
            }
            values_of_judge |= {
                name: metric.value for name, metric in score.metrics.items()
            }
    return values


def report_values(
    report: AgreeReport | ScoreReport,
) -> dict[str, dict[str, float | None]]:
    """Return the figures of every judge of a report where more is better.

    Of labels see :func:`score_values`; of scores the correlations with mean human
    ratings, and ``coverage``, the share of the rated answers that were scored.
    """
    if isinstance(report, AgreeReport):
        return score_values(report.scores)
    values: dict[str, dict[str, float | None]] = {}
    for row in report.coverage:
        values[row.judge] = {"coverage": quotient(row.scored, row.rated)}
    more_is_better = {
        metric.name for metric in SCORE_METRICS if metric.better == "higher"
    }
    for figure in report.figures:
        if figure.group != "agreement" or figure.name not in more_is_better:
            continue
        if figure.who in values:
            values[figure.who][figure.name] = figure.estimate.value
    return values


def card_values(card: Card) -> dict[str, float | None]:
    """Return a card's figures: agreement, ``coverage`` of all pairs, ``probe.NAME``."""
    figures: dict[str, float | None] = {
        AGREEMENT: None,
        "kappa": None,
        "consistency": None,
    }
    if card.agreement:
        for result in score_values(card.agreement.scores).values():
            figures |= result
    if card.same_in_both_orders is not None:
        same, both_orders = card.same_in_both_orders
        figures["consistency"] = same / both_orders
    if card.probes is not None:
        figures |= {f"probe.{row.name}": row.held.value for row in card.probes.rows}
    return figures | {"coverage": card.coverage}
