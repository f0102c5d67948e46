"""A comparison of runs in sentences and in tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blueprints import counted
from fusion import DIMENSIONS
from trace_eval.compare.evaluate import Mutual, RunComparison
from trace_eval.compare.scores import ScoreComparison, score_answer, score_tables
from trace_eval.estimate.paired import MCNEMAR
from trace_eval.show.table import NOTHING, Table, grid, table
from trace_eval.stats.agreement.compare import Comparison
from trace_eval.stats.agreement.judges import under
from trace_eval.stats.agreement.parts import MAIN
from trace_eval.stats.agreement.score import most_accurate
from trace_eval.stats.label_tables import comparison_table, policy_words
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
    """Which run is nearer to human labels, how often both say the same; of scores who is higher."""
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
    first = f"{one.judge}{fused.get(one.judge, '')} agrees with human labels on"
    first += f" {rate(result.value, result.interval)}"
    first += f" of {one.pairs(report.drawn)}"
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


#: Title of the table of pairs; a page shows them one by one.
APART = "Furthest apart"


def compare_tables(report: RunComparison | ScoreComparison) -> Iterator[Table]:
    """Cost and coverage, annotators, differences, each other, noise, and where they are apart."""
    result = score_tables(report) if isinstance(report, ScoreComparison) else _all(report)
    yield from (table for table in result if table.rows)


def _all(report: RunComparison) -> Iterator[Table]:
    yield _costs(report)
    if report.people:
        yield _people(report)
        title = "Difference against annotators, second minus first, paired"
        note = f"two-sided tests; {_interval(report)}"
        yield comparison_table(title, report.differences, note, "pairs")
    yield table(
        "With each other",
        report.mutual,
        "first second dimension items same kappa",
        f"over the pairs that both scored; {_fused(report)}",
    )
    effect = " ".join(f"effect.{name}" for name in ("fell_on", "items", "repeat", "noisy", "net"))
    yield table(
        "Noise on one answer: unchanged verdicts",
        report.noise,
        f"run snr_db {effect}",
        "the repetition is the second run without noise; net is what the noise adds to it",
    )
    yield _apart(report)


def _costs(report: RunComparison) -> Table:
    return table(
        f"Runs over {counted(report.shared, 'shared pair')}",
        report.costs,
        "run judge policy scored coverage cost_usd cost_per_item call_s extract_s calls audio_s",
        "money of all calls, cached ones at their price; - where no price is known",
    )


def _people(report: RunComparison) -> Table:
    return table(
        f"With annotators ({report.labels})",
        report.people,
        "judge dimension scored metrics.accuracy_4way metrics.accuracy_3way metrics.kappa"
        " majority.accuracy",
        _interval(report),
        judge="run",
        accuracy_4way="4-way",
        accuracy_3way="3-way",
        accuracy="majority class",
    )


def _interval(report: RunComparison) -> str:
    options = report.options.bootstrap
    unit = report.drawn.replace("items", "pairs")
    return (
        f"{options.level:.0%} intervals, {options.resamples} resamples of {unit}; {_fused(report)}"
    )


def _fused(report: RunComparison) -> str:
    return policy_words({cost.run: cost.policy for cost in report.costs})


def _apart(report: RunComparison) -> Table:
    about = [
        name
        for name in ("overall", "preference", "match", *DIMENSIONS)
        if any(name in said for item in report.apart for said in item.verdicts.values())
    ]
    return grid(
        APART,
        ("pair", *report.names, "people"),
        (
            (
                item.pair,
                *(_said(item.verdicts[name], about) for name in report.names),
                _said(item.people, about) if item.people else NOTHING,
            )
            for item in report.apart
        ),
        f"{' | '.join(about)}; {_fused(report)}",
    )


def _said(verdicts: dict[str, str], about: list[str]) -> str:
    lines = [verdicts.get(name, NOTHING) for name in about]
    return " | ".join(lines)
