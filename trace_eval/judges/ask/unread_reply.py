"""Why a reply is not read: it has no usable answer, or it is too long."""

from __future__ import annotations

from trace_eval.data.outcome import Reason

#: Longest reply that is read, characters, thinking included: four times the longest
#: that models write today. A verdict has a few hundred.
MAX_REPLY_CHARS = 300_000


class ReplyError(ValueError):
    """A reply without a usable answer, and why."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def too_long(text: str) -> str | None:
    """Say why a reply is not read, if it passes the bound."""
    if len(text) <= MAX_REPLY_CHARS:
        return None
    return f"the reply has {len(text)} characters; at most {MAX_REPLY_CHARS} are read"
