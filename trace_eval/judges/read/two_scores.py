"""A judge's reply -> one score per recording, by JSON or by free text; and the votes.

Slots are places: *first* was played first, whichever answer of the pair it is. Scores
are compared as numbers (as text, 9 beats 10), and a reply without a conclusion is not a
vote: never a tie, never a number from the middle of an analysis.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import cast

from pydantic import JsonValue

from fusion import preference_rubric
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.data.outcome import Order, Reason
from trace_eval.data.rubrics.load import load_pair_rubric
from trace_eval.data.rubrics.pairs import SCORES, ScoreQuestion
from trace_eval.data.said_verdicts import contradicts
from trace_eval.judges.ask.reply_json import (
    after_thinking,
    read_object,
    refuse_placeholder,
    storable,
)
from trace_eval.judges.ask.reply_length import object_schema
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.ask.view import AnsweredQuestion, AnswerForm, Replies
from trace_eval.judges.combine.orders import (
    ABOUT,
    preference,
    unreasoned,
    voted_judgement,
)
from trace_eval.judges.read.hearing import check_hearing

#: Decimals in a reply that are a step of the scale may differ from it by rounding.
_SAME = 1e-9

#: Of naturalness (SpeechJudge): fractions occur.
NATURALNESS = cast("ScoreQuestion", load_pair_rubric("naturalness"))


@dataclass(frozen=True)
class TwoScores:
    """The scores of one reply by the place of a recording, on the question's scale."""

    first: float
    second: float
    reasoning: dict[str, str] = field(
        default_factory=dict
    )  # remark by criterion; of JSON alone


def schema(question: ScoreQuestion = NATURALNESS) -> dict[str, JsonValue]:
    """Return the JSON schema of a reply for :func:`read_json`: remarks, then scores."""
    scale = question.scale
    number: dict[str, JsonValue] = {
        "type": "number",
        "minimum": scale.min,
        "maximum": scale.max,
    }
    if scale.labels is not None:
        number = {"type": "number", "enum": list(scale.labels)}
    remarks: dict[str, JsonValue] = {
        name: {"type": "string"} for name in question.reasons
    }
    return object_schema({**remarks, **dict.fromkeys(SCORES, number)})


def read_json(reply: str, question: ScoreQuestion = NATURALNESS) -> TwoScores:
    """Read the last complete JSON object with a score; reasons may be missing.

    Raises:
        ReplyError: ``unparseable`` without such an object or with a score that is not a
            number (booleans and texts are none), ``off_label`` when one is off the
            scale.
    """
    return read_object(
        reply,
        SCORES,
        what="score_1, score_2",
        read=lambda answer: _read_scores(answer, question),
        verdict=lambda scores: (scores.first, scores.second),
        denied=lambda scores, *place: contradicts(
            [str(preference(scores.first, scores.second))], *place
        ),
    )


def _read_scores(last: dict[str, object], question: ScoreQuestion) -> TwoScores:
    """Read the scores of one object."""
    numbers = []
    for name in SCORES:
        value = last.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ReplyError(
                Reason.UNPARSEABLE, f"{name} is {value!r:.40}; it must be a number"
            )
        numbers.append(value)
    reasons: dict[str, str] = {}
    for name in question.reasons:
        words = last.get(name)
        if isinstance(words, str):
            reasons[name] = storable(words)
            refuse_placeholder(name, reasons[name])
    first, second = (
        _on_scale(value, name, question)
        for value, name in zip(numbers, SCORES, strict=True)
    )
    return TwoScores(first, second, reasons)


def _on_scale(value: float, name: str, question: ScoreQuestion) -> float:
    scale = question.scale
    if scale.min <= value <= scale.max:
        near = [
            label for label in scale.labels or (value,) if abs(label - value) <= _SAME
        ]
        if near:
            return float(near[0])
    bounds = f"{scale.min:g} to {scale.max:g}"
    if scale.step is not None:
        bounds += f" in steps of {scale.step:g}"
    shown = f"{float(value):g}" if abs(value) < 1e300 else "a huge number"
    raise ReplyError(Reason.OFF_LABEL, f"{name} is {shown}; the scale is {bounds}")


# --- free text ------------------------------------------------------------------------

# Emphasis of Markdown; an underscore inside a word (score_1) is none.
_EMPHASIS = re.compile(r"[*`#~]+|(?<!\w)_+|(?<!_)_+(?!\w)")

_THING = r"(?:output|audio|recording|clip|sample|speech|voice|version|candidate|score)"
_FIRST = rf"(?:{_THING}[ _]?(?:a|1|one)|(?:the )?first(?: {_THING})?|a(?=\s?[:=]))"
_SECOND = rf"(?:{_THING}[ _]?(?:b|2|two)|(?:the )?second(?: {_THING})?|b(?=\s?[:=]))"
_WORD = (
    r"(?:final|overall|naturalness|score|scored|scores|rating|of|is|was|gets|receives)"
)
_DECORATION = rf"(?:['’]s)?(?: ?\(?{_WORD}\)?){{0,4}}"


@lru_cache(maxsize=8)
def _mention(high: float) -> re.Pattern[str]:
    """Compile a slot with a number; ``8/10`` is 8 where 10 is the end of the scale."""
    of = re.escape(f"{high:g}")
    # A number that ends here: not 10:30, 8/5, 8%, 1e1 or 7.5.1.
    number = r"(?P<score>-?\d{1,6}(?:\.\d{1,6})?)"
    score = rf"{number}(?: ?(?:/|out of) ?{of}\b)?(?!\.?\d|[:%]\d?|\w| ?/)"
    return re.compile(
        rf"(?<!\w)(?:(?P<first>{_FIRST})|(?P<second>{_SECOND}))\b{_DECORATION}"
        rf"(?: ?[:=|–—] ?| - | ){score}",
        re.IGNORECASE,
    )


# Between the two mentions of a conclusion: nothing that could be a remark.
_NEXT = re.compile(r"[\W_]*(?:and[\W_]*)?", re.IGNORECASE)


def read_text(reply: str, question: ScoreQuestion = NATURALNESS) -> TwoScores:
    """Read the last conclusion: both slots, each with its score, next to each other.

    Only punctuation, white space and "and" may stand between them; either order, any
    case; ``8/10`` is 8. What follows is a remark. Of several conclusions the last one
    counts.

    Raises:
        ReplyError: ``unparseable`` without a conclusion, ``off_label`` when it is off
            the scale.
    """
    text = " ".join(_EMPHASIS.sub("", after_thinking(reply)).split())
    chains: list[list[re.Match[str]]] = []  # mentions that are next to each other
    for mention in _mention(question.scale.max).finditer(text):
        if chains and _NEXT.fullmatch(text, chains[-1][-1].end(), mention.start()):
            chains[-1].append(mention)
        else:
            chains.append([mention])
    chain = next((chain for chain in reversed(chains) if len(chain) > 1), None)
    if chain is None:
        raise ReplyError(
            Reason.UNPARSEABLE,
            "the reply does not end with a score of each recording side by side",
        )
    # The last two mentions must be one of each slot.
    scores: dict[str, float] = {}
    for mention in chain[-2:]:
        for name in ("first", "second"):
            if mention[name]:
                scores[name] = float(mention["score"])
    if len(scores) < 2 or len(chain) % 2:
        shown = "; ".join(mention[0] for mention in chain[-3:])
        raise ReplyError(
            Reason.UNPARSEABLE,
            f"the conclusion {shown!r:.120} does not name each recording once",
        )
    return TwoScores(
        _on_scale(scores["first"], "the first score", question),
        _on_scale(scores["second"], "the second score", question),
    )


# --- the outcome ----------------------------------------------------------------------


class TwoScoreForm(AnswerForm[TwoScores]):
    """Replies with a score of each recording; the higher score is a vote.

    ``in_text``: replies end with a line of scores instead of JSON.
    """

    def __init__(self, task: ScoreQuestion, in_text: bool) -> None:
        self.task = task
        self.rubric = preference_rubric(task.name)
        self.schema = schema(task)
        self._read = read_text if in_text else read_json

    def read(self, text: str) -> TwoScores:
        check_hearing(text)
        return self._read(text, self.task)

    def outcome(self, replies: Replies[TwoScores]) -> Judgement:
        opinions = [self.opinion(each) for each in replies.questions]
        judgement = voted_judgement(replies.item.id, replies.judge, opinions, self.task)
        if judgement.dimensions and self._read is read_json:
            rated = [one.reasoning for one in opinions if one.reason is None]
            judgement.caveats.extend(
                unreasoned(" ".join(words.values()) for words in rated)
            )
        judgement.caveats.extend(replies.caveats)
        return judgement

    def opinion(self, answered: AnsweredQuestion[TwoScores]) -> VerdictOpinion:
        """Return the scores of a reply in terms of the pair's own A and B."""
        fields = opinion_fields(answered.outcome.value, answered.call.order)
        return VerdictOpinion.model_validate({**answered.pair_record, **fields})


def opinion_fields(scores: TwoScores | None, order: Order) -> dict[str, object]:
    """Map an opinion's fields back from places to the pair's own A and B."""
    if scores is None:
        return {}
    a, b = scores.first, scores.second
    if order == "ba":
        a, b = b, a
    return {
        "score_a": a,
        "score_b": b,
        "ratings": {ABOUT: preference(a, b)},
        "reasoning": dict(scores.reasoning),
    }
