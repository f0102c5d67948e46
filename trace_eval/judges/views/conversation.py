"""A conversation as text, for judges that rate all of it or turn by turn."""

from __future__ import annotations

from collections.abc import Sequence

from trace_eval.conversations import turn_blueprints, words_of
from trace_eval.data import Single
from trace_eval.judges.base import Case
from trace_eval.judges.chat import Part
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.text import LEGEND, Shown, neutralise, show_conversation
from trace_eval.judges.views.base import AnswerView, Fence
from trace_eval.rubrics import ScoreRubric

#: Caveat of an agent whose instructions nobody knows; keeping them is then not rated.
NO_POLICY = "no_policy"


class ConversationView(AnswerView):
    """Turns, timing, tool calls and instructions of a conversation."""

    def __init__(self, rubric: ScoreRubric, options: JudgeOptions) -> None:
        self._rubric = rubric
        self._options = options
        self.about = (
            "The answer is a whole conversation; you judge its agent. You cannot hear it."
            f" {LEGEND} Recognisers mishear, and measurements are estimates."
        )

    def roles(self, item: Single) -> list[str]:
        """The turns that can be heard."""
        return list(item.answer.spoken_turns) if item.has_conversations else []

    def missing_evidence(self, case: Case) -> str | None:
        """No conversation, or nobody in it to judge."""
        conversation = case.single.answer.conversation
        if conversation is None:
            return f"rubric {self._rubric.name} is about conversations; give 'conversation'"
        if conversation.speaker("agent") is None:
            return "no speaker is the agent; say who by 'role' in the conversation's speakers"
        known = turn_blueprints("answer", case.blueprints)
        if not any(words_of(conversation, n, known) for n, _ in conversation.turns_of("agent")):
            return "no words of the agent are known; give 'text' of its turns, or a transcript"
        return None

    def is_empty(self, case: Case) -> bool:
        """No turn at all."""
        conversation = case.single.answer.conversation
        return conversation is None or not conversation.turns

    def texts(self, case: Case) -> list[str]:
        """Policy and conversation."""
        return [text for _, text in self._pieces(case)]

    def parts(self, case: Case, fence: Fence) -> Sequence[str | Part]:
        """The agent's instructions where they are known, then the conversation."""
        titles = {"policy": "The agent's instructions", "conversation": "The conversation"}
        return [f"{titles[name]}\n{fence(name, text)}" for name, text in self._pieces(case)]

    def caveats(self, case: Case) -> list[str]:
        """What was left out, and that no policy was shown."""
        notes = [*super().caveats(case), *self._shown(case).caveats]
        if "policy" in self._rubric.elements and not self._policy(case):
            notes.append(
                f"{NO_POLICY}: the agent's instructions are not known, nor if it kept them"
            )
        return notes

    def agent_turns(self, case: Case) -> list[int]:
        """The numbers of the agent's turns that have words; these are rated."""
        conversation = case.single.answer.conversation
        if conversation is None:
            return []
        known = turn_blueprints("answer", case.blueprints)
        return [
            number
            for number, turn in conversation.turns_of("agent")
            if turn.text or turn.heard or number in known
        ]

    def _pieces(self, case: Case) -> list[tuple[str, str]]:
        if case.single.answer.conversation is None:
            return []
        policy = self._policy(case)
        shown = [("policy", policy)] if policy else []
        return [*shown, ("conversation", self._shown(case).text)]

    @staticmethod
    def _policy(case: Case) -> str:
        conversation = case.single.answer.conversation
        policy = conversation.instructions.get("policy") if conversation else None
        return neutralise(policy) if isinstance(policy, str) else ""

    def _shown(self, case: Case) -> Shown:
        conversation = case.single.answer.conversation
        if conversation is None:
            return Shown("")
        known = turn_blueprints("answer", case.blueprints)
        return show_conversation(conversation, known, self._options.context_budget)
