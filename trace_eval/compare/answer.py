"""The sentences that a comparison of runs begins with."""

from __future__ import annotations

from collections.abc import Sequence

from blueprints import counted
from trace_eval.compare.evaluate import Mutual, RunComparison
from trace_eval.compare.scores import ScoreComparison, score_answer
from trace_eval.decide.answers import MCNEMAR, most_accurate, pairs_of, under
from trace_eval.stats.agreement.compare import Comparison
from trace_eval.stats.agreement.parts import MAIN
from trace_eval.stats.sentences import (
    ahead_of,
    is_shown,
    labels_to_tell,
    listed,
    outcome,
    rate,
    same,
)


def compare_answer(report: RunComparison | ScoreComparison) -> tuple[str, ...]:
    """Which run is nearer to people, and how often they say the same; of scores who is higher."""
    if isinstance(report, ScoreComparison):
        return score_answer(report)
    alike = _alike(report)
    best = most_accurate(report.people)
    if len(best) < 2:
        return ("Nobody labelled these pairs: which run is right is unknown.", *alike)
    level = report.options.bootstrap.level
    one, rest = best[0], best[1:]
    result = one.accuracy
    assert result.value is not None
    fused = {cost.run: under(cost.policy) for cost in report.costs}
    first = f"{one.judge}{fused.get(one.judge, '')} agrees with people on"
    first += f" {rate(result.value, result.interval)}"
    first += f" of {pairs_of(one, report.drawn)}"
    rows = _of(report.differences, one.judge, one.dimension)
    if len(rest) > 1:
        behind = [
            s.judge for s in rest if s.judge in rows and is_shown(rows[s.judge].p_holm, level)
        ]
        equal = [s.judge for s in rest if s.judge not in behind]
        return f"{first}: {ahead_of(behind, equal)}.", *alike
    other = rest[0].accuracy
    assert other.value is not None
    second = f"{rest[0].judge}{fused.get(rest[0].judge, '')}"
    first += f", {second} on {rate(other.value, other.interval)}"
    row = rows.get(rest[0].judge)
    if row is None:
        return f"{first}.", *alike
    if same(other.value, result.value):
        return f"{first}: equally often.", *alike
    lines = [f"{first}: {outcome(True, row.p_holm, level, MCNEMAR)}.", *alike]
    if not is_shown(row.p_holm, level) and row.difference.value:
        figure = row.difference.value, 0.0, row.difference.interval
        lines += filter(None, [labels_to_tell(row.items, *figure, level)])
    return tuple(lines)


def _of(rows: Sequence[Comparison], judge: str, dimension: str) -> dict[str, Comparison]:
    """Comparisons with one run, by the other."""
    return {
        (row.second if row.first == judge else row.first): row
        for row in rows
        if judge in (row.first, row.second) and row.dimension == dimension
    }


def _alike(report: RunComparison) -> tuple[str, ...]:
    """How often runs say the same of a pair; of several those that do least often."""
    names = {row.dimension for row in report.mutual}
    main = next((name for name in MAIN if name in names), None)
    rows = [r for r in report.mutual if r.dimension == main and r.same.value is not None]
    if not rows:
        return ()
    least: Mutual = min(rows, key=lambda row: row.same.value or 0)
    assert least.same.value is not None
    who = listed([least.first, least.second])
    end = "" if len(rows) == 1 else ", the least of all runs"
    said = rate(least.same.value, least.same.interval)
    return (f"{who} say the same of {said} of {counted(least.items, 'pair')}{end}.",)
