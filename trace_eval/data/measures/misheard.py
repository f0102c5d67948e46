"""How far two words are apart in spelling and sound, to know misheard ones."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

#: Similarity of spellings from which on one word may be the other misheard, and of
#: sounds where nothing but a direction can stand at that place.
MISHEARD, SOUNDS_ALIKE = 0.8, 0.5


def stem_of(word: str) -> str:
    """Remove the endings of a word: hums, humming and hummed are one."""
    word = word.removesuffix("'s")
    for suffix in ("ly", "ing", "ed", "es", "s"):
        if word.endswith("ss"):  # "hiss" is no plural of "his"
            break
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word.removesuffix(suffix)
    if word == "laughter":
        return "laugh"
    base = word.removesuffix("e") if len(word) > 3 else word
    return re.sub(r"([bdgmnprt])\1$", r"\1", base)


def near(one: str, other: str) -> bool:
    """Whether two words sound alike, or differ by one sound of at least four."""
    if one == other:
        return len(one) >= 3
    if min(len(one), len(other)) < 4:
        return False
    from rapidfuzz.distance import Levenshtein  # forty modules

    return Levenshtein.distance(one, other) <= 1


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
    (r"igh|eigh", "i"),
    (r"augh|ough", "of"),
    (r"^ps", "s"),
    (r"^kn", "n"),
    (r"^wr", "r"),
    (r"ph|gh", "f"),
    (r"ck|q|x", "k"),
    (r"c(?=[eiy])", "s"),
    (r"tch|ch|j|dge?", "t"),
    (r"c", "k"),
    (r"[bp]+", "p"),
    (r"[dt]+", "t"),
    (r"[gk]+", "k"),
    (r"[fv]+", "f"),
    (r"[sz]+", "s"),
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


#: English spellings, each with its sounds, the first that fits: a letter a vowel (``Y``
#: as in sigh, ``E`` laid, ``O`` so, ``W`` loud, ``J`` voice) or a consonant (``S`` as in
#: shout, ``C`` chuckle, ``T`` throat, ``N`` sing); ``_``: none.
_TABLE = r"""
    \b[kgp]n n  \bwr r  \bps s  wh w  mb(?=s?\b|ing|ed) m  ign(?=s|ed|ing|\b) Yn
    eigh E  igh Y  [ao]ugh(?=ts?\b) o  augh Af  ough of  gh g  tch|t(?=ure) C
    dge?(?=s?\b|ing|ed) j  [ts]ion S@n  sch sk  ch C  sh S  th T  ph f  ck|q k
    (?<=q)u w  al(?=[kmwlt]) o  al(?=f|ves) A  ng(?=s?\b|ing\b|ly) N  n(?=[kgx]) N
    oo u  ous\b @s  ou W  ow(?=n|d|s?e|l) W  ow O  o[iy] J  ai|ay|ei|ey(?!\b) E
    e[ae] i  ie(?=[ds]?\b) Y  ie i  a[uw] o  e[uw]|u[ei] u  oa O
    (?:[eu]r|ir)(?![aeiouy])|er @r  or or  ar(?=e) er  ar(?![aeiouy]) or
    a(?=[b-df-gk-npstvz](?:e[sd]?|ing)\b) E
    i(?=[b-df-gk-npstvz](?:e[sd]?|ing)\b|[nl]d\b) Y
    o(?=[b-df-gk-npstvz](?:e[sd]?|ing)\b|ld\b) O
    u(?=[b-df-gk-npstvz](?:e[sd]?|ing)\b) u
    le(?=[sd]?\b) @l  (?<=[td])ed\b Id  (?<=[pkfsxh])ed\b t  ed\b d
    (?<=[szxcgh])es\b Iz  c(?=[eiy]) s  c k  g(?=es?\b) j  gu(?=[ei]) g
    (?<=\w\w)e(?=s?\b|ly\b|ful) _  \by y  (?<=\b\w)y\b|(?<=\b\w\w)y\b Y
    y\b i  y I  x ks  (?<=[aeiouyw])s(?=[aeiouy]) z  (?<=[bdgvmnlrwyaeiou])s\b z
    o\b O  i\b i  i I  u @  a A
"""
_RULES = _TABLE.split()
_RULE = re.compile("|".join(f"({spelling})" for spelling in _RULES[::2]))
_SOUNDS = [sound.strip("_") for sound in _RULES[1::2]]

#: Common words that are not spoken as they are spelled, each with its sounds.
_EXCEPTIONS = """
    a @  an An  the T@  i Y  you yu  your yor  of @v  to tu  do du  he hi  she Si  we wi
    me mi  be bi  was w@z  one w@n  what wot  said sed  says sez  are or  have hAv
    there Ter  their Ter  they TE  who hu  two tu  come k@m  some s@m  were w@r
    breath breT  heavy hevi  friend frend  gas gAs  yes yes  us @s  this TIs
"""
_WORDS = _EXCEPTIONS.split()
_IRREGULAR = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))
_SHORTENED = {"s": "z", "m": "m", "ve": "v", "ll": "l", "d": "d", "t": "t", "re": "r"}

#: Sounds that are taken for each other: front vowels, other vowels, voiced and
#: voiceless consonants of one place; h, w and y are lost.
_MERGED = str.maketrans(
    "iIeEYAaoOWuUJ@bpdtTkgfvszSZCjmnNlr",
    "11111222222222pptttkkffssssssnnnrr",
    "hwy",
)


@lru_cache(maxsize=8192)
def sounds_of(word: str) -> str:
    """Return the sounds of an English word, a letter each: ``sYIN`` for sighing."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    base, _, ending = word.partition("'")
    if ending in _SHORTENED:
        return sounds_of(base) + _SHORTENED[ending]
    # A vowel before a doubled consonant stays short: "humming", "hisses".
    marked = re.sub(r"([b-df-gk-npstz])\1", r"_\1", base + ending)
    spelling = marked.replace("rr", "r")
    result = _RULE.sub(lambda match: _SOUNDS[(match.lastindex or 1) - 1], spelling)
    return re.sub(r"(.)\1+", r"\1", result.replace("_", ""))


def likeness(one: str, other: str) -> float:
    """Compare the sounds of words, 0 to 1.

    It is the mean of the similarity of the sounds, and of what remains of them when
    those are merged that are taken for each other.
    """
    from rapidfuzz.distance import Levenshtein

    merged = [_merged(one), _merged(other)]
    fine = Levenshtein.normalized_similarity(one, other)
    rough = Levenshtein.normalized_similarity(*merged) if all(merged) else 0.0
    return (fine + rough) / 2


@lru_cache(maxsize=8192)
def _merged(sounds: str) -> str:
    return re.sub(r"(.)\1+", r"\1", sounds.translate(_MERGED))
