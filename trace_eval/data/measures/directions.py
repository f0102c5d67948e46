"""Directions read aloud: words of an answer that the request meant as its manner.

A request says how to speak: "with a sigh", "in a deep voice", "(laughs)". Some models
speak those words instead of following them. They are found where they stand by
themselves: before or behind the text that was to be said, or as a fragment that begins
or ends a sentence. A request for the word itself, its meaning or a story with it has no
direction. English alone is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from blueprints import Blueprint
from trace_eval.data.measures.around import around_sentences
from trace_eval.data.measures.asked import directions_of
from trace_eval.data.measures.fits import (
    APART,
    AROUND,
    CHATTER,
    RUNNING,
    SOUND,
    TWICE_GUESSED,
    Misheard,
    acts,
    comments,
    heard_as,
    is_direction,
    is_misheard_text,
    likens,
)
from trace_eval.data.measures.hearings import Variant, variants
from trace_eval.data.measures.manner import (
    HEADS,
    MAX_DIRECTION,
    MAX_WORDS,
    PLAIN,
    Directions,
    telling,
    words_in,
)
from trace_eval.data.measures.misheard import likeness, sounds_of, stem_of
from trace_eval.data.measures.moods import SOUNDS
from trace_eval.data.measures.run_in import (
    begins_in_voice,
    ends_bare,
    ends_in_voice,
    ends_with,
    leads_in,
    opens_before_verb,
    opens_with_participle,
    runs_on,
    sounds_on,
    with_misheard,
)
from trace_eval.data.word_lists import words_of

#: How much of a text has to be said: commonly, where a manner is known by that alone,
#: and where it is a question, which an answer may repeat.
LEAST_OF_TEXT, LEAST_OF_SENTENCE, LEAST_OF_QUESTION = 0.5, 0.6, 0.8


def read_aloud(request: str | None, answer: str) -> tuple[str, ...]:
    """Return a request's directions that an answer speaks as words, as heard."""
    found = (_read_in(answer, directions) for directions in _readings(request))
    return next(filter(None, found), ())


def _readings(request: str | None) -> Iterator[Directions]:
    """Yield the directions of a request, then those beside each of its sentences."""
    directions = directions_of(request or "")
    if directions.stems:
        yield directions
    if not directions.in_turn:
        yield from around_sentences(request or "")


def _read_in(answer: str, directions: Directions) -> tuple[str, ...]:
    """Return directions that an answer speaks as words, as heard."""
    text = _VERB_AS_OWNER.sub(r"\1s.", answer.translate(PLAIN))
    if not text.strip() or _says_the_text(directions, text):
        return ()
    results = list(_around_literal(directions, text))
    if not directions.only_around:
        apart = [*_fragments(directions, text)]
        if len(directions.literal) < 3:
            apart += sounds_on(directions, words_in(text)[:MAX_WORDS])
        results += [words for words in apart if _stands_alone(directions, words)]
    if directions.in_turn and _announces(directions, results, text):
        return ()
    return tuple(
        words for words in dict.fromkeys(results) if _goes_on(directions, words, text)
    )


#: "Whisper's leaves turn red" is how recognisers write "Whispers. Leaves turn red".
_VERB_AS_OWNER = re.compile(rf"^(\W*{SOUNDS})'s\b", re.I)


def _says_the_text(directions: Directions, text: str) -> bool:
    """Whether an answer says the text that was to be said, and nothing else."""
    return bool(directions.literal) and tuple(words_in(text)) == directions.literal


def _announces(directions: Directions, results: Sequence[str], text: str) -> bool:
    """Whether an answer names several manners in turn: "Slowly: ... Quickly: ...".

    Words stand between two that are announced; "high, squeaky" is one manner. Sounds are
    to be made, and not to be announced.
    """
    spoken = " ".join(words_in(text))
    if any(re.match(SOUNDS, stem) for stem in _stems_of(directions, " ".join(results))):
        return False
    for one, other in pairwise(results):
        between = spoken.partition(one)[2].partition(other)
        apart = bool(between[0].strip() and between[1])
        first, second = _stems_of(directions, one), _stems_of(directions, other)
        if apart and first and second and first.isdisjoint(second):
            return True
    return False


def _stems_of(directions: Directions, words: str) -> frozenset[str]:
    """Return the stems of a request's directions among words."""
    return directions.stems.intersection(map(stem_of, words.split()))


def _stands_alone(directions: Directions, words: str) -> bool:
    """Whether words are read aloud where no text is said that they stand around."""
    if words in directions.never_alone or _OFFERS_OR_EXCLAIMS.match(words):
        return False
    first, *behind = words.split()
    # A comment: "Boldly said, it is a weak book."
    return not first.endswith("ly") or behind not in (["said"], ["put"], ["speaking"])


#: "I can try a British accent" answers whether it can, "What a surprise!" sounds so.
_OFFERS_OR_EXCLAIMS = re.compile(r"(?:(?:i|we) (?:can|could|may|might)|what an?|how)\b")


def _goes_on(directions: Directions, words: str, text: str) -> bool:
    """Whether an answer goes on beside a direction that no verb of speech asks for.

    "Do it quietly." may be answered by "Quietly."
    """
    stems = set(map(stem_of, words.split()))
    is_hinted = directions.stems <= directions.hinted or stems <= directions.hinted
    return not is_hinted or len(words_in(text)) >= len(words.split()) + 3


def spoken_directions(request: str | None, blueprint: Blueprint) -> tuple[str, ...]:
    """Return a request's directions that an answer speaks as words.

    A likely mishearing is named as such, e.g. ``sigh (heard as 'side')``.
    """
    return spoken_in(request, variants(blueprint))


def spoken_in(request: str | None, texts: Iterable[Variant]) -> tuple[str, ...]:
    """Return the directions in the first of an answer's texts that has some."""
    every = [*texts] if request else []
    found = (_spoken(directions, every) for directions in _readings(request))
    return next(filter(None, found), ())


def _spoken(directions: Directions, texts: Sequence[Variant]) -> tuple[str, ...]:
    """Return which directions are in the first of an answer's texts that has some."""
    heard = texts[0].text if texts else ""
    for variant in texts:
        written = set(map(stem_of, words_in(variant.written)))
        if variant.differs and directions.stems <= written:
            continue  # its word was heard, and belongs to a sentence: "a cough and fever"
        results: list[str] = []
        for words in _read_in(variant.text, directions):
            exact = not directions.stems.isdisjoint(map(stem_of, words.split()))
            direction = words if exact else _nearest(directions, words)
            if variant.differs:
                # Two guesses, of the words and of their sounds, are little evidence.
                if exact or _likeness(directions, words) >= TWICE_GUESSED:
                    results.append(_misheard(direction, variant.written))
            elif exact:
                results.append(words)
            elif not variant.replaced or _likeness(directions, words) >= RUNNING:
                # Other marks alone are little evidence of a pause.
                results.append(_misheard(direction, words))
        if results and not (
            variant.differs and _loses_text(directions, heard, variant)
        ):
            return tuple(dict.fromkeys(results))
    return ()


def _loses_text(directions: Directions, answer: str, variant: Variant) -> bool:
    """Whether a guess stands where words of the text to be said were heard."""
    from rapidfuzz.distance import LCSseq

    instead = words_in(variant.text)
    others = [word for word in instead if stem_of(word) not in directions.stems]
    said = _sounds(directions.literal)
    heard, left = (
        LCSseq.similarity(said, _sounds(words)) for words in (words_in(answer), others)
    )
    return bool(heard - left >= _LEAST_SOUNDS)


#: Sounds of the text from which on something is missing; "the" has two.
_LEAST_SOUNDS = 3


def _sounds(words: Iterable[str]) -> str:
    """Return the sounds of some words."""
    return "".join(map(sounds_of, words))


def _misheard(direction: str, heard: str) -> str:
    """Say what the recogniser wrote for a direction."""
    words = " ".join(words_in(heard))
    return (
        f"{direction} (heard as '{words}')" if words else f"{direction} (not written)"
    )


def _nearest(directions: Directions, words: str) -> str:
    """Return the direction of a request that words sound like most."""
    sounds = _sounds(words.split())
    phrases = [phrase for phrase in directions.phrases if telling(phrase)]

    def alike(phrase: Iterable[str]) -> float:
        return likeness(sounds, _sounds(phrase))

    return " ".join(max(phrases, key=alike))


def _likeness(directions: Directions, words: str) -> float:
    """Compare the sounds of words with those of the nearest direction, 0 to 1."""
    sounds = _sounds(words.split())
    return max(likeness(sounds, reading) for reading in directions.readings)


def _around_literal(directions: Directions, text: str) -> Iterator[str]:
    """Return the directions before and behind the text that was to be said."""
    literal, spoken = directions.literal, words_in(text)[:MAX_WORDS]
    if len(literal) < 3:
        return
    matcher = SequenceMatcher(None, list(literal), spoken, autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    least = LEAST_OF_TEXT
    if directions.is_asked or directions.only_around:
        least = LEAST_OF_QUESTION if directions.is_asked else LEAST_OF_SENTENCE
    if sum(block.size for block in blocks) < least * len(literal):
        return
    first, last = blocks[0], blocks[-1]
    before, behind = spoken[: first.b], spoken[last.b + last.size :]
    opening, closing = literal[: first.a], literal[last.a + last.size :]
    # Words that the recogniser spelled otherwise belong to the text, too.
    edges = (
        (_without_opening(before, opening), before, opening),
        (_without_closing(behind, closing), behind, closing),
    )
    for piece, heard, said in edges:
        if not piece or len(piece) > MAX_DIRECTION:
            continue
        exact = is_direction(directions, piece, "not") or likens(directions, piece)
        if not exact and is_misheard_text(heard, said):
            continue
        if (
            exact
            or is_direction(directions, piece, "far")
            or heard_as(directions, piece, AROUND)
        ):
            yield " ".join(piece)


def _without_opening(heard: Sequence[str], opening: Sequence[str]) -> Sequence[str]:
    """Drop the last words of what was heard, as which the text's opening is heard."""
    sizes = range(min(len(heard), len(opening) + 1) + 1)
    starts = [len(heard) - size for size in sizes]
    start = max(starts, key=lambda start: _fit(heard[start:], opening))
    return heard[:start]


def _without_closing(heard: Sequence[str], closing: Sequence[str]) -> Sequence[str]:
    """Drop the first words of what was heard, as which the text's closing is heard."""
    ends = range(min(len(heard), len(closing) + 1) + 1)
    end = max(ends, key=lambda end: _fit(heard[:end], closing))
    return heard[end:]


def _fit(heard: Sequence[str], said: Sequence[str]) -> tuple[float, int]:
    """Compare words that were heard with those that were said: the larger, the nearer.

    The first number is the likeness of their sounds, so that "raining" stands for "rain
    is"; of equal likeness as many words as were said are the nearer.
    """
    return likeness(_sounds(heard), _sounds(said)), -abs(len(heard) - len(said))


def _fragments(directions: Directions, text: str) -> Iterator[str]:
    """Yield directions that stand by themselves at either end of a sentence."""
    sentences = [one for one in re.split(r"(?<=[.!?;:])\s+", text) if words_in(one)]
    words_of_text = words_in(text)
    for number, sentence in enumerate(sentences):
        words = words_in(sentence)
        is_first = number == 0
        is_last = number == len(sentences) - 1
        yield from _outer_parts(
            directions,
            sentence,
            is_first=is_first,
            is_last=is_last,
            length=len(words_of_text),
        )
        before = words_in(" ".join(sentences[:number]))
        if all(word in CHATTER or len(word) < 3 for word in before):
            yield from runs_on(directions, words)
        if is_first:
            yield from opens_with_participle(directions, words)
            yield from opens_before_verb(directions, words)
            yield from with_misheard(directions, words)
            yield from begins_in_voice(directions, words)
            yield from leads_in(directions, words_of_text[:MAX_DIRECTION])
        if is_last:
            yield from ends_with(directions, words)
            yield from ends_bare(directions, words)
            yield from ends_in_voice(directions, words)


def _outer_parts(
    directions: Directions,
    sentence: str,
    *,
    is_first: bool,
    is_last: bool,
    length: int,
) -> Iterator[str]:
    """Yield the first and the last part of a sentence where they are directions.

    Args:
        is_first, is_last: whether the sentence begins or ends the answer.
        length: words of the whole answer.
    """
    parts = [part for part in re.split(r"[,;:.!?\"]+", sentence) if words_in(part)]
    last = len(parts) - 1
    for index in dict.fromkeys((0, last)):
        words = words_in(parts[index])
        comment = comments(directions, words, sentence)
        in_list = _lists(parts[index:]) or _ends_list(parts[:index], words)
        if comment or in_list or len(words) > MAX_DIRECTION:
            continue
        opens = is_first and index == 0
        closes = is_last and index == last
        behind = words_in(" ".join(parts[index + 1 :]))
        is_whole = length == len(words)
        if opens and _answers(directions, words, behind, alone=is_whole):
            continue
        if (opens or closes) and not is_whole and acts(directions, words):
            yield " ".join(words)
        if likens(directions, words) and _PERSONS.isdisjoint(behind[:1]):
            yield " ".join(words)
        at_edge = (opens or closes) and length >= len(words) + 3
        misheard: Misheard = "near" if at_edge else "not"
        if opens and at_edge and len(words) == 3 and words[0] in ("in", "with"):
            misheard = "far"  # "with a guest", for "with a gasp"
        is_repeated = index < last and words_in(parts[index + 1]) == words
        least = APART
        if opens and is_repeated:
            least = AROUND  # "Half, half", for "cough"
        sounds_so = at_edge and heard_as(directions, words, least)
        if sounds_so or is_direction(directions, words, misheard):
            yield " ".join(words)


def _answers(
    directions: Directions, words: Sequence[str], behind: Sequence[str], alone: bool
) -> bool:
    """Whether the first words answer what was asked: "By hand, gently", "Soft wool".

    What goes on with a preposition is a phrase, and no direction stands in it. "How do
    cats walk?" may be answered by "softly" alone, and "how to greet?" by a list of what
    to do.
    """
    goes_on = bool(behind) and behind[0] in _PHRASES
    if len(words) == 1 and words[0].endswith("ly"):
        return directions.asks_how and (alone or goes_on)
    if len(words) == 1 and re.fullmatch(SOUNDS, words[0]):
        return directions.asks_advice and len(behind) > 4 and behind[-4] == "and"
    return goes_on and len(words) == 2 and words[0] not in _LEADING


def _lists(parts: Sequence[str]) -> bool:
    """Whether an adjective opens a list of three: "Warm, sweet and creamy"."""
    if len(parts) < 2 or len(words_in(parts[0])) != 1:
        return False
    adjective, *others = words_in(" ".join(parts[:2]))
    if len(others) < 3 or others[1] != "and":
        return False
    return not (adjective.endswith("ly") or SOUND.fullmatch(adjective))


def _ends_list(before: Sequence[str], words: Sequence[str]) -> bool:
    """Whether words end a list of adjectives: "in a loud, high voice"."""
    opened = " ".join(words_in(before[-1])[-3:-1]) if before else ""
    return opened in ("in a", "in an", "with a", "with an") and words[-1] in HEADS


#: Words that a phrase goes on with behind a comma.
_PHRASES = words_of("in on at by with without under through from of like as and over")


_LEADING = words_of("in with a an speaking peeking seeking peaking")


#: Whom a likeness may be said of: "Like a child, he believes it".
_PERSONS = words_of(
    "he she it i you we they people everybody everyone who something somebody someone"
)
