"""How many tokens a text has, without its tokenizer: for context sizes and cost bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trace_eval.judges.ask.message import Message

#: Tokens that a chat template adds to each message, at most.
PER_MESSAGE = 16

#: Letters per token in a word that a small vocabulary has to spell.
LETTERS_PER_TOKEN = 4

#: How much the bound exceeds GPT-2's tokenizer on prompts of real pairs, which is 1.1 to 1.5 times.
BOUND_OVER_TYPICAL = 1.3

# What every tokenizer in use gives at least one token: a run of letters, a digit (Qwen
# splits numbers into digits), a mark, a line break; GPT-2 also each space of an indent.
_PIECES = re.compile(r"[A-Za-z]+|[^\x00-\x7f]|[^ A-Za-z]|(?<= ) ")


def upper_tokens(messages: Iterable[Message]) -> int:
    """A bound that tokenizers of real models stay under for text like ours.

    Words count one for each four letters begun, digits, marks, line breaks and spaces of
    an indent one each, characters of other scripts two each. Byte-level toy models exceed it.
    """
    return sum(PER_MESSAGE + sum(map(_piece, _PIECES.findall(m.text))) for m in messages)


def _piece(piece: str) -> int:
    if not piece.isascii():
        return 2
    return -(-len(piece) // LETTERS_PER_TOKEN)


def typical_tokens(messages: Iterable[Message]) -> int:
    """What to expect, for estimates of cost."""
    return round(upper_tokens(messages) / BOUND_OVER_TYPICAL)
