"""Forms in which a request names a manner: "with a sigh", "like a robot".

One sentence of a request is read, in small letters and without what names words or asks
for something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from extractors.manner_words import ADJECTIVE_OF_NOUN
from trace_eval.data.measures.delivery import QUOTED, is_attribute
from trace_eval.data.measures.manner import words_in
from trace_eval.data.measures.moods import (
    COMMON_SOUNDS,
    HEAD,
    NAMED_VOICES,
    NO_MANNER,
    RARE_SOUNDS,
    SOUNDS,
    is_of_speech,
    participles,
    words_of_mood,
)
from trace_eval.data.measures.wants import NOT_SAID, SPEAK
from trace_eval.data.word_lists import words_of

_START = r"(?:^|[.,:;!?]\s*|\b(?:please|and|then|now|first|you|to|just|with)\s+)"
_COMMON_PARTICIPLES = participles(COMMON_SOUNDS)
_PARTICIPLES = participles(SOUNDS)

#: What is asked for by "how would it sound if you said", and by "I'd like to hear it".
_IF_SAID = r"if you (?:said|spoke|told|answered|replied|read)"
_HEAR = r"hear (?:it|this|that|you)(?: say)?"

#: A verb of speech, with what is said: "read this sentence out".
_SAY_IT = (
    rf"\b(?:{_IF_SAID}|{_HEAR}"
    r"|(?:say|speak|talk|read|answer|reply|respond|repeat|perform|deliver)(?:ing)?|(?:recit|narrat|voic|pronounc)(?:e|ing))"
    r"(?: (?:me|it|this|one|that|to|out|aloud|loud|back|after|the|following|sentence|line|words"
    rf"|text|{QUOTED}))*(?:,? but)?"
)

#: What stands before a request; "will it be cold?" asks for no manner.
_ASKED = r"(?:^|[.,:;!?]\s*|\b(?:please|and|but|then|i want you to|i'd like you to)\s+)"

#: What a manner ends with: nothing more is said of it.
_ENDS = r"(?=\s*(?:$|[.,:;!?]|\b(?:and|please|this time|now)\b))"

#: Words that say how to speak where that is asked for, and may stand in any question.
_ANY_MANNER = (
    r"(?:[a-z]+-)?[a-z]+(?:ed|y|ful|ing|ic|ous|ish|less|ive|like|[ae]nt)|sad|angry|mad|calm|glad"
    r"|shy|bored"
    r"|warm|solemn|emotional|casual|formal|sentimental|theatrical|cynical|sceptical"
    r"|skeptical"
    r"|gentle|soft|quiet|loud|stern|grave|hoarse|tender|timid|sincere|mellow|brisk"
    r"|grim|tense"
    r"|upbeat|smug|slow|cold"
)

#: How much of a manner is wanted: "sound a little more cheerful".
_VERY = r"(?:(?:very|really|as|more|quite|so|extra|super|a (?:bit|little)(?: more)?) )?"

#: What is done with a part of the body: "clear your throat", "clicking his tongue".
_BODY = (
    r"(?:clear(?:s|ing)? (?:your|his|her|the) throat|tak(?:e|es|ing) an? (?:\w+ )?breath"
    r"|(?:smack|lick)(?:s|ing)? (?:your|his|her|the) lips"
    r"|click(?:s|ing)? (?:your|his|her|the) tongue"
    r"|(?:clap|snap)(?:s|p?ing)? (?:your|his|her|the) (?:hands|fingers)"
    r"|blow(?:s|ing)? a raspberry)"
)

#: Nouns of a voice that are said of little else.
_VOICE = r"(?:voice|tone|accent)"

#: How directions are asked for; the group ``what`` holds their words.
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:in|with|using|use|adopt|put on|take on|do|imitate|have|try|affect)"
        rf" (?:an?|your|the|my|some)"
        rf" (?:best )?(?P<what>(?:[\w-]+,? (?:and )?){{0,4}}(?:{HEAD}|{NAMED_VOICES}))\b",
        rf"\bin (?P<what>{NAMED_VOICES}|[a-z-]{{3,}} (?:tones|voices))\b",
        r"\bwith (?:an? |some )?(?P<what>(?:[a-z-]+ ){0,2}[a-z]{3,}) in (?:your|the) voice\b",
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
        rf"\b(?:want|need|like|hear) (?:an?|your|some) (?P<what>(?:[\w-]+ )?{SOUNDS})"
        r" (?:first|before (?:you|your|the)|and then|in front)\b",
        rf"(?:^|[.,:;!?]\s*)an? (?P<what>(?:[\w-]+ )?{SOUNDS})"
        r" (?:first|before|in front|and then|and)\b",
        rf"\b(?:start|begin|open|end|finish|close) by (?P<what>{_PARTICIPLES})\b",
        rf"^(?P<what>{_PARTICIPLES}), (?=\b{SPEAK}\b)",
        rf"{_START}(?P<what>{COMMON_SOUNDS})\b",
        rf"\b(?:while|by) (?P<what>{_COMMON_PARTICIPLES})\b",
        rf"(?<!how to )(?<!\byou )\b(?:sound|act|seem|appear) {_VERY}"
        r"(?P<what>[a-z]+(?:ed|y|ful|ing|ic|ous|ish|less|ive)"
        r"|sad|angry|mad|calm|glad|shy|bored)\b",
        r"(?<!how to )(?<!it should )(?<!it must )\bbe (?:very |really |as )?"
        r"(?P<what>[a-z]+(?:ed|y|ful|ing|ic|ous|ish|less|ive)"
        r"|sad|angry|mad|calm|glad|shy|bored)\b",
        rf"(?:(?<!how to )(?<!\byou )\bsound|{_ASKED}(?:be|act|seem|appear|stay|remain))"
        rf" {_VERY}(?P<what>{_ANY_MANNER})\b",
        rf"{_ASKED}pretend (?:that )?(?:to be|you are|you're) {_VERY}"
        rf"(?P<what>{_ANY_MANNER}) (?:and|while|as you) ",
        rf"\b(?:but|and) make (?:it|this|that) sound {_VERY}(?P<what>{_ANY_MANNER}){_ENDS}",
        rf"(?<!stop )\bsounding {_VERY}(?P<what>{_ANY_MANNER})\b",
        r"\b(?:(?:switch|change|drop|slip) (?:to|into)|like|love|want|need) (?:an?|your)"
        rf" (?P<what>(?:[\w-]+ ){{0,3}}(?:{_VOICE}|{NAMED_VOICES})){_ENDS}",
        rf"^\W*(?:an? )?(?!{SPEAK}\b)(?P<what>(?:[\w-]+ ){{1,2}}{_VOICE})(?:,? please)?\W*$",
        r"^\W*(?P<what>whispered|shouted|sung)(?:,? please)?\W*$",
        r"\bin a voice (?:that is|that's|full of) (?P<what>[a-z]{3,}(?: and [a-z]{3,})?)\b",
        rf"\b(?:your|the) voice (?:should|must) (?P<what>shake|break|crack|{SOUNDS})\b",
        rf"{_ASKED}(?:sound|be|act|seem|appear) {_VERY}"
        rf"(?P<what>[a-z]{{3,}}) and \b{SPEAK}\b",
        rf"{_SAY_IT}\s+(?P<what>{_PARTICIPLES})\s*(?:[.,:;!?]|$|that\b)",
        rf"\b(?P<what>{_BODY})\b",
    )
)

#: A sound beside a verb of speech: "with a snarl", "in a growl".
_WITH_SOUND = re.compile(
    rf"\b(?:with (?:an?|some|your)|(?<!ends )(?<!end )in an?)"
    rf" (?P<what>(?:[\w-]+ )?{SOUNDS})s?\b"
)
_SPEAKS = re.compile(rf"\b(?:{SPEAK}|{_IF_SAID}|{_HEAR})\b")

#: What is asked for by a change of the voice, and how that is read out.
_CHANGES = (
    (r"slow (?:right |way |it |things )?down", "slow", "slowing down"),
    (r"speed (?:it |things )?up", "fast", "faster", "speeding up"),
    (r"raise (?:your|the) voice|speak up", "loud", "raised voice", "speaking up"),
    (
        r"lower (?:your|the) voice|keep (?:your|the) voice down|quieten down",
        "low voice",
        "lowered voice",
        "quiet",
    ),
)

#: The state of a speaker, and how words follow each other: "say it in a hurry". Behind
#: what is told, only those count that are of speech: "tell me of bees out of breath".
_OF_SPEECH_ALONE = (
    r"out of breath|under (?:your|the) breath|half asleep|about to cry|through your nose"
    r"|(?:really|very|super|extra) (?:fast|slow|loud|quiet|low|high|deep|soft)"
    r"|at (?:top|full|half|double) speed|with (?:long|dramatic) pauses|on one note"
)
_STATE = (
    r"(?:close to|through|on the verge of|holding back) tears|word by word|while [a-z]+ing"
    r"|(?:in )?between (?:sobs|laughs|gasps|yawns)"
    r"|as (?:if|though) (?:you|someone|somebody|it|there)\b[^.,:;!?\"]{2,40}"
    r"|(?:in|at|on|with|without|through) (?:[a-z]+ ){0,3}"
    r"(?:speed|pace|volume|pitch|motion|rush|hurry|baby talk|face|emotions?|feelings?|breath"
    r"|mouth(?: full)?|teeth|pauses|tempo|eyes|throat)"
)
_STATES = tuple(
    re.compile(rf"{before}(?P<what>{state})(?= in |\s*[\"]|{_ENDS[3:-1]})")
    for before, state in (
        (r"\b", _OF_SPEECH_ALONE),
        (rf"(?:{_SAY_IT} |\bspeaking |^|[,;:]\s|\bbut )", _STATE),
    )
)

#: A mood, by its noun.
_MOOD = rf"(?P<what>{'|'.join(ADJECTIVE_OF_NOUN)}|[a-z]{{3,}}ness)"

#: How much of a mood is wanted: "with a hint of sadness".
_SOME_OF = (
    r"(?:an? (?:hint|touch|note|bit|lot|air|sense|tone)|lots|plenty|loads|tons) of"
)

#: A mood that somebody speaks with: "say it with pride". A request may be about one,
#: too: "how to cope with grief".
_WITH_MOOD = re.compile(
    rf"{_SAY_IT} with (?:{_SOME_OF} )?(?:[a-z]{{4,}} )?"
    rf"{_MOOD}\b"
)

#: A mood that is to be shown: "put some energy into it", "convey anger: it rains".
_SHOW_MOOD = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_ASKED}(?:put|add|express|show|convey|display) "
        rf"(?:(?:some|more|much|a (?:bit|little|hint|touch|note)(?: of)?) )?{_MOOD}"
        r"(?= (?:in|into|to) (?:it|this|your|the)\b| (?:while|when|as|and) |\s*[:.])",
        rf"{_ASKED}let (?:the|your|some) {_MOOD} (?:show|be heard|come through)\b",
    )
)

#: How a voice is to change: "tell me of bees, but louder", "a bit slower".
_COMPARED = re.compile(
    rf"(?:\bbut |{_SAY_IT} |\b(?:an? (?:bit|little)|much) )"
    r"(?P<what>(?P<base>loud|quiet|soft|slow|fast|high|low|deep|quick|warm|cold|calm)er)"
    rf"{_ENDS}"
)

#: Any other noun is a manner where nothing follows it: "read it with feeling".
_WITH_ANY = re.compile(
    rf"{_SAY_IT} with (?:an? (?:hint|touch|note|bit|lot) of |some |much |great |more )?"
    rf"(?P<what>[a-z]{{2,}}(?:ss|[a-rt-z])|emphasis){_ENDS}"
)

#: Adverbs that comment on most sentences they open are a manner right behind a verb of
#: speech: "say it hopefully".
COMMENTING = re.compile(
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

#: What an answer may be given as, and no speaker.
_FORMATS = words_of(
    "list table joke poem question sentence story number word summary paragraph song haiku",
    "rhyme letter recipe dialogue conversation bullet riddle percentage date fraction whole",
    "quote yes-no single-word one-liner",
)

#: Whom somebody speaks like: "talk like an old pirate", "like Yoda".
_LIKE = re.compile(
    rf"(?:{_SAY_IT} (?:like|as(?= an?\b))|{_ASKED}(?:sound|act|behave) like"
    r"|\bin the (?:voice|style|manner|tone) of"
    rf"|{_ASKED}(?:imitate|mimic|impersonate|channel your inner))"
    rf" (?:an? |the )?(?!{_NOBODY})"
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

_ADVERB = re.compile(r"\b(?P<what>[a-z]{3,}ly)\b")

#: Adverbs behind these belong to a clause: "tell me why he left so sadly".
_OF_CLAUSE = re.compile(r"\b(?:so|too|how|more|most|who \w+|that \w+) $")


def sound_at_end(sentence: str) -> Iterator[tuple[str, ...]]:
    """Yield the sound at the end of a request, which an answer may tell of as well."""
    match = _ENDS_SOUNDING.search(sentence)
    if match is None or match["before"] in _SOUNDS_TOLD_OF:
        return
    is_told_of = sentence[: match.start()].endswith("about ")
    if not is_told_of and _SPEAKS.search(NOT_SAID.sub(" ", sentence)):
        yield (match["what"],)


def manners_in(sentence: str, names: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Yield the manners that a sentence asks for, as words; ``names`` are none."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(sentence):
            if match["what"] not in NO_MANNER:
                yield tuple(words_in(match["what"]))
    for pattern in _SHOW_MOOD:
        for match in pattern.finditer(sentence):
            yield from ((word,) for word in words_of_mood(match["what"]))
    if not _SPEAKS.search(NOT_SAID.sub(" ", sentence)):
        return
    for pattern in (_WITH_SOUND, *_STATES):
        for match in pattern.finditer(sentence):
            yield tuple(words_in(match["what"]))
    for change, *manners in _CHANGES:
        if re.search(rf"{_ASKED}(?:{change})\b", sentence):
            yield from (tuple(words_in(manner)) for manner in manners)
    for match in _COMPARED.finditer(sentence):
        yield from ((match["what"],), (match["base"],))
    for match in chain(_WITH_MOOD.finditer(sentence), _WITH_ANY.finditer(sentence)):
        if match["what"] not in _NO_MOODS:
            yield from ((word,) for word in words_of_mood(match["what"]))
    for match in COMMENTING.finditer(sentence):
        yield from ((match["what"],), (match["what"].removesuffix("ly"),))
    for match in _LIKE.finditer(sentence):
        if match["what"] not in _FORMATS:
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
