"""The printed tables of a :class:`~trace_eval.stats.report.ScoreReport`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blueprints import counted
from trace_eval.show.table import NOTHING, Table, grid, table
from trace_eval.stats.agreement.figures import AgreementFigure, Group
from trace_eval.stats.agreement.metrics import SCORE_METRICS
from trace_eval.stats.agreement.scored import MIN_RATINGS
from trace_eval.stats.agreement.selective import WITHHELD
from trace_eval.stats.report import ScoreReport

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
        "errors, CRPS and bias (judge minus annotators) on [0, 1]; likelihoods compare only within"
        " one row",
    ),
    "people": (
        f"Ceiling: one rating against the mean of the item's others, {MIN_RATINGS} ratings or"
        " more; judges on the same targets",
        "",
    ),
    "raters": (
        "Raters by name: annotators among each other, judges with each",
        "mean r compares a mean of samples with one annotator; the fair pair is the last row",
    ),
    "variance": (
        f"Variance of human ratings, items with {MIN_RATINGS} ratings or more, beside"
        " forecasts that know nothing",
        "c is fitted for the least absolute error; m: mean score on [0, 1]",
    ),
    "calibration": (
        "Calibration over ratings",
        "squared error / variance: 1 is right, above 1 too sure; discrete forecasts cannot hold"
        " exactly 80 %",
    ),
    "samples": ("Repeated samples of a judge", "one-way random effects; 1 is no noise"),
    "judges": ("Judges compared: second minus first, from the same resamples", ""),
}


def score_tables(report: ScoreReport) -> Iterator[Table]:
    """Every table that has rows, in reading order."""
    questions = "" if report.questions is None else f" to {counted(report.questions, 'question')}"
    for shown in (
        table(
            f"Scores against {report.labels}: {counted(report.items, 'answer')}{questions},"
            f" {counted(report.ratings, 'rating')}",
            report.coverage,
            "judge items rated scored unscored",
            f"constants are fitted on {report.fitted_on}",
        ),
        *(_figures(report, group) for group in ("agreement", "people", "raters", "judges")),
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
            [(row.who, row.items, *row.at, row.area, row.gain) for row in report.selective],
            "random: in any order; oracle: the largest errors first, which no order beats",
        ),
        table("By split of the labels", report.splits, "judge split items spearman mae crps"),
        _figures(report, "samples"),
        _growth(report),
        table(
            "Majorities, yes or no",
            report.binary,
            "judge items undecided_judge phi accuracy balanced_accuracy majority_baseline",
            "exactly one half is undecided and left out",
        ),
        table(
            f"Systems, mean score from {report.low:g} to {report.high:g}",
            report.systems,
            "judge system scored unscored mean rank people people_rank difference same_family",
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
    """A row per statistic, a column per judge and baseline."""
    figures = [f for f in report.figures if f.group == group]
    names = list(dict.fromkeys(f.name for f in figures))
    who = list(dict.fromkeys(f.who for f in figures))
    by_place = {(f.name, f.who): f for f in figures}
    title, note = _HEADS[group]
    draw, brackets = report.options.bootstrap, ""
    if any(f.estimate.interval for f in figures):
        brackets = (
            f"brackets: {draw.level:.0%} interval over"
            f" {'items' if report.questions is None else 'questions'},"
            f" {draw.resamples} resamples, seed {draw.seed}"
        )
    return grid(
        title,
        ("", "from", *who),
        [
            (
                _TITLES[name],
                _rows_of([by_place[name, w] for w in who if (name, w) in by_place]),
                *(f.estimate if (f := by_place.get((name, w))) else None for w in who),
            )
            for name in names
        ],
        "; ".join(part for part in (note, brackets, _reasons(figures)) if part),
    )


def _reasons(figures: Sequence[AgreementFigure]) -> str:
    """Why there is no number where none is."""
    by_reason: dict[str, list[str]] = {}
    for figure in figures:
        if figure.estimate.value is None and figure.reason:
            who = by_reason.setdefault(f"{_TITLES[figure.name]}: {figure.reason}", [])
            who.append(figure.who)
    merged: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for details, who in by_reason.items():
        title, _, reason = details.partition(": ")
        merged.setdefault(tuple(who), {}).setdefault(reason, []).append(title)
    lines = [
        f"{NOTHING} of {', '.join(who)}: {reason} ({', '.join(titles)})"
        for who, reasons in merged.items()
        for reason, titles in reasons.items()
    ]
    return "; ".join(lines)


def _rows_of(figures: Sequence[AgreementFigure]) -> str:
    rows = sorted({f.rows for f in figures})
    shown = f"{rows[0]}" if len(rows) == 1 else f"{rows[0]}-{rows[-1]}"
    return f"{shown} {figures[0].unit}"


def _growth(report: ScoreReport) -> Table:
    most = max((len(g.by_samples) for g in report.growth), default=0)
    return grid(
        "Mean r with annotators, by number of samples in the mean",
        ("judge", *(str(k) for k in range(1, most + 1))),
        [(g.judge, *g.by_samples, *([None] * (most - len(g.by_samples)))) for g in report.growth],
    )
