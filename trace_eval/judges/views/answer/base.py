"""What every view of an answer is: a base class with defaults.

A judge of single answers knows no more of one than its :class:`AnswerView` gives it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import JsonValue

from blueprints import (
    Blueprint,
    Signal,
    Status,
    Transcript,
)
from trace_eval.data.items import Item
from trace_eval.judges.ask.message import Message, Part
from trace_eval.judges.base import Case

#: (label, text) -> the text between fence lines.
Fence = Callable[[str, str], str]

#: Caveat of an answer whose words are doubtful.
SUSPECT = "suspect_transcript"


class AnswerView(ABC):
    """How an answer is presented to a judge.

    Attributes:
        reads: what it is made from; audio is decoded on demand, blueprints are extracted.
        about: sentences of the system part that say what the judge is given and cannot do.
        takes_conversations: whether an answer may be a conversation of many turns.
    """

    reads: frozenset[Literal["blueprint", "audio"]] = frozenset({"blueprint"})
    about: str = ""
    takes_conversations: bool = True

    @abstractmethod
    def roles(self, item: Item) -> list[str]:
        """The recordings of the answer whose blueprints are needed."""

    @abstractmethod
    def missing_evidence(self, case: Case) -> str | None:
        """Why the answer cannot be shown; None: it can."""

    def prepare(self, case: Case) -> object:
        """Decode what is heard of the answer.

        Raises:
            AudioError: a recording cannot be decoded, or a model would not hear it as it is.
        """
        return None

    @abstractmethod
    def texts(self, case: Case) -> list[str]:
        """Every text from outside that :meth:`parts` shows, harmless; the fence avoids them."""

    @abstractmethod
    def parts(self, case: Case, fence: Fence) -> Sequence[str | Part]:
        """The answer as pieces of the message, texts fenced."""

    def is_empty(self, case: Case) -> bool:
        """True where there is not a word to rate; then nothing is sent."""
        return False

    def is_silent(self, case: Case) -> bool:
        """True where no recording of the answer holds speech."""
        available = list(case.answers.values())
        return bool(available) and all(map(_silent, available))

    def caveats(self, case: Case) -> list[str]:
        """Caveats about the material that was shown, for readers of the score."""
        doubtful = [
            flag
            for blueprint in case.answers.values()
            if isinstance(blueprint.transcript, Transcript)
            for flag in blueprint.transcript.suspect
        ]
        flags = ", ".join(dict.fromkeys(doubtful))
        return [f"{SUSPECT}: what the recogniser made of the answer is doubtful ({flags})"][
            : len(doubtful)
        ]

    def cropped(self, case: Case) -> bool:
        """True where what is shown ends before the recording does."""
        return False

    # --- solved examples -----------------------------------------------------------------

    @property
    def examples(self) -> Sequence[Case]:
        """Solved examples that are shown before every answer, in their order."""
        return ()

    def lines(self, case: Case, fence: Fence) -> list[str]:
        """What is to be read beside the answer's sound, texts fenced."""
        return []

    def prefix(self, written: Sequence[Sequence[str]], question: str) -> Sequence[Message]:
        """The turns of the examples, the same bytes in every call.

        Args:
            written: what is to be read beside each of them.
            question: that ends the turn of an answer.
        """
        return ()

    def example_of(self, case: Case) -> str | None:
        """Id of the example that the answer is; then nobody is asked about it."""
        return None

    def parameters(self) -> dict[str, JsonValue]:
        """What of the examples decides a score."""
        return {}

    @property
    def warnings(self) -> Sequence[str]:
        """Doubts about the examples."""
        return ()


def _silent(blueprint: Blueprint) -> bool:
    signal = blueprint.signal
    if isinstance(signal, Signal):
        return signal.peak_dbfs is None
    return signal.status is Status.SILENT
