"""The words of a reason as tokens: sides, measures, numbers, directions, quotations.

Overlapping matches are settled by the first that begins, then the longest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from trace_eval.data.number_words import BELOW_TWENTY
from trace_eval.judges.claims import lexicon
from trace_eval.judges.claims.measures import MEASURES, Measure, labelled
from trace_eval.judges.claims.scan import Scanner


@dataclass(frozen=True)
class Token:
    """A piece of a reason that means something to the checker.

    Attributes:
        kind: side, measure, number, factor, more, same, differ, as, vague or quote.
        start, end: its place in the text.
        value: side (``1``, ``2``, ``both``, ``neither``, ``other``), key of a measure,
            words.
        unit: of a number.
        sign: of a comparative: 1 for more, -1 for less.
        valued: a comparative says better or worse, not more or less.
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
    valued: bool = False

    @property
    def number(self) -> float:
        """The number of a token of that kind."""
        return float(self.digits)


def measure_of(key: str) -> Measure | None:
    """Return a measure by its key; a key that begins with ``=`` is a label's."""
    if key.startswith("="):
        return labelled(key[1:])
    return MEASURES.get(key)


# --- patterns -------------------------------------------------------------------------


def _bounded(pattern: str) -> str:
    return rf"(?<![\w.])(?:{pattern})(?!\w)"


@dataclass(frozen=True)
class _Pattern:
    """A pattern and the token that it makes.

    Attributes:
        source: the expression as text, which is compiled when it is first tried: all of
            them take .1 s, and most reasons try a few.
        flags: of the expression.
    """

    source: str
    flags: re.RegexFlag
    kind: str
    value: str = ""
    sign: int = 0
    valued: bool = False

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The compiled expression."""
        return re.compile(self.source, self.flags)


def _any_case(pattern: str) -> str:
    """Let names of sides begin a sentence; the letters A and B are capitals only."""
    return re.sub(
        r"(?<![\w\\(?<!=[])([a-z])(?=[a-z]{2})",
        lambda match: f"[{match[1]}{match[1].upper()}]",
        pattern,
    )


def _of_words(
    words: str, kind: str, value: str = "", *, sign: int = 0, valued: bool = False
) -> _Pattern:
    """Make a pattern of whole words in any case."""
    return _Pattern(_bounded(words), re.I, kind, value, sign=sign, valued=valued)


def _patterns() -> Iterator[_Pattern]:
    for value, words in lexicon.SIDES.items():
        side = rf"(?<![\w'])(?:{_any_case(words)})"
        yield _Pattern(side, re.NOFLAG, "side", value)
    for key, measure in MEASURES.items():
        yield _of_words(measure.pattern, "measure", key)
    for words, (key, sign) in lexicon.KEYED.items():
        yield _of_words(words, "more", key, sign=sign)
    for (key, sign), words in lexicon.PHRASED.items():
        yield _of_words(words, "more", key, sign=sign)
    for words, sign in lexicon.MORE.items():
        yield _of_words(words, "more", sign=sign)
    for words, sign in lexicon.VALUED.items():
        yield _of_words(words, "more", sign=sign, valued=True)
    yield _of_words(lexicon.VAGUE, "vague")
    for words, factor in lexicon.FACTORS.items():
        yield _of_words(words, "factor", str(factor))
    yield _of_words(lexicon.SAME, "same")
    yield _of_words(lexicon.DIFFER, "differ")
    ends = r"(?= as\b| for\b|[.,;)\n]|$)(?! as (?:possible|it|you|need))"
    so_much = r"so(?= [\w-]+(?: \w+)? as\b)"
    as_much = rf"(?:as|{so_much}) (?P<what>{lexicon.ADJECTIVE}){ends}"
    yield _of_words(as_much, "as")


#: A line for each pattern: its kind and value, a tab, and with what it can begin.
BEGINNINGS = Path(__file__).with_name("beginnings.txt")


def _beginnings() -> Iterator[list[str]]:
    for line in BEGINNINGS.read_text(encoding="utf-8").splitlines():
        _, _, beginnings = line.partition("\t")
        yield beginnings.split("|")


PATTERNS = Scanner(_patterns(), _beginnings())

_UNIT = "|".join(f"(?P<u{i}>{p})" for i, p in enumerate(lexicon.UNITS))
_NUMBER = re.compile(
    r"(?<![\w.,])(?P<n>(?:(?<!\d)[-+])?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
    r"|\.\d+))"
    r"(?P<five> ?(?:/ ?5(?:\.00?)?|out of (?:5|five))\b)?"
    rf"(?:[ -]?(?:{_UNIT}))?(?!\w*[A-Za-z0-9])(?!\.\d)",
    re.I,
)
_RANGE = re.compile(r"(?<=\d)-(?=\d)")

_QUOTE = re.compile(
    r"\"(?P<double>[^\"\n]{1,600})\""
    r"|(?<![\w])'(?P<single>(?:[^'\n]|(?<=\w)'(?=\w)){1,600})'(?!\w)"
)


@lru_cache(maxsize=256)
def _label_pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(labels, key=len, reverse=True)
    return re.compile(_bounded("|".join(map(re.escape, longest_first))), re.I)


def tokens(text: str, labels: Iterable[str] = ()) -> list[Token]:
    """Return the tokens of a plain text, in order and apart.

    Args:
        labels: of the classifiers of emotion and accent, which name a score.
    """
    every: list[Token] = []
    masked = list(text)
    for match in _QUOTE.finditer(text):
        words = match["double"] or match["single"]
        every.append(_token("quote", match, words))
        masked[match.start() : match.end()] = "\x00" * len(match[0])
    body = "".join(masked)
    every += (_token_of(pattern, match) for pattern, match in PATTERNS.matches(body))
    every += _numbers(_RANGE.sub("\x01", body))
    every += _letters(body)
    names = {label.lower(): label for label in reversed(tuple(labels))}
    if names:
        for match in _label_pattern(tuple(labels)).finditer(body):
            every.append(_token("measure", match, f"={names[match[0].lower()]}"))
    return _apart(every)


def _token(kind: str, match: re.Match[str], value: str) -> Token:
    """Make the token of a match that has a value and nothing else."""
    return Token(
        kind=kind,
        start=match.start(),
        end=match.end(),
        text=match[0],
        value=value,
    )


def _token_of(pattern: _Pattern, match: re.Match[str]) -> Token:
    """Make the token of a pattern; "as long" has the value of its adjective."""
    value, sign = pattern.value, pattern.sign
    if pattern.kind in ("same", "as"):
        adjective = (match["what"] or "").lower()
        value, sign = lexicon.ADJECTIVES.get(adjective, ("", 0))
    return Token(
        kind=pattern.kind,
        start=match.start(),
        end=match.end(),
        text=match[0],
        value=value,
        sign=sign,
        valued=pattern.valued,
    )


def _numbers(body: str) -> Iterator[Token]:
    """Yield numbers that are values, and those that are sides."""
    for match in _NUMBER.finditer(body):
        unit = _unit_of(match)
        digits = match["n"].replace(",", "")
        if not unit and _as_side(body, match):
            yield _token("side", match, digits)
            continue
        before = _before(body, match)
        if unit == "words" and _SOME_OF.search(before):
            continue
        if _PART.search(before) or (unit == "words" and _FIRST.search(before)):
            continue  # "5 of the 10 words", "the first 2 words"
        if digits.isdigit() and not unit and _ORDINAL.search(before):
            continue  # "step 2"
        if match["n"] in ("5", "10", "100") and _OUT_OF.search(before):
            continue  # a mark: "8/10"
        if unit or not _counts(_before(body, match), _behind(body, match)):
            yield Token(
                kind="number",
                start=match.start(),
                end=match.end(),
                text=match[0],
                unit=unit,
                digits=digits,
            )


def _unit_of(match: re.Match[str]) -> str:
    """Return the unit of a number; empty: it has none."""
    if match["five"]:
        return "mos"
    for index, unit in enumerate(lexicon.UNITS.values()):
        if match[f"u{index}"]:
            return unit
    return ""


_WORD_BEHIND = re.compile(r"[ -]([A-Za-z']+)")
_SEVERAL = "|".join(word for word, number in BELOW_TWENTY.items() if number > 1)
_NO_SIDE = "".join(rf"(?<!(?i:{thing}) )" for thing in lexicon.THING_WORDS)
_PART = re.compile(
    rf"(?<![A-Za-z\d.]){_NO_SIDE}(?:\d+|(?<!answer )(?i:{_SEVERAL})|(?:one"
    rf"|no)(?= doubtful))"
    r" (?:(?:doubtful|uncertain|unsure|low-confidence) )?(?:words? )?"
    r"(?:out )?of (?:the |its |their )?$"
)
#: "Half of the 8 words", "4 of 7 and all 7 words".
_SOME_OF = re.compile(
    r"\b(?:(?:half|most|some|many|none|all) of|(?:and|or) all)(?: (?:the|its|their"
    r"|\w+ [12]'s))? \Z",
    re.I,
)
_FIRST = re.compile(r"\b(?:the|its) (?:first|last|next|final|opening|closing) $", re.I)
_OUT_OF = re.compile(r"\d ?/ ?$")
_ORDINAL = re.compile(
    r"\b(?:step|point|part|item|criterion|dimension|level|question|request|turn|rule"
    r"|no\.) ?"
    r"#?$",
    re.I,
)
_OF_MANY = re.compile(
    r" (?:and \d+ )?(?:out )?of (?:the )?(?:\d|five|ten)|/\d+(?!\d*\.\d)|:\d"
)

#: Words behind "A" or a bare 1 or 2 that is a side; most verbs of a third person end in
#: s.
_VERBS = (
    r"(?:is|are|was|has|had|said|does|can|can't|cannot|couldn't|could|did|didn't"
    r"|doesn't|isn't|only|also|never"
    r"|at|with|without|and|or|vs\.?|v|but|just|even|got|in|on|being|by|over|has|-"
    r"|[a-z]{2,}(?<!s)s)"
)
#: "A no "good night"", "1 w/o "good night"": a quotation is said to be missing.
#: "1 somewhat more varied".
_SOMEWHAT = (
    r"(?:somewhat|slightly|clearly|noticeably|much|far|a bit|a little)"
    r" (?:more|less|\w+er)\b"
)
_LACKS_WORDS = r"(?:no|w/o|without|lacks|nil) ?\x00"


def _before(body: str, match: re.Match[str]) -> str:
    """Return the words right before a match."""
    return body[max(0, match.start() - 40) : match.start()]


def _behind(body: str, match: re.Match[str]) -> str:
    """Return the words right behind a match."""
    return body[match.end() : match.end() + 60]


def _starts(kinds: tuple[str, ...], behind: str) -> bool:
    """Whether one of these tokens stands next."""
    able = PATTERNS.beginning_with(behind[1:])
    return any(p.regex.match(behind, 1) for p in able if p.kind in kinds)


#: "280 and 290 lie close together" counts no lies.
_JOINED = re.compile(r"\d(?: ?(?:%|[A-Za-z]{1,12}))? (?:and|vs\.?|v|versus|against) \Z")


#: "305 noticeable v 245 somewhat intrusive".
_LABELLED = re.compile(r" [a-z]+(?: [a-z]+)? (?:vs\.?|v\.?|versus|against|to) \d")


def _counts(before: str, behind: str) -> bool:
    """Tell whether a bare number counts what follows: "4 facts", "3 of 10"."""
    if _OF_MANY.match(behind):
        return True
    match = _WORD_BEHIND.match(behind)
    if match is None or _JOINED.search(before) or _LABELLED.match(behind):
        return False
    kinds = ("side", "measure", "more", "factor", "same", "as")
    is_bare = match[1].lower() in lexicon.BEHIND_BARE
    return not _starts(kinds, behind) and not is_bare


_NO_SIDE_BEFORE = re.compile(
    r"(?:\b(?:steps?|points?|part|item|criterion|dimension|by|level|about|only|since|of the"
    r"|number|first|last|than the|the|at|between|from|to|equals?) ?|[\d~=+] ?|\.)\Z",
    re.I,
)
#: "Has 2 doubtful words".
_HAS = re.compile(
    r"\b(?:has|have|had|with|contains?|shows?|are|is|only|just|its|makes?|takes?) \Z",
    re.I,
)
_COUNTED = re.compile(
    r" (?:(?:long|short|clear|audible|brief) )?(?:doubtful|uncertain|low-confidence|pauses?"
    r"|words?|silences?)\b"
)
_NO_SIDE_BEHIND = re.compile(
    r"[%/]\d| (?:vs\.?|v\.?) \d+(?:\.\d|\d| ?(?:st|Hz|dB|s)\b)| ?(?:-|to|or|and) \d"
    r"| out of| of\b| (?:fewer|point)\b"
    rf"| (?:more|less)\b(?! (?:{lexicon.ADJECTIVE}|expressive|animated)\b)"
)


def _as_side(body: str, match: re.Match[str]) -> bool:
    """Whether a bare 1 or 2 is a side: "2 leads", "the BAK of 1"."""
    if match["n"] not in ("1", "2") or match["five"]:
        return False
    before = _before(body, match)
    behind = _behind(body, match)
    if behind.startswith("'s"):
        return True
    if re.search(r"(?:^|[.!?\n]) ?$", before) and re.match(r"[.)] ", behind):
        return False  # an item of a list
    if _NO_SIDE_BEFORE.search(before) or _NO_SIDE_BEHIND.match(behind):
        return False
    if _HAS.search(before) and _COUNTED.match(behind):
        return False
    if not re.match(r" [A-Za-z]", behind):
        return True
    stands_before_verb = bool(
        re.match(rf" (?:{_VERBS}\b|{_LACKS_WORDS}|{_SOMEWHAT})", behind)
    )
    return stands_before_verb or _starts(("more", "measure"), behind)


_LETTER = re.compile(r"(?<![\w'./-])([AB])(?![\w/]|\.\w|-\w)")
_LETTER_BEHIND = re.compile(
    rf"'s|[):,;=<>\].\n]| ?[(\[=<>:~+@]| /(?= )| \w+ ?="
    rf"| (?:quote|text|says): ?\x00| -| {_VERBS}\b| {_LACKS_WORDS}| [-\d\x00]|$"
)
#: Not "response B": who calls one so calls the other "response A".
_NAMED_SO = "".join(rf"(?<!(?i:{thing}) B)" for thing in lexicon.THING_WORDS)
_OTHER_LETTER = re.compile(rf"[^.!?\n]{{0,120}}B(?<![\w'./-]B){_NAMED_SO}(?![\w/-])")
_QUANTITY = re.compile(r" (?:bit|touch|little|lot|tad|few|more|less)\b")
_BARE_COMPARATIVE = re.compile(r" \S+ ?(?:[.,;]|(?:than|by)\b|$)")
_ENDS_COMPARED = re.compile(
    r" (?:higher|lower|greater|larger|smaller|better|worse)(?=[.,;:\n]|$)"
)


def _letters(body: str) -> Iterator[Token]:
    """Yield the letters A and B where they are sides; a first "A" may be a word."""
    for match in _LETTER.finditer(body):
        before, behind = _before(body, match).rstrip(" "), _behind(body, match)
        opens = not before or before[-1] in ".!?:\n\x00-("
        article = match[1] == "A" and opens and not _LETTER_BEHIND.match(behind)
        if article and _starts(("more",), behind):
            article = not _BARE_COMPARATIVE.match(behind)
        article = article and not _measured(behind)
        quantity = _QUANTITY.match(behind)
        if article and not quantity and _OTHER_LETTER.match(body, match.end()):
            article = False  # "A turned out longer, B not so much"
        if not article:
            yield _token("side", match, "1" if match[1] == "A" else "2")


_VALUE_BEHIND = re.compile(r" ?[=:(@~]? ?[-+]?\.?\d")


def _measured(behind: str) -> bool:
    """Whether a measure and its value stand next: "A OVRL 2.2", "A pitch higher".

    "A rate of 2" and "a pitch higher than 2" have an article.
    """
    for pattern in PATTERNS.beginning_with(behind[1:]):
        match = pattern.regex.match(behind, 1) if pattern.kind == "measure" else None
        if match is None:
            continue
        for ending in (_VALUE_BEHIND, _ENDS_COMPARED):
            if ending.match(behind, match.end()):
                return True
    return False


#: Of tokens that are equally long the first kind counts.
_RANKS = {"quote": 0, "side": 1, "number": 2, "measure": 3, "factor": 4, "more": 5}


def _apart(every: list[Token]) -> list[Token]:
    """Return tokens in order, apart: the first that begins, then the longest."""

    def order(token: Token) -> tuple[int, int, int]:
        return token.start, -token.end, _RANKS.get(token.kind, 9)

    every.sort(key=order)
    kept: list[Token] = []
    end = 0
    for token in every:
        if token.start >= end and token.end > token.start:
            kept.append(token)
            end = token.end
    return kept
