"""The table of a run of scores: a row per item and rubric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trace_eval.data.csv_cells import line
from trace_eval.data.files import write_all
from trace_eval.rubrics.single import ScoreRubric
from trace_eval.runs.outcomes import NOT_SCORED
from trace_eval.runs.reader import RunReader

#: Columns of ``results.csv`` of a rating.
COLUMNS = (
    "item",
    "question_id",
    "system",
    "rubric",
    "status",
    "reason",
    "value",
    "sd",
    "used",
    "samples",
    "mean",
    "variance",
)


def rubrics_of(run: RunReader) -> dict[str, ScoreRubric]:
    """The rubrics of a run as they were when it was made, whatever the files say today."""
    return {
        name: ScoreRubric.model_validate({k: v for k, v in details.items() if k != "sha256"})
        for name, details in run.record().rubrics.items()
    }


def write_results(run: RunReader, rubrics: Sequence[str]) -> None:
    """Replace ``results.csv``: a row per item and rubric."""
    write_all(run.path("results.csv"), _table(run, rubrics))


def _table(run: RunReader, rubrics: Sequence[str]) -> Iterator[str]:
    yield line(COLUMNS)
    for texts, numbers in score_rows(run, rubrics):
        shown = ("" if number is None else f"{number:.6g}" for number in numbers)
        yield line((*(text or "" for text in texts), *shown))


def score_rows(
    run: RunReader, rubrics: Sequence[str]
) -> Iterator[tuple[tuple[str | None, ...], tuple[float | None, ...]]]:
    """(texts, numbers) of each item and rubric, together in the order of :data:`COLUMNS`."""
    outcomes = run.score_outcomes()
    for item in run.singles():
        for name in rubrics:
            result = outcomes.get((item.id, name), NOT_SCORED)
            numbers = (
                result.value,
                result.sd,
                result.used,
                result.samples,
                result.mean,
                result.variance,
            )
            reason = None if result.reason is None else str(result.reason)
            yield (item.id, item.question_id, item.system, name, result.status, reason), numbers
