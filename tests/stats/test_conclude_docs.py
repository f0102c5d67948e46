"""The page on few labels shows what its commands print: all are typed on the shared labels."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.cli import ROOT
from trace_eval.commands.cli import app

pytest.importorskip("sklearn")

PAGE = ROOT / "docs" / "explanation" / "few-labels.md"


def _blocks() -> list[tuple[str, str]]:
    """(language, text) of every block, in their order."""
    return re.findall(r"```(\w*)\n(.*?)```", PAGE.read_text("utf-8"), re.S)


def _examples(text: str) -> list[tuple[str, list[str]]]:
    """(command, the lines that it prints) of a block."""
    parts = re.split(r"^\$ ", text, flags=re.M)[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2].splitlines()) for part in parts]


def _words(text: str) -> str:
    """Text whatever its spaces, lines and rules."""
    return " ".join(re.sub(r"[─\ufffd]", " ", text).split())


def _typed(command: str) -> str:
    """Return what a command prints, after its exit code was checked."""
    program, *arguments = shlex.split(command)
    if program == "head":
        return subprocess.run([program, *arguments], capture_output=True, text=True).stdout
    assert program == "trace-eval"
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == (1 if "--fail-under" in command else 0), result.output
    return result.output


@pytest.mark.slow
def test_every_example_prints_what_the_page_shows(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(data / "orca" / "ratings.jsonl", tmp_path / "ratings.jsonl")
    shutil.copy(data / "hcot" / "speakbench.json", tmp_path / "hcot.json")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "240")
    typed = 0
    for language, text in _blocks():
        if language == "python":
            (tmp_path / "example.py").write_text(text)
            runpy.run_path("example.py")
        for command, lines in _examples(text):
            printed = _words(_typed(command))
            for part in re.split(r"^ *\.\.\. *$", "\n".join(lines), flags=re.M):
                for line in part.splitlines():
                    assert _words(line) in printed, f"{command}\n{line}\n{printed}"
            typed += 1
    assert typed >= 8
