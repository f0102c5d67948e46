"""Sentences that sum up the result of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from blueprints import UserError, counted
from trace_eval.decide.answers import rank_answer
from trace_eval.decide.rank import rank
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.outcomes import scored_pairs
from trace_eval.runs.run import Run
from trace_eval.stats.options import RankOptions
from trace_eval.stats.ranking.report import RankReport
from trace_eval.stats.sentences import MOST

if TYPE_CHECKING:
    from trace_eval.opinions.opinions import Opinions


def run_answer(folder: Path | str) -> tuple[str, ...]:
    """At most three sentences on which system is better and how much of a run is scored."""
    run = Run.open(folder)
    if run.holds_scores:
        return score_answer(run, score_rankings(run))
    return pair_answer(run, ranking_of(run)[0])


def score_rankings(run: Run) -> dict[str, RankReport]:
    """The ranking of a run's systems by each rubric, where there is one."""
    results = {}
    for name in run.rubrics():
        try:
            results[name] = rank(run.folder, options=RankOptions(missing="drop", rubric=name))
        except UserError:  # an answer without a system, or nothing scored
            continue
    return results


def score_answer(run: Run, rankings: dict[str, RankReport]) -> tuple[str, ...]:
    """The sentences on a run of scores: who is first by each rubric, and how much is scored.

    Of three rubrics or more, for which there is no room, nobody is named.
    """
    rows = [row.status == "scored" for row in run.score_outcomes().values()]
    message = f"{sum(rows)} of {counted(len(rows), 'score')} given by {run.record().judge.spec}."
    rubrics = run.rubrics()
    sentences: list[str] = []
    for name, ranking in rankings.items() if len(rubrics) < MOST else ():
        result = rank_answer(ranking)
        sentences += result if len(rubrics) == 1 else [f"{name}: {text}" for text in result[:1]]
    return (*sentences[: MOST - 1], message)


def pair_answer(run: Run, ranking: RankReport | None) -> tuple[str, ...]:
    """The sentences on a run of pairs, of the command and on top of the page."""
    overall = run.overall()
    scored, unscored = scored_pairs((pair.id for pair in run.pairs()), run.outcomes(), overall)
    number = len(scored) + unscored.total() + sum(1 for _ in run.problems())
    message = f"{len(scored)} of {counted(number, 'pair')} judged by {run.record().judge.spec}"
    policies = sorted({fused.policy for fused in overall.values()})
    fused = f" and fused with {', '.join(policies)}" if policies else ""
    return (*(rank_answer(ranking)[: MOST - 1] if ranking else ()), f"{message}{fused}.")


def ranking_of(run: Run, source: Opinions | None = None) -> tuple[RankReport | None, str]:
    """The ranking of a run's systems as ``trace-eval rank`` has it, and why there is none."""
    try:
        read = source or read_opinions(run.folder)
    except UserError as error:
        return None, str(error)
    note = ""
    # Labels without an overall opinion rank nobody, and cost nobody the judge's ranking.
    for available in (read, replace(read, labels=None)):
        try:
            return rank(available, options=RankOptions(missing="drop")), ""
        except UserError as error:
            note = note or str(error)
    return None, note
