"""Recordings of a whole session, question and answer, that are given as an answer."""

from __future__ import annotations

from difflib import SequenceMatcher

import trace_eval.judges.rules.text as text
from blueprints import Blueprint, Transcript
from extractors import guessed
from trace_eval.judges.rules.requests import LANGUAGE, RuleInstruction
from trace_eval.judges.rules.vocabulary import RequestKind

#: Words of the shortest request whose repetition is no chance.
_LEAST_WORDS = 6

#: Share of the request's words that are heard in their order, for recognisers mishear.
_LEAST_SHARE = 0.85

#: Pause between the request and the answer, seconds; words follow each other without one.
_LEAST_PAUSE_S = 0.2


def session_caveats(a: Blueprint, b: Blueprint, instruction: RuleInstruction) -> tuple[str, ...]:
    """Return a sentence for each answer that begins with the request, word by word."""
    return tuple(
        f"{side} begins with the request: if it is a recording of the whole session, what"
        " was measured is of the question, too; give the answer alone, e.g. ffmpeg -ss"
        " SECONDS -i IN OUT.wav, with the end of the question for SECONDS"
        for side, blueprint in (("A", a), ("B", b))
        if begins_with_request(blueprint, instruction)
    )


def begins_with_request(blueprint: Blueprint, instruction: RuleInstruction) -> bool:
    """Return whether a request is heard first, then a pause, then other words."""
    transcript, asked = blueprint.transcript, text.words(instruction.text or "")
    if not isinstance(transcript, Transcript) or transcript.language != LANGUAGE:
        return False
    if len(asked) < _LEAST_WORDS or guessed(blueprint) or _is_to_be_said(instruction):
        return False
    heard, places = [], []
    for place, word in enumerate(transcript.words):
        parts = text.words(word.text)
        heard += parts
        places += [place] * len(parts)
    matcher = SequenceMatcher(None, asked, heard[: len(asked) + 2], autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if sum(block.size for block in blocks) < _LEAST_SHARE * len(asked) or blocks[0].b > 1:
        return False
    last = blocks[-1].b + blocks[-1].size - 1
    if last + 1 >= len(heard):
        return False  # nothing but the request
    end, start = transcript.words[places[last]].end_s, transcript.words[places[last + 1]].start_s
    return end is not None and start is not None and start - end >= _LEAST_PAUSE_S


def _is_to_be_said(instruction: RuleInstruction) -> bool:
    """Return whether a request asks for words of its own."""
    repeats = any(request.kind is RequestKind.REPEAT for request in instruction.requests)
    return repeats or bool(instruction.reading.literal)
