"""A conversation as text, for judges that rate all of it or turn by turn."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.conversations.findings import turn_blueprints, words_of
from trace_eval.data.conversation import Conversation
from trace_eval.data.items import Item
from trace_eval.data.outcome import Order
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.ask.message import MessagePart
from trace_eval.judges.ask.view import Question
from trace_eval.judges.base import Case
from trace_eval.judges.options.groups import ConversationOptions, names_of
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.score import NO_POLICY
from trace_eval.judges.views.answer.prompt import Fence, SingleView
from trace_eval.judges.views.text.conversation import LEGEND, Shown, show_conversation
from trace_eval.judges.views.text.fencing import neutralise

#: Caveat of an agent whose instructions come from a file, which it names.
POLICY_FILE = "policy_file"

#: Turns of the agent that are asked about in one call; every call shows the whole
#: conversation.
WINDOW = 40

#: Largest file of instructions that is read, bytes.
MAX_POLICY_BYTES = 1 << 20

#: What stands above each part of what is shown.
_TITLES = {
    "policy": "The agent's instructions",
    "conversation": "The conversation",
}


class PolicyFile(NamedTuple):
    """Instructions of an agent, harmless, and the file that they come from."""

    name: str
    sha256: str
    text: str


def read_policy(path: Path) -> PolicyFile:
    """Read instructions from a text file.

    Raises:
        UserError: it is empty, too large or no UTF-8.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_POLICY_BYTES + 1)
        if len(data) > MAX_POLICY_BYTES:
            raise UserError(
                f"agent_policy: {path} has over {MAX_POLICY_BYTES} bytes; shorten it"
            )
        text = neutralise(data.decode("utf-8-sig"))
    except OSError as error:
        raise UserError(
            f"agent_policy: {path} cannot be read ({error.strerror or error});"
            " check the path"
        ) from None
    except UnicodeDecodeError as error:
        raise UserError(
            f"agent_policy: {path} is not UTF-8 (byte {error.start + 1}); save it as UTF-8"
        ) from None
    if not text.strip():
        raise UserError(f"agent_policy: {path} is empty; add the agent's instructions")
    return PolicyFile(path.name, hashlib.sha256(data).hexdigest(), text)


class ConversationView(SingleView):
    """Turns, timing, tool calls and instructions of a conversation."""

    def __init__(self, rubric: ScoreRubric, options: JudgeOptions) -> None:
        self._file = read_policy(options.agent_policy) if options.agent_policy else None
        self.about = (
            "The answer is a whole conversation; you judge its agent. You cannot hear"
            f" it. {LEGEND} Recognisers mishear, and measurements are estimates."
        )
        super().__init__(rubric, options)
        self.uses |= names_of(ConversationOptions)

    def questions(
        self, case: Case, prepared: Any, orders: Sequence[Order]
    ) -> Iterator[Question]:
        """Return one question, or where turns are rated one for each few of them."""
        if self._rubric.unit == "answer":
            yield from super().questions(case, prepared, orders)
            return
        turns = self.agent_turns(case)
        for first in range(0, len(turns), WINDOW):
            window = tuple(turns[first : first + WINDOW])
            part = f"turns {window[0]}-{window[-1]}"
            yield Question(self.messages(case, window), part=part, turns=window)

    def answer_roles(self, item: Item) -> list[str]:
        return item.answer_roles if item.has_conversations else []

    def missing_answer(self, case: Case) -> str | None:
        conversation = case.single.answer.conversation
        if conversation is None:
            return (
                f"rubric {self._rubric.name} is about conversations; give"
                " 'conversation'"
            )
        if conversation.speaker("agent") is None:
            return (
                "no speaker is the agent; say who by 'role' in the conversation's"
                " speakers"
            )
        blueprints = turn_blueprints("answer", case.blueprints)
        for number, _ in conversation.turns_of("agent"):
            if words_of(conversation, number, blueprints):
                return None
        return (
            "no words of the agent are known; give 'text' of its turns, or a transcript"
        )

    def texts(self, case: Case) -> list[str]:
        return [text for _, text in self._pieces(case)]

    def parts(self, case: Case, fence: Fence) -> Sequence[str | MessagePart]:
        """Write the agent's instructions, if there are any, then the conversation."""
        pieces = self._pieces(case)
        return [f"{_TITLES[name]}\n{fence(name, text)}" for name, text in pieces]

    def caveats(self, case: Case, prepared: Any) -> list[str]:
        """Tell what was left out, and whose policy was shown, or none."""
        notes = super().caveats(case, prepared) + list(self._page(case).caveats)
        if self._file and self._policy(case) == self._file.text:
            notes.append(
                f"{POLICY_FILE}: {self._file.name}, sha256 {self._file.sha256}"
            )
        if "policy" in self._rubric.elements and not self._policy(case):
            notes.append(
                f"{NO_POLICY}: the agent's instructions are not known, nor if it"
                " kept them"
            )
        return notes

    def agent_turns(self, case: Case) -> list[int]:
        """List the numbers of the agent's turns that have words; these are rated."""
        blueprints = turn_blueprints("answer", case.blueprints)
        numbers = []
        for number, turn in _conversation(case).turns_of("agent"):
            if turn.text or turn.heard or number in blueprints:
                numbers.append(number)
        return numbers

    def _pieces(self, case: Case) -> list[tuple[str, str]]:
        pieces = [("conversation", self._page(case).text)]
        if policy := self._policy(case):
            pieces.insert(0, ("policy", policy))
        return pieces

    def parameters(self) -> dict[str, JsonValue]:
        """Record the policy of conversations that hold none."""
        return {"agent_policy": self._file.sha256} if self._file else {}

    def _policy(self, case: Case) -> str:
        """Return the conversation's own policy, else that of the file."""
        policy = _conversation(case).instructions.get("policy")
        if isinstance(policy, str) and (text := neutralise(policy)):
            return text
        return self._file.text if self._file else ""

    def _page(self, case: Case) -> Shown:
        blueprints = turn_blueprints("answer", case.blueprints)
        return show_conversation(
            _conversation(case), blueprints, self.options.context_budget
        )


def _conversation(case: Case) -> Conversation:
    """Return an answer's conversation, which :meth:`missing_answer` makes sure of."""
    conversation = case.single.answer.conversation
    assert conversation is not None
    return conversation
