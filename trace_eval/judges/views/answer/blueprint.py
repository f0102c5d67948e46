"""The answer as blueprints, for judges that cannot hear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.ask.message import Part
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.answer.prompt import Fence, SingleView
from trace_eval.judges.views.pair.text import legend_of, rendered
from trace_eval.judges.views.text.fencing import neutralise, neutralise_blueprint
from trace_eval.judges.views.text.notes import words_note
from trace_eval.judges.views.text.tasks import ABOUT


class BlueprintView(SingleView):
    """The answer's blueprints, for judges that cannot hear."""

    def __init__(self, rubric: ScoreRubric, options: JudgeOptions) -> None:
        legend = legend_of(options)
        self.about = ABOUT["blueprint"] + (f"\n\n{legend}" if legend else "")
        super().__init__(rubric, options)

    def missing_answer(self, case: Case) -> str | None:
        if not case.answers:
            return "the answer has no recording, and the rubric is about how it sounds"
        return None

    def texts(self, case: Case) -> list[str]:
        return list(self._rendered(case).values())

    def parts(self, case: Case, fence: Fence) -> Sequence[str | Part]:
        """One blueprint, or one per turn with its speaker."""
        shown = self._rendered(case)
        turns = case.single.answer.spoken_turns
        parts = []
        for role, text in shown.items():
            title = role.removeprefix("answer/").replace("-", " ").capitalize()
            if role == "answer":
                title = "The answer's recording"
            if speaker := neutralise((role in turns and turns[role].speaker) or ""):
                title += f" ({speaker})"
            parts.append(f"{title}\n{fence(role, text)}".strip())
        if "transcript" in self.options.drop:
            return parts
        notes = (words_note(role, blueprint) for role, blueprint in case.answers.items())
        return [*parts, *filter(None, notes)]

    def _rendered(self, case: Case) -> Mapping[str, str]:
        how = self.options.rendering, self.options.drop
        answers = case.answers.items()
        return {role: rendered(neutralise_blueprint(raw), *how) for role, raw in answers}
