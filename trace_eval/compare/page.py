"""A comparison as one HTML page: tables, and players for the furthest pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, inf
from pathlib import Path

from markupsafe import Markup

from trace_eval.compare.evaluate import Disagreement, RunComparison
from trace_eval.compare.scores import (
    ScoreComparison,
    ScoreDisagreement,
    shared_questions,
)
from trace_eval.compare.tables import (
    APART,
    compare_answer,
    compare_tables,
    disagreement,
)
from trace_eval.data.answers import Recording
from trace_eval.data.files import make_folder
from trace_eval.data.items import Pair, Single
from trace_eval.data.outputs import write_file
from trace_eval.data.scores import Score
from trace_eval.estimate.interval import IntervalEstimate, methods_of
from trace_eval.report.audio import AudioAssets, PlayedSound
from trace_eval.report.page import style, templates
from trace_eval.report.summary import TITLES
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.run import Run
from trace_eval.stats.agreement.parts import MAIN
from trace_eval.stats.inference.forest import ForestMark, forest
from trace_eval.stats.sentences import percent, rate

#: Nothing from a network, and no scripts at all.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; media-src 'self' file:; base-uri"
    " 'none'; form-action 'none'"
)


@dataclass(frozen=True)
class ComparedRow:
    """The labels and reasons of one dimension of a pair."""

    title: str
    labels: tuple[
        str | None, ...
    ]  # by run in the page's order, then the human one; None: none
    words: tuple[
        tuple[str, str], ...
    ]  # (runs, their reasons); equal reasons stand together

    @property
    def human(self) -> str | None:
        """The human label."""
        return self.labels[-1]

    @property
    def differs(self) -> bool:
        """Whether two runs name different labels."""
        labels_of_runs = set(self.labels[:-1]) - {None}
        return len(labels_of_runs) > 1


@dataclass(frozen=True)
class PairView:
    """A pair on the page."""

    pair: str
    instruction: str | None
    players: tuple[tuple[str, PlayedSound], ...]  # (name, where to play it)
    rows: tuple[ComparedRow, ...]  # those on which runs differ first


def write_page(
    report: RunComparison | ScoreComparison,
    folders: Sequence[Path],
    path: Path,
    copy: bool = False,
) -> None:
    """Write the page of runs in the report's order.

    With ``copy``, copies of the recordings lie beside it, so that it can be moved.

    Raises:
        UserError: the file cannot be written.
    """
    runs: dict[str, Run] = {}
    for name, folder in zip(report.names, folders, strict=True):
        runs[name] = Run.open(folder)
    assets = AudioAssets(path, copy)
    if isinstance(report, ScoreComparison):
        views = _score_views(report, runs, assets)
        drawn: list[tuple[str, IntervalEstimate, str]] = []
        for row in report.differences:
            name = f"{row.second} minus {row.first}, {row.rubric}"
            drawn.append((name, row.difference, f"{row.difference.value:+.2f}"))
        by = methods_of(one.difference for one in report.differences)
        legend = (
            "mean score: the difference over shared questions, with its interval"
            f" ({by})"
        )
        picture = _differences(drawn, "{:.1f}".format, legend)
    else:
        views = _pair_views(report, runs, assets)
        picture = _picture(report)
    judged = [(name, run.record().judge.spec, run.folder) for name, run in runs.items()]
    tables = [table for table in compare_tables(report) if table.title != APART]
    template = templates("trace_eval.compare").get_template("compare.html.j2")
    html = template.render(
        names=report.names,
        runs=judged,
        policy=POLICY,
        style=Markup(style()),
        tables=tables,
        notes=report.notes,
        sentences=compare_answer(report),
        picture=Markup(picture),
        pairs=views,
    )
    make_folder(path.parent)
    write_file(path, html)


def _score_views(
    report: ScoreComparison, runs: Mapping[str, Run], assets: AudioAssets
) -> list[PairView]:
    """Show the questions furthest apart: answers, scores and reasons of each run."""
    items_of_runs = {name: list(run.singles()) for name, run in runs.items()}
    question_of = shared_questions(items_of_runs.values())
    scores = {name: list(run.scores()) for name, run in runs.items()}
    clips: dict[str, dict[str, ClipRecord]] = {}
    for name, run in runs.items():
        clips[name] = {record.source: record for record in run.clips().values()}

    def view(one: ScoreDisagreement) -> PairView:
        players: list[tuple[str, PlayedSound]] = []
        words: list[tuple[str, str]] = []
        labels: list[str | None] = []
        for name, items in items_of_runs.items():
            answers: dict[str, Single] = {}
            for item in items:
                if (item.question_id or question_of[item.id]) == one.question:
                    answers[item.id] = item
            for answer in answers.values():
                for role, sound in _sounds_of(answer):
                    clip = clips[name].get(sound.source_id)
                    players.append((f"{name}: {role}", assets.sound(sound, clip)))
            values: list[str] = []
            for score in scores[name]:
                if score.item not in answers or score.rubric != one.rubric:
                    continue
                if score.value is not None:
                    values.append(f"{score.value:.2f}")
                words.append((name, _reason_of(score)))
            labels.append(", ".join(values) or None)
        of_people = None
        labels.append(of_people)
        row = ComparedRow(one.rubric, tuple(labels), _merged(words))
        return PairView(one.question, None, tuple(players), (row,))

    return [view(one) for one in report.apart]


def _differences(
    rows: Sequence[tuple[str, IntervalEstimate, str]],
    end: Callable[[float], str],
    message: str,
    most: float = inf,
) -> str:
    """Draw a forest plot around 0 of (name, difference, the same in words)."""
    farthest = 0.0
    drawn: list[ForestMark] = []
    for name, difference, words in rows:
        low, high = difference.interval or (0.0, 0.0)
        farthest = max(farthest, abs(difference.value or 0.0), abs(low), abs(high))
        mark = ForestMark(
            name=name,
            value=difference.value,
            interval=difference.interval,
            told=words,
            mark=(0.0, "no difference"),
        )
        drawn.append(mark)
    reach = min(most, max(0.1, ceil(10 * farthest) / 10))
    shown = end(reach)
    ends = f"-{shown}", "0", shown if most < inf else f"+{shown}"
    return f'{forest(drawn, -reach, reach, ends)}<p class="quiet">{message}</p>'


def _sounds_of(answer: Single) -> Iterator[tuple[str, Recording]]:
    """Yield role and recording of what is heard of an answer, but for single turns."""
    for role, sound in answer.recordings().items():
        if sound.has_audio and "/turn-" not in role:
            yield role, sound


def _reason_of(score: Score) -> str:
    """Return the first reason that is given for a score, or why there is none."""
    for opinion in score.opinions:
        if opinion.reasoning:
            return opinion.reasoning
    return score.detail or ""


def _pair_views(
    report: RunComparison, runs: Mapping[str, Run], assets: AudioAssets
) -> list[PairView]:
    wanted = {item.pair for item in report.apart}
    reasons: dict[tuple[str, str, str], str] = {}
    for name, run in runs.items():
        for pair, judgement in run.judgements().items():
            if pair not in wanted:
                continue
            for dimension, verdict in judgement.dimensions.items():
                reasons[name, pair, dimension] = verdict.reasoning
    first = runs[report.names[0]]
    pairs = {pair.id: pair for pair in first.pairs() if pair.id in wanted}
    clips = {record.source: record for record in first.clips().values()}

    def players(pair: Pair) -> tuple[tuple[str, PlayedSound], ...]:
        roles = (
            ("Instruction", pair.instruction),
            ("Answer A", pair.a),
            ("Answer B", pair.b),
        )
        sounds: list[tuple[str, PlayedSound]] = []
        for name, recording in roles:
            if recording.has_audio:
                clip = clips.get(recording.source_id)
                sounds.append((name, assets.sound(recording, clip)))
        return tuple(sounds)

    def view(item: Disagreement) -> PairView:
        pair = pairs[item.pair]
        dimensions = dict.fromkeys(chain.from_iterable(item.verdicts.values()))
        rows: list[ComparedRow] = []
        for name in dimensions:
            labels: list[str | None] = []
            words: list[tuple[str, str]] = []
            for run, verdicts in item.verdicts.items():
                labels.append(verdicts.get(name))
                words.append((run, reasons.get((run, pair.id, name), "")))
            labels.append(item.people.get(name))
            title = TITLES.get(name, name)
            rows.append(ComparedRow(title, tuple(labels), _merged(words)))
        rows.sort(key=lambda row: not row.differs)
        return PairView(pair.id, pair.instruction.text, players(pair), tuple(rows))

    return [view(item) for item in report.apart]


def _picture(report: RunComparison) -> str:
    """Draw differences of accuracy, or without labels how often the runs agree."""
    results = {row.dimension for row in report.differences or report.mutual}
    main = next((name for name in MAIN if name in results), None)
    points: list[tuple[str, IntervalEstimate, str]] = []
    for row in report.differences:
        if row.dimension != main:
            continue
        words = filter(None, (_points(row.difference), disagreement(row, report)))
        name = f"{row.second} minus {row.first}"
        points.append((name, row.difference, "; ".join(words)))
    if points:
        by = methods_of(difference for _, difference, _ in points)
        message = (
            f"accuracy against annotators ({main}): the difference, with its interval"
            f" ({by})"
        )
        return _differences(points, lambda x: f"{percent(x)} points", message, most=1.0)
    shares: list[ForestMark] = []
    for pair in report.mutual:
        if pair.dimension != main or pair.same.value is None:
            continue
        share = ForestMark(
            f"{pair.first} and {pair.second}",
            value=pair.same.value,
            interval=pair.same.interval,
            told=rate(pair.same.value, pair.same.interval),
        )
        shares.append(share)
    if not shares:
        return ""
    by = methods_of(row.same for row in report.mutual)
    message = (
        f"share of pairs on which two runs say the same ({main}), with its interval"
        f" ({by})"
    )
    return (
        f"{forest(shares, 0, 1, ('0 %', '50 %', '100 %'))}<p"
        f' class="quiet">{message}</p>'
    )


def _points(result: IntervalEstimate) -> str:
    if result.value is None:
        return "-"
    if result.interval is None:
        return f"{100 * result.value:+.0f} points (no interval)"
    low_high = ", ".join(f"{100 * x:.0f}" for x in result.interval)
    return f"{100 * result.value:+.0f} [{low_high}] points"


def _merged(words: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return reasons, each once, with the runs that give them."""
    runs: dict[str, list[str]] = {}
    for run, text in words:
        if text:
            runs.setdefault(text, []).append(run)
    return tuple((", ".join(names), text) for text, names in runs.items())
