"""Replies that compare two answers by labels: their shape, how they are read, what they come to.

The last complete JSON object with what was asked for is the reply; whatever stands before it
(prose, drafts, code fences) is not. It must then be whole: no key missing or twice, no label that
was not offered. It is never mended by guessing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from fusion import MATCH, PREFERENCE, TRACE, OffScale, Rating, Rubric, Scale, from_steps
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.reply_json import ReplyError, last_object, object_schema, storable
from trace_eval.judges.ask.view import AnsweredQuestion, AnswerForm, Replies
from trace_eval.judges.combine.orders import PairOpinions, labelled_judgement, swap_back, unreasoned
from trace_eval.judges.options.groups import Elicitation
from trace_eval.judges.read.hearing import check_hearing
from trace_eval.rubrics.pairs import LabelQuestion, PairRubric

#: What models copy from a form instead of filling it in, in lower case.
_PLACEHOLDERS = frozenset({"string", "text", "reasoning", "your reasoning", "reason", "todo"})

_TEXT: JsonValue = {"type": "string"}


@dataclass(frozen=True)
class Verdicts:
    """The verdicts of a reply, in the order in which the answers were shown.

    Attributes:
        ratings: dimension -> label on the rubric's scale; of one label the key is empty.
        reasoning: dimension -> words.
    """

    ratings: dict[str, Any]
    reasoning: dict[str, str]


class LabelForm(AnswerForm[Verdicts]):
    """Replies of typed ties on TRACE's dimensions, or of one label for each part of a task.

    Args:
        task: whose parts are asked; all of them share key and labels.
        elicitation: how typed ties are asked for.
        listens: refuse replies which say that nothing was heard.
    """

    def __init__(self, task: PairRubric, elicitation: Elicitation, listens: bool) -> None:
        self.task = task
        self.rubric = TRACE if task.rubric == TRACE else task.rubric
        self.schema = schema_of(task.parts[0], elicitation)
        self._elicitation = elicitation
        self._listens = listens

    def read(self, text: str) -> Verdicts:
        """A reply -> labels."""
        if self._listens:
            check_hearing(text)
        if self.task.is_typed:
            return parse_reply(text, self._elicitation)
        label, reasoning = read_label(text, self.rubric.scale)
        return Verdicts({"": label}, {"": reasoning})

    def outcome(self, replies: Replies[Verdicts]) -> Judgement:
        """The judgement of the labels."""
        opinions = [self._opinion(each) for each in replies.questions]
        said = PairOpinions(replies.item.id, replies.judge, replies.orders, opinions)
        judgement = labelled_judgement(said, self.rubric.scale, self.task.asked)
        if judgement.dimensions and self._elicitation != "flat":  # which asks no reasons
            rated = [one for one in opinions if one.ratings]
            reasons = [one.reasoning.get(about, "") for one in rated for about in one.ratings]
            judgement.caveats.extend(unreasoned(reasons))
        judgement.caveats.extend(replies.caveats)
        return judgement

    def _opinion(self, asked: AnsweredQuestion[Verdicts]) -> VerdictOpinion:
        """The verdicts of a reply in terms of the pair's own A and B."""
        parts = {part.name: part for part in self.task.parts}
        about = None if self.task.is_typed else parts[str(asked.question.part)].about
        said = asked.outcome.value or Verdicts({}, {})
        labels = swap_back(said.ratings, asked.call.order, self.rubric.scale)
        record = asked.pair_record | ({} if len(parts) > 1 else {"part": None})
        record["ratings"] = {about or name: str(label) for name, label in labels.items()}
        record["reasoning"] = {about or name: words for name, words in said.reasoning.items()}
        return VerdictOpinion.model_validate(record)


# --- the shape of a reply -------------------------------------------------------------------


def _verdict(rubric: Rubric, elicitation: Elicitation) -> dict[str, JsonValue]:
    # Servers generate in the order of the properties: the reasons come before the rating.
    if elicitation == "label":
        return object_schema({"reasoning": _TEXT, "rating": rubric.scale.schema()})
    yes_no: JsonValue = {"type": "boolean"}
    return object_schema(
        {
            "reasoning": _TEXT,
            "answer_1_acceptable": yes_no,
            "answer_2_acceptable": yes_no,
            "better": PREFERENCE.schema(),
        }
    )


def schema_of(part: LabelQuestion, elicitation: Elicitation) -> dict[str, JsonValue]:
    """JSON schema of the reply to one part; reasons come before the label."""
    return reply_schema(elicitation) if part.is_typed else label_schema(part.labels)


def reply_schema(elicitation: Elicitation, rubric: Rubric = TRACE) -> dict[str, JsonValue]:
    """JSON schema of a reply: one verdict per dimension, and no overall one."""
    if elicitation == "flat":
        labels = dict.fromkeys(rubric.dimensions, rubric.scale.schema())
        return object_schema({"reasoning": _TEXT, **labels})
    return object_schema({name: _verdict(rubric, elicitation) for name in rubric.dimensions})


def label_schema(scale: Scale) -> dict[str, JsonValue]:
    """JSON schema of a reply with one label."""
    return object_schema({"reasoning": _TEXT, key_of(scale): scale.schema()})


def key_of(scale: Scale) -> str:
    """Under which a reply gives its label."""
    return "match" if scale == MATCH else "label"


# --- one label ------------------------------------------------------------------------------


def read_label(text: str, scale: Scale) -> tuple[str, str]:
    """(label, reasoning) of a reply with the keys ``reasoning`` and ``label`` or ``match``.

    Raises:
        ReplyError: ``unparseable`` or ``off_label``.
    """
    key = key_of(scale)
    reply = last_object(text, {key}, repr(key))
    reasoning = reply.get("reasoning")
    if not isinstance(reasoning, str):
        raise ReplyError(Reason.UNPARSEABLE, "the reply has no 'reasoning' text")
    try:
        return parse_label(reply[key], scale), storable(reasoning)
    except OffScale as error:
        raise ReplyError(Reason.OFF_LABEL, str(error)) from None


def parse_label(value: object, scale: Scale) -> str:
    """The label that a value stands for.

    Raises:
        OffScale: it stands for none; the message names the key of the reply.
    """
    try:
        return str(scale.parse(value))
    except OffScale:
        offered = ", ".join(map(str, scale.labels))
        message = f"{key_of(scale)} is {str(value)[:40]!r}; {offered} were offered"
        raise OffScale(message) from None


# --- a verdict per dimension ----------------------------------------------------------------


class _ShapeError(ValueError):
    """An answer that lacks a field, or has one of another type."""


def is_placeholder(words: str) -> bool:
    """True for a reasoning that was copied from the form: then the rating may be copied, too."""
    return words.strip().strip("<>[](){}\"'").strip().lower() in _PLACEHOLDERS


def parse_reply(text: str, elicitation: Elicitation, rubric: Rubric = TRACE) -> Verdicts:
    """Read the verdicts of one reply.

    Raises:
        ReplyError: with reason ``unparseable`` or ``off_label``.
    """
    reply = last_object(text, rubric.dimensions, "the verdicts")
    try:
        if elicitation == "flat":
            return _flat(reply, rubric)
        ratings: dict[str, Any] = {}
        reasoning: dict[str, str] = {}
        for name in rubric.dimensions:
            verdict = reply.get(name)
            if not isinstance(verdict, dict):
                raise _ShapeError(f"the reply has no object {name!r}")
            reasoning[name] = _reasoning(name, verdict.get("reasoning"))
            ratings[name] = _label(rubric, elicitation, name, verdict)
        return Verdicts(ratings, reasoning)
    except _ShapeError as error:
        raise ReplyError(Reason.UNPARSEABLE, str(error)) from None
    except OffScale as error:
        raise ReplyError(Reason.OFF_LABEL, str(error)) from None


def _flat(reply: dict[str, object], rubric: Rubric) -> Verdicts:
    """Labels beside one reasoning, as TRACE's released code reads them; it asks no reasons."""
    said = reply.get("reasoning") or ""
    words = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    if missing := [name for name in rubric.dimensions if name not in reply]:
        raise _ShapeError(f"the reply has no {missing[0]!r}")
    ratings = {name: rubric.parse(name, reply[name]) for name in rubric.dimensions}
    return Verdicts(ratings, dict.fromkeys(rubric.dimensions, storable(words)))


def _reasoning(name: str, words: object) -> str:
    if not isinstance(words, str):
        raise _ShapeError(f"{name} has no 'reasoning' text")
    if is_placeholder(words):
        raise _ShapeError(
            f"{name}: the reasoning is {words.strip()[:40]!r}, no reason; say what decided"
        )
    return storable(words)


def _label(
    rubric: Rubric, elicitation: Elicitation, where: str, verdict: Mapping[str, object]
) -> Any:
    """The label on the rubric's scale that a dimension's verdict stands for."""
    if elicitation == "label":
        return rubric.parse(where, _field(where, verdict, "rating"))
    first = _flag(where, verdict, "answer_1_acceptable")
    second = _flag(where, verdict, "answer_2_acceptable")
    try:
        better = PREFERENCE.parse(_field(where, verdict, "better"))
    except OffScale as error:
        raise OffScale(f"{where}: {error}") from None
    return from_steps(first, second, None if better == "tie" else Rating(better))


def _field(where: str, verdict: Mapping[str, object], name: str) -> object:
    if name not in verdict:
        raise _ShapeError(f"{where} has no {name!r}")
    return verdict[name]


def _flag(where: str, verdict: Mapping[str, object], name: str) -> bool:
    value = _field(where, verdict, name)
    if not isinstance(value, bool):
        raise OffScale(f"{where}: {name} is {str(value)[:40]!r}; true or false were offered")
    return value
