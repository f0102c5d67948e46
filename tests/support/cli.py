"""The command line as a user runs it: another process, its output and exit code."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.forked import ROOT, Done, Server, environment

__all__ = [
    "ROOT",
    "Done",
    "code_and_words",
    "environment_of_all",
    "leaves",
    "output_of",
    "refused",
    "trace_eval",
]


@cache
def environment_of_all() -> dict[str, str]:
    """Return the environment before the first test, on which no test depends.

    A test that comes to be first may have set variables of its own: commands of all
    later ones would then find the server's environment unlike theirs, and start from
    nothing.
    """
    return environment()


@cache
def _server() -> Server:
    return Server(environment_of_all())


def trace_eval(
    *arguments: object, cwd: Path = ROOT, timeout: float = 600, ends: int | None = None
) -> Done:
    """Run ``trace-eval ARGUMENTS``, from the repository's root unless told.

    A fork of a process that has imported everything, or one that starts from nothing.

    Args:
        ends: the code that it must end with.
    """
    typed = [str(argument) for argument in arguments]
    done = _server().run(typed, cwd, timeout)
    if done is None:
        finished = subprocess.run(
            [sys.executable, "-m", "trace_eval", *typed],
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=cwd,
            env=environment(),
        )
        done = Done(finished.returncode, finished.stdout, finished.stderr)
    assert ends in (None, done.code), f"{typed}\n{done.out}\n{done.err}"
    return done


def refused(words: str, *arguments: object, cwd: Path = ROOT) -> None:
    """``trace-eval ARGUMENTS`` ends with 2 and says these words."""
    done = trace_eval(*arguments, cwd=cwd, ends=2)
    assert words in done.err, done.err


def leaves(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (what is typed, command) of every command below one."""
    below = getattr(command, "commands", None)
    if below is None:
        yield name, command
        return
    for key, inner in below.items():
        yield from leaves(inner, f"{name} {key}".strip())


def output_of(*arguments: object, code: int = 0) -> str:
    """Return all that ``trace-eval ARGUMENTS`` prints here, ending with ``code``."""
    done = _invoked(arguments, COLUMNS="300")
    assert done.exit_code == code, done.output
    return done.output


def code_and_words(*arguments: object) -> tuple[int, str]:
    """Return how ``trace-eval ARGUMENTS`` ends here, and its output, lines joined."""
    done = _invoked(arguments)
    return done.exit_code, " ".join(done.output.split())


def _invoked(arguments: Iterable[object], **variables: str) -> Any:
    from typer.testing import CliRunner

    from trace_eval.commands.cli import app

    return CliRunner().invoke(
        app, [str(argument) for argument in arguments], env=variables
    )
