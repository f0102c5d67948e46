"""Limits of timing for CI: ``response_p90_s=+0.2`` fails a release that much slower.

A number with a sign bounds the difference from another system, one without bounds the
figure itself. A difference fails where it is beyond its bound *and* shown not to be
chance; where it may be beyond the bound, there is no decision.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from blueprints import UserError, counted
from blueprints.decimals import written_apart
from trace_eval.data.outcome import GateVerdict
from trace_eval.estimate.interval import in_a_clause
from trace_eval.estimate.shift import least_paired
from trace_eval.show.table import Table, table
from trace_eval.turns.compare import SystemDifference, SystemsCompared
from trace_eval.turns.figures import MIN_CONVERSATIONS, TurnFigure, limits_text
from trace_eval.turns.options import TimingLimits
from trace_eval.turns.report import TurnsReport


@dataclass(frozen=True)
class Limited:
    """A figure beside its limit.

    Attributes:
        limit: as typed, with its side: ``at most +0.2``.
        verdict: unknown figures fail: a figure that was not measured did not pass.
        shown: False where a value meets its limit and its interval goes beyond it.
        method: that made the interval in ``why``; None where it shows none.
    """

    figure: str
    limit: str
    verdict: GateVerdict
    why: str
    shown: bool = True
    method: str | None = None

    @property
    def sentence(self) -> str:
        """The limit and the measured value in one sentence."""
        return f"{self.figure}, {self.limit} allowed: {self.why}"


@dataclass(frozen=True)
class _Limit:
    side: Literal["over", "under"]
    name: str
    number: str

    @property
    def bound(self) -> float:
        return float(self.number)

    @property
    def relative(self) -> bool:
        return self.number[0] in "+-"

    def beyond(self, value: float) -> bool:
        return value > self.bound if self.side == "over" else value < self.bound

    @property
    def words(self) -> str:
        return f"at {'most' if self.side == 'over' else 'least'} {self.number}"


def limited(
    limits: TimingLimits, report: TurnsReport, compared: SystemsCompared | None = None
) -> tuple[Limited, ...]:
    """Check every limit; those with a sign need the comparison with another system.

    Raises:
        UserError: a limit cannot be read, names no figure, or needs another system.
    """
    return tuple(_row(limit, report, compared) for limit in _read(limits, report))


def failed(rows: Sequence[Limited]) -> bool:
    """Whether a limit is passed."""
    return any(row.verdict == "fail" for row in rows)


def undecided(rows: Sequence[Limited]) -> bool:
    """Whether a limit cannot be decided."""
    return any(row.verdict == "cannot tell" for row in rows)


def limits_table(rows: Sequence[Limited]) -> Table:
    """Return the printed table of the limits."""
    methods = in_a_clause(row.method for row in rows)
    note = f"brackets: {methods}" if methods else ""
    return table("Limits", rows, "figure limit verdict why", note, limit="allowed")


def _read(limits: TimingLimits, report: TurnsReport) -> Iterator[_Limit]:
    sides: tuple[tuple[Literal["over", "under"], tuple[str, ...]], ...]
    sides = (("over", limits.fail_over), ("under", limits.fail_under))
    for side, texts in sides:
        for text in texts:
            name, equals, number = map(str.strip, text.rpartition("="))
            if not equals or not _is_finite(number):
                raise UserError(
                    f"--fail-{side} {text!r:.80}: write NAME=NUMBER, e.g."
                    " response_p95_s=1.5, or response_p90_s=+0.2 for a difference from"
                    " another system"
                )
            if name not in report.figures:
                figures = ", ".join(report.figures)
                raise UserError(
                    f"--fail-{side} {name:.80}: no such figure; use one of {figures}"
                )
            yield _Limit(side, name, number)


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _row(
    limit: _Limit, report: TurnsReport, compared: SystemsCompared | None
) -> Limited:
    if not limit.relative:
        return _absolute(limit, report.figures[limit.name])
    if compared is None:
        raise UserError(
            f"--fail-{limit.side} {limit.name}={limit.number}: a sign bounds the"
            " difference from another system; name its calls by --against, or leave out"
            " the sign"
        )
    result = compared.by_figure[limit.name]
    verdict, why = _relative(limit, result, compared)
    method = result.median_method if result.is_timed else result.mean_method
    return Limited(limit.name, limit.words, verdict, why, method=method)


def _absolute(limit: _Limit, figure: TurnFigure) -> Limited:
    """Judge by the value alone; the words say where its interval passes the limit."""
    value = figure.value
    if value is None:
        why = f"not known: {figure.reason or 'nothing was measured'}"
        return Limited(limit.name, limit.words, "fail", why)
    number = written_apart(value, [limit.bound], digits=3)
    interval = limits_text(figure.interval)
    beyond = limit.beyond(value)
    shown = beyond or not any(map(limit.beyond, figure.interval or ()))
    if shown:
        why = " ".join(filter(None, (number, interval, figure.unit)))
    else:
        why = f"{number} {figure.unit}".strip()
        why += f", met by its value; the interval {interval} does not show it"
    return Limited(
        figure=limit.name,
        limit=limit.words,
        verdict="fail" if beyond else "pass",
        why=why,
        shown=shown,
        method=figure.method,
    )


def _relative(
    limit: _Limit, result: SystemDifference, compared: SystemsCompared
) -> tuple[GateVerdict, str]:
    """Test a limit on a difference, by the mean of shares and rates, or the median."""
    if result.is_timed:
        kind, value, interval = "median of calls", result.median, result.median_interval
        least = least_paired(compared.level)
    else:
        kind, value, interval = "mean of calls", result.mean, result.mean_interval
        least = MIN_CONVERSATIONS
    if value is None:
        return "fail", "not known on both sides"
    parts = (f"{kind} {value:+.3f}", limits_text(interval, "+"), result.unit)
    sentence = " ".join(filter(None, parts))
    beyond = limit.beyond(value)
    if result.pooled is not None:
        sentence += f", pooled {result.pooled:+.3f} {result.unit}".rstrip()
        beyond |= limit.beyond(result.pooled)
    if interval is None:
        return "cannot tell", (
            f"{sentence}; too few calls for an interval, which there is from"
            f" {counted(least, 'pair')} on"
        )
    low, high = interval
    if limit.side == "over":
        may_be_beyond = limit.beyond(high)
        is_shown = low > 0
    else:
        may_be_beyond = limit.beyond(low)
        is_shown = high < 0
    if beyond and is_shown:
        return "fail", sentence
    if beyond or may_be_beyond:
        return "cannot tell", sentence
    return "pass", sentence
