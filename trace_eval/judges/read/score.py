"""A model's reply -> a score on the rubric's scale, and the outcome of several."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import JsonValue

from fusion import OffScale
from trace_eval.data.draft_words import ANNOUNCED
from trace_eval.data.items import Item
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import ScoreOpinion
from trace_eval.judges.ask.reply_json import (
    NoObject,
    after_thinking,
    contradictory,
    is_placeholder,
    read_object,
    refuse_placeholder,
    storable,
)
from trace_eval.judges.ask.reply_length import object_schema
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.ask.view import AnsweredQuestion, AnswerForm, Replies
from trace_eval.judges.base import unscored
from trace_eval.judges.combine.orders import unreasoned
from trace_eval.judges.combine.samples import lowest_score, score_of
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.hearing import check_hearing

#: Keys of sub-scores, and of ratings of turns, in a reply.
ELEMENTS = "elements"
TURNS = "turns"

_TEXT: JsonValue = {"type": "string"}

#: The value after ``score:`` on a plain line, whole: one that is not a label is
#: refused.
_VALUE = r"\s*+(?:is\s*+)?[:=]\s*+[*_`]*+\s*+([^\s*_`,;]+)"


class TurnReply(NamedTuple):
    """The scores that a reply gives to one turn."""

    score: int | float
    reasoning: str


@dataclass(frozen=True)
class ScoreReply:
    """The scores of one reply, labels of the rubric's scale.

    Turns that are rated twice are left out; a sub-score is None where none was
    demanded.
    """

    score: int | float | None  # None where turns are rated
    elements: dict[str, int | float | None] = field(default_factory=dict)
    reasoning: str = ""
    turns: dict[int, TurnReply] = field(default_factory=dict)


def reply_schema(rubric: ScoreRubric) -> dict[str, JsonValue]:
    """Return the JSON schema of a reply: reasons first, and the score from them."""
    label = rubric.numbers.schema()
    if rubric.unit == "turn":
        one = object_schema(
            {"turn": {"type": "integer"}, "reasoning": _TEXT, rubric.key: label}
        )
        return object_schema({TURNS: {"type": "array", "items": one}})
    properties: dict[str, JsonValue] = {"reasoning": _TEXT}
    if rubric.elements:
        either: JsonValue = {"anyOf": [label, {"type": "null"}]}
        properties[ELEMENTS] = object_schema(dict.fromkeys(rubric.elements, either))
    properties[rubric.key] = label
    return object_schema(properties)


def read_score(text: str, rubric: ScoreRubric, plain: bool = False) -> ScoreReply:
    """Read the last complete JSON object with a score by the rubric's key and scale.

    ``plain``: where no object has a score, take the last line with ``score: n``.

    Raises:
        ReplyError: ``unparseable`` without a score, ``off_label`` with one off the
            scale.
    """
    if rubric.unit == "turn":
        return _read_turns(text, rubric)
    try:
        return read_object(
            text,
            (rubric.key,),
            what=f"a {rubric.key}",
            read=lambda result: _read_object(result, rubric),
            verdict=lambda reply: (reply.score, reply.elements),
        )
    except NoObject:
        if plain and (line := _plain_score(text, rubric)):
            return line
        raise


def _read_object(result: dict[str, object], rubric: ScoreRubric) -> ScoreReply:
    """Read the score of one object."""
    words = result.get("reasoning", "")
    if not isinstance(words, str):
        raise ReplyError(Reason.UNPARSEABLE, "the reply's 'reasoning' is no text")
    refuse_placeholder("the reply", words)
    elements: dict[str, int | float | None] = {}
    if rubric.elements:
        element_labels = result.get(ELEMENTS)
        if not isinstance(element_labels, dict):
            raise ReplyError(
                Reason.UNPARSEABLE, f"the reply has no object {ELEMENTS!r}"
            )
        for name in rubric.elements:
            value = element_labels.get(name)
            elements[name] = None if value is None else _label(name, value, rubric)
    return ScoreReply(
        _label(rubric.key, result[rubric.key], rubric), elements, storable(words)
    )


def _read_turns(text: str, rubric: ScoreRubric) -> ScoreReply:
    """Read a list with turn numbers; a faulty entry costs its own turn only."""
    return read_object(
        text,
        (TURNS,),
        what=f"a list {TURNS!r}",
        read=lambda answer: _read_entries(answer[TURNS], rubric),
        verdict=lambda reply: {
            number: turn.score for number, turn in reply.turns.items()
        },
    )


def _read_entries(entries: object, rubric: ScoreRubric) -> ScoreReply:
    """Read the entries of one list."""
    if not isinstance(entries, list):
        raise ReplyError(Reason.UNPARSEABLE, f"the reply's {TURNS!r} is no list")
    results: dict[int, TurnReply] = {}
    numbers: set[int] = set()
    for entry in entries:
        number = entry.get("turn") if isinstance(entry, dict) else None
        if type(number) is not int:  # not a bool
            continue
        if number in numbers:
            results.pop(number, None)
            continue
        numbers.add(number)
        words = entry.get("reasoning", "")
        if isinstance(words, str) and is_placeholder(words):
            continue
        with suppress(ReplyError):
            score = _label(f"turn {number}", entry.get(rubric.key), rubric)
            results[number] = TurnReply(
                score, storable(words) if isinstance(words, str) else ""
            )
    if not results:
        raise ReplyError(Reason.UNPARSEABLE, "the reply rates no turn")
    return ScoreReply(None, turns=results)


def _label(where: str, value: Any, rubric: ScoreRubric) -> int | float:
    # Models without a grammar may write a number as a string; words and fractions are
    # refused.
    try:
        return rubric.numbers.parse(value)
    except OffScale as error:
        raise ReplyError(Reason.OFF_LABEL, f"{where}: {error}") from None


def _plain_score(text: str, rubric: ScoreRubric) -> ScoreReply | None:
    text = after_thinking(text)
    results = list(
        re.finditer(rf"\b{re.escape(rubric.key)}\b{_VALUE}", text, re.IGNORECASE)
    )
    if not results:
        return None
    # The full stop of a sentence belongs to the sentence.
    values = [result[1].rstrip(".)") or result[1] for result in results]
    score = _label(rubric.key, values[-1], rubric)
    for earlier in values[-2:-1]:
        between = text[results[-2].end() : results[-1].end()]
        with suppress(OffScale):  # a part of the form: "score: 1-5"
            differs = rubric.numbers.parse(earlier) != score
            if differs and not ANNOUNCED.search(between):
                raise contradictory()
    return ScoreReply(
        score, dict.fromkeys(rubric.elements), storable(text[: results[-1].start()])
    )


# --- the outcome ----------------------------------------------------------------------

#: Caveat of an agent whose instructions are missing: whether it keeps them is not
#: rated.
NO_POLICY = "no_policy"

_MISSING = "the reply rates this turn not once"


class ScoreForm(AnswerForm[ScoreReply]):
    """Replies with a score, and with sub-scores or turns where the rubric has them.

    ``listens``: refuse replies which state that nothing was heard.
    """

    def __init__(
        self, rubric: ScoreRubric, options: JudgeOptions, listens: bool = False
    ) -> None:
        self.rubric: ScoreRubric = rubric
        self.schema = reply_schema(rubric)
        self._options = options
        self._listens = listens

    def parameters(self) -> dict[str, JsonValue]:
        return {"rubric": self.rubric.sha256}

    def read(self, text: str) -> ScoreReply:
        if self._listens:
            check_hearing(text)
        return read_score(text, self.rubric, plain=self._options.structure == "text")

    def of_nothing(self, item: Item, judge: str, reason: Reason) -> Outcome | None:
        if self.rubric.silent == "ask":
            return None
        if self.rubric.silent == "unscored":
            message = "there is nothing to rate in the answer"
            return unscored(
                item, self.rubric, judge=judge, reason=reason, detail=message
            )
        return lowest_score(item, self.rubric, judge, reason)

    def outcome(self, replies: Replies[ScoreReply]) -> Outcome:
        item, caveats = replies.item, list(replies.caveats)
        if self.rubric.unit == "turn":
            opinions = [one for each in replies.questions for one in _of_turns(each)]
        else:
            unknown = (
                {"policy"} if any(c.startswith(NO_POLICY) for c in caveats) else set()
            )
            opinions = [
                _opinion(each, self.rubric, unknown) for each in replies.questions
            ]
            values = [each.outcome.value for each in replies.questions]
            totals = [reply.score if reply else None for reply in values]
            scores = [opinion.score for opinion in opinions]
            if self.rubric.overall and totals != scores:
                caveats.append(
                    "total_differs: a reply's own total is not what its elements say"
                )
        caveats += unreasoned(
            one.reasoning for one in opinions if one.score is not None
        )
        if not opinions:
            message = "no turn of the agent"
            return unscored(
                item,
                self.rubric,
                judge=replies.judge,
                reason=Reason.EMPTY_CANDIDATE,
                detail=message,
            )
        return score_of(
            item,
            self.rubric,
            judge=replies.judge,
            opinions=opinions,
            min_samples=self._options.min_samples,
            caveats=caveats,
            cropped=replies.cropped,
        )


def _of_turns(answered: AnsweredQuestion[ScoreReply]) -> Iterator[ScoreOpinion]:
    """Yield an opinion for every turn that was to be rated; the first has the usage."""
    reply = answered.outcome.value
    record = {**answered.record, "choice": answered.outcome.choice}
    for position, number in enumerate(answered.question.turns):
        rated = reply.turns.get(number) if reply else None
        if position:
            record |= {"usage": None, "raw": None, "seconds": None}
        details: dict[str, Any] = {}
        if reply and not rated:
            details = {"reason": Reason.UNPARSEABLE, "detail": _MISSING}
        fields = {"score": rated.score, "reasoning": rated.reasoning} if rated else {}
        opinion = record | fields | details
        yield ScoreOpinion(turn=number, **opinion)


def _opinion(
    answered: AnsweredQuestion[ScoreReply],
    rubric: ScoreRubric,
    unknown: Collection[str] = (),
) -> ScoreOpinion:
    """Make a reply's opinion; the rubric may derive its score from the elements."""
    reply = answered.outcome.value
    stated_elements = reply.elements if reply else {}
    elements = dict(stated_elements)
    for name in unknown:
        if name in elements:
            elements[name] = None
    total = rubric.total(elements)
    stated = reply.score if reply else None
    return ScoreOpinion(
        choice=answered.outcome.choice,
        score=stated if total is None else rubric.numbers.parse(total),
        elements=elements,
        reasoning=reply.reasoning if reply else "",
        **answered.record,
    )
