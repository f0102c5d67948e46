"""What ``agree`` is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trace_eval.stats.agreement.align import Missing
from trace_eval.stats.agreement.alpha import Alpha
from trace_eval.stats.agreement.baselines import NumberRule
from trace_eval.stats.agreement.bias.effects import (
    DifficultyRow,
    LengthRow,
    NoiseRow,
    PositionRow,
    SelfRow,
    VerbosityRow,
)
from trace_eval.stats.agreement.bootstrap import BootstrapOptions
from trace_eval.stats.agreement.checks import DataWarning
from trace_eval.stats.agreement.compare import Comparison
from trace_eval.stats.agreement.forced import Forced
from trace_eval.stats.agreement.levels import LevelRow
from trace_eval.stats.agreement.metrics import METRICS, Metric
from trace_eval.stats.agreement.policies.learn import Learned
from trace_eval.stats.agreement.policies.mechanism import Mechanism
from trace_eval.stats.agreement.reliability import PairwiseRow, ReliabilityRow
from trace_eval.stats.agreement.score import JudgeScore
from trace_eval.stats.agreement.scores_given import ScoreError

#: ``policy`` that compares every built-in policy.
ALL_POLICIES = "all"

#: What is drawn for the intervals.
INSTRUCTIONS, ITEMS = "instructions", "items"
TOGETHER = "items, copies and both orders of a pair as one"


@dataclass(frozen=True)
class AgreeOptions:
    """What to compute.

    Attributes:
        bootstrap: resamples, level and seed of the intervals.
        cluster: draw whole instructions instead of items.
        missing: ``error`` refuses items or labels that one side lacks, ``drop`` leaves
            them out; coverage is reported either way.
        policy: re-fuse the overall label with this policy; ``all`` compares the built-in
            ones; null: the stored label.
        learn: fit policies, cross-validated by instruction.
        folds: of that cross-validation.
        against: compare the other judges with this one only; null: every two.
        baselines: numbers to beat beside length, level and MOS; the sources must have them.
    """

    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)
    cluster: bool = False
    missing: Missing = "error"
    policy: str | None = None
    learn: bool = False
    folds: int = 5
    against: str | None = None
    baselines: tuple[NumberRule, ...] = ()


@dataclass(frozen=True)
class AlphaRow:
    """Krippendorff's alpha of the people, or of the people with a judge as one more rater."""

    who: str
    dimension: str
    alpha: Alpha


@dataclass(frozen=True)
class TruthRow:
    """How many items have a label: ``split`` have no plurality, ``silent`` nobody's label."""

    dimension: str
    labelled: int
    split: int
    silent: int


@dataclass(frozen=True)
class AgreeReport:
    """All tables of ``trace-eval agree``; each list is one table.

    Attributes:
        drawn: what the intervals are over, in words.
        policies: judge -> policy that fused its overall label, where it has one.
    """

    labels: str
    items: int
    raters: int
    options: AgreeOptions
    warnings: tuple[DataWarning, ...]
    truth: tuple[TruthRow, ...]
    scores: tuple[JudgeScore, ...]
    score_errors: tuple[ScoreError, ...]
    comparisons: tuple[Comparison, ...]
    alphas: tuple[AlphaRow, ...]
    mechanisms: tuple[Mechanism, ...]
    policy_comparisons: tuple[Comparison, ...]
    position: tuple[PositionRow, ...]
    length: tuple[LengthRow, ...]
    verbosity: tuple[VerbosityRow, ...]
    difficulty: tuple[DifficultyRow, ...]
    self_comparisons: tuple[SelfRow, ...]
    noise: tuple[NoiseRow, ...]
    learned: tuple[Learned, ...]
    notes: tuple[str, ...]
    levels: tuple[LevelRow, ...] = ()
    pairwise: tuple[PairwiseRow, ...] = ()
    reliability: tuple[ReliabilityRow, ...] = ()
    forced: tuple[Forced, ...] = ()
    drawn: str = ITEMS
    policies: Mapping[str, str] = field(default_factory=dict)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The columns of :attr:`scores`, in reading order."""
        return METRICS
