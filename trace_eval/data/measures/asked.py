"""Directions that a request asks for: "with a sigh", "(laughs)", "Tone: sad".

They are read in forms that surely ask for a manner, by a verb of speech, a noun for the
voice or a bracket where a stage direction stands, and in those of ``delivery``. A request
for a word itself, its meaning or a story with it has no direction. English alone is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from trace_eval.data.measures.delivery import QUOTED, delivery, is_attribute
from trace_eval.data.measures.manner import (
    MAX_REQUEST,
    PLAIN,
    Directions,
    stems_in,
    words_in,
)
from trace_eval.data.measures.misheard import stem_of
from trace_eval.data.measures.moods import (
    ADJECTIVE_OF_NOUN,
    COMMON_SOUNDS,
    HANDLING,
    HEAD,
    MOODS,
    NO_MANNER,
    OF_THINGS,
    RARE_SOUNDS,
    SOUNDS,
    is_of_speech,
    participles,
    words_of_mood,
)
from trace_eval.data.measures.parts import parts_of
from trace_eval.data.measures.unasked import (
    NAMED,
    asks_in_turn,
    asks_otherwise,
    is_chosen,
    names_in,
)
from trace_eval.data.measures.wants import NOT_SAID, SPEAK, wants_of
from trace_eval.data.word_lists import words_of

_START = r"(?:^|[.,:;!?]\s*|\b(?:please|and|then|now|first|you|to|just|with)\s+)"
_COMMON_PARTICIPLES = participles(COMMON_SOUNDS)
_PARTICIPLES = participles(SOUNDS)
#: What is asked for by "how would it sound if you said".
_IF_SAID = r"if you (?:said|spoke|told|answered|replied|read)"

#: A verb of speech, with what is said: "read this sentence out".
_SAY_IT = (
    rf"\b(?:{_IF_SAID}|(?:say|speak|talk|read|answer|reply|respond|repeat|perform|deliver)"
    r"(?:ing)?|(?:recit|narrat|voic|pronounc)(?:e|ing))"
    r"(?: (?:me|it|this|that|to|out|aloud|loud|back|after|the|following|sentence|line|words"
    rf"|text|{QUOTED}))*(?:,? but)?"
)

#: What stands before a request; "will it be cold?" asks for no manner.
_ASKED = r"(?:^|[.,:;!?]\s*|\b(?:please|and|but|then|i want you to|i'd like you to)\s+)"

#: Words that say how to speak where that is asked for, and may stand in any question.
_ANY_MANNER = (
    r"[a-z]+(?:ed|y|ful|ing|ic|ous|ish|less|ive|like|[ae]nt)|sad|angry|mad|calm|glad"
    r"|shy|bored"
    r"|warm|solemn|emotional|casual|formal|sentimental|theatrical|cynical|sceptical"
    r"|skeptical"
    r"|gentle|soft|quiet|loud|stern|grave|hoarse|tender|timid|sincere|mellow|brisk"
    r"|grim|tense"
    r"|upbeat|smug|slow|cold"
)

#: How directions are asked for; the group ``what`` holds their words.
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:in|with|using|use|adopt|put on|take on|do|imitate|have) (?:an?|your"
        rf"|the|my|some)"
        rf" (?P<what>(?:[\w-]+,? (?:and )?){{0,4}}{HEAD})\b",
        rf"\bwith (?:an?|some|your|the)? ?(?P<what>(?:[\w-]+ ){{0,3}}{COMMON_SOUNDS})s?\b",
        rf"\b(?:let out|give|add|insert|make|start with|begin with|end with|finish with"
        rf"|open with|close with) (?:an?|some|your|the)? ?"
        rf"(?P<what>(?:[\w-]+ ){{0,2}}{COMMON_SOUNDS})s?\b",
        rf"\b(?:let out|give|utter|open with|start with|begin with|end with|finish with"
        rf"|close with) (?:an?|your|some) (?P<what>(?:[\w-]+ )?{RARE_SOUNDS})s?\b",
        rf"^(?:please |first,? |now )?(?P<what>{RARE_SOUNDS})"
        r"(?= (?:and|before|while|as you)\b|, then\b| (?:once|first|twice)\b)",
        rf"\b(?:after|before|throw in) (?:an?|your|some) "
        rf"(?P<what>(?:[\w-]+ )?{SOUNDS})\b(?! (?:of|in|on|that|who)\b)",
        rf"\b(?:want|need|like) (?:an?|your|some) (?P<what>(?:[\w-]+ )?{SOUNDS})"
        r" (?:first|before you|and then|in front)\b",
        rf"(?:^|[.,:;!?]\s*)an? (?P<what>(?:[\w-]+ )?{SOUNDS})"
        r" (?:first|before|in front|and then|and)\b",
        rf"\b(?:start|begin|open|end|finish|close) by (?P<what>{_PARTICIPLES})\b",
        rf"^(?P<what>{_PARTICIPLES}), (?=\b{SPEAK}\b)",
        rf"{_START}(?P<what>{COMMON_SOUNDS})\b",
        rf"\b(?:while|by) (?P<what>{_COMMON_PARTICIPLES})\b",
        r"(?<!how to )(?<!\byou )\b(?:sound|act|seem|appear) (?:very |really |as )?"
        r"(?P<what>[a-z]+(?:ed|y|ful|ing|ic|ous|ish|less|ive)"
        r"|sad|angry|mad|calm|glad|shy|bored)\b",
        r"(?<!how to )(?<!it should )(?<!it must )\bbe (?:very |really |as )?"
        r"(?P<what>[a-z]+(?:ed|y|ful|ing|ic|ous|ish|less|ive)"
        r"|sad|angry|mad|calm|glad|shy|bored)\b",
        rf"(?:(?<!how to )(?<!\byou )\bsound|{_ASKED}(?:be|act|seem|appear|stay|remain))"
        rf" (?:very |really |as )?(?P<what>{_ANY_MANNER})\b",
        rf"{_ASKED}(?:sound|be|act|seem|appear) (?:very |really |as )?"
        rf"(?P<what>[a-z]{{3,}}) and \b{SPEAK}\b",
        rf"{_SAY_IT}\s+(?P<what>{_PARTICIPLES})\s*(?:[.,:;!?]|$|that\b)",
        r"\b(?P<what>clear(?:s|ing)? (?:your|his|her|the) throat"
        r"|tak(?:e|es|ing) an? (?:\w+ )?breath)\b",
    )
)

#: A sound that is rare, beside a verb of speech.
_WITH_RARE = re.compile(
    rf"\bwith (?:an?|some|your) (?P<what>(?:[\w-]+ )?{RARE_SOUNDS})s?\b"
)
_SPEAKS = re.compile(rf"\b(?:{SPEAK}|{_IF_SAID})\b")

#: What a manner ends with: nothing more is said of it.
_ENDS = r"(?=\s*(?:$|[.,:;!?]|\b(?:and|please|this time|now)\b))"

#: A mood that somebody speaks with: "say it with pride". A request may be about one,
#: too: "how to cope with grief".
_WITH_MOOD = re.compile(
    rf"{_SAY_IT} with (?:an? (?:hint|touch|note|bit|lot) of )?(?:[a-z]{{4,}} )?"
    rf"(?P<what>{'|'.join(ADJECTIVE_OF_NOUN)})\b"
)

#: Any other noun is a manner where nothing follows it: "read it with feeling".
_WITH_ANY = re.compile(
    rf"{_SAY_IT} with (?:an? (?:hint|touch|note|bit|lot) of |some |much |great |more )?"
    rf"(?P<what>[a-z]{{2,}}(?:ss|[a-rt-z])|emphasis){_ENDS}"
)

#: Adverbs that comment on most sentences they open are a manner right behind a verb of
#: speech: "say it hopefully".
_COMMENTING = re.compile(
    rf"{_SAY_IT} (?P<what>hopefully|honestly|seriously|frankly|thankfully|candidly|bluntly"
    rf"|plainly|openly|carefully|strangely){_ENDS}"
)

#: What is said to be answered with, and no manner: "answer with yes".
_NO_MOODS = words_of(
    "yes true false okay maybe hello goodbye sorry silence code json text data proof evidence",
    "detail advice information music help him her them you your mine this that these those one",
    "two three four five six seven nine ten nothing something anything everything context",
)

#: What "like" compares a sentence with, and no speaker: "say it like this".
_NOBODY = (
    r"(?:this|that|these|those|it|so|you|i|we|he|she|they|me|us|him|her|them|my|your|his"
    r"|their|our|there|if|in|on|an?|the)\b"
)

#: Whom somebody speaks like: "talk like an old pirate", "like Yoda".
_LIKE = re.compile(
    rf"{_SAY_IT} like (?:an? |the )?(?!{_NOBODY})"
    rf"(?P<what>(?:[a-z-]{{3,}} ){{0,2}}[a-z-]{{3,}}){_ENDS}"
)

#: A sound at the end of a request: "Tell me how to make tea muttering". It may be told
#: of, too: "how to stop coughing", "a baby crying".
_ENDS_SOUNDING = re.compile(
    rf"(?<![a-z'])(?P<before>[a-z']{{1,30}}) (?P<what>{_PARTICIPLES})\W{{0,8}}$"
)
_SOUNDS_TOLD_OF = words_of(
    "a an the my your his her its our their of about from for to and or against by in on with",
    "without like is are was were be being am stop stops keep keeps start starts begin begins",
    "avoid quit end ends try learn love loves enjoy enjoys hate practise practice do go hear see",
    "baby babies child children kid kids people person man men woman women dog dogs cat cats",
)

#: What a question is about: "With a yawn: what does that say of a talk?"
_VERBLESS = re.compile(r"^\W*(?:with|an?|after|before) ")
_ADVERB = re.compile(r"\b(?P<what>[a-z]{3,}ly)\b")

#: A thing that has the sound itself: "name a song with a whistle".
_WITH_ITS_SOUND = re.compile(
    r"\b(?:song|tune|film|movie|scene|track|record|play|book|novel|poem|word|name"
    r"|bird|toy)s?"
    rf" with (?:an?|some) (?:[\w-]+ )?{SOUNDS}\b"
)

#: Adverbs behind these belong to a clause: "tell me why he left so sadly".
_OF_CLAUSE = re.compile(r"\b(?:so|too|how|more|most|who \w+|that \w+) $")

#: How something is done is asked for.
_CLAUSE = re.compile(
    r"\b(?:how (?:to|one|do|i|you|we)|who|what (?:to|one|(?:do|should|can|shall) (?:i"
    r"|we)))\b"
)

_HOW = re.compile(r"\bhow (?:do|does|did|can|should|is|are|was|were|fast|well)\b")
_ADVICE = re.compile(r"\b(?:how|what) (?:to|should|can|do (?:i|we))\b")
_TELLS = re.compile(r"\bthat (?:you|we|the|it|he|she|they|i|there|my|your|our|this)\b")


@lru_cache(maxsize=8)  # a request has several answers
def directions_of(request: str) -> Directions:
    """Read the directions of a request, and the text that it wants said."""
    text = request[:MAX_REQUEST].translate(PLAIN)
    parts = parts_of(text)
    body = re.sub(r"\s+", " ", parts.body.lower())
    sentences = [one for one in re.split(r"(?<=[.?!])\s+", body) if one]
    names = names_in(text)
    literal = tuple(words_in(" ".join(parts.literal)))
    wants = wants_of(parts.bare)
    sure = [tuple(words_in(note)) for note in parts.notes]
    told_or_asked: list[tuple[str, ...]] = []
    for sentence in sentences:
        is_about = "?" in text and not wants.speech and _VERBLESS.search(sentence)
        if not is_about and not asks_otherwise(sentence):
            found = _manners(_WITH_ITS_SOUND.sub(" ", NAMED.sub(" ", sentence)), names)
            sure += (one for one in found if not is_chosen(sentence, one))
            told_or_asked += _sounding(sentence)
    hinted: list[tuple[str, ...]] = []
    if wants.speech:
        hinted += delivery(sentences, parts.lead, any_adverb=wants.telling)
    hinted = [phrase for phrase in hinted if names.isdisjoint(phrase)]
    phrases = dict.fromkeys([*sure, *hinted, *told_or_asked])
    every = [phrase for phrase in phrases if phrase]
    stems = stems_in(every) - {stem_of(word) for word in literal}
    weak = {word for phrase in hinted for word in phrase if phrase not in sure}
    answers = MOODS.intersection(weak).union(parts.settings)
    if not wants.thing and "?" not in text:
        answers &= OF_THINGS
    if wants.itself:
        answers |= {phrase[0] for phrase in every if len(phrase) == 1}
    if wants.advice:
        answers |= {word for word in weak if word in MOODS or word.endswith("ly")}
    return Directions(
        stems=stems,
        phrases=tuple(every),
        literal=literal,
        is_asked="?" in " ".join(parts.literal),
        hinted=stems - stems_in(sure),
        never_alone=frozenset(
            answers.union(_of_clauses(sentences), _comments_in(body))
        ),
        asks_how=bool(_HOW.search(body)),
        asks_advice=bool(_ADVICE.search(body)),
        in_turn=len(stems) > 1 and asks_in_turn(parts.bare),
        tells=bool(_TELLS.search(body)),
        content=frozenset(words_in(text)).difference(*sure, *hinted),
    )


def _sounding(sentence: str) -> Iterator[tuple[str, ...]]:
    """Yield the sound at the end of a request, which an answer may tell of as well."""
    match = _ENDS_SOUNDING.search(sentence)
    if match is None or match["before"] in _SOUNDS_TOLD_OF:
        return
    is_told_of = sentence[: match.start()].endswith("about ")
    if not is_told_of and _SPEAKS.search(NOT_SAID.sub(" ", sentence)):
        yield (match["what"],)


def _manners(sentence: str, names: frozenset[str]) -> Iterator[tuple[str, ...]]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(sentence):
            if match["what"] not in NO_MANNER:
                yield tuple(words_in(match["what"]))
    if not _SPEAKS.search(NOT_SAID.sub(" ", sentence)):
        return
    for match in _WITH_RARE.finditer(sentence):
        yield tuple(words_in(match["what"]))
    for match in chain(_WITH_MOOD.finditer(sentence), _WITH_ANY.finditer(sentence)):
        if match["what"] not in _NO_MOODS:
            yield from ((word,) for word in words_of_mood(match["what"]))
    for match in _COMMENTING.finditer(sentence):
        yield from ((match["what"],), (match["what"].removesuffix("ly"),))
    for match in _LIKE.finditer(sentence):
        yield tuple(words_in(match["what"]))
    for match in _ADVERB.finditer(sentence):
        adverb = match["what"]
        if adverb in NO_MANNER or adverb in names or not is_of_speech(adverb):
            continue
        if not _is_of_clause(sentence, match):
            yield (adverb,)


def _is_of_clause(sentence: str, match: re.Match[str]) -> bool:
    """Whether an adverb says how something is done that is told of."""
    before = sentence[: match.start()]
    return is_attribute(sentence, match.start()) or bool(_OF_CLAUSE.search(before))


def _comments_in(body: str) -> Iterator[str]:
    """Yield adverbs of a request that comment on an answer as well: "hopefully"."""
    for match in _COMMENTING.finditer(body):
        yield match["what"]


def _of_clauses(sentences: Sequence[str]) -> Iterator[str]:
    """Yield adverbs that say how to handle a thing: "how to pet a cat gently"."""
    for sentence in sentences:
        for match in _ADVERB.finditer(sentence):
            if match["what"] in HANDLING and _CLAUSE.search(sentence[: match.start()]):
                yield match["what"]
