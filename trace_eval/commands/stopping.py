"""Ctrl-C and SIGTERM, from the first moment of a command to the last.

Little is imported here: a command can be stopped while it still imports the rest.
"""

from __future__ import annotations

import signal
import threading
from collections import namedtuple

EXIT_INTERRUPTED = 130  # by Ctrl-C
EXIT_TERMINATED = 143  # by SIGTERM

_terminated = threading.Event()
_leaving = threading.Event()

#: Errors behind an error that are looked at.
_DEEPEST = 100


def stopped() -> tuple[str, int]:
    """Return the word for how a command was stopped, and its exit code."""
    if _terminated.is_set():
        return "terminated", EXIT_TERMINATED
    return "interrupted", EXIT_INTERRUPTED


def was_stopped(error: BaseException) -> bool:
    """Return whether an error came of Ctrl-C or SIGTERM.

    Code in C that is interrupted may end in an error of its own, as an import does,
    with the interruption behind it.
    """
    behind: BaseException | None = error
    for _ in range(_DEEPEST):
        if behind is None:
            break
        if isinstance(behind, KeyboardInterrupt):
            return True
        behind = behind.__cause__ or behind.__context__
    return _terminated.is_set()


def end_on_sigterm() -> None:
    """Let SIGTERM be Ctrl-C with another exit code; a second one ends at once."""
    # As of a script's background job.
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN

    def end(*_: object) -> None:
        if _terminated.is_set():
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTERM)
        _terminated.set()
        if ignored and not _leaving.is_set():
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGTERM, end)


def leave_quietly() -> None:
    """Let Ctrl-C and the first SIGTERM do nothing any more: all is done and printed.

    Neither may one that came while Python ran a string, as for each data class that it
    imports, end in another code: with ``-m`` it remembers that, and dies of SIGINT
    unless it runs another one, which a named tuple is made of.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _leaving.set()
    namedtuple("Nothing", ())
