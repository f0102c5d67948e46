"""Drafts in models' replies: thinking in the text, and what counts beside it.

Models write thinking between marks of their own, and servers that do not know the marks
leave it in the reply. Nothing in a draft is an answer, whether the draft has an end or
not.
"""

from __future__ import annotations

import re

from trace_eval.data.draft_sections import without_draft_sections
from trace_eval.data.draft_words import REASONING, THINKING

#: Names of the tags that models and prompts put around thinking.
_TAG = rf"(?:\w+[:_])?(?:ant)?(?:{THINKING}|{REASONING}|reasoning_content)"

#: Brackets of a tag, as they are or as a page escapes them.
_LESS, _MORE = r"(?:<|&lt;)\s?", r"\s?(?:>|&gt;)"

#: (opening, closing) of a draft. Tags may have attributes; right
#: behind a quotation mark they are quoted, as in a form that was copied.
_MARKS = (
    (
        rf"(?<!\"){_LESS}{_TAG}(?:\s[^<>]{{0,200}})?{_MORE}",
        rf"{_LESS}/\s?{_TAG}{_MORE}",
    ),
    (r"\[(?:think(?:ing)?|reasoning)\]", r"\[/(?:think(?:ing)?|reasoning)\]"),
    (r"◁think▷", r"◁/think▷"),
    (
        r"<\|(?:begin_of_|begin_|start_)?(?:thoughts?|think(?:ing)?|reasoning)\|>",
        r"<\|(?:end_of_|end_|/)(?:thoughts?|think(?:ing)?|reasoning)\|>",
    ),
    (r"<\|?channel>thought", r"<channel\|>"),
    (r"<unused94>", r"<unused95>"),
    (r"^[ \t]*thinking(?:\.{3}|…)[ \t]*$", r"(?:\.{3}|…)\s?done thinking\.?"),
    (
        rf"<details[^<>]{{0,80}}>\s*<summary>[^<>]{{0,20}}(?:{THINKING})\b[^<>]{{0,40}}</summary>",
        r"</details>",
    ),
    (r"here(?: is|'s) my thought process:", r"here(?: is|'s) my (?:response|answer):"),
)

_ANY_MARK = re.compile(
    "|".join(f"(?P<o{n}>{o})|(?P<c{n}>{c})" for n, (o, c) in enumerate(_MARKS)),
    re.IGNORECASE | re.MULTILINE,
)

#: A letter or word of every mark. Where a text has none, it is not searched for them,
#: which takes as long as all else that is done with a reply.
_HINT = re.compile(r"[<&\[◁]|here|thinking", re.IGNORECASE)

#: The stem of a tag: ``<thinking>`` is closed by ``</think>`` too.
_STEM = re.compile(r"think|thought|reason|\w+", re.IGNORECASE)

#: A block of thinking in Markdown, with its end or with that of the reply.
_BLOCK = re.compile(
    rf"```[ ]?(?:{THINKING}|{REASONING})\b(?:(?!```).)*(?P<end>```)?",
    re.IGNORECASE | re.DOTALL,
)

#: Channels of gpt-oss. Without its special tokens a reply begins ``analysisWe need to
#: ...``.
_FINAL = re.compile(
    r"<\|channel\|>\s*final\b[^<]{0,100}<\|message\|>|assistantfinal(?=\W|[A-Z])"
)
_CHANNEL = re.compile(
    r"<\|channel\|>\s*\w+|\A\s*(?:analysis|commentary)(?=[A-Z{\[\"'<(])"
)
_FINAL_ENDS = re.compile(r"<\|(?:return|end|call)\|>")


def without_drafts(reply: str) -> tuple[str, str | None]:
    """Return the part of a reply that counts, and the mark of a draft that has no end.

    A closing mark without its opening one ends a draft that began in the prompt. Where
    a draft has no end, nothing counts: the model was not done.

    >>> without_drafts("<think>A, or B?</think> It is B.")
    (' It is B.', None)
    >>> without_drafts("<think>A, or B?")
    ('', '<think>')
    """
    if channel := _CHANNEL.search(reply):
        finals = list(_FINAL.finditer(reply))
        if not finals:
            return "", channel[0].strip()
        reply = _FINAL_ENDS.split(reply[finals[-1].end() :])[0]
    for block in _BLOCK.finditer(reply):
        if block["end"] is None:
            return "", block[0].split()[0]
    answer, unfinished = _without_tagged(_BLOCK.sub("", reply))
    if unfinished is not None:
        return "", unfinished
    return without_draft_sections(answer)


def _without_tagged(reply: str) -> tuple[str, str | None]:
    """Return a reply without what stands between marks, and an unclosed mark.

    Each opening mark wants its own end: ``<think>a <think>b</think>`` is not done. Of
    two in a row one is the prompt's, given back.
    """
    if not _HINT.search(reply):
        return reply, None
    parts: list[str] = []
    start = 0
    draft: re.Match[str] | None = None
    depth, last_end = 0, 0
    for mark in _ANY_MARK.finditer(reply):
        if draft is None and _opens(mark):
            parts.append(reply[start : mark.start()])
            draft, depth = mark, 1
        elif _opens(mark):
            if (
                draft
                and _kind(draft) == _kind(mark)
                and reply[last_end : mark.start()].strip()
            ):
                depth += 1
        elif draft is None or _kind(draft) == _kind(mark):
            if draft is None:
                parts.clear()
            depth -= 1
            if depth <= 0:
                draft, depth = None, 0
                start = mark.end()
        last_end = mark.end()
    if draft is not None:
        return "", draft[0]
    return "".join([*parts, reply[start:]]), None


def _opens(mark: re.Match[str]) -> bool:
    return str(mark.lastgroup).startswith("o")


def _kind(mark: re.Match[str]) -> tuple[str, str]:
    """Return what the opening and the closing mark of one draft have in common."""
    number = str(mark.lastgroup)[1:]
    if number != "0":
        return number, ""
    words = re.sub(r"\A(?:<|&lt;)\s?/?\s?(?:\w+?[:_])?(?:ant)?", "", mark[0].lower())
    stem = _STEM.match(words)
    return number, stem[0] if stem else ""
