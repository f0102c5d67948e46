"""Runs a server and ends it with its parent; imports nothing of this package.

Standard input is a pipe that the parent holds. It closes when the parent ends, whatever
ends it, and then every process of the server's group is ended. Where this process is
killed itself, the parent ends the group that it was told.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

#: Seconds for a server to end in good order before it is killed.
PATIENCE_S = 8.0

#: Raised where every process of a group has ended; macOS says so of those that nobody
#: has waited for.
GONE = (ProcessLookupError, PermissionError)

#: Begins the line that tells the server's process group, among what the server prints.
GROUP = "\0group "


def end(server: subprocess.Popen[bytes]) -> None:
    """End the server and all that it started."""
    with suppress(*GONE):
        os.killpg(server.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        server.wait(PATIENCE_S)
    with suppress(*GONE):
        os.killpg(server.pid, signal.SIGKILL)


def main(command: list[str]) -> int:
    """Run a command until it or the parent ends; returns 128 + a signal."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the pipe decides
    server = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        process_group=0,
        restore_signals=True,
        preexec_fn=_default_signals,
    )

    def watch() -> None:
        while os.read(0, 1024):
            pass
        end(server)

    threading.Thread(target=watch, daemon=True).start()
    try:
        _tell(server.pid)
        code = server.wait()
    finally:  # workers that outlive a server that crashed
        with suppress(*GONE):
            os.killpg(server.pid, signal.SIGKILL)
    return code if code >= 0 else 128 - code


def _tell(group: int) -> None:
    """Tell the parent the server's process group, if it still listens."""
    try:
        sys.stdout.write(f"\n{GROUP}{group}\n")
        sys.stdout.flush()
    except OSError:  # what is left of the line must not fail at the end, either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _default_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
