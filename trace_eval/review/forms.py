"""The questions to raters about one item, in turn, and which answers they take.

A form belongs to a protocol. Of a pair each part is asked for on the protocol's scale.
A typed tie is never asked for: it follows from two or three small answers
(:func:`fusion.from_steps`), of which the first is whether an answer is acceptable.
Labels are kept in the pair's own order ("is A acceptable", "how much better is B"),
whatever was shown first. A score is one question on its rubric's scale. A question
about the rater's confidence may follow each rating.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from blueprints import UserError
from fusion import DIMENSIONS, Rating, from_steps
from trace_eval.data.items import FEEDBACK_CODES
from trace_eval.data.outcome import Order
from trace_eval.data.rubrics.listening import Listening
from trace_eval.data.rubrics.protocols import (
    PairProtocol,
    Protocol,
    ProtocolPart,
    listening_of,
)
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.review.together import Page, Reviewed

#: Parts of the HCoT protocol; each gives one rating.
Phase = Literal[
    "overall_first", "content", "voice_quality", "paralinguistics", "overall"
]

#: Kinds of questions: whether the first or the second shown is acceptable, which is
#: better; a label of both; a score; how sure the rater is of a rating; a comment.
StepKind = Literal[
    "first", "second", "better", "label", "score", "confidence", "comment"
]

#: The blocks after the first impression, in their order.
PHASES: tuple[Phase, ...] = (*DIMENSIONS, "overall")

#: The protocol of pairs unless another is named, and the name under which its answers
#: are kept.
HCOT, RUBRIC = "hcot", "trace"

YES, NO, EQUAL = "yes", "no", "equal"
FIRST, SECOND = str(Rating.A), str(Rating.B)

#: Name of the last step; its answer finishes the item.
COMMENT = "comment"

#: Suffix of a rating that came as a typed tie (imports), without the questions behind
#: it.
TYPED = "rating"

#: Longest comment that is kept, and longest name of a rater, characters.
COMMENT_LIMIT, NAME_LIMIT = 4000, 60

#: The answer of a rater who gives no score.
NO_SCORE = "none"

#: How sure a rater is: answer -> words.
CONFIDENCE: Mapping[str, str] = {"1": "Guessing", "2": "Fairly sure", "3": "Certain"}

#: How keys of questions about a turn begin, and how those of confidence in a rating
#: end.
_TURN, SURE = "turn-", ".confidence"

Answers = Mapping[str, str]


@dataclass(frozen=True)
class ReviewQuestion:
    """One question to a rater."""

    phase: str | None  # its part of the protocol; None for the comment, and for a score
    kind: StepKind
    key: str  # where the answer is stored, in the pair's own order
    # that may be given, in the order shown; empty: any text
    values: tuple[str, ...] = ()

    def check(self, value: str) -> str:
        """Return an answer as it came; raises ValueError for one not offered."""
        if value not in self.values:
            raise ValueError(
                f"{self.key}: {value!r:.40} is no answer; use {', '.join(self.values)}"
            )
        return value


def _how_sure(phase: str | None, key: str) -> ReviewQuestion:
    """Ask how sure the rater is of the rating that is kept under ``key``."""
    return ReviewQuestion(phase, "confidence", f"{key}{SURE}", tuple(CONFIDENCE))


@dataclass(frozen=True)
class PairForm:
    """A label of each part of a protocol of pairs, and a comment on the pair.

    Attributes:
        codes: feedback that may go with an answer, code -> meaning.
        of_pairs: a comment belongs to the item and is kept while its questions are
            answered, otherwise to one answer.
    """

    protocol: PairProtocol
    overall_first: bool = False
    confidence: bool = False

    unit: ClassVar[str] = "pair"
    codes: ClassVar[Mapping[str, str]] = {}
    of_pairs: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """Name under which answers are kept."""
        is_ours = self.protocol.is_hcot and self.protocol.name == HCOT
        return RUBRIC if is_ours else self.protocol.name

    @property
    def listening(self) -> Listening:
        """How people rate by it."""
        return self.protocol.listening

    @property
    def parts(self) -> tuple[ProtocolPart, ...]:
        """What is asked for, in order."""
        first = self.protocol.first_impression
        return (
            (first, *self.protocol.parts)
            if first and self.overall_first
            else self.protocol.parts
        )

    def next_step(
        self, _: object, answers: Answers, order: Order
    ) -> ReviewQuestion | None:
        """Return the first unanswered question; None when the item is finished."""
        for part in self.parts:
            for step in self._steps(part.name, answers, order):
                if step.key not in answers:
                    return step
        asks = self.listening.comment == "asked" and COMMENT not in answers
        return ReviewQuestion(None, "comment", COMMENT) if asks else None

    def _steps(self, part: str, answers: Answers, order: Order) -> list[ReviewQuestion]:
        """Return the questions about a part, as far as they are known by now."""
        sure = [_how_sure(part, part)] if self.confidence else []
        if self.protocol.scale != "typed":
            return [ReviewQuestion(part, "label", part, self.protocol.labels)] + sure
        if rating(answers, part) is not None:
            return sure
        keys = [f"{part}.{side}" for side in order]
        return [
            ReviewQuestion(part, "first", keys[0], (YES, NO)),
            ReviewQuestion(part, "second", keys[1], (YES, NO)),
            ReviewQuestion(part, "better", f"{part}.better", (FIRST, SECOND, EQUAL)),
        ]

    def stored(self, step: ReviewQuestion, value: str, order: Order) -> str:
        """Return an answer in the pair's own order; ValueError if it is not offered."""
        if step.kind == "comment":
            return ""
        step.check(value)
        if step.kind == "label":
            return self.shown_label(value, order)
        if step.kind == "better" and value != EQUAL and order == "ba":
            return str(Rating(value).swapped)
        return value

    def shown_label(self, label: str, order: Order) -> str:
        """Turn a label into the order that the rater saw, and back by the same map."""
        if order == "ab":
            return label
        if self.protocol.compares:
            return f"{-float(label) or 0:g}"
        return {FIRST: SECOND, SECOND: FIRST}.get(label, label)

    def label(self, answers: Answers, part: str) -> str | None:
        """Return a part's label in the pair's own order; None until it is decided."""
        if self.protocol.scale != "typed":
            return answers.get(part)
        decided = rating(answers, part)
        return None if decided is None else str(decided)

    def longest(self, _: object) -> int:
        """Count the most answers that an item can take, its comment included."""
        questions = 3 if self.protocol.scale == "typed" else 1
        most = questions + (1 if self.confidence else 0)
        return most * len(self.parts) + (1 if self.listening.comment == "asked" else 0)


@dataclass(frozen=True)
class ReviewScoreForm:
    """A score on the rubric's scale, or none, with feedback codes and a comment.

    One for the answer, one for each of the agent's turns, as the rubric's unit says, or
    one for each answer of a page, which a last step finishes. The attributes are those
    of :class:`PairForm`.
    """

    rubric: ScoreRubric

    @property
    def listening(self) -> Listening:
        """How people rate by it."""
        return listening_of(self.rubric)

    @property
    def unit(self) -> str:
        """Name of what is rated at a time."""
        return "page" if self.listening.together else "answer"

    @property
    def codes(self) -> Mapping[str, str]:
        """What raters may tick: of a protocol its marks."""
        return FEEDBACK_CODES if self.rubric.listening is None else self.listening.marks

    @property
    def of_pairs(self) -> bool:
        """Whether a comment belongs to the whole page."""
        return self.listening.together

    @property
    def name(self) -> str:
        """Name of the rubric, under which answers are kept."""
        return self.rubric.name

    def questions(self, item: Reviewed) -> tuple[ReviewQuestion, ...]:
        """List all questions about an item, in order."""
        labels = tuple(f"{label:g}" for label in self.rubric.numbers.labels)
        keys = [self.name]
        if isinstance(item, Page):
            questions = [
                ReviewQuestion(None, "score", key, labels) for key in item.members
            ]
            return (*questions, ReviewQuestion(None, "comment", COMMENT))
        if self.rubric.unit == "turn":
            keys = [f"{_TURN}{number}" for number in item.answers[0].agent_turns]
        questions = []
        for key in keys:
            questions.append(ReviewQuestion(None, "score", key, (*labels, NO_SCORE)))
            if self.rubric.confidence:
                questions.append(_how_sure(None, key))
        return tuple(questions)

    def next_step(
        self, item: Reviewed, answers: Answers, order: Order
    ) -> ReviewQuestion | None:
        """Return the first question without an answer; no score needs no confidence."""
        for step in self.questions(item):
            unscored = answers.get(step.key.removesuffix(SURE)) == NO_SCORE
            if step.key not in answers and not unscored:
                return step
        return None

    def stored(self, step: ReviewQuestion, value: str, order: Order) -> str:
        """Return the confidence, or the score as a number; see :class:`PairForm`."""
        if step.kind == "comment":
            return ""
        if step.kind == "confidence":
            return step.check(value)
        if value == NO_SCORE:
            return value
        try:
            return str(float(self.rubric.numbers.parse(value)))
        except ValueError as error:
            raise ValueError(f"score: {error}") from None

    def longest(self, item: Reviewed) -> int:
        """Count one answer a question."""
        return len(self.questions(item))


#: The questions of one protocol.
Form = PairForm | ReviewScoreForm


def form_of(
    protocol: Protocol, overall_first: bool = False, confidence: bool = False
) -> Form:
    """Return the form of a protocol; the options belong to protocols of pairs."""
    if isinstance(protocol, ScoreRubric):
        return ReviewScoreForm(protocol)
    return PairForm(protocol, overall_first, confidence or protocol.confidence)


def phases(overall_first: bool) -> tuple[Phase, ...]:
    """Return the blocks of questions about a pair in their order."""
    return ("overall_first", *PHASES) if overall_first else PHASES


def rating(answers: Answers, phase: str) -> Rating | None:
    """Return a part's typed tie in the pair's own order; None until it is decided."""
    typed = answers.get(f"{phase}.{TYPED}")
    if typed is not None:
        return Rating(typed)
    a, b = answers.get(f"{phase}.a"), answers.get(f"{phase}.b")
    better = answers.get(f"{phase}.better")
    if a is None or b is None or (a == b == YES and better is None):
        return None
    return from_steps(
        a == YES, b == YES, Rating(better) if better in (FIRST, SECOND) else None
    )


def shown_rating(value: Rating, order: Order) -> Rating:
    """Turn a rating into the order that the rater saw, and back by the same map."""
    return value if order == "ab" else value.swapped


def turn_of(step: str) -> int | None:
    """Return the turn that a question is about; None for the whole conversation."""
    name = step.removesuffix(SURE)
    return int(name.removeprefix(_TURN)) if name.startswith(_TURN) else None


def scored_step(step: str) -> str | None:
    """Return the rating that a confidence question is about; None for a rating."""
    return step.removesuffix(SURE) if step.endswith(SURE) else None


def score_of(value: str) -> float | None:
    """Return a :class:`ReviewScoreForm`'s answer as a number; None for no score."""
    return None if value == NO_SCORE else float(value)


def check_name(name: str) -> str:
    """Return a rater's name as it is stored.

    Raises UserError for one that is empty, too long, or has control characters.
    """
    name = " ".join(name.split())
    if not name or len(name) > NAME_LIMIT or not name.isprintable():
        raise UserError(
            f"rater {name!r:.80}: give a name of 1 to {NAME_LIMIT} characters"
        )
    return name
