"""The questions to raters about one item: the questions in turn, and which answers they take.

A form belongs to a rubric. Typed ties of a pair are asked for by the HCoT protocol
(:mod:`trace_eval.review.protocol`), which is the form of the rubric TRACE; a score is one question
on the rubric's scale. A form may have several questions for an item: the next one is the first
that has no answer yet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from trace_eval.data.items import FEEDBACK_CODES, Single
from trace_eval.data.outcome import Order
from trace_eval.data.pairs import Pair
from trace_eval.review import protocol
from trace_eval.review.protocol import Answers, ReviewQuestion
from trace_eval.rubrics.single import ScoreRubric

#: What a rater sends who gives no score.
NO_SCORE = "none"

#: How keys of questions about a turn begin, and how those of confidence in a score end.
_TURN, _SURE = "turn-", ".confidence"

#: How sure a rater is: answer -> words.
CONFIDENCE: Mapping[str, str] = {"1": "Guessing", "2": "Fairly sure", "3": "Certain"}


class Form(ABC):
    """The questions of one rubric.

    Attributes:
        unit: what an item is called on pages.
        codes: feedback that may go with an answer, code -> meaning.
        comments_on_items: a comment belongs to the item and is kept while its questions are
            answered; otherwise it belongs to one answer.
        plays_first: whether the first answer about an item asks to have played its recordings.
    """

    unit: ClassVar[str]
    codes: ClassVar[Mapping[str, str]] = {}
    comments_on_items: ClassVar[bool]
    plays_first: ClassVar[bool]

    @property
    @abstractmethod
    def name(self) -> str:
        """The rubric's name, under which answers are kept."""

    @abstractmethod
    def next_step(
        self, item: Pair | Single, answers: Answers, order: Order
    ) -> ReviewQuestion | None:
        """The first question without an answer; None when the item is finished."""

    @abstractmethod
    def stored(self, step: ReviewQuestion, value: str, order: Order) -> str:
        """An answer as it is kept, in the item's own order.

        Raises:
            ValueError: the question does not offer this answer.
        """

    @abstractmethod
    def longest(self, item: Pair | Single) -> int:
        """Most answers that the item can take."""


@dataclass(frozen=True)
class TieForm(Form):
    """The HCoT protocol: a typed tie of each of TRACE's dimensions, overall, and a comment."""

    overall_first: bool

    unit = "pair"
    comments_on_items = True
    plays_first = True

    @property
    def name(self) -> str:
        """Name of TRACE's form."""
        return protocol.RUBRIC

    def next_step(
        self, item: Pair | Single, answers: Answers, order: Order
    ) -> ReviewQuestion | None:
        """See :func:`trace_eval.review.protocol.next_step`."""
        return protocol.next_step(answers, order, self.overall_first)

    def stored(self, step: ReviewQuestion, value: str, order: Order) -> str:
        """See :func:`trace_eval.review.protocol.stored_value`."""
        return protocol.stored_value(step, value, order)

    def longest(self, item: Pair | Single) -> int:
        """See :func:`trace_eval.review.protocol.longest`."""
        return protocol.longest(self.overall_first)


@dataclass(frozen=True)
class ReviewScoreForm(Form):
    """A score on the rubric's scale, or none, with feedback codes and a comment.

    One for the answer, or one for each of the agent's turns, as the rubric's unit says.
    """

    rubric: ScoreRubric

    unit = "answer"
    codes = FEEDBACK_CODES
    comments_on_items = False
    plays_first = False

    @property
    def name(self) -> str:
        """Name of the rubric."""
        return self.rubric.name

    def questions(self, item: Pair | Single) -> tuple[ReviewQuestion, ...]:
        """All questions about an item, in order."""
        labels = tuple(f"{label:g}" for label in self.rubric.numbers.labels)
        keys = [self.name]
        if self.rubric.unit == "turn":
            keys = [f"{_TURN}{number}" for number in item.answers[0].agent_turns]
        asked = []
        for key in keys:
            asked.append(ReviewQuestion(None, "score", key, (*labels, NO_SCORE)))
            if self.rubric.confidence:
                sure = ReviewQuestion(None, "confidence", f"{key}{_SURE}", tuple(CONFIDENCE))
                asked.append(sure)
        return tuple(asked)

    def next_step(
        self, item: Pair | Single, answers: Answers, order: Order
    ) -> ReviewQuestion | None:
        """The first question without an answer; nobody is asked how sure no score is."""
        return next(
            (
                step
                for step in self.questions(item)
                if step.key not in answers and answers.get(step.key.removesuffix(_SURE)) != NO_SCORE
            ),
            None,
        )

    def stored(self, step: ReviewQuestion, value: str, order: Order) -> str:
        """The score as a number of the scale, or how sure the rater is."""
        if step.kind == "confidence" and value not in CONFIDENCE:
            raise ValueError(f"confidence: {value!r:.20} is none of {', '.join(CONFIDENCE)}")
        if value == NO_SCORE or step.kind == "confidence":
            return value
        try:
            return str(float(self.rubric.numbers.parse(value)))
        except ValueError as error:
            raise ValueError(f"score: {error}") from None

    def longest(self, item: Pair | Single) -> int:
        """One answer a question."""
        return len(self.questions(item))


def turn_of(step: str) -> int | None:
    """The turn of a conversation that a question is about; None: it is about the whole."""
    name = step.removesuffix(_SURE)
    return int(name.removeprefix(_TURN)) if name.startswith(_TURN) else None


def scored_step(step: str) -> str | None:
    """The question about a score whose confidence this one asks for; None: it asks for a score."""
    return step.removesuffix(_SURE) if step.endswith(_SURE) else None


def score_of(value: str) -> float | None:
    """A kept answer of a :class:`ReviewScoreForm` as a number; None: the rater gave none."""
    return None if value == NO_SCORE else float(value)
