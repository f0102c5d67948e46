"""Turns from sound: voice activity per channel, crosstalk out, edges by energy, joined."""

from trace_eval.conversations.sound.conversation import EDGE_ERROR_MS, heard_conversation
from trace_eval.conversations.sound.kept import kept_conversation
from trace_eval.conversations.sound.lanes import Lane, hear
from trace_eval.conversations.sound.segments import Segmented, segmented

__all__ = [
    "EDGE_ERROR_MS",
    "Lane",
    "Segmented",
    "hear",
    "heard_conversation",
    "kept_conversation",
    "segmented",
]
