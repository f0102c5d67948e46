"""Human labels beside the judge and the systems, from the agreement and ranking packages.

Those packages compute; here is only what of it is shown, and a sentence where it cannot be.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from blueprints import UserError, counted
from trace_eval.decide.agree import agree_by_instruction
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.report.answer import ranking_of
from trace_eval.report.gather import Facts
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.run import Run
from trace_eval.stats.agreement.judges import fused_by
from trace_eval.stats.inference.calibrate import calibrate
from trace_eval.stats.inference.forest import diagram
from trace_eval.stats.inference.labelled_run import gather
from trace_eval.stats.options import ALL_POLICIES, OF_PAGES, AgreeOptions
from trace_eval.stats.ranking.report import HUMAN_RATES, RankReport
from trace_eval.stats.report import AgreeReport

if TYPE_CHECKING:
    from trace_eval.opinions.opinions import Opinions


def human_labels(facts: Facts) -> dict[str, Any]:
    """Values of agreement and ranking of a run; what cannot be computed is a note."""
    agreement = ranking = calibration = source = None
    try:
        source = read_opinions(facts.folder)
    except UserError as error:
        agreement_note = ranking_note = str(error)
    else:
        agreement, agreement_note = _agreement(facts, source)
        ranking, ranking_note = ranking_of(Run(facts.folder), source)
        with suppress(UserError):  # the labels are too few
            calibration = None if source.labels is None else calibrate(gather(source, None))
    return {
        "agreement": agreement,
        "agreement_note": agreement_note,
        "ranking": ranking,
        "ranking_note": ranking_note,
        "places": list(_standings(ranking)) if ranking else [],
        "caveats": list(_caveats(ranking)) if ranking else [],
        "correlation": _correlation(ranking) if ranking else "",
        "calibration": calibration,
        "reliability": diagram(calibration.chosen) if calibration else "",
        "policy": fused_by(source) if source else None,
        "level": ranking.options.bootstrap.level if ranking else 0.95,
    }


def _agreement(facts: Facts, source: Opinions) -> tuple[AgreeReport | None, str]:
    if not any(pair.labels for pair in facts.pairs):
        unused = "".join(f" {what}." for what in facts.record.unused_labels)
        why = "The pairs of this run have no human labels, so there is nothing to agree with."
        return None, why + unused
    drawn = BootstrapOptions(OF_PAGES)
    try:
        options = AgreeOptions(drawn, missing="drop", policy=ALL_POLICIES)
        return agree_by_instruction(source, None, options), ""
    except UserError as error:
        return None, str(error)


def _standings(ranking: RankReport) -> Iterator[dict[str, Any]]:
    """Systems by the judge and by human labels; None: too few comparisons.

    ``human`` and its interval are from labels, and from all judgements where these help.
    """
    counts = {row.system: row for row in ranking.systems}
    rates = {row.system: row.rate for row in ranking.judged}
    requested = ranking.powered.systems if ranking.powered else ranking.labelled
    labels = {row.system: row.rate for row in requested}
    placed = [one for one in ranking.places if one.method == "win_rate" and one.value is not None]
    for standing in sorted(placed, key=lambda one: (one.rank or 0, one.system)):
        judged, theirs = rates.get(standing.system), labels.get(standing.system)
        yield {
            "standing": standing,
            "interval": judged.labels_interval if judged else None,
            "counts": counts[standing.system],
            "human": theirs.both if theirs else None,
            "human_interval": theirs.interval if theirs else None,
        }


def _caveats(ranking: RankReport) -> Iterator[str]:
    for caveat in ranking.caveats:
        if caveat.method in ("bradley_terry", "models", "all", HUMAN_RATES):
            who = "" if caveat.method == "all" else f"{caveat.method.replace('_', ' ')}: "
            yield f"{who}{caveat.text}"
    lost = next((p.undefined for p in ranking.places if p.method == "win_rate"), 0)
    if lost:
        of = f"of {counted(ranking.options.bootstrap.resamples, 'resample')}"
        yield (
            f"{counted(lost, f'{of} lacks a system and is', f'{of} lack a system and are')}"
            " left out of the rank intervals; there are none where that is most of them"
        )


def _correlation(ranking: RankReport) -> str:
    for row in ranking.correlations:
        if row.systems < 3:  # of two an order is the other or its reverse
            continue
        if row.method == "win_rate" and row.spearman is not None and row.kendall is not None:
            return (
                f"Against the ranking by {row.reference}, over {row.systems} systems:"
                f" Spearman {row.spearman:.2f}, Kendall tau-b {row.kendall:.2f}."
            )
    return ""
