"""Options of ``compare`` and ``gate``."""

from __future__ import annotations

from dataclasses import dataclass, field

from blueprints import UserError
from trace_eval.data.settings import option_field, with_groups
from trace_eval.estimate.options import IntervalOptions
from trace_eval.turns.options import TimingLimits


@with_groups
@dataclass(frozen=True)
class CompareOptions:
    """The options of a comparison of runs.

    Attributes:
        bootstrap: level of the intervals.
        cluster: refuse items whose instruction is unknown, where there are human
            labels. Known instructions are drawn whole in any case.
        top: number of pairs to list, those where the runs are furthest apart.
    """

    bootstrap: IntervalOptions = field(default_factory=IntervalOptions)
    cluster: bool = False
    top: int = option_field(10, shown=False)


@with_groups
@dataclass(frozen=True)
class ChangeOptions:
    """The options of a comparison of two judgings.

    Attributes:
        bootstrap: level of the intervals.
        margin: shift of points, 0 to 1, that is called no difference.
        top: flipped items and groups that are listed.
        truth: human labels in a table FILE:COLUMN.
        keys: columns that together name a system of a board; may be repeated; None:
            system.
        items: items behind each win rate of a board.
    """

    bootstrap: IntervalOptions = field(
        default_factory=IntervalOptions, metadata={"shown": False}
    )
    margin: float = 0.02
    top: int = option_field(10, shown=False)
    truth: str | None = option_field(None, metavar="COLUMN")
    keys: tuple[str, ...] = option_field(("system",), flag="--key", metavar="COLUMN")
    items: int | None = option_field(None, min=2)

    def __post_init__(self) -> None:
        if not 0 < self.margin < 1:
            raise UserError(
                f"margin {self.margin:g}: give points between 0 and 1, e.g. 0.02"
            )


@with_groups
@dataclass(frozen=True)
class GateOptions:
    """The rules of a regression gate.

    Attributes:
        by: metrics, by dimension or full name; ``win``: the pair as a whole, ``mean``:
            every score; may be repeated. None: all that both runs have.
        margin: smaller drops do not matter, in points from 0 to 1.
        alpha: one-sided level of the test.
        strict: also fail where the one-sided 95 % limit of the difference is beyond the
            margin.
        severe: tagged items that may turn from a win into a loss.
        coverage_drop: largest share of the items that may have lost their score since
            the baseline.
        must_tell: exit with 3 where the gate cannot tell.
        side: which answer of a pair is under test: ``a``, ``b``, or ``auto``.
        runs_per_week: print the false alarms to expect in a week of so many runs.
        limits: limits on the timing of calls, where both runs hold conversations.
        bootstrap: level of the intervals.
    """

    by: tuple[str, ...] = ()
    margin: float = 0.02
    alpha: float = 0.05
    strict: bool = False
    severe: int = option_field(0, min=0)
    coverage_drop: float = 0.01
    must_tell: bool = False
    side: str = "auto"
    runs_per_week: float | None = option_field(None, min=0)
    limits: TimingLimits = field(default_factory=TimingLimits)
    bootstrap: IntervalOptions = field(
        default_factory=IntervalOptions, metadata={"shown": False}
    )

    def __post_init__(self) -> None:
        for name, low, high in (
            ("margin", 0, 1),
            ("alpha", 0, 0.5),
            ("coverage_drop", 0, 1),
        ):
            value = getattr(self, name)
            if not low <= value < high or (name == "alpha" and not value):
                raise UserError(
                    f"{name} {value:g}: give a share from {low} to under {high:g}"
                )
        if self.side not in ("auto", "a", "b"):
            raise UserError(f"side {self.side!r}: use a, b or auto")
        if self.severe < 0:
            raise UserError(f"severe {self.severe}: give 0 or more items")
