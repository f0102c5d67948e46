"""Answers that begin with the request, which may be recordings of a whole session."""

from __future__ import annotations

from blueprints import Blueprint, Transcript
from trace_eval.data.measures.whole import LEAST_PAUSE_S, request_in
from trace_eval.judges.rules.requests import LANGUAGE, RuleInstruction
from trace_eval.judges.rules.vocabulary import RequestKind


def session_caveats(
    a: Blueprint, b: Blueprint, instruction: RuleInstruction
) -> tuple[str, ...]:
    """Return a sentence for each answer that begins with the request, word by word."""
    caveats: list[str] = []
    for side, blueprint in (("A", a), ("B", b)):
        if begins_with_request(blueprint, instruction):
            caveats.append(
                f"{side} begins with the request: if it is a recording of the whole"
                " session, what was measured is of the question, too; give the answer"
                " alone, e.g. ffmpeg -ss SECONDS -i IN OUT.wav, with the end of the"
                " question for SECONDS"
            )
    return tuple(caveats)


def begins_with_request(blueprint: Blueprint, instruction: RuleInstruction) -> bool:
    """Return whether a request is heard first, then a pause, then other words."""
    transcript = blueprint.transcript
    if not isinstance(transcript, Transcript) or transcript.language != LANGUAGE:
        return False
    if _is_to_be_said(instruction):
        return False
    stretch = request_in(blueprint, instruction.text or "")
    return stretch is not None and stretch.next_s - stretch.end_s >= LEAST_PAUSE_S


def _is_to_be_said(instruction: RuleInstruction) -> bool:
    """Tell whether a request asks for words of its own."""
    repeats = any(
        request.kind is RequestKind.REPEAT for request in instruction.requests
    )
    return repeats or bool(instruction.reading.literal)
