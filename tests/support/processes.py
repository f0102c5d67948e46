"""Python in other processes, and what is waited for in them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.forked import ROOT, environment
from tests.support.speed import PATIENCE_S


def run_python(
    *arguments: object, cwd: Path = ROOT, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a Python with these arguments to its end, whichever way."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment() | variables,
    )


def python(code: str, *arguments: object, **variables: str) -> str:
    """Return what Python prints when it runs this code at the root, and ends well."""
    done = run_python("-c", code, *arguments, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait_for(
    condition: Callable[[], bool], what: str, seconds: float = PATIENCE_S
) -> None:
    """Until the condition holds; a busy machine is slow, not wrong."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.02)
