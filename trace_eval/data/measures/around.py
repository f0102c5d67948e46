"""Directions that are known by the text that stands beside them, whatever the form.

Where an answer says a sentence of its request, that sentence was to be said. What names
a manner elsewhere in the request is then a direction: "NARRATOR - wistfully - The ferry
is late.", "<style>wistful</style> The ferry is late.". A request to edit words, about
words, or with a question to be answered has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from extractors.manner_words import MOODS
from trace_eval.data.measures.delivery import CHOICE, EDITS, LIGHT, OF_TEXT, SOUNDING
from trace_eval.data.measures.manner import (
    MAX_REQUEST,
    PLAIN,
    Directions,
    stems_in,
    words_in,
)
from trace_eval.data.measures.misheard import stem_of
from trace_eval.data.measures.moods import (
    COMMENTS,
    NO_MANNER,
    is_of_speech,
)
from trace_eval.data.measures.unasked import NAMED, OF_WORDS, asks_otherwise, names_in

#: Words of a sentence that may be the text to be said, and such sentences of a request.
_LEAST_WORDS, _MOST_SENTENCES = 4, 12

#: Words within marks that are read as they stand.
_MOST_OF_NOTE = 5

_MARKS = re.compile(r"[.!?:;\"()\[\]<>{}*_|~/=\n]+|(?<!\w)'|'(?!\w)|\s-+\s")
_NOTE = re.compile(
    r"(?:[(\[<{*_|~/]|\s-+\s)\s*(?P<what>[^()\[\]<>{}*_|~/\n.!?:;-]{2,40}?)\s*"
    r"(?:[)\]>}*_|~/]|\s-+\s)"
)
_ADVERB = re.compile(r"\b[a-z]{3,}ly\b")


@lru_cache(maxsize=8)  # a request has several answers
def around_sentences(request: str) -> tuple[Directions, ...]:
    """Read the directions beside each sentence of a request that may be said."""
    text = request[:MAX_REQUEST].translate(PLAIN)
    pieces = [(one.strip(), *words_in(one)) for one in _MARKS.split(text)]
    long = [words for words in pieces if len(words) > _LEAST_WORDS]
    if len(long) > _MOST_SENTENCES:
        return ()
    return tuple(found for words in long for found in _beside(text, *words))


def _beside(text: str, sentence: str, *literal: str) -> Iterator[Directions]:
    """Yield the directions beside a sentence, if there are some."""
    before, _, behind = text.partition(sentence)
    if "?" in behind or EDITS.search(SOUNDING.sub(" ", f"{before} . {behind}".lower())):
        return
    rest = f"{before} \n {behind}".lower()
    sentences = re.split(r"(?<=[.?!\n])\s+", rest)
    if CHOICE.search(rest) or OF_WORDS.search(rest) or NAMED.search(rest):
        return
    if any(map(asks_otherwise, sentences)):
        return
    names = names_in(text)
    phrases = [*dict.fromkeys([*_in_marks(before, behind), *_named(rest)])]
    kept = [phrase for phrase in phrases if phrase and names.isdisjoint(phrase)]
    stems = stems_in(kept) - {stem_of(word) for word in literal}
    if stems:
        yield Directions(
            stems=stems,
            phrases=tuple(kept),
            literal=literal,
            only_around=True,
            content=frozenset(words_in(text)).difference(*kept),
        )


def _in_marks(*texts: str) -> Iterator[tuple[str, ...]]:
    """Yield what stands within marks: "(devotedly, please)", "- with a wail -"."""
    for text in texts:
        for match in _NOTE.finditer(f"{text} "):
            words = [word for word in words_in(match["what"]) if word not in LIGHT]
            if words and len(words) <= _MOST_OF_NOTE:
                yield tuple(words)


def _named(text: str) -> Iterator[tuple[str, ...]]:
    """Yield what names a manner anywhere in a text."""
    for match in OF_TEXT.finditer(text):
        words = tuple(match[match.lastgroup or 0].split())
        if match.lastgroup != "mood" or words[0] in MOODS:
            yield words
    for match in _ADVERB.finditer(text):
        if is_of_speech(match[0]) and match[0] not in NO_MANNER | COMMENTS:
            yield (match[0],)
