"""What Linux and macOS do differently, in one place, and the locks that both have.

Windows has none of it: there the program runs inside WSL, which is Linux. The package
filelock was left out: it has no lock for readers, none on a folder, and makes its file,
which a reader of somebody else's run may not.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    raise ImportError(
        "trace-eval needs POSIX locks and signals; on Windows run it inside WSL"
    )

import fcntl


def lock(
    handle: IO[str] | IO[bytes] | int, *, shared: bool = False, wait: bool = True
) -> None:
    """Lock an open file or folder between processes, until closed or its holder dies.

    Any number of shared locks go together, but none with another kind.

    Raises:
        BlockingIOError: another process has it, and ``wait`` is False.
        OSError: the file system has no locks.
    """
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(handle, kind if wait else kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL):
            text = "its file system has no locks; name a folder on another one"
            raise OSError(error.errno, text) from None
        raise


def open_files() -> int:
    """Return how many files and connections this process may have open at once."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def cores() -> int:
    """Return how many cores this process may use; all where unknown (macOS)."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def process_space() -> str | None:
    """Return what tells containers' process numbers apart; None without ``/proc``."""
    with suppress(OSError):
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - no file
    return None


def is_special(path: Path) -> bool:
    """Tell whether a path is a stream or device, which is never replaced."""
    return str(path).startswith(("/dev/", "/proc/"))


def give_back_memory() -> None:
    """Hand freed memory back to the system at once, where the C library can (glibc)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
