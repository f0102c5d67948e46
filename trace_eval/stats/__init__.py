"""Statistics: agreement with human labels, rankings, and inference with few labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.stats.agree_sources import agree
    from trace_eval.stats.agreement.ablation.tables import ablation_view, compare
    from trace_eval.stats.agreement.accuracy import accuracy
    from trace_eval.stats.agreement.align import align, items_of
    from trace_eval.stats.agreement.alpha import alpha
    from trace_eval.stats.agreement.bias.first_position import (
        FirstPositionTest,
        first_position_test,
    )
    from trace_eval.stats.agreement.bias.robustness import Robustness, robustness, sides
    from trace_eval.stats.agreement.bootstrap import (
        IntervalEstimate,
        Statistic,
        Units,
        bootstrap,
        replicates,
        resampled,
    )
    from trace_eval.stats.agreement.bootstrap_options import BootstrapOptions
    from trace_eval.stats.agreement.checks import DataWarning, warning_line
    from trace_eval.stats.agreement.compare import Comparison
    from trace_eval.stats.agreement.copies import units
    from trace_eval.stats.agreement.counts import (
        SPLIT,
        TIE,
        TYPED,
        UNTYPED,
        collapse_codes,
        is_untyped,
        joint_counts,
    )
    from trace_eval.stats.agreement.holm import holm
    from trace_eval.stats.agreement.interval import (
        Range,
        exact_interval,
        percentile_interval,
        widened_level,
    )
    from trace_eval.stats.agreement.judges import fused_by, with_preference
    from trace_eval.stats.agreement.kappa import kappa
    from trace_eval.stats.agreement.mcnemar import sign_test
    from trace_eval.stats.agreement.noise import noise
    from trace_eval.stats.agreement.number_rules import number_rule
    from trace_eval.stats.agreement.ratings import Ratings, ratings_of_items, read_ratings
    from trace_eval.stats.agreement.resample import Resampler, ratio
    from trace_eval.stats.agreement.score import JudgeScore
    from trace_eval.stats.agreement.score_files import ScoreFile, read_scores
    from trace_eval.stats.agreement.share import Share
    from trace_eval.stats.agreement.sign_flip import cluster_sums, sign_flip
    from trace_eval.stats.agreement.source import JudgedSource, read_source
    from trace_eval.stats.agreement.spearman import add_spearman
    from trace_eval.stats.agreement.tabular import (
        NOTHING,
        Table,
        flat,
        p_value,
        plain,
        table,
        write_csv,
        write_json,
        write_policy,
    )
    from trace_eval.stats.agreement.train_fusion import train_fusion, training_tables
    from trace_eval.stats.answers import (
        MCNEMAR,
        PEOPLES_RATES,
        accuracy_of,
        answer_of,
        answered,
        card_answer,
        most_accurate,
        pairs_of,
        rank_answer,
    )
    from trace_eval.stats.inference.calibrate import Calibration, calibrate
    from trace_eval.stats.inference.card import MAIN, make_cards
    from trace_eval.stats.inference.card_files import write_pages
    from trace_eval.stats.inference.card_page import comparison, probe_table
    from trace_eval.stats.inference.ceiling import human_ceiling
    from trace_eval.stats.inference.forest import Drawn, forest
    from trace_eval.stats.inference.gates import (
        card_values,
        checked,
        rank_values,
        report_values,
        score_values,
    )
    from trace_eval.stats.inference.influence import ppi_components, simple_design
    from trace_eval.stats.inference.labelled_run import gather
    from trace_eval.stats.inference.lists import write_lists, write_plan
    from trace_eval.stats.inference.plan import make_plan, plan_before
    from trace_eval.stats.inference.ppi import LEAST_LABELS, PPIEstimate, estimate
    from trace_eval.stats.inference.probabilities import write_probabilities
    from trace_eval.stats.inference.probes import ProbeReport, ProbeRow
    from trace_eval.stats.inference.read_labelled import read_labelled_run
    from trace_eval.stats.inference.reliability import diagram
    from trace_eval.stats.inference.screen import screen
    from trace_eval.stats.inference.tables import (
        bounded,
        calibration_tables,
        plan_table,
        screen_tables,
    )
    from trace_eval.stats.label_tables import policy_words
    from trace_eval.stats.options import (
        FAMILIES,
        AgreeOptions,
        FusionOptions,
        LabelChoice,
        PlanOptions,
        RankOptions,
        ScreenOptions,
    )
    from trace_eval.stats.rank_sources import rank
    from trace_eval.stats.ranking.contradicted import contradicted
    from trace_eval.stats.ranking.correlation import Correlation, correlate
    from trace_eval.stats.ranking.outcomes import opinion_column, outcomes_of
    from trace_eval.stats.ranking.prepare import fused_with, judge_table, people_table
    from trace_eval.stats.ranking.ranks import DECIMALS, ranks
    from trace_eval.stats.ranking.report import MEAN_SCORE, RankReport, Standing
    from trace_eval.stats.ranking.strengths import MODELS, strengths
    from trace_eval.stats.report import ALL_POLICIES, ITEMS, Agreement, AgreeReport, ScoreReport
    from trace_eval.stats.sentences import (
        MOST,
        ahead_of,
        is_shown,
        labels_to_tell,
        listed,
        outcome,
        percent,
        rate,
    )
    from trace_eval.stats.tables import tables_of
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "ALL_POLICIES",
    "DECIMALS",
    "FAMILIES",
    "ITEMS",
    "LEAST_LABELS",
    "MAIN",
    "MCNEMAR",
    "MEAN_SCORE",
    "MODELS",
    "MOST",
    "NOTHING",
    "PEOPLES_RATES",
    "SPLIT",
    "TIE",
    "TYPED",
    "UNTYPED",
    "AgreeOptions",
    "AgreeReport",
    "Agreement",
    "BootstrapOptions",
    "Calibration",
    "Comparison",
    "Correlation",
    "DataWarning",
    "Drawn",
    "FirstPositionTest",
    "FusionOptions",
    "IntervalEstimate",
    "JudgeScore",
    "JudgedSource",
    "LabelChoice",
    "PPIEstimate",
    "PlanOptions",
    "ProbeReport",
    "ProbeRow",
    "Range",
    "RankOptions",
    "RankReport",
    "Ratings",
    "Resampler",
    "Robustness",
    "ScoreFile",
    "ScoreReport",
    "ScreenOptions",
    "Share",
    "Standing",
    "Statistic",
    "Table",
    "Units",
    "ablation_view",
    "accuracy",
    "accuracy_of",
    "add_spearman",
    "agree",
    "ahead_of",
    "align",
    "alpha",
    "answer_of",
    "answered",
    "bootstrap",
    "bounded",
    "calibrate",
    "calibration_tables",
    "card_answer",
    "card_values",
    "checked",
    "cluster_sums",
    "collapse_codes",
    "compare",
    "comparison",
    "contradicted",
    "correlate",
    "diagram",
    "estimate",
    "exact_interval",
    "first_position_test",
    "flat",
    "forest",
    "fused_by",
    "fused_with",
    "gather",
    "holm",
    "human_ceiling",
    "is_shown",
    "is_untyped",
    "items_of",
    "joint_counts",
    "judge_table",
    "kappa",
    "labels_to_tell",
    "listed",
    "make_cards",
    "make_plan",
    "most_accurate",
    "noise",
    "number_rule",
    "opinion_column",
    "outcome",
    "outcomes_of",
    "p_value",
    "pairs_of",
    "people_table",
    "percent",
    "percentile_interval",
    "plain",
    "plan_before",
    "plan_table",
    "policy_words",
    "ppi_components",
    "probe_table",
    "rank",
    "rank_answer",
    "rank_values",
    "ranks",
    "rate",
    "ratings_of_items",
    "ratio",
    "read_labelled_run",
    "read_ratings",
    "read_scores",
    "read_source",
    "replicates",
    "report_values",
    "resampled",
    "robustness",
    "score_values",
    "screen",
    "screen_tables",
    "sides",
    "sign_flip",
    "sign_test",
    "simple_design",
    "strengths",
    "table",
    "tables_of",
    "train_fusion",
    "training_tables",
    "units",
    "warning_line",
    "widened_level",
    "with_preference",
    "write_csv",
    "write_json",
    "write_lists",
    "write_pages",
    "write_plan",
    "write_policy",
    "write_probabilities",
]
