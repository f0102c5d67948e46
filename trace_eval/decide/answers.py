"""The sentences that a report begins with: its figures, put into their rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from blueprints import counted
from trace_eval.decide.rank_answer import rank_answer
from trace_eval.decide.verdict import standing_of
from trace_eval.show.lists import listed
from trace_eval.show.records import plain
from trace_eval.stats.agreement.alpha import Alpha
from trace_eval.stats.agreement.baselines import RuleStanding
from trace_eval.stats.agreement.figures import AgreementFigure
from trace_eval.stats.agreement.judges import under
from trace_eval.stats.agreement.parts import MAIN
from trace_eval.stats.agreement.score import JudgeScore, most_accurate
from trace_eval.stats.ranking.report import RankReport
from trace_eval.stats.report import AgreeReport, ScoreReport
from trace_eval.stats.sentences import (
    MOST,
    NOT_APART,
    beside_rule,
    correlates,
    labels_to_tell,
    more_labels,
    outcome,
    percent,
    rate,
)

if TYPE_CHECKING:
    from trace_eval.decide.card import Card


def answered(report: Any, sentences: Sequence[str]) -> dict[str, Any]:
    """Return a report for JSON, its sentences first."""
    return {"sentences": list(sentences), **plain(report)}


def answer_of(report: AgreeReport | ScoreReport | RankReport) -> tuple[str, ...]:
    """Return the sentences of a report; none where there is nothing to compare."""
    if isinstance(report, RankReport):
        return rank_answer(report)
    return agree_answer(report)


def enough_of(report: AgreeReport | ScoreReport | RankReport) -> tuple[str, ...]:
    """Say whether enough was labelled; of many systems those nearest to an end."""
    if not isinstance(report, RankReport):
        return ()
    by_distance = sorted(report.enough, key=lambda stopping: stopping.enough)
    lines = [stopping.verdict for stopping in by_distance[:MOST]]
    rest = len(by_distance) - MOST
    if rest > 0:
        lines.append(f"{counted(rest, 'more comparison')} of two systems: see --json.")
    return tuple(lines)


def raters_of(report: AgreeReport | ScoreReport | RankReport) -> tuple[str, ...]:
    """Say how far raters agree with each other, where several rated the same items."""
    if isinstance(report, RankReport):
        return ()
    alpha = _alpha_among_people(report)
    if alpha is None:
        return ()
    if isinstance(report, AgreeReport):
        kind, value = "nominal", alpha.nominal
    else:
        kind, value = "interval", alpha.interval
    if value is None:
        return ()
    over = counted(alpha.items, "item")
    return (
        f"{alpha.raters:,} raters agree with each other at Krippendorff's alpha"
        f" {value:.2f} ({kind}, over {over} that several of them rated).",
    )


def _alpha_among_people(report: AgreeReport | ScoreReport) -> Alpha | None:
    """Return the alpha of annotators: of the pair as a whole, else the first one."""
    if isinstance(report, ScoreReport):
        return next((row.alpha for row in report.alphas if row.who == "people"), None)
    alphas = {row.dimension: row.alpha for row in report.alphas if row.who == "people"}
    for name in MAIN + tuple(alphas):
        if name in alphas:
            return alphas[name]
    return None


def agree_answer(report: AgreeReport | ScoreReport) -> tuple[str, ...]:
    """Say how far a judge, or the best of several, agrees with human labels."""
    if isinstance(report, ScoreReport):
        return _agree_scores(report)
    best = most_accurate(report.scores)
    if not best:
        return ("Nothing that annotators labelled was scored: nothing can be said.",)
    score = best[0]
    result = score.accuracy
    assert result.value is not None
    judge = f"{score.judge}{under(report.policies.get(score.judge))}"
    level = report.options.bootstrap.level
    of = f"of {score.pairs(report.drawn)}"
    rule = standing_of(score, level, len(best))
    beside = beside_rule(rule, len(best))
    corrected = report.corrected(score)
    figure = rate(result.value, result.interval)
    if corrected is not None and corrected.labels is not None:
        figure = rate(corrected.labels, corrected.labels_interval)
        of = (
            f"of {counted(corrected.judged, 'pair')}, from"
            f" {counted(score.scored, 'label')} by how they were drawn"
            f" ({score.dimension})"
        )
        beside = f"On the labelled pairs: {beside[:1].lower()}{beside[1:]}"
    lines = [f"{judge} agrees with human labels on {figure} {of}."]
    if score.ties:
        lines.append(score.ties)
    lines.append(beside)
    if len(lines) == MOST:
        return tuple(lines)
    if len(best) > 1:
        lines.append(_beside_next(report, best))
    elif rule is not None and rule.word == NOT_APART:
        needed = labels_beside(rule, score.scored, level)
        if needed:
            lines.append(needed)
    return tuple(lines)


def labels_beside(rule: RuleStanding, scored: int, level: float) -> str | None:
    """Say how many labels would tell a judge from its hardest trivial rule."""
    hardest = None
    most = -1.0
    for difference in rule.differences:
        if difference.value is None:
            continue
        figure = (difference.value, 0.0, difference.interval)
        needed = more_labels(scored, figure, level, rule.claims)
        if needed is None:
            return None
        if needed > most:
            hardest, most = figure, needed
    if hardest is None:
        return None
    return labels_to_tell(
        number=scored,
        figure=hardest,
        level=level,
        would="would tell them apart",
        claims=rule.claims,
    )


def _beside_next(report: AgreeReport, best: Sequence[JudgeScore]) -> str:
    one, other = best[:2]
    level = report.options.bootstrap.level
    pair = {one.judge, other.judge}
    for row in report.comparisons:
        if {row.first, row.second} == pair and row.dimension == one.dimension:
            shown = outcome(True, row.p_holm, level, row.mcnemar.test)
            return f"Beside {other.judge} on the same pairs it is {shown}."
    value = other.accuracy.value or 0.0
    return f"{other.judge} is next with {percent(value)} %; the two were not compared."


def _agree_scores(report: ScoreReport) -> tuple[str, ...]:
    judges = {row.judge for row in report.coverage}
    rows = 0
    defined: list[AgreementFigure] = []
    for figure in report.figures:
        is_rho = figure.group == "agreement" and figure.name == "rho"
        if not is_rho or figure.who not in judges:
            continue
        rows = max(rows, figure.rows)
        if figure.estimate.value is not None:
            defined.append(figure)
    if not defined and rows:
        return (
            f"Spearman's rho is not defined over {counted(rows, 'answer')}: all scores"
            " of the judge, or all human scores, are equal.",
        )
    if not defined:
        return ("Nothing that annotators rated was scored: nothing can be said.",)
    best = max(defined, key=lambda figure: figure.estimate.value or 0)
    interval = ""
    if best.estimate.interval:
        low, high = best.estimate.interval
        interval = f" [{low:.2f}, {high:.2f}]"
    rho = f"Spearman's rho {best.estimate.value:.2f}{interval}"
    over = counted(best.rows, "answer")
    lines = [
        f"Scores of {best.who} are {correlates(best.estimate)}: {rho} over {over}."
    ]
    for verdict in report.verdicts:
        if verdict.startswith((f"{best.who} is ", f"{best.who}: ")):
            lines.append(verdict)
            break
    return tuple(lines)


def card_answer(cards: Sequence[Card]) -> tuple[str, ...]:
    """Say what judges may be used for; of several one sentence per use."""
    if len(cards) <= MOST:
        sentences: list[str] = []
        for one in cards:
            sentences.append(
                f"{one.name}{under(one.policy)}: {one.verdict.use}; {one.verdict.why}"
            )
        return tuple(sentences)
    by_use: dict[str, list[str]] = {}
    for one in cards:
        by_use.setdefault(one.verdict.use, []).append(one.name)
    parts = [f"{use}: {listed(names)}" for use, names in by_use.items()]
    if len(parts) > MOST:
        parts[MOST - 1 :] = ["; ".join(parts[MOST - 1 :])]
    return tuple(f"{part}." for part in parts)
