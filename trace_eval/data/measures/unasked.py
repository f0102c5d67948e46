"""Parts of a request that ask for no manner, though they have the words of one.

They are about words ("what does haughtily mean?"), about others ("did she answer
calmly?", "he said it with a grin"), for later or for others ("remind me to smile"), or
a choice ("with a smile or with a frown?").
"""

from __future__ import annotations

import re
from collections.abc import Sequence

#: The word itself is asked for, or what it means, or how it is written.
OF_WORDS = re.compile(
    r"\b(?:what (?:does|do|is|are|was)|mean(?:s|ing)?|define|definition|spell(?:ed|ing)?|translate"
    r"|synonyms?|antonyms?|rhymes?|how (?:to|do you|do i) (?:say|spell|pronounce)|in a sentence"
    r"|teach me|make (?:up )?a sentence"
    r"|in it|(?:is|are|as|it's) written|captions?|subtitles?|brackets?"
    r"|stage directions?|(?:band|brand|first|last|code|file|nick) ?names?|names? for|adverbs?"
    r"|adjectives?|syllables?|opposite|plural)\b"
)

#: A word that is named as one: "the word haughtily".
NAMED = re.compile(
    r"\b(?:the )?(?:word|words|term|verb|noun|adjective|adverb|expression|title)s? "
    r"(?!are\b|is\b)[\w-]+"
)

_LEAD = r"^\W*(?:(?:and|but|so|then|well|ok|okay|hey|please|now)\W+)*"

#: A question about somebody or something, and none whether the speaker would.
_QUESTION = re.compile(
    _LEAD + r"(?:(?:is|are|was|were|am|do|does|did|has|have|had|should|shall|must"
    r"|why|when|where|who|whom|whose|which)\b|(?:can|could|will|would|may|might)\b"
    r"(?! (?:you|we)\b| i (?:hear|have|get)\b|\W*,))"
)

#: A question whether it is able to: "can you whisper?"
_IS_ABLE = re.compile(r"^\W*can you (?:also )?(?:do )?[a-z]+\?$")

#: A sentence that tells what others did or do, and wants nothing.
_TOLD = re.compile(
    _LEAD + r"(?:he|she|they|somebody|someone|everybody|everyone"
    r"|(?:my|our|his|her|their|the) \w+(?= (?:said|spoke|told|\w+ed|\w+[^s]s)\b))\b"
    r"(?! (?:wants?|needs?|would|should|must|likes?|loves?|prefers?|ha(?:s|ve) to)\b)"
)


#: What somebody shall do later, or is to be told.
_FOR_LATER = re.compile(
    _LEAD + r"(?:remind \w+ to|remember to|note (?:down )?(?:that|to)|make a note"
    r"|(?:tell|ask|order|advise|warn) (?!me\b|us\b)(?:\w+ ){1,2}to)\b"
)


def asks_otherwise(sentence: str) -> bool:
    """Whether a sentence in small letters asks for no manner."""
    if OF_WORDS.search(sentence) or _TOLD.search(sentence):
        return True
    if _IS_ABLE.search(sentence) or _FOR_LATER.search(sentence):
        return True
    return sentence.rstrip().endswith("?") and bool(_QUESTION.search(sentence))


#: Words of a request for several manners one after the other, to be told apart.
_IN_TURN = re.compile(
    r"\b(?:twice|both|normally|in turn|contrast\w{0,3}|differences?|different\w{0,2}|distinct"
    r"|(?:two|three|four|five) (?:\w+ )?(?:times|ways|tones|styles|accents|voices|versions|moods)"
    r"|(?:first|second|other) (?:half|time|part|line|version|sentence)"
    r"|first (?:in|with|using|very|[a-z]+ly)|once (?:in|with|using|very|[a-z]+ly))\b",
    re.I,
)


def asks_in_turn(text: str) -> bool:
    """Whether a request wants several manners in turn, which an answer may announce."""
    return bool(_IN_TURN.search(text))


def is_chosen(sentence: str, phrase: Sequence[str]) -> bool:
    """Whether a manner is one of two: "with a smile or with a frown"."""
    if not re.search(r"\bor\b", sentence):
        return False
    words = r"\W+".join(map(re.escape, phrase))
    gap = r"\W+(?:[\w']+\W+){0,3}?"
    return bool(re.search(rf"\bor{gap}{words}s?\b|\b{words}s?\b{gap}or\b", sentence))


def names_in(text: str) -> frozenset[str]:
    """Return names that look like adverbs: "Her name is Emily, not Emilie"."""
    found = re.findall(r"(?<=[a-z,] )[A-Z][a-z]+ly\b", text)
    return frozenset(name.lower() for name in found)
