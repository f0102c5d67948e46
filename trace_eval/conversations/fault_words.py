"""What the words of a call say of failures: a poor recogniser, a side that loops.

Words are those of a source: what the caller was to say, what the recogniser wrote of
it, what the agent said. Nothing is heard again here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from trace_eval.conversations.words import (
    COMPARED_SCRIPTS,
    consonants,
    script_of,
    split_words,
)
from trace_eval.data.conversation import Conversation, Role, Turn

#: Share of words that a recogniser gets wrong from which it is to blame, and fewest
#: words.
_WRONG, _LEAST_WORDS = 0.5, 8

#: The same share where both write other letters; consonants a word of which counts.
_WRONG_SCRIPT, _LEAST_CONSONANTS = 0.65, 2

#: Words in a row that count as said again; share of all that is too much, of how many
#: at least.
_ROW, _AGAIN, _LEAST_ROWS = 5, 0.25, 12

#: Words in a second that nobody says.
_FASTEST = 5.0

#: Shortest turn of which a recogniser must write something, seconds; digits that make a
#: code.
_TURN_S, _CODE = 1.0, 3

_SAY_AGAIN = re.compile(
    r"\b(say|tell|read|explain|hear|give)\b.{0,30}\b(again|once more)\b"
    r"|\brepeat (that|it|this|please|the)\b|\b(can|could|would|please)\b.{0,20}\brepeat\b"
    r"|\b(pardon|come again|phir se|dobara)\b|फिर से|दोबारा",
    re.IGNORECASE,
)

#: Words of complaints about what was said again.
_COMPLAINS = re.compile(r"\b(not|stop|why|same|keep)\b|n't\b", re.IGNORECASE)
_TAG = re.compile(r"\[[^\[\]]*\]|<[^<>]*>")


def other_words(conversation: Conversation) -> Iterator[str]:
    """Yield that the recogniser wrote most words of the caller otherwise."""
    intended = _stream(conversation, "user", "text")
    wrote = _stream(conversation, "user", "heard")
    scripts = {script_of(intended), script_of(wrote)}
    if len(scripts) == 1:
        yield from _other_words_by_turn(conversation, intended, wrote)
    elif scripts == COMPARED_SCRIPTS and len(wrote) >= _WRONG * len(intended):
        yield from _other_consonants(intended, wrote)


def _other_words_by_turn(
    conversation: Conversation, said: list[str], wrote: list[str]
) -> Iterator[str]:
    """Yield it for one script.

    Words that the log has at another turn, or that are spelled otherwise, are written.
    """
    wrong = whole = 0
    example = ""
    unanswered = unanswered_at_last(conversation)
    for number, turn in conversation.turns_of("user"):
        in_turn = words_in(turn.text)
        written = words_in(turn.heard)
        if not in_turn or not written or script_of(in_turn) != script_of(written):
            continue
        counted = len(in_turn)
        errors = _distance(in_turn, written)
        if number in unanswered:  # what was not written is none of its errors
            counted = min(counted, len(written))
            errors -= len(in_turn) - counted
        if errors > _WRONG * counted and not example:
            first_said = " ".join(in_turn[:6])
            first_written = " ".join(written[:6])
            example = f"turn {number}: {first_said!r} as {first_written!r}"
        wrong += errors
        whole += counted
    sounds = _sounds(said)
    unwritten = _unwritten(sounds, wrote)
    are_others = wrong >= _WRONG * whole and unwritten >= _WRONG * len(sounds)
    if whole >= _LEAST_WORDS and are_others:
        yield f"writes {wrong} of {whole} words of the caller otherwise; {example}"


def _other_consonants(said: list[str], wrote: list[str]) -> Iterator[str]:
    """Yield evidence of another script: few words have consonants that were written."""
    sounds = _sounds(said)
    wrong = _unwritten(sounds, wrote)
    if len(sounds) >= _LEAST_WORDS and wrong >= _WRONG_SCRIPT * len(sounds):
        yield (
            f"writes {wrong} of {len(sounds)} words of the caller otherwise, by their"
            f" consonants; {' '.join(said[:6])!r} as {' '.join(wrote[:6])!r}"
        )


def _sounds(words: list[str]) -> list[str]:
    """Return the consonants of words that have enough; words of other scripts whole."""
    sounds: list[str] = []
    for word in words:
        sound = consonants(word)
        if script_of([word]) not in COMPARED_SCRIPTS:
            sounds.append(word)
        elif len(sound) >= _LEAST_CONSONANTS:
            sounds.append(sound)
    return sounds


def _unwritten(sounds: list[str], wrote: list[str]) -> int:
    """Count the sounds of words that the recogniser wrote at no turn."""
    return len(sounds) - (Counter(sounds) & Counter(_sounds(wrote))).total()


def lost_words(conversation: Conversation) -> Iterator[str]:
    """Yield that the recogniser wrote too few words, other numbers, or words again.

    An agent that stopped writes nothing, either: words that nobody answers any more
    are not lost by its recogniser.
    """
    turns = list(conversation.turns_of("user"))
    unanswered = unanswered_at_last(conversation)
    whole = 0
    written = 0
    few: list[int] = []
    for number, turn in turns:
        if _seconds(turn) < _TURN_S or number in unanswered:
            continue
        words_said = len(words_in(turn.text))
        words_written = min(words_said, len(words_in(turn.heard)))
        whole += words_said
        written += words_written
        if words_said and words_written <= (1 - _WRONG) * words_said:
            few.append(number)
    lost = whole - written
    if written and lost >= max(_LEAST_WORDS, _WRONG * whole):
        numbers = ", ".join(map(str, few[:4]))
        yield f"writes nothing of {lost} of {whole} words of the caller (turns {numbers})"
    for number, turn in turns:
        code = _digits(turn.text)
        digits = _digits(turn.heard)
        is_begun = number in unanswered and digits in code
        if min(len(code), len(digits)) >= _CODE and code not in digits and not is_begun:
            yield (
                f"writes {digits!r:.40} in turn {number}, where the caller says"
                f" {code!r:.40}"
            )
            break
    again, whole = _rows_again(_stream(conversation, "user", "heard"))
    if _too_often(again, whole) and not _said_again(conversation):
        yield f"writes {again} of {whole + _ROW - 1} words of the caller more than once"


def unanswered_at_last(conversation: Conversation) -> set[int]:
    """Return the numbers of the caller's turns after which the agent says nothing more.

    An agent that never spoke leaves none.
    """
    agents = [number for number, _ in conversation.turns_of("agent")]
    users = [number for number, _ in conversation.turns_of("user")]
    return {number for number in users if agents and number > agents[-1]}


def says_again(conversation: Conversation, role: Role) -> Iterator[str]:
    """Yield that a side says rows of words again, however its turns are cut."""
    again, whole = _rows_again(_stream(conversation, role, "text"))
    if _too_often(again, whole):
        yield f"says {again} of its {whole + _ROW - 1} words more than once"


def asked_to_repeat(conversation: Conversation, number: int) -> bool:
    """Tell whether the caller asks, right before a turn of the agent, to hear it again.

    It knows English and Hindi.
    """
    before = [turn for turn in conversation.turns_of("user") if turn[0] < number]
    if not before:
        return False
    asked_at, question = before[-1]
    between = range(asked_at + 1, number)
    if any(other in between for other, _ in conversation.turns_of("agent")):
        return False
    return any(_asks_again(text or "") for text in (question.text, question.heard))


def _asks_again(text: str) -> bool:
    request = _SAY_AGAIN.search(text)
    return request is not None and not _COMPLAINS.search(text, 0, request.end())


def says_the_same(conversation: Conversation, number: int) -> bool:
    """Tell whether a turn of the agent is an earlier one, word by word."""
    words = words_in(conversation.turns[number].text)
    earlier = [turn for turn in conversation.turns_of("agent") if turn[0] < number]
    return bool(words) and any(words_in(turn.text) == words for _, turn in earlier)


def words_in(text: str | None) -> list[str]:
    """Return the words of a text, without tags such as ``[laughs]``."""
    return split_words(_TAG.sub(" ", text or "").casefold())


def _said_again(conversation: Conversation) -> bool:
    """Tell whether the caller may have said it again.

    Its text says so, or, without one, that it spoke long enough for what was written.
    """
    intended = _stream(conversation, "user", "text")
    if intended:
        again, whole = _rows_again(intended)
        return _too_often(again, whole)
    for _, turn in conversation.turns_of("user"):
        if len(words_in(turn.heard)) > _FASTEST * _seconds(turn):
            return False
    return True


def _stream(conversation: Conversation, role: Role, field: str) -> list[str]:
    """Return all words of a side in order: said (``text``) or written (``heard``)."""
    texts = [getattr(turn, field) for _, turn in conversation.turns_of(role)]
    return [word for text in texts for word in words_in(text)]


def _rows_again(words: Sequence[str]) -> tuple[int, int]:
    """Count rows of words that came before, and all rows."""
    last_start = len(words) - _ROW
    rows = [tuple(words[start : start + _ROW]) for start in range(last_start + 1)]
    return len(rows) - len(set(rows)), len(rows)


def _too_often(again: int, whole: int) -> bool:
    return whole >= _LEAST_ROWS and again >= _AGAIN * whole


def _seconds(turn: Turn) -> float:
    return sum(end - start for start, end in turn.stretches)


def _digits(text: str | None) -> str:
    return "".join(letter for letter in text or "" if letter.isdecimal())


def _distance(one: list[str], other: list[str]) -> int:
    """Count the fewest words to replace, leave out or put in."""
    row = list(range(len(other) + 1))
    for number, word in enumerate(one, 1):
        before = row[0]
        row[0] = number
        for place, other_word in enumerate(other, 1):
            replaced = before + (word != other_word)
            before = row[place]
            row[place] = min(replaced, row[place] + 1, row[place - 1] + 1)
    return int(row[-1])
