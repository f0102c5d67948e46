"""Where a speaker stops: pauses between words that no recogniser writes as commas."""

from __future__ import annotations

from bisect import bisect_left

from blueprints import Blueprint, Signal, Transcript

#: Pauses from which on a speaker stops between two words, seconds.
STOP_S = 0.2


def with_stops(blueprint: Blueprint) -> str | None:
    """Return the words of a recording with a full stop wherever the speaker stops.

    Words without times, or without measured pauses, are returned as the recogniser
    wrote them; None: there is no transcript.
    """
    transcript = blueprint.transcript
    if not isinstance(transcript, Transcript):
        return None
    words = [word.text.strip() for word in transcript.words]
    for index in _stops(blueprint, transcript):
        if words[index - 1][-1:].isalnum():
            words[index - 1] += "."
    return " ".join(words) or transcript.text


def _stops(blueprint: Blueprint, transcript: Transcript) -> list[int]:
    """Return before which words the speaker stops; a pause is where its middle is."""
    if not isinstance(blueprint.signal, Signal):
        return []
    middles = [
        (word.start_s + word.end_s) / 2
        for word in transcript.words
        if word.start_s is not None and word.end_s is not None
    ]
    if len(middles) < len(transcript.words):
        return []
    results = {
        bisect_left(middles, (pause.start_s + pause.end_s) / 2)
        for pause in blueprint.signal.pauses
        if pause.seconds >= STOP_S
    }
    return sorted(results - {0, len(middles)})
