"""Options as a TOML file: what ``--config`` reads and ``show RUN --config`` prints.

At the top stand options of the command line; the table ``[judge]`` holds ``spec`` and the fields
of :class:`~trace_eval.judges.options.JudgeOptions`, ``[extract]`` those of
:class:`~trace_eval.extracting.options.ExtractOptions`, ``extractor`` and a table for each one.
In a run's record the same stands flat.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from blueprints import UserError
from trace_eval.data.settings import nearest
from trace_eval.data.strict_toml import read_toml
from trace_eval.data.urls import is_url, redacted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import STATE, JudgeOptions
from trace_eval.runs.options import Options

#: Where the replaced extractors are, as ``GROUP=SPEC``, and options of single ones.
_EXTRACTOR, _OWN = "extractor", "extractor_options"

#: Table -> what it may hold. ``judge`` in a record is ``spec`` in the table of that name.
_TABLES = {
    "judge": {field.name for field in fields(JudgeOptions)} - STATE,
    "extract": {field.name for field in fields(ExtractOptions)} - {"overrides", _OWN},
}

#: What may stand at the top, whichever command reads the file.
_TOP = (
    *("judge", "rubric", "policy", "min_coverage", "tag"),
    *("base_url", "samples", "swap", "concurrency", "max_cost"),
    *("profile", "language", "workers", "device", "cache", _EXTRACTOR),
)


def settings_of(options: Options) -> dict[str, JsonValue]:
    """All options that are set, by name; objects that extract or judge stand by their own names."""
    judges = [one if isinstance(one, str) else one.spec for one in options.judges]
    results: dict[str, Any] = {
        "judge": judges if options.rubrics else judges[0],
        "rubric": options.rubrics,
        "policy": None if options.rubrics else options.policy_name,
        "min_coverage": options.min_coverage,
        "tag": options.tag,
    }
    extract = options.extract
    for field in fields(ExtractOptions):
        if field.name != "overrides":
            results[field.name] = getattr(extract, field.name)
    results[_EXTRACTOR] = [
        f"{group}={spec if isinstance(spec, str) else spec.name}"
        for group, spec in sorted(extract.overrides.items())
    ]
    for field in fields(JudgeOptions):
        if field.name not in STATE | options.judging.unsent:
            results[field.name] = getattr(options.judging, field.name)
    return {key: _plain(value) for key, value in results.items() if value not in (None, [], (), {})}


def _plain(value: Any) -> JsonValue:
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    plain: JsonValue = redacted(value) if is_url(value) else value
    return plain


def to_toml(settings: Mapping[str, JsonValue]) -> str:
    """A TOML document of these settings, as :func:`read_config` takes it."""
    judge, extract = _TABLES["judge"], _TABLES["extract"] | {_EXTRACTOR}
    top = {k: v for k, v in settings.items() if k not in {"judge", _OWN} | judge | extract}
    spec = {"spec": settings["judge"]} if "judge" in settings else {}
    tables = {
        "judge": spec | {key: value for key, value in settings.items() if key in judge},
        "extract": {key: value for key, value in settings.items() if key in extract},
    }
    own = settings.get(_OWN)
    for name, options in own.items() if isinstance(own, dict) else ():
        tables[f"extract.{json.dumps(name, ensure_ascii=False)}"] = cast(
            "dict[str, JsonValue]", options
        )
    return _lines(top) + "".join(
        f"\n[{name}]\n{_lines(table)}" for name, table in tables.items() if table
    )


def _lines(values: Mapping[str, JsonValue]) -> str:
    # A JSON string, number, boolean or list of strings is spelled in the same way in TOML.
    texts = {key: json.dumps(value, ensure_ascii=False) for key, value in values.items()}
    return "".join(f"{key} = {text}\n" for key, text in texts.items())


def read_config(path: Path) -> dict[str, Any]:
    """The settings of a TOML file, flat, by the names of the fields.

    Raises:
        UserError: it cannot be read, is no TOML, holds what is no option, or one twice.
    """
    result = read_toml(path, str(path), "see trace-eval show RUN --config")
    flat: dict[str, Any] = {}

    def add(key: str, value: Any) -> None:
        if key in flat:
            raise UserError(f"{path}: {key!r} stands twice, at the top and in a table")
        flat[key] = value

    for table, available in _TABLES.items():
        values = result.pop(table) if isinstance(result.get(table), dict) else {}
        for key, value in values.items():
            if table == "judge" and key == "spec":
                add("judge", value)
            elif table == "extract" and isinstance(value, dict):
                flat.setdefault(_OWN, {})[key] = value
            elif key in available or (table == "extract" and key == _EXTRACTOR):
                add(key, value)
            else:
                details = nearest(key, available)
                raise UserError(f"{path}: no option {key!r} in [{table}]; {details}")
    for key, value in result.items():
        if isinstance(value, dict):
            raise UserError(f"{path}: has a table [{key}]; known are [judge] and [extract]")
        name = key.replace("-", "_")
        _check_top(path, key, name)
        add(name, value)
    return flat


def _check_top(path: Path, key: str, name: str) -> None:
    if name in _TOP:
        return
    for table, available in _TABLES.items():
        if name in available:
            raise UserError(f"{path}: {key!r} belongs to the table [{table}]; write it below that")
    details = nearest(name, {*_TOP, *_TABLES["judge"], *_TABLES["extract"]})
    raise UserError(f"{path}: no option {key!r}; {details}")
