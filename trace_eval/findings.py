"""What a run says, as objects of a notebook: tables, a data frame, a picture.

Each is what a command prints: ``agree``, ``rank``, ``compare``, ``screen``, ``card``.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path, PosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from blueprints import UserError, require
from trace_eval.data import LabelTable, nearest, read_labels, table_labels
from trace_eval.runs import Run, table_html
from trace_eval.stats import (
    AgreeOptions,
    AgreeReport,
    BootstrapOptions,
    IntervalEstimate,
    RankOptions,
    RankReport,
    ScoreReport,
    Table,
    agree,
    answer_of,
    flat,
    rank,
    read_source,
    tables_of,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

#: Colours of the report's pages, by their names there; light, because figures are white.
_PALETTE = Path(__file__).with_name("static") / "palette.css"


class Point(NamedTuple):
    """One line of a picture: a number, and its interval where it has one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Finding:
    """One result about a run.

    Attributes:
        title: what it is.
        report: all figures, as the statistics made them.
        tables: the same for people.
        sentences: what it comes to, in words, as the command prints them first.
        warnings: to be read before any figure.
        notes: what was left out, and how it was done.
        points: what :meth:`plot` draws.
        axis: what the points are, with their unit.
    """

    title: str
    report: Any
    tables: tuple[Table, ...] = ()
    sentences: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    points: tuple[Point, ...] = ()
    axis: str = ""

    def __str__(self) -> str:
        return " ".join(self.sentences) or self.title

    def __repr__(self) -> str:
        return f"<{self.title}: {self}>" if self.sentences else f"<{self.title}>"

    @property
    def names(self) -> tuple[str, ...]:
        """The tables of records that :meth:`to_pandas` gives."""
        return tuple(
            part.name
            for part in dataclasses.fields(self.report)
            if _records(getattr(self.report, part.name))
        )

    def to_pandas(self, name: str | None = None) -> pd.DataFrame:
        """A table of records as a data frame; bounds of intervals have columns of their own.

        Args:
            name: one of :attr:`names`; None: the one that the picture is of, else the first.

        Raises:
            UserError: pandas is not installed, or there is no such table.
        """
        pandas = require("pandas", "pandas", "agree", "a data frame")
        if name is None and self.points:
            return pandas.DataFrame([point._asdict() for point in self.points])
        known = self.names
        if not known and name is None:
            return pandas.DataFrame([flat(self.report)])
        if not known or (name is not None and name not in known):
            raise UserError(f"to_pandas: no table {name!r}; {nearest(str(name), known)}")
        rows = getattr(self.report, name or known[0])
        return pandas.DataFrame([flat(row) for row in rows])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the figures with their intervals, a line each, in the colours of the report.

        Args:
            ax: where; None: a new figure.

        Raises:
            UserError: matplotlib is not installed, or there is nothing to draw.
        """
        pyplot = require("matplotlib.pyplot", "matplotlib", "plot", "a picture")
        if not self.points:
            raise UserError(f"{self.title}: nothing to draw")
        colours = palette()
        if ax is None:
            _, ax = pyplot.subplots(figsize=(6, 0.8 + 0.35 * len(self.points)), layout="tight")
        assert ax is not None
        for place, point in enumerate(self.points):
            if point.low is not None and point.high is not None:
                ends = [point.low, point.high]
                ax.plot(ends, [place, place], color=colours["a"], linewidth=2)
            ax.plot([point.value], [place], "o", color=colours["a"])
        ax.set_yticks(range(len(self.points)), [point.name for point in self.points])
        ax.set_ylim(len(self.points) - 0.5, -0.5)
        ax.set_xlabel(self.axis, color=colours["quiet"])
        ax.set_title(self.title, loc="left", color=colours["ink"])
        ax.tick_params(colors=colours["quiet"])
        ax.grid(axis="x", color=colours["line"])
        ax.set_axisbelow(True)
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        return ax

    def _repr_html_(self) -> str:
        said = [
            *self.sentences,
            *(f"warning: {text}" for text in self.warnings),
            *(f"note: {text}" for text in self.notes),
        ]
        parts = [(table.title, table.columns, table.rows, table.note) for table in self.tables]
        return table_html(self.title, said, parts)


def _records(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and dataclasses.is_dataclass(value[0])


@cache
def palette() -> Mapping[str, str]:
    """The report's colours on white, by their names in its style sheet."""
    found = re.findall(r"--(\w+): light-dark\((#\w+),", _PALETTE.read_text(encoding="utf-8"))
    return dict(found)


def results_of(run: Run) -> Finding:
    """How often each overall label was given, or the mean score of each system."""
    frame = run.to_pandas()
    if run.holds_scores:
        means = frame.groupby(["rubric", "system"], dropna=False)["value"].mean().dropna()
        named = ((" ".join(str(part) for part in key), value) for key, value in means.items())
        return Finding("Mean scores", run, points=tuple(Point(*each) for each in named))
    counts = frame["overall"].fillna("unscored").value_counts()
    points = tuple(Point(str(label), float(count)) for label, count in counts.items())
    return Finding("Overall labels", run, points=points, axis="pairs")


def labels_of(given: Any, columns: Mapping[str, str] | None = None) -> LabelTable | None:
    """Human labels from a file, or from a table at hand.

    Raises:
        UserError: they cannot be read.
    """
    if given is None or isinstance(given, LabelTable):
        return given
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        return read_labels(Path(given), columns=columns)
    return table_labels(given, columns)


def agreement_of(
    folder: Path, labels: Any, columns: Mapping[str, str] | None, options: Mapping[str, Any]
) -> Finding:
    """What ``agree`` prints of a run of pairs or of scores."""
    chosen = _options(AgreeOptions, BootstrapOptions(), options)
    if labels is not None and Run(folder).holds_scores:
        labels = Path(labels)
    else:
        labels = labels_of(labels, columns)
    report = agree([folder], labels, chosen)
    of_pairs = isinstance(report, AgreeReport)
    return Finding(
        "Agreement with people",
        report,
        tuple(tables_of(report)),
        answer_of(report),
        tuple(warning.text for warning in report.warnings),
        report.notes,
        tuple(_agreement_points(report)),
        "share of items, with ties as half" if of_pairs else "Spearman's rho",
    )


def _agreement_points(report: AgreeReport | ScoreReport) -> Iterator[Point]:
    if isinstance(report, ScoreReport):
        yield from _score_points(report)
        return
    for score in report.scores:
        found = score.metrics.get("accuracy_half_ties")
        if isinstance(found, IntervalEstimate) and found.value is not None:
            low, high = found.interval or (None, None)
            yield Point(f"{score.judge}: {score.dimension}", found.value, low, high)


def _score_points(report: ScoreReport) -> Iterator[Point]:
    judges = {row.judge for row in report.coverage}
    for figure in report.figures:
        found = figure.estimate
        of_judge = (figure.group, figure.name) == ("agreement", "rho") and figure.who in judges
        if of_judge and found.value is not None:
            yield Point(figure.who, found.value, *_ends(found))


def ranking_of(
    folder: Path,
    labels: Any,
    columns: Mapping[str, str] | None,
    systems: tuple[str, str] | None,
    options: Mapping[str, Any],
) -> Finding:
    """What ``rank`` prints of a run."""
    asked = {"missing": "drop", "systems": systems, **options}
    chosen = _options(RankOptions, BootstrapOptions(2_000), asked)
    if labels is not None and Run(folder).holds_scores:
        labels = Path(labels)
    else:
        labels = labels_of(labels, columns)
    report = rank(folder, labels, chosen)
    return Finding(
        "Ranking of systems",
        report,
        tuple(tables_of(report)),
        answer_of(report),
        tuple(warning.text for warning in report.warnings),
        report.notes,
        tuple(_ranking_points(report)),
        "mean score" if report.means else "win rate by this judge",
    )


def _ranking_points(report: RankReport) -> Iterator[Point]:
    for mean in report.means:
        if mean.mean.value is not None:
            yield Point(mean.system, mean.mean.value, *_ends(mean.mean))
    for row in report.judged:
        if row.rate.labels is not None:
            yield Point(row.system, row.rate.labels, *(row.rate.labels_interval or (None, None)))


def comparison_of(folders: Iterable[Path], labels: Any, options: Mapping[str, Any]) -> Finding:
    """What ``compare`` prints of runs over one input."""
    from trace_eval.compare import (
        CompareOptions,
        RunComparison,
        compare_answer,
        compare_folders,
        compare_tables,
    )

    chosen = _options(CompareOptions, BootstrapOptions(), options)
    report = compare_folders(list(folders), labels_of(labels), chosen)
    pairs = isinstance(report, RunComparison)
    found = (
        [(f"{m.first} and {m.second}: {m.dimension}", m.same) for m in report.mutual]
        if isinstance(report, RunComparison)
        else [(f"{d.second} minus {d.first}: {d.rubric}", d.difference) for d in report.differences]
    )
    points = [Point(name, e.value, *_ends(e)) for name, e in found if e.value is not None]
    tables = tuple(compare_tables(report))
    return Finding(
        "Comparison of runs",
        report,
        tables,
        compare_answer(report),
        notes=report.notes,
        points=tuple(points),
        axis="same label, share" if pairs else "difference of scores",
    )


def _ends(found: IntervalEstimate) -> tuple[float | None, float | None]:
    return found.interval or (None, None)


def screening_of(folder: Path, labels: Any, options: Mapping[str, Any]) -> Finding:
    """What ``screen`` prints of a run; no lists are written."""
    from trace_eval.stats import ScreenOptions, gather, screen, screen_tables

    chosen = _options(ScreenOptions, None, options)
    report = screen(gather(read_source(folder), labels_of(labels)), chosen)
    counts = (
        ("decided", report.decided),
        ("to review", report.review),
        ("hopeless", report.hopeless),
    )
    return Finding(
        "Screening",
        report,
        tuple(screen_tables(report)),
        (report.verdict,),
        tuple(report.caveats),
        points=tuple(Point(name, float(len(found))) for name, found in counts),
        axis="pairs",
    )


def card_of(folder: Path, labels: Any, resamples: int) -> Finding:
    """What ``card`` prints of a run; no pages are written."""
    from trace_eval.stats import card_answer, comparison, make_cards

    (card, *_) = cards = make_cards([folder], labels_of(labels), resamples, [])
    value, interval = card.accuracy
    points = []
    if value is not None:
        points.append(Point(card.judge, value, *(interval or (None, None))))
        points += [Point(*card.rule)] if card.rule else []
    return Finding(
        "Card",
        card,
        (comparison(cards),),
        card_answer(cards),
        points=tuple(points),
        axis="agreement with people, and of the best simple rule",
    )


class Page(PosixPath):
    """The file of a report, which a notebook shows with its sentences.

    Attributes:
        finding: what the page says first; None: of a path that was derived from it.
    """

    finding: Finding | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the page says first."""
        return self.finding.sentences if self.finding else ()

    def to_pandas(self) -> pd.DataFrame:
        """One row per item, as :meth:`trace_eval.Run.to_pandas`."""
        if self.finding is None:
            raise UserError(f"{self}: is no page of a report")
        frame: pd.DataFrame = self.finding.report.to_pandas()
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how many items got each label; see :meth:`Finding.plot`."""
        if self.finding is None:
            raise UserError(f"{self}: is no page of a report")
        return self.finding.plot(ax)

    def _repr_html_(self) -> str:
        link = f'<p><a href="{escape(str(self), quote=True)}">{escape(str(self))}</a></p>'
        return (self.finding._repr_html_() if self.finding else "") + link


def page_of(run: Run, path: Path) -> Page:
    """The page of a run, with what it says first."""
    from trace_eval.report import run_answer

    page = Page(path)
    page.finding = dataclasses.replace(
        results_of(run), title="Report", sentences=run_answer(run.folder)
    )
    return page


def _options(kind: Any, bootstrap: BootstrapOptions | None, given: Mapping[str, Any]) -> Any:
    """Options of a statistic from keywords, those of its bootstrap among them."""
    own = {part.name for part in dataclasses.fields(kind)} - {"bootstrap"}
    drawn = {part.name for part in dataclasses.fields(BootstrapOptions)} if bootstrap else set()
    for name in given:
        if name not in own | drawn:
            raise UserError(f"{name}: is unknown; {nearest(name, own | drawn)}")
    chosen = {name: value for name, value in given.items() if name in own}
    if bootstrap is not None:
        more = {name: value for name, value in given.items() if name in drawn}
        chosen["bootstrap"] = dataclasses.replace(bootstrap, **more)
    return kind(**chosen)
