"""A run's result: its sentences, and the ranking of its systems."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from blueprints import UserError
from trace_eval.data.columns import Columns
from trace_eval.decide.rank import rank
from trace_eval.report.run_sentences import pair_answer, score_answer
from trace_eval.runs.opinions import read_opinions, read_with_labels
from trace_eval.runs.run import Run
from trace_eval.stats.options import RankOptions
from trace_eval.stats.ranking.report import RankReport

if TYPE_CHECKING:
    from trace_eval.opinions.opinions import Opinions


def run_answer(
    folder: Path | str, labels: Path | None = None, columns: Columns | None = None
) -> tuple[str, ...]:
    """Say in up to three sentences which system is better, and how much is scored.

    Args:
        labels: file of human labels of pairs; None: those in the run.
        columns: how that file names its columns and labels.
    """
    run = Run.open(folder)
    if run.holds_scores:
        return score_answer(run, score_rankings(run))
    source = None
    if labels is not None:
        (judged,), given = read_with_labels([run.folder], labels, columns)
        source = replace(judged, labels=given)
    return pair_answer(run, ranking_of(run, source)[0])


def score_rankings(run: Run) -> dict[str, RankReport]:
    """Rank a run's systems by each rubric, where that is possible."""
    rankings = {}
    for name in run.rubrics():
        options = RankOptions(missing="drop", rubric=name)
        # An answer without a system, or nothing scored, is not ranked.
        with suppress(UserError):
            rankings[name] = rank(run.folder, options=options)
    return rankings


def ranking_of(
    run: Run, source: Opinions | None = None
) -> tuple[RankReport | None, str]:
    """Rank a run's systems as ``trace-eval rank`` does, or say why there is none."""
    try:
        read = source or read_opinions(run.folder)
    except UserError as error:
        return None, str(error)
    note = ""
    # Labels without an overall opinion rank nobody, and cost nobody the judge's
    # ranking.
    for available in (read, replace(read, labels=None)):
        try:
            return rank(available, options=RankOptions(missing="drop")), ""
        except UserError as error:
            note = note or str(error)
    return None, note
