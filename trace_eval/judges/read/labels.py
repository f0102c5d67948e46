"""Replies that compare two answers by labels: shape, reading, and judgement.

The last complete JSON object with the wanted keys is the reply, and must be whole: no
key missing or twice, no label that was not offered. It is never repaired by guessing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from fusion import MATCH, PREFERENCE, TRACE, OffScale, Rating, Scale, from_steps
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.pairs import LabelQuestion, PairRubric
from trace_eval.data.said_verdicts import contradicts
from trace_eval.judges.ask.reply_json import (
    read_object,
    refuse_placeholder,
    storable,
)
from trace_eval.judges.ask.reply_length import object_schema
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.ask.view import AnsweredQuestion, AnswerForm, Replies
from trace_eval.judges.combine.orders import labelled_judgement, swap_back, unreasoned
from trace_eval.judges.options.groups import Elicitation
from trace_eval.judges.read.hearing import check_hearing

_TEXT: JsonValue = {"type": "string"}
_YES_NO: JsonValue = {"type": "boolean"}


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of a reply by dimension, in the order of showing.

    Ratings are labels on the rubric's scale; the key of a single label is empty.
    """

    ratings: dict[str, Any]
    reasoning: dict[str, str]


class LabelForm(AnswerForm[Verdicts]):
    """Replies of typed ties on TRACE's dimensions, or a label for each part of a task.

    ``listens``: refuse replies which state that nothing was heard.
    """

    def __init__(
        self, task: PairRubric, elicitation: Elicitation, listens: bool
    ) -> None:
        self.task = task
        self.rubric = TRACE if task.rubric == TRACE else task.rubric
        self.schema = schema_of(task.parts[0], elicitation)
        self._elicitation = elicitation
        self._listens = listens

    def read(self, text: str) -> Verdicts:
        if self._listens:
            check_hearing(text)
        if self.task.is_typed:
            return parse_reply(text, self._elicitation)
        label, reasoning = read_label(text, self.rubric.scale)
        return Verdicts({"": label}, {"": reasoning})

    def outcome(self, replies: Replies[Verdicts]) -> Judgement:
        opinions = [self.opinion(each) for each in replies.questions]
        item, scale = replies.item.id, self.rubric.scale
        judgement = labelled_judgement(
            item,
            replies.judge,
            opinions=opinions,
            scale=scale,
            questions=self.task.questions,
        )
        if (
            judgement.dimensions and self._elicitation != "flat"
        ):  # which asks no reasons
            rated = [one for one in opinions if one.ratings]
            reasons = [
                one.reasoning.get(about, "") for one in rated for about in one.ratings
            ]
            judgement.caveats.extend(unreasoned(reasons))
        judgement.caveats.extend(replies.caveats)
        return judgement

    def opinion(self, answered: AnsweredQuestion[Verdicts]) -> VerdictOpinion:
        """Return the verdicts of a reply in terms of the pair's own A and B."""
        parts = {part.name: part for part in self.task.parts}
        about = None
        if not self.task.is_typed:
            about = parts[str(answered.question.part)].about
        verdicts = answered.outcome.value or Verdicts({}, {})
        labels = swap_back(verdicts.ratings, answered.call.order, self.rubric.scale)
        ratings = {about or name: str(label) for name, label in labels.items()}
        reasoning = {about or name: why for name, why in verdicts.reasoning.items()}
        record = dict(answered.pair_record)
        if len(parts) <= 1:
            record["part"] = None
        record["ratings"] = ratings
        record["reasoning"] = reasoning
        return VerdictOpinion.model_validate(record)


# --- the shape of a reply -------------------------------------------------------------


def schema_of(part: LabelQuestion, elicitation: Elicitation) -> dict[str, JsonValue]:
    """Return the JSON schema of the reply to one part: reasons, then the label."""
    return reply_schema(elicitation) if part.is_typed else label_schema(part.labels)


def reply_schema(elicitation: Elicitation) -> dict[str, JsonValue]:
    """Return the JSON schema of a reply: one verdict per dimension, none overall."""
    # Servers generate in the order of the properties: the reasons come before the
    # rating.
    label = TRACE.scale.schema()
    if elicitation == "flat":
        return object_schema(
            {"reasoning": _TEXT, **dict.fromkeys(TRACE.dimensions, label)}
        )
    steps: dict[str, JsonValue] = {
        "answer_1_acceptable": _YES_NO,
        "answer_2_acceptable": _YES_NO,
        "better": PREFERENCE.schema(),
    }
    verdict = steps if elicitation == "acceptability" else {"rating": label}
    verdicts: dict[str, JsonValue] = {}
    for name in TRACE.dimensions:
        verdicts[name] = object_schema({"reasoning": _TEXT, **verdict})
    return object_schema(verdicts)


def label_schema(scale: Scale) -> dict[str, JsonValue]:
    """Return the JSON schema of a reply with one label."""
    return object_schema({"reasoning": _TEXT, key_of(scale): scale.schema()})


def key_of(scale: Scale) -> str:
    """Return the key of the label in a reply."""
    return "match" if scale == MATCH else "label"


# --- one label ------------------------------------------------------------------------


def read_label(text: str, scale: Scale) -> tuple[str, str]:
    """Read reasoning and label of a reply by its keys, ``label`` or ``match``.

    Raises:
        ReplyError: ``unparseable`` or ``off_label``.
    """
    key = key_of(scale)

    def read(reply: dict[str, object]) -> tuple[str, str]:
        reasoning = reply.get("reasoning")
        if not isinstance(reasoning, str):
            raise _unparseable("the reply has no 'reasoning' text")
        refuse_placeholder("the reply", reasoning)
        try:
            return parse_label(reply[key], scale), storable(reasoning)
        except OffScale as error:
            raise ReplyError(Reason.OFF_LABEL, str(error)) from None

    return read_object(
        text,
        {key},
        what=repr(key),
        read=read,
        verdict=lambda answer: answer[0],
        denied=lambda answer, *place: (
            scale != MATCH and contradicts([answer[0]], *place)
        ),
    )


def parse_label(value: object, scale: Scale) -> str:
    """Parse a value's label; raises OffScale, which names the reply's key."""
    try:
        return str(scale.parse(value))
    except OffScale:
        offered = ", ".join(map(str, scale.labels))
        message = f"{key_of(scale)} is {str(value)[:40]!r}; {offered} were offered"
        raise OffScale(message) from None


# --- a verdict per dimension ----------------------------------------------------------


def _unparseable(detail: str) -> ReplyError:
    return ReplyError(Reason.UNPARSEABLE, detail)


def parse_reply(text: str, elicitation: Elicitation) -> Verdicts:
    """Read the verdicts of one reply; raises as :func:`read_label`."""
    return read_object(
        text,
        TRACE.dimensions,
        what="the verdicts",
        read=lambda reply: _read_verdicts(reply, elicitation),
        verdict=lambda verdicts: verdicts.ratings,
        denied=lambda verdicts, *place: contradicts(
            [str(label) for label in verdicts.ratings.values()], *place
        ),
    )


def _read_verdicts(reply: dict[str, object], elicitation: Elicitation) -> Verdicts:
    """Read the verdicts of one object."""
    ratings: dict[str, Any] = {}
    reasoning: dict[str, str] = {}
    try:
        if (
            elicitation == "flat"
        ):  # one reasoning, as TRACE's released code reads it; it may lack
            words = reply.get("reasoning") or ""
            if isinstance(words, str):
                shown = words
            else:
                shown = json.dumps(words, ensure_ascii=False)
            if isinstance(words, str):
                refuse_placeholder("the reply", words)
            reasoning = dict.fromkeys(TRACE.dimensions, storable(shown))
            for name in TRACE.dimensions:
                ratings[name] = TRACE.parse(name, _field("the reply", reply, name))
            return Verdicts(ratings, reasoning)
        for name in TRACE.dimensions:
            verdict = reply.get(name)
            if not isinstance(verdict, dict):
                raise _unparseable(f"the reply has no object {name!r}")
            words = verdict.get("reasoning")
            if not isinstance(words, str):
                raise _unparseable(f"{name} has no 'reasoning' text")
            refuse_placeholder(name, words)
            reasoning[name] = storable(words)
            ratings[name] = _label(elicitation, name, verdict)
        return Verdicts(ratings, reasoning)
    except OffScale as error:
        raise ReplyError(Reason.OFF_LABEL, str(error)) from None


def _label(elicitation: Elicitation, where: str, verdict: dict[str, object]) -> Any:
    """Return the label on the rubric's scale that a dimension's verdict stands for."""
    if elicitation == "label":
        return TRACE.parse(where, _field(where, verdict, "rating"))
    acceptable = []
    for name in ("answer_1_acceptable", "answer_2_acceptable"):
        value = _field(where, verdict, name)
        if not isinstance(value, bool):
            raise OffScale(
                f"{where}: {name} is {str(value)[:40]!r}; true or false were offered"
            )
        acceptable.append(value)
    try:
        better = PREFERENCE.parse(_field(where, verdict, "better"))
    except OffScale as error:
        raise OffScale(f"{where}: {error}") from None
    first, second = acceptable
    return from_steps(first, second, None if better == "tie" else Rating(better))


def _field(where: str, verdict: dict[str, object], name: str) -> object:
    if name not in verdict:
        raise _unparseable(f"{where} has no {name!r}")
    return verdict[name]
