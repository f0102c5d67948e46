"""What a gate is asked, and what it answers; each tuple is one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from blueprints import UserError
from trace_eval.compare import Noise, SevereItem
from trace_eval.stats import BootstrapOptions, IntervalEstimate, Share

Verdict = Literal["pass", "fail", "cannot tell"]


@dataclass(frozen=True)
class GateOptions:
    """What counts as a regression.

    Attributes:
        by: metrics, by dimension or full name; ``win``: the pair as a whole, ``mean``: every score;
            empty: all that both runs have.
        margin: smaller drops do not matter, in points from 0 to 1.
        alpha: one-sided level of the test.
        strict: also fail where the one-sided 95 % limit of the difference is beyond the margin.
        severe: tagged items that may turn from a win into a loss.
        coverage_drop: share of the items that may be unscored where they were scored before.
        must_tell: "cannot tell" is no success (exit code 3).
        side: which answer of a pair is under test: ``a``, ``b``, or ``auto``.
        runs_per_week: for the expected number of false alarms.
        bootstrap: resamples and seed of the intervals.
    """

    by: tuple[str, ...] = ()
    margin: float = 0.02
    alpha: float = 0.05
    strict: bool = False
    severe: int = 0
    coverage_drop: float = 0.01
    must_tell: bool = False
    side: str = "auto"
    runs_per_week: float | None = None
    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)

    def __post_init__(self) -> None:
        for name, low, high in (("margin", 0, 1), ("alpha", 0, 0.5), ("coverage_drop", 0, 1)):
            value = getattr(self, name)
            if not low <= value < high or (name == "alpha" and not value):
                raise UserError(f"{name} {value:g}: give a share from {low} to under {high:g}")
        if self.side not in ("auto", "a", "b"):
            raise UserError(f"side {self.side!r}: use a, b or auto")
        if self.severe < 0:
            raise UserError(f"severe {self.severe}: give 0 or more items")


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
    p: float
    p_holm: float
    flips: Share
    noise: Noise
    power: float
    visible: float | None
    worst: float
    verdict: Verdict
    why: str


@dataclass(frozen=True)
class GateCoverage:
    """Items that were scored, of those of the baseline, in the metric that lost most."""

    metric: str
    items: int
    baseline: int
    candidate: int
    verdict: Verdict

    @property
    def drop(self) -> float:
        """Share of the items that are not scored any more."""
        return (self.baseline - self.candidate) / self.items


@dataclass(frozen=True)
class GateReport:
    """What the gate says.

    Attributes:
        sentence: what to tell a colleague.
        severe: items that turned from a win into a loss and that are tagged; ``others`` for
            another reason, which fail nothing.
        properties: what the verdict rests on, for machines.
        false_alarms: expected in a week at so many runs; None: not asked for.
    """

    verdict: Verdict
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

    @property
    def exit_code(self) -> int:
        """0 pass, 1 fail, 3 cannot tell where it must (else 0)."""
        if self.verdict == "cannot tell":
            return 3 if self.options.must_tell else 0
        return int(self.verdict == "fail")
