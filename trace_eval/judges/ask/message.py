"""Messages of text and sound, independent of the provider, and their size in tokens."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue


@dataclass(frozen=True)
class Text:
    """A part that is text."""

    text: str

    def record(self) -> JsonValue:
        """Return its part of a cache key."""
        return {"text": self.text}


@dataclass(frozen=True)
class AudioPart:
    """A file of sound that is made with a request's body, and freed with it."""

    recipe: Mapping[
        str, JsonValue
    ]  # decides the bytes, and stands for them in keys and records
    render: Callable[[], bytes]
    format: str = "wav"  # container as servers name it
    seconds: float = 0.0
    size: int = 0  # bytes

    @property
    def base64_size(self) -> int:
        """Characters that it takes in a request's body."""
        return 4 * ((self.size + 2) // 3)

    def record(self) -> JsonValue:
        """Return its part of a cache key: the recipe, never bytes."""
        return {"audio": dict(self.recipe), "format": self.format}


MessagePart = Text | AudioPart


@dataclass(frozen=True)
class Message:
    """One turn of the conversation: words alone, or parts in their order."""

    role: Literal["system", "user", "assistant"]
    content: str | tuple[MessagePart, ...]

    @property
    def parts(self) -> tuple[MessagePart, ...]:
        """The content as parts."""
        return (Text(self.content),) if isinstance(self.content, str) else self.content

    @property
    def text(self) -> str:
        """All words of it, a line break between parts."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def sounds(self) -> list[AudioPart]:
        """The parts that are sound."""
        return [part for part in self.parts if isinstance(part, AudioPart)]

    @property
    def audio_s(self) -> float:
        """Seconds of sound in it."""
        return sum(part.seconds for part in self.sounds)

    @property
    def body_bytes(self) -> int:
        """Size in a request's body, bytes: sound in base64, words in UTF-8."""
        size = 0
        for part in self.parts:
            if isinstance(part, AudioPart):
                size += part.base64_size
            else:
                size += len(part.text.encode()) + 64
        return size

    def record(self) -> list[JsonValue]:
        """Return its part of a cache key."""
        if isinstance(self.content, str):
            return [self.role, self.content]
        return [self.role, [part.record() for part in self.content]]


def sent_record(messages: Sequence[Message]) -> dict[str, JsonValue] | None:
    """Record a call's sound: parts, seconds, SHA-256 of recipes; None without sound."""
    sounds = [part for message in messages for part in message.sounds]
    if not sounds:
        return None
    recipes = json.dumps([dict(part.recipe) for part in sounds], sort_keys=True)
    return {
        "parts": len(sounds),
        "seconds": round(sum(part.seconds for part in sounds), 3),
        "sha256": hashlib.sha256(recipes.encode()).hexdigest(),
    }


# --- how many tokens a text has, without its tokenizer: for context sizes and cost boun
#: Tokens that a chat template adds to each message, at most.
PER_MESSAGE = 16

#: Letters per token in a word that a small vocabulary has to spell.
LETTERS_PER_TOKEN = 4

#: How much the bound exceeds GPT-2's tokenizer on prompts of real pairs, which is 1.1
#: to 1.5 times.
BOUND_OVER_TYPICAL = 1.3

# Every tokenizer in use makes at least one token of each: a run of letters, a digit
# (Qwen splits numbers into digits), a mark, a line break; GPT-2 also of each space of
# an indent.
_PIECES = re.compile(r"[A-Za-z]+|[^\x00-\x7f]|[^ A-Za-z]|(?<= ) ")


def upper_tokens(messages: Iterable[Message]) -> int:
    """Bound the tokens of text like ours; toy models may exceed it, real ones do not.

    Words count one for each four letters begun; digits, marks, line breaks and spaces
    of an indent one each; characters of other scripts two each.
    """

    def tokens(piece: str) -> int:
        return -(-len(piece) // LETTERS_PER_TOKEN) if piece.isascii() else 2

    return sum(
        PER_MESSAGE + sum(map(tokens, _PIECES.findall(m.text))) for m in messages
    )


def typical_tokens(messages: Iterable[Message]) -> int:
    """Return the number of tokens to expect, for estimates of cost."""
    return round(upper_tokens(messages) / BOUND_OVER_TYPICAL)
