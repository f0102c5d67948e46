"""Values of a platform's JSON: where they stand, times in their several forms, JSON in text."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from blueprints import UserError
from trace_eval.conversations.layouts.base import mapping
from trace_eval.conversations.layouts.rows import number_of
from trace_eval.data import strict_json

#: Where a fact may stand: the first place that has something counts.
Places = tuple[str, ...]

#: Times above this are Unix seconds, and above the second Unix milliseconds.
UNIX_S, _MS = 1e8, 1e11


def place(value: Any, places: Places) -> Any:
    """What stands in the first of some places that has something; None: none has."""
    for path in places:
        result = value
        for key in path.split("."):
            if isinstance(result, list) and key.lstrip("-").isdigit():
                result = result[int(key)] if -len(result) <= int(key) < len(result) else None
            else:
                result = mapping(result).get(key)
        if result is not None:
            return result
    return None


def moment(value: Any, name: str) -> float | None:
    """Seconds, or Unix seconds where the source has a calendar; None where it says nothing.

    Raises:
        UserError: it is no time.
    """
    if isinstance(value, str) and "T" in value:
        try:
            return datetime.fromisoformat(value).timestamp()
        except ValueError:
            raise UserError(f"{name}: expected a time (got {value!r:.60})") from None
    number = number_of(value, name)
    return number if number is None or number < _MS else number / 1000


def parsed(value: Any) -> Any:
    """JSON that a platform writes as text, as what it says; other values as they are."""
    try:
        return strict_json.loads(value) if isinstance(value, str) and value[:1] in "{[" else value
    except strict_json.BadJson:
        return value
