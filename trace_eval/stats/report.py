"""Results of ``agree``, for labels and for scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from blueprints import counted
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.units import Statistic
from trace_eval.opinions.opinions import DataWarning
from trace_eval.show.table import column
from trace_eval.stats.agreement.alpha import Alpha, NoiseRow
from trace_eval.stats.agreement.bias import (
    BiasRow,
    DifficultyRow,
    LengthBias,
    Verbosity,
)
from trace_eval.stats.agreement.drawn import ITEMS
from trace_eval.stats.agreement.figures import AgreementFigure
from trace_eval.stats.agreement.learn import Learned
from trace_eval.stats.agreement.levels import LevelRow, PairwiseRow, ReliabilityRow
from trace_eval.stats.agreement.linear import BinaryAgreement, ScoreError
from trace_eval.stats.agreement.metrics import METRICS, Comparison, Metric
from trace_eval.stats.agreement.parts import CategoryRow, Forced, LabelsRow
from trace_eval.stats.agreement.policies import Mechanism
from trace_eval.stats.agreement.position import PositionRow, SelfRow
from trace_eval.stats.agreement.score import JudgeScore
from trace_eval.stats.agreement.selective import Selective
from trace_eval.stats.agreement.suspects import RaterRow
from trace_eval.stats.agreement.systems import SystemAgreement, SystemShares
from trace_eval.stats.inference.calibrate import Calibration
from trace_eval.stats.inference.ppi import PPIEstimate
from trace_eval.stats.inference.win_rates import RIGHT, ShareRow
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.sentences import rate, same


@dataclass(frozen=True)
class AlphaRow:
    """Krippendorff's alpha of the raters, or of the raters and a judge as one more."""

    who: str
    dimension: str
    alpha: Alpha


@dataclass(frozen=True)
class TruthRow:
    """How many items have a label, how many are ``split``, how many ``silent``."""

    dimension: str
    labelled: int
    split: int = field(metadata=column("raters split"))
    silent: int = field(metadata=column("nobody's label"))


@dataclass(frozen=True)
class Coverage:
    """How many of the rated items a judge scored."""

    judge: str
    items: int
    rated: int = field(metadata=column("rated by annotators"))
    scored: int = field(metadata=column("of those scored"))
    unscored: int


@dataclass(frozen=True)
class SplitRow:
    """The main figures within one split of the labels, without intervals."""

    judge: str
    split: str
    items: int
    spearman: float | None = field(metadata=column("Spearman rho"))
    mae: float | None = field(metadata=column("MAE"))
    crps: float | None = field(metadata=column("CRPS per rating"))


@dataclass(frozen=True)
class AlphaOfScores:
    """Krippendorff's alpha of the raters; interval alone with a judge among them."""

    who: str
    alpha: Alpha


@dataclass(frozen=True)
class Growth:
    """Mean r with the human mean of the mean of k samples, k = 1 to all."""

    judge: str
    by_samples: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Fields of every comparison with human labels.

    Attributes:
        labels: where human labels or ratings are from.
        items: how many are compared.
        raters: annotators who are known by name.
        warnings: findings about the data, to be read before any figure.
        notes: what was left out, and how it was done.
        checked: every rater who is known by name, those to look at first; empty: fewer
            than three.
    """

    labels: str
    items: int
    raters: int
    options: AgreeOptions
    warnings: tuple[DataWarning, ...] = ()
    notes: tuple[str, ...] = ()
    checked: tuple[RaterRow, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AgreeReport(Agreement):
    """Judges' labels compared with human labels; each list is one table.

    Attributes:
        drawn: what the intervals are over, in words.
        policies: judge -> policy that fused its overall label, where it has one.
        shares: what annotators say over all judged pairs; empty: every judged pair has
            a label.
        design: how those labels were drawn, in words.
        calibrations: P(annotators prefer A) of every judge, where it was asked for.
        by_category, by_labels: accuracy of the overall label on parts of the items.
    """

    truth: tuple[TruthRow, ...]
    scores: tuple[JudgeScore, ...]
    score_errors: tuple[ScoreError, ...]
    comparisons: tuple[Comparison, ...]
    alphas: tuple[AlphaRow, ...]
    mechanisms: tuple[Mechanism, ...]
    policy_comparisons: tuple[Comparison, ...]
    position: tuple[PositionRow, ...]
    length: tuple[BiasRow[LengthBias], ...]
    verbosity: tuple[BiasRow[Verbosity], ...]
    difficulty: tuple[DifficultyRow, ...]
    self_comparisons: tuple[SelfRow, ...]
    noise: tuple[NoiseRow, ...]
    learned: tuple[Learned, ...]
    levels: tuple[LevelRow, ...] = ()
    pairwise: tuple[PairwiseRow, ...] = ()
    reliability: tuple[ReliabilityRow, ...] = ()
    forced: tuple[Forced, ...] = ()
    drawn: str = ITEMS
    policies: Mapping[str, str] = field(default_factory=dict)
    shares: tuple[ShareRow, ...] = ()
    design: str = ""
    calibrations: tuple[Calibration, ...] = ()
    by_category: tuple[CategoryRow, ...] = ()
    by_labels: tuple[LabelsRow, ...] = ()

    @property
    def metrics(self) -> tuple[Metric[Statistic], ...]:
        """The columns of :attr:`scores`, in reading order."""
        return METRICS

    @property
    def verdicts(self) -> tuple[str, ...]:
        """A sentence per judge and dimension on how it stands against the baselines.

        Where labels were not drawn alike, the accuracy over all pairs stands before it.
        """
        return tuple(f"{self._over_all(score)}{score.verdict}" for score in self.scores)

    def _over_all(self, score: JudgeScore) -> str:
        row = self.corrected(score)
        if row is None or row.labels is None:
            return ""
        right = rate(row.labels, row.labels_interval)
        return (
            f"{score.judge} agrees with human labels on {right} of"
            f" {counted(row.judged, 'pair')}, by how they were drawn"
            f" ({score.dimension}). On the labelled pairs: "
        )

    def accuracy_of(self, score: JudgeScore) -> IntervalEstimate:
        """Return a judge's accuracy, corrected for how labels were drawn."""
        row = self.corrected(score)
        if row is None or row.labels is None:
            return score.accuracy
        return IntervalEstimate(row.labels, row.labels_interval)

    def corrected(self, score: JudgeScore) -> PPIEstimate | None:
        """Return a judge's accuracy on all pairs, where labels were not drawn alike.

        None: the plain share of the labels says the same, or nothing can be said of all
        pairs.
        """
        for row in self.shares:
            if (row.judge, row.dimension, row.what) != (
                score.judge,
                score.dimension,
                RIGHT,
            ):
                continue
            plain = score.accuracy.value
            share = row.share.labels
            if plain is None or share is None or same(plain, share):
                return None
            return row.share
        return None


@dataclass(frozen=True, kw_only=True)
class ScoreReport(Agreement):
    """Judges' scores compared with human ratings; each list is one table.

    Attributes:
        rubric: that was scored; None: unknown.
        ratings, questions: what is compared.
        low, high: ends of the scale.
        fitted_on: which rows the constants were fitted on, in words.
        verdicts: a sentence per judge on how it stands against the baselines.
    """

    rubric: str | None
    ratings: int
    questions: int | None
    low: float
    high: float
    fitted_on: str
    coverage: tuple[Coverage, ...]
    figures: tuple[AgreementFigure, ...]
    selective: tuple[Selective, ...]
    systems: tuple[SystemShares, ...]
    system_agreement: tuple[SystemAgreement, ...]
    growth: tuple[Growth, ...]
    binary: tuple[BinaryAgreement, ...]
    alphas: tuple[AlphaOfScores, ...]
    splits: tuple[SplitRow, ...]
    verdicts: tuple[str, ...]
