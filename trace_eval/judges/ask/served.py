"""Models that bring their server: ``gguf:FILE``, ``vllm:MODEL``, ``sglang:MODEL``.

The server is started for the judge, answers it alone on loopback, and ends with it.
What is sent and read is :class:`~trace_eval.judges.ask.openai.OpenAIClient`'s.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from blueprints import JudgeError
from extractors import expanded, sha256_of
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.ask.connection import Redactor
from trace_eval.judges.ask.engines import ENGINES, Start, arguments, weights_of
from trace_eval.judges.ask.model_server import ModelServer
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.ask.openai_place import ServerPlace
from trace_eval.judges.base import JudgeUnreachable
from trace_eval.judges.options.groups import OpenAIOptions, ServerOptions, names_of
from trace_eval.judges.options.judge_options import JudgeOptions

#: Calls in flight of llama.cpp, which works on a few at a time, and of engines that
#: batch.
SLOTS, BATCHED = 2, 64

#: Seconds between a lost connection and the end of a server that died.
_DYING_S = 2.0

#: A commit of a model hub, as it names the folders of its cache.
_COMMIT = re.compile(r"[0-9a-f]{40}")


#: Servers that later judges of this process take over, by their kind and all that
#: starts them; None: each judge ends its own.
_kept: dict[tuple[str, Start], ModelServer] | None = None


def keep_servers() -> None:
    """Keep servers until this process ends, as loading a model takes minutes."""
    global _kept
    _kept = {} if _kept is None else _kept


class ServedClient(OpenAIClient):
    """One model on a server of its own.

    Raises:
        JudgeError: the model's file is missing, the engine is not installed, or its
            further arguments contradict a server of our own.
    """

    ignores = frozenset({"base_url", "key_env"})
    brings_server = True

    def __init__(self, kind: str, model: str, options: JudgeOptions) -> None:
        self._kind, self._spec = kind, f"{kind}:{model}"
        engine = self._engine = ENGINES[kind]
        path, _, revision = model.partition("@")
        local = expanded(model)
        if kind == "gguf" and not local.is_file():
            raise JudgeError(
                f"judge {self._spec}: there is no file {local}; name a .gguf file"
            )
        self._files = local if local.exists() else None
        self._model = str(local.resolve()) if self._files else path
        self._revision = None if self._files else revision or None
        self._options = options
        self._server: ModelServer | None = None
        self._version: str | None = None  # of the engine that ran
        self._identity: tuple[str, Start]
        self._further = (
            arguments(engine, options.server_args) if engine.arguments else ()
        )
        if not engine.is_there and not options.offline:
            raise JudgeError(
                f"judge {self._spec} needs {engine.title}, which is not installed; run:"
                f" {engine.install}"
            )
        name = local.name if self._files else model
        super().__init__(
            name, options, ServerPlace("", None, engine.title, proxied=False)
        )
        unused = frozenset() if engine.arguments else {"server_args"}
        self.uses = (names_of(OpenAIOptions) | names_of(ServerOptions)) - unused  # type: ignore[misc]
        self.usual_concurrency = SLOTS if kind == "gguf" else BATCHED  # type: ignore[misc]
        self._recorded: dict[str, JsonValue] | None = None

    def parameters(self) -> dict[str, JsonValue]:
        """Add what names the weights: a digest of the files, or the revision."""
        if self._recorded is None:
            weights: dict[str, JsonValue] = {"revision": self._revision}
            if self._files:
                files = (
                    weights_of(self._files) if self._files.is_dir() else [self._files]
                )
                weights = {"model_sha256": sha256_of(files)}
            self._recorded = {**self._options.deciding(self.uses), **weights}
        return self._recorded

    def observed(self) -> dict[str, JsonValue]:
        """Add the engine, its version, and the commit of a model from a hub."""
        engine: dict[str, JsonValue] = {"engine": self._engine.title}
        if self._version:
            engine["engine_version"] = self._version
        if not self._files and (commit := _commit_of(self._model, self._revision)):
            engine["model_commit"] = commit
        return {**super().observed(), **engine}

    @property
    def no_batches(self) -> str | None:
        return "the judge has a server of its own; judge without --batch-file"

    def load(self) -> None:
        """Start the server, and wait until it has loaded the model."""
        if self._server or self._options.offline:
            return

        def start(port: int, key: str) -> Start:
            return Start(
                model=self._model,
                revision=self._revision,
                name=self.model,
                port=port,
                key=key,
                slots=self._options.concurrency or self.usual_concurrency,
                context=self._options.num_ctx,
                further=self._further,
            )

        server = self._take(start)
        self._server, self._version = server, server.version
        self.place = replace(self.place, url=f"{server.url}/v1", key=server.key)
        self.redact = self.replies.redact = Redactor(server.key)

    def _take(self, start: Callable[[int, str], Start]) -> ModelServer:
        """Take over a server that was kept and still runs, or start one."""
        self._identity = (self._kind, start(0, ""))
        kept = None if _kept is None else _kept.pop(self._identity, None)
        if kept is not None and kept.ended() is None:
            return kept
        return ModelServer(self._spec, self._engine, start, self._options.start_s)

    def _failure(self, error: Exception) -> Exception:
        """Tell a failed call from a server that has ended, which no call survives."""
        failure = super()._failure(error)
        if (
            self._server is None
            or not isinstance(failure, CallFailed)
            or not failure.retry
        ):
            return failure
        waits = _DYING_S if failure.billed or failure.unreachable else 0.0
        why = None if failure.timed_out else self._server.ended(waits)
        if why is None:
            return failure
        return JudgeUnreachable(
            f"judge {self._spec}: its server ended: {why}; finished items are kept, and"
            " the same command goes on"
        )

    async def close(self) -> None:
        """Close the connections, and end the server, or keep it for the next judge."""
        await super().close()
        server, self._server = self._server, None
        if server is None:
            return
        if _kept is None or server.ended() is not None:
            server.stop()
        else:
            _kept[self._identity] = server


def _commit_of(model: str, revision: str | None) -> str | None:
    """Return the commit of a hub's model in this machine's cache, or None."""
    from huggingface_hub.constants import HF_HUB_CACHE

    if revision and _COMMIT.fullmatch(revision):
        return revision
    folder = Path(HF_HUB_CACHE) / f"models--{model.replace('/', '--')}"
    path = folder / "refs" / (revision or "main")
    try:
        commit = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return commit if _COMMIT.fullmatch(commit) else None
