"""Odd places to run in: each works, or ends in one line with what mends it."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from tests.support.cli import ROOT, trace_eval
from trace_eval.commands.cli import ended

_QUICK = (
    *("--limit", "1", "--workers", "0"),
    *(
        part
        for name in ("transcript", "quality", "pitch", "rate")
        for part in ("-x", f"{name}=none")
    ),
)


def _typed(
    *words: object, cwd: Path | None = None, user: int | None = None, **variables: str
) -> tuple[int, str]:
    """Type a command in a process of its own, with these environment variables only."""
    done = subprocess.run(
        [sys.executable, "-m", "trace_eval", *map(str, words)],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables},
        cwd=cwd,
        user=user,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def _judged(out: Path, **variables: str) -> tuple[int, str]:
    return _typed(
        "judge", ROOT / "examples" / "pairs.jsonl", "--out", out, *_QUICK, **variables
    )


def test_without_docstrings_the_variable_is_named(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    code, said = _judged(tmp_path / "run", PYTHONOPTIMIZE="2", TRACE_EVAL_CACHE=cache)
    assert (code, "set PYTHONOPTIMIZE=1, or unset it" in said) == (2, True), said
    code, said = _judged(tmp_path / "run", PYTHONOPTIMIZE="1", TRACE_EVAL_CACHE=cache)
    assert "this is a bug" not in said
    assert code in (0, 1), said


@pytest.mark.skipif(os.geteuid() != 0, reason="another user can be had by root alone")
def test_a_user_without_a_home_is_told_of_the_variable_that_helps(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o777)
    script = (
        "import os; from extractors import cache_folder; os.setuid(54321);"
        " print(cache_folder())"
    )
    nobody = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}

    def where(**variables: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=nobody | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    said = where()
    assert "this user has no home folder" in said
    assert "set TRACE_EVAL_CACHE=DIR" in said
    assert where(TRACE_EVAL_CACHE=str(tmp_path)).strip() == str(tmp_path)


def test_links_in_a_circle_are_named(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    for words in (
        (
            "judge",
            ROOT / "examples" / "pairs.jsonl",
            "--out",
            tmp_path / "one",
            *_QUICK,
        ),
        ("extract", ROOT / "examples" / "clips", "--out", tmp_path / "one"),
        ("report", tmp_path / "one"),
        ("turns", tmp_path / "one"),
    ):
        done = trace_eval(*words, ends=2)
        assert "this is a bug" not in done.err
        assert str(tmp_path / "one") in done.err


def test_a_working_folder_that_was_removed_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = (
        f"cd {gone} && rmdir {gone} && exec {sys.executable} -m trace_eval judge"
        " x.jsonl"
    )
    done = subprocess.run(
        ["sh", "-c", command],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert (done.returncode, "this is a bug" in said) == (2, False), said
    assert "is gone; change into another one" in said or "no such file" in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_standard_output_is_named_with_what_mends_it() -> None:
    command = f"exec {sys.executable} -m trace_eval rubrics list > /dev/full"
    done = subprocess.run(
        ["sh", "-c", command],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "standard output or a temporary file: No space left on device" in done.stderr
    assert "run the same command again" in done.stderr


def test_a_file_system_without_locks_is_named(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(
        "import fcntl\n"
        "def flock(*of):\n"
        "    raise OSError(37, 'No locks available')\n"
        "fcntl.flock = flock\n"
    )
    both = f"{tmp_path / 'site'}{os.pathsep}{ROOT}"
    code, said = _judged(tmp_path / "run", PYTHONPATH=both, HOME=str(tmp_path))
    assert code == 2
    assert "its file system has no locks; name a folder on another one" in said


#: In a name space of its own, so that nothing of the machine changes.
_READ_ONLY = "mount -t tmpfs -o ro none /dev/shm"
_UNSHARED = ("unshare", "-m", "--propagation", "private", "sh", "-c")


def _can_remount() -> bool:
    """Return whether /dev/shm can be made read-only for one command."""
    try:
        done = subprocess.run(
            [*_UNSHARED, _READ_ONLY], capture_output=True, check=False
        )
    except OSError:
        return False
    return done.returncode == 0


@pytest.mark.parametrize("workers", ["1", "0"])
def test_shared_memory_that_is_read_only_is_named_with_what_mends_it(
    tmp_path: Path, workers: str
) -> None:
    if not _can_remount():
        pytest.skip("mounts cannot be changed here")
    pairs, out = ROOT / "examples" / "pairs.jsonl", tmp_path / "run"
    judge = (sys.executable, "-m", "trace_eval", "judge", str(pairs), "--out", str(out))
    words = [*judge, *_QUICK, "--workers", workers]
    done = subprocess.run(
        [*_UNSHARED, f'{_READ_ONLY} && exec "$@"', "sh", *words],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "TRACE_EVAL_CACHE": str(tmp_path / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    assert ("use --workers 0" in said) == (workers == "1"), said
    assert (done.returncode == 2) == (workers == "1"), said
    assert "this is a bug" not in said


def test_too_little_memory_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as stopped, ended():
        bytearray(1 << 62)
    assert stopped.value.exit_code == 2
    assert capsys.readouterr().err == (
        "error: there is not enough memory; free some, or split the input, then run the"
        " same command again\n"
    )


@pytest.mark.parametrize(
    ("value", "code", "words"),
    [
        ("soon", 2, "SOURCE_DATE_EPOCH is 'soon', which a library cannot read"),
        ("9" * 20, 2, "unset it, or give it a value that the library knows"),
        ("0", 70, "this is a bug"),
    ],
)
def test_a_variable_that_a_library_cannot_read_is_named(
    value: str,
    code: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", value)
    library = tmp_path / "library.py"
    library.write_text(
        "import os, time\n"
        "moment = int(os.environ.get('SOURCE_DATE_EPOCH', 0))\n\n\n\n"
        "day = time.gmtime(moment)\n"
        "raise RuntimeError('not of the variable')\n"
    )
    with pytest.raises(typer.Exit) as stopped, ended():
        runpy.run_path(str(library))
    assert stopped.value.exit_code == code
    assert words in " ".join(capsys.readouterr().err.split())
    monkeypatch.setenv("LIBRARY_API_KEY", f"private {value}")
    library.write_text("import os\nos.environ['LIBRARY_API_KEY'] + 1\n")
    with pytest.raises(typer.Exit), ended():
        runpy.run_path(str(library))
    said = capsys.readouterr().err
    assert "LIBRARY_API_KEY is set to a secret" in " ".join(said.split())
    assert "private" not in said
