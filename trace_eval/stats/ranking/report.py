"""Result of ``rank``."""

from __future__ import annotations

from dataclasses import dataclass, field

from trace_eval.data.measures.voice import SystemVoice
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.opinions.opinions import DataWarning
from trace_eval.show.table import column
from trace_eval.stats.agreement.drawn import ITEMS
from trace_eval.stats.inference.stopping import Stopping
from trace_eval.stats.inference.system_rates import RateRow, WinRates
from trace_eval.stats.options import RankOptions
from trace_eval.stats.ranking.correlation import Correlation
from trace_eval.stats.ranking.fit import MODELS
from trace_eval.stats.ranking.outcomes import MeetingRow

#: Methods in the order of the report.
METHODS = ("win_rate", "mean_win_rate", *MODELS)

#: Name of the rate against one system, where ``--baseline`` asks for it.
AGAINST_BASELINE = "win_rate_against_baseline"

#: The caveat of labels that cannot speak for the run.
HUMAN_RATES = "people's win rates"

#: Name of the method that scores of single answers are ranked by.
MEAN_SCORE = "mean_score"


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
class SystemStanding:
    """A system under one method.

    Attributes:
        value: win rate (0 to 1) or log-strength (mean 0); None: see the method's
            reason.
        exact: the win rate as a fraction.
        rank: 1 is best; equal values share it. ``low`` and ``high`` bound it.
        undefined: resamples without a finite strength; they are left out of the bounds.
        ahead: systems that it is shown to be better than.
    """

    method: str
    system: str
    value: float | None
    exact: str | None
    rank: int | None
    low: int | None = None
    high: int | None = None
    undefined: int = 0
    ahead: tuple[str, ...] = ()


@dataclass(frozen=True)
class Caveat:
    """A method that gives no numbers, or something that every reader must know."""

    method: str
    text: str


@dataclass(frozen=True)
class Parameter:
    """A fitted parameter of a model beside the strengths, e.g. Davidson's ``nu``."""

    method: str
    name: str = field(metadata=column("parameter"))
    value: float


@dataclass(frozen=True)
class MeanRow:
    """A system's scores, in units of the rubric's scale.

    Attributes:
        scored, unscored: its answers with and without a score; ``mean``: of the scored
            ones.
        people: mean of the answers' mean human ratings; None: there are none.
    """

    system: str
    scored: int
    unscored: int
    mean: IntervalEstimate
    people: float | None = field(metadata=column("human mean"))


@dataclass(frozen=True)
class DefectRow:
    """How many of a system's answers have a defect, see :mod:`extractors.defects`.

    Attributes:
        kind: ``any``: whichever.
        answers: those in which defects were looked for; ``affected`` of them have one.
        share: affected by answers, 0 to 1; answers to one question vary together.
    """

    system: str
    kind: str = field(metadata=column("defect"))
    answers: int
    affected: int
    share: IntervalEstimate


@dataclass(frozen=True)
class RankReport:
    """All tables of ``trace-eval rank``; each list is one table.

    Attributes:
        together: several comparisons were drawn as one; ``drawn`` says what one is.
        powered: human win rates from all judgements and a few labels; None: there are
            no labels, every judged item has one, or they cannot speak for the others,
            as a caveat says then.
        means: the systems of scores, which have no comparisons; ``low`` and ``high``
            are the ends of their scale.
        split: comparisons on which annotators split, which are half a win for each
            system.
        defects: of the answers of a run whose blueprints hold the group; empty: they do
            not.
        voices: whether each system keeps its voice; empty: no voice was measured.
        judged, labelled: win rates with intervals by this judge's labels alone and by
            annotators', best first; empty: there are no labels.
        human: what is ranked are labels or scores by annotators, not by a judge.
        unchanged: pairs of the same recording from two systems, where there are no
            others.
        enough: whether annotators labelled enough to tell each two systems apart, at
            every look.
    """

    source: str
    options: RankOptions
    unscored: int
    self_compared: int
    warnings: tuple[DataWarning, ...]
    systems: tuple[SystemRow, ...]
    places: tuple[SystemStanding, ...]
    correlations: tuple[Correlation, ...]
    parameters: tuple[Parameter, ...]
    caveats: tuple[Caveat, ...]
    together: bool = False
    judged: tuple[RateRow, ...] = ()
    labelled: tuple[RateRow, ...] = ()
    powered: WinRates | None = None
    means: tuple[MeanRow, ...] = ()
    low: float | None = None
    high: float | None = None
    split: int = 0
    meetings: tuple[MeetingRow, ...] = ()
    defects: tuple[DefectRow, ...] = ()
    voices: tuple[SystemVoice, ...] = ()
    human: bool = False
    drawn: str = ITEMS
    unchanged: int = 0
    enough: tuple[Stopping, ...] = ()

    @property
    def who(self) -> str:
        """Who gave what is ranked, in sentences."""
        return "annotators" if self.human else "this judge"

    @property
    def unit(self) -> str:
        """What is ranked by, with the ends of its scale."""
        if self.low is None:
            return f"win rate by {self.who}"
        return f"mean score from {self.low:g} to {self.high:g}"

    @property
    def silent(self) -> bool:
        """Whether there are human labels that cannot speak for all pairs."""
        return any(caveat.method == HUMAN_RATES for caveat in self.caveats)

    @property
    def people(self) -> tuple[RateRow, ...]:
        """Return win rates by human labels beside a judge's; empty without any."""
        if self.powered is not None:
            return self.powered.systems
        return () if self.silent or self.human else self.labelled

    @property
    def notes(self) -> tuple[str, ...]:
        """The caveats as lines."""
        return tuple(f"{caveat.method}: {caveat.text}" for caveat in self.caveats)

    @property
    def verdicts(self) -> tuple[str, ...]:
        """None: the order is the verdict."""
        return ()


def methods_of(options: RankOptions) -> tuple[str, ...]:
    """Return a ranking's methods; the rate against a baseline if there is one."""
    return METHODS if options.baseline is None else METHODS + (AGAINST_BASELINE,)
