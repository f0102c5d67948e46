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
    level, baseline = report.options.bootstrap.level, report.options.baseline
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
        rates = {
            row.system: IntervalEstimate(
                row.rate.labels, row.rate.labels_interval, method=SCORE
            )
            for row in report.judged
        }
        won = [rates.get(row.system) for row in report.systems]
        yield counts.beside("win rate", won) if rates else counts
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
    options = report.options
    counts = {row.system: row.comparisons for row in report.systems}
    rates = {
        ("win_rate", row.system): row.rate.labels_interval for row in report.judged
    }
    drawn = "questions" if report.means else _DRAWN[report.drawn]
    draw, brackets = options.bootstrap, ""
    if any(place.low is not None for place in report.places):
        brackets = (
            "brackets: ranks that tests of every two systems leave open,"
            f" {draw.level:.0%} for all together (Holm; {draw.number} resamples of"
            f" {drawn}, seed {draw.start});"
        )
    texts: list[tuple[str | None, ...]] = []
    values: list[tuple[Any, ...]] = []
    for name in systems:
        places = [standings[method, name] for method in _shown(report)]
        texts.append(
            (name, *(_standing_text(place, counts.get(name)) for place in places))
        )
        limits = [rates.get((place.method, name)) for place in places]
        values.append((name, *(map(_with_limits, places, limits))))
    shown = grid(
        "Ranking: value, rank and its interval",
        ("system", *_shown(report)),
        texts,
        f"{brackets}{'' if report.means else ' win rates are ranked as fractions,'}"
        " equal ones share a rank" + (f"; {_fused(report)}" if _fused(report) else ""),
    )
    return replace(shown, cells=tuple(values))


def _with_limits(
    place: SystemStanding, limits: tuple[float, float] | None
) -> IntervalEstimate:
    return IntervalEstimate(place.value, limits)


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
    return tuple(name for name in methods if name not in (*MODELS, "mean_win_rate"))


def _fused(report: RankReport) -> str:
    """Name what fused the labels that are ranked; of one dimension nothing did."""
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
    yield from (
        label_tables(report)
        if isinstance(report, AgreeReport)
        else score_tables(report)
    )
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
    questions = (
        ""
        if report.questions is None
        else f" to {counted(report.questions, 'question')}"
    )
    for shown in (
        table(
            f"Scores against {report.labels}:"
            f" {counted(report.items, 'answer')}{questions},"
            f" {counted(report.ratings, 'rating')}",
            report.coverage,
            "judge items rated scored unscored",
            f"constants are fitted on {report.fitted_on}",
        ),
        *(
            _figures(report, group)
            for group in ("agreement", "people", "raters", "judges")
        ),
        *(_figures(report, group) for group in ("variance", "calibration")),
        grid(
            "MAE of what is kept when the most uncertain scores are withheld",
            (
                "withheld first",
                "items",
                *(f"{share:.0%}" for share in WITHHELD),
                "mean over all shares",
                "minus random's",
            ),
            [
                (row.who, row.items, *row.at, row.area, row.gain)
                for row in report.selective
            ],
            (
                "random: in any order; oracle: the largest errors first, which no order"
                " beats"
            ),
        ),
        table(
            "By split of the labels",
            report.splits,
            "judge split items spearman mae crps",
        ),
        _figures(report, "samples"),
        _growth(report),
        table(
            "Majorities, yes or no",
            report.binary,
            (
                "judge items undecided_judge phi accuracy balanced_accuracy"
                " majority_baseline"
            ),
            "exactly one half is undecided and left out",
        ),
        table(
            f"Systems, mean score from {report.low:g} to {report.high:g}",
            report.systems,
            (
                "judge system scored unscored mean rank people people_rank difference"
                " same_family"
            ),
        ),
        table(
            "Order of the systems, judge and annotators",
            report.system_agreement,
            "judge systems pearson spearman kendall own_family",
        ),
        table(
            "Krippendorff's alpha",
            report.alphas,
            "who alpha.raters alpha.items alpha.nominal alpha.ordinal alpha.interval",
            "a judge joins with its mean, which need not be a label: interval only",
        ),
    ):
        if shown.rows:
            yield shown


def _figures(report: ScoreReport, group: Group) -> Table:
    """Make a row per statistic, a column per judge and baseline."""
    figures = [f for f in report.figures if f.group == group]
    names = list(dict.fromkeys(f.name for f in figures))
    who = list(dict.fromkeys(f.who for f in figures))
    by_place = {(f.name, f.who): f for f in figures}
    title, note = _HEADS[group]
    brackets = ""
    if by := methods_of(f.estimate for f in figures):
        over = "items" if report.questions is None else "questions"
        brackets = (
            f"brackets: {report.options.bootstrap.level:.0%} interval over {over}: {by}"
        )
    rows: list[tuple[Any, ...]] = []
    for name in names:
        of_name = [by_place.get((name, one)) for one in who]
        present = [figure for figure in of_name if figure]
        estimates = [figure.estimate if figure else None for figure in of_name]
        rows.append((_TITLES[name], _rows_of(present), *estimates))
    return grid(
        title,
        ("", "from", *who),
        rows,
        "; ".join(part for part in (note, brackets, _reasons(figures)) if part),
    )


def _reasons(figures: Sequence[AgreementFigure]) -> str:
    """Say why there is no number where none is."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for figure in figures:
        if figure.estimate.value is None and figure.reason:
            lacking.setdefault((_TITLES[figure.name], figure.reason), []).append(
                figure.who
            )
    merged: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for (title, reason), who in lacking.items():
        merged.setdefault(tuple(who), {}).setdefault(reason, []).append(title)
    return "; ".join(
        f"{NOTHING} of {', '.join(names)}: {reason} ({', '.join(titles)})"
        for names, reasons in merged.items()
        for reason, titles in reasons.items()
    )


def _rows_of(figures: Sequence[AgreementFigure]) -> str:
    rows = sorted({f.rows for f in figures})
    shown = f"{rows[0]}" if len(rows) == 1 else f"{rows[0]}-{rows[-1]}"
    return f"{shown} {figures[0].unit}"


def _growth(report: ScoreReport) -> Table:
    most = max((len(g.by_samples) for g in report.growth), default=0)
    return grid(
        "Mean r with annotators, by number of samples in the mean",
        ("judge", *(str(k) for k in range(1, most + 1))),
        [
            (g.judge, *g.by_samples, *([None] * (most - len(g.by_samples))))
            for g in report.growth
        ],
    )
