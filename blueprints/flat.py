"""A blueprint as one row of a table: every single value under ``group.field``."""

from __future__ import annotations

from blueprints.blueprint import GROUPS, Blueprint
from blueprints.records import Absent

Value = str | float | bool | None


def flat(blueprint: Blueprint) -> dict[str, Value]:
    """``group.status`` of every group, and the values of those that are present.

    Scores by label are ``group.field.label``; contours, words and other lists are left out.
    Units are in the names of the fields.

    >>> from blueprints import Blueprint, Loudness
    >>> flat(Blueprint(clip="c"))["pitch.status"]
    'not_requested'
    """
    row: dict[str, Value] = {}
    for name in (*GROUPS, *blueprint.extensions):
        group = blueprint.group(name)
        row[f"{name}.status"] = str(group.status)
        if isinstance(group, Absent):
            continue
        for key, value in group.model_dump(mode="json", exclude={"status"}).items():
            _add(row, f"{name}.{key}", value)
    return row


def _add(row: dict[str, Value], name: str, value: object) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _add(row, f"{name}.{key}", item)
    elif value is None or isinstance(value, str | bool | int | float):
        row[name] = value
