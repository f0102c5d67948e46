"""Runs a server and ends it with its parent; imports nothing of this package.

Standard input is a pipe that the parent holds. It closes when the parent ends, whatever
ends it, and then every process of the server's group is ended. Where this process is
killed itself, the parent ends the group that it was told. Where both are killed at
once, a shell does, which waits for the end of this process alone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from functools import partial

#: Seconds for a server to end in good order before it is killed.
PATIENCE_S = 8.0

#: Begins the line that tells the server's process group, among what the server prints.
GROUP = "\0group "

#: Reads the group, then a word where all has ended well. Without that word the pipe was
#: closed by a kill. Its command line names neither this package nor Python, so that it
#: is not killed with them by name.
AFTER_A_KILL = 'read group || exit; read word && exit; kill -s KILL -- "-$group"'


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
    watcher = _second_watcher()
    server = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        process_group=0,
        restore_signals=True,
        preexec_fn=partial(_begin, watcher),
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
        if watcher is not None:
            with suppress(subprocess.TimeoutExpired):
                watcher.communicate(b"ended\n", timeout=1)
    return code if code >= 0 else 128 - code


def _second_watcher() -> subprocess.Popen[bytes] | None:
    """Start the shell that ends the group where this process cannot; None: no shell."""
    with suppress(OSError):
        return subprocess.Popen(
            ["/bin/sh", "-c", AFTER_A_KILL],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    return None


def _begin(watcher: subprocess.Popen[bytes] | None) -> None:
    """Tell the group from within the server's process, before it is the server.

    So the watcher and the parent hear of each server, even if this program is killed
    meanwhile. Where no parent listens any more, the write ends the process.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if watcher is not None and watcher.stdin is not None:
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # no server needs the watcher
        with suppress(BrokenPipeError):
            os.write(watcher.stdin.fileno(), f"{os.getpid()}\n".encode())
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.write(1, f"\n{GROUP}{os.getpid()}\n".encode())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
