"""Judges that run in this process on an audio language model: reward models and raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blueprints.lazy import names_on_use

if TYPE_CHECKING:
    from trace_eval.judges.reward.judge import judge_in_process
    from trace_eval.judges.reward.load import locate
    from trace_eval.judges.reward.rater import raters_in_process
else:
    __getattr__ = names_on_use(__name__)

__all__ = ["judge_in_process", "locate", "raters_in_process"]
