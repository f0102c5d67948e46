"""Calls in which the agent keeps one voice, or does not: a table and records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from blueprints import counted
from trace_eval.conversations.sound.one_voice import LEAST_TURN_S, ONE, CallVoice
from trace_eval.show.records import plain
from trace_eval.show.table import Table, grid


def voice_table(voices: Sequence[CallVoice]) -> Table:
    """Show each call, what is known of its agent's voice, and its least alike turn."""
    rows = []
    for one in voices:
        least = one.least
        turn = "" if least is None else f"{least.to_first:.2f} (turn {least.turn})"
        place = "" if one.at_s is None else f"{one.at_s:.2f}"
        mean = "" if one.likeness is None else f"{one.likeness:.2f}"
        rows.append(
            (one.conversation, one.verdict, place, len(one.turns), mean, turn, one.why)
        )
    calls_with_one_voice = sum(one.verdict == ONE for one in voices)
    return grid(
        (
            f"The agent's voice over each call: one voice in {calls_with_one_voice} of"
            f" {counted(len(voices), 'call')}"
        ),
        (
            "conversation",
            "voice",
            "at",
            "turns",
            "likeness to the first",
            "least",
            "why",
        ),
        rows,
        f"turns of {LEAST_TURN_S:g} s and more; likeness is no identity",
    )


def records(voices: Sequence[CallVoice]) -> Iterator[dict[str, Any]]:
    """Yield each call as JSON values."""
    for one in voices:
        yield plain(one) | {"sentence": one.sentence}
