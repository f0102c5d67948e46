"""The start of ``trace-eval``, before anything is imported that takes long."""

from __future__ import annotations

import gc
import signal
import sys

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
    """Run the command line; what stops it while it is imported is a line, too."""
    end_on_sigterm()
    gc.set_threshold(_OBJECTS)
    try:
        try:
            from trace_eval.commands.cli import main as run
        except BaseException as error:
            if not was_stopped(error):
                raise
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            how, code = stopped()
            sys.stderr.write(f"error: {how}\n")
            sys.exit(code)
        run()
    finally:
        leave_quietly()
