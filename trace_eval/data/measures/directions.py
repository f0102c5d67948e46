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

#: Requests with these words are told of, where any adverb may open: "Slowly, it rose."
_TALES = words_of("story tale happened happen news")

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
            comment = _comments(directions, words, sentence)
            if comment or _lists(parts[index:]) or len(words) > MAX_DIRECTION:
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
        before = words_in(" ".join(sentences[:number]))
        if all(word in _CHATTER or len(word) < 3 for word in before):
            yield from _runs_on(directions, words_in(sentence))
        if number == 0:
            yield from _opens(directions, words_in(sentence))
            yield from _with_misheard(directions, words_in(sentence))
            yield from _begins_in_voice(directions, words_in(sentence))
            yield from _leads_in(directions, words_in(text)[:MAX_DIRECTION])
        if number == len(sentences) - 1:
            yield from _ends_with(directions, words_in(sentence))
            yield from _ends_bare(directions, words_in(sentence))
            yield from _ends_in_voice(directions, words_in(sentence))


def _comments(directions: Directions, words: Sequence[str], sentence: str) -> bool:
    """Whether an adverb comments on what is told: "Sadly, it is closed."."""
    if len(words) != 1:
        return False
    if directions.tells and words[0] in _COMMENTS:
        return True
    alone = words_in(sentence) == [*words]  # "Slowly. The door opened."
    tale = not alone and not directions.content.isdisjoint(_TALES)
    return tale and words[0].endswith("ly")


def _lists(parts: Sequence[str]) -> bool:
    """Whether an adjective opens a list of three: "Warm, sweet and creamy"."""
    words = words_in(" ".join(parts[:2]))
    alone = len(parts) > 1 and len(words_in(parts[0])) == 1 and len(words) > 3
    if not alone or words[2] != "and":
        return False
    return not (words[0].endswith("ly") or _SOUND.fullmatch(words[0]))


def _heard_as(directions: Directions, words: Sequence[str], least: float) -> bool:
    """Whether words sound like a direction that was read out."""
    if all(word in _CHATTER or word in directions.content for word in words):
        return False
    sounds = "".join(map(sounds_of, words))
    if len(sounds) < 2 or "to" in words or _comments(directions, words, ""):
        return False
    return any(likeness(sounds, reading) >= least for reading in directions.readings)


def _runs_on(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield directions that run into a sentence: "in a deep voice my name is"."""
    for phrase in directions.phrases:
        if directions.stems.isdisjoint(map(stem_of, phrase)):
            continue
        for size in range(2, min(len(words), MAX_DIRECTION)):
            piece = words[:size]
            if _reads(piece, phrase) and not _is_subject(piece, words[size:]):
                yield " ".join(piece)
                return


def _reads(piece: Sequence[str], phrase: Sequence[str]) -> bool:
    """Whether words are a manner as it is read out: "speaking in a deep voice"."""
    core = [stem_of(word) for word in phrase if word not in STOP and word not in HEADS]
    spoken = stem_of(piece[0]) in _SPOKEN
    rest = [*piece[1:]] if spoken else [*piece]
    placed = bool(rest) and rest[0] in ("in", "with")
    while rest and rest[0] in STOP:
        rest.pop(0)
    if not rest or rest[-1] in STOP:
        return False
    headed = rest[-1] in HEADS
    own = [stem_of(word) for word in rest if word not in STOP]
    # A word alone may be the subject of any sentence: "Cough drops help".
    with_sound = placed and bool(re.fullmatch(SOUNDS, phrase[-1]))
    several = len(core) > 1 or headed or spoken or with_sound
    return own[: -1 if headed else None] == core and several


def _is_subject(piece: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether what stands behind words makes them a part of its sentence.

    "Her warm voice fills the room", "with a cough you sleep badly".
    """
    if piece[0] in _OWNERS or not behind:
        return True
    placed = piece[0] in ("in", "with") and len(piece) < 4
    return behind[0] in _PREDICATES or (placed and behind[0] in _CLAUSES)


def _sounds_on(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield words at an end that sound like a direction: "yawn a cat"."""
    for size in range(1, min(MAX_DIRECTION, len(words) - 3)):
        begins = words[size] in _BEGINS and not _GOES_ON.fullmatch(words[size])
        ends = size > 2 and words[-size - 1] not in ("in", "with")
        ends = ends and words[0] not in ("he", "she") and not words[-1].endswith("ly")
        for piece, fits, behind in (
            (words[:size], begins, words[size:]),
            (words[-size:], ends, ()),
        ):
            if piece[-1] in _PREDICATES or (behind and _is_subject(piece, behind)):
                continue
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
    if is_sound and stem in directions.stems:
        if len(words) > 4 and not _GOES_ON.fullmatch(words[1]):
            yield words[0]
        return
    verbs = [stem for stem in directions.stems if re.match(SOUNDS, stem)]
    key = phonemes(words[0])
    goes_on = len(words) > 1 and _GOES_ON.fullmatch(words[1])
    if len(key) >= 5 and not goes_on and key in {phonemes(f"{v}ing") for v in verbs}:
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
    if _is_subject(own[: skipped + 1], [behind]) or _comments(directions, [word], ""):
        return
    if skipped == 0 and re.fullmatch(SOUNDS, word) and _takes_object(words[1:3]):
        return  # advice: "Pause a moment before you speak"
    exact = any(phonemes(word) == form for form in directions.forms)
    placed = skipped == 2 and own[0] in ("in", "with") and bool(_PLACES & {own[1]})
    telling = {stem for stem in directions.stems if re.match(SOUNDS, stem)}
    likes = [sounds_like(sound_of(word), sound_of(stem)) for stem in telling]
    if (exact and len(phonemes(word)) >= 3) or (placed and any(likes)):
        yield " ".join(own[: skipped + 1])


def _with_misheard(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a misheard sound that an answer begins with: "with a grant" for "grunt"."""
    if len(words) < 6 or words[0] != "with" or words[1] not in _PLACES:
        return
    piece = words[:3]
    if words[2] in directions.content or _is_subject(piece, words[3:]):
        return
    verbs = [each[-1] for each in directions.phrases if re.fullmatch(SOUNDS, each[-1])]
    sounds = sounds_of(words[2])
    if any(likeness(sounds, sounds_of(verb)) >= RUNNING for verb in verbs):
        yield " ".join(piece)


def _ends_bare(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a manner without an article that ends an answer: "... mumbled voice"."""
    if len(words) < 7 or words[-1] not in HEADS or words[0] in ("he", "she"):
        return
    if stem_of(words[-2]) not in directions.stems or words[-2] in directions.content:
        return
    if _ARTICLES.isdisjoint(words[-6:-2]):
        yield " ".join(words[-2:])


_PLACES = words_of("a an the")

#: Words that make what stands before them the subject of a sentence, or go on with it.
_PREDICATES = words_of(
    "is are was were can could may might will would should must has have had do does did",
    "helps help makes make gives give means mean shows show works work gets get comes come",
    "fills fill carries carry spreads spread hurts hurt stops stop needs need takes take",
) | words_of(
    "cools saves draws wins keeps sounds seems suits costs",
    "and or but that which who before until",
)
_CLAUSES = words_of("you at from of on for to")

#: Words after which a noun may end a sentence: "it has a rich warm tone".
_ARTICLES = words_of(
    "a an the my your his her our their its this that no some of in with by for and or",
    "very any every each one",
)

#: Words that say whose voice it is.
_OWNERS = words_of("my your his her our their its")


def _takes_object(behind: Sequence[str]) -> bool:
    """Whether words go on after a verb: "(whisper) the secret", "(pause) a moment"."""
    spans = words_of("moment second minute while bit little few")
    return behind[0] in _OBJECTS or (behind[0] == "a" and behind[1] in spans)


_OBJECTS = words_of("the it it's your this that these as nobody")


def _ends_with(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield the request's phrase that ends an answer: "... in a sad voice"."""
    if words and words[0] in ("he", "she"):
        return  # a story: "He closed the book with a sigh."
    for phrase in directions.phrases:
        head = phrase[-1]
        known = head in directions.heads or re.fullmatch(SOUNDS, head)
        size = len(phrase) + 2
        piece = [*words[-size:]]
        if not known or len(words) < size + 4 or piece[0] not in ("in", "with"):
            continue
        if piece[1] not in _PLACES:
            continue
        same = all(
            stem_of(heard) == stem_of(said) or near(phonemes(heard), phonemes(said))
            for heard, said in zip(piece[2:-1], phrase[:-1], strict=True)
        )
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
        if len(words) < size + 4 or words[0] in ("he", "she"):
            continue
        opens = piece[0] in ("in", "with", "takes", "taking", "clears", "clearing")
        tells = directions.stems & {stem_of(word) for word in piece[1:]}
        placed = piece[1] in _PLACES or piece[0] not in ("in", "with")
        if opens and tells and placed and _is_direction(directions, piece, "not"):
            yield " ".join(piece)
            return


_SPOKEN = frozenset(
    stem_of(word)
    for word in ("speaking", "spoken", "said", "says", "talking", "sounding")
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
    if "and" in words[1:-1] and not any("and" in each for each in directions.phrases):
        return False  # advice: "Pause and breathe"
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
