"""What a rating judge is shown of the answer itself: its words, its blueprint, or its sound.

A rating judge knows no more of an answer than its :class:`Evidence` gives it; judges that hear
bring one of their own.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from pydantic import JsonValue

from blueprints import (
    Absent,
    Blueprint,
    Signal,
    Status,
    Transcript,
    compact_legend,
    render_compact,
    render_paper,
)
from extractors.missing import unmeasured
from extractors.suspect import guessed
from trace_eval.data.items import Single
from trace_eval.judges.base import Case
from trace_eval.judges.chat.message import Message, Part
from trace_eval.judges.options import JudgeOptions
from trace_eval.judges.text.fencing import neutralise, neutralise_blueprint
from trace_eval.judges.text.prompt import ABOUT_THE_CLIP

#: (label, text) -> the text between fence lines.
Fence = Callable[[str, str], str]

#: Caveat of an answer whose words are doubtful.
SUSPECT = "suspect_transcript"


class Evidence(ABC):
    """How an answer is presented to a judge.

    Attributes:
        reads: what it is made from; audio is decoded on demand, blueprints are extracted.
        about: sentences of the system part that say what the judge is given and cannot do.
    """

    reads: frozenset[Literal["blueprint", "audio"]] = frozenset({"blueprint"})
    about: str = ""

    @abstractmethod
    def roles(self, item: Single) -> list[str]:
        """The recordings of the answer whose blueprints are needed."""

    @abstractmethod
    def lacking(self, case: Case) -> str | None:
        """Why the answer cannot be shown; None: it can."""

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
        """True where nobody can be heard in any recording of the answer."""
        known = list(case.answers.values())
        return bool(known) and all(map(_silent, known))

    def caveats(self, case: Case) -> list[str]:
        """What a reader of the score must know of what was shown."""
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
        """What is doubtful about the examples."""
        return ()


class Words(Evidence):
    """The answer's words: as given, else what the recogniser made of its recordings."""

    about = (
        "You are given the words of the answer. Where it was spoken, a speech recogniser wrote"
        " them down, and recognisers mishear: one odd word is more likely theirs."
    )

    def roles(self, item: Single) -> list[str]:
        """None where the words are given."""
        return [] if item.answer.text is not None else _roles(item)

    def lacking(self, case: Case) -> str | None:
        """A transcript that is absent for a technical reason, or that is known to be guessed."""
        if case.single.answer.text is not None:
            return None
        for role, blueprint in case.answers.items():
            heard = blueprint.transcript
            if isinstance(heard, Absent) and heard.status not in ABOUT_THE_CLIP:
                return f"{role} has no transcript: it {unmeasured('transcript', heard, why=True)}"
            if why := guessed(blueprint):
                return f"the recogniser guessed the words of {role}: {why}"
        return None

    @staticmethod
    def heard(case: Case) -> str:
        """What was recognised of the answer's recordings, as it is."""
        return " ".join(_transcript(b) for b in case.answers.values())

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
        return ["Candidate answer\n" + fence("candidate", self.words(case))]


class Readings(Evidence):
    """The answer's blueprints, for judges that cannot hear."""

    def __init__(self, options: JudgeOptions) -> None:
        self._options = options
        legend = compact_legend(options.drop) if options.rendering == "compact" else ""
        self.about = (
            "You cannot hear the answer. For each of its recordings, instruments have written a"
            " blueprint: what a speech recogniser made of it, and measurements of how it was said"
            " and recorded. Recognisers mishear, and measurements are estimates: small"
            " differences mean nothing. A part that is absent because a tool was missing or"
            " failed says nothing about the answer." + (f"\n\n{legend}" if legend else "")
        )

    def roles(self, item: Single) -> list[str]:
        """All recordings of the answer."""
        return _roles(item)

    def lacking(self, case: Case) -> str | None:
        """No recording at all: there is nothing to measure."""
        if not case.answers:
            return "the answer has no recording, and the rubric is about how it sounds"
        return None

    def texts(self, case: Case) -> list[str]:
        """The rendered blueprints."""
        return list(self._rendered(case).values())

    def parts(self, case: Case, fence: Fence) -> Sequence[str | Part]:
        """One blueprint, or one per turn with its speaker."""
        shown = self._rendered(case)
        speakers = {
            f"turn-{n}": turn.speaker for n, turn in enumerate(case.single.answer.turns, start=1)
        }
        return [
            f"{_title(role, speakers)}\n{fence(role, text)}".strip() for role, text in shown.items()
        ]

    def _rendered(self, case: Case) -> Mapping[str, str]:
        return {role: self._render(blueprint) for role, blueprint in case.answers.items()}

    def _render(self, raw: Blueprint) -> str:
        blueprint = neutralise_blueprint(raw)
        if self._options.rendering == "paper":
            keys = render_paper(blueprint, speaker="agent", drop=self._options.drop)
            return json.dumps(keys, indent=2, ensure_ascii=False, allow_nan=False)
        return render_compact(blueprint, drop=self._options.drop)


def _roles(item: Single) -> list[str]:
    return [role for role in item.recordings() if role != "instruction"]


def _title(role: str, speakers: Mapping[str, str | None]) -> str:
    speaker = neutralise(speakers.get(role) or "")
    words = "The answer's recording" if role == "answer" else role.replace("-", " ").capitalize()
    return f"{words} ({speaker})" if speaker else words


def _transcript(blueprint: Blueprint) -> str:
    heard = blueprint.transcript
    return heard.text if isinstance(heard, Transcript) else ""


def _silent(blueprint: Blueprint) -> bool:
    signal = blueprint.signal
    if isinstance(signal, Signal):
        return signal.peak_dbfs is None
    return signal.status is Status.SILENT
