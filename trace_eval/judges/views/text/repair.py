"""The second chance after an unusable reply, the same for every prompt."""

from __future__ import annotations

from trace_eval.judges.ask.bounds import shortened
from trace_eval.judges.ask.message import Message
from trace_eval.judges.views.text.fencing import neutralise

#: What stands for a reply without text: many chat templates insist on alternating roles.
NO_REPLY = "(no reply)"


def shown_again(reply: str | None) -> str:
    """An unusable reply as the model that wrote it is shown it: shortened, and made harmless.

    It may quote what it was shown. It is fenced off by its role, so it is neutralised like any
    other text from outside.
    """
    return neutralise(shortened(reply or "")) or NO_REPLY


def second_chance(
    messages: tuple[Message, ...], reply: str | None, again: str
) -> tuple[Message, ...]:
    """The conversation that asks once more; its recordings stay, and are paid again.

    Args:
        messages: what was asked.
        reply: what came; None or empty: nothing.
        again: what is wrong with it and what is wanted.
    """
    return (*messages, Message("assistant", shown_again(reply)), Message("user", again))
