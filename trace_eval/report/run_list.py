"""The runs below a folder on one page: a line each, changes over time, links."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from blueprints import UserError
from trace_eval.data.files import encoded, make_folder
from trace_eval.data.outputs import write_file
from trace_eval.data.system_folders import how_to_judge
from trace_eval.decide.agree import agree_read
from trace_eval.decide.card import main_score
from trace_eval.estimate.interval import SCORE, Range, in_a_clause
from trace_eval.report.answer import ranking_of, score_rankings
from trace_eval.report.page import pieces
from trace_eval.report.run_sentences import pair_answer, score_answer
from trace_eval.report.write import REPORT
from trace_eval.runs.folders import ListedRun, list_runs
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.record import RunRecord
from trace_eval.runs.run import Run
from trace_eval.stats.inference.forest import ForestMark, forest
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.ranking.report import RankReport
from trace_eval.stats.sentences import rate

#: Name of the page below the folder of runs.
PAGE = "runs.html"

#: Seconds between two looks at runs that are being made.
EVERY = 5


@dataclass(frozen=True)
class SystemFigure:
    """The figures of one system in a run."""

    system: str
    figure: str  # win rate (0 to 1), or the name of the rubric of a mean
    value: float  # in the figure's unit, as its interval
    interval: Range | None  # None: too few items
    method: str | None = None  # that made the interval


@dataclass(frozen=True)
class RunLine:
    """One run on the page."""

    name: str  # its folder, from the page's folder
    link: str | None  # of its report; None: it has none yet
    record: RunRecord | None
    sentences: tuple[str, ...]  # what it came to, or why there is nothing
    systems: tuple[SystemFigure, ...] = ()
    # share of the labels that the judge hits; None: no labels
    agreement: str | None = None

    @property
    def running(self) -> bool:
        """Whether the run is in progress or was interrupted."""
        sessions = self.record.sessions if self.record else ()
        return bool(sessions) and sessions[-1].ended is None

    @property
    def text(self) -> str:
        """The text that the page's search looks through."""
        words = [self.name]
        words.extend(self.sentences)
        words.extend(figure.system for figure in self.systems)
        record = self.record
        if record:
            words += [record.judge.spec, record.tag or "", record.input]
        return " ".join(words).lower()


@dataclass(frozen=True)
class Trend:
    """A figure of one system over the runs that have it, oldest first, as a picture."""

    system: str
    figure: str
    picture: str


def write_run_list(
    folder: Path | str, out: Path | str | None = None, live: bool = False
) -> tuple[Path, list[RunLine]]:
    """Write one page of all runs below a folder; nothing is judged.

    Returns the page, and its lines, the newest run first. Raises UserError where there
    is no such folder, or the page cannot be written.

    Args:
        out: the page; default: ``runs.html`` in the folder.
        live: write it again every few seconds, and let it reload itself, until no run
            is being made any more.
    """
    folder = Path(folder)
    path = Path(out) if out else folder / PAGE
    first_of_folder: dict[Path, tuple[int, RunLine]] = {}
    while True:
        lines = [
            _remembered(first_of_folder, one, path.parent) for one in list_runs(folder)
        ]
        lines.reverse()
        if not lines and not live:
            raise UserError(f"{folder}: holds no runs; {how_to_judge(folder)}")
        working = live and any(line.running for line in lines)
        make_folder(path.parent)
        write_file(path, map(encoded, _html(folder, lines, working)))
        if not working:
            return path, lines
        time.sleep(EVERY)


def _remembered(
    seen: dict[Path, tuple[int, RunLine]], one: ListedRun, home: Path
) -> RunLine:
    """Return a run's line, made anew only where one of its files was written since."""
    times = [file.stat().st_mtime_ns for file in one.folder.glob("*.json*")]
    written = max(times, default=0)
    if one.folder in seen:
        written_then, line = seen[one.folder]
        if written == written_then:
            return line
    line = _line(one, home)
    seen[one.folder] = written, line
    return line


def _line(one: ListedRun, home: Path) -> RunLine:
    name = os.path.relpath(one.folder, home)
    report = one.folder / REPORT
    link = quote(os.path.relpath(report, home)) if report.is_file() else None
    if one.record is None:
        return RunLine(
            name=name,
            link=link,
            record=None,
            sentences=(one.problem or "its record cannot be read",),
        )
    run = Run(one.folder)
    figures: list[SystemFigure] = []
    agreement = None
    try:
        if run.holds_scores:
            rankings = score_rankings(run)
            for rubric, by_rubric in rankings.items():
                figures.extend(_means(rubric, by_rubric))
            sentences = score_answer(run, rankings)
        else:
            ranking, _ = ranking_of(run)
            if ranking and not ranking.human:  # a line has its judge's figures
                figures.extend(_rates(ranking))
            sentences = pair_answer(run, ranking)
            agreement = _agreement(run)
    except UserError as error:
        # A file of it is damaged: the other runs are listed all the same.
        return RunLine(name=name, link=link, record=one.record, sentences=(str(error),))
    return RunLine(
        name=name,
        link=link,
        record=one.record,
        sentences=sentences,
        systems=tuple(figures),
        agreement=agreement,
    )


def _rates(ranking: RankReport) -> Iterator[SystemFigure]:
    """Yield the win rate of each system that has one."""
    intervals = {row.system: row.rate.labels_interval for row in ranking.judged}
    for place in ranking.places:
        if place.method == "win_rate" and place.value is not None:
            yield SystemFigure(
                system=place.system,
                figure="win rate",
                value=place.value,
                interval=intervals.get(place.system),
                method=SCORE,
            )


def _means(rubric: str, ranking: RankReport) -> Iterator[SystemFigure]:
    """Yield the mean score of each system that has one."""
    for row in ranking.means:
        if row.mean.value is not None:
            yield SystemFigure(
                system=row.system,
                figure=rubric,
                value=row.mean.value,
                interval=row.mean.interval,
                method=row.mean.method,
            )


def _agreement(run: Run) -> str | None:
    try:
        options = AgreeOptions(missing="drop")
        report = agree_read(read_opinions(run.folder), None, options)
    except UserError:  # there are no labels, or the run cannot be read
        return None
    score = main_score(report)
    if score is None or score.accuracy.value is None:
        return None
    accuracy = report.accuracy_of(score)
    assert accuracy.value is not None
    return rate(accuracy.value, accuracy.interval)


def trends(lines: Sequence[RunLine]) -> list[Trend]:
    """Draw a picture for each system and figure that two runs or more have."""
    rows: dict[tuple[str, str], list[tuple[RunLine, SystemFigure]]] = {}
    for line in reversed(lines):
        for figure in line.systems:
            name = figure.system, figure.figure
            rows.setdefault(name, []).append((line, figure))
    pictures: list[Trend] = []
    for (system, name_of_figure), runs in rows.items():
        if len(runs) > 1:
            picture = _picture(runs, name_of_figure == "win rate")
            pictures.append(Trend(system, name_of_figure, picture))
    return pictures


def _picture(rows: Sequence[tuple[RunLine, SystemFigure]], share: bool) -> str:
    marks: list[ForestMark] = []
    ends: list[float] = []
    for line, figure in rows:
        text = _share(figure) if share else _mean(figure)
        marks.append(
            ForestMark(
                name=line.name, value=figure.value, interval=figure.interval, told=text
            )
        )
        ends.extend(figure.interval or (figure.value,))
    low = min(ends)
    high = max(ends)
    if share:
        low, high = 0.0, 1.0
    elif low == high:
        low -= 0.5
        high += 0.5
    style = ".0%" if share else ".2f"
    labels = (
        format(low, style),
        format((low + high) / 2, style),
        format(high, style),
    )
    return forest(marks, low, high, labels)


def _share(figure: SystemFigure) -> str:
    return rate(figure.value, figure.interval)


def _mean(figure: SystemFigure) -> str:
    if figure.interval is None:
        return f"{figure.value:.2f}"
    low, high = figure.interval
    return f"{figure.value:.2f} [{low:.2f}, {high:.2f}]"


def _html(folder: Path, lines: Sequence[RunLine], working: bool) -> Iterator[str]:
    return pieces(
        "runs.html.j2",
        "runs.js",
        name=folder.resolve().name,
        lines=lines,
        trends=trends(lines),
        methods=in_a_clause(
            one.method for line in lines for one in line.systems if one.interval
        ),
        judges=sorted({line.record.judge.spec for line in lines if line.record}),
        reload=EVERY if working else None,
    )
