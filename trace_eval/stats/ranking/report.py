"""What ``rank`` is asked for, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from trace_eval.stats.agreement.bootstrap import BootstrapOptions
from trace_eval.stats.agreement.checks import DataWarning
from trace_eval.stats.inference.win_rates import RateRow
from trace_eval.stats.ranking.correlation import Correlation
from trace_eval.stats.ranking.strengths import MODELS

#: Methods in the order of the report.
METHODS = ("win_rate", "mean_win_rate", *MODELS)

#: Name of the rate against one system, where ``--baseline`` asks for it.
AGAINST_BASELINE = "win_rate_against_baseline"


@dataclass(frozen=True)
class RankOptions:
    """How to rank.

    Attributes:
        bootstrap: resamples, level and seed of the rank intervals.
        cluster: draw whole instructions instead of comparisons.
        typed: typed ties count as evidence, see :mod:`win_rate` and :mod:`strengths`.
        prior: games of every system against an average opponent; 0: none.
        baseline: also give win rates against this system only.
        dimension: rank by this label column; null: overall, else preference.
        policy: that fused these labels, for captions; null: none did, or it is not known.
    """

    bootstrap: BootstrapOptions = field(default_factory=lambda: BootstrapOptions(2_000))
    cluster: bool = False
    typed: bool = False
    prior: float = 0.0
    baseline: str | None = None
    dimension: str | None = None
    policy: str | None = None


@dataclass(frozen=True)
class SystemRow:
    """Counts of one system, from its own side."""

    system: str
    comparisons: int
    wins: int
    losses: int
    ties: int
    both_bad: int
    against_baseline: float | None


@dataclass(frozen=True)
class Standing:
    """A system under one method.

    Attributes:
        value: win rate (0 to 1) or log-strength (mean 0); null: see the method's reason.
        exact: the win rate as a fraction.
        rank: 1 is best; equal values share it. ``low`` and ``high`` bound it.
        undefined: resamples without a finite strength; they are left out of the bounds.
    """

    method: str
    system: str
    value: float | None
    exact: str | None
    rank: int | None
    low: int | None
    high: int | None
    undefined: int


@dataclass(frozen=True)
class Caveat:
    """A method that gives no numbers, or something that every reader must know."""

    method: str
    text: str


@dataclass(frozen=True)
class Parameter:
    """A fitted parameter of a model beside the strengths, e.g. Davidson's ``nu``."""

    method: str
    name: str
    value: float


@dataclass(frozen=True)
class RankReport:
    """All tables of ``trace-eval rank``; each list is one table.

    Attributes:
        together: copies and both orders of a pair were drawn as one comparison.
        judged, labelled: win rates with intervals by this judge's labels alone and by people's,
            best first; empty: there are no labels.
    """

    source: str
    options: RankOptions
    unscored: int
    self_compared: int
    warnings: tuple[DataWarning, ...]
    systems: tuple[SystemRow, ...]
    places: tuple[Standing, ...]
    correlations: tuple[Correlation, ...]
    parameters: tuple[Parameter, ...]
    caveats: tuple[Caveat, ...]
    together: bool = False
    judged: tuple[RateRow, ...] = ()
    labelled: tuple[RateRow, ...] = ()


def methods_of(options: RankOptions) -> tuple[str, ...]:
    """The methods of a ranking; the rate against a baseline is one where there is any."""
    return METHODS if options.baseline is None else (*METHODS, AGAINST_BASELINE)
