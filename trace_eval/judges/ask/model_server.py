"""A running server of one model: started, asked until it is ready, and ended."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from blueprints import JudgeError
from trace_eval.data import strict_json
from trace_eval.judges.ask.engine_faults import last_line, port_taken, why_ended
from trace_eval.judges.ask.engines import LOOPBACK, ServedEngine, Start
from trace_eval.judges.ask.warden import GROUP, PATIENCE_S, signal_group

#: A free port may be taken before the engine binds it; so often another one is tried.
PORTS = 3

#: Last lines of an engine's output that are searched for the reason of its end.
_LINES = 200

#: Interval of the questions whether a server is ready, seconds, and the time of one.
_ASK_S, _ANSWER_S = 0.2, 5.0

#: Turns off what engines report to their makers, unless the user has set it otherwise.
_NO_REPORTS = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "VLLM_NO_USAGE_STATS": "1",
}


@dataclass
class _Group:
    """The process group of one server, as its warden's output tells it."""

    number: int | None = None
    is_settled: threading.Event = field(default_factory=threading.Event)

    def settle(self, number: int | None) -> None:
        """Keep the first number told; None: the output ended without one."""
        if not self.is_settled.is_set():
            self.number = number
            self.is_settled.set()


class ModelServer:
    """A model's server, which lives as long as this process and no longer.

    Args:
        spec: of the judge, for messages.
        start_s: seconds until it must be ready.

    Raises:
        JudgeError: the engine is missing, does not load the model, or is not ready in
            time.
    """

    def __init__(
        self,
        spec: str,
        engine: ServedEngine,
        make: Callable[[int, str], Start],
        start_s: float,
    ) -> None:
        self._spec, self._engine = spec, engine
        self.key = secrets.token_urlsafe(24)
        self._lines: deque[str] = deque(maxlen=_LINES)
        for _ in range(PORTS):
            self.start = make(_free_port(), self.key)
            with self._settings() as key_file:
                self.start = replace(self.start, key_file=key_file)
                self._launch()
                try:
                    if self._wait(start_s):
                        break
                except BaseException:
                    self.stop()
                    raise
        else:
            raise JudgeError(
                f"judge {spec}: {PORTS} ports were taken before {engine.title} could"
                " listen; repeat the command"
            )
        self.version = self._version()

    @property
    def url(self) -> str:
        """The address, without the routes."""
        return f"http://{LOOPBACK}:{self.start.port}"

    @contextmanager
    def _settings(self) -> Iterator[str]:
        """Lend a file with the key, for this user alone, until the engine read it."""
        if self._engine.key_variable:
            yield ""
            return
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump({"api-key": self.key}, file)  # which is YAML, too
            file.flush()
            yield file.name

    def _launch(self) -> None:
        engine, environment = self._engine, _NO_REPORTS | dict(os.environ)
        if engine.key_variable:
            environment[engine.key_variable] = self.key
        warden = str(Path(__file__).with_name("warden.py"))
        self._lines.clear()
        group = _Group()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", warden, *engine.command(self.start)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,  # Ctrl-C is ours to handle
            )
        except OSError as error:
            raise JudgeError(
                f"judge {self._spec}: {engine.title} cannot be started ({error});"
                f" install it again: {engine.install}"
            ) from error
        self._reader = threading.Thread(
            target=self._read, args=(self._process, group), daemon=True
        )
        self._reader.start()
        self._watcher = threading.Thread(
            target=self._watch, args=(self._process, group), daemon=True
        )
        self._watcher.start()

    def _watch(self, process: subprocess.Popen[bytes], group: _Group) -> None:
        """End what is left of the server's group when the warden has ended."""
        process.wait()
        group.is_settled.wait(1)  # its line may be in the pipe still
        if group.number is not None:
            signal_group(group.number, signal.SIGKILL)

    def _read(self, process: subprocess.Popen[bytes], group: _Group) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if not group.is_settled.is_set() and line.startswith(GROUP.encode()):
                group.settle(int(line.removeprefix(GROUP.encode())))
                continue
            self._lines.append(line.decode("utf-8", "replace").strip()[:500])
        group.settle(None)

    def _wait(self, start_s: float) -> bool:
        """Wait until the model is served; False: the port was taken."""
        until = time.monotonic() + start_s
        while time.monotonic() < until:
            if self._process.poll() is not None:
                self._reader.join(timeout=2)
                if port_taken(list(self._lines)):
                    return False
                raise JudgeError(f"judge {self._spec}: {self._why_not()}")
            if self._serves():
                return True
            time.sleep(_ASK_S)
        raise JudgeError(
            f"judge {self._spec}: {self._engine.title} was not ready after {start_s:g}"
            f" s (last line: {last_line(list(self._lines))!r}); raise -J start_s, or fetch"
            " the model first"
        )

    def _serves(self) -> bool:
        listed = self._get("/v1/models")
        models = listed.get("data") if isinstance(listed, dict) else None
        entries = models if isinstance(models, list) else []
        return any(
            isinstance(e, dict) and e.get("id") == self.start.name for e in entries
        )

    def _get(self, path: str) -> Any:
        """Return what a route of the server answers; None: nothing that can be read."""
        headers = {"Authorization": f"Bearer {self.key}"}
        request = urllib.request.Request(self.url + path, headers=headers)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=_ANSWER_S) as response:
                return strict_json.loads(response.read(1 << 20))
        except (OSError, ValueError, http.client.HTTPException):
            return None

    def _version(self) -> str:
        for path in self._engine.version_paths:
            answer = self._get(path)
            if isinstance(answer, dict) and isinstance(answer.get("version"), str):
                return str(answer["version"])[:80]
        try:
            return version(self._engine.program)
        except PackageNotFoundError:
            return "unknown"

    def _why_not(self) -> str:
        """Say why the engine ended by itself, and the remedy."""
        code = self._process.returncode
        return why_ended(self._engine.title, self.start.model, code, list(self._lines))

    def ended(self, wait_s: float = 0.0) -> str | None:
        """Say why it has ended, and the remedy; None: it runs."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(wait_s)
            self._reader.join(timeout=2)
            return self._why_not()
        return None

    def stop(self) -> None:
        """End it, and wait until it has ended."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(PATIENCE_S + 4)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._watcher.join(timeout=2)
        self._reader.join(timeout=2)


def _free_port() -> int:
    with socket.socket() as held:
        held.bind((LOOPBACK, 0))
        port: int = held.getsockname()[1]
        return port
