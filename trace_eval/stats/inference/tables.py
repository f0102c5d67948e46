"""Printed tables of the conclusions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blueprints import counted
from trace_eval.show.table import Table, table
from trace_eval.stats.inference.calibrate import CHOSEN, Calibration
from trace_eval.stats.inference.ppi import LEAST_MINORITY, LEAST_UNITS, PPIEstimate
from trace_eval.stats.inference.system_rates import WinRates
from trace_eval.stats.inference.win_rates import ShareRow

#: When the judge does not count; under a table.
LABELS_ALONE = (
    f"labels alone under {LEAST_UNITS} of them, under {LEAST_MINORITY} unlike the"
    " others, and where the judge narrows nothing"
)


def _level(level: float, rows: Sequence[PPIEstimate]) -> str:
    """Say what the intervals of a table promise, and how they are made."""
    methods = ", or ".join(dict.fromkeys(row.method for row in rows if row.method))
    by = f" ({methods})" if methods else ""
    if not any(row.coarse for row in rows):
        return f"{level:.0%} intervals{by}"
    return (
        f"intervals of at least {level:.0%}, to a point or two: so few labels, units or"
        " errors of the judge were seen that some hold the truth more often than"
        f" that{by}"
    )


#: The three figures of an estimate from labels and a judge.
_FIGURES = "{0}.labels {0}.judge {0}.both"


def ppi_tables(rates: WinRates, level: float) -> Iterator[Table]:
    """Make tables of win rates by human labels, and of differences between systems."""
    yield table(
        "Human win rates from few labels (a tie is half)",
        rates.systems,
        f"system rate.labelled rate.judged {_FIGURES.format('rate')} rate.width"
        " rate.weight rate.effective",
        f"{_level(level, [row.rate for row in rates.systems])}; {rates.design};"
        f" {LABELS_ALONE}. Judge only knows nothing of the judge's errors and may lie"
        " outside the others",
    )
    yield table(
        "Differences of human win rates, first minus second",
        rates.differences,
        f"first second {_FIGURES.format('difference')} difference.p p_holm",
        f"{_level(level, [row.difference for row in rates.differences])}; p: the"
        f" difference is 0; Holm over {counted(len(rates.differences), 'pair')} of"
        " systems",
    )


def share_table(rows: Sequence[ShareRow], level: float, design: str) -> Table:
    """Make the table of human shares over the whole run."""
    return table(
        "Human labels over all judged pairs, from few of them",
        rows,
        f"judge dimension what share.labelled share.judged {_FIGURES.format('share')}"
        " share.effective",
        f"{_level(level, [row.share for row in rows])}; {design}; {LABELS_ALONE}",
    )


def calibration_tables(result: Calibration) -> Iterator[Table]:
    """Make tables of methods and rules, on held-out pairs."""
    named = result.unit == "instruction" or result.groups < result.pairs
    units = f" of {counted(result.groups, result.unit)}" if named else ""
    yield table(
        (
            f"P(annotators prefer A | {result.judge}),"
            f" {counted(result.pairs, 'pair')}{units}"
        ),
        (result.chosen, *result.methods),
        "method brier ece log_loss accuracy",
        f"held out: {result.folds} folds that share no {result.unit}; {CHOSEN}: the"
        " best among the other folds, and what to expect; ECE: a bound; always 1/2:"
        f" Brier {result.half:.3f}, log loss 0.693; features:"
        f" {', '.join(result.features)}",
        number=result.pairs,
    )
    yield table(
        "Rules that need no fit, on the same pairs (ties as halves)",
        result.rules,
        "name pairs accuracy difference",
        number=result.pairs,
    )
