"""The results of a run as objects of a notebook: tables, a data frame, a picture.

Each is what a command prints: ``agree``, ``rank``, ``compare``, ``screen``, ``card``.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path, PosixPath
from statistics import fmean
from typing import TYPE_CHECKING, Any

from blueprints import UserError
from trace_eval.api.finding import Finding
from trace_eval.compare.evaluate import RunComparison
from trace_eval.compare.tables import compare_answer, compare_tables
from trace_eval.data.columns import Columns
from trace_eval.data.files import as_path
from trace_eval.decide.answers import answer_of, card_answer, enough_of, raters_of
from trace_eval.decide.card_page import comparison
from trace_eval.decide.screen import screen_tables
from trace_eval.opinions.opinions import Opinions
from trace_eval.report.answer import run_answer
from trace_eval.runs.run import Run
from trace_eval.runs.table import table_of
from trace_eval.show.draw import Point
from trace_eval.stats.agreement.score import most_accurate
from trace_eval.stats.ranking.report import RankReport
from trace_eval.stats.report import AgreeReport, ScoreReport
from trace_eval.stats.tables import tables_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from trace_eval.compare.gate.report import GateReport
    from trace_eval.compare.scores import ScoreComparison
    from trace_eval.decide.ablation import AblationReport
    from trace_eval.decide.card import Card
    from trace_eval.decide.screen import Screening


#: Ends of an axis of shares, and of one of counts.
_SHARE, _COUNT = (0.0, 1.0), (0.0, None)

#: What a pair without an overall label is counted as.
_UNSCORED = "unscored"


def results_of(run: Run) -> Finding:
    """Count the overall labels of a run, or average the scores of each system."""
    if run.holds_scores:
        return Finding("Mean scores", run, points=tuple(_mean_scores(run)))
    counts: Counter[str] = Counter()
    for record in table_of(run).records():
        counts[str(record["overall"] or _UNSCORED)] += 1
    # 1, 2, ties, and at the end what has no label.
    labels = sorted(counts, key=lambda label: (label == _UNSCORED, label))
    points = tuple(Point(label, float(counts[label])) for label in labels)
    return Finding("Overall labels", run, points=points, axis="pairs", ends=_COUNT)


def _mean_scores(run: Run) -> Iterator[Point]:
    """Yield the mean score of each system by each rubric."""
    scores: dict[tuple[str, str], list[float]] = {}
    for record in table_of(run).records():
        value = record["value"]
        if isinstance(value, float):
            name = (str(record["rubric"]), str(record["system"] or ""))
            scores.setdefault(name, []).append(value)
    for (rubric, system), values in sorted(scores.items()):
        yield Point(f"{rubric} {system}".strip(), fmean(values))


def labels_of(
    provided: Any, columns: Mapping[str, str] | None = None
) -> tuple[Any, Columns | None]:
    """Return human labels as statistics take them, with their names of columns.

    Raises:
        UserError: there are names of columns and no labels.
    """
    if provided is None and columns:
        raise UserError(
            f"columns {sorted(columns)}: are those of labels; give labels, too"
        )
    known = provided is None or isinstance(provided, Opinions)
    return as_path(provided), None if known else Columns(named=columns or {})


def agreement_finding(report: AgreeReport | ScoreReport) -> Finding:
    """Turn the report of ``agree`` into an object of a notebook."""
    title = "Agreement with human labels"
    if isinstance(report, ScoreReport):
        return _statistics(
            title,
            report,
            points=_score_points(report),
            unit="Spearman's rho",
            span=(-1.0, 1.0),
        )
    unit = "share of pairs with the human label"
    return _statistics(
        title, report, points=_label_points(report), unit=unit, span=_SHARE
    )


def _statistics(
    title: str,
    report: AgreeReport | ScoreReport | RankReport,
    points: Iterable[Point],
    unit: str,
    span: tuple[float, float] | None,
) -> Finding:
    return Finding(
        title=title,
        report=report,
        tables=tuple(tables_of(report)),
        sentences=answer_of(report) + raters_of(report) + enough_of(report),
        warnings=tuple(warning.text for warning in report.warnings),
        notes=report.notes,
        points=tuple(points),
        axis=unit,
        ends=span,
    )


def _label_points(report: AgreeReport) -> Iterator[Point]:
    for score in report.scores:
        result = score.accuracy
        if result.value is not None:
            yield Point.of(f"{score.judge}: {score.dimension}", result)
    for score in most_accurate(report.scores)[:1]:
        for rule in score.baselines:
            if rule.accuracy is not None:
                name = f"{rule.name}: {score.dimension}"
                yield Point(name, rule.accuracy, baseline=True)


def _score_points(report: ScoreReport) -> Iterator[Point]:
    judges = {row.judge for row in report.coverage}
    for figure in report.figures:
        result = figure.estimate
        of_judge = (figure.group, figure.name) == (
            "agreement",
            "rho",
        ) and figure.who in judges
        if of_judge and result.value is not None:
            yield Point.of(figure.who, result)


def ranking_finding(report: RankReport) -> Finding:
    """Turn the report of ``rank`` into an object of a notebook."""
    span = None if report.means else _SHARE
    return _statistics(
        "Ranking of systems",
        report,
        points=_ranking_points(report),
        unit=report.unit,
        span=span,
    )


def _ranking_points(report: RankReport) -> Iterator[Point]:
    for mean in report.means:
        if mean.mean.value is not None:
            yield Point.of(mean.system, mean.mean)
    for row in report.judged:
        if row.rate.labels is not None:
            low, high = row.rate.labels_interval or (None, None)
            yield Point(row.system, row.rate.labels, low, high)


def gate_finding(report: GateReport) -> Finding:
    """Turn ``gate``'s report into a notebook object that draws the differences."""
    from trace_eval.compare.gate.report import gate_tables

    points = []
    for row in report.rows:
        if row.difference.value is not None:
            points.append(Point.of(row.metric, row.difference))
    return Finding(
        title="Gate",
        report=report,
        tables=tuple(gate_tables(report)),
        sentences=(report.sentence,),
        notes=report.notes,
        points=tuple(points),
        axis=f"points, {report.candidate} minus {report.baseline}",
    )


def comparison_finding(report: RunComparison | ScoreComparison) -> Finding:
    """Turn the report of ``compare`` into an object of a notebook."""
    if isinstance(report, RunComparison):
        axis, ends = "same label, share", _SHARE
        result = [
            (f"{m.first} and {m.second}: {m.dimension}", m.same) for m in report.mutual
        ]
    else:
        axis, ends = "difference of scores", None
        rows = report.differences
        result = [
            (f"{d.second} minus {d.first}: {d.rubric}", d.difference) for d in rows
        ]
    points: list[Point] = []
    for name, estimate in result:
        if estimate.value is not None:
            points.append(Point.of(name, estimate))
    return Finding(
        "Comparison of runs",
        report,
        tuple(compare_tables(report)),
        compare_answer(report),
        notes=report.notes,
        points=tuple(points),
        axis=axis,
        ends=ends,
    )


def ablation_finding(report: AblationReport) -> Finding:
    """Turn ``ablate``'s report into a notebook object that draws the differences."""
    from trace_eval.decide.ablation_answer import ablation_answer, ablation_views

    points: list[Point] = []
    for row in report.groups.rows:
        if row.difference.value is None:
            continue
        name = f"{row.condition}, {row.dimension}"
        points.append(Point.of(name, row.difference))
    return Finding(
        "Ablation",
        report,
        ablation_views(report),
        ablation_answer(report),
        points=tuple(points),
        axis="difference in accuracy",
    )


def screening_finding(report: Screening) -> Finding:
    """Turn the report of ``screen`` into an object of a notebook."""
    counts = (
        ("decided", report.decided),
        ("to review", report.review),
        ("hopeless", report.hopeless),
    )
    return Finding(
        title="Screening",
        report=report,
        tables=tuple(screen_tables(report)),
        sentences=(report.verdict,),
        warnings=tuple(report.caveats),
        points=tuple(Point(name, float(len(result))) for name, result in counts),
        axis="pairs",
        ends=_COUNT,
    )


def cards_finding(cards: Sequence[Card]) -> Finding:
    """Turn judges' cards into a notebook object, whose report is the first card."""
    points = []
    for card in cards:
        value, interval = card.accuracy
        if value is None:
            continue
        low, high = interval or (None, None)
        name = card.judge if len(cards) == 1 else card.name
        points.append(Point(name, value, low, high))
        if card.rule:
            rule, accuracy = card.rule
            points.append(Point(rule, accuracy, baseline=True))
    return Finding(
        "Card",
        cards[0],
        (comparison(cards),),
        card_answer(cards),
        points=tuple(points),
        axis="agreement with human labels, and of the best simple rule",
        ends=_SHARE,
    )


class FindingsPage(PosixPath):
    """A report's file, which a notebook shows with its sentences.

    A path that is derived from it has none.
    """

    finding: Finding | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The first sentences of the page."""
        return self.finding.sentences if self.finding else ()

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per item, as :meth:`trace_eval.Run.to_pandas`."""
        frame: pd.DataFrame = self._required().report.to_pandas()
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many items got each label; see :meth:`Finding.plot`."""
        return self._required().plot(ax)

    def _required(self) -> Finding:
        if self.finding is None:
            raise UserError(
                f"{self}: is not the page of a report; take what Run.report() returns"
            )
        return self.finding

    def _repr_html_(self) -> str:
        link = (
            f'<p><a href="{escape(str(self), quote=True)}">{escape(str(self))}</a></p>'
        )
        return (self.finding._repr_html_() if self.finding else "") + link


def page_of(run: Run, path: Path) -> FindingsPage:
    """Make the page object of a run, with the first sentences of its report."""
    page = FindingsPage(path)
    page.finding = dataclasses.replace(
        results_of(run), title="Report", sentences=run_answer(run.folder)
    )
    return page
