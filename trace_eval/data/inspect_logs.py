"""Samples of Inspect (``inspect_ai``) as items, while a task runs or after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from blueprints import InputError
from blueprints.errors import require
from trace_eval.data.cells import recording_of


def log_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (number from 1, record of an answer) of a finished log's samples.

    Raises:
        UserError: the package is not installed, or the file is no log.
    """
    inspect = require(
        "inspect_ai.log", "inspect_ai", "inspect", f"{path}: a log of Inspect"
    )
    try:
        model = inspect.read_eval_log(path, header_only=True).eval.model
        samples = inspect.read_eval_log_samples(
            path,
            all_samples_required=False,
            resolve_attachments="full",
            exclude_fields={"events", "store"},
        )
        for number, sample in enumerate(samples, 1):
            again = f"-{sample.epoch}" if sample.epoch > 1 else ""
            record = record_of(sample.input, sample.output, sample.target)
            yield number, {"id": f"{sample.id}{again}", "system": model, **record}
    except (
        ValueError,
        OSError,
        KeyError,
    ) as error:  # of the zip file, its JSON, its models
        detail = str(error).partition("\n")[0]
        raise InputError(
            f"{path}: is not a log of Inspect that its package can read ({detail})"
        ) from (error)


def record_of(
    provided: Any, output: Any, target: str | Iterable[str]
) -> dict[str, Any]:
    """Return one sample as a record of a single answer.

    Args:
        provided: the sample's input: a text, or messages, of which the last of the user
            counts.
        output: a ``ModelOutput``: its text is the candidate, its sound the recording.
        target: references; empty ones are left out.

    Raises:
        UserError: the sound of a message is neither a path, a URL nor base64.
    """
    targets = [target] if isinstance(target, str) else list(target)
    reply = output.choices[0].message if output.choices else None
    record: dict[str, Any] = {
        "instruction": _instruction_of(provided),
        "answer": _words_and_sound(reply),
    }
    references = [text for text in targets if text]
    if references:
        record["references"] = references
    return record


def _instruction_of(provided: Any) -> dict[str, Any]:
    """Return what the user said last, in words and as sound."""
    if isinstance(provided, str):
        return {"text": provided or None, "audio": None}
    messages = [message for message in provided if message.role == "user"]
    return _words_and_sound(messages[-1] if messages else None)


def _words_and_sound(message: Any) -> dict[str, Any]:
    """Return the text and the recording of a message; None where it has none."""
    if message is None:
        return {"text": None, "audio": None}
    return {"text": message.text or None, "audio": _sound(message)}


def _sound(message: Any) -> Any:
    """Return path, URL or bytes of the first recording in a message."""
    parts = [] if isinstance(message.content, str) else message.content
    return recording_of(
        next((part.audio for part in parts if part.type == "audio"), None)
    )
