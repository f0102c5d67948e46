"""How commands end: clear lines and codes, whatever they were given."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.audio import tone, write
from tests.support.cli import ROOT, trace_eval
from tests.support.forked import environment
from tests.support.speed import PATIENCE_S
from trace_eval.commands.console import SafeConsole, visible

COMMAND = (sys.executable, "-m", "trace_eval")


ESCAPE = "\x1b[31mred\x1b]0;title\x07\u202e"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a finished run over recordings of silence and tones."""
    folder = tmp_path_factory.mktemp("run")
    clip = write(folder / "a.wav", tone(0.2))
    rows = [
        {"id": name, "a": {"audio": str(clip), "system": "=1+1"}, "b": str(clip)}
        for name in ("x", "=cmd()", ESCAPE)
    ]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = trace_eval(
        "judge", folder / "pairs.jsonl", "--out", folder / "out", "--workers", 0
    )
    assert done.code in (0, 1), done.err
    assert "\x1b" not in done.out + done.err
    assert "\\x1b[31mred" in done.out
    return folder / "out"


@pytest.mark.parametrize(
    ("name", "damaged", "command"),
    [
        ("manifest.json", lambda _: b"[]", "report"),
        ("manifest.json", lambda data: data[:50], "fuse"),
        ("judgements.jsonl", lambda data: b"\xff\xfe\x00\n" + data, "fuse"),
        ("pairs.jsonl", lambda _: b"5\n", "agree"),
        ("blueprints.jsonl", lambda _: b'{"signal": null}\n', "report"),
    ],
)
def test_damaged_files_of_a_run_are_one_line_and_code_3(
    name: str,
    damaged: Callable[[bytes], bytes],
    command: str,
    run: Path,
    tmp_path: Path,
) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    (copy / name).write_bytes(damaged((copy / name).read_bytes()))
    done = trace_eval(command, copy)
    assert (done.code, done.out) == (3, ""), done.err
    (line,) = done.err.splitlines()
    assert line.startswith(f"error: {copy}")


def test_tracebacks_are_printed_on_demand_only(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[]")
    assert "Traceback" in trace_eval("--debug", "fuse", tmp_path).err


def test_what_cannot_be_written_is_one_line(run: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for arguments in (
        ("extract", tmp_path / "a.wav", "--out", tmp_path / "file" / "x"),
        (
            "judge",
            run / "pairs.jsonl",
            "--out",
            tmp_path / "file" / "x",
            "--workers",
            0,
        ),
        ("report", run, "--out", tmp_path / "file" / "x"),
        ("export", run, "--to", "csv", "--out", tmp_path / "file" / "x.csv"),
        (
            "judge",
            run / "pairs.jsonl",
            "--out",
            tmp_path / "out",
            "--cache",
            tmp_path / "file",
        ),
    ):
        write(tmp_path / "a.wav", tone(0.2))
        done = trace_eval(*arguments, ends=2)
        assert "Traceback" not in done.err
        assert str(tmp_path / "file") in done.err.splitlines()[-1], done.err


def _shell(line: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run a line in bash in which $EVAL stands for the command."""
    known = environment() | {"EVAL": shlex.join(COMMAND), **variables}
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, cwd=ROOT, env=known
    )


def test_a_reader_that_leaves_at_once_is_no_error(run: Path) -> None:
    for typed in (["schema"], ["fuse", str(run)]):
        reading, writing = os.pipe()
        os.close(reading)
        process = _begun(ROOT, *typed, stdout=writing)
        os.close(writing)
        _, errors = process.communicate()
        assert process.returncode == 141
        assert typed[0] == "fuse" or errors == ""


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_terminals_that_cannot_show_everything(encoding: str, run: Path) -> None:
    done = _shell(f"$EVAL fuse {run}", PYTHONIOENCODING=encoding)
    assert done.returncode == 0, done.stderr
    done.stdout.decode(encoding)


def test_closed_streams_are_no_error(run: Path) -> None:
    assert _shell(f"$EVAL fuse {run} >&- 2>&-").returncode == 0


def _begun(folder: Path, *typed: str, **how: Any) -> subprocess.Popen[str]:
    """Start a command in this folder."""
    where = {"cwd": folder, "env": environment()}
    return subprocess.Popen(
        [*COMMAND, *typed], **where, stderr=subprocess.PIPE, text=True, **how
    )


@pytest.fixture
def clips(tmp_path: Path) -> list[str]:
    """Eight recordings of 3 s."""
    return [
        str(write(tmp_path / f"{n}.wav", tone(3, peak=n / 20))) for n in range(1, 9)
    ]


def test_ctrl_c_while_python_runs_a_string_has_the_same_code(tmp_path: Path) -> None:
    """Ctrl-C may come in the ``exec`` that makes data classes while modules load."""
    lines = ["from trace_eval.commands import cli, start", "def app():"]
    lines += ['    exec("raise KeyboardInterrupt")', "cli.app = app", "start.main()"]
    (tmp_path / "interrupted.py").write_text("\n".join(lines))
    done = subprocess.run(
        [sys.executable, "-m", "interrupted"], cwd=tmp_path, env=environment()
    )
    assert done.returncode == 130


#: Presses Ctrl-C where a function is called, before its first line runs.
_PRESSED = """
import signal, sys
from trace_eval.commands import cli, start
name = sys.argv.pop()
def press(frame, event, _):
    if event == "call" and frame.f_code.co_name == name:
        sys.setprofile(None)
        signal.raise_signal(signal.SIGINT)
sys.setprofile(press)
start.main()
"""


@pytest.mark.parametrize(
    "function", ["prepare_streams", "check_written", "leave_quietly", "_run_and_leave"]
)
def test_ctrl_c_between_two_steps_of_the_command_line_is_a_line(function: str) -> None:
    typed = [sys.executable, "-c", _PRESSED, "schema", function]
    done = subprocess.run(typed, env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (130, "error: interrupted")


def test_ctrl_c_twice_is_quiet(clips: list[str], tmp_path: Path) -> None:
    for wait in (0.0, 1.5):
        out = tmp_path / f"out-{wait}"
        typed = ("extract", *clips, f"--out={out}", "--cache=cache", "--workers=2")
        process = _begun(tmp_path, *typed, start_new_session=True)
        while not out.exists() and process.poll() is None:  # it has begun
            time.sleep(0.02)
        time.sleep(wait)
        for _ in range(2):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.05)
        _, errors = process.communicate(timeout=PATIENCE_S)
        assert "Traceback" not in errors
        assert process.returncode in (0, 130), errors


@pytest.mark.parametrize("sigint", [signal.SIG_DFL, signal.SIG_IGN])
def test_sigterm_is_as_quiet_as_ctrl_c_and_the_run_goes_on(
    clips: list[str], tmp_path: Path, sigint: signal.Handlers
) -> None:
    """SIGINT is ignored in the background jobs of a script."""
    rows = [{"id": str(n), "a": clip, "b": clip} for n, clip in enumerate(clips)]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    typed = ["judge", "p.jsonl", "--out=run", "--cache=cache", "--workers=1"]
    ignored = {"preexec_fn": lambda: signal.signal(signal.SIGINT, sigint)}
    process = _begun(tmp_path, *typed, **ignored)
    while not (tmp_path / "run" / "pairs.jsonl").exists() and process.poll() is None:
        time.sleep(0.02)
    process.terminate()
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 143, errors
    assert errors.splitlines()[-1] == "terminated; the same command continues run"
    assert "Traceback" not in errors
    done = trace_eval(*typed, cwd=tmp_path)
    assert f"of {len(clips)} pairs scored" in done.err


def test_ctrl_c_after_the_work_changes_nothing(tmp_path: Path) -> None:
    clip = write(tmp_path / "a.wav", tone(0.5))
    typed = ("extract", str(clip), "--cache=cache", "--workers=2")
    for turn in range(5):
        process = _begun(tmp_path, *typed, f"--out=out-{turn}", start_new_session=True)
        told = next(line for line in process.stderr if "1 of 1 recording" in line)
        time.sleep(turn * 0.05)  # while it leaves
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        rest = process.stderr.read()
        assert (process.wait(60), rest.strip()) in (
            (0, ""),
            (130, "error: interrupted"),
        ), told


def test_formulas_are_text_in_tables_and_come_back(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "table.csv"
    assert trace_eval("export", run, "--to", "csv", "--out", out).code == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert {"'=cmd()", "x"} <= {next(iter(row.values())) for row in rows}
    assert "'=1+1" in out.read_text()
    assert trace_eval("--raw-csv", "export", run, "--to", "csv", "--out", out).code == 0
    assert ",=1+1" in out.read_text()
    assert "'=" not in out.read_text()


def test_nothing_acts_on_the_terminal() -> None:
    assert visible("a\x1b[2J\tb\n\x9b\u202e") == "a\\x1b[2J\tb\n\\x9b\\u202e"
    stream = io.StringIO()
    SafeConsole(file=stream).print("x\x1b[31m\x07")
    assert stream.getvalue() == "x\\x1b[31m\\x07\n"


def test_a_broken_last_line_is_left_out_and_told(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    with (copy / "judgements.jsonl").open("ab") as file:
        file.write(b'{"pair": "x", "st')
    done = trace_eval("fuse", copy, ends=0)
    assert f"{copy}/judgements.jsonl: its last line is broken and left out" in done.err
