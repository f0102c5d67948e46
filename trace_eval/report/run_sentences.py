"""A ranked run in sentences: who is ahead, and how much is judged."""

from __future__ import annotations

from blueprints import counted
from trace_eval.decide.rank_answer import rank_answer
from trace_eval.runs.outcomes import scored_pairs
from trace_eval.runs.run import Run
from trace_eval.stats.ranking.report import RankReport
from trace_eval.stats.sentences import MOST


def score_answer(run: Run, rankings: dict[str, RankReport]) -> tuple[str, ...]:
    """Sum up a run of scores: who is first by each rubric, and how much is scored.

    Of three rubrics or more, for which there is no room, nobody is named.
    """
    is_scored = [row.status == "scored" for row in run.score_outcomes().values()]
    scored = (
        f"{sum(is_scored)} of {counted(len(is_scored), 'score')} given by"
        f" {run.record().judge.spec}."
    )
    number = len(run.rubrics())
    sentences: list[str] = []
    if number < MOST:
        for name, ranking in rankings.items():
            answer = rank_answer(ranking)
            if number == 1:
                sentences.extend(answer)
            else:
                sentences.extend(f"{name}: {text}" for text in answer[:1])
    return (*sentences[: MOST - 1], scored)


def pair_answer(run: Run, ranking: RankReport | None) -> tuple[str, ...]:
    """Sum up a run of pairs, for the command and the top of the page."""
    overall = run.overall()
    scored, unscored = scored_pairs(
        (pair.id for pair in run.pairs()), run.outcomes(), overall
    )
    problem_count = sum(1 for _ in run.problems())
    number = len(scored) + unscored.total() + problem_count
    judged = (
        f"{len(scored)} of {counted(number, 'pair')} judged by"
        f" {run.record().judge.spec}"
    )
    policies = sorted({fused.policy for fused in overall.values()})
    if policies:
        judged += f" and fused with {', '.join(policies)}"
    sentences: tuple[str, ...] = ()
    if ranking:
        sentences = rank_answer(ranking)[: MOST - 1]
    return (*sentences, f"{judged}.")
