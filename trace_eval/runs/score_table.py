"""The table of a run of scores: a row per item and rubric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trace_eval.data.csv_cells import line
from trace_eval.data.files import write_all
from trace_eval.rubrics import ScoreRubric
from trace_eval.runs.outcomes import NOT_SCORED
from trace_eval.runs.run import Run

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


def rubrics_of(run: Run) -> dict[str, ScoreRubric]:
    """The rubrics of a run as they were when it was made, whatever the files say today."""
    return {
        name: ScoreRubric.model_validate({k: v for k, v in told.items() if k != "sha256"})
        for name, told in run.record().rubrics.items()
    }


def write_results(run: Run, rubrics: Sequence[str]) -> None:
    """Replace ``results.csv``: a row per item and rubric."""
    write_all(run.path("results.csv"), _table(run, rubrics))


def _table(run: Run, rubrics: Sequence[str]) -> Iterator[str]:
    outcomes = run.score_outcomes()
    yield line(COLUMNS)
    for item in run.singles():
        for name in rubrics:
            found = outcomes.get((item.id, name), NOT_SCORED)
            numbers = (found.value, found.sd, found.used, found.samples, found.mean, found.variance)
            yield line(
                (
                    item.id,
                    item.question_id or "",
                    item.system or "",
                    name,
                    found.status,
                    found.reason or "",
                    *("" if number is None else f"{number:.6g}" for number in numbers),
                )
            )
