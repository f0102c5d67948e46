"""A model's own turn in a reply: what a server that knows no template leaves around it.

Templates part turns by special tokens and headers. Left in a reply, they are no words
of it, and what stands behind the end of the turn is another one that the model made up,
with a verdict on a pair that nobody showed.
"""

from __future__ import annotations

import re

#: What ends a turn, between bars or brackets as models' templates write it.
_END_NAMES = (
    r"(?:im[_▁]end|eot[_▁]id|eom[_▁]id|eot|eom|end|eos|eod|endoftext|end[_▁]of[_▁]text"
    r"|end[_▁]of[_▁]turn|endofturn|end[_▁]of[_▁]turn[_▁]token|end[_▁]of[_▁]response"
    r"|end[_▁]of[_▁]sentence|end▁of▁sentence|end[_▁]of[_▁]utterance|end[_▁]of[_▁]message"
    r"|return|turn[_▁]end)"
)
_END = (
    rf"<[|｜]{_END_NAMES}[|｜]>|\[\|{_END_NAMES}\|\]|</s>|<turn\|>"
    r"|<(?:eos|eop|eod|EOT|end_of_turn|end_of_utterance|EOS_TOKEN|EOD_TOKEN)>|\[EOS\]"
)

#: Roles of other turns, and the header of a turn by role.
_OTHERS = r"(?:user|human|system|tool|observation|ipython)"
_MODELS = r"(?:assistant|model|chatbot|ai|gpt|bot)"


def _header(role: str) -> str:
    return (
        rf"(?:<\|im_start\|>\s?|<start_of_turn>\s?|<\|turn>\s?|<\|start\|>\s?){role}\b"
        rf"|<\|(?:start_header_id|header_start|start_of_role)\|>\s?{role}\s?"
        r"<\|(?:end_header_id|header_end|end_of_role)\|>"
        rf"|<[|｜]{role}(?:_TOKEN)?[|｜]>|\[\|{role}\|\]"
    )


_OTHER_TURN = rf"{_header(_OTHERS)}|\[INST\]|^(?:\#{{2,4}} )?Human:|^\#{{2,4}} User:"
_MODEL_TURN = rf"{_header(_MODELS)}|\[/INST\]"

#: Tokens that say nothing.
_EMPTY = (
    r"<(?:s|bos|pad|unk|sop|BOS_TOKEN|PAD)>|\[(?:BOS|PAD|gMASK)\]|<0x0A>"
    r"|<[|｜](?:begin[_▁]of[_▁](?:text|sentence)|begin▁of▁sentence|startoftext|bos|pad)[|｜]>"
    r"|<\|START_OF_TURN_TOKEN\|>"
)

_FLAGS = re.IGNORECASE | re.MULTILINE
_BEFORE = re.compile(rf"(?:\s|{_END}|{_EMPTY}|{_MODEL_TURN})*+", _FLAGS)
_SHOWN_AGAIN = re.compile(rf"(?:\s|{_END}|{_EMPTY})*+(?:{_OTHER_TURN})", _FLAGS)
_MODEL_BEGINS = re.compile(_MODEL_TURN, _FLAGS)
_STOPS = re.compile(rf"(?P<end>{_END})|(?:{_OTHER_TURN})", _FLAGS)
_TOKENS = re.compile(rf"{_END}|{_EMPTY}|{_MODEL_TURN}", _FLAGS)

#: A character of every token or header.
_HINT = re.compile(r"[<\[]|^(?:#+ ?)?(?:Human|User):", _FLAGS)

#: The end of a sentence of Llama and Mistral is also the one of struck out words.
_STRUCK = "</s>"


def own_turn(reply: str) -> str:
    """Return the first turn of the model without special tokens.

    A prompt that was given back before it does not count, nor does what follows its
    end. Between ``<s>`` and ``</s>`` with other words behind them stands either a whole
    turn or what was struck out: there both parts stay, and contradict each other.

    >>> own_turn("<s>[[A]]</s>"), own_turn("[[A]]<|im_end|>\\n<|im_start|>user\\n[[B]]?")
    ('[[A]]', '[[A]]')
    """
    if not _HINT.search(reply):
        return reply
    start = 0
    if shown := _SHOWN_AGAIN.match(reply):
        begins = _MODEL_BEGINS.search(reply, shown.end())
        start = begins.end() if begins else 0
    before = _BEFORE.match(reply, start)
    first = before.end() if before else start
    for stop in _STOPS.finditer(reply, first):
        if _may_be_struck(reply, first, stop):
            continue
        return _TOKENS.sub("", reply[first : stop.start()])
    return _TOKENS.sub("", reply[first:]) if first or _TOKENS.search(reply) else reply


def _may_be_struck(reply: str, first: int, stop: re.Match[str]) -> bool:
    if stop["end"] != _STRUCK or "<s>" not in reply[: stop.start()]:
        return False
    behind = _BEFORE.match(reply, stop.end())
    goes_on = behind.end() if behind else stop.end()
    is_another_turn = reply.startswith("<s>", stop.end()) or _STOPS.match(
        reply, goes_on
    )
    return goes_on < len(reply) and not is_another_turn
