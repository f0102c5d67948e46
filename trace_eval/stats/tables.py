"""The printed tables of every report of ``agree`` and ``rank``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from blueprints import counted
from trace_eval.data.measures.voice import OWN_VOICE, SURE_SPEECH_S, SystemVoice
from trace_eval.estimate.interval import SCORE, IntervalEstimate, methods_of
from trace_eval.estimate.share import digits
from trace_eval.show.table import NOTHING, Table, grid, table
from trace_eval.stats.agreement.drawn import INSTRUCTIONS, ITEMS, TOGETHER
from trace_eval.stats.agreement.figures import AgreementFigure, Group
from trace_eval.stats.agreement.metrics import SCORE_METRICS
from trace_eval.stats.agreement.scored import MIN_RATINGS
from trace_eval.stats.agreement.selective import WITHHELD
from trace_eval.stats.inference.ppi import LEAST_LABELS
from trace_eval.stats.inference.tables import ppi_tables
from trace_eval.stats.label_tables import label_tables
from trace_eval.stats.ranking.fit import MODELS
from trace_eval.stats.ranking.report import RankReport, SystemStanding
from trace_eval.stats.report import AgreeReport, ScoreReport


def rank_tables(report: RankReport) -> Iterator[Table]:
    """Yield tables of means, of the ranking by every method, and of correlations.

    Correlations are with human labels.
    """
    level = report.options.bootstrap.level
    baseline = report.options.baseline
    if report.means:
        yield table(
            f"Scores in {report.source}",
            report.means,
            "system scored unscored mean people",
            f"{report.unit}; brackets: {level:.0%} interval over {LEAST_LABELS}"
            f" questions or more: {methods_of(row.mean for row in report.means)}",
        )
    else:
        counts = table(
            f"Comparisons in {report.source}",
            report.systems,
            "system comparisons wins losses ties both_bad"
            + " against_baseline" * bool(baseline),
            _fused(report),
            both_bad="both_bad",
            against_baseline=f"win rate against {baseline}",
        )
        rates: dict[str, IntervalEstimate] = {}
        for row in report.judged:
            rates[row.system] = IntervalEstimate(
                row.rate.labels, row.rate.labels_interval, method=SCORE
            )
        if rates:
            won = [rates.get(row.system) for row in report.systems]
            counts = counts.beside("win rate", won)
        yield counts
    yield _ranking(report)
    if len(report.meetings) > 1:
        pick = "first second comparisons rate"
        yield table("Every two systems", report.meetings, pick, _fused(report))
    shown = [row for row in report.correlations if row.method in _shown(report)]
    if shown:
        yield table(
            "Agreement with a human ranking",
            shown,
            "method reference systems spearman spearman_p kendall kendall_p",
            _fused(report),
        )
    if report.parameters and len(report.systems) > 2:
        yield table(
            "Fitted parameters", report.parameters, "method name value", _fused(report)
        )
    if report.defects:
        yield table(
            "Answers with a defect",
            report.defects,
            "system kind answers affected share",
            f"brackets: {report.options.bootstrap.level:.0%} interval by question:"
            f" {methods_of(row.share for row in report.defects)}",
        )
    if report.voices:
        yield voice_table(report.voices)
    if report.powered is not None:
        yield from ppi_tables(report.powered, level)


def voice_table(voices: Sequence[SystemVoice]) -> Table:
    """Whether each system keeps its voice over its answers."""
    return table(
        "Voice of each system over its answers",
        voices,
        "system bandwidth answers short left_out in_another_voice least item unknown",
        f"likeness to the other answers; in wide band under {OWN_VOICE:g} is another"
        f" voice, from {SURE_SPEECH_S:g} s of speech on",
        left_out="not compared",
        least="least likeness",
        item="of item",
        unknown="not known",
    )


def _ranking(report: RankReport) -> Table:
    standings = {
        (standing.method, standing.system): standing for standing in report.places
    }
    first = report.places[0].method
    systems = sorted(
        {standing.system for standing in report.places},
        key=lambda name: (standings[first, name].rank or 0, name),
    )
    counts = {row.system: row.comparisons for row in report.systems}
    limits = {
        ("win_rate", row.system): row.rate.labels_interval for row in report.judged
    }
    methods = _shown(report)
    rows: list[list[str | None]] = []
    cells: list[tuple[Any, ...]] = []
    for system in systems:
        texts: list[str | None] = [system]
        values: list[Any] = [system]
        for method in methods:
            place = standings[method, system]
            texts.append(_standing_text(place, counts.get(system)))
            limits_of_place = limits.get((method, system))
            values.append(IntervalEstimate(place.value, limits_of_place))
        rows.append(texts)
        cells.append(tuple(values))
    shown = grid(
        "Ranking: value, rank and its interval",
        ["system", *methods],
        rows,
        _note_of_ranking(report),
    )
    return replace(shown, cells=tuple(cells))


def _note_of_ranking(report: RankReport) -> str:
    """Say what the brackets of a ranking are, how it counts, and what fused labels."""
    note = ""
    if any(place.low is not None for place in report.places):
        draw = report.options.bootstrap
        drawn = "questions" if report.means else _DRAWN[report.drawn]
        note = (
            "brackets: ranks that tests of every two systems leave open,"
            f" {draw.level:.0%} for all together (Holm; {draw.number} resamples of"
            f" {drawn}, seed {draw.start});"
        )
    if not report.means:
        note += " win rates are ranked as fractions,"
    note += " equal ones share a rank"
    fused = _fused(report)
    return f"{note}; {fused}" if fused else note


#: What is drawn in a ranking, by the units of its comparisons.
_DRAWN = {
    ITEMS: "comparisons",
    TOGETHER: "comparisons, copies of one as one",
    INSTRUCTIONS: INSTRUCTIONS,
}


def _shown(report: RankReport) -> tuple[str, ...]:
    """Return the table's methods; models of two systems repeat their win rate."""
    methods = tuple(dict.fromkeys(standing.method for standing in report.places))
    if report.means or len(report.systems) > 2:
        return methods
    repeated = set(MODELS) | {"mean_win_rate"}
    return tuple(name for name in methods if name not in repeated)


def _fused(report: RankReport) -> str:
    """Name the policy that fused the ranked labels; empty for a single dimension."""
    options = report.options
    if options.policy is None or options.dimension not in (
        None,
        "overall",
        "preference",
    ):
        return ""
    return f"overall label: {options.policy}"


def _standing_text(standing: SystemStanding, comparisons: int | None) -> str | None:
    if standing.rank is None or standing.value is None:
        return None
    bounds = "" if standing.low is None else f" [{standing.low}-{standing.high}]"
    return f"{standing.value:.{digits(comparisons)}f}  #{standing.rank}{bounds}"


def tables_of(report: AgreeReport | ScoreReport | RankReport) -> Iterator[Table]:
    """Make every table of a report that has rows, in reading order."""
    if isinstance(report, RankReport):
        yield from rank_tables(report)
        return
    if isinstance(report, AgreeReport):
        yield from label_tables(report)
    else:
        yield from score_tables(report)
    if report.checked:
        yield table(
            "Raters, those to look at first",
            report.checked,
            "rater votes items agreement repeats same traps right reasons",
            "brackets: 95 % limits, Wilson's of labels, Fisher's of scores; where items"
            " share an instruction, score or jackknife limits over instructions",
        )


#: Name of a figure -> how it is called in print.
_TITLES = {
    **{metric.name: metric.title for metric in SCORE_METRICS},
    "mae_of_variance": "MAE of variance",
    "rho_of_variance": "rho of variance",
    "dispersion": "squared error / variance",
    "coverage_80": "ratings in the central 80 %",
    "claimed_80": "the forecast's own share there",
    "mean_r": "mean r over pairs",
    "one_sample_mean_r": "the same, one sample",
    "leave_one_out_r": "mean r with the others' mean",
    "icc_1_1": "ICC(1,1)",
    "icc_1_k": "ICC(1,k)",
}

_HEADS: dict[Group, tuple[str, str]] = {
    "agreement": (
        "Agreement with the mean rating, judges beside the baselines",
        "errors, CRPS and bias (judge minus annotators) on [0, 1]; likelihoods compare"
        " only within one row",
    ),
    "people": (
        f"Ceiling: one rating against the mean of the item's others, {MIN_RATINGS}"
        " ratings or more; judges on the same targets",
        "",
    ),
    "raters": (
        "Raters by name: annotators among each other, judges with each",
        (
            "mean r compares a mean of samples with one annotator; the fair pair is the"
            " last row"
        ),
    ),
    "variance": (
        f"Variance of human ratings, items with {MIN_RATINGS} ratings or more, beside"
        " forecasts that know nothing",
        "c is fitted for the least absolute error; m: mean score on [0, 1]",
    ),
    "calibration": (
        "Calibration over ratings",
        "squared error / variance: 1 is right, above 1 too sure; discrete forecasts"
        " cannot hold exactly 80 %",
    ),
    "samples": ("Repeated samples of a judge", "one-way random effects; 1 is no noise"),
    "judges": ("Judges compared: second minus first, over the same units", ""),
}


def score_tables(report: ScoreReport) -> Iterator[Table]:
    """Make every table that has rows, in reading order."""
    return (shown for shown in _every_table(report) if shown.rows)


def _every_table(report: ScoreReport) -> Iterator[Table]:
    answers = counted(report.items, "answer")
    if report.questions is not None:
        answers += f" to {counted(report.questions, 'question')}"
    yield table(
        f"Scores against {report.labels}: {answers},"
        f" {counted(report.ratings, 'rating')}",
        report.coverage,
        "judge items rated scored unscored",
        f"constants are fitted on {report.fitted_on}",
    )
    yield _figures(report, "agreement")
    yield _figures(report, "people")
    yield _figures(report, "raters")
    yield _figures(report, "judges")
    yield _figures(report, "variance")
    yield _figures(report, "calibration")
    yield _selective(report)
    yield table(
        "By split of the labels",
        report.splits,
        "judge split items spearman mae crps",
    )
    yield _figures(report, "samples")
    yield _growth(report)
    yield table(
        "Majorities, yes or no",
        report.binary,
        "judge items undecided_judge phi accuracy balanced_accuracy majority_baseline",
        "exactly one half is undecided and left out",
    )
    yield table(
        f"Systems, mean score from {report.low:g} to {report.high:g}",
        report.systems,
        "judge system scored unscored mean rank people people_rank difference"
        " same_family",
    )
    yield table(
        "Order of the systems, judge and annotators",
        report.system_agreement,
        "judge systems pearson spearman kendall own_family",
    )
    yield table(
        "Krippendorff's alpha",
        report.alphas,
        "who alpha.raters alpha.items alpha.nominal alpha.ordinal alpha.interval",
        "a judge joins with its mean, which need not be a label: interval only",
    )


def _selective(report: ScoreReport) -> Table:
    """Make a row for each order in which uncertain scores are withheld."""
    columns = ["withheld first", "items"]
    columns.extend(f"{share:.0%}" for share in WITHHELD)
    columns += ["mean over all shares", "minus random's"]
    rows = []
    for order in report.selective:
        rows.append((order.who, order.items, *order.at, order.area, order.gain))
    return grid(
        "MAE of what is kept when the most uncertain scores are withheld",
        columns,
        rows,
        "random: in any order; oracle: the largest errors first, which no order beats",
    )


def _figures(report: ScoreReport, group: Group) -> Table:
    """Make a row per statistic, a column per judge and baseline."""
    figures = [figure for figure in report.figures if figure.group == group]
    by_name: dict[str, dict[str, AgreementFigure]] = {}
    for figure in figures:
        by_name.setdefault(figure.name, {})[figure.who] = figure
    who = list(dict.fromkeys(figure.who for figure in figures))
    rows: list[list[Any]] = []
    for name, by_who in by_name.items():
        row: list[Any] = [_TITLES[name], _rows_of(list(by_who.values()))]
        for one in who:
            row.append(by_who[one].estimate if one in by_who else None)
        rows.append(row)
    title, note = _HEADS[group]
    brackets = ""
    methods = methods_of(figure.estimate for figure in figures)
    if methods:
        over = "items" if report.questions is None else "questions"
        level = report.options.bootstrap.level
        brackets = f"brackets: {level:.0%} interval over {over}: {methods}"
    notes = (note, brackets, _reasons(figures))
    return grid(
        title,
        ["", "from"] + who,
        rows,
        "; ".join(filter(None, notes)),
    )


def _reasons(figures: Sequence[AgreementFigure]) -> str:
    """Say why there is no number where none is."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for figure in figures:
        if figure.estimate.value is None and figure.reason:
            key = _TITLES[figure.name], figure.reason
            lacking.setdefault(key, []).append(figure.who)
    merged: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for (title, reason), who in lacking.items():
        by_reason = merged.setdefault(tuple(who), {})
        by_reason.setdefault(reason, []).append(title)
    clauses: list[str] = []
    for names, by_reason in merged.items():
        missing = f"{NOTHING} of {', '.join(names)}"
        for reason, titles in by_reason.items():
            clauses.append(f"{missing}: {reason} ({', '.join(titles)})")
    return "; ".join(clauses)


def _rows_of(figures: Sequence[AgreementFigure]) -> str:
    rows = sorted({f.rows for f in figures})
    shown = f"{rows[0]}" if len(rows) == 1 else f"{rows[0]}-{rows[-1]}"
    return f"{shown} {figures[0].unit}"


def _growth(report: ScoreReport) -> Table:
    most = max((len(growth.by_samples) for growth in report.growth), default=0)
    columns = ["judge"]
    columns.extend(str(number) for number in range(1, most + 1))
    rows: list[list[Any]] = []
    for growth in report.growth:
        row: list[Any] = [growth.judge]
        row.extend(growth.by_samples)
        row += [None] * (most - len(growth.by_samples))
        rows.append(row)
    title = "Mean r with annotators, by number of samples in the mean"
    return grid(title, columns, rows)
