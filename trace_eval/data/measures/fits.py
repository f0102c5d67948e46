"""Whether words of an answer are a direction, as they stand or by their sound."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from trace_eval.data.measures.manner import (
    OPENERS,
    SUPPORT,
    Directions,
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
from trace_eval.data.measures.moods import SOUNDS, words_of_mood
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

#: The same where they are words that open many answers: "this is" for "hisses"; and of
#: how many sounds at least.
OF_CHATTER, LEAST_OF_CHATTER = 0.8, 5

#: The same where the words themselves are another hearing of the recogniser: of 13,919
#: answers read under the manner of another request, 7 are called directions by it.
TWICE_GUESSED = 0.7


#: Words that a stage direction with a verb has at most, and what goes on behind it.
MAX_ACT = 5
_OBJECTS_OF_ACTS = words_of("a an out twice again once")


#: From which likeness on words at an end of the text are taken for its own.
OWN_TEXT = 0.55


#: Words that stand by themselves at the ends of answers, and are no misheard direction.
CHATTER = OPENERS | words_of(
    "certainly absolutely definitely surely obviously actually basically honestly clearly",
    "naturally indeed alright right great perfect please thanks thank then finally next",
    "hello good today here's here first let's let me try go i'll i'm that's no got",
    "sorry thing course pleasure um uh ah oh ugh hmm wow hey wait anyway ready man",
)


def is_misheard_text(heard: Sequence[str], said: Sequence[str]) -> bool:
    """Whether last words are the text's own: "knock up sooner" for "mockups are"."""
    if not heard or not said:
        return False
    one, other = ("".join(map(sounds_of, words)) for words in (heard, said))
    return likeness(one, other) >= OWN_TEXT


def likens(directions: Directions, words: Sequence[str]) -> bool:
    """Whether words read out a likeness: "like a child", where "childlike" is asked."""
    if len(words) != 3 or words[0] != "like" or words[1] not in ("a", "an"):
        return False
    asked = {word for phrase in directions.phrases for word in phrase}
    return f"{words[2]}like" in asked


def acts(directions: Directions, words: Sequence[str]) -> bool:
    """Whether words are a sentence without a subject: "Hums a tune", "Sighs deeply"."""
    if not 2 <= len(words) <= MAX_ACT or not words[0].endswith("s"):
        return False
    verb = SOUND.fullmatch(words[0])
    if not verb or stem_of(words[0]) not in directions.stems:
        return False
    moved = len(words) == 3 and words[1] in ("in", "with")  # "Gasps in surprise."
    return moved or words[1] in _OBJECTS_OF_ACTS or words[1].endswith("ly")


def comments(directions: Directions, words: Sequence[str], sentence: str) -> bool:
    """Whether an adverb comments on what is told: "Sadly, it is closed."."""
    if len(words) != 1:
        return False
    if directions.tells and words[0] in _COMMENTS:
        return True
    alone = words_in(sentence) == list(words)  # "Slowly. The door opened."
    tale = not alone and not directions.content.isdisjoint(_TALES)
    return tale and words[0].endswith("ly")


def heard_as(directions: Directions, words: Sequence[str], least: float) -> bool:
    """Whether words sound like a direction that was read out."""
    sounds = "".join(map(sounds_of, words))
    is_comment = comments(directions, words, "") or [*words[-2:]] == ["to", "say"]
    if len(sounds) < 2 or is_comment:  # "Sad to say"
        return False
    own = [word for word in words if word not in directions.content]
    is_chatter = all(word in CHATTER for word in own)
    if is_chatter and (len(own) < len(words) or len(sounds) < LEAST_OF_CHATTER):
        return False
    if "to" in words:  # "I have to"
        least = max(least, APART)
    if is_chatter:
        least = max(least, OF_CHATTER)
    return any(likeness(sounds, reading) >= least for reading in directions.readings)


#: What "speaking" is heard as at the beginning of an answer.
MISHEARD_SPEAKING = words_of("seeking peeking speaken")


SPOKEN = frozenset(
    stem_of(word)
    for word in ("speaking", "spoken", "said", "says", "talking", "sounding")
)


SOUND = re.compile(rf"{SOUNDS}(?:s|es|ing|ter)?")


#: How far a word may be from the one that was read out: not misheard at all; by one
#: sound, at either end of an answer; by more, where nothing but a direction can stand.
Misheard = Literal["not", "near", "far"]


def is_direction(
    directions: Directions, words: Sequence[str], misheard: Misheard
) -> bool:
    """Whether words are nothing but a direction."""
    request_joins_two = any("and" in phrase for phrase in directions.phrases)
    if "and" in words[1:-1] and not request_joins_two:
        return False  # advice: "Pause and breathe"
    if _is_noun_of(directions, words):
        return True
    own = [
        word
        for word in words
        if word not in SUPPORT or stem_of(word) in directions.stems
    ]
    exact = [word for word in own if stem_of(word) in directions.stems]
    if exact and misheard == "far" and len(words) <= 3:
        return True  # "pause as", before the text that was to be said
    if exact:  # "dramatic pause", where only "dramatically" was asked for
        own = [word for word in own if word in exact or not SOUND.fullmatch(word)]
        own = _without_attributes(words, own, exact)
    if not own:  # "Tone, ...": the word before it was lost
        return misheard != "not" and len(words) == 1 and words[0] in directions.heads
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


def _is_noun_of(directions: Directions, words: Sequence[str]) -> bool:
    """Whether words are the noun of a manner: "with enthusiasm", "with sadness"."""
    if len(words) != 2 or words[0] != "with":
        return False
    return not directions.stems.isdisjoint(map(stem_of, words_of_mood(words[1])))


def _without_attributes(
    words: Sequence[str], own: list[str], exact: Sequence[str]
) -> list[str]:
    """Drop what only says more of a direction: "weeping softly", "in a flat monotone".

    An adverb stands behind the word for a sound, an adjective between an article and
    the last word. "Smile warmly" may be advice.
    """
    if len(words) == 2 and words[0] in exact and _is_inflected_sound(words[0]):
        return [word for word in own if word in exact or not word.endswith("ly")]
    begins_with_article = words[0] == "in" and words[1:2] in (["a"], ["an"])
    if len(words) == 4 and begins_with_article and words[3] in exact:
        return [words[3]]
    return own


def _is_inflected_sound(word: str) -> bool:
    """Whether a word is a sound that somebody makes: "sighs", and not "sigh"."""
    return bool(SOUND.fullmatch(word)) and not re.fullmatch(SOUNDS, word)


def _matches(directions: Directions, word: str, misheard: Misheard) -> bool:
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
