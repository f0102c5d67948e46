"""``compare`` of runs of scores: answers to the same questions, paired by question.

Runs may be of two systems (the same questions or scenarios) or of two judges (the same
items).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from blueprints import UserError, counted
from trace_eval.compare.evaluate import RunComparison, compare_runs, names_of
from trace_eval.compare.options import CompareOptions
from trace_eval.data.columns import Columns
from trace_eval.data.items import Single
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.paired import FLIPS_DRAWN, holm, mean_difference, sign_flip
from trace_eval.opinions.instructions import questions_of
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.run import Run
from trace_eval.show.table import Table, column, grid, out_of, p_text, table
from trace_eval.stats.inference.ppi import LEAST_LABELS
from trace_eval.stats.sentences import outcome

#: Rubric -> question -> mean score.
_Means = Mapping[str, Mapping[str, float]]

_TEST = "sign-flip test over questions"


@dataclass(frozen=True)
class RunScores:
    """One run under one rubric; ``mean`` is on its scale, over all that it scored."""

    run: str
    judge: str
    rubric: str
    items: int
    scored: int = field(metadata=column(shown=out_of("items")))
    mean: float | None


@dataclass(frozen=True)
class ScoreDifference:
    """Second run minus first, on the rubric's scale, over questions that both scored.

    Attributes:
        questions: how many; several items of one count by their mean.
        means: of the first and the second run over them.
        difference: mean of the questions' differences; the interval draws questions.
        higher, lower: questions on which the second is higher, or lower.
        p: two-sided sign-flip test over questions; ``p_holm`` corrected over all
            comparisons.
    """

    first: str
    second: str
    rubric: str
    questions: int
    means: tuple[float, float]
    difference: IntervalEstimate
    higher: int
    lower: int
    p: float = field(metadata=column(shown=p_text))
    p_holm: float = field(metadata=column("Holm", p_text))


@dataclass(frozen=True)
class ScoreDisagreement:
    """A question on which runs differ: its score by run, and the largest ``gap``."""

    question: str
    rubric: str
    scores: dict[str, float]
    gap: float


@dataclass(frozen=True)
class ScoreComparison:
    """All tables of ``trace-eval compare`` for runs of scores; each list is one table.

    Attributes:
        names: of the runs, unique.
        shared: questions that are in all runs; ``only`` counts what each run has beyond
            them.
        apart: questions on which the runs differ most, furthest first.
    """

    names: tuple[str, ...]
    options: CompareOptions
    shared: int
    only: dict[str, int]
    runs: tuple[RunScores, ...]
    differences: tuple[ScoreDifference, ...]
    apart: tuple[ScoreDisagreement, ...]
    notes: tuple[str, ...] = ()


def compare_folders(
    folders: Sequence[Path],
    labels: Path | Opinions | None = None,
    options: CompareOptions | None = None,
    columns: Columns | None = None,
) -> RunComparison | ScoreComparison:
    """Compare runs by :func:`compare_runs`, those of scores by :func:`compare_scores`.

    Args:
        columns: how the file of labels names its columns and labels.

    Raises:
        UserError: some are of pairs and some of scores, or see there.
    """
    _refuse_columns(folders)
    rated = [folder for folder in folders if Run(folder).holds_scores]
    if not rated:
        return compare_runs(folders, labels, options, columns)
    of_pairs = [folder for folder in folders if folder not in rated]
    if of_pairs:
        raise UserError(
            f"compare: {rated[0]} holds scores and {of_pairs[0]} verdicts on pairs;"
            " compare runs of one kind"
        )
    if labels is not None:
        raise UserError(
            "compare: --labels belong to pairs; compare human ratings with several runs"
            " by trace-eval agree RUN RUN --labels FILE"
        )
    return compare_scores(folders, options)


def _refuse_columns(sources: Sequence[Path]) -> None:
    """Refuse ``FILE:COLUMN``, which another comparison reads."""
    for source in sources:
        file, colon, _ = str(source).rpartition(":")
        if colon and not Path(source).exists() and Path(file).is_file():
            raise UserError(
                f"{source}: a column of verdicts is compared by --judge-change; add"
                f" that, or name the file alone, {file}"
            )


def compare_scores(
    folders: Sequence[Path], options: CompareOptions | None = None
) -> ScoreComparison:
    """Compare two or more run folders of ``rate``; a question is drawn as a whole.

    Raises:
        UserError: fewer than two runs, or no question that two of them scored under one
            rubric.
    """
    options = options or CompareOptions()
    names = names_of(folders)
    opened = [Run.open(folder) for folder in folders]
    question_of = shared_questions(run.singles() for run in opened)
    runs: dict[str, _Scored] = {}
    for name, run in zip(names, opened, strict=True):
        runs[name] = _scored(name, run, question_of)
    common = set.intersection(*[run.questions for run in runs.values()])
    means = {name: run.means for name, run in runs.items()}
    differences = list(_differences(means, options))
    if not differences:
        raise UserError(
            f"compare: {' and '.join(names)} have no question in common that both"
            " scored under one rubric; give answers to one question the same"
            " question_id"
        )
    corrected = holm([row.p for row in differences])
    for number, p_holm in enumerate(corrected):
        differences[number] = replace(differences[number], p_holm=p_holm)
    furthest = sorted(_apart(means), key=lambda row: -row.gap)
    return ScoreComparison(
        names=tuple(names),
        options=options,
        shared=len(common),
        only={name: len(run.questions - common) for name, run in runs.items()},
        runs=tuple(chain.from_iterable(run.rows for run in runs.values())),
        differences=tuple(differences),
        apart=tuple(furthest[: options.top]),
    )


class _Scored(NamedTuple):
    """One run's scores: its questions, their means and a row for each rubric."""

    questions: set[str]
    means: _Means
    rows: list[RunScores]


def shared_questions(runs: Iterable[Iterable[Single]]) -> dict[str, str]:
    """Name each question that has no id by the first item that asks it.

    The first run that knows an item says what it asks.
    """
    items: dict[str, Single] = {}
    for singles in runs:
        for item in singles:
            if item.question_id is None:
                items.setdefault(item.id, item)
    first: dict[str, str] = {}
    names: dict[str, str] = {}
    for item, known in zip(items.values(), questions_of(items.values()), strict=True):
        names[item.id] = item.id if known is None else first.setdefault(known, item.id)
    return names


def _scored(name: str, run: Run, names: Mapping[str, str]) -> _Scored:
    question_of = {
        item.id: item.question_id or names[item.id] for item in run.singles()
    }
    scores: dict[str, dict[str, list[float]]] = {}
    for score in run.scores():
        by_question = scores.setdefault(score.rubric, {})
        if score.value is not None:
            question = question_of.get(score.item, score.item)
            by_question.setdefault(question, []).append(score.value)
    judge = run.record().judge.spec
    rows: list[RunScores] = []
    means: dict[str, dict[str, float]] = {}
    for rubric, by_question in scores.items():
        values = list(chain.from_iterable(by_question.values()))
        row = RunScores(
            run=name,
            judge=judge,
            rubric=rubric,
            items=len(question_of),
            scored=len(values),
            mean=float(np.mean(values)) if values else None,
        )
        rows.append(row)
        means[rubric] = {
            question: float(np.mean(values)) for question, values in by_question.items()
        }
    return _Scored(set(question_of.values()), means, rows)


def _differences(
    means: Mapping[str, _Means], options: CompareOptions
) -> Iterator[ScoreDifference]:
    for (first, one), (second, other) in combinations(means.items(), 2):
        for rubric in one:
            questions = [name for name in one[rubric] if name in other.get(rubric, {})]
            if not questions:
                continue
            before = np.array([one[rubric][name] for name in questions])
            after = np.array([other[rubric][name] for name in questions])
            gaps = after - before
            difference = mean_difference(gaps, None, options.bootstrap)
            if len(gaps) < LEAST_LABELS:
                difference = IntervalEstimate(difference.value)
            p = sign_flip(gaps)
            yield ScoreDifference(
                first=first,
                second=second,
                rubric=rubric,
                questions=len(gaps),
                means=(float(before.mean()), float(after.mean())),
                difference=difference,
                higher=int((gaps > 0).sum()),
                lower=int((gaps < 0).sum()),
                p=p,
                p_holm=p,
            )


def _apart(means: Mapping[str, _Means]) -> Iterator[ScoreDisagreement]:
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for run, by_rubric in means.items():
        for rubric, by_question in by_rubric.items():
            of_rubric = scores.setdefault(rubric, {})
            for question, score in by_question.items():
                of_rubric.setdefault(question, {})[run] = score
    for rubric, of_rubric in scores.items():
        for question, by_run in of_rubric.items():
            gap = max(by_run.values()) - min(by_run.values())
            if gap:
                yield ScoreDisagreement(question, rubric, by_run, gap)


def score_answer(report: ScoreComparison) -> tuple[str, ...]:
    """Say which run scores higher, a sentence for each rubric of the first two runs."""
    lines: list[str] = []
    for row in report.differences:
        if (row.first, row.second) != report.names[:2]:
            continue
        higher = row.first
        lower = row.second
        high, low = row.means
        if low > high:
            higher, lower = lower, higher
            high, low = low, high
        conclusion = "equally high"
        if high != low:
            level = report.options.bootstrap.level
            conclusion = f"{higher} is {outcome(True, row.p_holm, level, _TEST)}"
        lines.append(
            f"{higher} scores {high:.2f} and {lower} {low:.2f} by {row.rubric} over"
            f" {counted(row.questions, 'question')}: {conclusion}."
        )
    return tuple(lines[:3])


def score_tables(report: ScoreComparison) -> Iterator[Table]:
    """Yield the tables of runs, of differences, and of the furthest questions."""
    options = report.options.bootstrap
    yield table(
        f"Runs over {counted(report.shared, 'shared question')}",
        report.runs,
        "run judge rubric scored mean",
        "means over all that a run scored, on the rubric's scale",
    )
    yield table(
        "Difference, second minus first, paired by question",
        report.differences,
        "first second rubric questions difference higher lower p p_holm",
        f"{options.level:.0%} intervals over whole questions; p: {FLIPS_DRAWN}",
    )
    rows = []
    for one in report.apart:
        rows.append((one.question, one.rubric, *map(one.scores.get, report.names)))
    yield grid("Furthest apart", ("question", "rubric", *report.names), rows)
