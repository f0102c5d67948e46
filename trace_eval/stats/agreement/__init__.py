"""Meta-evaluation: how far judges agree with people, and why. One statistic per file."""

from trace_eval.stats.agreement.ablation.conditions import (
    TREE_AND_VOTE,
    Ablation,
    AblationRow,
    Condition,
    ablation_table,
    consensus,
    mode_policy_table,
)
from trace_eval.stats.agreement.accuracy import (
    accuracy,
    accuracy_2way,
    accuracy_3way,
    coverage_2way,
)
from trace_eval.stats.agreement.align import Aligned, Items, Missing, align, items_of, match
from trace_eval.stats.agreement.alpha import Alpha, alpha
from trace_eval.stats.agreement.baselines import (
    Majority,
    NumberRule,
    majority,
    number_rule,
    random_matched,
    random_uniform,
)
from trace_eval.stats.agreement.bias.length import LengthBias, length_bias
from trace_eval.stats.agreement.bias.position import PositionBias, join_orders, position_bias
from trace_eval.stats.agreement.bias.self_comparison import SelfComparisons, self_comparisons
from trace_eval.stats.agreement.bootstrap import (
    BootstrapOptions,
    IntervalEstimate,
    Stack,
    Units,
    bootstrap,
)
from trace_eval.stats.agreement.checks import (
    DataWarning,
    copied_ties,
    label_sets,
    repeated,
    self_compared,
    swapped,
)
from trace_eval.stats.agreement.compare import Comparison, compare, compare_all
from trace_eval.stats.agreement.counts import collapse, collapse_codes, joint_counts, winners_only
from trace_eval.stats.agreement.evaluate import agree
from trace_eval.stats.agreement.f1 import f1_per_label, macro_f1
from trace_eval.stats.agreement.forced import Forced, forced
from trace_eval.stats.agreement.gwet import gwet_ac1
from trace_eval.stats.agreement.holm import holm
from trace_eval.stats.agreement.interval import bca_interval, percentile_interval
from trace_eval.stats.agreement.kappa import kappa
from trace_eval.stats.agreement.levels import LEVELS, LevelRow, level_rows, levels_of, majority_of
from trace_eval.stats.agreement.mcnemar import McNemar, mcnemar, sign_test
from trace_eval.stats.agreement.metrics import METRICS, Metric
from trace_eval.stats.agreement.noise import Noise, noise
from trace_eval.stats.agreement.policies.counterfactual import Resolved, counterfactual
from trace_eval.stats.agreement.policies.flips import Flips, flips
from trace_eval.stats.agreement.policies.learn import Candidate, Learned, learn
from trace_eval.stats.agreement.policies.learn_table import learn_table, upper_bound
from trace_eval.stats.agreement.policies.mechanism import Mechanism, mechanism, mechanisms
from trace_eval.stats.agreement.policies.policy import (
    cell_counts,
    cells_of,
    fuse_codes,
    policy_codes,
)
from trace_eval.stats.agreement.policies.winner_on_bad import WinnerOnBad, winner_on_bad
from trace_eval.stats.agreement.reliability import (
    PairwiseRow,
    ReliabilityRow,
    drawn_agreement,
    pairwise_rows,
    reliability_rows,
)
from trace_eval.stats.agreement.report import ALL_POLICIES, AgreeOptions, AgreeReport
from trace_eval.stats.agreement.score import Baseline, JudgeScore, score_judge
from trace_eval.stats.agreement.source import JudgedSource, read_source
from trace_eval.stats.agreement.tables import ablation_view, agree_tables, warning_line
from trace_eval.stats.agreement.tabular import Table, table, write_csv, write_json, write_policy

__all__ = [
    "ALL_POLICIES",
    "LEVELS",
    "METRICS",
    "TREE_AND_VOTE",
    "Ablation",
    "AblationRow",
    "AgreeOptions",
    "AgreeReport",
    "Aligned",
    "Alpha",
    "Baseline",
    "BootstrapOptions",
    "Candidate",
    "Comparison",
    "Condition",
    "DataWarning",
    "Flips",
    "Forced",
    "IntervalEstimate",
    "Items",
    "JudgeScore",
    "JudgedSource",
    "Learned",
    "LengthBias",
    "LevelRow",
    "Majority",
    "McNemar",
    "Mechanism",
    "Metric",
    "Missing",
    "Noise",
    "NumberRule",
    "PairwiseRow",
    "PositionBias",
    "ReliabilityRow",
    "Resolved",
    "SelfComparisons",
    "Stack",
    "Table",
    "Units",
    "WinnerOnBad",
    "ablation_table",
    "ablation_view",
    "accuracy",
    "accuracy_2way",
    "accuracy_3way",
    "agree",
    "agree_tables",
    "align",
    "alpha",
    "bca_interval",
    "bootstrap",
    "cell_counts",
    "cells_of",
    "collapse",
    "collapse_codes",
    "compare",
    "compare_all",
    "consensus",
    "copied_ties",
    "counterfactual",
    "coverage_2way",
    "drawn_agreement",
    "f1_per_label",
    "flips",
    "forced",
    "fuse_codes",
    "gwet_ac1",
    "holm",
    "items_of",
    "join_orders",
    "joint_counts",
    "kappa",
    "label_sets",
    "learn",
    "learn_table",
    "length_bias",
    "level_rows",
    "levels_of",
    "macro_f1",
    "majority",
    "majority_of",
    "match",
    "mcnemar",
    "mechanism",
    "mechanisms",
    "mode_policy_table",
    "noise",
    "number_rule",
    "pairwise_rows",
    "percentile_interval",
    "policy_codes",
    "position_bias",
    "random_matched",
    "random_uniform",
    "read_source",
    "reliability_rows",
    "repeated",
    "score_judge",
    "self_compared",
    "self_comparisons",
    "sign_test",
    "swapped",
    "table",
    "upper_bound",
    "warning_line",
    "winner_on_bad",
    "winners_only",
    "write_csv",
    "write_json",
    "write_policy",
]
