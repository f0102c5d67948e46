"""The English grammar of requests: who is addressed, and what is the topic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trace_eval.judges.rules.text import QUOTED
from trace_eval.judges.rules.vocabulary import (
    ACCENTS,
    ADJECTIVES,
    EFFECTS,
    EMOTIONS,
    NOUNS,
    WORD_SETS,
)

_SPEAK = (
    r"(?:re)?say|speak|talk|tell|repeat|recite|read|pronounce|count|countdown|narrate|sing|whisper"
    r"|spell|describe|explain|answer|respond|reply|perform|present|announce|deliver|act|sound|voice"
    r"|rap|shout|yell|greet|do|make|translate|convert|teach|give|introduce|simulate"
)
#: A verb of speaking in any of its forms.
SPEAK = rf"\b(?:{_SPEAK})(?:s|ing)?\b|\b(?:narrating|reciting|pronouncing|describing|making)\b"
#: A verb by which a manner is chosen.
CHOOSE = (
    r"\b(?:us(?:e|ing)|keep(?:ing)?|adopt(?:ing)?|maintain(?:ing)?"
    r"|start(?:ing)?|begin(?:ning)?)\b"
)

#: Where an imperative verb can stand.
CLAUSE_START = (
    r"(?:^|[,:;]\s*|\b(?:please|and|then|now|you|first|or|but|don't|do not|never|not|must|should|"
    r"to|just|while|by|without|start|gradually|progressively|slowly|finally)\s+)"
)
NEGATION = re.compile(
    r"\b(?:don't|do not|never|without|avoid|not|no|shouldn't|must not)\s+"
    r"(?!forget\b|hesitate\b|only\b|just\b|worry\b)(?:[\w-]+\s+){0,4}$"
)
_ADDRESS = re.compile(
    r"\b(?:can|could|would|will) you\b|\bplease\b|\byou (?:to|should|must)\b|\bi'd like you\b"
)
_ABOUT_THE_WORLD = re.compile(
    r"^(?:so\s+|and\s+|but\s+)?(?:what|what's|why|how|who|when|where|which|whose|is|are|was|were"
    r"|do|does|did|am|if so|i|i'm|i've|my|he|she|they|we|people|someone|there|it)\b(?!')"
)
_TOPIC = re.compile(
    r"\b(?:about|of|how|why|what|what's|which|whether|who|when|where|difference"
    r"|that (?:can|could|is|are|makes?)|(?<!if )(?:i|we|they|he|she|people))\b"
)
#: "The first half of this sentence" is no topic, it is what is spoken.
#: And "I'd like you to" is a request.
_PART_OF = re.compile(
    r"\b(?:half|part|rest|end|beginning|start|kind|bit|lot) of\b|\bas if \w+"
    r"|\bi(?:'d| would)? (?:like|want|need) you to\b"
)
_CLAUSE_TOPIC = re.compile(r"\b(?:how|why|what|whether|when|where|difference)\b")


def is_instruction(sentence: str) -> bool:
    """Tell whether a sentence may request delivery: no question, and no statement."""
    return bool(_ADDRESS.search(sentence)) or not _ABOUT_THE_WORLD.match(sentence)


def in_topic(before: str) -> bool:
    """Whether the words in front of a place make it part of what is talked about."""
    return bool(_TOPIC.search(_PART_OF.sub("", _clause(before))))


def _clause(before: str) -> str:
    return re.split(r"[,;:]", before)[-1]


def speaks(sentence: str) -> bool:
    """Whether a verb of speaking, or of choosing a manner, is in the sentence."""
    return bool(re.search(SPEAK, sentence) or re.search(CHOOSE, sentence))


def negated(sentence: str, at: int) -> bool:
    """Whether a negation in the same clause reaches position ``at``."""
    clause = re.split(r"[,;:]|\bbut\b|\bthen\b", sentence[:at])[-1]
    return bool(NEGATION.search(clause if clause.endswith(" ") else clause + " "))


@dataclass(frozen=True)
class NounPhrase:
    """``in a slow, low tone``: a delivery noun with its modifiers."""

    noun: str  # one of voice, pace, volume, pitch, accent, styles
    modifiers: tuple[tuple[int, str], ...]  # (position, word)
    start: int  # position of the word that introduces it


#: Only speech has these; the others need a verb of speaking nearby.
_SPOKEN = ("voice", "accent")
_TOKEN = re.compile(r"[a-z]+(?:[-'][a-z]+)*|[,:]|«q»")
_MODIFIERS = frozenset().union(ADJECTIVES, ACCENTS, EMOTIONS, EFFECTS)
_REACH = 14  # words looked at in front of a noun


def noun_phrases(sentence: str) -> Iterator[NounPhrase]:
    """Find delivery nouns introduced as a manner of speaking, with modifiers."""
    tokens = [(match.start(), match[0]) for match in _TOKEN.finditer(sentence)]
    accepted: set[int] = set()
    for index, (_, word) in enumerate(tokens):
        noun = NOUNS.get(word)
        if noun is None:
            continue
        anchor = _anchor(tokens, index, accepted)
        if anchor is None or _CLAUSE_TOPIC.search(
            _clause(sentence[: tokens[anchor][0]])
        ):
            continue
        if noun not in _SPOKEN and not speaks(sentence):
            continue  # "cycle at a slow pace"
        accepted.add(index)
        inner = tokens[anchor + 1 : index]
        if word in WORD_SETS["listed"] and [
            w for _, w in tokens[index + 1 : index + 2]
        ] == [":"]:
            inner = tokens[
                index + 2 :
            ]  # "in three styles: flat, excited and sarcastic"
        modifiers = tuple((at, w) for at, w in inner if w in _MODIFIERS)
        if word == "whisper":
            modifiers += ((tokens[index][0], "whisper"),)
        yield NounPhrase(
            "voice" if noun == "styles" else noun, modifiers, tokens[anchor][0]
        )


def _anchor(tokens: list[tuple[int, str]], noun: int, accepted: set[int]) -> int | None:
    """Find what introduces the noun phrase: a preposition, verb or earlier phrase."""
    strange = 0
    for index in range(noun - 1, max(-1, noun - _REACH), -1):
        word = tokens[index][1]
        if word in WORD_SETS["anchors"] or index in accepted:
            return index
        if word in WORD_SETS["fillers"] or word in _MODIFIERS:
            continue
        strange += 1  # "a playful, squeaky voice": words that nobody listed
        if strange > 2 or word in ("about", "of", "the", "is", "are", QUOTED):
            return None
    return None
