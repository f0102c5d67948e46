"""Sections of a reply beneath a heading such as "Thinking": drafts that have no tags.

A heading is a line of Markdown (``## Thinking``, ``**Thinking**``), one that ends in a
colon, or one that only says that the model thinks. A section of thinking ends at the
next heading of its level, at one that announces the answer, or at a rule across the
page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trace_eval.data.draft_words import ANSWER, REASONING, THINKING

#: Longest line that is taken for a heading, characters.
_HEADING_AT_MOST = 80

_LINE = re.compile(r"[^\n]+")

#: What may stand before the words of a heading: a list's number, "Step 1:", a
#: quotation's mark.
_BEFORE = r"[\s>]*(?:[-*+]\s+)?(?:(?:step\s*)?\d{1,2}\s?[.):]\s*)?"

_HEADING = re.compile(
    rf"{_BEFORE}(?P<hashes>\#{{1,6}})?\s*(?P<bold>\*{{1,3}}|_{{1,3}})?{_BEFORE}"
    r"【?(?P<words>[^\n*_#:：|\"{}\[\]【】]{1,60})(?P<colon>[:：】])?\s*(?P<closed>\*{1,3}|_{1,3})?\s*"
    r"(?P<late>[:：])?(?P<rest>.*)",
    re.IGNORECASE,
)

_RULE = re.compile(r"\A\s{0,20}(?:-{3,80}|\*{3,80}|_{3,80}|={3,80})\s{0,20}\Z")

#: Level of a heading that is bold or ends in a colon: below the six of Markdown.
_BOLD, _COLON = 7, 8

_KINDS = tuple(
    (kind, re.compile(rf"\A\W{{0,8}}(?:{words})\W{{0,8}}\Z", re.IGNORECASE))
    for kind, words in (
        ("thinking", THINKING),
        ("reasoning", REASONING),
        ("answer", ANSWER),
    )
)

#: Thinking is told by its label alone, whatever follows on the line, in these words
#: only.
_RUNNING = re.compile(
    r"(?:thinking|thoughts?|thinking process|thought process|scratch ?pad|chain of thought)\Z",
    re.IGNORECASE,
)

#: What names a number wherever it stands, so that its label alone ends no thinking.
_NUMBER = re.compile(r"(?:scores?|ratings?|results?|output|response)\Z", re.IGNORECASE)

#: How a section of reasoning ends that leads to a verdict: with an object, a mark or a
#: number.
_CONCLUDES = re.compile(r"(?:\}|```|\]\]|\d(?:\.\d+)?(?:\s?/\s?\d+)?)[\s.)*_`~|]*\Z")

#: How one begins that is nothing but a draft.
_BEGINS_WITH_ONE = re.compile(r"(?:```\w{0,20}\s{0,20})?(?:\{|\[\[)")


@dataclass(frozen=True)
class _Heading:
    start: int
    end: int
    level: int
    kind: str  # thinking, reasoning, answer, other or rule
    words: str


def without_draft_sections(reply: str) -> tuple[str, str | None]:
    """Return a reply without its sections of thinking, and an unfinished heading.

    Reasoning counts where it leads to a verdict at its end, and where another heading
    follows.

    >>> without_draft_sections("**Thinking**\\nA, or B?\\n**Answer**\\nB.")
    ('**Answer**\\nB.', None)
    >>> without_draft_sections("**Thinking**\\nA, or B?")
    ('', '**Thinking**')
    """
    parts: list[str] = []
    start = 0
    section: _Heading | None = None
    for heading in _headings(reply):
        if section is None and heading.kind in ("thinking", "reasoning"):
            parts.append(reply[start : heading.start])
            section, start = heading, heading.start
        elif section is not None and _ends(section, heading):
            section = heading if heading.kind in ("thinking", "reasoning") else None
            start = heading.start
    rest = reply[start:]
    if section is None:
        return "".join([*parts, rest]), None
    body = reply[section.end :]
    if section.kind == "reasoning" and _leads_to_verdict(body):
        return "".join([*parts, rest]), None
    if "".join(parts).strip() and not _BEGINS_WITH_ONE.search(body):
        return "".join(parts), None  # the answer came first; its reasons follow
    return "", section.words


def _leads_to_verdict(body: str) -> bool:
    return bool(_CONCLUDES.search(body[-80:])) and not _BEGINS_WITH_ONE.match(
        body.lstrip()
    )


def _ends(section: _Heading, heading: _Heading) -> bool:
    if heading.kind in ("answer", "rule"):
        return True
    return heading.level <= section.level


def _headings(reply: str) -> Iterator[_Heading]:
    """Yield the headings of a reply and its rules, in order."""
    for line in _LINE.finditer(reply):
        text = line[0]
        if _RULE.match(text[:_HEADING_AT_MOST]):
            yield _Heading(
                start=line.start(), end=line.end(), level=0, kind="rule", words=""
            )
            continue
        heading = _HEADING.match(text[: 2 * _HEADING_AT_MOST])
        if heading is None:
            continue
        colon = heading["colon"] or heading["late"]
        alone = not heading["rest"].strip() and len(text) <= _HEADING_AT_MOST
        kind = _kind_of(heading["words"])
        if heading["words"].startswith("/"):
            kind = "rule"  # the end of a section whose heading is in brackets
        bold = heading["bold"] and heading["closed"]
        marked = heading["hashes"] or bold or colon or kind == "thinking"
        words = heading["words"].strip()
        runs_on = colon and (
            _RUNNING.match(words)
            or heading["colon"] == "】"
            or (kind == "answer" and not _NUMBER.match(words))
        )
        if not marked or not (alone or runs_on):
            continue
        level = len(heading["hashes"]) if heading["hashes"] else _COLON
        if not heading["hashes"] and heading["bold"]:
            level = _BOLD
        if kind == "other" and level == _COLON:
            continue  # a sentence that introduces a list
        end = line.start() + (heading.start("rest") if runs_on else len(text))
        yield _Heading(
            start=line.start(), end=end, level=level, kind=kind, words=text.strip()[:40]
        )


def _kind_of(words: str) -> str:
    return next((kind for kind, pattern in _KINDS if pattern.match(words)), "other")
