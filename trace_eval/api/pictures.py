"""The figures of each report as rows, and its pictures by name, for papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from blueprints import UserError
from trace_eval.api.finding import Finding
from trace_eval.api.findings import (
    ablation_finding,
    agreement_finding,
    cards_finding,
    comparison_finding,
    gate_finding,
    ranking_finding,
)
from trace_eval.compare.evaluate import RunComparison
from trace_eval.compare.gate.report import GateReport
from trace_eval.compare.scores import ScoreComparison
from trace_eval.decide.ablation import AblationReport
from trace_eval.decide.card import Card
from trace_eval.show import draw
from trace_eval.show.draw import Picture, Point
from trace_eval.show.table import TableNumber, figures
from trace_eval.stats.agreement.score import JudgeScore, most_accurate
from trace_eval.stats.inference.calibrate import Calibration
from trace_eval.stats.ranking.report import RankReport
from trace_eval.stats.report import AgreeReport, ScoreReport
from trace_eval.turns.everything import TurnsResult
from trace_eval.turns.report import TurnsReport


def finding_of(report: Any) -> Finding:
    """Turn a report of any of these commands into an object of a notebook."""
    if isinstance(report, AgreeReport | ScoreReport):
        return agreement_finding(report)
    if isinstance(report, RankReport):
        return ranking_finding(report)
    if isinstance(report, RunComparison | ScoreComparison):
        return comparison_finding(report)
    if isinstance(report, AblationReport):
        return ablation_finding(report)
    if isinstance(report, GateReport):
        return gate_finding(report)
    if isinstance(report, TurnsResult):
        return timing_finding(report)
    return cards_finding(report)


def timing_finding(result: TurnsResult) -> Finding:
    """Turn the result of ``turns`` into a notebook object that draws its times.

    The times have intervals.
    """
    points = []
    for one in result.report.figures.values():
        if one.unit == "s" and one.value is not None and one.interval is not None:
            low, high = one.interval
            points.append(Point(one.name, one.value, low, high))
    tables = tuple(result.tables(None))
    return Finding(
        "Timing", result, tables, result.sentences, points=tuple(points), axis="seconds"
    )


def rows_of(finding: Finding) -> Iterator[tuple[str, list[TableNumber]]]:
    """Yield (title of a table, its figures) in reading order."""
    result = finding.report
    if isinstance(result, TurnsResult):
        yield finding.title, list(_times(result))
        return
    for table in finding.tables:
        yield table.title, list(figures(table))


def _times(result: TurnsResult) -> Iterator[TableNumber]:
    """Yield the figures of calls as the report holds them; tables show their text."""
    for system, report in _systems(result).items():
        for one in report.figures.values():
            if one.value is not None:
                low, high = one.interval or (None, None)
                yield TableNumber(
                    name=system,
                    column=one.name,
                    value=one.value,
                    low=low,
                    high=high,
                    n=one.events,
                    unit=one.unit,
                )


def _systems(result: TurnsResult) -> dict[str, TurnsReport]:
    """Return the timed systems by name."""
    if result.against is None or result.other is None:
        return {result.report.source or "calls": result.report}
    first, second = result.against.first, result.against.second
    return {
        first: result.report,
        second if second != first else f"{second} (2)": result.other,
    }


def picture_of(finding: Finding, name: str | None) -> Picture:
    """Return a picture of a report by its name, or the first that the report gives.

    Raises:
        UserError: the report does not give it.
    """
    pictures = dict(_pictures(finding))
    chosen = next(iter(pictures), None) if name is None else name
    if chosen is None or chosen not in pictures:
        rest = f"give one of {', '.join(pictures)}" if pictures else "leave out --plot"
        asked = "--plot" if name is None else f"--plot {name}"
        raise UserError(f"{asked}: {finding.title} has nothing to draw; {rest}")
    return pictures[chosen]


def _pictures(finding: Finding) -> Iterator[tuple[str, Picture]]:
    """Yield the pictures of a report; which report gives which stands here alone."""
    report = finding.report
    if isinstance(report, TurnsResult):
        yield from _responses(report)
    if finding.points:
        yield "forest", draw.forest(finding.points, finding.axis, finding.ends)
    if isinstance(report, RankReport) and report.meetings:
        yield "matrix", _meetings(report)
    if isinstance(report, AgreeReport):
        yield from _of_labels(report, report.calibrations)
    if isinstance(report, Card) and report.agreement:
        fitted = [report.calibration] if report.calibration else []
        yield from _of_labels(report.agreement, fitted)


def _of_labels(
    report: AgreeReport, calibrations: Sequence[Calibration]
) -> Iterator[tuple[str, Picture]]:
    """Yield pictures of the most accurate judge and of the first calibrated one."""
    for score in most_accurate(report.scores)[:1]:
        shades: list[list[float | None]] = []
        texts: list[list[str]] = []
        for row in score.confusion:
            pairs = sum(row)
            if pairs:
                shades.append([number / pairs for number in row])
            else:
                shades.append([None] * len(row))
            texts.append([f"{n:g}" for n in row])
        lines = (f"annotators: {score.dimension}", score.judge)
        yield (
            "confusion",
            draw.matrix((score.labels, score.labels), shades, texts, lines),
        )
        yield from _of_parts(report, score)
    for one in calibrations[:1]:
        bins = [(each.predicted, each.observed, each.pairs) for each in one.chosen.bins]
        axes = (f"P(annotators prefer A) by {one.judge}", "annotators prefer A, share")
        yield "calibration", draw.calibration(bins, axes)


def _of_parts(report: AgreeReport, best: JudgeScore) -> Iterator[tuple[str, Picture]]:
    """Yield the best judge's accuracy by category, and all judges' by label count."""
    rule = Point("majority class", best.majority.accuracy, baseline=True)
    categories: list[Point] = []
    for row in report.by_category:
        if row.judge == best.judge and row.accuracy.value is not None:
            name = f"{row.category} ({row.items})"
            categories.append(Point.of(name, row.accuracy))
    if categories:
        axis = f"accuracy of {best.judge} ({best.dimension}); dashed: the {rule.name}"
        yield "categories", draw.bars(categories, axis, rule.value)
    judges: dict[str, list[Point]] = {best.judge: []}
    for group in report.by_labels:
        accuracy = group.accuracy
        if accuracy.value is not None and group.dimension == best.dimension:
            point = Point.of(str(group.labels), accuracy)
            judges.setdefault(group.judge, []).append(point)
    if len(judges[best.judge]) > 1:
        yield (
            "labels",
            draw.curve(judges, ("labels", f"accuracy ({best.dimension})"), rule),
        )


def _meetings(report: RankReport) -> Picture:
    """Draw win rates of the rows against the columns, the best system first."""
    method = report.places[0].method
    standing = [place for place in report.places if place.method == method]
    standing.sort(key=lambda place: place.rank or 0)
    systems = [place.system for place in standing]
    rates: dict[tuple[str, str], float] = {}
    for meeting in report.meetings:
        rates[meeting.first, meeting.second] = meeting.rate
        rates[meeting.second, meeting.first] = 1 - meeting.rate
    shades: list[list[float | None]] = []
    texts: list[list[str]] = []
    for row in systems:
        against = [rates.get((row, column)) for column in systems]
        shades.append(against)
        texts.append(list(map(_percent, against)))
    axes = ("win rate, %, of", "against")
    return draw.matrix((systems, systems), shades, texts, axes)


def _percent(rate: float | None) -> str:
    return "" if rate is None else f"{100 * rate:.0f}"


def _responses(result: TurnsResult) -> Iterator[tuple[str, Picture]]:
    times: dict[str, list[float]] = {}
    for name, report in _systems(result).items():
        for call in report.conversations:
            measured = call.measured.values.get("response", ())
            times.setdefault(name, []).extend(measured)
    times = {name: each for name, each in times.items() if each}
    if times:
        yield "responses", draw.ecdf(times, "response time, s")
