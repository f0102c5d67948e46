"""``fusion:DIR``: several judges as one, weighted and calibrated by ``train fusion``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data.fused_scores import FILE, FusionModel, spread_over
from trace_eval.data.items import Single
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import Score
from trace_eval.judges.base import Judge
from trace_eval.judges.combine.panel import Key, Panel
from trace_eval.judges.combine.samples import pooled, shares

#: How the judge is written: ``fusion:DIR``.
KIND = "fusion"


class FusedPanel(Panel):
    """The judges of a fused judge as a panel, with their scores fused by its model.

    Args:
        folder: that ``train fusion`` wrote.
        rubrics: of the scores; the model's scale must be theirs.
        create_scorers: makes the raters of a spec.
        done: as of :class:`Panel`.

    Raises:
        UserError: the folder holds no model, or one of another scale or rubric.
    """

    def __init__(
        self,
        folder: Path,
        rubrics: Sequence[ScoreRubric],
        create_scorers: Callable[[str], list[Judge]],
        done: Collection[Key] = (),
    ) -> None:
        self.model = FusionModel.load(folder)
        for rubric in rubrics:
            labels = tuple(float(label) for label in rubric.numbers.labels)
            if labels != self.model.labels or self.model.rubric not in (None, rubric.name):
                raise UserError(
                    f"judge {KIND}:{folder}: was trained on scores of rubric"
                    f" {self.model.rubric or 'unknown'} from {self.model.labels[0]:g} to"
                    f" {self.model.labels[-1]:g}, not of {rubric.name}; use that rubric, or train"
                    " another"
                )
        specs = [member.judge for member in self.model.members if member.weight > 0]
        super().__init__([rater for spec in specs for rater in create_scorers(spec)], done)
        self.spec = f"{KIND}:{folder}"
        self._sha256 = sha256((folder / FILE).read_bytes()).hexdigest()

    def parameters(self) -> dict[str, JsonValue]:
        raters: list[JsonValue] = [{"judge": r.spec, **r.parameters()} for r in self.judges]
        return {"fusion": self._sha256, "raters": raters}

    def combined(self, item: Single, rubric: ScoreRubric, parts: Sequence[Score]) -> Score:
        mixture = pooled(item, rubric, parts)
        scored = {p.judge: p.estimate for p in parts if p.status == "scored" and p.estimate}
        fused = self.model.fuse(scored)
        if fused is None:
            return mixture.model_copy(update={"judge": self.spec})
        scale = rubric.numbers
        spread = None
        if fused.variance is not None:
            labels = [float(label) for label in scale.labels]
            spread = shares(spread_over(labels, fused.mean, fused.variance), scale)
        total = sum(m.weight for m in self.model.members if m.judge in scored)
        weights = {m.judge: m.weight / total for m in self.model.members if m.judge in scored}
        return mixture.model_copy(
            update={
                "judge": self.spec,
                "value": scale.value(fused.mean),
                "majority": None,
                "distribution": spread,
                "estimate": fused,
                "parts": [
                    part.model_copy(update={"weight": weights.get(part.judge)})
                    for part in mixture.parts
                ],
            }
        )
