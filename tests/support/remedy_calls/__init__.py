"""Remedies that are followed by calls, because they need a server or Python.

Each function makes what fails in the working folder, follows what the message says,
asserts what came of it, and returns the message.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.support.remedy_calls import (
    commands,
    heard,
    installs,
    judging,
    judging_made,
    judging_replies,
    judging_shown,
    judging_sound,
    merging,
    review,
    runs,
    scores,
)

#: The calls, in the order of the product's rooms.
CALLS: tuple[Callable[[], str], ...] = (
    *installs.CALLS,
    *commands.CALLS,
    *heard.CALLS,
    *judging.CALLS,
    *judging_replies.CALLS,
    *judging_sound.CALLS,
    *judging_made.CALLS,
    *judging_shown.CALLS,
    *runs.CALLS,
    *merging.CALLS,
    *review.CALLS,
    *scores.CALLS,
)
