"""The printed tables of an :class:`~trace_eval.stats.report.AgreeReport`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from blueprints import counted
from fusion import DIMENSIONS
from trace_eval.estimate.interval import methods_of
from trace_eval.estimate.paired import tests_in_words
from trace_eval.estimate.share import digits, quotient
from trace_eval.show.table import NOTHING, Table, count_text, grid, p_value, table
from trace_eval.stats.agreement.learn import Learned
from trace_eval.stats.agreement.levels import ALL, LEVELS
from trace_eval.stats.agreement.metrics import METRICS, Comparison
from trace_eval.stats.agreement.policies import RESOLVERS, Resolved
from trace_eval.stats.agreement.score import JudgeScore
from trace_eval.stats.inference.tables import calibration_tables, share_table
from trace_eval.stats.report import AgreeReport
from trace_eval.stats.sentences import note_of_tests


def label_tables(report: AgreeReport) -> Iterator[Table]:
    """Make every table that has rows, in reading order."""
    for shown in _every_table(report):
        if shown.rows:
            yield _fused(shown, report)
    if report.shares:
        yield share_table(report.shares, report.options.bootstrap.level, report.design)
    for calibration in report.calibrations:
        yield from calibration_tables(calibration)


def _every_table(report: AgreeReport) -> Iterator[Table]:
    yield from _agreement(report)
    yield from _annotators(report)
    yield from _parts(report)
    yield from _mechanisms(report)
    level = report.options.bootstrap.level
    title = _COMPARED.format("Policies")
    yield comparison_table(title, report.policy_comparisons, level)
    yield from _biases(report)
    for learned in report.learned:
        yield _learned(learned)


def _fused(shown: Table, report: AgreeReport) -> Table:
    """Name the policy behind overall labels in a table, where it shows some."""
    texts = {shown.title}
    for row in shown.rows:
        texts.update(row)
    policies = report.policies
    shows_pairs = any("overall" in text or "preference" in text for text in texts)
    shows_judge = any(judge in text for judge in policies for text in texts)
    if not shows_pairs or not shows_judge:
        return shown
    note = policy_words(policies)
    if shown.note:
        note = f"{shown.note}; {note}"
    return replace(shown, note=note)


def policy_words(policies: Mapping[str, str]) -> str:
    """Name the policy behind the overall labels, once if all judges share it."""
    names = set(policies.values())
    if len(names) == 1:
        return f"overall label: {names.pop()}"
    each = [f"{name} of {judge}" for judge, name in policies.items()]
    return f"overall labels: {', '.join(each)}"


def _agreement(report: AgreeReport) -> Iterator[Table]:
    yield table(
        f"Labels of {report.labels}: {counted(report.items, 'item')},"
        f" {counted(report.raters, 'rater')}",
        report.truth,
        "dimension labelled split silent",
    )
    yield _with_labels(report)
    rules: list[tuple[Any, ...]] = []
    for score in report.scores:
        for rule in score.baselines:
            rules.append(
                (
                    score.judge,
                    score.dimension,
                    rule.name,
                    rule.items,
                    rule.accuracy,
                    rule.accuracy_2way,
                    rule.judge,
                )
            )
    yield grid(
        "Rules to beat, each on the items on which it says something",
        (
            "judge",
            "dimension",
            "rule",
            "items",
            "rule's accuracy",
            "2-way",
            "judge's accuracy",
        ),
        rules,
    )
    yield table(
        "Scores against human scores: mean squared error",
        report.score_errors,
        "judge answers mse constant pearson equal",
        "a judge above the constant is worse than always giving human mean",
    )
    for score in report.scores:
        rows = []
        for label, counts in zip(score.labels, score.confusion, strict=True):
            rows.append((label, *map(count_text, (*counts, sum(counts)))))
        yield grid(
            f"{score.judge} on {score.dimension}: annotators in rows, judge in columns",
            ("annotators \\ judge", *score.labels, "all"),
            rows,
        )
    level = report.options.bootstrap.level
    yield comparison_table(_COMPARED.format("Judges"), report.comparisons, level)


def _with_labels(report: AgreeReport) -> Table:
    """Return the table of each judge's metrics against human labels."""
    results = [result for score in report.scores for result in score.metrics.values()]
    # Labels that were not drawn alike are no picture of all pairs.
    is_corrected = any(report.corrected(score) for score in report.scores)
    columns = ["judge", "dimension", "scored"]
    if is_corrected:
        columns.append("accuracy over all pairs")
    columns.extend(metric.title for metric in METRICS)
    columns += ["2-way coverage", "majority class"]

    def row(score: JudgeScore) -> list[Any]:
        cells: list[Any] = [score.judge, score.dimension]
        cells.append(f"{score.scored}/{score.labelled}")
        if is_corrected:
            cells.append(report.accuracy_of(score))
        cells.extend(score.metrics.get(metric.name) for metric in METRICS)
        cells.append(score.coverage_2way)
        cells.append(score.majority.accuracy if score.majority.items else None)
        return cells

    return grid(
        "Agreement with human labels",
        columns,
        [row(score) for score in report.scores],
        f"brackets: {report.options.bootstrap.level:.0%} interval over {report.drawn}:"
        f" {methods_of(results)}",
    )


_COMPARED = "{} compared: second minus first, on the items that both scored"


def comparison_table(
    title: str,
    comparisons: Sequence[Comparison],
    level: float,
    note: str = "",
    items: str = "items",
) -> Table:
    """Compare judges, runs or policies with human labels, two by two."""
    tests = tests_in_words(row.mcnemar for row in comparisons)
    rows = [(row.difference.interval, row.p_holm) for row in comparisons]
    notes = (note, tests, note_of_tests(rows, level))
    note = "; ".join(part for part in notes if part)
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


def _annotators(report: AgreeReport) -> Iterator[Table]:
    """Say how far annotators agree with each other, and with a judge as one of them."""
    yield table(
        "Krippendorff's alpha",
        report.alphas,
        (
            "who dimension alpha.raters alpha.items alpha.nominal alpha.ordinal"
            " alpha.interval"
        ),
        "ordinal and interval: on the scale 2 < tie < 1",
    )
    shown = [name for name in LEVELS if name != "none"]
    rows = []
    for row in report.levels:
        levels = [f"{row.counts[name]} ({row.shares[name]:.1%})" for name in shown]
        rows.append((row.dimension, row.group, row.items, *levels, row.majority))
    yield grid(
        "How far annotators agree: items by level",
        ("dimension", "items of", "items", *shown, "have a majority"),
        rows,
        "; ".join(f"{name}: {LEVELS[name]}" for name in shown),
    )
    yield table(
        "Agreement of the data set: two annotators of one item, drawn at random",
        report.pairwise,
        "dimension group classes items agreement sd by_chance",
        "two classes: opinions that are ties are left out first; read it beside alpha",
    )
    yield table(
        "Reliability of each annotator: share of the others with the same label",
        report.reliability,
        "dimension rater items agreement",
    )


def _parts(report: AgreeReport) -> Iterator[Table]:
    # the whole alone says what the main table says, but where annotators gave
    # preferences
    has_subsets = any(row.group != ALL for row in report.forced)
    yield table(
        "Where annotators name a winner: accuracy by subset",
        [row for row in report.forced if has_subsets or row.dimension == "preference"],
        (
            "judge dimension group items coverage accuracy accuracy_scored tie_half"
            " ties_out"
        ),
    )
    pick = "judge dimension category items accuracy"
    yield table("Accuracy by category", report.by_category, pick)
    yield table(
        "Accuracy by number of labels",
        report.by_labels,
        "judge dimension labels accuracy",
        f"so many labels, drawn at random (seed {report.options.bootstrap.start})",
    )


def _resolved(result: Resolved) -> str:
    d = digits(quotient(result.count, result.share))
    right = NOTHING if result.accuracy is None else f"{result.accuracy:.{d}f}"
    return f"{result.share:.{d}f} ({right})"


def _mechanisms(report: AgreeReport) -> Iterator[Table]:
    yield table(
        "Policies: agreement, and P3: a winner where annotators say both_bad",
        report.mechanisms,
        "labels policy right accuracy kappa winner_on_bad.winner_on_bad"
        " winner_on_bad.bad winner_on_bad.winner_accuracy winner_on_bad.winners",
    )
    columns = ["dimensions of", "policy"]
    columns.extend(f"P1 {name} (right)" for name in RESOLVERS)
    columns.extend(f"P2 {name}" for name in DIMENSIONS)
    rows = []
    for mechanism in report.mechanisms:
        row: list[Any] = [mechanism.labels, mechanism.policy]
        row.extend(map(_resolved, mechanism.counterfactual.values()))
        row.extend(flip.share for flip in mechanism.flips.values())
        rows.append(row)
    yield grid(
        (
            "P1: content forced to both_good, who decides; P2: flips when a dimension"
            " is forced"
        ),
        columns,
        rows,
    )


def _learned(learned: Learned) -> Table:
    rows: list[tuple[object, ...]] = []
    for candidate in learned.candidates:
        row = (
            candidate.name,
            "yes" if candidate.fitted else "printed",
            candidate.in_sample,
            candidate.cross_validated,
            candidate.cross_validated / learned.items,
        )
        rows.append(row)
    return grid(
        (
            f"Ways to fuse the dimensions of {learned.labels},"
            f" {counted(learned.items, 'pair')}"
        ),
        (
            "policy",
            "fitted",
            "right in sample",
            "cross-validated",
            "accuracy cross-validated",
        ),
        rows,
        f"best possible in sample: {learned.upper_bound}; {learned.folds} folds grouped"
        f" by instruction; {learned.unseen} of 64 cells are unseen and follow"
        f" {learned.fallback}",
    )


def _biases(report: AgreeReport) -> Iterator[Table]:
    """Make tables of position, length, verbosity, difficulty and noise.

    Self-comparisons have one, too.
    """
    verdicts = (
        "bias.pairs bias.stable bias.first bias.second bias.tied bias.decided bias.p"
    )
    yield table(
        "Position: the same two recordings in both orders",
        report.position,
        f"judge dimension basis {verdicts}",
        "shares of all pairs; decided: a winner in both orders",
    )
    yield table(
        "Length: what the judge does where annotators see a tie",
        report.length,
        "judge dimension bias.human_ties bias.longer bias.shorter bias.tied"
        " bias.share_longer bias.p",
        share_longer="longer among winners",
    )
    yield table(
        "Verbosity: human ties whose transcripts differ by 5 tokens or more",
        report.verbosity,
        (
            "judge dimension bias.items bias.longer bias.shorter bias.tied"
            " bias.unscored bias.p"
        ),
        (
            "an unscored verdict is not a tie; of runs the tokens are the transcript's"
            " words"
        ),
    )
    for row in report.difficulty:
        ease = row.difficulty
        note = ""
        if ease.spearman is not None:
            note = (
                f"Spearman of ease and place-bound: {ease.spearman:.2f}, p ="
                f" {p_value(ease.p)}"
            )
        yield table(
            f"Difficulty for {row.judge} on {row.dimension}: quarters by the difference"
            " of mean opinions, hardest first",
            ease.quartiles,
            f"low high items accuracy {verdicts}",
            note,
        )
    yield table(
        "Self-comparisons, counted apart",
        report.self_comparisons,
        "judge dimension counts.pairs counts.tied counts.first counts.second counts.p",
    )
    yield table(
        "Noise: the same question again",
        report.noise,
        "judge dimension basis noise.items noise.opinions noise.pairwise"
        " noise.unanimous noise.retest noise.retest_kappa",
    )
