"""The longest pause of an answer: a laugh or music between two words is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from blueprints import Absent, Blueprint, Event, Extension, Span


def longest_pause(blueprint: Blueprint) -> float | None:
    """Return the longest pause in seconds, 0 without any; None if it was not measured.

    Where the group ``sounds`` was measured, its events end a pause and begin another
    one.
    """
    signal = blueprint.signal
    if isinstance(signal, Absent):
        return None
    sounds = _sounds(blueprint)
    return max((_longest_quiet(pause, sounds) for pause in signal.pauses), default=0.0)


def _sounds(blueprint: Blueprint) -> Sequence[Event]:
    """Return the sounds other than speech, by start; empty if they are not known."""
    group = blueprint.extensions.get("sounds")
    if not isinstance(group, Extension) or group.events is None:
        return ()
    return sorted(group.events, key=lambda event: event.start_s)


def _longest_quiet(pause: Span, sounds: Iterable[Event]) -> float:
    """Return the longest part of a pause without any sound, seconds."""
    quiet_from_s, longest_s = pause.start_s, 0.0
    for sound in sounds:
        longest_s = max(longest_s, min(sound.start_s, pause.end_s) - quiet_from_s)
        quiet_from_s = max(quiet_from_s, sound.end_s)
    return max(longest_s, pause.end_s - quiet_from_s)
