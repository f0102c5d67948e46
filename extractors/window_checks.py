"""How short a window of Whisper may be, and what tells that it was too short."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from blueprints import Span
from extractors.stretches import WINDOW_S
from extractors.suspect import longest_repetition, tokens

#: A window is at least this long, and reaches so far beyond what is in it, seconds.
MIN_WINDOW_S, MARGIN_S = 10.0, 5.0

#: The same for what identifies a transcript.
SHORT_WINDOWS: dict[str, JsonValue] = {
    "min_s": MIN_WINDOW_S,
    "margin_s": MARGIN_S,
    "padding": "silence",
}

#: In frames the library says where a window begins.
FRAMES_PER_S = 100

#: So many words that are said twice in a row may be an echo of the model's.
ECHO_WORDS = 3

#: Words end this long before the speech does, or later than it, only where something went wrong,
#: seconds.
EARLY_S, LATE_S = 1.5, 0.5

#: Mean log probability under which a window is not believed: half of the words are unsure.
UNSURE = -0.7


def by_part(
    segments: Iterable[Mapping[str, Any]], parts: Sequence[Span]
) -> list[list[Mapping[str, Any]]]:
    """The segments of each stretch that was decoded, by where they begin."""
    segments_by_part: list[list[Mapping[str, Any]]] = [[] for _ in parts]
    for segment in segments:
        start = float(segment["start"])
        number = sum(part.start_s <= start for part in parts[1:])
        segments_by_part[number].append(segment)
    return segments_by_part


def last_whole(segments: Sequence[Mapping[str, Any]], part: Span) -> int | None:
    """Frame at which the last whole window with words began; None: there is no such window.

    Up to its end nothing was short: heard again, the same would be written.
    """
    seeks = (int(segment["seek"]) for segment in segments)
    whole = [seek for seek in seeks if seek / FRAMES_PER_S + WINDOW_S <= part.end_s]
    return max(whole, default=None)


def broken(segments: Sequence[Mapping[str, Any]], part: Span) -> str | None:
    """What a short window may have done to a text; None: nothing that shows.

    Args:
        segments: as the library gives them, with words.
        part: the stretch that was decoded; its last windows alone may have been short.
    """
    words = [word for segment in segments for word in segment.get("words") or ()]
    if not words:
        return "no words"
    whole = last_whole(segments, part) or 0
    late = [str(segment["text"]) for segment in segments if int(segment["seek"]) >= whole]
    loop = longest_repetition(tokens(" ".join(late)))
    if loop and (len(loop.phrase) >= ECHO_WORDS or loop.times >= ECHO_WORDS):
        return "it repeats itself"
    last = [one for one in segments if float(one["start"]) >= part.end_s - WINDOW_S]
    if min((float(segment["avg_logprob"]) for segment in last), default=0.0) < UNSURE:
        return "it is unsure of its words"
    end = float(words[-1]["end"])
    if end < part.end_s - EARLY_S:
        return "it ends before the speech"
    return "it ends after the speech" if end > part.end_s + LATE_S else None
