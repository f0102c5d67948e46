"""A judge's reply -> one score per recording, by JSON or by free text.

Slots are places: *first* is what was played first, whichever answer of the pair that was.
Scores are compared as numbers (as text, 9 beats 10), and a reply without a conclusion is no
vote: never a tie, never a number from the middle of an analysis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from pydantic import JsonValue

from trace_eval.data.outcome import Reason
from trace_eval.judges.chat.reply_json import ReplyError, after_thinking, last_object, storable
from trace_eval.rubrics.load import load_pair_rubric
from trace_eval.rubrics.pairs import SCORES, ScoreQuestion

Preference = Literal["1", "2", "tie"]


@dataclass(frozen=True)
class Form:
    """What a reply holds: a remark by criterion, then a score of each recording.

    Attributes:
        low, high: ends of the scale, both included.
        step: between two scores; None: any number may be given.
        reasons: keys of the remarks.
    """

    low: float
    high: float
    step: float | None
    reasons: tuple[str, ...]

    @property
    def labels(self) -> tuple[float, ...] | None:
        """The scores that may be given, lowest first; None: any from low to high."""
        if self.step is None:
            return None
        count = round((self.high - self.low) / self.step) + 1
        return tuple(round(self.low + n * self.step, 9) for n in range(count))


#: Decimals in a reply that are a step of the scale may differ from it by rounding.
_SAME = 1e-9


def form_of(question: ScoreQuestion) -> Form:
    """What replies to a question hold."""
    scale = question.scale
    return Form(scale.min, scale.max, scale.step, question.reasons)


def _naturalness() -> Form:
    found = load_pair_rubric("naturalness")
    assert isinstance(found, ScoreQuestion)
    return form_of(found)


#: Of naturalness (SpeechJudge): fractions occur.
NATURALNESS = _naturalness()


@dataclass(frozen=True)
class TwoScores:
    """What one reply says.

    Attributes:
        first, second: scores of the recordings by place, on the scale of the form.
        reasoning: remark by criterion; empty where the reply is free text.
    """

    first: float
    second: float
    reasoning: dict[str, str] = field(default_factory=dict)

    @property
    def preference(self) -> Preference:
        """The place with the higher score; ``tie`` when equal."""
        return preference(self.first, self.second)


def preference(first: float, second: float, margin: float = 0.0) -> Preference:
    """The side with the higher score; ``tie`` when equal or closer than ``margin``."""
    if first == second or abs(first - second) < margin:
        return "tie"
    return "1" if first > second else "2"


def schema(form: Form = NATURALNESS) -> dict[str, JsonValue]:
    """JSON schema of the reply that :func:`read_json` takes."""
    number: dict[str, JsonValue] = {"type": "number", "minimum": form.low, "maximum": form.high}
    if form.labels is not None:
        number = {"type": "number", "enum": [*form.labels]}
    return {
        "type": "object",
        "properties": {
            **{name: {"type": "string"} for name in form.reasons},
            **dict.fromkeys(SCORES, number),
        },
        "required": [*form.reasons, *SCORES],
        "additionalProperties": False,
    }


def read_json(reply: str, form: Form = NATURALNESS) -> TwoScores:
    """Read the last complete JSON object with a score.

    Reasons that are missing stay missing: the scores are what is asked of a reply.

    Raises:
        ReplyError: ``unparseable`` without such an object or with a score that is no number
            (booleans and texts are none), ``off_label`` when one is off the scale.
    """
    last = last_object(reply, SCORES, "score_1, score_2")
    first, second = (_number(last, name) for name in SCORES)
    reasons = {
        name: storable(words) for name in form.reasons if isinstance(words := last.get(name), str)
    }
    return TwoScores(_on_scale(first, SCORES[0], form), _on_scale(second, SCORES[1], form), reasons)


def _number(item: dict[str, object], name: str) -> float:
    value = item.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ReplyError(Reason.UNPARSEABLE, f"{name} is {value!r:.40}; it must be a number")
    return value


def _on_scale(value: float, name: str, form: Form) -> float:
    if form.low <= value <= form.high:
        near = [label for label in form.labels or (value,) if abs(label - value) <= _SAME]
        if near:
            return float(near[0])
    given = f"{form.low:g} to {form.high:g}"
    if form.step is not None:
        given += f" in steps of {form.step:g}"
    shown = f"{float(value):g}" if abs(value) < 1e300 else "a huge number"
    raise ReplyError(Reason.OFF_LABEL, f"{name} is {shown}; the scale is {given}")


# --- free text -------------------------------------------------------------------------------

# Emphasis of Markdown; an underscore inside a word (score_1) is none.
_EMPHASIS = re.compile(r"[*`#~]+|(?<!\w)_+|(?<!_)_+(?!\w)")

_THING = r"(?:output|audio|recording|clip|sample|speech|voice|version|candidate|score)"
_FIRST = rf"(?:{_THING}[ _]?(?:a|1|one)|(?:the )?first(?: {_THING})?|a(?=\s?[:=]))"
_SECOND = rf"(?:{_THING}[ _]?(?:b|2|two)|(?:the )?second(?: {_THING})?|b(?=\s?[:=]))"
_WORD = r"(?:final|overall|naturalness|score|scored|scores|rating|of|is|was|gets|receives)"
_DECORATION = rf"(?:['’]s)?(?: ?\(?{_WORD}\)?){{0,4}}"


@lru_cache(maxsize=8)
def _mention(high: float) -> re.Pattern[str]:
    """A slot with a number; ``8/10`` is 8 where 10 is the end of the scale."""
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


def read_text(reply: str, form: Form = NATURALNESS) -> TwoScores:
    """Read the last conclusion: both slots, each with its score, next to each other.

    Only punctuation, white space and "and" may stand between them; either order, any case;
    ``8/10`` is 8. What follows is a remark. Of several conclusions the last one counts.

    Raises:
        ReplyError: ``unparseable`` without a conclusion, ``off_label`` when it is off the scale.
    """
    text = " ".join(_EMPHASIS.sub("", after_thinking(reply)).split())
    for chain in reversed(_chains(text, _mention(form.high))):
        if len(chain) > 1:
            return _conclusion(chain, form)
    raise ReplyError(
        Reason.UNPARSEABLE, "the reply does not end with a score of each recording side by side"
    )


def _chains(text: str, slot: re.Pattern[str]) -> list[list[re.Match[str]]]:
    """Mentions of a slot with a number, grouped where they are next to each other."""
    chains: list[list[re.Match[str]]] = []
    for mention in slot.finditer(text):
        if chains and _NEXT.fullmatch(text, chains[-1][-1].end(), mention.start()):
            chains[-1].append(mention)
        else:
            chains.append([mention])
    return chains


def _conclusion(chain: Sequence[re.Match[str]], form: Form) -> TwoScores:
    """The last two mentions of a chain, which must be one of each slot."""
    scores = {
        name: float(mention["score"])
        for mention in chain[-2:]
        for name in ("first", "second")
        if mention[name]
    }
    if len(scores) < 2 or len(chain) % 2:
        shown = "; ".join(mention[0] for mention in chain[-3:])
        raise ReplyError(
            Reason.UNPARSEABLE, f"the conclusion {shown!r:.120} does not name each recording once"
        )
    return TwoScores(
        _on_scale(scores["first"], "the first score", form),
        _on_scale(scores["second"], "the second score", form),
    )
