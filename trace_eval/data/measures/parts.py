"""A request in its parts: stage directions, the text to be said, other sentences."""

from __future__ import annotations

import re
from typing import NamedTuple

from extractors.manner_words import MOODS
from trace_eval.data.measures.delivery import QUOTED
from trace_eval.data.measures.manner import HEADS, words_in
from trace_eval.data.measures.moods import (
    COMMON_SOUNDS,
    MOOD_ADVERBS,
    NO_MANNER,
    RARE_SOUNDS,
    SOUNDS,
    is_of_speech,
    participles,
)
from trace_eval.data.measures.unasked import NAMED, OF_WORDS
from trace_eval.data.measures.wants import SPEAK

_SPEAKS = re.compile(rf"\b{SPEAK}\b")

_NOTE = re.compile(
    r"(?:(?<![(\[*<{])[(\[*<{]+|(?<![\w_~/|])[_~/|]+)\s*"
    r"(?P<what>[^()\[\]*<>:{}_~/|]{2,40}?)\s*(?:[)\]*>}]+|[_~/|]+(?!\w))"
)

#: The end of a tag around the text that is to be said.
_CLOSING = re.compile(r"</\w+>")

#: Where a stage direction stands: at the start, behind a mark, or before a colon.
_OPENS = re.compile(r"(?:^|[.!?:;,\"'])\s*$")
_SPEAKER = re.compile(r"^\W*[A-Z][\w .'-]{0,20}$")
MOST_OF_NOTE = 5

#: A sound that is rare, as a stage direction has it: "purrs", "hisses".
_RARE_ACT = re.compile(rf"{RARE_SOUNDS}(?:s|es)")

#: A setting of the voice: "Tone: wistful.".
_SETTING = re.compile(
    r"(?:^|(?<=[.;,\n(\[|]))\s*(?P<key>(?:(?:and|now|then|also|please|mind|watch|keep|in) )*"
    r"(?:(?:the|your|voice|speaking|vocal|emotional|acting) )*"
    r"(?:voice|tone|accent|delivery|intonation|emotion|speak|speaking|mood|feeling|attitude"
    r"|manner|style|vibe|directions?|instructions?|notes?|expression))\s*[:=]\s*"
    r"(?:(?:with|in) (?:an?|the|your) )?"
    r"(?P<what>[\w-]+(?: (?!and\b)[\w-]+){0,2})\s*(?:[.;,\n)\]|]+|$)",
    re.I,
)
_OF_VOICE = re.compile(
    r"\b(?:voice|tone|accent|delivery|intonation|emotion|manner|vocal|speak\w*)\b"
)

_QUOTE = re.compile(
    r"(?<!\w)(?P<mark>[\"'])(?=\S)(?P<words>.*?\S)(?P=mark)(?!\w)", re.S
)
_ANSWERS = re.compile(
    r"\b(?:answer|reply|respond|tell|explain)\b"
    r"|^(?!.*\b(?:say|read|repeat|recite|pronounce|speak|whisper|shout|sing)\b).*"
    r"\b(?:be|sound|stay|remain)\b",
    re.S,
)
_COLON = re.compile(r":\s*(?P<words>[^:]+)$", re.S)


class RequestParts(NamedTuple):
    """A request in its parts.

    Attributes:
        notes: what stands in brackets and is of a manner, or is set of the voice.
        settings: words that are set of the voice or of a mood.
        literal: what is to be said as it stands.
        body: the other sentences, with ``QUOTED`` for words in quotes.
        lead: the last sentence before a colon, in small letters.
        bare: the whole without what is in quotes or of a manner, in small letters.
    """

    notes: list[str]
    settings: list[str]
    literal: list[str]
    body: str
    lead: str
    bare: str


def parts_of(text: str) -> RequestParts:
    """Take a request apart."""
    text = _CLOSING.sub(" ", text.replace(" - ", ", "))
    settings, text = _settings_of(text)
    notes: list[str] = []
    bare, last = "", 0
    for match in _NOTE.finditer(text):
        what = match["what"].lower()
        is_placed = _is_placed(text, match)
        is_sure = _is_about_manner(text, match)
        notes += [what] if is_sure else []
        words = " , " if is_placed or is_sure else match["what"]
        bare += text[last : match.start()] + words
        last = match.end()
    bare += text[last:]
    literal = [match["words"] for match in _QUOTE.finditer(bare)]
    body = _QUOTE.sub(f" {QUOTED} ", bare)
    lead, unquoted = "", body.lower()
    if colon := _COLON.search(body):
        # "Please answer with a sigh: what is the weather?" is a request, too.
        is_question = colon["words"].rstrip().endswith("?") and _ANSWERS.search(
            body.lower()
        )
        is_text = len(words_in(colon["words"])) >= 2 and not is_question
        literal += [colon["words"]] if is_text else []
        before = f"{body[: colon.start()].rstrip()}."
        lead = re.split(r"(?<=[.?!])\s+", before.lower())[-1]
        body = f"{before} {colon['words'] if '?' in colon['words'] else ''}"
    elif (notes or settings) and not literal and not _SPEAKS.search(bare.lower()):
        literal, body = [body], ""  # a script: "[sighs] It is Monday."
    return RequestParts(
        notes=notes + settings,
        settings=[word for setting in settings for word in setting.split()],
        literal=literal,
        body=body,
        lead=lead,
        bare=unquoted,
    )


def _settings_of(text: str) -> tuple[list[str], str]:
    """Return what is set of the voice, and the text without it."""
    found = [match for match in _SETTING.finditer(text) if _is_setting(match)]
    settings = [_setting(one["what"].lower(), one["key"].lower()) for one in found]
    for match in reversed(found):
        text = f"{text[: match.start()]} {text[match.end() :]}"
    return settings, text


def _setting(what: str, key: str) -> str:
    """Return a manner with the noun it is set of: "wistful voice"."""
    noun = key.split()[-1]
    has_noun = what.split()[-1] in HEADS or what.endswith("ly") or noun not in HEADS
    return what if has_noun else f"{what} {noun}"


def _is_setting(match: re.Match[str]) -> bool:
    """Whether a setting is of the voice, or of a mood that a speaker may have."""
    if _OF_VOICE.search(match["key"].lower()):
        return True
    return not MOODS.union(MOOD_ADVERBS).isdisjoint(words_in(match["what"]))


def _is_about_manner(text: str, match: re.Match[str]) -> bool:
    """Whether words in brackets are a manner, and nobody asks what they mean."""
    before, behind = text[: match.start()], text[match.end() :]
    if before[-1:] in ("'", '"') and behind[:1] == before[-1:]:
        return False  # it is spoken of: "'(gruffly)' stands in my script"
    frame, colon, _ = before.rpartition(":")
    if not colon:
        frame = before if _OPENS.search(before) else f"{before} , {behind}"
    if behind.rstrip().endswith("?"):
        frame += behind
    if OF_WORDS.search(_QUOTE.sub(" ", frame).lower()) or NAMED.search(before.lower()):
        return False
    words = words_in(match["what"])
    if not words:
        return False
    may_tell = bool(_RARE_ACT.fullmatch(words[0])) or not MOODS.isdisjoint(words)
    return _names_manner(words) or (may_tell and _is_placed(text, match))


def _is_placed(text: str, match: re.Match[str]) -> bool:
    """Whether words in brackets stand where a stage direction does."""
    before, behind = text[: match.start()], text[match.end() :].lstrip()
    asks = "?" in behind or before.rstrip().endswith("?")
    if asks or "," in match["what"] or len(match["what"].split()) > MOST_OF_NOTE:
        return False  # "Where is it? (forest, city)" is a choice
    if _OPENS.search(before) and (before.strip() or behind):
        return True
    if behind.startswith(":") and _SPEAKER.match(before):
        return True
    ends = not behind.strip(" .!\"'")
    return ends and (":" in before or bool(re.search(r"[.!?\"']$", before)))


def _names_manner(words: list[str]) -> bool:
    """Whether words are of nothing but a manner: "sighs", "gruffly", "deep voice"."""
    *_, last = words
    if re.fullmatch(rf"{COMMON_SOUNDS}(?:s|es)?|{participles(SOUNDS)}", words[0]):
        return True
    if last in HEADS and len(words) > 1:
        return True
    return last.endswith("ly") and last not in NO_MANNER and is_of_speech(last)
