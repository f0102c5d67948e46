"""The answer as words."""

from __future__ import annotations

from collections.abc import Sequence

from blueprints import Absent, Blueprint, Transcript
from extractors import guessed, unmeasured
from trace_eval.data.items import Item
from trace_eval.judges.ask.message import Part
from trace_eval.judges.base import Case
from trace_eval.judges.views.answer.base import AnswerView, Fence
from trace_eval.judges.views.pair.text import ABOUT_THE_CLIP
from trace_eval.judges.views.text.fencing import neutralise
from trace_eval.judges.views.text.notes import words_note


class TranscriptView(AnswerView):
    """The answer's words: as given, else what the recogniser made of its recordings."""

    takes_conversations = False  # one text is none
    about = (
        "You are given the words of the answer. Where it was spoken, a speech recogniser wrote"
        " them down, and recognisers mishear: one odd word is more likely theirs."
    )

    def roles(self, item: Item) -> list[str]:
        """None where the words are given."""
        return [] if item.answers[0].text is not None else item.answer_roles

    def missing_evidence(self, case: Case) -> str | None:
        """A transcript that is absent for a technical reason, or that is known to be guessed."""
        if case.single.answer.text is not None:
            return None
        for role, blueprint in case.answers.items():
            recognised = blueprint.transcript
            if isinstance(recognised, Absent) and recognised.status not in ABOUT_THE_CLIP:
                return (
                    f"{role} has no transcript: it {unmeasured('transcript', recognised, why=True)}"
                )
            if why := guessed(blueprint):
                return f"the recogniser guessed the words of {role}: {why}"
        return None

    @staticmethod
    def heard(case: Case) -> str:
        """What was recognised of the answer's recordings, as it is."""
        return " ".join(_transcript(b) for b in case.answers.values())

    @staticmethod
    def question(case: Case) -> str:
        """The question's words; empty where they are guesses of the recogniser."""
        if not case.item.instruction.text and case.instruction and guessed(case.instruction):
            return ""
        return case.instruction_text or ""

    def words(self, case: Case) -> str:
        """The words, on one line."""
        text = case.single.answer.text
        return neutralise(self.heard(case) if text is None else text)

    def is_empty(self, case: Case) -> bool:
        """No words: an empty text, or recordings in which nothing was recognised."""
        return not self.words(case)

    def texts(self, case: Case) -> list[str]:
        """The words."""
        return [self.words(case)]

    def parts(self, case: Case, fence: Fence) -> Sequence[str | Part]:
        """The words as the candidate answer."""
        shown = "Candidate answer\n" + fence("candidate", self.words(case))
        if case.single.answer.text is not None:
            return [shown]
        lines = [words_note("the answer", blueprint) for blueprint in case.answers.values()]
        return [shown, *dict.fromkeys(filter(None, lines))]


def _transcript(blueprint: Blueprint) -> str:
    recognised = blueprint.transcript
    return recognised.text if isinstance(recognised, Transcript) else ""
