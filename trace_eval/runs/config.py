"""Options as a TOML file: what ``--config`` reads and ``show RUN --config`` prints.

Keys are the names of the fields of :class:`trace_eval.options.Options`, its ``extract`` and its
``judging``, in one flat table; they are also the names of the options on the command line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data.strict_toml import read_toml
from trace_eval.data.urls import is_url, redacted
from trace_eval.judges.options import STATE, JudgeOptions
from trace_eval.options import ExtractOptions, Options
from trace_eval.runs.record import RunRecord

#: Where the replaced extractors are, as ``GROUP=SPEC``.
_EXTRACTOR = "extractor"

#: Every option that a file may hold, whichever command reads it.
KEYS = (
    {field.name for kind in (ExtractOptions, JudgeOptions) for field in fields(kind)}
    - STATE
    - {"overrides"}
) | {"judge", "rubric", "policy", "min_coverage", "tag", "cache", _EXTRACTOR}


def settings_of(options: Options) -> dict[str, JsonValue]:
    """All options that are set, by name; what has no value is left out.

    An extractor or judge that was given as an object is told by its name.
    """
    judges = [one if isinstance(one, str) else one.spec for one in options.judges]
    found: dict[str, Any] = {
        "judge": judges if options.rubrics else judges[0],
        "rubric": options.rubrics,
        "policy": None if options.rubrics else options.policy_name,
        "min_coverage": options.min_coverage,
        "tag": options.tag,
    }
    extract = options.extract
    for field in fields(ExtractOptions):
        if field.name != "overrides":
            found[field.name] = getattr(extract, field.name)
    found[_EXTRACTOR] = [
        f"{group}={spec if isinstance(spec, str) else spec.name}"
        for group, spec in sorted(extract.overrides.items())
    ]
    for field in fields(JudgeOptions):
        if field.name not in STATE | options.judging.unsent:
            found[field.name] = getattr(options.judging, field.name)
    return {key: _plain(value) for key, value in found.items() if value not in (None, [], ())}


def _plain(value: Any) -> JsonValue:
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    plain: JsonValue = redacted(value) if is_url(value) else value
    return plain


def config_of(record: RunRecord) -> dict[str, JsonValue]:
    """The options that a run was made with; of runs by version 0.1, those that it recorded."""
    if record.options:
        return dict(record.options)
    names = {field.name for field in fields(JudgeOptions)}
    chosen = {k: v for k, v in record.judge.parameters.items() if k in names and v is not None}
    known = {
        "judge": record.judge.spec,
        "policy": record.policy,
        "profile": record.profile,
        "max_seconds": record.max_seconds,
        **chosen,
    }
    return {key: value for key, value in known.items() if value not in (None, [])}


def to_toml(settings: Mapping[str, JsonValue]) -> str:
    """A TOML document of these settings."""
    # A JSON string, number, boolean or list of strings is spelled in the same way in TOML.
    return "".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in settings.items()
    )


def read_config(path: Path) -> dict[str, Any]:
    """The settings of a TOML file.

    Raises:
        UserError: it cannot be read, is no TOML, or has tables.
    """
    found = read_toml(path, str(path), "see trace-eval show RUN --config")
    if tables := [key for key, value in found.items() if isinstance(value, dict)]:
        raise UserError(f"{path}: has a table [{tables[0]}]; write options without tables")
    return found
