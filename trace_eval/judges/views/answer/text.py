"""A single answer for judges that cannot hear: by its words, or by its blueprints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from blueprints import Transcript
from extractors import guessed, unmeasured
from trace_eval.data.items import Item
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.ask.message import MessagePart
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.answer.prompt import Fence, SingleView
from trace_eval.judges.views.pair.text import legend_of, rendered, technical_absence
from trace_eval.judges.views.text.fencing import neutralise, neutralise_blueprint
from trace_eval.judges.views.text.notes import words_note
from trace_eval.judges.views.text.tasks import ABOUT


def roles_of_words(item: Item) -> list[str]:
    """Name the recordings whose words are the answer's; none where it is written."""
    return [] if item.answers[0].text is not None else item.answer_roles


def missing_words(case: Case) -> str | None:
    """Say why the answer's words are missing: no transcript for a technical reason, or guesses."""
    if case.single.answer.text is not None:
        return None
    for role, blueprint in case.answers.items():
        if absent := technical_absence(blueprint.transcript):
            return (
                f"{role} has no transcript: it"
                f" {unmeasured('transcript', absent, why=True)}"
            )
        if why := guessed(blueprint):
            return f"the recogniser guessed the words of {role}: {why}"
    return None


def recognised_words(case: Case) -> str:
    """Return the recognised words of the answer's recordings, as they are."""
    transcripts = (blueprint.transcript for blueprint in case.answers.values())
    return " ".join(
        each.text if isinstance(each, Transcript) else "" for each in transcripts
    )


def words_of(case: Case) -> str:
    """Return the answer's words, harmless and on one line."""
    text = case.single.answer.text
    return neutralise(recognised_words(case) if text is None else text)


class TranscriptView(SingleView):
    """The answer's words."""

    takes_conversations = False  # one text is none
    about = ABOUT["transcript"]

    def answer_roles(self, item: Item) -> list[str]:
        return roles_of_words(item)

    def missing_answer(self, case: Case) -> str | None:
        return missing_words(case)

    def is_empty(self, case: Case) -> bool:
        """Say whether there are no words: an empty text, or nothing was recognised."""
        return not words_of(case)

    def texts(self, case: Case) -> list[str]:
        return [words_of(case)]

    def parts(self, case: Case, fence: Fence) -> Sequence[str | MessagePart]:
        shown = "Candidate answer\n" + fence("candidate", words_of(case))
        if case.single.answer.text is not None:
            return [shown]
        lines = [
            words_note("the answer", blueprint) for blueprint in case.answers.values()
        ]
        return [shown, *dict.fromkeys(filter(None, lines))]


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

    def parts(self, case: Case, fence: Fence) -> Sequence[str | MessagePart]:
        """Return one blueprint, or one per turn with its speaker."""
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
        notes = (
            words_note(role, blueprint) for role, blueprint in case.answers.items()
        )
        return [*parts, *filter(None, notes)]

    def _rendered(self, case: Case) -> Mapping[str, str]:
        how = self.options.rendering, self.options.drop
        answers = case.answers.items()
        return {
            role: rendered(neutralise_blueprint(raw), *how) for role, raw in answers
        }
