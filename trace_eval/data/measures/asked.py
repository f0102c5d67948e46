"""Directions that a request asks for: "with a sigh", "(laughs)", "Tone: sad".

They are read in forms that surely ask for a manner, by a verb of speech, a noun for the
voice or a bracket where a stage direction stands, and in those of ``delivery``. A request
for a word itself, its meaning or a story with it has no direction. English alone is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from extractors.manner_words import MOODS
from trace_eval.data.measures.delivery import delivery
from trace_eval.data.measures.forms import COMMENTING, manners_in, sound_at_end
from trace_eval.data.measures.manner import (
    MAX_REQUEST,
    PLAIN,
    Directions,
    stems_in,
    words_in,
)
from trace_eval.data.measures.misheard import stem_of
from trace_eval.data.measures.moods import (
    HANDLING,
    OF_THINGS,
    SOUNDS,
    words_of_mood,
)
from trace_eval.data.measures.parts import parts_of
from trace_eval.data.measures.unasked import (
    NAMED,
    asks_in_turn,
    asks_otherwise,
    is_chosen,
    names_in,
)
from trace_eval.data.measures.wants import wants_of

#: What a question is about: "With a yawn: what does that say of a talk?"
_VERBLESS = re.compile(r"^\W*(?:with|an?|after|before) ")
_ADVERB = re.compile(r"\b(?P<what>[a-z]{3,}ly)\b")

#: A thing that has the sound itself: "name a song with a whistle".
_WITH_ITS_SOUND = re.compile(
    r"\b(?:song|tune|film|movie|scene|track|record|play|book|novel|poem|word|name"
    r"|bird|toy)s?"
    rf" with (?:an?|some) (?:[\w-]+ )?{SOUNDS}\b"
)

#: How something is done is asked for.
_CLAUSE = re.compile(
    r"\b(?:how (?:to|one|do|i|you|we)|who|what (?:to|one|(?:do|should|can|shall) (?:i"
    r"|we)))\b"
)

_HOW = re.compile(r"\bhow (?:do|does|did|can|should|is|are|was|were|fast|well)\b")
_ADVICE = re.compile(r"\b(?:how|what) (?:to|should|can|do (?:i|we))\b")
_TELLS = re.compile(r"\bthat (?:you|we|the|it|he|she|they|i|there|my|your|our|this)\b")


@lru_cache(maxsize=8)  # a request has several answers
def directions_of(request: str) -> Directions:
    """Read the directions of a request, and the text that it wants said."""
    text = request[:MAX_REQUEST].translate(PLAIN)
    parts = parts_of(text)
    body = re.sub(r"\s+", " ", parts.body.lower())
    sentences = [one for one in re.split(r"(?<=[.?!])\s+", body) if one]
    names = names_in(text)
    literal = tuple(words_in(" ".join(parts.literal)))
    wants = wants_of(parts.bare)
    sure = [manner for note in parts.notes for manner in _noted(note)]
    told_or_asked: list[tuple[str, ...]] = []
    for sentence in sentences:
        is_about = "?" in text and not wants.speech and _VERBLESS.search(sentence)
        if not is_about and not asks_otherwise(sentence):
            found = manners_in(
                _WITH_ITS_SOUND.sub(" ", NAMED.sub(" ", sentence)), names
            )
            sure += (one for one in found if not is_chosen(sentence, one))
            told_or_asked += sound_at_end(sentence)
    hinted: list[tuple[str, ...]] = []
    if wants.speech:
        hinted += delivery(sentences, parts.lead, any_adverb=wants.telling)
    hinted = [phrase for phrase in hinted if names.isdisjoint(phrase)]
    phrases = dict.fromkeys([*sure, *hinted, *told_or_asked])
    every = [phrase for phrase in phrases if phrase]
    stems = stems_in(every) - {stem_of(word) for word in literal}
    weak = {word for phrase in hinted for word in phrase if phrase not in sure}
    answers = MOODS.intersection(weak).union(parts.settings)
    if not wants.thing and "?" not in text:
        answers &= OF_THINGS
    if wants.itself:
        answers |= {phrase[0] for phrase in every if len(phrase) == 1}
    if wants.advice:
        answers |= {word for word in weak if word in MOODS or word.endswith("ly")}
    return Directions(
        stems=stems,
        phrases=tuple(every),
        literal=literal,
        is_asked="?" in " ".join(parts.literal),
        hinted=stems - stems_in(sure),
        never_alone=frozenset(
            answers.union(_of_clauses(sentences), _comments_in(body))
        ),
        asks_how=bool(_HOW.search(body)),
        asks_advice=bool(_ADVICE.search(body)),
        in_turn=len(stems) > 1 and asks_in_turn(parts.bare),
        tells=bool(_TELLS.search(body)),
        content=frozenset(words_in(text)).difference(*sure, *hinted),
    )


def _noted(note: str) -> Iterator[tuple[str, ...]]:
    """Yield what a note wants: "sighs", "with love" or what is loving."""
    words = tuple(words_in(note))
    yield words
    if len(words) == 2 and words[0] == "with":
        yield from ((word,) for word in words_of_mood(words[1]))


def _comments_in(body: str) -> Iterator[str]:
    """Yield adverbs of a request that comment on an answer as well: "hopefully"."""
    for match in COMMENTING.finditer(body):
        yield match["what"]


def _of_clauses(sentences: Sequence[str]) -> Iterator[str]:
    """Yield adverbs that say how to handle a thing: "how to pet a cat gently"."""
    for sentence in sentences:
        for match in _ADVERB.finditer(sentence):
            if match["what"] in HANDLING and _CLAUSE.search(sentence[: match.start()]):
                yield match["what"]
