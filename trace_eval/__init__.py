"""TRACE: judge pairs of spoken answers by textual reasoning over audio cues.

```python
import trace_eval as te

run = te.judge("pairs.csv", out="runs/first", columns={"a": "system_a_audio"})
run.ranking().plot()
print(run.to_pandas())
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from blueprints import (
        Absent,
        Blueprint,
        BudgetError,
        DamagedFile,
        Extension,
        InputError,
        JudgeError,
        RunFolderError,
        ServerError,
        Status,
        UserError,
    )
    from blueprints.distribution import __version__
    from extractors.audio import Clip
    from extractors.base import Extractor
    from fusion import POLICIES, Decision, Policy, Rating
    from trace_eval.api.finding import Finding
    from trace_eval.api.judged import Run, judge, rate
    from trace_eval.api.one_pair import Result, blueprint, judge_pair
    from trace_eval.api.pictures import finding_of
    from trace_eval.api.reward import Reward, RewardFunction, reward
    from trace_eval.compare.boards import BoardChange
    from trace_eval.compare.change_report import JudgeChange
    from trace_eval.compare.gate.evaluate import gate_runs
    from trace_eval.compare.gate.report import GateReport
    from trace_eval.compare.judges import judge_change
    from trace_eval.compare.options import ChangeOptions, GateOptions
    from trace_eval.data.access import UrlAccess, set_url_access
    from trace_eval.data.items import Pair, Single
    from trace_eval.data.judgement import DimensionVerdict, Judgement, Overall
    from trace_eval.data.manifests import Manifest, read_items, read_manifest
    from trace_eval.data.policies import load_policy
    from trace_eval.data.rubrics.load import load_rubric
    from trace_eval.data.scores import Score
    from trace_eval.datasets import Conversion, Selection, convert, read_dataset
    from trace_eval.decide.agree import agree
    from trace_eval.decide.rank import rank
    from trace_eval.extracting.options import ExtractOptions
    from trace_eval.extracting.start import extract
    from trace_eval.judges.base import Case, Judge
    from trace_eval.judges.options.judge_options import JudgeOptions
    from trace_eval.report.calls import write_calls
    from trace_eval.report.write import write_report
    from trace_eval.runs.fuse import fuse, fuse_again
    from trace_eval.runs.job import (
        Job,
        judge_again,
        judge_manifest,
        open_job,
        rate_manifest,
    )
    from trace_eval.runs.options import Options, RateOptions
    from trace_eval.runs.record import RunRecord
    from trace_eval.runs.summary import Summary
    from trace_eval.stats.options import AgreeOptions, RankOptions
    from trace_eval.turns.everything import turns_report

__all__ = [
    "POLICIES",
    "Absent",
    "AgreeOptions",
    "Blueprint",
    "BoardChange",
    "BudgetError",
    "Case",
    "ChangeOptions",
    "Clip",
    "Conversion",
    "DamagedFile",
    "Decision",
    "DimensionVerdict",
    "Extension",
    "ExtractOptions",
    "Extractor",
    "Finding",
    "GateOptions",
    "GateReport",
    "InputError",
    "Job",
    "Judge",
    "JudgeChange",
    "JudgeError",
    "JudgeOptions",
    "Judgement",
    "Manifest",
    "Options",
    "Overall",
    "Pair",
    "Policy",
    "RankOptions",
    "RateOptions",
    "Rating",
    "Result",
    "Reward",
    "RewardFunction",
    "Run",
    "RunFolderError",
    "RunRecord",
    "Score",
    "Selection",
    "ServerError",
    "Single",
    "Status",
    "Summary",
    "UrlAccess",
    "UserError",
    "__version__",
    "agree",
    "blueprint",
    "convert",
    "extract",
    "finding_of",
    "fuse",
    "fuse_again",
    "gate_runs",
    "judge",
    "judge_again",
    "judge_change",
    "judge_manifest",
    "judge_pair",
    "load_policy",
    "load_rubric",
    "open_job",
    "rank",
    "rate",
    "rate_manifest",
    "read_dataset",
    "read_items",
    "read_manifest",
    "reward",
    "set_url_access",
    "turns_report",
    "write_calls",
    "write_report",
]


def _for_callers(value: Any) -> Any:
    from trace_eval.api.python_words import (
        for_callers,
    )  # with the first name that is used

    return for_callers(value, package=__name__)


__getattr__ = names_on_use(__name__, _for_callers)


def __dir__() -> list[str]:
    return __all__
