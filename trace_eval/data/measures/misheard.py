"""How far two words are apart in spelling and sound, to know misheard ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from rapidfuzz.distance import Levenshtein

#: Similarity of spellings from which on one word may be the other misheard, and of
#: sounds where nothing but a direction can stand at that place.
MISHEARD, SOUNDS_ALIKE = 0.8, 0.5

#: Similarity of the sounds of several words, and how many sounds they have at least.
SAME_READING, _LONG = 0.75, 7


def stem_of(word: str) -> str:
    """Remove the endings of a word: laughs, laughing and laughter are one."""
    word = word.removesuffix("'s")
    for suffix in ("ly", "ing", "ter", "ed", "es", "s"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word.removesuffix(suffix)
    return word.removesuffix("e") if len(word) > 3 else word


def near(one: str, other: str) -> bool:
    """Whether two words sound alike, or differ by one sound of at least four."""
    if one == other:
        return len(one) >= 3
    return min(len(one), len(other)) >= 4 and Levenshtein.distance(one, other) <= 1


def _ratio(one: str, other: str) -> float:
    first, second = sorted((one, other))  # the ratio depends on the order of its inputs
    return SequenceMatcher(None, first, second).ratio()


def alike(one: str, other: str) -> bool:
    """Whether two spellings are so near that one may be the other misheard."""
    if min(len(one), len(other)) < 4:
        return False
    return _ratio(one, other) >= MISHEARD


#: Spellings and what they sound like; voiced and voiceless are one.
_SPELLINGS = (
    *(
        (r"igh|eigh", "i"),
        (r"augh|ough", "of"),
        (r"^ps", "s"),
        (r"^kn", "n"),
        (r"^wr", "r"),
    ),
    *(
        (r"ph|gh", "f"),
        (r"ck|q|x", "k"),
        (r"c(?=[eiy])", "s"),
        (r"tch|ch|j|dge?", "t"),
        (r"c", "k"),
    ),
    *(
        (r"[bp]+", "p"),
        (r"[dt]+", "t"),
        (r"[gk]+", "k"),
        (r"[fv]+", "f"),
        (r"[sz]+", "s"),
    ),
)


def phonemes(word: str) -> str:
    """Return the sounds of a word roughly, a letter each, e.g. ``yons`` for yawns."""
    text = word.replace("'", "")
    for pattern, sound in _SPELLINGS:
        text = re.sub(pattern, sound, text)
    text = re.sub(r"(?<=[^aeiouys])e(?=s?$)|(?<=[^aeiouy])e$|h|(?<=.)w", "", text)
    text = re.sub(r"(?<=.)y|[ei]+", "i", re.sub(r"[aou]+", "o", text))
    return re.sub(r"(.)\1+", r"\1", text)


def sound_of(word: str) -> str:
    """Return the consonants of a word as they sound, and its first vowel."""
    text = stem_of(word)
    for pattern, sound in _SPELLINGS:
        text = re.sub(pattern, sound, text)
    vowel = re.search(r"[aeiouy]", text)
    first = {"y": "i", "e": "i"}.get(vowel[0], vowel[0]) if vowel else ""
    return re.sub(r"[aeiouyhw]+", "", text) + first


def reads_like(words: Sequence[str], readings: Iterable[str]) -> bool:
    """Whether words that were written down together sound like a reading of several."""
    key = phonemes("".join(words))
    likest = (_ratio(key, each) for each in readings if len(each) >= _LONG)
    return len(key) >= _LONG and any(ratio >= SAME_READING for ratio in likest)


def like_head(word: str, head: str) -> bool:
    """Whether a word may be a misheard noun of a direction: "boys" for "voice"."""
    if near(phonemes(word), phonemes(head)):
        return True
    return sounds_like(sound_of(word), sound_of(head))


def sounds_like(one: str, other: str) -> bool:
    """Whether two sounds begin alike and have half of their consonants in common."""
    if not one or not other or one[0] != other[0]:
        return False
    return _ratio(one, other) >= SOUNDS_ALIKE
