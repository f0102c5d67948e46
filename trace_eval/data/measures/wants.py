"""What a request wants beside a manner: something said, advice, or a thing."""

from __future__ import annotations

import re
from typing import NamedTuple

#: Verbs of speech.
SPEAK = (
    r"(?:say|speak|talk|tell|read|answer|reply|respond|repeat|recite|whisper|shout|count|sing"
    r"|explain|describe|act|perform|announce|narrate|greet|ask|deliver|pronounce|name|give"
    r"|recommend|suggest|advise|echo|voice|utter|state|quote|report|introduce|speaking)"
)

#: Verbs of speech that ask for no words, and nouns that look like them.
NOT_SAID = re.compile(
    r"\banswer (?:the|my|his|her) (?:door|phone|call|bell|mails?|e-?mails?|letters?|messages?)\b"
    r"|\bask (?:him|her|them)\b|\bi (?:ask|say|tell|answer|give|name)\b"
    r"|\bname (?:is|was|of)\b|\bthe (?:answer|report|state|voice|act|count|name|quote)\b"
)
_ADDRESSED = re.compile(
    r"(?:^|[.,:;!?)\]}]\s*|\b(?:please|and|but|then|you|to|as|now|just|let's|us|me)\s+)"
    rf"(?:also |just |now )?{SPEAK}\b"
)
_TOLD = re.compile(
    r"(?:^|[.,:;!?)\]}]\s*|\b(?:please|and|but|then|you|to)\s+)"
    r"(?:tell|explain|describe|say|speak|talk|read|recite|repeat|narrate|announce)\b"
)
_ADVICE = re.compile(
    r"\b(?:how (?:to|one|do|does|did|can|should|would i|would you|i|you|we)|ways? (?:to|of)"
    r"|what (?:to|one|(?:do|should|can|shall) (?:i|we|one)|(?:i|we|one) (?:should|can|must)))\b"
    r"|\btell me how\W*$"
)
_OF_ITSELF = re.compile(
    r"\btell me how\W*$|\bhow (?:do|can|should|would) (?:i|we|you) do (?:it|this|that|so)\b"
)
_THING = re.compile(
    r"\b(?:recommend|suggest|name|find|play|show|list|pick|choose|draft|write|invent|give me"
    r"|think of|come up with|which)\b"
)


class Wants(NamedTuple):
    """What a request wants beside a manner.

    Attributes:
        speech: it has a verb of speech, of which a manner may be.
        telling: all of it is told, and nothing is made, found or done.
        advice: how to do something, which an adverb may answer.
        itself: how to sound as it says.
        thing: something is to be found or made, which an adjective may be of.
    """

    speech: bool
    telling: bool
    advice: bool
    itself: bool
    thing: bool


def wants_of(text: str) -> Wants:
    """Return what a request in small letters wants, by its verbs."""
    said = NOT_SAID.sub(" ", text)
    is_advice = bool(_ADVICE.search(text))
    is_of_thing = bool(_THING.search(text))
    return Wants(
        speech=bool(_ADDRESSED.search(said)),
        telling=bool(_TOLD.search(said)) and not is_advice and not is_of_thing,
        advice=is_advice,
        itself=bool(_OF_ITSELF.search(text)),
        thing=is_of_thing,
    )
