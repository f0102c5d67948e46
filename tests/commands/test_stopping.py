"""Ctrl-C and SIGTERM while a command still imports: a plain line and its exit code."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from blueprints import UserError
from tests.support.cli import ROOT
from tests.support.speed import PATIENCE_S
from trace_eval.commands.cli import ended
from trace_eval.commands.stopping import was_stopped

#: Sends itself a signal where it imports a module, as somebody may at any moment.
_STOPPED_AT = """
import os, sys
module, number = sys.argv[1], int(sys.argv[2])
del sys.argv[:3]
sys.argv.insert(0, "trace-eval")

class AtImport:
    def find_spec(self, name, *_):
        if name == module:
            os.kill(os.getpid(), number)

sys.meta_path.insert(0, AtImport())
from trace_eval.commands.start import main
main()
"""

_MOMENTS = [
    ("typer", "review"),
    ("trace_eval.commands.review", "review"),
    ("numpy._core._multiarray_umath", "review"),
    ("trace_eval.runs.session", "judge"),
]


@pytest.mark.parametrize(("module", "command"), _MOMENTS)
@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_command_that_is_stopped_in_an_import_says_so(
    tmp_path: Path,
    module: str,
    command: str,
    number: signal.Signals,
    code: int,
    word: str,
) -> None:
    pairs = ROOT / "examples" / "pairs.jsonl"
    typed = [command, pairs, *(["--out", "run"] if command == "judge" else [])]
    done = subprocess.run(
        [sys.executable, "-c", _STOPPED_AT, module, str(int(number)), *map(str, typed)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stderr.strip()) == (code, f"error: {word}")


@pytest.mark.parametrize("kind", [SystemError, ImportError, UserError, RuntimeError])
def test_what_an_interruption_became_in_an_import_is_no_bug(
    kind: type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    """Modules in C end with an error of their own where they are interrupted."""
    before = signal.getsignal(signal.SIGINT)
    try:
        error = kind("returned a result with an exception set")
        error.__cause__ = KeyboardInterrupt()
        with pytest.raises(typer.Exit) as left, ended():
            raise error
    finally:
        signal.signal(signal.SIGINT, before)
    assert left.value.exit_code == 130
    assert capsys.readouterr().err == "error: interrupted\n"
    assert not was_stopped(kind("of its own"))
