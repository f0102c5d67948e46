"""Directions that run into what an answer says: "in a deep voice my name is"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extractors.manner_words import MOODS
from trace_eval.data.measures.fits import (
    CHATTER,
    MISHEARD_SPEAKING,
    RUNNING,
    SPOKEN,
    comments,
    heard_as,
    is_direction,
)
from trace_eval.data.measures.manner import (
    HEADS,
    MAX_DIRECTION,
    STOP,
    Directions,
)
from trace_eval.data.measures.misheard import (
    like_head,
    likeness,
    near,
    phonemes,
    sound_of,
    sounds_like,
    sounds_of,
    stem_of,
)
from trace_eval.data.measures.moods import SOUNDS
from trace_eval.data.word_lists import words_of


def runs_on(directions: Directions, words: Sequence[str]) -> Iterator[str]:
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
    spoken = stem_of(piece[0]) in SPOKEN or piece[0] in MISHEARD_SPEAKING
    rest = list(piece[1:]) if spoken else list(piece)
    placed = bool(rest) and rest[0] in ("in", "with")
    while rest and rest[0] in STOP:
        rest.pop(0)
    if not rest or rest[-1] in STOP:
        return False
    headed = rest[-1] in HEADS
    stems = [stem_of(word) for word in rest if word not in STOP]
    # A word alone may be the subject of any sentence: "Cough drops help".
    with_sound = placed and bool(re.fullmatch(SOUNDS, phrase[-1]))
    several = len(core) > 1 or headed or spoken or with_sound
    return stems[: -1 if headed else None] == core and several


def _is_subject(piece: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether what stands behind words makes them a part of its sentence.

    "Her warm voice fills the room", "with a cough you sleep badly".
    """
    if piece[0] in _OWNERS or not behind:
        return True
    if piece[0] in _PLACES and behind[0].endswith("ed"):
        return True  # "A spooky voice called from the cellar"
    if list(behind[:2]) in (["you", "ask"], ["you", "mention"], ["you", "say"]):
        return True  # "Funny you ask."
    placed = piece[0] in ("in", "with") and len(piece) < 4
    return behind[0] in _PREDICATES or (placed and behind[0] in _CLAUSES)


def sounds_on(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield words at an end that sound like a direction: "yawn a cat"."""
    for size in range(1, min(MAX_DIRECTION, len(words) - 3)):
        begins = words[size] in _BEGINS and not _GOES_ON.fullmatch(words[size])
        if size == 1 and words[0].endswith("ing") and words[1] in _BINDING:
            begins = False  # "Crying while you cut onions is normal"
        # "It ended in a draw", asked in a drawl.
        ends = size > 2 and words[-size - 1] not in ("in", "with", "ended", "ends")
        ends = ends and words[0] not in ("he", "she") and not words[-1].endswith("ly")
        for piece, fits, behind in (
            (words[:size], begins, words[size:]),
            (words[-size:], ends, ()),
        ):
            if piece[-1] in _PREDICATES or (behind and _is_subject(piece, behind)):
                continue
            spoken = behind and size == 2 and stem_of(piece[0]) in SPOKEN
            if (fits or spoken) and heard_as(directions, piece, RUNNING):
                yield " ".join(piece)
                return


def opens_with_participle(
    directions: Directions, words: Sequence[str]
) -> Iterator[str]:
    """Yield a participle without a pause, or a misheard one.

    An example is "yoning the cat chased".
    """
    words = words[words[:1] == ["and"] :]
    if not words or not words[0].endswith("ing") or words[0] in directions.content:
        return
    stem = stem_of(words[0])
    is_sound = any(re.fullmatch(SOUNDS, form) for form in (stem, f"{stem}e"))
    if is_sound and stem in directions.stems:
        if len(words) < 5:
            return
        bound = _GOES_ON.fullmatch(words[1]) or words[1] in _BINDING
        if not bound:
            yield words[0]
        return
    verbs = [stem for stem in directions.stems if re.match(SOUNDS, stem)]
    sound_of_word = phonemes(words[0])
    goes_on = len(words) > 1 and _GOES_ON.fullmatch(words[1])
    if len(sound_of_word) < 5 or goes_on:
        return
    if any(sound_of_word == phonemes(f"{verb}ing") for verb in verbs):
        yield words[0]


def opens_before_verb(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a mood or a sound before a verb and its object: "husky plant them"."""
    if len(words) < 5 or words[0] in directions.content:
        return
    manner, verb, behind_verb = words[:3]
    is_manner = manner in MOODS or bool(re.fullmatch(SOUNDS, manner))
    if not is_manner or stem_of(manner) not in directions.stems:
        return
    # "Smile wins the day" has a subject, "husky plant them" has none.
    is_command = verb not in _NO_VERBS and not verb.endswith("s")
    if is_command and behind_verb in _OBJECTS | {"a"}:
        yield manner


#: Words with which a sentence begins: before them nothing but a direction can stand.
_BEGINS = words_of(
    (
        "a the as i i'm my there there's well while it it's we you your as is this that"
        " these nobody try when if some many"
    ),
    "please once today",
)


def leads_in(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a direction that runs into the answer: "pause a cat"."""
    if len(words) < 5:
        return
    own = list(words[:4])
    skipped = 0
    while skipped < 2 and own[skipped] in ("and", "in", "with", "a", "an", "the"):
        skipped += 1
    word, behind = own[skipped], words[skipped + 1]
    if word in directions.content | CHATTER | _NO_VERBS or behind not in _BEGINS:
        return
    if _is_subject(own[: skipped + 1], words[skipped + 1 : skipped + 3]) or comments(
        directions, [word], ""
    ):
        return
    if word.endswith("ing") and behind in _BINDING:
        return  # "Crying while you cut onions is normal"
    if skipped == 0 and re.fullmatch(SOUNDS, word) and _takes_object(words[1:3]):
        return  # advice: "Pause a moment before you speak"
    exact = any(phonemes(word) == form for form in directions.forms)
    placed = skipped == 2 and own[0] in ("in", "with") and bool(_PLACES & {own[1]})
    telling = {stem for stem in directions.stems if re.match(SOUNDS, stem)}
    likes = [sounds_like(sound_of(word), sound_of(stem)) for stem in telling]
    if (exact and len(phonemes(word)) >= 3) or (placed and any(likes)):
        yield " ".join(own[: skipped + 1])


def with_misheard(directions: Directions, words: Sequence[str]) -> Iterator[str]:
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


def ends_bare(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a manner without an article that ends an answer: "... mumbled voice"."""
    if len(words) < 7 or words[-1] not in HEADS or words[0] in ("he", "she"):
        return
    if stem_of(words[-2]) not in directions.stems or words[-2] in directions.content:
        return
    if _ARTICLES.isdisjoint(words[-6:-2]):
        yield " ".join(words[-2:])


_PLACES = words_of("a an the")


#: What binds a participle to what follows.
_BINDING = words_of(
    "while whenever because if during over like to from for before after"
)


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


#: What stands before an object and is no verb: "angry at the noise", "smile and your".
_NO_VERBS = (
    _PREDICATES
    | _CLAUSES
    | _BINDING
    | words_of(
        "in on by with without under through about into than when since upon along around behind",
        "up down below above beneath beside between among off out away less more even just only it",
    )
)


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
    goes_on = behind[0] in _OBJECTS or behind[0] in ("that", "as")
    return goes_on or (behind[0] == "a" and behind[1] in spans)


#: What a verb takes behind it, and a noun does not: "plant them".
_OBJECTS = words_of(
    "the it it's your this these nobody an them him us me my his her our their"
)


def ends_with(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield the request's phrase that ends an answer: "... in a sad voice"."""
    if words and words[0] in ("he", "she"):
        return  # a story: "He closed the book with a sigh."
    for phrase in directions.phrases:
        head = phrase[-1]
        known = head in directions.heads or re.fullmatch(SOUNDS, head)
        size = len(phrase) + 2
        piece = list(words[-size:])
        if not known or len(words) < size + 4 or piece[0] not in ("in", "with"):
            continue
        if piece[1] not in _PLACES:
            continue
        pairs = zip(piece[2:-1], phrase[:-1], strict=True)
        same = all(_sounds_like(heard, asked) for heard, asked in pairs)
        last = stem_of(piece[-1]) == stem_of(head)
        last = last or (len(phrase) > 1 and like_head(piece[-1], head))
        if same and last:
            yield " ".join(piece)
            return


def _sounds_like(heard: str, asked: str) -> bool:
    return stem_of(heard) == stem_of(asked) or near(phonemes(heard), phonemes(asked))


def begins_in_voice(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a manner that an answer begins with.

    An example is "and a quiet boys horses can sleep".
    """
    if len(words) < 7 or words[0] not in ("in", "and", "with", "on"):
        return
    _, article, telling, head = words[:4]
    names_manner = stem_of(telling) in directions.stems and article in _PLACES
    if names_manner and (head in HEADS or like_head(head, "voice")):
        yield " ".join(words[:4])


def ends_in_voice(directions: Directions, words: Sequence[str]) -> Iterator[str]:
    """Yield a manner that an answer without a stop ends with: "... in a soft voice"."""
    for size in (4, 3):
        piece = list(words[-size:])
        if len(words) < size + 4 or words[0] in ("he", "she"):
            continue
        opens = piece[0] in ("in", "with", "takes", "taking", "clears", "clearing")
        tells = directions.stems & {stem_of(word) for word in piece[1:]}
        placed = piece[1] in _PLACES or piece[0] not in ("in", "with")
        if opens and tells and placed and is_direction(directions, piece, "not"):
            yield " ".join(piece)
            return


#: What stands behind a participle that is part of a sentence: "laughing is healthy".
_GOES_ON = re.compile(
    r"is|was|can|may|will|helps?|makes?|gives?|means?|and|or|at|in|on|with|about|too|out|loudly"
    r"|together|a|an|the|your|my|his|her|it|them|has|does|often|always"
)
