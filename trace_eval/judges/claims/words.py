"""The words of a reason as tokens: sides, measures, numbers with units, comparatives.

English alone is read. Overlapping matches are settled by the first that begins, then the longest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from trace_eval.judges.claims.measures import MEASURES

#: Longer reasons are read up to here, characters.
MAX_REASON = 6000

_PLAIN = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "−": "-",
        "–": "-",
        "—": "-",
        "\u00a0": " ",
        "\u202f": " ",
        "…": "...",
        "≈": "~",
        "*": " ",
    }
)


@dataclass(frozen=True)
class Token:
    """A piece of a reason that means something to the checker.

    Attributes:
        kind: side, measure, number, factor, more, equal, quote, and small words.
        start, end: its place in the text.
        value: side (``1``, ``2``, ``both``, ``neither``, ``other``), key of a measure, number.
        unit: of a number.
        sign: of a comparative: 1 for more, -1 for less, 0 where it is equal.
        text: as it stands in the reason.
    """

    kind: str
    start: int
    end: int
    text: str
    value: str = ""
    unit: str = ""
    sign: int = 0
    digits: str = ""

    @property
    def number(self) -> float:
        """The number of a token of that kind."""
        return float(self.digits)


def plain(text: str) -> str:
    """A reason with plain quotation marks, dashes and blanks; places are not kept."""
    text = text[:MAX_REASON].translate(_PLAIN).replace("``", '"').replace("''", '"')
    text = re.sub(r"`([^`\n]+)`", r'"\1"', text)
    text = re.sub(r"(?<=\w)_(?=\w)", " ", text)
    return _spelled(re.sub(r"\s+", " ", text))


# --- numbers in words -----------------------------------------------------------------------

_UNDER_TEN = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
    *("seventeen", "eighteen", "nineteen"),
)
_ONES = {word: value for value, word in enumerate((*_UNDER_TEN, *_TEENS))}
_TENTHS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TENS = {word: 10 * value for value, word in enumerate(_TENTHS, start=2)}
_NUMBER_WORD = "|".join([*_ONES, *_TENS, "hundred", "thousand", "point"])
_UNIT_AHEAD = (
    r"(?=[ -]?(?:words? (?:per|a)|words?\b|WPM|percent|per cent|%|seconds?|milliseconds|hertz|Hz"
    r"|kilohertz|kHz|decibels?|dB|LUFS|LU\b|semitones?|points?\b|syllables?|pauses\b|times\b))"
)
_SPELLED = re.compile(
    rf"\b(?:{_NUMBER_WORD})(?:(?:[ -]| and )(?:{_NUMBER_WORD}))*\b{_UNIT_AHEAD}", re.I
)


def _spelled(text: str) -> str:
    """The text with spelled-out numbers before a unit in digits."""
    return _SPELLED.sub(lambda match: _digits(match[0]), text)


def _digits(words: str) -> str:
    whole, _, fraction = words.lower().partition(" point ")
    total = group = 0
    for word in re.findall(r"[a-z]+", whole):
        if word == "hundred":
            group = max(group, 1) * 100
        elif word == "thousand":
            total, group = total + max(group, 1) * 1000, 0
        else:
            group += _ONES.get(word, _TENS.get(word, 0))
    text = str(total + group)
    if fraction:
        decimals = re.findall(r"[a-z]+", fraction)
        text += "." + "".join(str(_ONES.get(word, 0)) for word in decimals)
    return text


# --- patterns -------------------------------------------------------------------------------

_THING = (
    r"(?:answer|response|reply|audio|clip|recording|speaker|candidate|voice|output|sample|system"
    r"|version|option|model|agent|assistant)"
)
_PLURAL = rf"(?:{_THING[3:-1].replace('reply', 'replie').replace('|', 's|')}s)"
_ABOUT = (
    r"(?:is|are|was|has|had|have|speaks?|sounds?|reads?|says?|said|wins?|leads?|scores?|shows?"
    r"|reaches|gets|runs|talks|does|do|clips|exceeds|beats|uses|comes|goes|keeps|stays|sits"
    r"|trails|lags|lasts|takes|pauses|contains|begins|opens|ends|delivers|opts|offers|outpaces"
    r"|outscores|surpasses|tops|edges|averages|hits|falls|measures|clocks|at|with|and|or|vs|but"
    r"|only|also|never|actually|clearly|clocking|rates|rated|gives|answers|states|replies|remains"
    r"|being|matches|equals|can|could|would|will|should|must|hardly|just|in|moves|varies|covers)"
)
_NOT_A_PLACE = (
    r"(?! (?:half|third|quarter|part|word|sentence|syllable|pause|time|seconds?\b|few|\d|few"
    r"|phrase|line|step|request|place|glance|take|attempt|thing))"
)
_SIDES: Mapping[str, str] = {
    "1": rf"{_THING} ?(?:#|no\. ?|number )?(?:1|one|A)(?![\w.]*\w)(?! %)"
    rf"|(?:the )?first {_THING}"
    rf"|the first(?: one)?(?=\W|$){_NOT_A_PLACE}|the former|#1\b|\bA1\b(?=:)"
    rf"|\bA(?='s\b|[,;:)(]|/| {_ABOUT}\b| ?\(| [a-z]+(?<!s)(?<!ou)(?<!i)s\b"
    rf"| [a-z]+n't\b)|(?<=[a-z,;(:] )A\b(?!/)|\(A\)",
    "2": rf"{_THING} ?(?:#|no\. ?|number )?(?:2|two|B)(?![\w.]*\w)(?! %)"
    rf"|(?:the )?second {_THING}"
    rf"|the second(?: one)?(?=\W|$){_NOT_A_PLACE}|the latter|#2\b|\bB\b(?!/)",
    "both": rf"both(?: (?:{_PLURAL}|of them|the {_PLURAL}))?|{_PLURAL} (?:1|one|A) and (?:2|two|B)"
    rf"|(?<!of )the two {_PLURAL}|(?<!of )the {_PLURAL}|(?<!of )the two\b"
    rf"|each (?:{_THING}|one|of them)"
    r"|either (?:one|of them)|A and B\b|they",
    "neither": rf"neither(?: (?:{_THING}|one|of (?:them|the two|the {_PLURAL})))?"
    rf"|none of (?:them|the (?:two|{_PLURAL}))|no {_THING}\b",
    "other": rf"the other(?: (?:one|{_THING}))?\b(?! hand)|its (?:rival|counterpart|competitor)"
    r"|the opponent",
}

_MORE_OF: Mapping[str, tuple[str, int]] = {
    r"(?:faster|quicker|speedier|more (?:rapid|quick|rapidly|quickly|hurried)|brisker)"
    r"(?:[ -]paced)?": ("rate", 1),
    r"(?:slower|more slow(?:ly)?|less (?:fast|quick|quickly|rapid|rapidly))(?:[ -]paced)?": (
        "rate",
        -1,
    ),
    r"outpaces?|outruns?": ("rate", 1),
    r"louder|more loud(?:ly)?|less (?:quiet|soft)": ("loudness", 1),
    r"quieter|softer|more (?:quiet|soft|quietly|softly)|less loud(?:ly)?": ("loudness", -1),
    r"higher[ -]pitched|higher in pitch|higher voice": ("pitch", 1),
    r"(?:lower|deeper)[ -](?:pitched|voiced|sounding)|deeper|lower in pitch"
    r"|lower voice": ("pitch", -1),
    r"livelier|more (?:lively|varied|melodic|modulated)|less (?:monotone|monotonous|flat)": (
        "variation",
        1,
    ),
    r"flatter|more (?:monotone|monotonous|flat)|less (?:lively|varied|modulated)": (
        "variation",
        -1,
    ),
    r"longer|lasts longer|more (?:lengthy|drawn-out)": ("duration", 1),
    r"shorter|briefer|more brief": ("duration", -1),
    r"wordier|more verbose|more words": ("words", 1),
    r"fewer words|less verbose": ("words", -1),
    r"noisier|more (?:background )?(?:noise|noisy)|less (?:noise-free)"
    r"|louder (?:background|noise)(?: noise)?": ("bak", -1),
    r"(?:quieter|cleaner|lower) (?:background|noise(?: floor)?)(?: noise)?"
    r"(?! (?:quality|score|rating|MOS|value))|less (?:background )?"
    r"(?:noise|noisy)": ("bak", 1),
    r"more (?:band-?limited|narrow-?band)": ("bandwidth", -1),
    r"more clipping|more clipped|clips more": ("clipping", 1),
    r"less clipping|less clipped|clips less": ("clipping", -1),
    r"more (?:often )?paus(?:es|ing)|pauses more(?: often)?": ("pauses", 1),
    r"fewer pauses|less paus(?:es|ing)|pauses less(?: often)?": ("pauses", -1),
    r"(?:longer|bigger) (?:pauses?|silences?|gaps?)|pauses (?:for )?longer": ("pause", 1),
    r"(?:shorter|smaller|briefer) (?:pauses?|silences?|gaps?)": ("pause", -1),
    # Of whatever measure stands beside them.
    r"higher|greater|larger|bigger|more|better|wider|broader|superior|stronger|increased|ahead"
    r"(?: of)?|leads?|leading|exceeds?|exceeding|beats?|outscores?|surpass(?:es)?|outperforms?"
    r"|tops|outdoes|edges out|richer|raised|wins(?= (?:on|in|at|by))|advantage": ("", 1),
    r"lower|smaller|less|fewer|worse|poorer|narrower|inferior|weaker|reduced|behind|trails?"
    r"|trailing|lags?(?: behind)?|lagging(?: behind)?|falls (?:short of|behind|below)|short of"
    r"|loses to|loses(?= (?:on|in|at|by))|deficit": (
        "",
        -1,
    ),
    # That name no measure.
    r"clearer|cleaner|nicer|smoother|crisper|warmer|friendlier|more (?:natural|engaging|complete"
    r"|helpful|fluent|expressive|pleasant|convincing|accurate|detailed|concise|fitting"
    r"|appropriate|correct|relevant|robotic|intelligible|polished|human)|less (?:natural|robotic"
    r"|engaging|clear|pleasant|fluent|convincing)|warmest|friendliest": ("?", 1),
}

_ADJECTIVES: Mapping[str, tuple[str, int]] = {
    "fast": ("rate", 1),
    "quick": ("rate", 1),
    "quickly": ("rate", 1),
    "rapid": ("rate", 1),
    "rapidly": ("rate", 1),
    "slow": ("rate", -1),
    "slowly": ("rate", -1),
    "loud": ("loudness", 1),
    "loudly": ("loudness", 1),
    "quiet": ("loudness", -1),
    "soft": ("loudness", -1),
    "long": ("duration", 1),
    "short": ("duration", -1),
    "high-pitched": ("pitch", 1),
    "high": ("", 1),
    "low": ("", -1),
    "large": ("", 1),
    "wide": ("", 1),
    "narrow": ("", -1),
    "deep": ("pitch", -1),
    "lively": ("variation", 1),
    "noisy": ("bak", -1),
    "wordy": ("words", 1),
    "many words": ("words", 1),
    "many pauses": ("pauses", 1),
    "many": ("", 1),
    "much": ("", 1),
}
_ADJECTIVE = "|".join(sorted(_ADJECTIVES, key=len, reverse=True))

_UNITS: Mapping[str, str] = {
    r"WPM|words?(?: per |/| a )min(?:ute)?\.?": "wpm",
    r"syllables? ?(?:per |/ ?|a )s(?:ec(?:ond)?)?\b|syll?\.?/s": "syl",
    r"kHz|kilohertz": "khz",
    r"Hz|hertz": "hz",
    r"LUFS": "lufs",
    r"LU\b": "lu",
    r"dBFS": "dbfs",
    r"dB\b|decibels?": "db",
    r"ms\b|milliseconds?": "ms",
    r"s\b|secs?\b|seconds?": "s",
    r"min\b|minutes?": "min",
    r"%|percent|per cent|percentage points?": "%",
    r"semitones?|st\b": "st",
    r"MOS(?: points?)?|points?(?: on (?:the )?MOS)?": "mos",
    r"x\b|×|times\b": "x",
    r"words?\b": "words",
    r"pauses?\b": "pauses",
}
_UNIT = "|".join(f"(?P<u{i}>{p})" for i, p in enumerate(_UNITS))
_NUMBER = re.compile(
    rf"(?<![\w.,])(?:(?<=[ (~/:=-])|^|(?<=\D))(?P<n>[-+]?\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?"
    rf"|[-+]?\d+(?:\.\d+)?|[-+]?\.\d+)(?: ?(?:/ ?5(?:\.00?)?|out of (?:5|five))\b)?"
    rf"(?:[ -]?(?:{_UNIT}))?(?![\w]*[A-Za-z0-9])",
    re.I,
)

_FACTORS: Mapping[str, float] = {
    r"twice|two times|double|doubles": 2.0,
    r"(?:three times|thrice|triple|treble)": 3.0,
    r"four times|quadruple": 4.0,
    r"half(?= (?:as|the|of))|half of": 0.5,
    r"a third(?= (?:as|the|of))": 1 / 3,
    r"one and a half times": 1.5,
}

_SMALL: Mapping[str, str] = {
    "than": r"than",
    "as": r"as",
    "not": r"not|isn't|aren't|wasn't|doesn't|don't|didn't|no|never|cannot|can't|nor|without"
    r"|hardly|is free of|free of|lacks|lacking|fails? to|omits?|leaves out|missing|zero",
    "hedge": r"about|around|approximately|roughly|nearly|almost|circa|ca\.|some|close to|~|near"
    r"|approx\.?|in the region of|just (?:under|over|about|below|above)|slightly (?:under|over"
    r"|above|below|more than|less than)|or so",
    "over": r"over|above|at least|exceed(?:s|ing)?|beyond|upwards of|in excess of|past|>=?|≥",
    "under": r"under|below|at most|up to|<=?|≤|not even",
    "by": r"by",
    "gap": r"differ(?:s|ence|ences)?(?: (?:by|of|is))?|gap(?: of)?|apart|separates?",
    "compared": r"compared (?:to|with)|in comparison (?:to|with)|relative to|unlike"
    r"|as opposed to|rather than",
    "against": r"vs\.?|versus|against|to",
    "for": r"for|in|of|from|on|with",
    "range": r"between|from|ranges?|ranging|in the range(?: of)?",
    "course": r"rises?|rising|climbs?|climbing|drops?|dropping|fall(?:s|ing)?|accelerates?"
    r"|slows? down|starts? (?:at|with|from)|grows?|increases|decreases|goes",
    "user": r"user(?:'s)?|request(?:ed|s)?|instruction|prompt|asked|asks|question",
    "respectively": r"respectively",
}

_EQUAL = (
    r"(?:(?:exactly|nearly|almost|practically|virtually|roughly|about|essentially|basically"
    r"|effectively|much|very|quite) )?"
    r"(?:the same|equal(?:ly)?|identical(?:ly)?|similar(?:ly)?|comparabl[ey]|alike|on (?:a )?par"
    r"|indistinguishable|tied|matched|matches|equals)"
    rf"(?: (?P<what>{_ADJECTIVE}))?"
    r"|no (?:real |audible |meaningful |clear )?difference|do(?:es)? not differ|don't differ"
    r"|hardly differs?|barely differs?"
)


def _bounded(pattern: str) -> str:
    return rf"(?<!\w)(?:{pattern})(?!\w)"


def _flags(kind: str) -> re.RegexFlag:
    return re.RegexFlag(0) if kind == "side" else re.I


def _compiled() -> Iterator[tuple[str, str, str, int, re.Pattern[str]]]:
    """(kind, value, unit, sign, pattern) of every token but numbers and quotations."""
    for value, pattern in _SIDES.items():
        # The letters are places in capitals only; words may begin a sentence.
        either = re.sub(
            r"(?<![\w\\(?<!=[])([a-z])(?=[a-z]{2})",
            lambda m: f"[{m[1]}{m[1].upper()}]",
            pattern,
        )
        yield "side", value, "", 0, re.compile(rf"(?<![\w'])(?:{either})(?!\w)")
    for key, measure in MEASURES.items():
        yield "measure", key, "", 0, re.compile(_bounded(measure.pattern), re.I)
    for pattern, (key, sign) in _MORE_OF.items():
        yield "more", key, "", sign, re.compile(_bounded(pattern), re.I)
    for pattern, factor in _FACTORS.items():
        yield "factor", str(factor), "", 0, re.compile(_bounded(pattern), re.I)
    for kind, pattern in _SMALL.items():
        edge = pattern if kind in ("over", "under", "hedge") else _bounded(pattern)
        yield kind, "", "", 0, re.compile(rf"(?<!\w)(?:{edge})(?![A-Za-z])", re.I)
    yield "equal", "", "", 0, re.compile(_bounded(_EQUAL), re.I)
    as_much = rf"as (?P<what>{_ADJECTIVE})(?! as (?:possible|it|you|needed|they))"
    yield "equal", "as", "", 0, re.compile(_bounded(as_much), re.I)


_PATTERNS = [*_compiled()]

#: Signs that stand between a number and its words, and are no minus.
_RANGE = re.compile(r"(?<=\d)-(?=\d)")

_QUOTE = re.compile(
    r"\"(?P<double>[^\"\n]{1,600})\"|(?<!\w)'(?P<single>(?:[^'\n]|(?<=\w)'(?=\w)){1,600})'(?!\w)"
)


def quotes(text: str) -> list[tuple[int, int, str]]:
    """(start, end, words) of the quotations in a plain text."""
    return [
        (match.start(), match.end(), match["double"] or match["single"])
        for match in _QUOTE.finditer(text)
    ]


@lru_cache(maxsize=256)
def _label_pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    return re.compile(_bounded(names), re.I)


def tokens(text: str, labels: Iterable[str] = ()) -> list[Token]:
    """The tokens of a plain text, in order and apart.

    Args:
        labels: of the classifiers of emotion and accent, which name a score.
    """
    every: list[Token] = []
    masked = list(text)
    for start, end, words in quotes(text):
        every.append(Token("quote", start, end, text[start:end], words))
        masked[start:end] = "\x00" * (end - start)
    masked_text = "".join(masked)
    body = _RANGE.sub("\x01", masked_text)
    for kind, value, unit, sign, pattern in _PATTERNS:
        for match in pattern.finditer(masked_text):
            made = Token(kind, match.start(), match.end(), match[0], value, unit, sign)
            if kind == "equal":
                made = _equal(made, match)
            every.append(made)
    every += _numbers(body)
    if names := tuple(labels):
        for match in _label_pattern(names).finditer(masked_text):
            key = next(name for name in names if name.lower() == match[0].lower())
            every.append(Token("measure", match.start(), match.end(), match[0], f"={key}"))
    return _apart(every)


def _equal(made: Token, match: re.Match[str]) -> Token:
    key, sign = _ADJECTIVES.get((match["what"] or "").lower(), ("", 0))
    # The unit keeps which way the adjective points, for "not as fast as".
    kind = "as" if made.value == "as" else "equal"
    return Token(kind, made.start, made.end, made.text, key, "adjective" if sign else "", sign)


def _numbers(body: str) -> Iterator[Token]:
    for match in _NUMBER.finditer(body):
        name = next((f"u{i}" for i in range(len(_UNITS)) if match[f"u{i}"]), None)
        unit = [*_UNITS.values()][int(name[1:])] if name else ""
        if "out of" in match[0] or (not unit and "/" in match[0]):
            unit = "mos"
        digits = match["n"].replace(",", "")
        yield Token(
            kind="number",
            start=match.start(),
            end=match.end(),
            text=match[0],
            unit=unit,
            digits=digits,
        )


def _apart(every: list[Token]) -> list[Token]:
    """Tokens in order without overlaps: the first that begins, then the longest."""
    rank = {"quote": 0, "side": 1, "number": 2, "measure": 3, "factor": 4, "more": 5}
    every.sort(key=lambda t: (t.start, -(t.end - t.start), rank.get(t.kind, 9)))
    kept: list[Token] = []
    end = 0
    for token in every:
        if token.start >= end and token.end > token.start:
            kept.append(token)
            end = token.end
    return kept
