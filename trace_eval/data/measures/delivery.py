"""Manners that are asked for without a verb of speech: "But wistfully, now".

Ordinary requests end in the same words: "Do it manually.", "I want it weekly." So they
are read only where they say how somebody sounds, by a mood or a sound, and where they
can be of nothing but the delivery: in a clause that says nothing else, behind "it" or
words in quotes, or right before a colon. An order to edit words and a choice ask for no
manner. Other adverbs are read only where all that a request wants is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extractors.manner_words import MOODS
from trace_eval.data.measures.moods import (
    COMMENTS,
    HANDLING,
    MOOD_ADVERBS,
    SOUNDS,
    is_of_speech,
    participles,
)
from trace_eval.data.measures.unasked import asks_otherwise
from trace_eval.data.measures.wants import SPEAK
from trace_eval.data.word_lists import words_of

#: What stands in a request for words in quotes.
QUOTED = "\N{WHITE SQUARE}"

_VOICE = r"(?:voice|tone|accent|delivery|intonation|register|pitch)"
_ADJECTIVE = "[a-z-]{3,}"  # of MOODS, which is looked up: so many are slow to compile
_DEGREE = (
    r"(?:(?:very|really|quite|rather|all|nice and|more|a (?:bit|little|touch|tad)(?: more)?"
    r"|kind of|sort of|something|extra|properly|so|as) )*"
)

#: A manner of its own: "wistfully", "with a long yelp", "panting".
_MANNER = re.compile(
    r"\b(?P<adverb>[a-z-]{3,}ly)\b"
    rf"|\bwith (?:an?|some|your|the|one|another) (?:[\w-]+ )?(?P<sound>{SOUNDS})s?\b"
    r"|\b(?:(?:with|in) (?:an?|some|your|the) )?(?P<nouns>"
    r"(?:(?!(?:an?|the|in|with|your|my|and|but)\b)[\w-]+ ){1,2}"
    r"(?:voice|tone|accent|whisper))\b"
    rf"|\b(?P<participle>{participles(SOUNDS)})\b"
    rf"|\b(?P<mood>{_ADJECTIVE})\b"
)

#: What else names a manner where the text to be said is given: "a yelp", "wistful".
OF_TEXT = re.compile(
    rf"\b(?:an?|some|your|the|one|another) (?:[\w-]+ )?(?P<sound>{SOUNDS})s?\b"
    rf"|\b(?P<participle>{participles(SOUNDS)})\b"
    r"|\bwith an? (?P<any>[a-z]{3,})(?=\W*(?:$|[.,:;!?]|this time|now|please)|\W*$)"
    rf"|\b(?P<nouns>(?!(?:an?|the|your|my|its?|in|with) )[\w-]+ {_VOICE})\b"
    rf"|\b(?P<mood>{_ADJECTIVE})\b"
)

#: Words of a clause that says no more than in which manner.
LIGHT = words_of(
    (
        "do it this that so but and please make let have be keep take go try say read tell"
        " deliver speak now again more very really rather quite as a an the bit little too"
        " possible for me us them once time all just only though then ok okay thanks to"
    ),
    (
        "come comes coming came out across i i'd want like love need you your should must"
        " may can could would will hear with in voice tone mood one part line whole thing"
        " next first both twice here today maybe perhaps on if"
    ),
    QUOTED,
)

#: What is said stands before its manner: "have it read wistfully", "that one, shyly".
_SAID = re.compile(
    rf"(?:\b(?:it|this|that|those|these|them|one|line|sentence|following)\b|{QUOTED})"
    r"(?: (?:out|back|all|once|again|more|for|to|me|us|you|now|here|read|said|spoken|done"
    r"|told|voiced|delivered|performed|sound|sounding|really|very|rather|quite|as)\b)*\s*$"
)
_BEHIND = re.compile(
    r"\W*(?:(?:this time|now|please|again|for me|instead|though|too|today|if you can|and)"
    r"\b\W*)*(?:$|[.,;:!?])|\W+and\b"
)

#: Moods that are asked for by an adjective.
_ADJECTIVES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:keep|make|leave|render|play|read|do|say|have|give|want|get|deliver) "
        rf"(?:it|this|that|things) {_DEGREE}(?P<what>{_ADJECTIVE})(?! \w+(?:ly|ed)\b)"
        r"(?=$|[.,;:!?]| (?:and|for|as|when|while|please|this|now|but)\b)",
        rf"\b(?:aim|go|shoot|try|strive|reach) for {_DEGREE}(?P<what>{_ADJECTIVE})"
        r"(?=$|[.,;:!?]| (?:and|when|as|while|please|here|now|but)\b)",
        rf"\bcome (?:across|off|over)(?: as)? {_DEGREE}(?P<what>{_ADJECTIVE})\b",
        rf"\b(?:be|go|get|turn|act|sound|stay|feel|remain) {_DEGREE}(?P<what>{_ADJECTIVE})"
        r" (?:and|as|when|while|for)\b",
        r"\b(?:as (?:if|though)|like|if) (?:you|you're)"
        r"(?: (?:were|are|felt|feel|had gone|sound(?:ed)?))?"
        rf" {_DEGREE}(?P<what>{_ADJECTIVE})\b",
        rf"\bas (?:if|though) (?P<what>{_ADJECTIVE})\b",
        r"\b(?:want|need|like|hear|have) you(?: to)?(?: be| sound| get)?"
        rf" {_DEGREE}(?P<what>{_ADJECTIVE})(?=$|[.,;:!?]| (?:and|now|when|as|for)\b)",
        rf"\byou(?: are|'re) (?:an?|the|my) {_DEGREE}(?P<what>{_ADJECTIVE}) [\w-]+",
        r"\b(?:pretend|imagine)(?: that)?(?: to be| you are| you're| being| you feel)"
        rf" {_DEGREE}(?P<what>{_ADJECTIVE})\b",
        rf"\blike (?:an?|some|the) {_DEGREE}(?P<what>{_ADJECTIVE})(?: [\w-]+)?"
        r"(?=$|[.,;:!?]| (?:and|would|who|that)\b)",
        rf"\b(?:an?|your|that|some|the) {_DEGREE}(?P<what>{_ADJECTIVE})"
        r" (?:read|reading|rendition|take|version|delivery|performance|recital)\b",
        r"\bwith (?:an? (?:hint|touch|note|bit|dash|trace|lot) of |much |some |great )?"
        r"(?P<what>[a-z-]{3,})ness\b",
    )
)

#: Words for a voice, of any kind, beside a noun for it.
_VOICES = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:to|for|into|want|need|prefer|adopt|choose|assume|try|affect) (?:an?|your|the|my)"
        rf" (?P<what>(?:[\w-]+,? ){{1,3}}{_VOICE})\b",
        r"\b(?:make|keep|let|have|turn|render|get) (?:your|the|that) "
        rf"(?P<head>{_VOICE}) {_DEGREE}(?:sound |be |go |get )?{_DEGREE}(?P<what>[a-z-]+)\b",
        rf"\b(?:your|an?|the) (?P<head>{_VOICE}) (?:that is|should be|must be|has to be)"
        rf" {_DEGREE}(?P<what>[a-z-]+)\b",
        rf"\b(?:lower|drop|raise|change|switch|bring|turn) your {_VOICE} (?:to|into) an?"
        rf" (?P<what>[\w-]+ (?:{_VOICE}|{SOUNDS}))\b",
        rf"\b(?:give|lend) (?:it|this|that|your \w+) (?:an?|your|some)"
        rf" (?P<what>(?:[\w-]+ ){{1,2}}{_VOICE})\b",
        r"\b(?:go|be|get|sound|stay|turn|keep it|make it) (?P<what>[a-z-]{3,})"
        rf" (?:in|with|by|of) (?:your|the) (?P<head>{_VOICE})\b",
    )
)
_NO_VOICE = words_of(
    "a an the your my and to down up out same right one different normal"
)

#: Words with which words are to be edited, or a tale goes on.
EDITS = re.compile(
    r"\b(?:add|adding|start|begin|end|put|insert|replace|change|correct|complete|finish"
    r"|continue|rewrite|rephrase|reword|paraphrase|translate|compare|fix|improve|edit|shorten"
    r"|move|choose|pick|fill|guess|quiz|text|note|rate|summari[sz]e|write|draw|paint|cook"
    r"|words?(?! (?:are|is)\b)|title|titled|called|story|tale|poem|french|german|english|spanish)\b"
)
SOUNDING = re.compile(
    r"\b(?:(?:start|begin|end|finish|open|close) with|put|add|insert) (?:an?|your|some)"
    rf" (?:[\w-]+ )?{SOUNDS}"
)

#: What is done before something is told: "turn on the wicked voice and tell me".
_BEFORE_TELLING = re.compile(
    r"^(?P<clause>[^.!?:]+?)(?:,? and(?: then)?|,? then|,? before you|,? as you|,? while you)"
    rf" (?:please )?{SPEAK}\b"
)
_PERCEIVES = re.compile(
    r"\b(?:describe|explain|define|name|tell|find|hear|listen|watch|look|compare|read|imagine"
    r"|think|consider|play|pick|choose|know|teach|draw|write|record|rate|recogni[sz]e|when|if"
    r"|who|that|has|have|is|are|was)\b"
)
_VOICE_OR_SOUND = re.compile(
    r"\b(?:an?|the|your|some|that) (?P<what>(?:(?!inner\b)[\w-]+ ){1,2}"
    rf"(?:voice|tone|accent|whisper)|(?:[\w-]+ )?{SOUNDS})\b"
)
_WORDS = re.compile(rf"[a-z']+|{QUOTED}")
CHOICE = re.compile(r"\b(?:or|which|whether|rather than)\b")
_ATTRIBUTE = re.compile(r"\b(?:an?|the|my|your|his|her|its|our|their)\s+$")


def is_attribute(sentence: str, place: int) -> bool:
    """Whether an adverb belongs to what follows its article: "a softly lit lamp"."""
    return bool(_ATTRIBUTE.search(sentence[:place]))


def delivery(
    sentences: Sequence[str], lead: str, *, any_adverb: bool
) -> Iterator[tuple[str, ...]]:
    """Yield the manners of a request that has no verb of speech beside them.

    Args:
        sentences: in small letters, with ``QUOTED`` for words in quotes.
        lead: the last sentence before a colon; empty without one.
        any_adverb: read all adverbs, and not only those of moods.
    """
    if any(CHOICE.search(sentence) for sentence in sentences):
        return
    for sentence in sentences:
        edits = EDITS.search(SOUNDING.sub(" ", sentence))
        if edits or asks_otherwise(sentence):
            continue
        for match in _MANNER.finditer(sentence):
            if _is_placed(sentence, match, lead):
                yield from _told(match, any_adverb=any_adverb)
        for pattern in _ADJECTIVES:
            for match in pattern.finditer(sentence):
                if match["what"] in MOODS:
                    yield (match["what"],)
        yield from _of_voice(sentence)
        if first := _BEFORE_TELLING.search(sentence):
            yield from _of_first(first["clause"])


def _of_first(clause: str) -> Iterator[tuple[str, ...]]:
    """Yield the voice or sound of a clause before the telling, whatever its verb."""
    if not _PERCEIVES.search(clause):
        for match in _VOICE_OR_SOUND.finditer(clause):
            yield tuple(match["what"].split())


def _is_placed(sentence: str, match: re.Match[str], lead: str) -> bool:
    """Whether a manner stands where it can be of nothing but the delivery."""
    before, behind = sentence[: match.start()], sentence[match.end() :]
    if is_attribute(sentence, match.start()):
        return False
    if _is_apart(before, behind):
        return True
    if match["mood"]:
        return False  # an adjective may be of anything: "I want it sad"
    ends_lead = sentence == lead and not re.search(r"\w", behind)
    return ends_lead or bool(_SAID.search(before) and _BEHIND.match(behind))


def _is_apart(before: str, behind: str) -> bool:
    """Whether a manner stands in a clause, or a short sentence, that says no more."""
    if all(word in LIGHT for word in _WORDS.findall(f"{before} {behind}")):
        return True
    clause_before = re.split(r"[,;:]", before)[-1]
    clause_behind = re.split(r"[,;:]", behind)[0]
    rest = _WORDS.findall(f"{clause_before} {clause_behind}")
    opens = clause_before == before
    closes = clause_behind == behind
    if opens and not closes and not rest:
        return False  # a comment: "Wistfully, I look back. What is new?"
    return all(word in LIGHT for word in rest)


def _told(match: re.Match[str], *, any_adverb: bool) -> Iterator[tuple[str, ...]]:
    words = match[match.lastgroup or 0]
    if match.lastgroup == "adverb":
        is_any = any_adverb and words not in HANDLING | COMMENTS and is_of_speech(words)
        is_known = words in MOOD_ADVERBS or is_any
    else:
        is_known = match.lastgroup != "mood" or words in MOODS
    if is_known:
        yield tuple(words.split())


def _of_voice(sentence: str) -> Iterator[tuple[str, ...]]:
    for pattern in _VOICES:
        for match in pattern.finditer(sentence):
            words = match["what"].replace(",", "").split()
            if words[0] in _NO_VOICE:
                continue
            head = match.groupdict().get("head")
            yield (*words, head) if head else tuple(words)
