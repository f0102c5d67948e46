"""What an instruction asks for: measures of delivery, and a text that is not shown."""

from __future__ import annotations

import re

from trace_eval.judges.beside.steps import (
    LOUDNESS,
    PAUSE,
    PITCH,
    RATE,
    TREND,
    VARIATION,
    Step,
)
from trace_eval.judges.rules.requests import find_requests
from trace_eval.judges.rules.text import read
from trace_eval.judges.rules.vocabulary import RequestKind

#: Kind of a request -> the measure that answers it; others have none.
MEASURES: dict[RequestKind, Step] = {
    RequestKind.SLOW: RATE,
    RequestKind.FAST: RATE,
    RequestKind.STEADY_RATE: RATE,
    RequestKind.ACCELERATING: TREND,
    RequestKind.DECELERATING: TREND,
    RequestKind.LOUD: LOUDNESS,
    RequestKind.SOFT: LOUDNESS,
    RequestKind.HIGH_PITCH: PITCH,
    RequestKind.LOW_PITCH: PITCH,
    RequestKind.MONOTONE: VARIATION,
    RequestKind.EXPRESSIVE: VARIATION,
    RequestKind.PAUSES: PAUSE,
}

#: "Say the next sentence": a text that was on a screen, or in a turn before.
_UNSEEN = re.compile(
    r"\b(?:the|this|that) (?:next|following|previous|above|below|last) "
    r"(?:sentence|text|phrase|words?|lines?|paragraph|passage|story|poem|script)\b",
    re.IGNORECASE,
)


def names_unseen_text(instruction: str) -> bool:
    """Return whether an instruction names a text that it does not hold."""
    return bool(_UNSEEN.search(instruction)) and not read(instruction).literal


def measures_asked(instruction: str) -> tuple[Step, ...]:
    """Return the measures that an instruction asks for, in its order."""
    kinds = (request.kind for request in find_requests(instruction))
    return tuple(dict.fromkeys(MEASURES[kind] for kind in kinds if kind in MEASURES))
