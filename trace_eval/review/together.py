"""Answers to one question that are rated beside each other, on one page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from blueprints import UserError, counted
from trace_eval.data.answers import Answer, Recording
from trace_eval.data.items import Pair, Single
from trace_eval.data.rubrics.listening import Listening


@dataclass(frozen=True)
class LowPassed:
    """A recording as it sounds when everything above a frequency is cut off."""

    recording: Recording
    hz: int


PlayedSource = Recording | LowPassed


@dataclass(frozen=True)
class Page:
    """All answers to one question.

    Attributes:
        members: id of an answer -> the answer that is rated, hidden reference and
            anchors included.
        sounds: id of an answer -> its recording; made anchors have that of the
            reference.
        reference: the recording that is shown as the reference.
    """

    id: str
    members: Mapping[str, Single]
    sounds: Mapping[str, PlayedSource] = field(default_factory=dict)
    reference: Recording | None = None
    sides: Mapping[str, Answer] = field(
        default_factory=dict
    )  # no call is rated together

    def recordings(self) -> dict[str, PlayedSource]:
        """Return what there is to decode, by role."""
        shown: dict[str, PlayedSource] = (
            {} if self.reference is None else {REFERENCE: self.reference}
        )
        first = next(iter(self.members.values()))
        asked: dict[str, PlayedSource] = {}
        if first.instruction.has_audio:
            asked = {"instruction": first.instruction}
        return {**asked, **shown, **self.sounds}

    @property
    def text(self) -> str | None:
        """The words of the question."""
        return next(iter(self.members.values())).instruction.text


#: What raters see at a time.
Reviewed = Pair | Single | Page

#: Keys of the answers of a page, by which they are called: no key that the page needs
#: itself.
STIMULUS_KEYS = "abcdefghjkmopqstxyz"

#: Role of the reference of a page.
REFERENCE = "reference"


def pages_of(
    items: Iterable[Single], listening: Listening
) -> tuple[list[Page], dict[str, str]]:
    """Put each question's answers on a page; return questions left out, with reasons.

    Raises:
        UserError: an answer does not say which question it belongs to.
    """
    questions: dict[str, list[Single]] = {}
    for item in items:
        if item.question_id is None:
            raise UserError(
                f"item {item.id!r} has no question_id, and answers to one question"
                " share a page; add the column question_id"
            )
        questions.setdefault(item.question_id, []).append(item)
    pages, left_out = [], {}
    for name, answers in questions.items():
        page = _page(name, answers, listening)
        if isinstance(page, Page):
            pages.append(page)
        else:
            left_out[name] = page
    return pages, left_out


def _page(name: str, answers: list[Single], listening: Listening) -> Page | str:
    """Return the page of a question, or why it has none."""
    by_system = {answer.system: answer for answer in answers}
    wanted = [system for system in listening.reference if system in by_system]
    if listening.reference and not wanted:
        return (
            "has no reference; name its system, one of"
            f" {', '.join(listening.reference)}"
        )
    reference = by_system[wanted[0]] if wanted else None
    rated = [
        one for one in answers if one is not reference or listening.hidden_reference
    ]
    silent = [answer.id for answer in answers if _sound(answer) is None]
    if silent:
        return f"answer {silent[0]!r} is no single recording"
    if len(rated) < 2:
        return "has a single answer to rate; give two or more"
    most = len(STIMULUS_KEYS) - len(listening.lowpass_hz)
    if len(rated) > most:
        return (
            f"has {counted(len(rated), 'answer')} and room for {most}; leave some out"
        )
    members = {one.id: one for one in rated}
    sounds: dict[str, PlayedSource] = {}
    for one in rated:
        sound = _sound(one)
        assert sound is not None
        sounds[one.id] = sound
    shown = None if reference is None else _sound(reference)
    for hz in listening.lowpass_hz:
        assert reference is not None
        assert shown is not None  # no protocol makes anchors without a reference
        system = f"lowpass-{hz}"
        made = reference.model_copy(update={"id": f"{name}/{system}", "system": system})
        members[made.id] = made
        sounds[made.id] = LowPassed(shown, hz)
    return Page(name, members, sounds, shown)


def _sound(answer: Single) -> Recording | None:
    """Return the one recording of an answer; None where it has none, or several."""
    roles = [one for role, one in answer.recordings().items() if role != "instruction"]
    return roles[0] if len(roles) == 1 else None
