"""Drafts in models' replies: how to separate thinking from the final answer.

Models write thinking between marks of their own, and servers that do not know the marks
leave it in the reply. Nothing in a draft is an answer, whether the draft has an end or
not.
"""

from __future__ import annotations

import re
from functools import cache

from trace_eval.data import strict_json
from trace_eval.data.draft_sections import without_draft_sections
from trace_eval.data.draft_words import REASONING, THINKING

#: Names of the tags that models and prompts put around thinking.
_TAG = (
    rf"(?:\w+[:_])?(?:ant)?(?:{THINKING}|{REASONING}|reasoning_content"
    r"|notes|critique|evaluation[_ ]steps|scratch|ponder(?:ing)?)"
)

#: Brackets of a tag: as they are, wide, or as a page or JSON escapes them, once or
#: twice. The end of a line ends a closing tag that was cut.
_LESS = r"(?:[<＜]|&(?:amp;)?(?:lt|\#0{0,3}60|\#x0{0,3}3c);|\\u003c)\s?"
_MORE = r"\s?(?:[>＞]|&(?:amp;)?(?:gt|\#0{0,3}62|\#x0{0,3}3e);|\\u003e)"
_MORE_OR_CUT = rf"(?:{_MORE}|(?=[ \t]*$))"

#: Special tokens around thinking say on either side of the word which end they are.
_TOKEN = r"(?:thoughts?|think(?:ing)?|reasoning)"
_OPEN_TOKEN = (
    rf"<\|?(?:(?:begin|start)[_▁](?:of[_▁])?)?{_TOKEN}\|>"
    rf"|<\|?(?:(?:begin|start)[_▁](?:of[_▁])?{_TOKEN}|{_TOKEN}[_▁](?:start|begin))\|?>"
)
_CLOSE_TOKEN = (
    rf"<\|?(?:/|end[_▁](?:of[_▁])?){_TOKEN}\|>"
    rf"|<\|?(?:end[_▁](?:of[_▁])?{_TOKEN}|{_TOKEN}[_▁](?:end|stop))\|?>"
)

#: (opening, closing) of a draft. Tags may have attributes; right
#: behind a quotation mark they are quoted, as in a form that was copied.
_MARKS = (
    (_OPEN_TOKEN, _CLOSE_TOKEN),
    (
        rf"(?<!\"){_LESS}{_TAG}(?:\s[^<>]{{0,200}})?{_MORE}",
        rf"{_LESS}/\s?{_TAG}{_MORE_OR_CUT}",
    ),
    (r"\[(?:think(?:ing)?|reasoning)\]", r"\[/(?:think(?:ing)?|reasoning)\]"),
    (r"◁think▷", r"◁/think▷"),
    (
        rf"<\|im_start\|>\s?(?:{THINKING}|{REASONING})\b",
        r"<\|im_start\|>\s?(?:final|answer|response|verdict)\b",
    ),
    (r"<!--", r"-->"),
    (r"<(?:del|strike)>", r"</(?:del|strike)>"),
    (r"<\|?channel>thought", r"<channel\|>"),
    (r"<unused94>", r"<unused95>"),
    (r"^[ \t]*thinking(?:\.{3}|…)[ \t]*$", r"(?:\.{3}|…)\s?done thinking\.?"),
    (
        rf"<details[^<>]{{0,80}}>\s*<summary>[^<>]{{0,20}}(?:{THINKING})\b[^<>]{{0,40}}</summary>",
        r"</details>",
    ),
    (
        r"here(?: is|'s| are) my (?:thought process|reasoning steps):",
        r"here(?: is|'s) my (?:response|answer):|\[BEGIN FINAL RESPONSE\]",
    ),
    (
        rf"(?<![\"{{])\{{\s?(?:{THINKING})\s?\}}",
        rf"\{{\s?/\s?(?:{THINKING})\s?\}}",
    ),
    (rf"\\begin\{{(?:{THINKING})\}}", rf"\\end\{{(?:{THINKING})\}}"),
    (rf"/\*\s?(?:{THINKING})\b", r"\*/"),
    (rf"^:::\s?\{{?\.?(?:{THINKING})\b[^\n]{{0,40}}$", r"^:::[ \t]*$"),
)

#: A letter or word of every mark. Where a text has none, it is not searched for them,
#: which takes as long as all else that is done with a reply.
_HINT = re.compile(
    r"[<＜&\[◁]|\\u003c|here|thinking|\{\s?[^\W\d]|\\begin|/\*|^:::",
    re.IGNORECASE | re.MULTILINE,
)

#: Number of the marks that are tags, and what stands before their names.
_TAGS = "1"
_TAG_BEGINS = re.compile(rf"\A{_LESS}/?\s?(?:\w+?[:_])?(?:ant)?")

#: The stem of a tag: ``<thinking>`` is closed by ``</think>`` too.
_STEM = re.compile(r"think|thought|reason|\w+", re.IGNORECASE)

#: A block of thinking in Markdown, with its end or with that of the reply.
_BLOCK = re.compile(
    rf"(?P<fence>(?<!`)`{{3,6}}|(?<!~)~{{3,6}})[ ]?(?:{THINKING}|{REASONING})\b"
    r"(?:(?!(?P=fence)).)*(?P<end>(?P=fence))?",
    re.IGNORECASE | re.DOTALL,
)

#: Words that are struck out in Markdown.
_STRUCK = re.compile(r"~~(?![~\s])[^~]{1,2000}~~(?!~)")

#: Thinking in round brackets: "(thinking: A, or B?)".
_ASIDE = re.compile(
    rf"(?P<begins>^[ \t*_>]{{0,8}})?(?P<bracket>[(（])\s?[*_]{{0,3}}(?:{THINKING})[*_]{{0,3}}"
    r"\s?(?:[:：]|\.{3}|…|[–—-]\s)",
    re.IGNORECASE | re.MULTILINE,
)
_BRACKET = re.compile(r"[()（）]")

#: A fence around a whole reply.
_FENCE = re.compile(r"\A```(?:json)?\s|\s```\Z", re.IGNORECASE)

#: Channels of gpt-oss. Without its special tokens a reply begins ``analysisWe need to
#: ...``.
_FINAL = re.compile(
    r"<\|channel\|>\s*final\b[^<]{0,100}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>"
    r"|assistantfinal"
)
_CHANNEL = re.compile(
    r"<\|channel\|>\s*\w+|\A\s*(?:analysis|commentary)(?=[a-zA-Z{\[\"'<(])"
)
_FINAL_ENDS = re.compile(r"<\|(?:return|end|call)\|>")

#: Tokens with which templates begin and end a turn of the model, and begin another.
_MODEL_BEGINS = re.compile(
    r"\A\s*(?:<s>|\[/INST\]|<\|im_start\|>assistant\s|<start_of_turn>model\s"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>|<｜Assistant｜>)"
)
_ENDS_TURN = (
    r"(?:</s>|<\|(?:im_end|eot_id|end_of_text|endoftext)\|>|<(?:end_of_turn|eos)>"
    r"|<｜end▁of▁sentence｜>)"
)
_BEGINS_TURN = (
    r"(?:<\|im_start\|>|<\|start_header_id\|>|<start_of_turn>|\[INST\]|<｜User｜>)"
)

#: The model's turn ends with the reply, or the model ran on into another turn. A token
#: that an answer quotes has other words behind it.
_TURN_ENDS = re.compile(
    rf"{_ENDS_TURN}(?:\s*{_ENDS_TURN}){{0,3}}\s*(?:<s>\s*)?(?:\Z|{_BEGINS_TURN})"
)


def without_drafts(reply: str) -> tuple[str, str | None]:
    """Return the part of a reply that counts, and the mark of a draft that has no end.

    A closing mark without its opening one ends a draft that began in the prompt. Where
    a draft has no end, nothing counts: the model was not done.

    >>> without_drafts("<think>A, or B?</think> It is B.")
    (' It is B.', None)
    >>> without_drafts("<think>A, or B?")
    ('', '<think>')
    """
    if _is_object(reply):
        return reply, None
    reply = _own_turn(reply)
    if _is_object(reply):
        return reply, None
    if channel := _CHANNEL.search(reply):
        finals = list(_FINAL.finditer(reply))
        if not finals:
            return "", channel[0].strip()
        reply = _FINAL_ENDS.split(reply[finals[-1].end() :])[0]
    for block in _BLOCK.finditer(reply):
        if block["end"] is None:
            return "", block[0].split()[0]
    written = _STRUCK.sub("", _BLOCK.sub("", reply))
    answer, unfinished = _without_tagged(written)
    if unfinished is None:
        answer, unfinished = _without_asides(answer)
    if unfinished is not None:
        return "", unfinished
    return without_draft_sections(answer)


def _own_turn(reply: str) -> str:
    """Return a reply without a template's tokens around it, and without other turns.

    What begins with another turn, as a prompt that was given back does, stays whole.

    >>> _own_turn("It is B.</s><s>[INST] And now? [/INST] It is A.")
    'It is B.'
    """
    turn = _MODEL_BEGINS.sub("", reply)
    if re.match(rf"\s*{_BEGINS_TURN}", turn):
        return reply
    end = _TURN_ENDS.search(turn)
    return turn[: end.start()] if end else turn


def _is_object(reply: str) -> bool:
    """Tell whether a reply is one whole JSON object: a mark in it is quoted."""
    text = reply.strip()
    if text.startswith("```"):
        text = _FENCE.sub("", text).strip()
    if not (text.startswith("{") and text.endswith("}")):
        return False
    try:
        strict_json.loads(text)
    except strict_json.BadJson:
        return False
    return True


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
    for mark in _any_mark().finditer(reply):
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


def _without_asides(reply: str) -> tuple[str, str | None]:
    """Return a reply without thinking in round brackets, and one that has no end.

    Only a bracket that begins a line can lack its end: within a line it may be quoted.
    """
    if not _ASIDE.search(reply):
        return reply, None
    ends: dict[int, int] = {}
    opened: list[int] = []
    for bracket in _BRACKET.finditer(reply):
        if bracket[0] in "(（":
            opened.append(bracket.start())
        elif opened:
            ends[opened.pop()] = bracket.end()
    parts: list[str] = []
    start = 0
    for aside in _ASIDE.finditer(reply):
        opening = aside.start("bracket")
        if opening < start:
            continue
        if opening in ends:
            parts.append(reply[start:opening])
            start = ends[opening]
        elif aside["begins"] is not None:
            return "", aside[0].strip()
    return "".join([*parts, reply[start:]]), None


@cache
def _any_mark() -> re.Pattern[str]:
    """Compile all marks into one pattern, on first use: it takes 30 ms."""
    either_ends: list[str] = []
    for number, (opening, closing) in enumerate(_MARKS):
        either_ends.append(f"(?P<o{number}>{opening})|(?P<c{number}>{closing})")
    return re.compile("|".join(either_ends), re.IGNORECASE | re.MULTILINE)


def _opens(mark: re.Match[str]) -> bool:
    return str(mark.lastgroup).startswith("o")


def _kind(mark: re.Match[str]) -> tuple[str, str]:
    """Return what the opening and the closing mark of one draft have in common."""
    number = str(mark.lastgroup)[1:]
    if number != _TAGS:
        return number, ""
    words = _TAG_BEGINS.sub("", mark[0].lower())
    stem = _STEM.match(words)
    return number, stem[0] if stem else ""
