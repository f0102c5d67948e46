"""How much memory a process has taken, for the scripts of tests."""

from __future__ import annotations

import re
from pathlib import Path


def peak_kb() -> int:
    """Return the most memory that this process has held, kB, on Linux.

    ``getrusage`` begins at what its parent held, so that nothing seems to be taken.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    match = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
    assert match is not None
    return int(match[1])
