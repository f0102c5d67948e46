"""Text from outside in a prompt, unusable replies too: made harmless, then fenced.

Transcripts and instructions are data that an attacker can write. What could be read as
markup is replaced, what cannot be seen is removed, and the rest stands between fence
lines with a tag that is derived from the text itself.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel

from blueprints import GROUPS, Absent, Blueprint, Present
from trace_eval.judges.ask.message import Message
from trace_eval.judges.ask.reply_length import shortened

_R = TypeVar("_R", bound=BaseModel)

#: Hex digits of a fence tag, and of one in a prompt that is to be short. Brackets of
#: fences are replaced in every text, so that no text closes its fence even if it names
#: the tag.
TAG_LENGTH, SHORT_TAG_LENGTH = 12, 6

# Every chat template in use marks turns with angle brackets (<|im_start|>,
# <start_of_turn>, <s>, <<SYS>>), with capitals in square brackets ([INST]), or with
# full-width bars. No bracket, no token: a list of known tokens would be out of date
# with the next model.
_BRACKETS = str.maketrans({"<": "‹", ">": "›", "＜": "‹", "＞": "›", "｜": "¦"})
_SQUARE_TOKEN = re.compile(r"\[(/?[A-Z][A-Z_ ]{2,30})\]")
# Rows of one mark imitate headings, rules, code fences and our own fences.
_ROW = re.compile(r"([#=`~*_|\-])\1{2,}")
_JINJA = re.compile(r"\{(?=[{%#])|[}%#](?=\})")

# Nearly all words are like this, and then there is nothing to do.
_PLAIN = re.compile(r"[A-Za-z0-9,.'?!:;]+(?: [A-Za-z0-9,.'?!:;]+)*")

# Joiners that Persian, Hindi and emoji need, and the selector that makes a sign an
# emoji; they are kept where they do that. Everything else that is not seen can hide
# text.
_NON_JOINER, _JOINER, _AS_EMOJI = "\u200c", "\u200d", "\ufe0f"

#: Letters and marks that are drawn as nothing: Hangul fillers, the grapheme joiner,
#: Khmer vowels that are not written, Mongolian and other variation selectors, the
#: Braille pattern without dots, the Khitan filler, the null notehead, and what stands
#: for an object that is not there (Unicode: Default_Ignorable_Code_Point, and those
#: that look like a blank).
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\ufffc\U00016fe4\U0001d159\U000e0000-\U000e0fff]"
)

#: Scripts whose letters a joiner or non-joiner shapes: those from Hebrew to Tibetan,
#: Myanmar, Khmer and Mongolian, and their extensions.
_SHAPED = re.compile(
    "[\u0590-\u109f\u1780-\u18af\u1a20-\u1aad\u1b00-\u1c4f\ua800-\ua8ff\ua980-\ua9df"
    "\uaa00-\uaadf\uabc0-\uabff\ufb1d-\ufdff\ufe70-\ufefc\U00010a00-\U00011fff"
    "\U0001e900-\U0001e95f]"
)

# Types that hold no text; any other type is taken for one that does.
_TEXTLESS = (int, float, bool, type(None))

_TOKEN = re.compile(r"\S+")
_IN_FOLDER = re.compile(r"[/\\]\S")
_AUDIO_END = re.compile(r"\.(?:wav|mp3|flac|ogg|m4a)\b")


def neutralise(text: str) -> str:
    """Put words on one line, without what a parser or a chat template could act on.

    Line breaks become spaces; control and invisible characters go; lone surrogates
    become U+FFFD. A second pass changes nothing.
    """
    if _PLAIN.fullmatch(text):
        return text
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = unicodedata.normalize("NFC", text).translate(_BRACKETS)
    text = "".join(_visible(char) for char in text)
    text = " ".join(_without_idle_joiners(text).split())
    text = _SQUARE_TOKEN.sub(r"(\1)", text)
    text = _ROW.sub(r"\1\1", text)
    return _JINJA.sub(lambda match: match[0] + " ", text)


def _visible(char: str) -> str:
    """Return a character, a blank for a line break, or nothing for what is not seen."""
    if char.isascii() and char.isprintable():
        return char
    category = unicodedata.category(char)
    if category in ("Zl", "Zp") or char in "\t\n\r\v\f\x85":
        return " "
    if char in (_NON_JOINER, _JOINER, _AS_EMOJI):
        return char
    if category in ("Cc", "Cf", "Co", "Cn") or _UNSEEN.match(char):
        return ""
    return char


def _without_idle_joiners(text: str) -> str:
    """Return the text without joiners and emoji selectors that shape nothing.

    Rows of them write a hidden text in two letters. One alone shapes the letters beside
    it, or makes one emoji of two.
    """
    if not {_NON_JOINER, _JOINER, _AS_EMOJI}.intersection(text):
        return text
    kept: list[str] = []
    for place, char in enumerate(text):
        before = kept[-1] if kept else ""
        after = text[place + 1 : place + 2]
        if char == _AS_EMOJI:
            shapes = _is_sign(before)
        elif char in (_NON_JOINER, _JOINER):
            shapes = _joins(char, before, after)
        else:
            shapes = True
        if shapes:
            kept.append(char)
    return "".join(kept)


def _joins(joiner: str, before: str, after: str) -> bool:
    """Return whether a joiner stands where a script or an emoji needs one."""
    if _SHAPED.match(before) and (not after or _SHAPED.match(after) or after == " "):
        return True
    sign = _is_sign(before) or before == _AS_EMOJI
    return joiner == _JOINER and sign and _is_sign(after)


def _is_sign(char: str) -> bool:
    """Tell whether emoji are made of a character: a symbol, keycap or skin."""
    return bool(char) and (
        unicodedata.category(char) in ("So", "Sk", "Sm") or char in "0123456789#*"
    )


def without_paths(text: str) -> str:
    """Cut file names out of a text: they name systems and machines."""

    def without_path(token: re.Match[str]) -> str:
        word = token[0]
        if _IN_FOLDER.search(word):
            return "(file)"
        ends = [match.end() for match in _AUDIO_END.finditer(word) if match.start()]
        return "(file)" + word[ends[-1] :] if ends else word

    return _TOKEN.sub(without_path, text)


def neutralise_blueprint(blueprint: Blueprint) -> Blueprint:
    """Make words, labels, reasons and values harmless; itself where nothing changes."""
    update: dict[str, object] = {}
    for name in GROUPS:
        before = blueprint.group(name)
        after = _group(before)
        if after is not before:
            update[name] = after
    if blueprint.extensions:
        extensions = blueprint.extensions.items()
        harmless = {neutralise(name): _group(group) for name, group in extensions}
        update["extensions"] = harmless
    return blueprint.model_copy(update=update) if update else blueprint


def _group(group: Present | Absent) -> Present | Absent:
    if not isinstance(group, Absent):
        return _record(group)
    reason = neutralise(without_paths(group.reason)) or "?"
    if reason == group.reason:
        return group
    return group.model_copy(update={"reason": reason})


def _record(record: _R) -> _R:
    """Neutralise every text in a record; an unchanged record is returned as it is."""
    changes = {}
    for name in _text_fields(type(record)):
        before = getattr(record, name)
        after = _value(before)
        if after is not before and after != before:
            changes[name] = after
    return record.model_copy(update=changes) if changes else record


def _value(value: object) -> object:
    if isinstance(value, str):
        return neutralise(value)
    if isinstance(value, BaseModel):
        return _record(value)
    if isinstance(value, list):
        if _all_harmless(value):
            return value
        return [_value(one) for one in value]
    if isinstance(value, dict):
        are_floats = set(map(type, value.values())) <= {float}
        if are_floats and _all_harmless(list(value)):
            return value
        return {neutralise(key): _value(item) for key, item in value.items()}
    return value


def _all_harmless(values: list[object]) -> bool:
    """Tell whether nothing changes in texts, or in records of texts such as words.

    A change in one of them would be a change in all of them joined, because it is made
    piece by piece, and an end or an empty text is a blank beside a blank there.
    """
    texts = values
    kinds = set(map(type, values))
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is not None and issubclass(kind, BaseModel):
        names = _text_fields(kind)
        texts = [getattr(value, name) for value in values for name in names]
    if not set(map(type, texts)) <= {str}:
        return False
    joined = " ".join(texts)  # type: ignore[arg-type] # all are, as has been seen
    return neutralise(joined) == joined


@cache
def _text_fields(model: type[BaseModel]) -> tuple[str, ...]:
    """List the fields whose type can hold text from outside; contours cannot."""
    names = []
    for name, field in model.model_fields.items():
        if _holds_text(field.annotation):
            names.append(name)
    return tuple(names)


def _holds_text(kind: object) -> bool:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return bool(_text_fields(kind))
    if get_origin(kind) is Literal:  # a closed set, checked when it is read
        return False
    parts = get_args(kind)
    if parts:
        return any(map(_holds_text, parts))
    return kind not in _TEXTLESS


def fence_tag(texts: Iterable[str], length: int = TAG_LENGTH) -> str:
    """Return a tag that occurs in none of the texts, always the same for them."""
    joined = "\x00".join(texts)
    for salt in range(1000):
        salted = f"{salt}\x00{joined}".encode("utf-8", "replace")
        tag = hashlib.sha256(salted).hexdigest()[:length]
        if tag not in joined:
            return tag
    raise AssertionError("unreachable: a text cannot hold a thousand of its own hashes")


def fence(tag: str, label: str, text: str) -> str:
    """Put ``text`` between an opening and a closing line that carry the tag."""
    return f"<<<data {tag} {label}\n{text}\nend {tag}>>>"


def shown_again(reply: str | None) -> str:
    """Return an unusable reply, shortened and made harmless, to show it to its model.

    It may quote what it was shown, and is fenced off by its role alone.
    """
    # Many chat templates insist on alternating roles, so something stands for an empty
    # reply.
    return neutralise(shortened(reply or "")) or "(no reply)"


def second_chance(
    messages: tuple[Message, ...], reply: str | None, again: str
) -> tuple[Message, ...]:
    """Continue the conversation by asking once more.

    Its recordings stay, and are paid again.

    ``again`` says what is wrong with the reply, if any came, and what is wanted.
    """
    return (*messages, Message("assistant", shown_again(reply)), Message("user", again))
