"""Words of a text in any script, and what they share where two scripts write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

#: Consonants of Devanagari and of Latin letters as they sound alike. Aspirates, nasals
#: and vowels are left out: two people seldom spell them alike.
_DEVANAGARI = str.maketrans(
    "कखगघचछजझटठतथडढदधपफबभरलळवशषस", "kkggccjjttttddddppbbrllvsss"
)
_LATIN = (
    ("ch", "ç"),
    ("sh", "s"),
    ("ph", "p"),
    ("ck", "k"),
    ("qu", "kv"),
    ("f", "p"),
    ("x", "ks"),
    ("q", "k"),
    ("z", "j"),
    ("w", "v"),
)
_SOFT_C = re.compile(r"c(?=[eiy])")
_UNHEARD = re.compile(r"[^bcdgjklprstv0-9]")
_TWICE = re.compile(r"(.)\1+")

#: The scripts whose words can be compared by their consonants.
COMPARED_SCRIPTS = frozenset({"LATIN", "DEVANAGARI"})


def split_words(text: str, within: str = "") -> list[str]:
    """Split a text into its words; marks, such as vowels of Hindi, belong to them.

    A mark without a letter, such as that of an emoji, is no word.

    Args:
        text: with any punctuation.
        within: signs that a word may have inside, but at no end.
    """
    letters = [letter if _is_of_word(letter, within) else " " for letter in text]
    words = (word.strip(within) for word in "".join(letters).split())
    return [word for word in words if any(map(str.isalnum, word))]


def _is_of_word(letter: str, within: str) -> bool:
    return (
        letter.isalnum() or letter in within or unicodedata.category(letter)[0] == "M"
    )


def script_of(words: Iterable[str]) -> str:
    """Return the script of most letters, by the first word of their names."""
    letters = [letter for letter in "".join(words) if letter.isalpha()]
    scripts = [unicodedata.name(letter, "?").split()[0] for letter in letters]
    return max(sorted(set(scripts)), key=scripts.count, default="")


def consonants(word: str) -> str:
    """Return the consonants and digits of a word as they sound, in Latin letters.

    >>> consonants("payment"), consonants("पेमेंट")
    ('pt', 'pt')
    """
    latin = _SOFT_C.sub("s", unicodedata.normalize("NFC", word).casefold())
    for letters, sound in _LATIN:
        latin = latin.replace(letters, sound)
    latin = latin.replace("c", "k").replace("ç", "c")
    latin = latin.translate(_DEVANAGARI)
    with_our_digits = ""
    for sign in latin:
        with_our_digits += str(int(sign)) if sign.isdecimal() else sign
    heard = _UNHEARD.sub("", with_our_digits)
    return _TWICE.sub(r"\1", heard)
