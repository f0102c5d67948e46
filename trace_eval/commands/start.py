"""The start of ``trace-eval``, before anything is imported that takes long."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

from trace_eval.commands.stopping import (
    end_on_sigterm,
    leave_quietly,
    stopped,
    was_stopped,
)

#: New objects after which Python looks for circles of them that nobody holds: by default
#: 700, which costs a command a tenth of its time, because imports make hundreds of
#: thousands of objects and no such circles. Calls that fail make some, which hold the sound
#: that was sent: a larger number keeps too much of it.
_OBJECTS = 10_000


def main() -> None:
    """Run the command line; what stops it at any moment is a line and an exit code."""
    try:
        _run_and_leave()
    except KeyboardInterrupt:
        # It came outside of what answers for a command: just before or after it.
        leave_quietly()
        _leave_stopped()


def _run_and_leave() -> None:
    end_on_sigterm()
    gc.set_threshold(_OBJECTS)
    try:
        _run()
    finally:
        leave_quietly()


def _run() -> None:
    try:
        from trace_eval.commands.cli import main as run
    except BaseException as error:
        if not was_stopped(error):
            raise
        leave_quietly()
        _leave_stopped()
    run()


def _leave_stopped() -> NoReturn:
    how, code = stopped()
    if sys.stderr:
        sys.stderr.write(f"error: {how}\n")
    sys.exit(code)
