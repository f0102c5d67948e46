"""Completion of commands and options, as a shell asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import ROOT

#: What the shell does when somebody presses Tab after these words.
_PRESSED = """
. ~/.bashrc
pressed() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    local function=$(complete -p trace-eval | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
    $function trace-eval
    echo "${COMPREPLY[@]}"
}
pressed trace-eval ra
pressed trace-eval rank --fail
pressed trace-eval models ''
"""


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a user with the command on the path and an own home."""
    script = tmp_path / "bin" / "trace-eval"
    script.parent.mkdir()
    script.write_text(
        f"#!{sys.executable}\nfrom trace_eval.commands.cli import main\nraise"
        " SystemExit(main())\n"
    )
    script.chmod(0o755)
    path = f"{script.parent}:{os.environ['PATH']}"
    return {**os.environ, "HOME": str(tmp_path), "PATH": path, "PYTHONPATH": str(ROOT)}


def test_bash_completes_what_was_installed(home: dict[str, str]) -> None:
    # The shell is the one that the command is typed in.
    asked = ["bash", "-c", "trace-eval --install-completion; true"]
    done = subprocess.run(asked, env=home, capture_output=True, text=True)
    assert "bash completion installed" in done.stdout, done.stderr
    done = subprocess.run(
        ["bash", "-c", _PRESSED], env=home, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [
        "rate rank",
        "--fail-under",
        "list fetch verify",
    ]


def test_zsh_gets_its_own_script_and_answers(home: dict[str, str]) -> None:
    def said(**asked: str) -> str:
        done = subprocess.run(
            ["trace-eval"], env=home | asked, capture_output=True, text=True
        )
        return done.stdout

    script = said(_TRACE_EVAL_COMPLETE="source_zsh")
    assert script.lstrip().startswith("#compdef trace-eval")
    assert "complete_zsh" in script
    answer = said(
        _TRACE_EVAL_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS="trace-eval ra"
    )
    assert answer.startswith("_arguments")
    assert '"rate":"Score single answers' in answer
    assert '"rank":"Rank systems' in answer
