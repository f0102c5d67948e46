"""What a request says of the manner: "with a sigh", "(laughs)", "slowly".

A request for a word itself, its meaning or a story with it has no direction. English
alone is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from trace_eval.data.measures.misheard import phonemes, sounds_of, stem_of
from trace_eval.data.word_lists import words_of

#: Characters of a request, and words of an answer, that are read.
MAX_REQUEST, MAX_WORDS = 4000, 2000

#: Words of an answer before or behind the text to be said that may be a direction.
MAX_DIRECTION = 8


SOUNDS = (
    r"(?:sigh|laugh|chuckle|giggle|gasp|cough|sob|cry|weep|groan|moan|yawn|whisper|shout|yell"
    r"|scream|pause|sniff|sniffle|gulp|snort|breath|breathe|sneeze|hiccup|growl|grunt|mumble"
    r"|mutter|murmur|stutter|stammer|lisp|smile|grin|cheer|whistle|hum|sing|whimper|wheeze"
    r"|snicker|cackle|howl|shriek|squeal|croak|sneer)"
)
_HEAD = (
    r"(?:voice|tone|accent|whisper|manner|way|style|pitch|pace|speed|volume|mood|sound)"
)
_START = r"(?:^|[.,:;!?]\s*|\b(?:please|and|then|now|first|you|to|just|with)\s+)"
_SPEAK = (
    r"\b(?:say|speak|talk|tell|read|answer|reply|respond|repeat|recite|whisper|shout|count|sing"
    r"|explain|describe|act|perform|announce|narrate|greet|ask|deliver|pronounce|name|give)\b"
)
_PARTICIPLES = "|".join(
    rf"{sound.removesuffix('e')}{sound[-1]}?ing" for sound in SOUNDS[3:-1].split("|")
)
_SAYING = (
    r"\b(?:say|speak|talk|read|answer|reply|respond|repeat|recite)"
    r"(?: (?:me|it|this|that|to me|the following))?"
)

#: What stands before a request; "will it be cold?" asks for no manner.
_ASKED = r"(?:^|[.,:;!?]\s*|\b(?:please|and|but|then|i want you to|i'd like you to)\s+)"

#: Words that say how to speak where that is asked for, and may stand in any question.
_ANY_MANNER = (
    r"[a-z]+(?:ed|y|ful|ing|ic|ous|ish|less|ive|like|[ae]nt)|sad|angry|mad|calm|glad|shy|bored"
    r"|warm|solemn|emotional|casual|formal|sentimental|theatrical|cynical|sceptical|skeptical"
    r"|gentle|soft|quiet|loud|stern|grave|hoarse|tender|timid|sincere|mellow|brisk|grim|tense"
    r"|upbeat|smug|slow|cold"
)

#: How directions are asked for; the group ``what`` holds their words.
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:in|with|using|use|adopt|put on|take on|do|imitate|have) (?:an?|your|the|my|some)"
        rf" (?P<what>(?:[\w-]+,? (?:and )?){{0,4}}{_HEAD})\b",
        rf"\bwith (?:an?|some|your|the)? ?(?P<what>(?:[\w-]+ ){{0,3}}{SOUNDS})s?\b",
        rf"\b(?:let out|give|add|insert|make|start with|begin with|end with|finish with)"
        rf" (?:an?|some|your|the)? ?(?P<what>(?:[\w-]+ ){{0,2}}{SOUNDS})s?\b",
        rf"{_START}(?P<what>{SOUNDS})\b",
        rf"\b(?:while|by) (?P<what>{_PARTICIPLES})\b",
        r"\b(?:sound|be|act|seem|appear) (?:very |really |as )?"
        r"(?P<what>[a-z]+(?:ed|y|ful|ing|ic|ous|ish|less|ive)"
        r"|sad|angry|mad|calm|glad|shy|bored)\b",
        rf"(?:\bsound|{_ASKED}(?:be|act|seem|appear|stay|remain)) (?:very |really |as )?"
        rf"(?P<what>{_ANY_MANNER})\b",
        rf"{_ASKED}(?:sound|be|act|seem|appear) (?:very |really |as )?"
        rf"(?P<what>[a-z]{{3,}}) and {_SPEAK}",
        rf"{_SAYING}\s+(?P<what>{_PARTICIPLES})\s*(?:[.,:;!?]|$|that\b)",
        r"\b(?P<what>clear(?:s|ing)? (?:your|his|her|the) throat"
        r"|tak(?:e|es|ing) an? (?:\w+ )?breath)\b",
    )
)
_ADVERB = re.compile(r"\b(?P<what>[a-z]{3,}ly)\b")
_NO_MANNER = words_of(
    (
        "only really exactly family reply kindly actually briefly early daily simply"
        " possibly italy"
        " probably especially usually finally currently directly recently fully nearly"
        " july friendly"
    ),
    "lovely likely weekly monthly apply supply fly assembly",
    (
        "different consistent present absent silent transparent intelligent independent"
        " efficient relevant important current recent sufficient innocent pleasant"
    ),
    (
        "specific objective exhaustive comprehensive realistic scientific basic generic"
        " creative decisive effective positive descriptive inclusive informative serious"
        " honest polite frank truthful careful brief kind nice ready sure clear fair"
    ),
)

_NOTE = re.compile(r"(?<![(\[*<])[(\[*<]+\s*(?P<what>[^()\[\]*<>:]{2,40}?)\s*[)\]*>]+")
_QUOTE = re.compile(
    r"(?<!\w)(?P<mark>[\"'])(?=\S)(?P<words>.*?\S)(?P=mark)(?!\w)", re.S
)
_ANSWERS = re.compile(
    r"\b(?:answer|reply|respond|tell|explain)\b"
    r"|^(?!.*\b(?:say|read|repeat|recite|pronounce|speak|whisper|shout|sing)\b).*"
    r"\b(?:be|sound|stay|remain)\b",
    re.S,
)
_COLON = re.compile(r":\s*(?P<words>[^:]+)$", re.S)

#: The word itself is asked for, or what it means.
_OF_WORDS = re.compile(
    r"\b(?:what (?:does|do|is|are|was)|mean(?:s|ing)?|define|definition|spell(?:ed|ing)?|translate"
    r"|synonyms?|antonyms?|rhymes?|how do (?:you|i) (?:say|spell|pronounce)|in a sentence)\b"
)
_NAMED = re.compile(
    r"\b(?:the )?(?:word|words|term|verb|noun|adjective|adverb|expression|title)s? [\w-]+"
)

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
    "slow big heavy little small takes take taking clears clearing throat by while",
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
        tells: the answer is to tell something, of which an adverb may be a comment.
        content: other words of the request, which an answer may repeat.
        asks_how: a question asks how something is done, which an adverb may answer.
        asks_advice: it asks how to do something, or what to do.
    """

    stems: frozenset[str]
    phrases: tuple[tuple[str, ...], ...]
    literal: tuple[str, ...]
    tells: bool = False
    content: frozenset[str] = frozenset()
    asks_how: bool = False
    asks_advice: bool = False

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


@lru_cache(maxsize=8)  # a request has several answers
def directions_of(request: str) -> Directions:
    """Read the directions of a request, and the text that it wants said."""
    text = request[:MAX_REQUEST].translate(PLAIN)
    notes = [match["what"].lower() for match in _NOTE.finditer(text)]
    bare = _NOTE.sub(" , ", text)
    literal = [match["words"] for match in _QUOTE.finditer(bare)]
    body = _QUOTE.sub(" ", bare)
    if colon := _COLON.search(body):
        # "Please answer with a sigh: what is the weather?" is a request, too.
        is_question = colon["words"].rstrip().endswith("?") and _ANSWERS.search(
            body.lower()
        )
        is_text = len(words_in(colon["words"])) >= 2 and not is_question
        literal += [colon["words"]] if is_text else []
        body = (
            f"{body[: colon.start()]}."
            f" {colon['words'] if '?' in colon['words'] else ''}"
        )
    elif notes and not literal and not re.search(_SPEAK, body.lower()):
        literal, body = [body], ""  # a script: "[sighs] It is Monday."
    phrases = [tuple(words_in(note)) for note in notes if len(note.split()) <= 5]
    for sentence in re.split(r"(?<=[.?!])\s+", body.lower()):
        if not _OF_WORDS.search(sentence):
            phrases += _manners(_NAMED.sub(" ", sentence))
    kept = [phrase for phrase in phrases if phrase]
    literal_words = tuple(words_in(" ".join(literal)))
    stems = {stem_of(word) for phrase in kept for word in telling(phrase)}
    return Directions(
        stems=frozenset(stems - {stem_of(word) for word in literal_words}),
        phrases=tuple(kept),
        literal=literal_words,
        asks_how=bool(_HOW.search(body.lower())),
        asks_advice=bool(_ADVICE.search(body.lower())),
        tells=bool(_TELLS.search(body.lower())),
        content=frozenset(words_in(text))
        - {word for phrase in kept for word in phrase},
    )


def _read_out(phrase: Sequence[str]) -> Iterator[str]:
    """Yield a direction as models read it out: "in a deep voice", "sighing"."""
    *before, last = phrase
    whole, telling_words = " ".join(phrase), " ".join(before)
    yield whole
    stem = stem_of(last)
    verbs = [form for form in (last, stem, f"{stem}e") if re.fullmatch(SOUNDS, form)]
    if verbs:
        verb = verbs[-1]
        third = verb + ("es" if re.search(r"(?:s|z|sh|ch)$", verb) else "s")
        yield from (verb, third, f"{verb.removesuffix('e')}ing", f"{verb} {verb}")
        if verb == "laugh":
            yield "laughter"
        yield from (f"with a {verb}", f"in a {verb}", f"a {verb}", f"{third} {third}")
    elif last in HEADS and before:
        yield from (telling_words, _adverb(telling_words))
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
        yield from (f"in a {manner} voice", f"{manner} voice", f"{manner} tone")


def _adverb(adjective: str) -> str:
    return f"{adjective[:-1]}ily" if adjective.endswith("y") else f"{adjective}ly"


_HOW = re.compile(r"\bhow (?:do|does|did|can|should|is|are|was|were|fast|well)\b")
_ADVICE = re.compile(r"\b(?:how|what) (?:to|should|can|do (?:i|we))\b")
_TELLS = re.compile(r"\bthat (?:you|we|the|it|he|she|they|i|there|my|your|our|this)\b")


def _manners(sentence: str) -> Iterator[tuple[str, ...]]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(sentence):
            if match["what"] not in _NO_MANNER:
                yield tuple(words_in(match["what"]))
    if re.search(_SPEAK, sentence):
        for match in _ADVERB.finditer(sentence):
            if match["what"] not in _NO_MANNER:
                yield (match["what"],)


def telling(phrase: Sequence[str]) -> list[str]:
    """Select the words that tell a direction: "long pause" tells by its pause."""
    telling_words = [word for word in phrase if word not in SUPPORT]
    if telling_words:
        return telling_words
    return [word for word in phrase if word not in STOP and word not in HEADS]


HEADS = frozenset(_HEAD[3:-1].split("|")) - {"whisper"}
