"""The command line as a user runs it: another process, its output and exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


def trace_eval(*arguments: object, cwd: Path = ROOT, timeout: float = 600) -> Done:
    """Run ``trace-eval ARGUMENTS``, from the repository's root unless told."""
    command = [sys.executable, "-m", "trace_eval", *map(str, arguments)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return Done(done.returncode, done.stdout, done.stderr)
