"""Options of ``ablate``; the command reads it, so that its help imports no judge."""

from __future__ import annotations

from dataclasses import dataclass, field

from blueprints import UserError, feature_groups
from fusion import DEFAULT_POLICY
from trace_eval.data.settings import option_field
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.runs.options import DEFAULT_JUDGE


@dataclass(frozen=True)
class AblateOptions:
    """What to compare.

    Attributes:
        judge: who judges.
        judging: what the judge is asked for, before anything is dropped.
        drops: group to leave out, one condition each; may be repeated; None: each in turn that any
            of the run's blueprints has, and ``properties``.
        modes: also transcripts only, and modes x policies.
        repeats: judgings of each condition, with different seeds.
        policy: fusion policy.
    """

    judge: str = DEFAULT_JUDGE
    judging: JudgeOptions = field(default_factory=JudgeOptions, metadata={"shown": False})
    drops: tuple[str, ...] = option_field((), flag="--without")
    modes: bool = False
    repeats: int = option_field(1, min=1)
    policy: str = DEFAULT_POLICY

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise UserError(f"repeats {self.repeats}: judge each condition at least once")
        feature_groups(self.drops)
