"""What human labels say of a run: agreement, the ranking by them, and calibration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blueprints import UserError, counted
from trace_eval.decide.agree import agree_read
from trace_eval.estimate.interval import IntervalEstimate, methods_of
from trace_eval.report.answer import ranking_of
from trace_eval.report.summary import Facts
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.run import Run
from trace_eval.stats.agreement.judges import fused_by
from trace_eval.stats.inference.calibrate import Calibration, calibrate
from trace_eval.stats.inference.calibrators import measured
from trace_eval.stats.inference.forest import diagram
from trace_eval.stats.inference.labelled_run import gather
from trace_eval.stats.options import ALL_POLICIES, AgreeOptions
from trace_eval.stats.ranking.report import HUMAN_RATES, RankReport
from trace_eval.stats.report import AgreeReport

if TYPE_CHECKING:
    from trace_eval.opinions.opinions import Opinions


def human_labels(facts: Facts) -> dict[str, Any]:
    """Compute agreement and ranking of a run; what cannot be computed is a note."""
    agreement = ranking = calibration = source = None
    try:
        source = read_opinions(facts.folder)
        if facts.labels is not None:
            source = replace(source, labels=facts.labels)
    except UserError as error:
        agreement_note = ranking_note = str(error)
    else:
        agreement, agreement_note = _agreement(facts, source)
        ranking, ranking_note = ranking_of(Run(facts.folder), source)
        if source.labels is not None:
            with suppress(UserError):  # the labels are too few
                calibration = calibrate(gather(source, None))
    values: dict[str, Any] = {
        "agreement": agreement,
        "agreement_note": agreement_note,
        "methods": _methods(agreement, calibration),
        "ranking": ranking,
        "ranking_note": ranking_note,
        "places": [],
        "by_annotators": ranking is not None and ranking.human,
        "caveats": [],
        "correlation": "",
        "calibration": calibration,
        "reliability": "",
        "policy": fused_by(source) if source else None,
        "level": 0.95,
    }
    if ranking:
        values["places"] = list(_standings(ranking))
        values["caveats"] = list(_caveats(ranking))
        values["correlation"] = _correlation(ranking)
        values["level"] = ranking.options.bootstrap.level
    if calibration:
        values["reliability"] = diagram(calibration.chosen)
    return values


def _agreement(facts: Facts, source: Opinions) -> tuple[AgreeReport | None, str]:
    if not any(pair.labels for pair in facts.pairs):
        unused = "".join(f" {what}." for what in facts.record.unused_labels)
        why = (
            "The pairs of this run have no human labels, so there is nothing to agree"
            " with."
        )
        return None, why + unused
    try:
        options = AgreeOptions(missing="drop", policy=ALL_POLICIES)
        return agree_read(source, None, options), ""
    except UserError as error:
        return None, str(error)


def _methods(agreement: AgreeReport | None, calibration: Calibration | None) -> str:
    """Name what made the intervals of the section on agreement."""
    shown: list[IntervalEstimate] = []
    if agreement:
        for score in agreement.scores:
            shown.extend(score.metrics.values())
    if calibration:
        shown.append(measured(calibration.chosen.accuracy))
    return methods_of(shown)


def _standings(ranking: RankReport) -> Iterator[dict[str, Any]]:
    """Yield systems by the judge and by human labels; None: too few comparisons.

    ``human`` and its interval are from labels, and from all judgements where these
    help. They are None where annotators alone are ranked.
    """
    counts = {row.system: row for row in ranking.systems}
    rates = {row.system: row.rate for row in ranking.judged}
    by_labels = ranking.powered.systems if ranking.powered else ranking.labelled
    labels = {row.system: row.rate for row in by_labels if not ranking.human}
    for standing in sorted(ranking.places, key=lambda one: (one.rank or 0, one.system)):
        if standing.method != "win_rate" or standing.value is None:
            continue
        row: dict[str, Any] = {
            "standing": standing,
            "interval": None,
            "counts": counts[standing.system],
            "human": None,
            "human_interval": None,
            "human_method": None,
        }
        if standing.system in rates:
            row["interval"] = rates[standing.system].labels_interval
        if standing.system in labels:
            human = labels[standing.system]
            row["human"] = human.both
            row["human_interval"] = human.interval
            row["human_method"] = human.method
        yield row


def _caveats(ranking: RankReport) -> Iterator[str]:
    for caveat in ranking.caveats:
        if caveat.method == "all":
            yield caveat.text
        elif caveat.method in ("bradley_terry", "models", HUMAN_RATES):
            yield f"{caveat.method.replace('_', ' ')}: {caveat.text}"
    lost = next((p.undefined for p in ranking.places if p.method == "win_rate"), 0)
    if lost:
        of = f"of {counted(ranking.options.bootstrap.number, 'resample')}"
        yield (
            f"{counted(lost, f'{of} lacks a system and is', f'{of} lack a system and are')}"
            " left out of the rank intervals; if most do, there are no intervals"
        )


def _correlation(ranking: RankReport) -> str:
    for row in ranking.correlations:
        if row.systems < 3:  # of two an order is the other or its reverse
            continue
        if row.method != "win_rate" or row.spearman is None or row.kendall is None:
            continue
        return (
            f"Against the ranking by {row.reference}, over {row.systems} systems:"
            f" Spearman {row.spearman:.2f}, Kendall tau-b {row.kendall:.2f}."
        )
    return ""
