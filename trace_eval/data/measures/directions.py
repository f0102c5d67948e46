"""Directions read aloud: words of an answer that the request meant as its manner.

A request says how to speak: "with a sigh", "in a deep voice", "(laughs)". Some models speak those
words instead of following them. They are found where they stand by themselves: before or behind
the text that was to be said, or as a fragment that begins or ends a sentence. A request for the
word itself, its meaning or a story with it has no direction. English alone is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import Literal

from rapidfuzz.distance import Levenshtein

#: Characters of a request, and words of an answer, that are read.
MAX_REQUEST, MAX_WORDS = 4000, 2000

#: Words of an answer before or behind the text to be said that may be a direction.
MAX_DIRECTION = 8

#: Similarity of spellings from which on one word may be the other misheard, and of sounds where
#: nothing but a direction can stand at that place.
MISHEARD, SOUNDS_ALIKE = 0.8, 0.5


def _words_of(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


_SOUNDS = (
    r"(?:sigh|laugh|chuckle|giggle|gasp|cough|sob|cry|weep|groan|moan|yawn|whisper|shout|yell"
    r"|scream|pause|sniff|sniffle|gulp|snort|breath|breathe|sneeze|hiccup|growl|grunt|mumble"
    r"|mutter|murmur|stutter|stammer|lisp|smile|grin|cheer|whistle|hum|sing)"
)
_HEAD = r"(?:voice|tone|accent|whisper|manner|way|style|pitch|pace|speed|volume|mood|sound)"
_START = r"(?:^|[.,:;!?]\s*|\b(?:please|and|then|now|first|you|to|just|with)\s+)"
_SPEAK = (
    r"\b(?:say|speak|talk|tell|read|answer|reply|respond|repeat|recite|whisper|shout|count|sing"
    r"|explain|describe|act|perform|announce|narrate|greet|ask|deliver|pronounce|name)\b"
)

#: How directions are asked for; the group ``what`` holds their words.
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:in|with|using|use|adopt|put on|take on|do|imitate|have) (?:an?|your|the|my|some)"
        rf" (?P<what>(?:[\w-]+,? (?:and )?){{0,4}}{_HEAD})\b",
        rf"\bwith (?:an?|some|your|the)? ?(?P<what>(?:[\w-]+ ){{0,3}}{_SOUNDS})s?\b",
        rf"\b(?:let out|give|add|insert|make|start with|begin with|end with|finish with)"
        rf" (?:an?|some|your|the)? ?(?P<what>(?:[\w-]+ ){{0,2}}{_SOUNDS})s?\b",
        rf"{_START}(?P<what>{_SOUNDS})\b",
        rf"\b(?:while|by) (?P<what>{_SOUNDS[:-1]}|laugh|cry)ing)\b",
        r"\b(?:sound|be|act|seem|appear) (?:very |really |as )?(?P<what>[a-z]+(?:ed|y|ful|ing)"
        r"|sad|angry|mad|calm|glad|shy|bored)\b",
        r"\b(?P<what>clear your throat|take a (?:deep )?breath)\b",
    )
)
_ADVERB = re.compile(r"\b(?P<what>[a-z]{3,}ly)\b")
_NO_MANNER = _words_of(
    "only really exactly family reply kindly actually briefly early daily simply possibly italy",
    "probably especially usually finally currently directly recently fully nearly july friendly",
    "lovely likely weekly monthly apply supply fly assembly",
)

_NOTE = re.compile(r"(?<![(\[*<])[(\[*<]+\s*(?P<what>[^()\[\]*<>:]{2,40}?)\s*[)\]*>]+")
_QUOTE = re.compile(r"(?<!\w)(?P<mark>[\"'])(?=\S)(?P<words>.*?\S)(?P=mark)(?!\w)", re.S)
_COLON = re.compile(r":\s*(?P<words>[^:]+)$", re.S)

#: The word itself is asked for, or what it means.
_OF_WORDS = re.compile(
    r"\b(?:what (?:does|do|is|are|was)|mean(?:s|ing)?|define|definition|spell(?:ed|ing)?|translate"
    r"|synonyms?|antonyms?|rhymes?|how do (?:you|i) (?:say|spell|pronounce)|in a sentence)\b"
)
_NAMED = re.compile(
    r"\b(?:the )?(?:word|words|term|verb|noun|adjective|adverb|expression|title)s? [\w-]+"
)

_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "…": ".", "—": ",", "–": ","})
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")

#: Words that a direction has beside those that tell which it is.
_SUPPORT = _words_of(
    "in a an the with and then very voice tone accent manner way style pitch pace speed volume",
    "mood sound speak speaks speaking spoken said says saying talk talking read reading voiced",
    "using sounding of my his her your out lets let gives give long short deep loud soft quiet",
    "slow big heavy little small takes take clears throat by while",
)
_STOP = _words_of("in a an the with and then very of my his her your out by while to")

#: Words that open many answers, and are no misheard direction.
_OPENERS = _words_of(
    "so see say yes yeah sir sure oh okay ok well now sees says said hi hey he she us i my",
    "so's its it's it is this that there the and but",
)

#: Adverbs that comment on a whole sentence: "Sadly, it is closed."
_COMMENTS = _words_of("sadly happily luckily honestly seriously surely hopefully curiously")


@dataclass(frozen=True)
class _Directions:
    """The directions of a request.

    Attributes:
        stems: of the words that tell which they are, e.g. ``deep``, ``sigh``.
        phrases: the same as runs of words.
        literal: words that are to be said as they stand; empty where none are given.
        tells: the answer is to tell something, of which an adverb may be a comment.
        content: other words of the request, which an answer may repeat.
    """

    stems: frozenset[str]
    phrases: tuple[tuple[str, ...], ...]
    literal: tuple[str, ...]
    tells: bool = False
    content: frozenset[str] = frozenset()

    @cached_property
    def forms(self) -> set[str]:
        """Sounds of the telling words as they may be read out: sigh, sighs, sighing."""
        endings = ("", "s", "ing", "ed", "ter")
        words = {word for phrase in self.phrases for word in _telling(phrase)}
        bases = words | {_stem(word) for word in words}
        return {phonemes(f"{base}{ending}") for base in bases for ending in endings}

    @property
    def heads(self) -> set[str]:
        """Nouns of the directions, e.g. ``voice``."""
        return {phrase[-1] for phrase in self.phrases} & _HEADS


def read_aloud(request: str | None, answer: str) -> tuple[str, ...]:
    """Return the directions of a request that an answer speaks as words, as they were heard."""
    directions = _directions(request or "")
    if not directions.stems or not answer.strip():
        return ()
    text = answer.translate(_PLAIN)
    results = [*_around_literal(directions, text), *_fragments(directions, text)]
    return tuple(dict.fromkeys(results))


# --- the request -----------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _stem(word: str) -> str:
    """Remove the endings of a word: laughs, laughing and laughter are one."""
    word = word.removesuffix("'s")
    for suffix in ("ly", "ing", "ter", "ed", "es", "s"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word.removesuffix(suffix)
    return word.removesuffix("e") if len(word) > 3 else word


@lru_cache(maxsize=8)  # a request has several answers
def _directions(request: str) -> _Directions:
    text = request[:MAX_REQUEST].translate(_PLAIN)
    notes = [match["what"].lower() for match in _NOTE.finditer(text)]
    bare = _NOTE.sub(" , ", text)
    literal = [match["words"] for match in _QUOTE.finditer(bare)]
    body = _QUOTE.sub(" ", bare)
    if colon := _COLON.search(body):
        # "Please answer with a sigh: what is the weather?" is a request, too.
        literal += [colon["words"]] if len(_words(colon["words"])) >= 2 else []
        body = f"{body[: colon.start()]}. {colon['words'] if '?' in colon['words'] else ''}"
    elif notes and not literal and not re.search(_SPEAK, body.lower()):
        literal, body = [body], ""  # a script: "[sighs] It is Monday."
    phrases = [tuple(_words(note)) for note in notes if len(note.split()) <= 5]
    for sentence in re.split(r"(?<=[.?!])\s+", body.lower()):
        if not _OF_WORDS.search(sentence):
            phrases += _manners(_NAMED.sub(" ", sentence))
    kept = [phrase for phrase in phrases if phrase]
    said = tuple(_words(" ".join(literal)))
    stems = {_stem(word) for phrase in kept for word in _telling(phrase)}
    return _Directions(
        stems=frozenset(stems - {_stem(word) for word in said}),
        phrases=tuple(kept),
        literal=said,
        tells=bool(_TELLS.search(body.lower())),
        content=frozenset(_words(text)) - {word for phrase in kept for word in phrase},
    )


_TELLS = re.compile(r"\bthat (?:you|we|the|it|he|she|they|i|there|my|your|our|this)\b")


def _manners(sentence: str) -> Iterator[tuple[str, ...]]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(sentence):
            yield tuple(_words(match["what"]))
    if re.search(_SPEAK, sentence):
        for match in _ADVERB.finditer(sentence):
            if match["what"] not in _NO_MANNER:
                yield (match["what"],)


def _telling(phrase: Sequence[str]) -> list[str]:
    """Select the words that tell which direction it is; "long pause" tells by its pause."""
    own = [word for word in phrase if word not in _SUPPORT]
    if own:
        return own
    return [word for word in phrase if word not in _STOP and word not in _HEADS]


_HEADS = frozenset(_HEAD[3:-1].split("|")) - {"whisper"}


# --- the answer ------------------------------------------------------------------------------


def _around_literal(directions: _Directions, text: str) -> Iterator[str]:
    """Return the directions before and behind the text that was to be said."""
    literal, spoken = directions.literal, _words(text)[:MAX_WORDS]
    if len(literal) < 3:
        return
    matcher = SequenceMatcher(None, [*literal], spoken, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if sum(block.size for block in blocks) < 0.5 * len(literal):
        return
    # Words that the recogniser spelled otherwise belong to the text, too.
    begin = max(0, blocks[0].b - blocks[0].a)
    tail = len(literal) - (blocks[-1].a + blocks[-1].size)
    end = min(len(spoken), blocks[-1].b + blocks[-1].size + tail)
    for piece in (spoken[:begin], spoken[end:]):
        if piece and len(piece) <= MAX_DIRECTION and _is_direction(directions, piece, "far"):
            yield " ".join(piece)


def _fragments(directions: _Directions, text: str) -> Iterator[str]:
    """Yield directions that stand by themselves at either end of a sentence."""
    sentences = [one for one in re.split(r"(?<=[.!?;:])\s+", text) if _words(one)]
    whole = len(_words(text))
    for number, sentence in enumerate(sentences):
        parts = [part for part in re.split(r"[,;:.!?\"]+", sentence) if _words(part)]
        for index in dict.fromkeys((0, len(parts) - 1)):
            words = _words(parts[index])
            comment = directions.tells and len(words) == 1 and words[0] in _COMMENTS
            if comment or len(words) > MAX_DIRECTION:
                continue
            opens = number == 0 and index == 0
            closes = number == len(sentences) - 1 and index == len(parts) - 1
            edge = (opens or closes) and whole >= len(words) + 3
            if _is_direction(directions, words, "near" if edge else "not"):
                yield " ".join(words)
        yield from _runs_on(directions, _words(sentence))
        if number == 0:
            yield from _opens(directions, _words(sentence))


def _runs_on(directions: _Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield directions of several words that run into a sentence: "in a deep voice my name is"."""
    for phrase in directions.phrases:
        telling = [_stem(w) for w in phrase if w not in _STOP]
        with_sound = ("with", "a", *telling), ("with", "an", *telling)
        opens = tuple(map(_stem, words[: len(telling) + 2])) in with_sound
        if opens and directions.stems & set(telling):
            yield " ".join(words[: len(telling) + 2])
            return
        if len(telling) < 2 or not directions.stems & set(telling):
            continue
        opening = [_stem(word) for word in words if word not in _STOP][: len(telling) + 1]
        for skip in (0, 1):  # "speaking in a deep voice"
            begins = skip == 0 or (opening and opening[0] in _SPOKEN)
            if begins and opening[skip : skip + len(telling)] == telling:
                yield " ".join(phrase)
                return


def _opens(directions: _Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a misheard participle without a pause behind it: "yoning the cat chased a ball"."""
    if not words or not words[0].endswith("ing") or words[0] in directions.content:
        return
    verbs = [stem for stem in directions.stems if re.match(_SOUNDS, stem)]
    key = phonemes(words[0])
    if len(key) >= 5 and key in {phonemes(f"{verb}ing") for verb in verbs}:
        yield words[0]


_SPOKEN = frozenset(_stem(word) for word in ("speaking", "spoken", "said", "says", "talking"))


#: How far a word may be from the one that was read out: not misheard at all; by one sound, at
#: either end of an answer; by more, where nothing but a direction can stand.
_Misheard = Literal["not", "near", "far"]


def _is_direction(directions: _Directions, words: Sequence[str], misheard: _Misheard) -> bool:
    """Whether words are nothing but a direction."""
    own = [word for word in words if word not in _SUPPORT or _stem(word) in directions.stems]
    if not own:
        return False
    by_sound = misheard if len(own) <= 2 else "not"
    unknown = [word for word in own if not _matches(directions, word, by_sound)]
    if not unknown:
        return True
    if len(unknown) > 1 or misheard == "not":
        return False
    (odd,) = unknown
    if len(own) > 1 and odd == words[-1] and len(words) <= 5:
        # "In an excited don't": only the noun was misheard.
        return any(_sounds_like(_sound(odd), _sound(head)) for head in directions.heads)
    # "That voice," for "sad voice": only the word that tells was misheard.
    headed = len(words) <= 4 and words[-1] in directions.heads
    return headed and odd not in _OPENERS - {"that"}


def _matches(directions: _Directions, word: str, misheard: _Misheard) -> bool:
    stem = _stem(word)
    if stem in directions.stems:
        return True
    if any(_alike(stem, other) for other in directions.stems):
        return True
    if misheard == "not" or word in _OPENERS or word in directions.content:
        return False
    key = phonemes(word)
    if any(_near(key, form) for form in directions.forms):
        return True
    sound = _sound(word)
    likes = (_sounds_like(sound, _sound(other)) for other in directions.stems)
    return misheard == "far" and any(likes)


def _near(one: str, other: str) -> bool:
    """Whether two words sound alike, or differ by one sound of at least four."""
    if one == other:
        return len(one) >= 3
    return min(len(one), len(other)) >= 4 and Levenshtein.distance(one, other) <= 1


def _ratio(one: str, other: str) -> float:
    first, second = sorted((one, other))  # the ratio depends on the order of its inputs
    return SequenceMatcher(None, first, second).ratio()


def _alike(one: str, other: str) -> bool:
    if min(len(one), len(other)) < 4:
        return False
    return _ratio(one, other) >= MISHEARD


#: Spellings and what they sound like; voiced and voiceless are one.
_SPELLINGS = (
    *((r"igh|eigh", "i"), (r"augh|ough", "of"), (r"^ps", "s"), (r"^kn", "n"), (r"^wr", "r")),
    *(
        (r"ph|gh", "f"),
        (r"ck|q|x", "k"),
        (r"c(?=[eiy])", "s"),
        (r"tch|ch|j|dge?", "t"),
        (r"c", "k"),
    ),
    *((r"[bp]+", "p"), (r"[dt]+", "t"), (r"[gk]+", "k"), (r"[fv]+", "f"), (r"[sz]+", "s")),
)


def phonemes(word: str) -> str:
    """Return the sounds of a word roughly, a letter each, e.g. ``yons`` for yawns."""
    text = word.replace("'", "")
    for pattern, sound in _SPELLINGS:
        text = re.sub(pattern, sound, text)
    text = re.sub(r"(?<=[^aeiouy])e$|h|(?<=.)w", "", text)
    text = re.sub(r"(?<=.)y|[ei]+", "i", re.sub(r"[aou]+", "o", text))
    return re.sub(r"(.)\1+", r"\1", text)


def _sound(word: str) -> str:
    """Return the consonants of a word as they sound, and its first vowel."""
    text = _stem(word)
    for pattern, sound in _SPELLINGS:
        text = re.sub(pattern, sound, text)
    vowel = re.search(r"[aeiouy]", text)
    first = {"y": "i", "e": "i"}.get(vowel[0], vowel[0]) if vowel else ""
    return re.sub(r"[aeiouyhw]+", "", text) + first


def _sounds_like(one: str, other: str) -> bool:
    if not one or not other or one[0] != other[0]:
        return False
    return _ratio(one, other) >= SOUNDS_ALIKE
