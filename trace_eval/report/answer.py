"""The sentences that say what a run came to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from blueprints import UserError
from trace_eval.runs import Run
from trace_eval.stats import MOST, counted

if TYPE_CHECKING:
    from trace_eval.stats import RankReport


def run_answer(folder: Path | str) -> tuple[str, ...]:
    """How much of a run is scored, and who is better, in at most three sentences."""
    from trace_eval.stats import rank_answer

    run = Run.open(folder)
    if run.holds_scores:
        outcomes = run.score_outcomes()
        scored = sum(row.status == "scored" for row in outcomes.values())
        return (f"{scored} of {counted(len(outcomes), 'score')} could be given.",)
    pairs = run.outcomes()
    scored = sum(row.status == "scored" for row in pairs.values())
    number = sum(1 for _ in run.pairs())
    judge = run.record().judge.spec
    first = f"{scored} of {counted(number, 'pair')} are scored by {judge}."
    ranking = ranking_of(run)
    return (first, *(rank_answer(ranking) if ranking else ()))[:MOST]


def ranking_of(run: Run) -> RankReport | None:
    """The ranking of a run's systems; None where there is nothing to rank."""
    from trace_eval.stats import BootstrapOptions, RankOptions, rank

    try:
        return rank(run.folder, options=RankOptions(BootstrapOptions(500), missing="drop"))
    except (ImportError, UserError):
        return None
