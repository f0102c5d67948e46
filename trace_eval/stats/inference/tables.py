"""The conclusions as tables, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from blueprints import counted
from trace_eval.show.table import NOTHING, Table, grid, p_value
from trace_eval.stats.estimate.interval import IntervalEstimate, Range
from trace_eval.stats.inference.calibrate import CHOSEN, Calibration
from trace_eval.stats.inference.forest import line
from trace_eval.stats.inference.held_out import Measured
from trace_eval.stats.inference.plan import LabelPlan
from trace_eval.stats.inference.ppi import LEAST_MINORITY, LEAST_UNITS, PPIEstimate
from trace_eval.stats.inference.screen import Screening
from trace_eval.stats.inference.shares import ShareRow
from trace_eval.stats.inference.win_rates import WinRates

#: Head of shares of right pairs in which a tie of either side counts a half, unlike in accuracy.
TIES_HALF = "right, ties half"

#: When the judge does not count; under a table.
LABELS_ALONE = (
    f"labels alone under {LEAST_UNITS} of them, under {LEAST_MINORITY} unlike the others, and where"
    " the judge narrows nothing"
)


def _level(level: float, rows: Iterable[PPIEstimate]) -> str:
    """What the intervals of a table promise."""
    if not any(row.coarse for row in rows):
        return f"{level:.0%} intervals"
    return (
        f"intervals of at least {level:.0%}, to a point or two: so few labels, units or errors of"
        " the judge were seen that some hold the truth more often than that"
    )


def _width(interval: Range | None) -> float | None:
    return None if interval is None else interval[1] - interval[0]


def _gained(found: PPIEstimate) -> str:
    if found.effective is None:
        return NOTHING
    return f"{found.effective:.0f} (+{found.effective - found.labelled:.0f})"


def ppi_tables(rates: WinRates, level: float) -> Iterator[Table]:
    """Win rates among people, and the differences between systems."""
    yield _rates(rates, level)
    yield _differences(rates, level)


def _rates(rates: WinRates, level: float) -> Table:
    return grid(
        "People's win rates from few labels (a tie is half)",
        (
            "system",
            "labelled",
            "judged",
            "labels only",
            "judge only",
            "both (PPI++)",
            "width",
            "judge's weight",
            "worth labels",
            "0 to 1",
        ),
        (
            (
                row.system,
                row.rate.labelled,
                row.rate.judged,
                IntervalEstimate(row.rate.labels, row.rate.labels_interval),
                IntervalEstimate(row.rate.judge, row.rate.judge_interval),
                IntervalEstimate(row.rate.both, row.rate.interval),
                _width(row.rate.interval),
                row.rate.weight,
                _gained(row.rate),
                line(row.rate.both, row.rate.interval, 0, 1),
            )
            for row in rates.systems
        ),
        f"{_level(level, (row.rate for row in rates.systems))}; {rates.design}; {LABELS_ALONE}."
        " Judge only knows nothing of the judge's errors and may lie outside the others",
    )


def _differences(rates: WinRates, level: float) -> Table:
    return grid(
        "Differences of people's win rates, first minus second",
        (
            "first",
            "second",
            "labels only",
            "judge only",
            "both (PPI++)",
            "p",
            "Holm p",
            "-1 to 1",
        ),
        (
            (
                row.first,
                row.second,
                IntervalEstimate(row.difference.labels, row.difference.labels_interval),
                IntervalEstimate(row.difference.judge, row.difference.judge_interval),
                IntervalEstimate(row.difference.both, row.difference.interval),
                p_value(row.difference.p),
                p_value(row.p_holm),
                line(row.difference.both, row.difference.interval, -1, 1),
            )
            for row in rates.differences
        ),
        f"{_level(level, (row.difference for row in rates.differences))}; p: the difference is 0;"
        f" Holm over {counted(len(rates.differences), 'pair')} of systems",
    )


def share_table(rows: Sequence[ShareRow], level: float, design: str) -> Table:
    """What people say over the whole run."""
    return grid(
        "People over all judged pairs, from few labels",
        (
            "judge",
            "dimension",
            "share of",
            "labelled",
            "judged",
            "labels only",
            "judge only",
            "both (PPI++)",
            "worth labels",
            "0 to 1",
        ),
        (
            (
                row.judge,
                row.dimension,
                row.what,
                row.share.labelled,
                row.share.judged,
                IntervalEstimate(row.share.labels, row.share.labels_interval),
                IntervalEstimate(row.share.judge, row.share.judge_interval),
                IntervalEstimate(row.share.both, row.share.interval),
                _gained(row.share),
                line(row.share.both, row.share.interval, 0, 1),
            )
            for row in rows
        ),
        f"{_level(level, (row.share for row in rows))}; {design}; {LABELS_ALONE}",
    )


def plan_table(plan: LabelPlan) -> Table:
    """How many pairs of which systems."""
    width = "unknown" if plan.now is None else f"{plan.now:.3f}"
    return grid(
        f"Pairs to label in {plan.source}",
        ("systems", "open", "label"),
        ((row.systems, row.open, row.label) for row in plan.strata),
        f"{counted(plan.labelled, 'label')} now, width of {plan.goal} {width}; wanted"
        f" {plan.width:g}",
    )


def measured(value: Measured) -> IntervalEstimate:
    """A held-out figure for a cell of a table."""
    return IntervalEstimate(value.value, value.interval)


def calibration_tables(result: Calibration) -> Iterator[Table]:
    """Methods and rules, on held-out pairs."""

    units = f" of {counted(result.groups, result.unit)}" if result.groups < result.pairs else ""
    if result.unit == "instruction":
        units = f" of {counted(result.groups, 'instruction')}"
    yield grid(
        f"P(people prefer A | {result.judge}), {counted(result.pairs, 'pair')}{units}",
        ("method", "Brier", "ECE", "log loss", TIES_HALF),
        (
            (
                row.method,
                measured(row.brier),
                measured(row.ece),
                row.log_loss,
                measured(row.accuracy),
            )
            for row in (result.chosen, *result.methods)
        ),
        f"held out: {result.folds} folds that share no {result.unit}; {CHOSEN}: the best among the"
        " other folds, and what to expect; ECE: a bound; always 1/2: Brier"
        f" {result.half:.3f}, log loss 0.693; features: {', '.join(result.features)}",
        number=result.pairs,
    )
    yield grid(
        "Rules that need no fit, on the same pairs (ties as halves)",
        ("rule", "says something on", TIES_HALF, f"{CHOSEN} minus rule"),
        (
            (row.name, row.pairs, measured(row.accuracy), measured(row.difference))
            for row in result.rules
        ),
        number=result.pairs,
    )


def screen_tables(result: Screening) -> Iterator[Table]:
    """The parts that were tried, one table per signal."""
    if result.instructions is not None:
        drawn = f"by bets on {counted(result.instructions, 'instruction')}"
    else:  # a label that is right in part is no trial of the binomial test
        drawn = "by bets, over pairs" if result.split else "exact, over pairs"
    for name in dict.fromkeys(part.signal for part in result.parts):
        yield grid(
            f"{result.judge}: parts of the run by {name}, surest first",
            ("at least", "pairs", "share", "labelled", "agree", "p", "tested at", "holds"),
            (
                (
                    f"{part.threshold + 0.0:.4g}",
                    part.decided,
                    part.share,
                    part.labelled,
                    part.agreement,
                    p_value(part.p),
                    p_value(part.allowed) if part.allowed else None,
                    "yes" if part.holds else "",
                )
                for part in result.parts
                if part.signal == name
            ),
            f"p: agreement on {result.dimension} there is below {result.options.agree:g}; {drawn}",
        )
