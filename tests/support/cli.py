"""The command line as a user runs it: another process, its output and exit code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.forked import ROOT, Done, Server, environment

__all__ = ["ROOT", "Done", "code_and_words", "output_of", "trace_eval"]

_server = cache(Server)


def trace_eval(*arguments: object, cwd: Path = ROOT, timeout: float = 600) -> Done:
    """Run ``trace-eval ARGUMENTS``, from the repository's root unless told.

    A fork of a process that has imported everything, or one that starts from nothing.
    """
    typed = [str(argument) for argument in arguments]
    done = _server().run(typed, cwd, timeout)
    if done is not None:
        return done
    finished = subprocess.run(
        [sys.executable, "-m", "trace_eval", *typed],
        capture_output=True,
        text=True,
        timeout=timeout,
        cwd=cwd,
        env=environment(),
    )
    return Done(finished.returncode, finished.stdout, finished.stderr)


def output_of(*arguments: object, code: int = 0) -> str:
    """All that ``trace-eval ARGUMENTS`` prints, in this process; it ends with the code."""
    done = _invoked(arguments, COLUMNS="300")
    assert done.exit_code == code, done.output
    return done.output


def code_and_words(*arguments: object) -> tuple[int, str]:
    """How ``trace-eval ARGUMENTS`` ends in this process, and what it prints, lines joined."""
    done = _invoked(arguments)
    return done.exit_code, " ".join(done.output.split())


def _invoked(arguments: Iterable[object], **variables: str) -> Any:
    from typer.testing import CliRunner

    from trace_eval.commands.cli import app

    return CliRunner().invoke(app, [str(argument) for argument in arguments], env=variables)
