"""The printed tables of every report of ``agree`` and ``rank``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.share import digits
from trace_eval.show.table import Table, grid, table
from trace_eval.stats.inference.ppi import LEAST_LABELS
from trace_eval.stats.inference.tables import ppi_tables
from trace_eval.stats.label_tables import label_tables
from trace_eval.stats.ranking.fit import MODELS
from trace_eval.stats.ranking.report import RankReport, Standing
from trace_eval.stats.report import AgreeReport, ScoreReport
from trace_eval.stats.score_tables import score_tables


def rank_tables(report: RankReport) -> Iterator[Table]:
    """Counts or means, the ranking by every method, and correlations with human labels."""
    level, baseline = report.options.bootstrap.level, report.options.baseline
    if report.means:
        yield table(
            f"Scores in {report.source}",
            report.means,
            "system scored unscored mean people",
            f"brackets: {level:.0%} interval, of {LEAST_LABELS} questions or more",
        )
    else:
        yield table(
            f"Comparisons in {report.source}",
            report.systems,
            "system comparisons wins losses ties both_bad" + " against_baseline" * bool(baseline),
            _fused(report),
            both_bad="both_bad",
            against_baseline=f"win rate against {baseline}",
        )
    yield _ranking(report)
    if len(report.meetings) > 1:
        pick = "first second comparisons rate"
        yield table("Every two systems", report.meetings, pick, _fused(report))
    shown = [row for row in report.correlations if row.method in _shown(report)]
    if shown:
        yield table(
            "Agreement with a human ranking",
            shown,
            "method reference systems spearman spearman_p kendall kendall_p",
            _fused(report),
        )
    if report.parameters and len(report.systems) > 2:
        yield table("Fitted parameters", report.parameters, "method name value", _fused(report))
    if report.defects:
        yield table(
            "Answers with a defect",
            report.defects,
            "system kind answers affected share",
            f"brackets: {report.options.bootstrap.level:.0%} interval by question",
        )
    if report.powered is not None:
        yield from ppi_tables(report.powered, level)


def _ranking(report: RankReport) -> Table:
    standings = {(standing.method, standing.system): standing for standing in report.places}
    first = report.places[0].method
    systems = sorted(
        {standing.system for standing in report.places},
        key=lambda name: (standings[first, name].rank or 0, name),
    )
    options = report.options
    counts = {row.system: row.comparisons for row in report.systems}
    rates = {("win_rate", row.system): row.rate.labels_interval for row in report.judged}
    drawn = "comparisons, copies of one as one" if report.together else "comparisons"
    if report.means or options.cluster:
        drawn = "questions" if report.means else "instructions"
    places = [[standings[m, name] for m in _shown(report)] for name in systems]
    shown = grid(
        "Ranking: value, rank and its interval",
        ("system", *_shown(report)),
        (
            (name, *(_standing_text(place, counts.get(name)) for place in row))
            for name, row in zip(systems, places, strict=True)
        ),
        f"brackets: ranks that tests of every two systems leave open, {options.bootstrap.level:.0%}"
        f" for all together (Holm; {options.bootstrap.resamples} resamples of"
        f" {drawn}, seed {options.bootstrap.seed});"
        f"{'' if report.means else ' win rates are ranked as fractions,'} equal ones share a rank"
        + (f"; {_fused(report)}" if _fused(report) else ""),
    )
    values = (
        (name, *(IntervalEstimate(p.value, rates.get((p.method, name))) for p in row))
        for name, row in zip(systems, places, strict=True)
    )
    return replace(shown, cells=tuple(values))


def _shown(report: RankReport) -> tuple[str, ...]:
    """The methods of the table; models of two systems say what their win rate says."""
    methods = tuple(dict.fromkeys(standing.method for standing in report.places))
    if report.means or len(report.systems) > 2:
        return methods
    return tuple(name for name in methods if name not in (*MODELS, "mean_win_rate"))


def _fused(report: RankReport) -> str:
    """What fused the labels that are ranked; of one dimension nothing did."""
    options = report.options
    if options.policy is None or options.dimension not in (None, "overall", "preference"):
        return ""
    return f"overall label: {options.policy}"


def _standing_text(standing: Standing, comparisons: int | None) -> str | None:
    if standing.rank is None or standing.value is None:
        return None
    bounds = "" if standing.low is None else f" [{standing.low}-{standing.high}]"
    return f"{standing.value:.{digits(comparisons)}f}  #{standing.rank}{bounds}"


def tables_of(report: AgreeReport | ScoreReport | RankReport) -> Iterator[Table]:
    """Every table of a report that has rows, in reading order."""
    if isinstance(report, RankReport):
        return rank_tables(report)
    return label_tables(report) if isinstance(report, AgreeReport) else score_tables(report)
