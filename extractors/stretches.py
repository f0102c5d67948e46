"""The stretches of a clip that a recogniser decodes, with a margin and short pauses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from blueprints import Span
from extractors.audio import SPEECH_RATE, Samples

#: Pauses up to this long stay inside a stretch, seconds: Whisper was trained on running
#: speech and uses the context. In longer silence it invents text.
JOIN_S = 2.0

#: Decoded on both sides of a stretch, seconds: soft beginnings and endings.
MARGIN_S = 0.2

#: The same for a text that repeats itself, which is decoded again in pieces: of twenty
#: repeats in one window Whisper writes twenty-eight.
PIECE_JOIN_S, PIECE_MARGIN_S = 0.2, 0.1

#: Whisper sees this much at once, seconds.
WINDOW_S = 30.0


def stretches(
    spans: Sequence[Span],
    seconds: float,
    join_s: float = JOIN_S,
    margin_s: float = MARGIN_S,
) -> list[Span]:
    """Return the stretches to decode, in order: speech, short pauses and a margin.

    The ends lie on 10 ms frames inside the clip: Whisper's loop does not end on a
    stretch that begins in the last, incomplete frame.

    Args:
        spans: stretches of speech from the voice activity detector.
        seconds: duration of the clip.
        join_s: longest pause inside a stretch, at least two margins.
        margin_s: added at both ends.
    """
    last = math.floor(seconds * 100) / 100
    joined: list[Span] = []
    for span in spans:
        start = max(0.0, math.floor((span.start_s - margin_s) * 100) / 100)
        end = min(last, math.ceil((span.end_s + margin_s) * 100) / 100)
        before = joined[-1] if joined else None
        if before and _pause(before, span, margin_s) <= join_s - 2 * margin_s:
            joined[-1] = Span(start_s=before.start_s, end_s=end)
        elif end > start:
            joined.append(Span(start_s=start, end_s=end))
    return joined


def _pause(before: Span, span: Span, margin_s: float) -> float:
    """Return the pause between a stretch with its margin and speech with its own."""
    return span.start_s - margin_s - before.end_s


def edges(parts: Sequence[Span]) -> list[float]:
    """Return starts and ends in turn, seconds, as the libraries take them."""
    return [edge for part in parts for edge in (part.start_s, part.end_s)]


def first_speech(
    speech: Samples, spans: Sequence[Span], seconds: float = WINDOW_S
) -> Samples:
    """Join the first seconds of the stretches, for language detection.

    The library looks at the first 30 s of the file, which may be silence.
    """
    parts: list[Samples] = []
    left = len(speech) if math.isinf(seconds) else round(seconds * SPEECH_RATE)
    for span in spans:
        first = round(span.start_s * SPEECH_RATE)
        last = round(span.end_s * SPEECH_RATE)
        part = speech[first:last][:left]
        parts.append(part)
        left -= len(part)
        if left <= 0:
            break
    return np.concatenate(parts)


def last_speech(speech: Samples, spans: Sequence[Span], seconds: float) -> Samples:
    """Join the last seconds of the stretches."""
    samples = round(seconds * SPEECH_RATE)
    return first_speech(speech, spans, math.inf)[-samples:]
