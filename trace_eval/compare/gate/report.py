"""The result of a gate; each tuple is one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from blueprints import counted
from trace_eval.compare.flips import SevereItem, VerdictNoise, severe_table
from trace_eval.compare.judgings import Joined
from trace_eval.compare.options import GateOptions
from trace_eval.data.measures.voice import SystemVoice
from trace_eval.data.outcome import GateVerdict
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.paired import FLIPS_DRAWN
from trace_eval.estimate.share import Share
from trace_eval.show.table import Table, column, p_text, table
from trace_eval.stats.tables import voice_table
from trace_eval.turns.compare import SystemsCompared
from trace_eval.turns.limits import Limited, limits_table


def _points(drop: float | None, _: object) -> str | None:
    return None if drop is None else f"{100 * drop:.1f} points"


@dataclass(frozen=True)
class GateRow:
    """One metric of the gate.

    Attributes:
        baseline, candidate: mean points on the items that both runs scored.
        difference: with its interval.
        limit: one-sided 95 % lower limit of the difference; None: too few items.
        visible: smallest drop that the test sees with power .8; None: none.
        p_holm: over all metrics of the gate.
        flips: items that differ; ``noise`` those of the judge with itself.
        worst: the difference where all that the candidate has not scored are losses.
        why: the verdict in words.
    """

    metric: str
    items: int
    baseline: float
    candidate: float
    difference: IntervalEstimate
    limit: float | None
    p: float = field(metadata=column("p, one-sided", p_text))
    p_holm: float = field(metadata=column("Holm", p_text))
    flips: Share = field(metadata=column(shown=lambda share, _: share.counts))
    noise: VerdictNoise = field(
        metadata=column("A/A flips", lambda noise, _: noise.counts)
    )
    power: float = field(metadata=column(shown=".2f"))
    visible: float | None = field(metadata=column("smallest drop, power .8", _points))
    worst: float = field(metadata=column(shown="+.4f"))
    verdict: GateVerdict
    why: str


@dataclass(frozen=True)
class GateCoverage:
    """The share of the baseline's items scored, in the metric that lost most."""

    metric: str
    items: int
    baseline: int
    candidate: int
    verdict: GateVerdict


@dataclass(frozen=True)
class GateReport:
    """The verdict of a gate and its evidence.

    Attributes:
        sentence: what to tell a colleague.
        severe: items that turned from a win into a loss and that are tagged; ``others``
            for another reason, which fail nothing.
        properties: what the verdict rests on, for machines.
        false_alarms: expected in a week at so many runs; None: not requested.
        timing: of the calls, candidate minus baseline; None: the runs hold none.
        voices: whether each side keeps its voice; empty: no voice was measured.
        limits: of that timing, each with its verdict.
    """

    verdict: GateVerdict
    sentence: str
    baseline: str
    candidate: str
    options: GateOptions
    rows: tuple[GateRow, ...]
    coverage: GateCoverage
    severe: tuple[SevereItem, ...]
    others: tuple[SevereItem, ...]
    properties: dict[str, str]
    false_alarms: float | None
    notes: tuple[str, ...]
    timing: SystemsCompared | None = None
    voices: tuple[SystemVoice, ...] = ()
    limits: tuple[Limited, ...] = ()

    @property
    def exit_code(self) -> int:
        """0: pass, 1: fail, 3: cannot tell under ``must_tell`` (else 0)."""
        if self.verdict == "cannot tell":
            return 3 if self.options.must_tell else 0
        return int(self.verdict == "fail")


def sentence(
    verdict: GateVerdict,
    rows: Sequence[GateRow],
    covered: GateCoverage,
    tagged: Sequence[SevereItem],
    options: GateOptions,
) -> str:
    """State the verdict and what speaks for it, in a line that fits a chat message.

    The first metric, the pair as a whole, stands for the others where it has the
    verdict.
    """
    decisive = [row for row in rows if row.verdict == verdict]
    lines = [f"{row.metric.rpartition('.')[2]} {row.why}" for row in decisive[:1]]
    if others := [row.metric.rpartition(".")[2] for row in decisive[1:]]:
        lines.append(f"also {', '.join(others)}")
    if verdict == "fail":
        items = sorted({item.item for item in tagged})
        if len(items) > options.severe:
            lost = "severe item turned into a loss", "severe items turned into losses"
            lines.append(
                f"{counted(len(items), *lost)} ({', '.join(items[:5])}),"
                f" {options.severe} allowed"
            )
        if covered.verdict == "fail":
            lines.append(
                f"coverage of {covered.metric} fell from {covered.baseline} to"
                f" {covered.candidate} of {counted(covered.items, 'item')}"
            )
    return f"{verdict}: {' | '.join(lines)}"


def properties(
    joined: Joined, rows: Sequence[GateRow], options: GateOptions
) -> dict[str, str]:
    """List the basis of the verdict, for machines."""
    record = joined.first.record
    values = {
        "n": str(max((row.items for row in rows), default=0)),
        "alpha": f"{options.alpha:g}",
        "margin": f"{options.margin:g}",
        "flips": ", ".join(f"{row.metric} {row.flips.counts}" for row in rows),
        "noise": ", ".join(f"{row.metric} {row.noise.counts}" for row in rows),
    }
    if record is not None:
        values |= {
            "judge": record.judge.spec,
            "prompt": str(record.judge.parameters.get("prompt") or "not recorded"),
            "input.baseline": record.input_sha256 or "not recorded",
        }
    if joined.second.record is not None:
        values["input.candidate"] = joined.second.record.input_sha256 or "not recorded"
    return values


def gate_tables(report: GateReport) -> Iterator[Table]:
    """Yield every metric, the power of its test, and the severe items."""
    options = report.options
    yield table(
        f"{report.candidate} against {report.baseline}",
        report.rows,
        "metric verdict items baseline candidate difference p p_holm worst",
        f"points from 0 to 1; fails at p <= {options.alpha:g} and a drop of more than"
        f" {options.margin:g}; brackets: {options.bootstrap.level:.0%} interval; p:"
        f" {FLIPS_DRAWN}; worst: what is not scored any more are losses",
    )
    yield table(
        "What this gate can see",
        report.rows,
        "metric flips noise visible power",
        (
            "power at the margin by the upper 95 % limit of the noise; under .5 the"
            " gate cannot tell"
        ),
        power=f"power at {options.margin:g}",
    )
    if report.limits:
        yield limits_table(report.limits)
    if report.timing:
        yield report.timing.table()
    if report.voices:
        yield voice_table(report.voices)
    severe = report.severe + report.others
    if severe:
        note = (
            f"{len(report.severe)} tagged, {options.severe} allowed; the others fail"
            " nothing"
        )
        yield severe_table(severe, note, before="before", after="now")
