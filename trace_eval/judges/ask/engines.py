"""Engines that serve a model to one judge, as child processes on loopback.

An engine is a line of :data:`ENGINES`: how its command is written, and where it tells
its version.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from blueprints import JudgeError, install_line, is_installed
from trace_eval.data.system import cores
from trace_eval.judges.ask.llama_server import KEY as LLAMA_KEY

LOOPBACK = "127.0.0.1"

#: Context of a call where the model's own would take all memory, tokens.
GGUF_CONTEXT = 8192


@dataclass(frozen=True)
class Start:
    """The values of an engine's command line."""

    model: str
    revision: str | None
    name: str  # under which it is served
    port: int
    key: str
    slots: int
    context: int | None
    further: tuple[str, ...] = ()
    key_file: str = ""  # of an engine that reads its key from there

    @property
    def named(self) -> list[str]:
        """The arguments that all engines write alike."""
        at = [
            "--host",
            LOOPBACK,
            "--port",
            str(self.port),
            "--served-model-name",
            self.name,
        ]
        return at + (["--revision", self.revision] if self.revision else [])


@dataclass(frozen=True)
class ServedEngine:
    """An engine.

    Attributes:
        title: its name in records and messages.
        program: executable, or package of this interpreter, that it needs.
        install: what to type where it is missing.
        command: writes its command line.
        key_variable: environment variable in which it reads the key; None: it reads a
            file of settings. An argument would be seen by every user of the machine.
        version_paths: routes that tell its version, in field ``version``; the first
            that answers.
        packaged: the program is a package of this interpreter.
        arguments: names of the further arguments that a user may add; empty: none.
    """

    title: str
    program: str
    install: str
    command: Callable[[Start], list[str]]
    key_variable: str | None = None
    version_paths: tuple[str, ...] = ()
    packaged: bool = False
    arguments: frozenset[str] = frozenset()

    @property
    def is_there(self) -> bool:
        """Whether it can be started."""
        return (
            is_installed(self.program)
            if self.packaged
            else _executable(self.program) != ""
        )


def _executable(name: str) -> str:
    """Find a program beside this interpreter, else on the path; empty if absent."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.is_file() else shutil.which(name) or ""


def _llama(start: Start) -> list[str]:
    script = str(Path(__file__).with_name("llama_server.py"))
    context = str(start.context or GGUF_CONTEXT)
    address = ["--port", str(start.port), "--alias", start.name]
    # One core is left to this program: threads that wait for a busy core stall all
    # others.
    threads = str(max(1, cores() - 1))
    sizes = ["--context", context, "--slots", str(start.slots), "--threads", threads]
    command = [sys.executable, script, "--model", start.model]
    return command + address + sizes


def _vllm(start: Start) -> list[str]:
    command = [_executable("vllm"), "serve", start.model]
    command += start.named
    command.append("--enable-prefix-caching")
    if start.context:
        command += ["--max-model-len", str(start.context)]
    command += start.further
    return command


def _sglang(start: Start) -> list[str]:
    command = [_executable("sglang"), "serve", "--model-path", start.model]
    command += start.named
    command += ["--config", start.key_file]
    if start.context:
        command += ["--context-length", str(start.context)]
    command += start.further
    return command


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Arguments that say how an engine uses the hardware, the precision of the weights, and
#: the parser of thoughts. None of them reads a file, runs code of a model, or opens an
#: address.
_VLLM_ARGUMENTS = _names(
    "--tensor-parallel-size -tp --pipeline-parallel-size -pp --data-parallel-size -dp"
    " --enable-expert-parallel --dtype --quantization -q --kv-cache-dtype --block-size"
    " --gpu-memory-utilization --cpu-offload-gb --swap-space --max-num-seqs"
    " --max-num-batched-tokens --enable-chunked-prefill --enforce-eager"
    " --disable-custom-all-reduce --seed --reasoning-parser"
)
_SGLANG_ARGUMENTS = _names(
    "--tensor-parallel-size --tp-size --tp --pipeline-parallel-size --pp-size"
    " --data-parallel-size --dp-size --expert-parallel-size --ep-size --dtype"
    " --quantization --kv-cache-dtype --page-size --mem-fraction-static"
    " --cpu-offload-gb --max-running-requests --max-total-tokens --max-prefill-tokens"
    " --chunked-prefill-size --attention-backend --disable-cuda-graph"
    " --disable-radix-cache --disable-custom-all-reduce --random-seed"
    " --reasoning-parser"
)

#: Kind of judge -> what serves its model.
ENGINES: dict[str, ServedEngine] = {
    "gguf": ServedEngine(
        title="llama.cpp",
        program="xllamacpp",
        install=install_line("gguf"),
        command=_llama,
        key_variable=LLAMA_KEY,
        packaged=True,
    ),
    "vllm": ServedEngine(
        title="vLLM",
        program="vllm",
        install="pip install vllm",
        command=_vllm,
        key_variable="VLLM_API_KEY",
        version_paths=("/version",),
        arguments=_VLLM_ARGUMENTS,
    ),
    "sglang": ServedEngine(
        title="SGLang",
        program="sglang",
        install="pip install sglang",
        command=_sglang,
        version_paths=("/server_info", "/get_server_info"),
        arguments=_SGLANG_ARGUMENTS,
    ),
}


def arguments(engine: ServedEngine, text: str | None) -> tuple[str, ...]:
    """Split further arguments of an engine as a shell does.

    Names must be written in full: engines read ``--hos`` as ``--host``.

    Raises:
        JudgeError: a quote is not closed, or an argument is not among those that may be
            added.
    """
    try:
        parts = tuple(shlex.split(text or ""))
    except ValueError as error:
        raise JudgeError(f"server_args {text!r}: {error}; close the quote") from None
    for part in parts:
        name = part.partition("=")[0]
        if name in _OURS:
            raise JudgeError(
                f"server_args: {name} is set by this program; {_OURS[name]}"
            )
        if (
            name.startswith("-")
            and name not in engine.arguments
            and not _NUMBER.fullmatch(name)
        ):
            raise JudgeError(
                f"server_args: {name} cannot be added; leave it out, or start"
                f" {engine.title} yourself and judge with openai:MODEL -J base_url=URL"
                f" (what can be added: {', '.join(sorted(engine.arguments))})"
            )
    return parts


#: A value that begins like a name, e.g. ``--chunked-prefill-size -1``.
_NUMBER = re.compile(r"-\d+(\.\d+)?", re.ASCII)

#: Arguments that are no one else's to set -> what to do instead.
_OURS: dict[str, str] = {
    **dict.fromkeys(
        ("--host", "--port", "--api-key", "--served-model-name"),
        "leave it out: the server is for this judge alone, on loopback",
    ),
    "--revision": "write MODEL@REVISION",
    **dict.fromkeys(("--max-model-len", "--context-length"), "use -J num_ctx"),
}


def weights_of(folder: Path) -> Sequence[Path]:
    """Return the files of a model's folder that decide what it answers."""
    kinds = (
        "*.safetensors",
        "*.bin",
        "*.gguf",
        "*.json",
        "*.model",
        "*.txt",
        "*.jinja",
    )
    return sorted({path for kind in kinds for path in folder.glob(kind)})
