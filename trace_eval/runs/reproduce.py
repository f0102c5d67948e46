"""What a run was made of, for repeating it: its options, input and versions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from blueprints import DISTRIBUTION, UserError, counted
from trace_eval.data.items import Item
from trace_eval.runs.options import to_toml
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.reader import RunReader
from trace_eval.runs.record import RunRecord

#: What decides no verdict, and what only says where a recording lies.
_ASIDE = {"labels", "meta"}
_PLACES = {"audio", "url"}

#: Characters of a digest in the comments of a file of options.
_SHORT = 12


def config_text(run: RunReader) -> str:
    """Write a ``--config`` file: options, below comments on what else mattered."""
    record = run.record()
    comments = "".join(f"# {' '.join(line.split())}\n" for line in _facts(run, record))
    return comments + to_toml(record.options)


def _facts(run: RunReader, record: RunRecord) -> Iterator[str]:
    yield f"{_made_by(record)}; its packages: trace-eval show RUN --requirements"
    number = sum(1 for _ in run.items())
    file = f", SHA-256 {record.input_sha256}" if record.input_sha256 else ""
    yield f"input {record.input}{file}"
    words = f"{counted(number, 'item')}, SHA-256 of their words and recordings"
    yield f"{words} {input_digest(run)}"
    for group, one in record.extractors.items():
        weights = f", weights {one.revision[:_SHORT]}" if one.revision else ""
        packages = "".join(
            f", {name} {version}" for name, version in one.packages.items()
        )
        yield f"{group}: {one.extractor}, version {one.version}{weights}{packages}"


def _made_by(record: RunRecord) -> str:
    ran = record.environment
    revision = f" ({ran.git_revision[:_SHORT]})" if ran.git_revision else ""
    return (
        f"trace-eval {ran.trace_eval or 'unknown'}{revision}, Python"
        f" {ran.python or 'unknown'}"
    )


def requirements_text(run: RunReader) -> str:
    """Write the packages of a run's last session as a file of requirements for pip.

    Raises:
        UserError: the record names none.
    """
    record = run.record()
    packages = record.environment.packages
    if not packages:
        raise UserError(
            f"{run.folder}: its record names no packages; if it was merged, ask the"
            " runs that it was merged from"
        )
    lines = [f"# {_made_by(record)}, {record.environment.platform}"]
    for name, version in packages.items():
        if name == DISTRIBUTION:
            lines.append(f"# {name}=={version}, from its clone")
        else:
            lines.append(f"{name}=={version}")
    return "\n".join(lines) + "\n"


def input_digest(run: RunReader) -> str:
    """Return the SHA-256 of what was judged: words and recordings, wherever these lie.

    The order of the items does not count, nor do labels and ``meta``.
    """
    clips = run.clips()
    digests = sorted(_digest_of(item, clips) for item in run.items())
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _digest_of(item: Item, clips: dict[str, ClipRecord]) -> bytes:
    heard: dict[str, str | None] = {}
    for role, recording in item.recordings().items():
        record = clips.get(recording.source_id)
        heard[role] = record.clip if record else None
    said = _without_places(
        item.model_dump(mode="json", exclude=_ASIDE, exclude_none=True)
    )
    text = json.dumps([said, heard], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_places(v) for k, v in value.items() if k not in _PLACES}
    if isinstance(value, list):
        return [_without_places(one) for one in value]
    return value
