"""A judge's reply -> one score per recording, 1 to 10, by JSON or by free text.

Slots are places: *first* is what was played first, whichever answer of the pair that was.
Scores are compared as numbers (as text, 9 beats 10), and a reply without a conclusion is no
vote: never a tie, never a number from the middle of an analysis.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from trace_eval.data.judgement import Reason
from trace_eval.judges.chat.reply_json import (
    MAX_REPLY_CHARS,
    ReplyError,
    after_thinking,
    last_object,
    storable,
)

Preference = Literal["1", "2", "tie"]

#: The scale of both scores, ends included.
LOWEST, HIGHEST = 1.0, 10.0

#: Keys of the JSON reply: the reasons come first, so that the scores follow from them.
REASONS = ("prosody", "pacing", "articulation", "overall")
SCORES = ("score_1", "score_2")


@dataclass(frozen=True)
class TwoScores:
    """What one reply says.

    Attributes:
        first, second: scores of the recordings by place, :data:`LOWEST` to :data:`HIGHEST`.
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


def schema() -> dict[str, JsonValue]:
    """JSON schema of the reply that :func:`read_json` takes."""
    number: dict[str, JsonValue] = {"type": "number", "minimum": LOWEST, "maximum": HIGHEST}
    return {
        "type": "object",
        "properties": {
            **{name: {"type": "string"} for name in REASONS},
            **dict.fromkeys(SCORES, number),
        },
        "required": [*REASONS, *SCORES],
        "additionalProperties": False,
    }


def read_json(reply: str) -> TwoScores:
    """Read the last complete JSON object with a score.

    Reasons that are missing stay missing: the scores are what is asked of a reply.

    Raises:
        ReplyError: ``unparseable`` without such an object or with a score that is no number
            (booleans and texts are none), ``off_label`` when one is out of range.
    """
    last = last_object(reply, SCORES, "score_1, score_2")
    first, second = (_number(last, name) for name in SCORES)
    reasons = {
        name: storable(words) for name in REASONS if isinstance(words := last.get(name), str)
    }
    return TwoScores(_in_range(first, SCORES[0]), _in_range(second, SCORES[1]), reasons)


def _number(item: dict[str, object], name: str) -> float:
    value = item.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ReplyError(Reason.UNPARSEABLE, f"{name} is {value!r:.40}; it must be a number")
    return value


def _in_range(value: float, name: str) -> float:
    if not LOWEST <= value <= HIGHEST:
        shown = f"{float(value):g}" if abs(value) < 1e300 else "a huge number"
        raise ReplyError(
            Reason.OFF_LABEL, f"{name} is {shown}; the scale is {LOWEST:g} to {HIGHEST:g}"
        )
    return float(value)


# --- free text -------------------------------------------------------------------------------

# Emphasis of Markdown; an underscore inside a word (score_1) is none.
_EMPHASIS = re.compile(r"[*`#~]+|(?<!\w)_+|_+(?!\w)")

_THING = r"(?:output|audio|recording|clip|sample|speech|voice|version|candidate|score)"
_FIRST = rf"(?:{_THING}[ _]?(?:a|1|one)|(?:the )?first(?: {_THING})?|a(?=\s?[:=]))"
_SECOND = rf"(?:{_THING}[ _]?(?:b|2|two)|(?:the )?second(?: {_THING})?|b(?=\s?[:=]))"
_WORD = r"(?:final|overall|naturalness|score|scored|scores|rating|of|is|was|gets|receives)"
_DECORATION = rf"(?:['’]s)?(?: ?\(?{_WORD}\)?){{0,4}}"

# A number that ends here: not 10:30, 8/5, 8%, 1e1 or 7.5.1.
_SCORE = r"(?P<score>-?\d{1,6}(?:\.\d{1,6})?)(?: ?(?:/|out of) ?10\b)?(?!\.?\d|[:%]\d?|\w| ?/)"
_MENTION = re.compile(
    rf"(?<!\w)(?:(?P<first>{_FIRST})|(?P<second>{_SECOND}))\b{_DECORATION}"
    rf"(?: ?[:=|–—] ?| - | ){_SCORE}",
    re.IGNORECASE,
)

# Between the two mentions of a conclusion: nothing that could be a remark.
_NEXT = re.compile(r"[\W_]*(?:and[\W_]*)?", re.IGNORECASE)


def read_text(reply: str) -> TwoScores:
    """Read the last conclusion: both slots, each with its score, next to each other.

    Only punctuation, white space and "and" may stand between them; either order, any case;
    ``8/10`` is 8. What follows is a remark. Of several conclusions the last one counts.

    Raises:
        ReplyError: ``unparseable`` without a conclusion, ``off_label`` when it is out of range.
    """
    text = " ".join(_EMPHASIS.sub("", _bounded(reply)).split())
    for chain in reversed(_chains(text)):
        if len(chain) > 1:
            return _conclusion(chain)
    raise ReplyError(
        Reason.UNPARSEABLE, "the reply does not end with a score of each recording side by side"
    )


def _bounded(reply: str) -> str:
    """Reasoning models draft scores between think tags; only what follows counts."""
    if len(reply) > MAX_REPLY_CHARS:
        detail = f"the reply has {len(reply)} characters; at most {MAX_REPLY_CHARS} are read"
        raise ReplyError(Reason.UNPARSEABLE, detail)
    return after_thinking(reply)


def _chains(text: str) -> list[list[re.Match[str]]]:
    """Mentions of a slot with a number, grouped where they are next to each other."""
    chains: list[list[re.Match[str]]] = []
    for mention in _MENTION.finditer(text):
        if chains and _NEXT.fullmatch(text, chains[-1][-1].end(), mention.start()):
            chains[-1].append(mention)
        else:
            chains.append([mention])
    return chains


def _conclusion(chain: Sequence[re.Match[str]]) -> TwoScores:
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
        _in_range(scores["first"], "the first score"),
        _in_range(scores["second"], "the second score"),
    )
