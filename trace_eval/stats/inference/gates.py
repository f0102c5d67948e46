"""Conditions for CI: ``agreement=0.6`` fails where a figure is lower."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from blueprints import UserError
from trace_eval.stats.agreement.metrics import SCORE_METRICS
from trace_eval.stats.agreement.score import JudgeScore
from trace_eval.stats.inference.card import Card
from trace_eval.stats.report import AgreeReport, ScoreReport

#: What may be asked of every judge, beside its own figures: the main accuracy.
AGREEMENT = "agreement"


def conditions(texts: Sequence[str]) -> dict[str, float]:
    """``NAME=LEAST`` texts as name -> least value.

    Raises:
        UserError: one has no ``=``, or no finite number after it.
    """
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            least = float(value)
        except ValueError:
            least = math.nan
        if not equals or not math.isfinite(least):
            raise UserError(f"--fail-under {text!r}: write NAME=NUMBER, e.g. agreement=0.6")
        found[name.strip()] = least
    return found


def failures(texts: Sequence[str], values: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """What failed, in words; a figure that is not known fails.

    Args:
        texts: see :func:`conditions`.
        values: judge -> figure -> value; null: not known.

    Raises:
        UserError: nobody has such a figure.
    """
    failed = []
    for name, least in conditions(texts).items():
        if not any(name in figures for figures in values.values()):
            offered = sorted({figure for figures in values.values() for figure in figures})
            raise UserError(f"--fail-under {name}: no such figure; use one of {', '.join(offered)}")
        for who, figures in values.items():
            value = figures.get(name)
            if value is None:
                failed.append(f"{who}: {name} is not known, wanted at least {least:g}")
            elif value < least:
                failed.append(f"{who}: {name} is {value:.4f}, wanted at least {least:g}")
    return failed


def score_values(scores: Iterable[JudgeScore]) -> dict[str, dict[str, float | None]]:
    """Judge -> its figures: ``agreement`` (overall), ``coverage``, and ``DIMENSION.METRIC``."""
    found: dict[str, dict[str, float | None]] = {}
    for score in scores:
        own = found.setdefault(score.judge, {})
        for name, metric in score.metrics.items():
            own[f"{score.dimension}.{name}"] = metric.value
        if score.dimension in ("overall", "preference") and AGREEMENT not in own:
            main = score.metrics.get("accuracy_4way") or score.metrics["accuracy_3way"]
            own |= {AGREEMENT: main.value, "coverage": score.coverage}
            own |= {name: metric.value for name, metric in score.metrics.items()}
    return found


def report_values(report: AgreeReport | ScoreReport) -> dict[str, dict[str, float | None]]:
    """Figures of every judge of a report, of which more is better.

    Of labels see :func:`score_values`; of scores the correlations with people's mean ratings, and
    ``coverage``, the share of the rated answers that were scored.
    """
    if isinstance(report, AgreeReport):
        return score_values(report.scores)
    found: dict[str, dict[str, float | None]] = {
        row.judge: {"coverage": row.scored / row.rated if row.rated else None}
        for row in report.coverage
    }
    asked = {metric.name for metric in SCORE_METRICS if metric.better == "higher"}
    for figure in report.figures:
        if figure.group == "agreement" and figure.name in asked and figure.who in found:
            found[figure.who][figure.name] = figure.estimate.value
    return found


def card_values(card: Card) -> dict[str, float | None]:
    """Figures of a card: those of agreement, ``coverage`` of all pairs, ``probe.NAME``."""
    figures: dict[str, float | None] = {AGREEMENT: None, "kappa": None, "consistency": None}
    if card.agreement is not None:
        for found in score_values(card.agreement.scores).values():
            figures |= found
    if (same := card.same_in_both_orders) is not None:
        figures["consistency"] = same[0] / same[1]
    if card.probes is not None:
        figures |= {f"probe.{row.name}": row.held.value for row in card.probes.rows}
    return figures | {"coverage": card.coverage}
