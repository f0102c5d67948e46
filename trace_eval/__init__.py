"""TRACE: judge pairs of spoken answers by textual reasoning over audio cues.

import trace_eval
pair = trace_eval.Pair(id="1", instruction={"text": "Say it slowly."},
                       a={"audio": "a.wav"}, b={"audio": "b.wav"})
result = trace_eval.judge_pair(pair)
print(result.overall, result.why)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blueprints import Absent, Blueprint, Extension, Status, UserError
    from blueprints.distribution import __version__
    from extractors.audio import Clip
    from extractors.base import Extractor
    from fusion import POLICIES, Decision, Policy, Rating
    from trace_eval.api import Result, blueprint, judge_pair
    from trace_eval.data.access import UrlAccess, set_url_access
    from trace_eval.data.items import Single
    from trace_eval.data.judgement import DimensionVerdict, Judgement, Overall
    from trace_eval.data.manifests import Manifest, read_items, read_manifest
    from trace_eval.data.pairs import Pair
    from trace_eval.data.scores import Score
    from trace_eval.extracting.start import extract
    from trace_eval.gate import GateOptions, GateReport, gate_runs
    from trace_eval.judges.base import Case, Judge, Rater, SingleCase
    from trace_eval.judges.options import JudgeOptions
    from trace_eval.options import ExtractOptions, Options, RateOptions
    from trace_eval.report import write_report
    from trace_eval.rubrics import load_rubric
    from trace_eval.runs.again import judge_again
    from trace_eval.runs.fuse import fuse, fuse_again, load_policy
    from trace_eval.runs.job import Job, judge_manifest, open_job, rate_manifest
    from trace_eval.runs.record import RunRecord
    from trace_eval.runs.run import Run
    from trace_eval.runs.summary import Summary
    from trace_eval.stats.agree import agree
    from trace_eval.stats.rank import rank
    from trace_eval.stats.ranking.report import RankOptions
    from trace_eval.stats.report import AgreeOptions

#: Public name -> module. Imported on first use, so that ``import trace_eval`` stays instant.
_HOME = {
    "Absent": "blueprints",
    "AgreeOptions": "trace_eval.stats.report",
    "Blueprint": "blueprints",
    "Case": "trace_eval.judges.base",
    "Clip": "extractors.audio",
    "Decision": "fusion",
    "DimensionVerdict": "trace_eval.data.judgement",
    "Extension": "blueprints",
    "ExtractOptions": "trace_eval.options",
    "Extractor": "extractors.base",
    "GateOptions": "trace_eval.gate",
    "GateReport": "trace_eval.gate",
    "Job": "trace_eval.runs.job",
    "Judge": "trace_eval.judges.base",
    "JudgeOptions": "trace_eval.judges.options",
    "Judgement": "trace_eval.data.judgement",
    "Manifest": "trace_eval.data.manifests",
    "Options": "trace_eval.options",
    "Overall": "trace_eval.data.judgement",
    "POLICIES": "fusion",
    "Pair": "trace_eval.data.pairs",
    "Policy": "fusion",
    "RankOptions": "trace_eval.stats.ranking.report",
    "RateOptions": "trace_eval.options",
    "Rater": "trace_eval.judges.base",
    "Rating": "fusion",
    "Result": "trace_eval.api",
    "Run": "trace_eval.runs.run",
    "RunRecord": "trace_eval.runs.record",
    "Score": "trace_eval.data.scores",
    "Single": "trace_eval.data.items",
    "SingleCase": "trace_eval.judges.base",
    "Status": "blueprints",
    "Summary": "trace_eval.runs.summary",
    "UrlAccess": "trace_eval.data.access",
    "UserError": "blueprints",
    "__version__": "blueprints.distribution",
    "agree": "trace_eval.stats.agree",
    "blueprint": "trace_eval.api",
    "extract": "trace_eval.extracting.start",
    "fuse": "trace_eval.runs.fuse",
    "fuse_again": "trace_eval.runs.fuse",
    "gate_runs": "trace_eval.gate",
    "judge_again": "trace_eval.runs.again",
    "judge_manifest": "trace_eval.runs.job",
    "judge_pair": "trace_eval.api",
    "load_policy": "trace_eval.runs.fuse",
    "load_rubric": "trace_eval.rubrics",
    "open_job": "trace_eval.runs.job",
    "rank": "trace_eval.stats.rank",
    "rate_manifest": "trace_eval.runs.job",
    "read_items": "trace_eval.data.manifests",
    "read_manifest": "trace_eval.data.manifests",
    "set_url_access": "trace_eval.data.access",
    "write_report": "trace_eval.report",
}

__all__ = [
    "POLICIES",
    "Absent",
    "AgreeOptions",
    "Blueprint",
    "Case",
    "Clip",
    "Decision",
    "DimensionVerdict",
    "Extension",
    "ExtractOptions",
    "Extractor",
    "GateOptions",
    "GateReport",
    "Job",
    "Judge",
    "JudgeOptions",
    "Judgement",
    "Manifest",
    "Options",
    "Overall",
    "Pair",
    "Policy",
    "RankOptions",
    "RateOptions",
    "Rater",
    "Rating",
    "Result",
    "Run",
    "RunRecord",
    "Score",
    "Single",
    "SingleCase",
    "Status",
    "Summary",
    "UrlAccess",
    "UserError",
    "__version__",
    "agree",
    "blueprint",
    "extract",
    "fuse",
    "fuse_again",
    "gate_runs",
    "judge_again",
    "judge_manifest",
    "judge_pair",
    "load_policy",
    "load_rubric",
    "open_job",
    "rank",
    "rate_manifest",
    "read_items",
    "read_manifest",
    "set_url_access",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'trace_eval' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
