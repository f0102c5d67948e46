"""Loopback servers for the judge tests: llama.cpp, an Ollama front of it, faults."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any


@dataclass
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Answer:
    """What a server does with a request.

    ``cut`` resets the connection after that many bytes of the body, ``reset`` before
    any byte of the response; ``sleep`` waits first.
    """

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    reset: bool = False
    sleep: float = 0.0

    @property
    def data(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body).encode()


class Server:
    """An HTTP server whose answers come from a function; keeps what it was asked."""

    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Silent."""

            def do_GET(self) -> None:
                if self.path.endswith(("/v1/models", "/props")):
                    self.send_error(404)  # what it is asked about itself is not counted
                else:
                    self.do_POST()

            def do_POST(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                text = self.rfile.read(size)
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(
                    self.command, self.path, headers, json.loads(text) if text else None
                )
                with server._lock:
                    server.asked.append(asked)
                    server._now += 1
                    server.most_at_once = max(server.most_at_once, server._now)
                try:
                    self._reply(answer(asked))
                finally:
                    with server._lock:
                        server._now -= 1

            def _reply(self, made: Answer) -> None:
                time.sleep(made.sleep)
                if made.reset:
                    self._reset()
                    return
                self.send_response(made.status)
                for name, value in {
                    "content-type": "application/json",
                    **made.headers,
                }.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(made.data)))
                self.end_headers()
                if made.cut is None:
                    self.wfile.write(made.data)
                    return
                self.wfile.write(made.data[: made.cut])
                self.wfile.flush()
                self._reset()

            def _reset(self) -> None:
                # Closing with data unsent and no linger is a reset, not an orderly end.
                no_linger = struct.pack("ii", 1, 0)
                self.connection.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, no_linger
                )
                self.connection.close()
                self.close_connection = True

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._http.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.02,), daemon=True
        )

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()


def need(*packages: str) -> None:
    """Skip the test where one is missing."""
    import pytest

    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        pytest.skip(f"real models need {' '.join(missing)}; run: make test")


def unused_url() -> str:
    """Return an address on loopback at which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}"


def in_turn(answers: list[Answer]) -> Callable[[Asked], Answer]:
    """Answer in turn; the last answer for ever."""
    left = list(answers)
    lock = threading.Lock()

    def answer(_: Asked) -> Answer:
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return answer


def completion(
    text: str | None, finish: str = "stop", **message: Any
) -> dict[str, Any]:
    """Return a chat completion as OpenAI documents it."""
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {
            "prompt_tokens": 2000,
            "completion_tokens": 100,
            "total_tokens": 2100,
        },
    }


def chat(text: str, **fields: Any) -> dict[str, Any]:
    """Return a reply of ``/api/chat`` as Ollama documents it."""
    return {
        "model": "m",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "total_duration": 1,
        "prompt_eval_count": 2000,
        "eval_count": 100,
        **fields,
    }


@contextmanager
def llama_server(
    model: Path, slots: int = 2, context: int = 32768, ears: Path | None = None
) -> Iterator[str]:
    """Serve a real llama.cpp, with an audio projector if given; yield its address."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {"tiny"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx, params.n_parallel = context, slots
    params.n_batch = params.n_ubatch = 512
    # Two threads stall for seconds on so small a model.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_gpu_layers = 0
    if ears:
        params.mmproj.path, params.mmproj_use_gpu = str(ears), False
    params.offline, params.warmup, params.verbosity = True, False, 0
    server = xllamacpp.Server(params)
    try:
        yield str(server.listening_address)
    finally:
        del server


def ollama_front(upstream: str, model: str = "tiny", context: int = 16384) -> Server:
    """Serve Ollama's ``/api/chat``, ``/api/show`` and ``/api/tags`` over llama.cpp."""

    def answer(asked: Asked) -> Answer:
        if asked.path == "/api/tags":
            return Answer(
                body={"models": [{"model": model, "name": model, "digest": "d" * 64}]}
            )
        if asked.path == "/api/version":
            return Answer(body={"version": "0.0.0"})
        if asked.body.get("model") != model:
            told = {"error": f"model '{asked.body.get('model')}' not found"}
            return Answer(404, told)
        if asked.path == "/api/show":
            info = {"general.architecture": "llama", "llama.context_length": context}
            return Answer(body={"model_info": info, "details": {"family": "llama"}})
        return _chat(upstream, asked.body)

    return Server(answer)


def _chat(upstream: str, body: dict[str, Any]) -> Answer:
    options = body.get("options") or {}
    sent = {
        "messages": body["messages"],
        "seed": options.get("seed"),
        "temperature": options.get("temperature"),
        "max_tokens": options.get("num_predict"),
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "format", "schema": body["format"]},
        },
    }
    request = urllib.request.Request(
        f"{upstream}/v1/chat/completions",
        json.dumps(sent).encode(),
        {"content-type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            made = json.load(response)
    except urllib.error.HTTPError as error:
        return Answer(error.code, {"error": json.load(error)["error"]["message"]})
    choice = made["choices"][0]
    return Answer(
        body=chat(
            choice["message"]["content"],
            model=body["model"],
            done_reason=choice["finish_reason"],
            prompt_eval_count=made["usage"]["prompt_tokens"],
            eval_count=made["usage"]["completion_tokens"],
        )
    )
