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
    requested = (
        []
        if isinstance(provided, str)
        else [one for one in provided if one.role == "user"]
    )
    question = (
        provided
        if isinstance(provided, str)
        else requested[-1].text
        if requested
        else ""
    )
    targets = [target] if isinstance(target, str) else list(target)
    reply = output.choices[0].message if output.choices else None
    asks = {
        "text": question or None,
        "audio": _sound(requested[-1]) if requested else None,
    }
    answers = {"text": reply.text or None, "audio": _sound(reply)} if reply else {}
    references = [text for text in targets if text]
    record = {"instruction": asks, "answer": {"text": None, "audio": None, **answers}}
    return record | ({"references": references} if references else {})


def _sound(message: Any) -> Any:
    """Return path, URL or bytes of the first recording in a message."""
    parts = [] if isinstance(message.content, str) else message.content
    return recording_of(
        next((part.audio for part in parts if part.type == "audio"), None)
    )
