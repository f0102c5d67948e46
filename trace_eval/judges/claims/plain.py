"""A reason in plain marks: no tables, fences, typographic quotes or spelt numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from trace_eval.judges.claims.grids import without_objects, without_tables
from trace_eval.judges.claims.lexicon import THING, UNITS
from trace_eval.judges.claims.measures import MEASURES
from trace_eval.judges.claims.spelled import plain_numbers

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
        "—": " - ",
        "\u00a0": " ",
        "\u202f": " ",
        "…": "...",
        "≈": "~",
        "≅": "~",
        "≃": "~",
        "≫": ">",
        "≪": "<",
        "*": " ",
        "Δ": "Δ ",
        "∆": "Δ ",
    }
)

#: Signs that stand for words.
_SIDE = r"(?:[A-Za-z]+\.? ?#?)?[12AB]"
#: Behind an arrow: "pitch ↑ in answer 2", unlike "pitch ↑ in questions".
_IN_SIDE = rf"(?:in|for) (?:the )?(?:#?{_SIDE}|both)(?![\w']|\.\w)"
_AMOUNT = r"(?=\d+(?:[\d.]| ?(?:Hz|kHz|dB|LU|st|s|%|WPM|wpm|points?|words)\b))"
_WORD = r"(?!(?:in|for|at|on|with|over|by|than|during|towards?)\b)[a-z]"
_SIGNS = (
    # "P808 is 223 (poor) against 268 (fair)".
    (r"(?<=\d) \((?:bad|poor|fair|good|excellent|great)\)", ""),
    (r"[↑⬆](?=[A-Z])", " higher "),
    (r"[↓⬇](?=[A-Z])", " lower "),
    # "(1/2)", "(answer 1 -> answer 2)" behind two values: whose they are.
    (
        rf"(?<=[\w%] )\(({_SIDE}) ?(?:/|→|->) ?({_SIDE})\)",
        r"(respectively \1 and \2)",
    ),
    (rf"\s*(?:→|->) *(?={_SIDE}(?![\w.]))", "; "),
    (r"\s*(?:→|->)", ":"),
    (rf" *[↑⬆] *{_AMOUNT}", " higher by "),
    (rf" *[↓⬇] *{_AMOUNT}", " lower by "),
    (rf" *[↑⬆](?= *(?:[A-Z#(\d,;.|)\n]|$|{_IN_SIDE}))", " higher"),
    (rf" *[↓⬇](?= *(?:[A-Z#(\d,;.|)\n]|$|{_IN_SIDE}))", " lower"),
    # A leader: "The gap in pitch ... 83 Hz".
    (r"(?<=[a-z\d)]) ?\.\.\. (?=[-+]?\d)", ": "),
    # "↓ pace answer 2 vs answer 1", before a word at the beginning of a line.
    (r"(?m)^ *[↑⬆] *(?=[a-zA-Z])", "higher "),
    (r"(?m)^ *[↓⬇] *(?=[a-zA-Z])", "lower "),
    # "cf." compares, and "? answer 1 louder" asks.
    (r"(?i)(?<=[\w) ]) ?\bcf\.? (?=\w|#)", " compared with "),
    (r"(?m)^ *\? ?((?=[\w#])(?:[^?.\n]|\.(?=\d))+)(?:\.(?= )|\.?$)", r"\1?"),
    # "A ↑ pitch", "A.pitch: 118 Hz", "A=2.1xB".
    (rf"(?<=[12AB]) ?[↑⬆] *(?={_WORD})", " higher "),
    (rf"(?<=[12AB]) ?[↓⬇] *(?={_WORD})", " lower "),
    (
        rf"(?<![\w.])(#[12]|[AB]|(?:{THING}|[Aa]ns|[Rr]esp|[RA]) ?#?[12AB])"
        r"\.(?=[a-z]|[A-Z][A-Z\d])",
        r"\1 ",
    ),
    (r"(?<=\d)x(?=#|[A-Z]|[a-z]{3})", "x "),
    # "Louder then answer 2".
    (
        rf"(?i)(?<=e[rd]) then (?=(?:the |{THING} )?(?:first|second|1st|2nd|{_SIDE})\b)",
        " than ",
    ),
    # "4.2 minus 2.9 is 1.3".
    (
        r" minus (-?\d+(?:\.\d+)?(?: ?[A-Za-z%/]+){0,3}?)"
        r" (?:is|equals|makes|gives|leaves|comes to)(?= [-+]?\d)",
        r" - \1 =",
    ),
    (r"∉", " not in "),
    (r"∈", " in "),
    (r"(?m)^([^|\d\n:]{2,40}) \| (?=[^|\n]*$)", r"\1: "),
    (r" \| ", "; "),
    (r"(?<=[:,]) ?[~=]+ ?(?=$|[\n.;,]| (?:in|for|by|with|at)? ?both\b)", " the same "),
)

_DOUBTFUL = r"(?:heard with doubt|in doubt|doubtful|uncertain|unsure|guess(?:es|ed))"
#: Doubtful words of all: "3 of the 4 words are doubtful", "doubtful 3 of 4".
_DOUBTFUL_OF = (
    (
        r"(?<!\d and )(?<!\d, )\b(\d{1,3}) of (?:the |its )?\d{1,3} words"
        rf" (?:are|were|is|was) {_DOUBTFUL}",
        r"\1 words are doubtful",
    ),
    (
        r"\bdoubtful(?: in)? (\d{1,3}) of (?:the |its )?\d{1,3}(?: words)?",
        r"\1 doubtful words",
    ),
    (r"\bdoubts (\d{1,3}) of (?:the |its )?\d{1,3} words", r"has \1 doubtful words"),
)

#: "Answers 1 and 2".
_BOTH_NUMBERED = re.compile(
    rf"\b({THING})s ([12AB]) (and|or|&|/) ([12AB])(?![\w'.])", re.I
)

#: An answer as a key of a program: "response_a".
_KEY_OF_SIDE = re.compile(rf"\b({THING})_([ab])(?![^\W_])", re.I)

_VALUE = re.compile(
    rf"[-+]?\d[\d.,]*(?: ?(?:/ ?5|out of 5))?(?: ?(?:{'|'.join(UNITS)}))?", re.I
)


#: More blanks and empty lines than anybody sets; patterns that may begin with a blank
#: are tried again at each of them.
_BLANKS = re.compile(r"[^\S\n]{20,}")
_LINES_APART = re.compile(r"\n(?:[^\S\n]{0,19}\n){4,}")


@lru_cache(
    maxsize=8
)  # a reason is asked for its claims, and for what follows of each dimension
def plain(text: str) -> str:
    """Return a reason with plain quotes, dashes and blanks; places are not kept."""
    text = _LINES_APART.sub("\n\n", _BLANKS.sub(" ", text[:MAX_REASON]))
    text = (
        without_objects(without_tables(text))
        .translate(_PLAIN)
        .replace("``", '"')
        .replace("''", '"')
    )
    text = re.sub(r"`([^`\n]+)`", _unfenced, text)
    text = re.sub(r"(?m)^\s*(?:>|#+(?= )|[✅❌✔✘•]) ?", "", text)
    text = _BOTH_NUMBERED.sub(r"\1 \2 \3 \1 \4", text)
    text = _KEY_OF_SIDE.sub(lambda key: f"{key[1]} {key[2].upper()}", text)
    text = re.sub(r"(?<=\w)_(?=\w)", " ", text)
    for sign, words in _SIGNS:
        text = re.sub(sign, words, text)
    text = re.sub(r"(?<!\s)\s*\n\s*(?:[-+•]\s+|\d+[.)]\s+)?", "\n", text)
    text = plain_numbers(re.sub(r"[^\S\n]+", " ", text)).strip()
    for said, words in _DOUBTFUL_OF:
        text = re.sub(said, words, text)
    return text


def _unfenced(match: re.Match[str]) -> str:
    """Return fenced words as a quotation, but measures and values as they are."""
    return match[1] if is_measured(match[1]) else f'"{match[1]}"'


def is_measured(words: str) -> bool:
    """Whether words are nothing but the name of a measure or a value."""
    words = words.strip()
    named = any(re.fullmatch(each.pattern, words, re.I) for each in MEASURES.values())
    return named or _VALUE.fullmatch(words) is not None
