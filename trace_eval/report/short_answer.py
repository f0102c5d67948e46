"""The first sentence on a run, which a command says when it has judged."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from blueprints import UserError
from trace_eval.decide.leading import leading, leading_by
from trace_eval.report.run_sentences import pair_answer, score_answer
from trace_eval.runs.run import Run
from trace_eval.stats.ranking.report import RankReport

#: A larger run is not ranked only to show its first sentence, items.
SOON = 20_000


def short_answer(folder: Path | str) -> tuple[str, ...]:
    """Return the first sentence on a run if it takes a moment at most; else nothing."""
    run = Run(folder)
    if not run.exists:
        return ()
    coverage = run.record().coverage
    if coverage is None or coverage.total > SOON:
        return ()
    with suppress(UserError):
        return first_sentence(run)
    return ()


def first_sentence(run: Run) -> tuple[str, ...]:
    """Return the first sentence of :func:`trace_eval.report.answer.run_answer`.

    Raises:
        UserError: a file of the run cannot be read.
    """
    if not run.holds_scores:
        ranking = None
        with suppress(UserError):
            ranking = leading(run)
        return pair_answer(run, ranking)[:1]
    rankings: dict[str, RankReport] = {}
    for name in run.rubrics():
        with suppress(UserError):
            rankings[name] = leading_by(run, name)
    return score_answer(run, rankings)[:1]
