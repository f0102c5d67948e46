"""The words that request a delivery, and the classifiers' labels."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from trace_eval.data import strict_toml

T = TypeVar("T")

_TABLES: dict[str, dict[str, str]] = strict_toml.loads(
    Path(__file__).with_suffix(".toml").read_bytes()
)


class RequestKind(StrEnum):
    """Kinds of requests about a delivery."""

    SLOW = "slow"
    FAST = "fast"
    STEADY_RATE = "steady_rate"  # a regular, normal pace
    ACCELERATING = "accelerating"
    DECELERATING = "decelerating"
    LOUD = "loud"
    SOFT = "soft"
    WHISPER = "whisper"
    CRESCENDO = "crescendo"
    DIMINUENDO = "diminuendo"
    HIGH_PITCH = "high_pitch"
    LOW_PITCH = "low_pitch"
    RISING = "rising_pitch"
    FALLING = "falling_pitch"
    MONOTONE = "monotone"
    EXPRESSIVE = "expressive"
    EMOTION = "emotion"  # value: the emotion to show
    RESPOND = "respond_to_emotion"  # value: the emotion in which the user spoke
    ACCENT = "accent"  # value: the accent
    PAUSES = "pauses"  # value: seconds, or empty
    REPEAT = "repeat"  # value: how often
    SING = "sing"
    EFFECT = "effect"  # value: what no extractor measures, e.g. echo


def _by_word(table: str, kind: Callable[[str], T]) -> dict[str, T]:
    """Map each word to the kind under which the table lists it."""
    return {
        word: kind(key) for key, text in _TABLES[table].items() for word in text.split()
    }


def _sets(table: str) -> dict[str, frozenset[str]]:
    return {key: frozenset(text.split()) for key, text in _TABLES[table].items()}


#: Adjective before a delivery noun -> kind; adverb -> kind.
ADJECTIVES, ADVERBS = (
    _by_word("adjectives", RequestKind),
    _by_word("adverbs", RequestKind),
)

#: Word -> the emotion, accent or effect that it asks for; number word -> number; noun
#: -> its class.
EMOTIONS, ACCENTS, EFFECTS = (
    _by_word(name, str) for name in ("emotions", "accents", "effects")
)
NUMBERS, NOUNS = _by_word("numbers", int), _by_word("nouns", str)

#: Emotion or accent -> labels of the classifier that show it; no entry: it knows none.
EMOTION_LABELS, ACCENT_LABELS = _sets("emotion_labels"), _sets("accent_labels")

#: Emotion of the user -> labels with which an answer would jar.
JARRING = _sets("jarring")

#: Name of a list of words -> the words.
WORD_SETS = _sets("sets")
