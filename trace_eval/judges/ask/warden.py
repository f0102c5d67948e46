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

#: Begins the line that tells the server's process group, among what the server prints.
GROUP = "\0group "


def signal_group(group: int, number: int) -> None:
    """Send a signal to all processes of a group, if any is left."""
    # macOS refuses it where only ended processes are left that no one has waited for.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def end(server: subprocess.Popen[bytes]) -> None:
    """End the server and all that it started."""
    signal_group(server.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        server.wait(PATIENCE_S)
    signal_group(server.pid, signal.SIGKILL)


def main(command: list[str]) -> int:
    """Run a command until it or the parent ends; returns 128 + a signal."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the pipe decides
    server = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        process_group=0,
        restore_signals=True,
        preexec_fn=_begin,
    )

    def watch() -> None:
        with suppress(OSError):
            while os.read(0, 1024):
                pass
        end(server)

    try:
        threading.Thread(target=watch, daemon=True).start()
        code = server.wait()
    finally:  # workers outlive a server that crashed
        signal_group(server.pid, signal.SIGKILL)
    return code if code >= 0 else 128 - code


def _begin() -> None:
    """Tell the group from within the server's process, before it is the server.

    So the parent hears of each server, even if this program is killed meanwhile. Where
    no one listens any more, the write ends the process.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    os.write(1, f"\n{GROUP}{os.getpid()}\n".encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
