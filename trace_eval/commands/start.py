"""The start of ``trace-eval``, before anything is imported that takes long."""

from __future__ import annotations

import signal
import sys

from trace_eval.commands.stopping import (
    end_on_sigterm,
    leave_quietly,
    stopped,
    was_stopped,
)


def main() -> None:
    """Run the command line; what stops it while it is imported is a line, too."""
    end_on_sigterm()
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
