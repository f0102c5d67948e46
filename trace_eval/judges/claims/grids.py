"""Tables and JSON, written as lines that name answer, measure and value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

#: A heading that is an answer's name.
_SIDE = re.compile(r"(?:the )?(?:[A-Za-z]{1,20} )?(?:[12AB]|first|second|one|two)")

#: Wider tables are read up to here.
_MOST_CELLS = 12


def without_tables(text: str) -> str:
    """Return a text with each cell of a table as a line: "answer 1 rate: 142 WPM"."""
    return "\n".join(_lines(text.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    headings: list[str] = []
    for number, line in enumerate(lines):
        cells = _cells(line)
        ruled = number + 1 < len(lines) and _is_rule(lines[number + 1])
        if cells and ruled:
            headings = cells
            if not _cells("".join(lines[number + 2 : number + 3])):
                yield _row(cells)  # a rule below the only row
        elif not cells:
            headings = []
            yield line
        elif not headings:
            yield _row(cells)
        elif _is_rule(line):
            continue
        elif len(headings) == len(cells) and (roles := _roles(headings)):
            answer, measure, value = (cells[role] for role in roles)
            yield f"{_named(answer)} {measure}: {value}"
        elif len(headings) == len(cells) == 2 and all(map(_SIDE.fullmatch, headings)):
            for heading, cell in zip(headings, cells, strict=True):
                yield f"{_named(heading)}: {cell}"
        else:
            for heading, cell in zip(headings[1:], cells[1:], strict=False):
                if heading.lower() in _OF_WORDS and _SIDE.fullmatch(cells[0]):
                    yield f"{_named(cells[0])} says {_quoted(cell)}"
                else:
                    yield f"{_named(heading)} {_named(cells[0])}: {cell}"


def _roles(headings: list[str]) -> list[int]:
    """Return the columns of answer, measure and value; none where one is missing."""
    bare = [heading.strip("*_ ").lower() for heading in headings]
    columns: list[int] = []
    for names in (_OF_ANSWER, _OF_MEASURE, ("value",)):
        fitting = [place for place, heading in enumerate(bare) if heading in names]
        if len(fitting) != 1:
            return []
        columns += fitting
    return columns


def _row(cells: list[str]) -> str:
    """Write a row without headings as a line: "answer 1: rate; 142 WPM"."""
    first, rest = _named(cells[0]), "; ".join(cells[1:])
    return f"{first}: {rest}" if first and rest else first or rest


def _named(heading: str) -> str:
    """Return a heading; a bare letter or digit names an answer, "by" a difference."""
    bare = heading.strip("*_ ")
    if bare in ("A", "B", "1", "2"):
        return f"answer {heading}"
    if bare.lower() == "by":
        return "difference of"
    return heading


def _cells(line: str) -> list[str]:
    """Return the cells of a row; none for a line that is not a row."""
    row = line.strip(" \t")
    if len(row) < 2 or row[0] != "|" or row[-1] != "|":
        return []
    between_bars = row[1:-1].split("|", _MOST_CELLS)[:_MOST_CELLS]
    return [cell.strip() for cell in between_bars]


def _is_rule(line: str) -> bool:
    """Whether a line is the rule below the headings: ``|---|:-:|``."""
    row = line.strip(" \t")
    return row.startswith("|") and "-" in row and not row.strip(" \t:|-")


# --- JSON -----------------------------------------------------------------------------

#: Keys whose value names an answer, or is its words, and how deep an object is read.
_OF_ANSWER = (
    "answer",
    "response",
    "candidate",
    "clip",
    "recording",
    "side",
    "audio",
    "source",
)
_OF_MEASURE = ("measure", "metric", "feature", "criterion", "aspect")
#: Keys whose value is the answer that has the better of a measure, or the worse.
_OF_LEADER = {"leader": "better", "laggard": "worse"}
_OF_WORDS = ("quote", "quotation", "says", "said", "transcript", "text", "words")
_OF_SEVERAL = ("quotes", "quotations")
_OF_MISSING = ("missing", "omits", "omitted", "lacks", "absent")
_MOST_DEPTH = 4

#: Words from which on something missing is a sentence and no quality.
_LEAST_SPOKEN = 3


#: A member of an object on a line of its own, without the braces.
_MEMBER = re.compile(r'(?m)^[ \t]{0,40}("\w{1,40}": "(?:[^"\\\n]|\\.)*"),?[ \t]{0,40}$')


def without_objects(text: str) -> str:
    """Return a text with each JSON object as lines: "answer 1 rate: 142 WPM"."""
    text = _MEMBER.sub(r"{\1}", text)
    decoder, parts, start = json.JSONDecoder(), [], 0
    while (at := text.find("{", start)) >= 0:
        try:
            made, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            made, end = None, at + 1
        lines = "\n".join(_members(made, "", _MOST_DEPTH)) if made else ""
        parts += [text[start:at], f"\n{lines}\n" if lines else text[at:end]]
        start = end
    return "".join(parts) + text[start:]


def _members(made: Any, name: str, depth: int) -> Iterator[str]:
    """Yield the lines of an object that is about a name."""
    if isinstance(made, list) and depth:
        for each in made:
            yield from _members(each, name, depth - 1)
    elif isinstance(made, str | int | float) and " " in name:
        yield f"{name}: {made}"  # a number of an answer alone is a mark
    elif isinstance(made, str):
        yield f"{name}: {made}"
    elif isinstance(made, Mapping) and depth:
        about = f"{name} {_of(made, _OF_ANSWER)} {_of(made, _OF_MEASURE)}"
        for key, value in made.items():
            yield from _member(key, value, " ".join(about.split()), depth)


def _member(key: str, value: Any, about: str, depth: int) -> Iterator[str]:
    """Yield the lines of one member of an object."""
    if key.lower() in (_OF_ANSWER + _OF_MEASURE) and isinstance(value, str):
        return
    if key.lower() in _OF_LEADER and isinstance(value, str):
        if _SIDE.fullmatch(value.replace("_", " ")):
            yield f"{_named(value)} is {_OF_LEADER[key.lower()]} in {about}"
    elif key.lower() in _OF_WORDS and isinstance(value, str):
        yield f"{about} says {_quoted(value)}"
    elif key.lower() in _OF_SEVERAL and isinstance(value, list) and about:
        for words in value:
            if _is_spoken(words):
                yield f"{about} says {_quoted(words)}"
            elif not isinstance(words, str):
                yield from _members(words, f"{about} {_named(key)}", depth - 1)
    elif key.lower() in _OF_SEVERAL and isinstance(value, Mapping):
        for name, words in value.items():
            yield from _member(key, words, f"{about} {_named(name)}".strip(), depth - 1)
    elif key.lower() in _OF_MISSING and about:
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str) and _is_of_speech(each):
                yield f"{about} does not say {_quoted(each)}"
    elif key.lower() == "value":
        yield from _members(value, about, depth - 1)
    else:
        yield from _members(value, f"{about} {_named(key)}".strip(), depth - 1)


#: What a recogniser does not write: numbers, labels, remarks, quotations within one; and
#: "No relevant quotes found".
_NOT_SPOKEN = re.compile(
    r"\d|:|\((?!\.)|\[(?!\.)|(?<!\w)['‘\"“]|\b(?:quot\w+|applicable|none of)\b", re.I
)


def _is_spoken(words: object) -> bool:
    """Whether a member of a list of quotations is of words alone."""
    if not isinstance(words, str) or _NOT_SPOKEN.search(words.strip("'‘’\"“” ")):
        return False
    return len(words.split()) >= _LEAST_SPOKEN


def _is_of_speech(text: str) -> bool:
    """Whether what is missing are words: quoted, or too many for "emotional warmth"."""
    return text.strip().startswith(('"', "“")) or len(text.split()) >= _LEAST_SPOKEN


def _quoted(words: str) -> str:
    """Return words in one pair of quotation marks."""
    return '"' + words.strip('"“”') + '"'


def _of(made: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """Return what an object says it is about, by one of some keys; empty: nothing."""
    for key, value in made.items():
        if key.lower() in keys and isinstance(value, str):
            return _named(value)
    return ""
