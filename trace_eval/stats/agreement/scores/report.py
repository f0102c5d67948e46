"""What ``agree --scores`` is asked, and what it answers; each tuple is one table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from trace_eval.stats.agreement.alpha import Alpha
from trace_eval.stats.agreement.bootstrap import BootstrapOptions, IntervalEstimate
from trace_eval.stats.agreement.scores.binary import BinaryAgreement
from trace_eval.stats.agreement.scores.selective import Selective
from trace_eval.stats.agreement.scores.systems import FAMILIES, SystemAgreement, SystemRow

#: Which table a figure belongs to.
Group = Literal["agreement", "people", "raters", "variance", "calibration", "samples", "judges"]


@dataclass(frozen=True)
class ScoreOptions:
    """What to compute.

    Attributes:
        bootstrap: resamples, level and seed of the intervals.
        split: only items of this split; constants are fitted on the split ``train`` where
            there is one; null: all items.
        families: words that name a maker's models, for self-preference.
    """

    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)
    split: str | None = None
    families: tuple[str, ...] = FAMILIES


@dataclass(frozen=True)
class Figure:
    """One number about one judge, baseline or the people.

    Attributes:
        group: its table.
        who: the judge, the baseline or ``people``.
        name: of the statistic, stable for programs.
        estimate: value and intervals.
        rows: what it is computed from.
        unit: what those are: ``items``, ``ratings`` or ``raters``.
        reason: why there is no value.
    """

    group: Group
    who: str
    name: str
    estimate: IntervalEstimate
    rows: int
    unit: str = "items"
    reason: str | None = None


@dataclass(frozen=True)
class Coverage:
    """What a judge scored of the items that people rated."""

    judge: str
    items: int
    rated: int
    scored: int
    unscored: int


@dataclass(frozen=True)
class SplitRow:
    """The main figures within one split of the labels, without intervals."""

    judge: str
    split: str
    items: int
    spearman: float | None
    mae: float | None
    crps: float | None


@dataclass(frozen=True)
class AlphaOfScores:
    """Krippendorff's alpha of the people; with a judge as one more rater only interval."""

    who: str
    alpha: Alpha


@dataclass(frozen=True)
class Growth:
    """Mean r with people of the mean of k samples, k = 1 to all."""

    judge: str
    by_samples: tuple[float | None, ...]


@dataclass(frozen=True)
class ScoreReport:
    """All tables of ``trace-eval agree --scores``.

    Attributes:
        labels: where the ratings are from.
        rubric: that was scored; null: unknown.
        items, ratings, questions: what is compared.
        low, high: ends of the scale.
        fitted_on: which rows the constants were fitted on, in words.
        verdicts: a sentence per judge on how it stands against the baselines.
    """

    labels: str
    rubric: str | None
    items: int
    ratings: int
    questions: int | None
    raters: int
    low: float
    high: float
    fitted_on: str
    options: ScoreOptions
    coverage: tuple[Coverage, ...]
    figures: tuple[Figure, ...]
    selective: tuple[Selective, ...]
    systems: tuple[SystemRow, ...]
    system_agreement: tuple[SystemAgreement, ...]
    growth: tuple[Growth, ...]
    binary: tuple[BinaryAgreement, ...]
    alphas: tuple[AlphaOfScores, ...]
    splits: tuple[SplitRow, ...]
    verdicts: tuple[str, ...]
    notes: tuple[str, ...]
