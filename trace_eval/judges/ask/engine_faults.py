"""Why an engine has ended, told by what it printed last, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

#: Exit codes of a process that the kernel killed, which it does where memory runs out.
_KILLED = (-9, 137)

#: Of a line that tells of a fault.
_FAULT = re.compile(
    r"(?i)error|exception|failed|fault|cannot|could not|no such|not found|invalid"
)

_PORT_TAKEN = re.compile(
    r"(?i)address already in use|couldn't bind|port \d+ is (?:already )?in use"
)

_SMALLER = "use a smaller or more quantised model, or lower -J num_ctx"

#: Characters of a line that a message shows.
_SHOWN = 240


class EngineFault(NamedTuple):
    """A kind of fault.

    Attributes:
        line: what a line of it holds.
        what: what happened, after the engine's name.
        remedy: what to do; ``{model}`` and ``{title}`` are the model and the engine.
    """

    line: re.Pattern[str]
    what: str
    remedy: str


#: The first kind of which any line tells is the one that is said.
FAULTS = (
    EngineFault(
        re.compile(
            r"(?i)out of memory|insufficient memory|not enough memory|failed to allocate"
            r"|bad_?alloc|no available memory|memoryerror|cannot allocate memory"
            r"|larger than the (?:maximum|available)"
        ),
        "ran out of memory",
        _SMALLER,
    ),
    EngineFault(
        re.compile(r"(?i)no space left on device|disk quota exceeded"),
        "found the disk full",
        "make room, or set HF_HOME to a folder with more",
    ),
    EngineFault(
        re.compile(
            r"(?i)no cuda gpus? (?:are|is) available|failed to infer device type"
            r"|no nvidia driver|not compiled with cuda|cuda driver version is insufficient"
            r"|no accelerator|no cuda-capable device"
        ),
        "found no GPU that it can use",
        "run where nvidia-smi shows one, or judge with gguf:FILE, which needs none",
    ),
    EngineFault(
        re.compile(
            r"(?i)gated repo|is gated|awaiting a review|401 client error|403 client error"
        ),
        "may not fetch the model",
        "accept its terms where it is published, and log in: hf auth login",
    ),
    EngineFault(
        re.compile(
            r"(?i)couldn't connect to|connection ?error|max retries exceeded"
            r"|name resolution|name or service not known|offline mode is enabled"
        ),
        "could not fetch the model",
        "fetch it where there is a network: hf download {model}, or name its folder",
    ),
    EngineFault(
        re.compile(
            r"(?i)unknown model architecture|does not recognize this architecture"
            r"|model architectures? .*not supported|unsupported architecture"
            r"|this gguf file is version \d+ but"
        ),
        "does not know this kind of model",
        "install a newer {title}, or name another model",
    ),
    EngineFault(
        re.compile(
            r"(?i)invalid magic|failed to read magic|gguf_init\w*: failed to read"
            r"|not within the file bounds|corrupted or incomplete|unexpectedly reached end of file"
            r"|safetensor\w*error|headertoolarge|invalidheader|incompletebuffer"
        ),
        "found no whole model in the file",
        "fetch {model} again, and name the file of the weights",
    ),
    EngineFault(
        re.compile(r"(?i)trust_remote_code|trust-remote-code"),
        "would have to run code that comes with the model",
        (
            "start {title} yourself if you trust it, and judge with openai:MODEL -J"
            " base_url=URL"
        ),
    ),
    EngineFault(
        re.compile(
            r"(?i)unrecognized arguments?|unknown (?:option|argument)|no such option"
        ),
        "does not know an argument",
        "check -J server_args, and that this {title} is a recent one",
    ),
    EngineFault(
        re.compile(r"(?i)^modulenotfounderror|^importerror|shared object file|glibc"),
        "is not whole",
        "install it again in an environment of its own",
    ),
    EngineFault(
        re.compile(r"(?i)permissionerror|permission denied|exec format error"),
        "may not be run, or may not read a file",
        "check who may read and run it",
    ),
)


def port_taken(lines: Sequence[str]) -> bool:
    """Tell whether an engine found its port taken."""
    return any(_PORT_TAKEN.search(line) for line in lines)


def last_line(lines: Sequence[str]) -> str:
    """Return the last line that tells of a fault, else the last one."""
    filled = [line for line in lines if line]
    faults = [line for line in filled if _FAULT.search(line)]
    return (faults or filled or ["no output"])[-1][:_SHOWN]


def why_ended(title: str, model: str, code: int, lines: Sequence[str]) -> str:
    """Say in one line why an engine has ended by itself, and the remedy."""
    for fault in FAULTS:
        line = next((line for line in lines if fault.line.search(line)), None)
        if line is not None:
            remedy = fault.remedy.format(model=model, title=title)
            return f"{title} {fault.what} ({line[:_SHOWN]}); {remedy}"
    if code in _KILLED:
        return (
            f"{title} was killed, as systems do where memory runs out; if so,"
            f" {_SMALLER}"
        )
    return (
        f"{title} ended with exit code {code} ({last_line(lines)}); check the model"
        f" {model!r}, and that this {title} can read it"
    )
