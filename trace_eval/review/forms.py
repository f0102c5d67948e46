"""The questions to raters about one item, in turn, and which answers they take.

A form belongs to a rubric. Pairs are rated by the form of TRACE, the HCoT protocol: one dimension
after the other, then overall, acceptability first. A typed tie is never asked for: it follows from
two or three small answers (:func:`fusion.from_steps`). Answers are kept in the pair's own order
("is A acceptable"), whatever was shown first. A score is one question on its rubric's scale. A
question about the rater's confidence may follow each rating.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from blueprints import UserError
from fusion import DIMENSIONS, Rating, from_steps
from trace_eval.data.items import FEEDBACK_CODES, Pair, Single
from trace_eval.data.outcome import Order
from trace_eval.data.rubrics.single import ScoreRubric

#: Blocks of questions about a pair; each gives one rating.
Phase = Literal["overall_first", "content", "voice_quality", "paralinguistics", "overall"]

#: Kinds of questions: whether the first or the second shown is acceptable, which is better, a
#: comment; or a score; or how sure the rater is of a rating.
Kind = Literal["first", "second", "better", "comment", "score", "confidence"]

#: The blocks after the first impression, in their order.
PHASES: tuple[Phase, ...] = (*DIMENSIONS, "overall")

#: The rubric whose form is the HCoT protocol.
RUBRIC = "trace"

YES, NO, EQUAL = "yes", "no", "equal"
FIRST, SECOND = str(Rating.A), str(Rating.B)

#: Name of the last step; its answer finishes the item.
COMMENT = "comment"

#: Suffix of a rating that came as a typed tie (imports), without the questions behind it.
TYPED = "rating"

#: Longest comment that is kept, and longest name of a rater, characters.
COMMENT_LIMIT, NAME_LIMIT = 4000, 60

#: The answer of a rater who gives no score.
NO_SCORE = "none"

#: How sure a rater is: answer -> words.
CONFIDENCE: Mapping[str, str] = {"1": "Guessing", "2": "Fairly sure", "3": "Certain"}

#: How keys of questions about a turn begin, and how those of confidence in a rating end.
_TURN, SURE = "turn-", ".confidence"

Answers = Mapping[str, str]


@dataclass(frozen=True)
class ReviewQuestion:
    """One question to a rater."""

    phase: Phase | None  # its block; None for the comment, and for a score
    kind: Kind
    key: str  # where the answer is stored, in the pair's own order
    values: tuple[str, ...] = ()  # that may be given, in the order shown; empty: any text

    def check(self, value: str) -> str:
        """Return an answer as it came; raises ValueError for one not offered."""
        if value not in self.values:
            raise ValueError(
                f"{self.key}: {value!r:.40} is no answer; use {', '.join(self.values)}"
            )
        return value


def _how_sure(phase: Phase | None, key: str) -> ReviewQuestion:
    """Ask how sure the rater is of the rating that is kept under ``key``."""
    return ReviewQuestion(phase, "confidence", f"{key}{SURE}", tuple(CONFIDENCE))


@dataclass(frozen=True)
class TieForm:
    """A typed tie of each of TRACE's dimensions, overall, and a comment on the pair.

    Attributes:
        codes: feedback that may go with an answer, code -> meaning.
        of_pairs: a comment belongs to the item and is kept while its questions are answered,
            otherwise to one answer; and the first answer about an item asks to have played its
            recordings.
    """

    overall_first: bool
    confidence: bool = False

    name: ClassVar[str] = RUBRIC
    unit: ClassVar[str] = "pair"
    codes: ClassVar[Mapping[str, str]] = {}
    of_pairs: ClassVar[bool] = True

    def next_step(self, _: object, answers: Answers, order: Order) -> ReviewQuestion | None:
        """Return the first question without an answer; None when the item is finished."""
        for phase in phases(self.overall_first):
            keys = [f"{phase}.{side}" for side in order]
            questions = [
                ReviewQuestion(phase, "first", keys[0], (YES, NO)),
                ReviewQuestion(phase, "second", keys[1], (YES, NO)),
                ReviewQuestion(phase, "better", f"{phase}.better", (FIRST, SECOND, EQUAL)),
            ]
            if rating(answers, phase) is not None:
                questions = [_how_sure(phase, phase)] if self.confidence else []
            for step in questions:
                if step.key not in answers:
                    return step
        return None if COMMENT in answers else ReviewQuestion(None, "comment", COMMENT)

    def stored(self, step: ReviewQuestion, value: str, order: Order) -> str:
        """Return the answer in the pair's own order; raises ValueError for one not offered."""
        if step.kind == "comment":
            return ""
        if step.check(value) != EQUAL and step.kind == "better" and order == "ba":
            return str(Rating(value).swapped)
        return value

    def longest(self, _: object) -> int:
        """Most answers that an item can take, its comment included."""
        return (4 if self.confidence else 3) * len(phases(self.overall_first)) + 1


@dataclass(frozen=True)
class ReviewScoreForm:
    """A score on the rubric's scale, or none, with feedback codes and a comment.

    One for the answer, or one for each of the agent's turns, as the rubric's unit says. The
    attributes are those of :class:`TieForm`.
    """

    rubric: ScoreRubric

    unit: ClassVar[str] = "answer"
    codes: ClassVar[Mapping[str, str]] = FEEDBACK_CODES
    of_pairs: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Name of the rubric, under which answers are kept."""
        return self.rubric.name

    def questions(self, item: Pair | Single) -> tuple[ReviewQuestion, ...]:
        """All questions about an item, in order."""
        labels = tuple(f"{label:g}" for label in self.rubric.numbers.labels)
        keys = [self.name]
        if self.rubric.unit == "turn":
            keys = [f"{_TURN}{number}" for number in item.answers[0].agent_turns]
        questions = []
        for key in keys:
            questions.append(ReviewQuestion(None, "score", key, (*labels, NO_SCORE)))
            if self.rubric.confidence:
                questions.append(_how_sure(None, key))
        return tuple(questions)

    def next_step(
        self, item: Pair | Single, answers: Answers, order: Order
    ) -> ReviewQuestion | None:
        """Return the first question without an answer; no score needs no confidence."""
        for step in self.questions(item):
            unscored = answers.get(step.key.removesuffix(SURE)) == NO_SCORE
            if step.key not in answers and not unscored:
                return step
        return None

    def stored(self, step: ReviewQuestion, value: str, order: Order) -> str:
        """Return the score as a number of the scale, or the confidence, see :class:`TieForm`."""
        if step.kind == "confidence":
            return step.check(value)
        if value == NO_SCORE:
            return value
        try:
            return str(float(self.rubric.numbers.parse(value)))
        except ValueError as error:
            raise ValueError(f"score: {error}") from None

    def longest(self, item: Pair | Single) -> int:
        """One answer a question."""
        return len(self.questions(item))


#: The questions of one rubric.
Form = TieForm | ReviewScoreForm


def phases(overall_first: bool) -> tuple[Phase, ...]:
    """Return the blocks of questions about a pair in their order."""
    return ("overall_first", *PHASES) if overall_first else PHASES


def rating(answers: Answers, phase: Phase) -> Rating | None:
    """Return a block's typed tie, in the pair's own order; None while it is not decided."""
    typed = answers.get(f"{phase}.{TYPED}")
    if typed is not None:
        return Rating(typed)
    a, b = answers.get(f"{phase}.a"), answers.get(f"{phase}.b")
    better = answers.get(f"{phase}.better")
    if a is None or b is None or (a == b == YES and better is None):
        return None
    return from_steps(a == YES, b == YES, Rating(better) if better in (FIRST, SECOND) else None)


def shown_rating(value: Rating, order: Order) -> Rating:
    """Turn a rating into the order that the rater saw, and back: the map is its own inverse."""
    return value if order == "ab" else value.swapped


def turn_of(step: str) -> int | None:
    """Return the turn that a question is about; None: it is about the whole conversation."""
    name = step.removesuffix(SURE)
    return int(name.removeprefix(_TURN)) if name.startswith(_TURN) else None


def scored_step(step: str) -> str | None:
    """Return the rating whose confidence this question asks for; None: it asks for a rating."""
    return step.removesuffix(SURE) if step.endswith(SURE) else None


def score_of(value: str) -> float | None:
    """Return a :class:`ReviewScoreForm`'s answer as a number; None: the rater gave none."""
    return None if value == NO_SCORE else float(value)


def check_name(name: str) -> str:
    """Return a rater's name as it is stored.

    Raises UserError for one that is empty, too long, or has control characters.
    """
    name = " ".join(name.split())
    if not name or len(name) > NAME_LIMIT or not name.isprintable():
        raise UserError(f"rater {name!r:.80}: give a name of 1 to {NAME_LIMIT} characters")
    return name
