"""Directions read aloud: words of an answer that the request meant as its manner.

A request says how to speak: "with a sigh", "in a deep voice", "(laughs)". Some models
speak those words instead of following them. They are found where they stand by
themselves: before or behind the text that was to be said, or as a fragment that begins
or ends a sentence. A request for the word itself, its meaning or a story with it has no
direction. English alone is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from trace_eval.data.measures.manner import (
    HEADS,
    MAX_DIRECTION,
    MAX_WORDS,
    OPENERS,
    PLAIN,
    SOUNDS,
    STOP,
    SUPPORT,
    Directions,
    directions_of,
    words_in,
)
from trace_eval.data.measures.misheard import (
    alike,
    like_head,
    likeness,
    near,
    phonemes,
    sound_of,
    sounds_like,
    sounds_of,
    stem_of,
)
from trace_eval.data.word_lists import words_of

#: Adverbs that comment on a whole sentence: "Sadly, it is closed."
_COMMENTS = words_of(
    "sadly happily luckily honestly seriously surely hopefully curiously"
)


#: How much words have to sound like a direction: before and behind the text that was to
#: be said, by themselves at either end of an answer, and where they run on.
AROUND, APART, RUNNING = 0.45, 0.6, 0.75

#: Words that stand by themselves at the ends of answers, and are no misheard direction.
_CHATTER = OPENERS | words_of(
    "certainly absolutely definitely surely obviously actually basically honestly clearly",
    "naturally indeed alright right great perfect please thanks thank then finally next",
    "hello good today here's here first let's let me try go i'll i'm that's no got",
    "sorry thing course pleasure um uh ah oh ugh hmm wow hey wait anyway ready man",
)


def read_aloud(request: str | None, answer: str) -> tuple[str, ...]:
    """Return a request's directions that an answer speaks as words, as heard."""
    directions = directions_of(request or "")
    if not directions.stems or not answer.strip():
        return ()
    text = answer.translate(PLAIN)
    results = [*_around_literal(directions, text), *_fragments(directions, text)]
    if len(directions.literal) < 3:
        results += _sounds_on(directions, words_in(text)[:MAX_WORDS])
    return tuple(dict.fromkeys(results))


def _around_literal(directions: Directions, text: str) -> Iterator[str]:
    """Return the directions before and behind the text that was to be said."""
    literal, spoken = directions.literal, words_in(text)[:MAX_WORDS]
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
        if not piece or len(piece) > MAX_DIRECTION:
            continue
        if _is_direction(directions, piece, "far") or _heard_as(
            directions, piece, AROUND
        ):
            yield " ".join(piece)


def _fragments(directions: Directions, text: str) -> Iterator[str]:
    """Yield directions that stand by themselves at either end of a sentence."""
    sentences = [one for one in re.split(r"(?<=[.!?;:])\s+", text) if words_in(one)]
    whole = len(words_in(text))
    for number, sentence in enumerate(sentences):
        parts = [part for part in re.split(r"[,;:.!?\"]+", sentence) if words_in(part)]
        for index in dict.fromkeys((0, len(parts) - 1)):
            words = words_in(parts[index])
            comment = directions.tells and len(words) == 1 and words[0] in _COMMENTS
            if comment or len(words) > MAX_DIRECTION:
                continue
            opens = number == 0 and index == 0
            closes = number == len(sentences) - 1 and index == len(parts) - 1
            edge = (opens or closes) and whole >= len(words) + 3
            misheard: _Misheard = "near" if edge else "not"
            if opens and edge and len(words) == 3 and words[0] in ("in", "with"):
                misheard = "far"  # "with a guest", for "with a gasp"
            twice = index + 1 < len(parts) and words_in(parts[index + 1]) == words
            least = AROUND if opens and twice else APART  # "Half, half", for "cough"
            sounds_so = edge and _heard_as(directions, words, least)
            if sounds_so or _is_direction(directions, words, misheard):
                yield " ".join(words)
        yield from _runs_on(directions, words_in(sentence))
        if number == 0:
            yield from _opens(directions, words_in(sentence))
            yield from _begins_in_voice(directions, words_in(sentence))
            yield from _leads_in(directions, words_in(text)[:MAX_DIRECTION])
        if number == len(sentences) - 1:
            yield from _ends_with(directions, words_in(sentence))
            yield from _ends_in_voice(directions, words_in(sentence))


def _heard_as(directions: Directions, words: Sequence[str], least: float) -> bool:
    """Whether words sound like a direction that was read out."""
    if all(word in _CHATTER or word in directions.content for word in words):
        return False
    sounds = "".join(map(sounds_of, words))
    if len(sounds) < 2:
        return False
    return any(likeness(sounds, reading) >= least for reading in directions.readings)


def _runs_on(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield directions that run into a sentence: "in a deep voice my name is"."""
    for phrase in directions.phrases:
        telling = [stem_of(w) for w in phrase if w not in STOP]
        with_sound = ("with", "a", *telling), ("with", "an", *telling)
        opens = tuple(map(stem_of, words[: len(telling) + 2])) in with_sound
        if opens and directions.stems & set(telling):
            yield " ".join(words[: len(telling) + 2])
            return
        if len(telling) < 2 or not directions.stems & set(telling):
            continue
        opening = [stem_of(word) for word in words if word not in STOP][
            : len(telling) + 1
        ]
        for skip in (0, 1):  # "speaking in a deep voice"
            begins = skip == 0 or (opening and opening[0] in _SPOKEN)
            if begins and opening[skip : skip + len(telling)] == telling:
                yield " ".join(phrase)
                return


def _sounds_on(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield words at an end that sound like a direction: "yawn a cat"."""
    for size in range(1, min(MAX_DIRECTION, len(words) - 3)):
        begins = words[size] in _BEGINS and not _GOES_ON.fullmatch(words[size])
        for piece, fits in ((words[:size], begins), (words[-size:], size > 2)):
            if fits and _heard_as(directions, piece, RUNNING):
                yield " ".join(piece)
                return


def _opens(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a participle without a pause, or a misheard one.

    An example is "yoning the cat chased".
    """
    if not words or not words[0].endswith("ing") or words[0] in directions.content:
        return
    stem = stem_of(words[0])
    is_sound = any(re.fullmatch(SOUNDS, form) for form in (stem, f"{stem}e"))
    own = is_sound and stem in directions.stems
    if own and len(words) > 4 and not _GOES_ON.fullmatch(words[1]):
        yield words[0]
        return
    verbs = [stem for stem in directions.stems if re.match(SOUNDS, stem)]
    key = phonemes(words[0])
    if len(key) >= 5 and key in {phonemes(f"{verb}ing") for verb in verbs}:
        yield words[0]


#: Words with which a sentence begins: before them nothing but a direction can stand.
_BEGINS = words_of(
    (
        "a the as i i'm my there there's well while it it's we you your as is this that"
        " these nobody try when if some many"
    ),
    "please once today",
)


def _leads_in(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a direction that runs into the answer: "pause a cat"."""
    if len(words) < 5:
        return
    own = [*words[:4]]
    skipped = 0
    while skipped < 2 and own[skipped] in ("and", "in", "with", "a", "an", "the"):
        skipped += 1
    word, behind = own[skipped], words[skipped + 1]
    if word in directions.content or behind not in _BEGINS:
        return
    if skipped == 0 and re.fullmatch(SOUNDS, word) and _takes_object(words[1:3]):
        return  # advice: "Pause a moment before you speak"
    exact = any(phonemes(word) == form for form in directions.forms)
    placed = skipped == 2 and own[0] in ("in", "with") and bool(_PLACES & {own[1]})
    telling = {stem for stem in directions.stems if re.match(SOUNDS, stem)}
    likes = [sounds_like(sound_of(word), sound_of(stem)) for stem in telling]
    if (exact and len(phonemes(word)) >= 3) or (placed and any(likes)):
        yield " ".join(own[: skipped + 1])


_PLACES = words_of("a an the")


def _takes_object(behind: Sequence[str]) -> bool:
    """Whether words go on after a verb: "(whisper) the secret", "(pause) a moment"."""
    spans = words_of("moment second minute while bit little few")
    return behind[0] in _OBJECTS or (behind[0] == "a" and behind[1] in spans)


_OBJECTS = words_of("the it it's your this that these as nobody")


def _ends_with(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield the request's phrase that ends an answer: "... in a sad voice"."""
    for phrase in directions.phrases:
        head = phrase[-1]
        known = head in directions.heads or re.fullmatch(SOUNDS, head)
        size = len(phrase) + 2
        piece = [*words[-size:]]
        if not known or len(words) < size + 4 or piece[0] not in ("in", "with"):
            continue
        if piece[1] not in _PLACES:
            continue
        same = [*map(stem_of, piece[2:-1])] == [*map(stem_of, phrase[:-1])]
        last = stem_of(piece[-1]) == stem_of(head)
        last = last or (len(phrase) > 1 and like_head(piece[-1], head))
        if same and last:
            yield " ".join(piece)
            return


def _begins_in_voice(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a manner that an answer begins with.

    An example is "and a quiet boys horses can sleep".
    """
    if len(words) < 7 or words[0] not in ("in", "and", "with", "on"):
        return
    _, article, telling, head = words[:4]
    told = stem_of(telling) in directions.stems and article in _PLACES
    if told and (head in HEADS or like_head(head, "voice")):
        yield " ".join(words[:4])


def _ends_in_voice(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a manner that an answer without a stop ends with: "... in a soft voice"."""
    for size in (4, 3):
        piece = [*words[-size:]]
        if len(words) < size + 4:
            continue
        opens = piece[0] in ("in", "with", "takes", "taking", "clears", "clearing")
        tells = directions.stems & {stem_of(word) for word in piece[1:]}
        placed = piece[1] in _PLACES or piece[0] not in ("in", "with")
        if opens and tells and placed and _is_direction(directions, piece, "not"):
            yield " ".join(piece)
            return


_SPOKEN = frozenset(
    stem_of(word) for word in ("speaking", "spoken", "said", "says", "talking")
)


#: What stands behind a participle that is part of a sentence: "laughing is healthy".
_GOES_ON = re.compile(
    r"is|was|can|may|will|helps?|makes?|gives?|means?|and|or|at|in|on|with|about|too|out|loudly"
    r"|together|a|an|the|your|my|his|her|it|them|has|does|often|always"
)

_SOUND = re.compile(rf"{SOUNDS}(?:s|es|ing|ter)?")

#: How far a word may be from the one that was read out: not misheard at all; by one
#: sound, at either end of an answer; by more, where nothing but a direction can stand.
_Misheard = Literal["not", "near", "far"]


def _is_direction(
    directions: Directions, words: Sequence[str], misheard: _Misheard
) -> bool:
    """Whether words are nothing but a direction."""
    own = [
        word
        for word in words
        if word not in SUPPORT or stem_of(word) in directions.stems
    ]
    exact = [word for word in own if stem_of(word) in directions.stems]
    if exact and misheard == "far" and len(words) <= 3:
        return True  # "pause as", before the text that was to be said
    if exact:  # "dramatic pause", where only "dramatically" was asked for
        own = [word for word in own if word in exact or not _SOUND.fullmatch(word)]
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
        return any(like_head(odd, head) for head in directions.heads)
    # "That voice," for "sad voice": only the word that tells was misheard.
    speaks = odd.endswith("ing") and sounds_like(sound_of(odd), sound_of("speaking"))
    if speaks and odd not in directions.content and len(own) > 1:
        return True  # "Seeking slowly"
    headed = len(words) <= 4 and words[-1] in directions.heads
    return headed and odd not in OPENERS - {"that"}


def _matches(directions: Directions, word: str, misheard: _Misheard) -> bool:
    stem = stem_of(word)
    if stem in directions.stems:
        return True
    if any(alike(stem, other) for other in directions.stems):
        return True
    if misheard == "not" or word in OPENERS or word in directions.content:
        return False
    key = phonemes(word)
    if any(near(key, form) for form in directions.forms):
        return True
    sound = sound_of(word)
    likes = (sounds_like(sound, sound_of(other)) for other in directions.stems)
    return misheard == "far" and any(likes)
