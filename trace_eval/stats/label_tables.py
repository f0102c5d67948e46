"""The printed tables of an :class:`~trace_eval.stats.report.AgreeReport`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from blueprints import counted
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.share import digits
from trace_eval.show.table import NOTHING, Table, grid, p_value, table
from trace_eval.stats.agreement.compare import Comparison
from trace_eval.stats.agreement.learn import Learned
from trace_eval.stats.agreement.levels import (
    ALL,
    LEVELS,
    MIN_ITEMS,
    LevelRow,
    PairwiseRow,
    ReliabilityRow,
)
from trace_eval.stats.agreement.metrics import METRICS
from trace_eval.stats.agreement.parts import Forced
from trace_eval.stats.agreement.policies import RESOLVERS, Resolved
from trace_eval.stats.agreement.score import JudgeScore
from trace_eval.stats.inference.tables import calibration_tables, share_table
from trace_eval.stats.report import AgreeReport


def people_tables(
    levels: Sequence[LevelRow], pairwise: Sequence[PairwiseRow], raters: Sequence[ReliabilityRow]
) -> Iterator[Table]:
    """Levels of agreement, agreement of the data set, and each person."""
    shown = [name for name in LEVELS if name != "none"]
    yield grid(
        "How far annotators agree: items by level",
        ("dimension", "items of", "items", *shown, "have a majority"),
        (
            (
                row.dimension,
                row.group,
                row.items,
                *(f"{row.counts[name]} ({row.shares[name]:.1%})" for name in shown),
                row.majority,
            )
            for row in levels
        ),
        "; ".join(f"{name}: {LEVELS[name]}" for name in shown),
    )
    yield table(
        "Agreement of the data set: two people of one item, drawn at random",
        pairwise,
        "dimension group classes items agreement sd by_chance",
        "two classes: opinions that are ties are left out first; read it beside alpha",
    )
    yield table(
        "Reliability of each person: share of the others with the same label",
        raters,
        "dimension rater items agreement",
        f"annotators with fewer than {MIN_ITEMS} shared items are left out",
    )


def forced_table(rows: Sequence[Forced]) -> Table:
    """Table of the items on which raters name a winner, by subset."""
    return table(
        "Where annotators name a winner: accuracy by subset",
        rows,
        "judge dimension group items coverage accuracy accuracy_scored tie_half ties_out",
    )


def label_tables(report: AgreeReport) -> Iterator[Table]:
    """Every table that has rows, in reading order."""
    for result in (
        _truth(report),
        _agreement(report),
        _baselines(report),
        _score_errors(report),
        *(_confusion(score) for score in report.scores),
        comparison_table(_compared("Judges"), report.comparisons),
        _alphas(report),
        *people_tables(report.levels, report.pairwise, report.reliability),
        _forced(report),
        _by_category(report),
        _by_labels(report),
        *_mechanisms(report),
        comparison_table(_compared("Policies"), report.policy_comparisons),
        *bias_tables(report),
        noise_table(report),
        *(_learned(learned) for learned in report.learned),
    ):
        if result.rows:
            yield _fused(result, report)
    if report.shares:
        yield share_table(report.shares, report.options.bootstrap.level, report.design)
    for calibration in report.calibrations:
        yield from calibration_tables(calibration)


def _fused(result: Table, report: AgreeReport) -> Table:
    """The table with the policy behind overall labels of judges, where it shows some."""
    texts = {result.title, *(cell for row in result.rows for cell in row)}
    policies = report.policies
    named = any("overall" in text or "preference" in text for text in texts)
    if not named or not any(judge in text for judge in policies for text in texts):
        return result
    details = policy_words(policies)
    return replace(result, note=f"{result.note}; {details}" if result.note else details)


def policy_words(policies: Mapping[str, str]) -> str:
    """What fused the overall labels, in a clause; one name where all judges have the same."""
    names = set(policies.values())
    if len(names) == 1:
        return f"overall label: {names.pop()}"
    return "overall labels: " + ", ".join(f"{name} of {judge}" for judge, name in policies.items())


def _forced(report: AgreeReport) -> Table:
    """By subset where there are any; the whole alone only where annotators gave preferences."""
    subsets = any(row.group != ALL for row in report.forced)
    rows = [row for row in report.forced if subsets or row.dimension == "preference"]
    return forced_table(rows)


def _by_category(report: AgreeReport) -> Table:
    pick = "judge dimension category items accuracy"
    return table("Accuracy by category", report.by_category, pick)


def _by_labels(report: AgreeReport) -> Table:
    return table(
        "Accuracy by number of labels",
        report.by_labels,
        "judge dimension labels accuracy",
        f"so many labels, drawn at random (seed {report.options.bootstrap.seed})",
    )


def _truth(report: AgreeReport) -> Table:
    return table(
        f"Labels of {report.labels}: {counted(report.items, 'item')},"
        f" {counted(report.raters, 'rater')}",
        report.truth,
        "dimension labelled split silent",
    )


def _agreement(report: AgreeReport) -> Table:
    def row(score: JudgeScore) -> tuple[object, ...]:
        return (
            score.judge,
            score.dimension,
            f"{score.scored}/{score.labelled}",
            *(score.metrics.get(metric.name, IntervalEstimate(None)) for metric in METRICS),
            score.coverage_2way,
            score.majority.accuracy if score.majority.items else None,
        )

    level = report.options.bootstrap.level
    return grid(
        "Agreement with human labels",
        (
            "judge",
            "dimension",
            "scored",
            *(metric.title for metric in METRICS),
            "2-way coverage",
            "majority class",
        ),
        [row(score) for score in report.scores],
        f"brackets: {level:.0%} interval over {report.drawn},"
        f" {report.options.bootstrap.resamples} resamples, seed {report.options.bootstrap.seed}",
    )


def _baselines(report: AgreeReport) -> Table:
    return grid(
        "Rules to beat, each on the items on which it says something",
        ("judge", "dimension", "rule", "items", "rule's accuracy", "2-way", "judge's accuracy"),
        (
            (score.judge, score.dimension, b.name, b.items, b.accuracy, b.accuracy_2way, b.judge)
            for score in report.scores
            for b in score.baselines
        ),
    )


def _score_errors(report: AgreeReport) -> Table:
    return table(
        "Scores against human scores: mean squared error",
        report.score_errors,
        "judge answers mse constant pearson equal",
        "a judge above the constant is worse than always giving human mean",
    )


def _confusion(score: JudgeScore) -> Table:
    return grid(
        f"{score.judge} on {score.dimension}: annotators in rows, judge in columns",
        ("annotators \\ judge", *score.labels, "all"),
        (
            (label, *(f"{n:.3g}" if n % 1 else int(n) for n in (*row, sum(row))))
            for label, row in zip(score.labels, score.confusion, strict=True)
        ),
    )


def _compared(what: str) -> str:
    return f"{what} compared: second minus first, on the items that both scored"


def comparison_table(
    title: str, comparisons: Sequence[Comparison], note: str = "", items: str = "items"
) -> Table:
    """Judges, runs or policies compared with human labels, two by two."""
    return table(
        title,
        comparisons,
        "first second dimension items difference kappa_difference mcnemar.only_first"
        " mcnemar.only_second mcnemar p_holm",
        note,
        items=items,
        only_first="only first right",
        only_second="only second right",
    )


def _alphas(report: AgreeReport) -> Table:
    return table(
        "Krippendorff's alpha",
        report.alphas,
        "who dimension alpha.raters alpha.items alpha.nominal alpha.ordinal alpha.interval",
        "ordinal and interval: on the scale 2 < tie < 1",
    )


def _resolved(result: Resolved) -> str:
    d = digits(result.count / result.share if result.share else None)
    right = NOTHING if result.accuracy is None else f"{result.accuracy:.{d}f}"
    return f"{result.share:.{d}f} ({right})"


def _mechanisms(report: AgreeReport) -> Iterator[Table]:
    bad = " ".join(
        f"winner_on_bad.{name}" for name in ("winner_on_bad", "bad", "winner_accuracy", "winners")
    )
    yield table(
        "Policies: agreement, and P3: a winner where annotators say both_bad",
        report.mechanisms,
        f"labels policy right accuracy kappa {bad}",
    )
    yield grid(
        "P1: content forced to both_good, who decides; P2: flips when a dimension is forced",
        (
            "dimensions of",
            "policy",
            *tuple(f"P1 {name} (right)" for name in RESOLVERS),
            "P2 content",
            "P2 voice_quality",
            "P2 paralinguistics",
        ),
        (
            (
                m.labels,
                m.policy,
                *map(_resolved, m.counterfactual.values()),
                *tuple(result.share for result in m.flips.values()),
            )
            for m in report.mechanisms
        ),
    )


def _learned(learned: Learned) -> Table:
    return grid(
        f"Ways to fuse the dimensions of {learned.labels}, {counted(learned.items, 'pair')}",
        ("policy", "fitted", "right in sample", "cross-validated", "accuracy cross-validated"),
        (
            (
                c.name,
                "yes" if c.fitted else "printed",
                c.in_sample,
                c.cross_validated,
                c.cross_validated / learned.items,
            )
            for c in learned.candidates
        ),
        f"best possible in sample: {learned.upper_bound}; {learned.folds} folds grouped by"
        f" instruction; {learned.unseen} of 64 cells are unseen and follow {learned.fallback}",
    )


def _share(count: int, total: int) -> str:
    return f"{count} ({count / total:.{digits(total)}f})" if total else str(count)


def bias_tables(report: AgreeReport) -> Iterator[Table]:
    """Position, length, verbosity, difficulty and self-comparisons."""
    yield _position(report)
    yield _length(report)
    yield _verbosity(report)
    yield _difficulty(report)
    yield _self(report)


def _position(report: AgreeReport) -> Table:
    return grid(
        "Position: the same two recordings in both orders",
        (
            "judge",
            "dimension",
            "joined by",
            "pairs",
            "stable",
            "first",
            "second",
            "a tie",
            "decided",
            "stable",
            "first",
            "second",
            "sign test p",
        ),
        (
            (
                row.judge,
                row.dimension,
                row.basis,
                b.pairs,
                *(_share(n, b.pairs) for n in (b.stable, b.first, b.second, b.tied)),
                b.decided,
                *(_share(n, b.decided) for n in (b.stable, b.first, b.second)),
                p_value(b.p, b.pairs),
            )
            for row in report.position
            for b in (row.bias,)
        ),
        "shares of all pairs, then of the pairs with a winner in both orders",
    )


def _length(report: AgreeReport) -> Table:
    return table(
        "Length: what the judge does where annotators see a tie",
        report.length,
        "judge dimension bias.human_ties bias.longer bias.shorter bias.tied bias.share_longer"
        " bias.p",
        share_longer="longer among winners",
    )


def _verbosity(report: AgreeReport) -> Table:
    return table(
        "Verbosity: human ties whose transcripts differ by 5 tokens or more",
        report.verbosity,
        "judge dimension bias.items bias.longer bias.shorter bias.tied bias.unscored bias.p",
        "an unscored verdict is not a tie; of runs the tokens are the transcript's words",
    )


def _difficulty(report: AgreeReport) -> Table:
    return grid(
        "Difficulty: quarters by the difference of mean opinions, hardest first",
        (
            "judge",
            "dimension",
            "difference",
            "pairs",
            "accuracy",
            "stable",
            "first",
            "second",
            "a tie",
            "Spearman of ease and place-bound",
            "p",
        ),
        (
            (
                row.judge,
                row.dimension,
                f"{q.low:.2f} to {q.high:.2f}",
                q.items,
                q.accuracy,
                *(_share(n, q.bias.pairs) for n in (q.bias.stable, q.bias.first)),
                *(_share(n, q.bias.pairs) for n in (q.bias.second, q.bias.tied)),
                row.difficulty.spearman,
                p_value(row.difficulty.p),
            )
            for row in report.difficulty
            for q in row.difficulty.quartiles
        ),
    )


def _self(report: AgreeReport) -> Table:
    return table(
        "Self-comparisons, counted apart",
        report.self_comparisons,
        "judge dimension counts.pairs counts.tied counts.first counts.second counts.p",
    )


def noise_table(report: AgreeReport) -> Table:
    """Repeated questions."""
    return table(
        "Noise: the same question again",
        report.noise,
        "judge dimension basis noise.items noise.opinions noise.pairwise noise.unanimous"
        " noise.retest noise.retest_kappa",
    )
