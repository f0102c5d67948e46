"""Commands forked from a process that has imported the command line.

Importing numpy, pydantic and our rooms takes longer than most of what tests ask
commands to do. Each process of the suite keeps one server; a command is a fork of it,
with its own arguments, folder, streams and exit code. The server itself starts no
thread and reads no file of a test.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

#: Packages that commands import on use; none starts a thread before it is used.
_BESIDE = (
    "jinja2", "openai", "scipy.optimize", "scipy.sparse", "scipy.special", "scipy.stats",
    "soundfile", "soxr",
    "parselmouth", "onnxruntime", "torch", "whisper", "transformers",
)  # fmt: skip

#: Variables that differ from test to test, and are read when a command uses them, not
#: on import.
_READ_ON_USE = (
    *("PYTEST_CURRENT_TEST", "TRACE_EVAL_", "OPENAI_", "OLLAMA_", "AWS_"),
    *("PATH", "STAND_IN", "HTTP_PROXY", "ALL_PROXY"),
)

#: Variables that scikit-learn and Ray set in the process that imports them.
_OF_LIBRARIES = ("KMP_", "RAY_CLIENT_MODE")


class Done(NamedTuple):
    """What a command came to."""

    code: int
    out: str
    err: str


class Server:
    """Runs one command at a time, each as its own process.

    Attributes:
        environment: what modules saw when they were imported.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.forked"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=self.environment,
        )
        atexit.register(self._process.kill)

    def run(self, arguments: list[str], cwd: Path, timeout: float) -> Done | None:
        """Run a command to its end.

        None while another one runs, or in an environment that modules may have to see
        when they are imported: such a command needs a process that starts from nothing.
        """
        if _for_imports(self.environment) != _for_imports(environment()):
            return None
        if not self._lock.acquire(blocking=False):
            return None
        try:
            with tempfile.TemporaryDirectory() as folder:
                return self._run(arguments, cwd, timeout, Path(folder))
        finally:
            self._lock.release()

    def _run(
        self, arguments: list[str], cwd: Path, timeout: float, folder: Path
    ) -> Done:
        streams = [str(folder / name) for name in ("out", "err")]
        order = {
            "arguments": arguments,
            "cwd": str(cwd),
            "streams": streams,
            "variables": environment(),
        }
        pipe, answers = self._process.stdin, self._process.stdout
        assert pipe
        assert answers
        print(json.dumps(order), file=pipe, flush=True)
        pid = int(answers.readline())
        late = threading.Event()

        def end() -> None:
            late.set()
            os.kill(pid, signal.SIGKILL)

        timer = threading.Timer(timeout, end)
        timer.start()
        code = int(answers.readline())
        timer.cancel()
        if late.is_set():
            raise subprocess.TimeoutExpired(arguments, timeout)
        return Done(code, *(Path(name).read_text("utf-8") for name in streams))


def environment() -> dict[str, str]:
    """Return this process's environment, from which our modules are imported."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def _for_imports(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that modules may read when they are imported."""
    unread = _READ_ON_USE + _OF_LIBRARIES
    return {k: value for k, value in variables.items() if not k.startswith(unread)}


def _modules() -> Iterator[str]:
    """All of ours: commands enter the others by doors that import on use."""
    for package in ("blueprints", "extractors", "fusion", "trace_eval"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.stem != "__main__":
                yield ".".join(
                    path.relative_to(ROOT).with_suffix("").parts
                ).removesuffix(".__init__")


def serve() -> None:
    """Fork for each line of standard input; answer with process and exit code."""
    for name in (*_modules(), *_BESIDE):
        with suppress(ImportError):  # of an optional extra
            import_module(name)

    def answer(number: int) -> None:
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()

    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            _command(**json.loads(line))
        answer(pid)
        answer(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


def _command(
    arguments: list[str], cwd: str, streams: list[str], variables: dict[str, str]
) -> None:
    """Become ``trace-eval ARGUMENTS``; never returns."""
    os.environ.clear()
    os.environ.update(variables)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in enumerate(streams, 1):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT, 0o600), number)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    os.chdir(cwd)
    sys.argv = ["trace-eval", *arguments]
    code = 1
    try:
        from trace_eval.commands.cli import main

        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
