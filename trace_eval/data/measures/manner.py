"""The directions of a request, and how they sound where an answer reads them out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from trace_eval.data.measures.misheard import phonemes, sounds_of, stem_of
from trace_eval.data.measures.moods import HEAD, SOUNDS
from trace_eval.data.word_lists import words_of

#: Characters of a request, and words of an answer, that are read.
MAX_REQUEST, MAX_WORDS = 4000, 2000

#: Words of an answer before or behind the text to be said that may be a direction.
MAX_DIRECTION = 8

HEADS = frozenset(HEAD[3:-1].split("|"))

PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "…": ".", "—": ",", "–": ","}
)
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")

#: Words that a direction has beside those that tell which it is.
SUPPORT = words_of(
    (
        "in a an the with and then very voice tone accent manner way style pitch pace"
        " speed volume"
    ),
    (
        "mood sound speak speaks speaking spoken said says saying talk talking read"
        " reading voiced"
    ),
    (
        "using sounding of my his her your out lets let gives give long short deep loud"
        " soft quiet"
    ),
    (
        "slow big heavy little small takes take taking clears clearing throat by while"
        " staying being feeling acting remaining like"
    ),
)
STOP = words_of("in a an the with and then very of my his her your out by while to")

#: Words that open many answers, and are no misheard direction.
OPENERS = words_of(
    (
        "so see say yes yeah sir sure oh okay ok well now sees says said hi hey he she"
        " us i my"
    ),
    "so's its it's it is this that there the and but",
)


@dataclass(frozen=True)
class Directions:
    """The directions of a request.

    Attributes:
        stems: of the words that tell which they are, e.g. ``deep``, ``sigh``.
        phrases: the same as runs of words.
        literal: words that are to be said as they stand; empty where none are given.
        is_asked: they have a question, which an answer may answer.
        hinted: stems of those that are asked for without a verb of speech.
        only_around: they are read around the text to be said, and nowhere else.
        never_alone: words that say what a thing is like, or how it is handled, where
            they stand alone and no text was to be said.
        tells: the answer is to tell something, of which an adverb may be a comment.
        content: other words of the request, which an answer may repeat.
        asks_how: a question asks how something is done, which an adverb may answer.
        asks_advice: it asks how to do something, or what to do.
        in_turn: several manners are wanted one after the other, to be told apart.
    """

    stems: frozenset[str]
    phrases: tuple[tuple[str, ...], ...]
    literal: tuple[str, ...]
    is_asked: bool = False
    hinted: frozenset[str] = frozenset()
    only_around: bool = False
    never_alone: frozenset[str] = frozenset()
    tells: bool = False
    content: frozenset[str] = frozenset()
    asks_how: bool = False
    asks_advice: bool = False
    in_turn: bool = False

    @cached_property
    def forms(self) -> set[str]:
        """How the telling words sound where they are read out: sigh, sighs, sighing."""
        endings = ("", "s", "ing", "ed", "ter", "ly", "edly")
        words = {word for phrase in self.phrases for word in telling(phrase)}
        bases = words | {stem_of(word) for word in words}
        return {phonemes(f"{base}{ending}") for base in bases for ending in endings}

    @cached_property
    def readings(self) -> frozenset[str]:
        """Sounds of the directions as they may be read out, of one or more words."""
        results = set()
        for phrase in self.phrases:
            if not self.stems.isdisjoint(map(stem_of, phrase)):
                for form in _read_out(phrase):
                    results.add("".join(map(sounds_of, form.split())))
        return frozenset(results)

    @property
    def heads(self) -> set[str]:
        """Nouns of the directions, e.g. ``voice``."""
        return {phrase[-1] for phrase in self.phrases} & HEADS


def words_in(text: str) -> list[str]:
    """Return the words of a text in small letters, as recognisers write them."""
    return _WORD.findall(text.lower())


def _read_out(phrase: Sequence[str]) -> Iterator[str]:
    """Yield a direction as models read it out: "in a deep voice", "sighing"."""
    *before, last = phrase
    whole, telling_words = " ".join(phrase), " ".join(before)
    yield whole
    stem = stem_of(last)
    forms = (last, last.removesuffix("s"), stem, f"{stem}e")
    verbs = [form for form in forms if re.fullmatch(SOUNDS, form)]
    if verbs:
        verb = verbs[-1]
        third = verb + ("es" if re.search(r"(?:s|z|sh|ch)$", verb) else "s")
        yield from (verb, third, f"{verb.removesuffix('e')}ing", f"{verb} {verb}")
        if verb == "laugh":
            yield "laughter"
        yield from (f"with a {verb}", f"in a {verb}", f"a {verb}", f"{third} {third}")
    elif last in HEADS and before:
        yield from (telling_words, _adverb(telling_words), f"sounding {telling_words}")
        yield from (f"in a {whole}", f"with a {whole}", f"speaking in a {whole}")
    elif before:  # "clears your throat", "taking a deep breath"
        first, *rest = phrase
        verb = first.removesuffix("ing").removesuffix("s")
        behind = " ".join(rest).removeprefix("your ").removeprefix("his ")
        for form in (f"{verb}s", f"{verb}ing"):
            yield from (f"{form} {behind}", f"{form} his {behind}")
    else:
        manner = last.removesuffix("ly")
        yield from (manner, _adverb(manner), f"speaking {last}", f"very {last}")
        for noun in ("voice", "tone"):
            yield from (f"{manner} {noun}", f"in a {manner} {noun}")
        yield from (f"sounding {manner}", f"staying {manner}", f"being {manner}")


def _adverb(adjective: str) -> str:
    return f"{adjective[:-1]}ily" if adjective.endswith("y") else f"{adjective}ly"


def stems_in(phrases: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return the stems of the words that tell directions."""
    return frozenset(stem_of(word) for phrase in phrases for word in telling(phrase))


def telling(phrase: Sequence[str]) -> list[str]:
    """Select the words that tell a direction: "long pause" tells by its pause."""
    telling_words = [word for word in phrase if word not in SUPPORT]
    if telling_words:
        return telling_words
    return [word for word in phrase if word not in STOP and word not in HEADS]
