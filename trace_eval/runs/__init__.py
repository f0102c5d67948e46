"""A run folder from its first clip to its report: sessions, pipeline, fusing, merging, ablation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.runs.ablate import FULL
    from trace_eval.runs.ablate_options import AblateOptions
    from trace_eval.runs.again import is_run, open_again
    from trace_eval.runs.cases import CaseReader
    from trace_eval.runs.config import config_of, read_config, to_toml
    from trace_eval.runs.export import extract_to
    from trace_eval.runs.export_table import write_clips
    from trace_eval.runs.fuse import ASKED, any_policy, check_policy, fuse_again, load_policy
    from trace_eval.runs.guesses import guesses_among, guesses_in
    from trace_eval.runs.job import Job, judge_manifest, open_job, rate_manifest
    from trace_eval.runs.listing import Listed, list_runs
    from trace_eval.runs.notebook import result_html, table_html
    from trace_eval.runs.outcomes import (
        NOT_JUDGED,
        NOT_SCORED,
        ClipRecord,
        ProblemRecord,
        ScoreRow,
        VerdictRow,
    )
    from trace_eval.runs.pipeline import Event, Listener, Pipeline, load_model, plan_for
    from trace_eval.runs.preferred_as import VOICE_QUALITY, write_as_voice_quality
    from trace_eval.runs.record import DECIDING, RunRecord, SessionRecord, differences
    from trace_eval.runs.run import Run
    from trace_eval.runs.score_pairs import write_pairs
    from trace_eval.runs.score_table import rubrics_of
    from trace_eval.runs.session import Session
    from trace_eval.runs.summary import Extraction, JudgedRun, RunShown, Summary
else:
    __getattr__ = names_on_use(__name__)

__all__ = [
    "ASKED",
    "DECIDING",
    "FULL",
    "NOT_JUDGED",
    "NOT_SCORED",
    "VOICE_QUALITY",
    "AblateOptions",
    "CaseReader",
    "ClipRecord",
    "Event",
    "Extraction",
    "Job",
    "JudgedRun",
    "Listed",
    "Listener",
    "Pipeline",
    "ProblemRecord",
    "Run",
    "RunRecord",
    "RunShown",
    "ScoreRow",
    "Session",
    "SessionRecord",
    "Summary",
    "VerdictRow",
    "any_policy",
    "check_policy",
    "config_of",
    "differences",
    "extract_to",
    "fuse_again",
    "guesses_among",
    "guesses_in",
    "is_run",
    "judge_manifest",
    "list_runs",
    "load_model",
    "load_policy",
    "open_again",
    "open_job",
    "plan_for",
    "rate_manifest",
    "read_config",
    "result_html",
    "rubrics_of",
    "table_html",
    "to_toml",
    "write_as_voice_quality",
    "write_clips",
    "write_pairs",
]
