"""Set phrases of delivery requests, as patterns over one lower-case sentence."""

from __future__ import annotations

import re

from trace_eval.judges.rules.grammar import CLAUSE_START
from trace_eval.judges.rules.vocabulary import ACCENTS, EMOTIONS, NUMBERS, RequestKind

_BECOME = (
    r"(?:gets?|getting|becom(?:es?|ing)|grow(?:s|ing)?|turn(?:s|ing)?|gradually|progressively"
    r"|increasingly|more and more)"
)
_MORE = r"(?:increas\w+|rais(?:e|es|ed|ing)|build(?:s|ing)?(?: up)?|turn(?:ing)? up|boost\w*)"
_LESS = (
    r"(?:decreas\w+|reduc\w+|(?<!\ba )(?<!\bthe )(?<!\bmuch )lower(?:s|ing)?|drop(?:s|ping)?"
    r"|diminish\w*|turn(?:ing)? down)"
)
#: Words between such a verb and what it changes; emphasis is another thing to increase.
_GAP = r"\s+(?:(?!emphasis|pitch|volume|pace|speed)[\w-]+,?\s+){0,3}?(?:[\w-]+ and )?"
_PACE, _VOLUME, _PITCH = r"(?:speed|pace|tempo|rate)", r"(?:volume|loudness)", r"pitch"
_GRADUAL = r"(?:gradually|progressively|slowly|steadily)\s+"
_EMOTION = "(?P<value>" + "|".join(sorted(EMOTIONS, key=len, reverse=True)) + ")"
_NUMBER = "|".join(NUMBERS)
#: Behind "slow down" or "speed up": it is a trend, not a manner.
_BY_AND_BY = r"(?:as|at|toward|near|each|with|gradually|on|the last|for the last)"
_COMPARATIVES = "faster|quicker|slower|louder|softer|quieter|higher|lower|deeper"

#: An adverb in front of such a word modifies that word: ``slowly increasing``, ``fast
#: food``.
OTHER_WORD = re.compile(
    r"(?<!\s)\s+(?!(?:and|then|while|but|with|in|as|to|for|the|at|enough|please|first|what|again|without"
    r"|like|or|when|this|these|those|a|an|it|each|every|on|until|before|after|so|now|using|your"
    r"|from|if|about|than (?:usual|normal|before|you|last|that))\b)[a-z]"
)
#: In front of a comparative or a degree: part of a trend, not a manner.
COMPARISON = re.compile(
    rf"\b(?:{_BECOME}|(?:{_COMPARATIVES}) and)\s+(?:\w+ly\s+)?(?:(?:{_COMPARATIVES}) and )?$"
    r"|\b(?:out|to read|is|are|was|were)\s+$"
)
#: ``not so fast`` asks for slowly; ``not too fast`` asks for less than fast.
LESS_SO = re.compile(r"\bso\s+$")
#: ``lower your voice``: a verb, not an adverb.
AS_VERB = re.compile(r"lower\s+(?:your|the)\b")
#: A sentence that begins by turning something up or down asks for a manner; one that
#: does so by and by, or while something else is done, for a trend.
AT_ONCE = re.compile(
    r"^(?:please |now |can you |could you |would you )*"
    r"(?:increase|raise|boost|turn up|decrease|reduce|lower|drop|turn down) (?:the |your )"
    r"(?!.*\b(?:gradually|progressively|slowly|steadily|increasingly|continuously|step|bit by bit"
    r"|as|while|each|every|with|until|towards?)\b)"
)


def _comparative(words: str) -> list[str]:
    """List patterns such as ``getting louder`` and ``faster each time``."""
    return [
        rf"\b{_BECOME}\s+(?:\w+ly\s+)?(?:(?:{_COMPARATIVES}),? and )?(?P<at>{words})\b",
        rf"\b(?:{words}) and (?:{words})\b",
        rf"\b(?:{words}) (?:with )?(?:each|every)\b",
    ]


def _change(verb: str, what: str) -> str:
    """Read ``increasing both speed and volume``: the verb may govern a list."""
    return rf"\b{verb}{_GAP}(?P<at>{what})\b"


_SETS: dict[RequestKind, list[str]] = {
    RequestKind.SLOW: [
        r"(?:\bnot|n't be) so fast\b",
        r"\bas slow(?:ly)? as\b",
        rf"{CLAUSE_START}(?P<at>slow down)(?! {_BY_AND_BY})",
    ],
    RequestKind.FAST: [
        r"\bas (?:fast|quick|quickly|rapidly) as (?:you can|possible)\b",
        r"\bfor speed\b",
        rf"{CLAUSE_START}(?P<at>(?:speed|hurry) up)(?! {_BY_AND_BY})",
        rf"{CLAUSE_START}(?P<at>rush|hurry)\b(?! up)",
    ],
    RequestKind.ACCELERATING: [
        r"\baccelerat(?:e|es|ing)\b",
        rf"\bspeeding up\b|\bspeeds? up (?={_BY_AND_BY})",
        rf"\b{_GRADUAL}speed up\b",
        rf"\b(?:pick(?:ing)? up|quicken(?:ing)?) (?:the |your )?{_PACE}",
        _change(_MORE, _PACE),
        *_comparative("faster|quicker"),
    ],
    RequestKind.DECELERATING: [
        r"\bdecelerat(?:e|es|ing)\b",
        rf"\bslowing down\b|\bslows? down (?={_BY_AND_BY})",
        rf"\b{_GRADUAL}slow down\b",
        _change(_LESS, _PACE),
        *_comparative("slower"),
    ],
    RequestKind.LOUD: [
        rf"{CLAUSE_START}(?P<at>shout|yell|scream)(?:ing)?\b",
        r"\b(?:until|by) .{0,30}?\b(?P<at>shout(?:ed|ing)|yelling|screaming)\b",
        r"\bas loud(?:ly)? as\b|\bat the top of your (?:voice|lungs)\b",
        r"\bloud exclamation\b",
        rf"{CLAUSE_START}(?<!gradually )(?P<at>raise your voice)\b",
        rf"{CLAUSE_START}(?P<at>speak up)(?=$|[,.;!]| please)",
        rf"{CLAUSE_START}(?P<at>be (?:a (?:bit|little) )?louder)\b",
    ],
    RequestKind.SOFT: [
        r"(?:\bnot|n't be) so loud\b",
        rf"{CLAUSE_START}(?P<at>lower your voice|keep your voice down)\b",
        rf"{CLAUSE_START}(?P<at>be (?:a (?:bit|little) )?quieter)\b",
        r"\bas (?:soft|quiet)(?:ly)? as\b",
    ],
    RequestKind.WHISPER: [
        rf"{CLAUSE_START}(?P<at>whisper)(?:r?ing)?\b",
        r"\b(?:from|as if you(?:'re| are|were| were)|like you(?:'re| are)) (?P<at>whisper)r?ing\b",
    ],
    RequestKind.CRESCENDO: [
        r"\bcrescendo\b",
        _change(_MORE, _VOLUME),
        rf"\b{_GRADUAL}{_MORE} your voice\b|\b{_MORE} your voice (?:gradually|progressively)\b",
        *_comparative("louder"),
    ],
    RequestKind.DIMINUENDO: [
        r"\b(?:de|diminu)crescendo\b|\bdiminuendo\b|\bfad(?:e|es|ing) (?:away|out)\b",
        _change(_LESS, _VOLUME),
        rf"\b{_GRADUAL}{_LESS} your voice\b",
        *_comparative("softer|quieter"),
    ],
    RequestKind.RISING: [
        _change(_MORE, _PITCH),
        r"\b(?:upward|rising) (?:inflection|intonation|pitch|tone)\b",
        *_comparative("higher"),
    ],
    RequestKind.FALLING: [
        _change(_LESS, _PITCH),
        r"\b(?:downward|falling) (?:inflection|intonation|pitch|tone)\b",
        *_comparative("lower|deeper"),
    ],
    RequestKind.MONOTONE: [
        r"\bmonotone\b(?= voice|\s*$|[.,])",
        r"\bwithout (?:any )?(?P<at>intonation)\b",
    ],
    RequestKind.EXPRESSIVE: [
        r"\b(?:chang|vary|alternat)\w* (?:the |your )?(?:pitch|tone|intonation)\b",
        r"\bwith (?:a lot of |much |great |proper )?(?:expression|feeling|intonation)\b",
    ],
    RequestKind.EMOTION: [
        rf"\b(?:sound(?:ing)?|act|as if you (?:are|were)|as if you're|as though you (?:are|were)"
        rf"|like you(?:'re| are)|while being|be)"
        rf" (?:very |really |truly |so |genuinely )?{_EMOTION}\b",
        rf"\b(?:convey|express|show|showing|adding|with)(?: a| the| some| great| real)?"
        rf"(?: feelings?| sense| touch)?(?: of)? {_EMOTION}\b(?=\s*(?:$|[.,;!?]|and|in|to))",
    ],
    RequestKind.ACCENT: [
        r"\b(?:speak|in|using) (?:thick |native )?(?P<value>singlish)\b",
        rf"\bin (?P<value>{'|'.join(ACCENTS)}) english\b",
        rf"\blike an? (?:native )?(?P<value>{'|'.join(ACCENTS)}) (?:person|speaker)\b",
    ],
    RequestKind.PAUSES: [
        rf"{CLAUSE_START}(?P<at>pause|wait)\b"
        rf"(?:[^.;]{{0,20}}?(?P<value>\d+|{_NUMBER}|one)[ -]seconds?)?",
        r"\bwith (?:\w+ ){0,2}(?P<at>pauses?)\b",
        rf"\b(?:leav(?:e|ing)|insert(?:ing)?|add(?:ing)?|tak(?:e|ing)|mak(?:e|ing)|includ(?:e|ing))"
        rf" (?:\w+ )?(?:(?P<value>\d+|{_NUMBER}|one)[ -]second )?(?:\w+ )?(?P<at>pauses?)\b",
        r"\b(?P<at>pausing)\b",
        r"\b(?P<absent>without (?:any |a )?(?:pauses?|break)|no pauses?"
        r"|in one (?:single )?breath)\b",
    ],
    RequestKind.REPEAT: [
        r"\b(?:say|repeat\w*|recit\w+|pronounc\w+|spell|count|read|speak|sing|answer)\b[^;]{0,150}?"
        rf"\b(?P<value>\d{{1,2}}|{_NUMBER}) times\b(?! (?:as|more|larger|bigger|faster|table|the))",
        r"\b(?:say|repeat\w*|recit\w+|pronounc\w+|spell|count|read|speak|sing|answer)\b[^;]{0,150}?"
        r"\b(?P<value>twice|thrice)\b(?! (?:as|the))",
    ],
    RequestKind.SING: [rf"{CLAUSE_START}(?P<at>sing|hum|rap)\b"],
    RequestKind.EFFECT: [
        r"\b(?P<value>echo|reverberation|glitch(?:y|es)?|distort(?:ed|ing)|stutter(?:s|ing)?)\b"
        r"(?= effect|,| or|$|[.]| interruptions| robot| at)",
        rf"{CLAUSE_START}(?P<at>mimic|imitat|simulat|whistl)\w*\b"
        r"(?!\s+(?:an?|the|in)? ?\w* ?\w* ?accent)",
        r"\b(?:in|into|using|use) (?P<value>morse code)\b",
    ],
}

#: (kind, pattern). Group ``at`` marks the deciding word, ``value`` holds the detail,
#: and ``absent`` a phrase that asks for the opposite: "in one breath".
PATTERNS: tuple[tuple[RequestKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(text)) for kind, texts in _SETS.items() for text in texts
)

_EFFECT_OF = {"mimic": "imitation", "imitat": "imitation", "simulat": "imitation"}
_EFFECT_OF |= {"whistl": "whistling", "reverberation": "echo"}
_EFFECT_OF |= dict.fromkeys(
    ("glitchy", "glitches", "distorted", "distorting"), "glitch"
)
_EFFECT_OF |= dict.fromkeys(("stutters", "stuttering"), "glitch")


def value_of(kind: RequestKind, match: re.Match[str]) -> str:
    """Return a match's detail in our words: a count, an emotion, an accent."""
    groups = match.groupdict()
    text = groups.get("value") or ""
    if kind is RequestKind.REPEAT:
        return {"twice": "2", "thrice": "3"}.get(text) or str(NUMBERS.get(text, text))
    if kind is RequestKind.PAUSES:
        return str({"one": 1, **NUMBERS}.get(text, text))
    if kind is RequestKind.EMOTION:
        return EMOTIONS[text]
    if kind is RequestKind.ACCENT:
        return ACCENTS[text]
    if kind is RequestKind.EFFECT:
        text = text or groups.get("at") or ""
        return _EFFECT_OF.get(text, text)
    return ""
