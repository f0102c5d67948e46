"""A comparison of runs in sentences and in tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from blueprints import counted
from trace_eval.compare.evaluate import AccuracyGap, RunComparison
from trace_eval.compare.scores import ScoreComparison, score_answer, score_tables
from trace_eval.estimate.interval import methods_of
from trace_eval.opinions.codes import LABEL_COLUMNS
from trace_eval.show.lists import listed
from trace_eval.show.table import NOTHING, Table, grid, table
from trace_eval.stats.agreement.judges import under
from trace_eval.stats.agreement.metrics import Comparison
from trace_eval.stats.agreement.parts import MAIN
from trace_eval.stats.agreement.score import most_accurate
from trace_eval.stats.inference.over_all import BY_DRAW, WEIGHTED
from trace_eval.stats.label_tables import comparison_table, policy_words
from trace_eval.stats.sentences import (
    ahead_of,
    although,
    is_shown,
    labels_to_tell,
    outcome,
    rate,
    same,
)


def compare_answer(report: RunComparison | ScoreComparison) -> tuple[str, ...]:
    """Say which run is nearer to human labels, or higher, and how often both agree."""
    if isinstance(report, ScoreComparison):
        return score_answer(report)
    nearest_run, labels_needed = _nearest_answer(report)
    sentences = [nearest_run]
    sentences.extend(_alike(report))
    if labels_needed:
        sentences.append(labels_needed)
    return tuple(sentences)


def _nearest_answer(report: RunComparison) -> tuple[str, str | None]:
    """Say which run is nearer to human labels, and how many labels would tell.

    None: it is told, or no number of labels would do.
    """
    best = most_accurate(report.people)
    if len(best) < 2:
        return "Nobody labelled these pairs: which run is right is unknown.", None
    if len(report.over_all) > 1:
        return _over_all_answer(report), None
    level = report.options.bootstrap.level
    one = best[0]
    rest = best[1:]
    fused = {cost.run: under(cost.policy) for cost in report.costs}
    value = one.accuracy.value or 0.0
    interval = one.accuracy.interval
    first = f"{one.judge}{fused.get(one.judge, '')} agrees with human labels on"
    first += f" {rate(value, interval)} of {one.pairs(report.drawn)}"
    rows: dict[str, Comparison] = {}
    for gap in report.differences:
        if gap.dimension != one.dimension:
            continue
        if gap.first == one.judge:
            rows[gap.second] = gap
        elif gap.second == one.judge:
            rows[gap.first] = gap
    if len(rest) > 1:
        behind: list[str] = []
        equal: list[str] = []
        for score in rest:
            other_row = rows.get(score.judge)
            if other_row is not None and is_shown(other_row.p_holm, level):
                behind.append(score.judge)
            else:
                equal.append(score.judge)
        return f"{first}: {ahead_of(behind, equal)}.", None
    (last,) = rest
    other = last.accuracy.value or 0.0
    first += (
        f", {last.judge}{fused.get(last.judge, '')} on"
        f" {rate(other, last.accuracy.interval)}"
    )
    if last.scored != one.scored:
        first += f" of {last.scored:,}"
    row = rows.get(last.judge)
    if row is None:
        return f"{first}.", None
    if same(other, value):
        return f"{first}: equally often.", None
    doubt = disagreement(row, report)
    shown = outcome(True, row.p_holm, level, row.mcnemar.test)
    if doubt:
        shown += f"; {doubt}"
    sentence = f"{first}: {shown}."
    if is_shown(row.p_holm, level) or not row.difference.value:
        return sentence, None
    figure = row.difference.value, 0.0, row.difference.interval
    family = [other for other in report.differences if other.p_holm >= row.p_holm]
    # Holm's correction multiplies by the size of the family
    needed = labels_to_tell(row.items, figure, level, claims=len(family))
    return sentence, needed


def _over_all_answer(report: RunComparison) -> str:
    """Compare accuracies over all pairs, where labels were drawn at unequal chances."""
    level = report.options.bootstrap.level
    fused = {cost.run: under(cost.policy) for cost in report.costs}
    ordered = sorted(report.over_all.items(), key=lambda each: -(each[1].labels or 0.0))
    (one, best), *rest = ordered
    dimension = most_accurate(report.people)[0].dimension
    labels = f"from {counted(best.labelled, 'label')} {BY_DRAW} ({dimension})"
    first = f"{one}{fused.get(one, '')} agrees with human labels on"
    first += (
        f" {rate(best.labels or 0.0, best.labels_interval)} of"
        f" {counted(best.judged, 'pair')}"
    )
    gaps: dict[str, AccuracyGap] = {}
    for gap in report.gaps:
        gaps[gap.second if gap.first == one else gap.first] = gap
    if len(rest) > 1:
        behind: list[str] = []
        equal: list[str] = []
        for name, _ in rest:
            if name in gaps and is_shown(gaps[name].p_holm, level):
                behind.append(name)
            else:
                equal.append(name)
        return f"{first}, {labels}: {ahead_of(behind, equal)}."
    ((last, other),) = rest
    figure = rate(other.labels or 0.0, other.labels_interval)
    first += f", {last}{fused.get(last, '')} on {figure}"
    if other.judged != best.judged:
        first += f" of {other.judged:,}"
    if same(other.labels or 0.0, best.labels or 0.0):
        return f"{first}, {labels}: equally often."
    if last not in gaps:
        return f"{first}, {labels}: {outcome(True, None, level, WEIGHTED)}."
    difference, p = gaps[last].difference, gaps[last].p_holm
    shown = outcome(True, p, level, WEIGHTED)
    if doubt := although(difference.interval, 0.0, p, level, shown="0"):
        shown += f", {doubt}"
    return f"{first}, {labels}: {shown}."


def disagreement(row: Comparison, report: RunComparison) -> str:
    """Say why a difference's test and its interval disagree, or ""."""
    level = report.options.bootstrap.level
    interval = row.difference.interval
    if not although(interval, 0.0, row.p_holm, level, shown="0"):
        return ""
    if is_shown(row.p_holm, level):
        return "its interval holds 0"
    if is_shown(row.mcnemar.p, level):
        number = counted(len(report.differences), "difference")
        return (
            f"its interval is clear of 0, but that is one of {number}, which Holm's"
            " test counts"
        )
    return "its interval is clear of 0, but the exact test does not show it"


def _alike(report: RunComparison) -> tuple[str, ...]:
    """Say how often runs give a pair the same label; of several, the least often."""
    names = {row.dimension for row in report.mutual}
    main = next((name for name in MAIN if name in names), None)
    rows = [
        r for r in report.mutual if r.dimension == main and r.same.value is not None
    ]
    if not rows:
        return ()
    least = min(rows, key=lambda row: row.same.value or 0)
    who = listed([least.first, least.second])
    end = "" if len(rows) == 1 else ", the least of all runs"
    share = rate(least.same.value or 0.0, least.same.interval)
    return (f"{who} say the same of {share} of {counted(least.items, 'pair')}{end}.",)


#: Title of the table of pairs; a page shows them one by one.
APART = "Furthest apart"


def compare_tables(report: RunComparison | ScoreComparison) -> Iterator[Table]:
    """Make the tables of a comparison: cost, coverage, annotators and differences.

    Noise, and where both are apart, come last.
    """
    result = (
        score_tables(report) if isinstance(report, ScoreComparison) else _all(report)
    )
    yield from (table for table in result if table.rows)


def _all(report: RunComparison) -> Iterator[Table]:
    fused = policy_words({cost.run: cost.policy for cost in report.costs})
    yield table(
        f"Runs over {counted(report.shared, 'shared pair')}",
        report.costs,
        (
            "run judge policy scored coverage cost_usd cost_per_item call_s extract_s"
            " calls audio_s"
        ),
        "money of all calls, cached ones at their price; - where no price is known",
    )
    if report.people:
        yield from _with_annotators(report, fused)
    rows = [
        {"run": name, "all": estimate} for name, estimate in report.over_all.items()
    ]
    yield table(
        f"With annotators over all pairs, {BY_DRAW}",
        rows,
        "run all.labelled all.judged all.labels",
        "each label weighs the inverse of its inclusion; the tables above are of the"
        " labelled pairs alone",
        labelled="labels",
        judged="pairs",
        labels="accuracy over all pairs",
    )
    yield table(
        "Difference over all pairs, second minus first",
        report.gaps,
        "first second dimension difference.labels p_holm",
        labels="difference",
    )
    yield table(
        "With each other",
        report.mutual,
        "first second dimension items same kappa",
        f"over the pairs that both scored; {fused}",
    )
    effect = " ".join(
        f"effect.{name}" for name in ("fell_on", "items", "repeat", "noisy", "net")
    )
    yield table(
        "Noise on one answer: unchanged verdicts",
        report.noise,
        f"run snr_db {effect}",
        (
            "the repetition is the second run without noise; net is what the noise adds"
            " to it"
        ),
    )
    yield _apart(report, fused)


def _with_annotators(report: RunComparison, fused: str) -> Iterator[Table]:
    """Yield the tables of runs against annotators, and of their differences."""
    how = report.options.bootstrap
    unit = report.drawn.replace("items", "pairs")
    results = [result for score in report.people for result in score.metrics.values()]
    by = methods_of(results)
    interval = f"{how.level:.0%} intervals over {unit}: {by}; {fused}"
    yield table(
        f"With annotators ({report.labels})",
        report.people,
        "judge dimension scored metrics.accuracy_4way metrics.accuracy_3way"
        " metrics.kappa majority.accuracy",
        interval,
        judge="run",
        accuracy_4way="4-way",
        accuracy_3way="3-way",
        accuracy="majority class",
    )
    title = "Difference against annotators, second minus first, paired"
    note = f"two-sided tests; {interval}"
    yield comparison_table(
        title, report.differences, how.level, note=note, items="pairs"
    )


def _apart(report: RunComparison, fused: str) -> Table:
    """Return the table of the pairs on which the runs differ."""
    seen: set[str] = set()
    for item in report.apart:
        for verdict in item.verdicts.values():
            seen.update(verdict)
    wholes = "overall", "preference", "match"
    columns = dict.fromkeys(name for name in wholes + LABEL_COLUMNS if name in seen)

    def cell(labels: Mapping[str, str]) -> str:
        return " | ".join(labels.get(name, NOTHING) for name in columns)

    lines: list[tuple[str, ...]] = []
    for item in report.apart:
        verdicts = [cell(item.verdicts[name]) for name in report.names]
        label = cell(item.people) if item.people else NOTHING
        lines.append((item.pair, *verdicts, label))
    return grid(
        APART,
        ("pair", *report.names, "human label"),
        lines,
        f"{' | '.join(columns)}; {fused}",
    )
