"""What ``--json`` holds, by command: a JSON schema of each, made from the result's own types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import PurePath
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from pydantic import BaseModel

#: Command -> types that its ``--json`` may hold: module, name, and whether a list of them, or an
#: object that also holds the sentences.
RESULTS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "judge": (("runs.summary", "JudgedRun", ""),),
    "rate": (("runs.summary", "JudgedRun", ""),),
    "best": (("select.best", "Selection", ""),),
    "runs": (("runs.listing", "Listed", "list"),),
    "doctor": (("doctor", "Diagnosis", ""), ("judges.doctor", "Check", "list")),
    "agree": (("stats.report", "AgreeReport", "said"), ("stats.report", "ScoreReport", "said")),
    "rank": (("stats.ranking.report", "RankReport", "said"),),
    "compare": (
        ("compare.evaluate", "RunComparison", "said"),
        ("compare.change_report", "ChangeReport", ""),
    ),
    "gate": (("gate.report", "GateReport", ""),),
    "screen": (("stats.inference.screen", "Screening", ""),),
    "plan": (
        ("stats.inference.plan", "LabelPlan", ""),
        ("stats.inference.plan", "FirstPlan", ""),
    ),
    "card": (("stats.inference.card", "Card", "list"),),
}


def result_schema(command: str) -> dict[str, Any]:
    """The schema of what ``--json`` of a command holds.

    Args:
        command: one of :data:`RESULTS`.
    """
    known: dict[str, Any] = {}
    found = [_schema(*one, known) for one in RESULTS[command]]
    return (found[0] if len(found) == 1 else {"anyOf": found}) | {"$defs": known}


def _schema(module: str, name: str, how: str, known: dict[str, Any]) -> dict[str, Any]:
    own = _of(getattr(import_module(f"trace_eval.{module}"), name), known)
    if how == "list":
        own = {"type": "array", "items": own}
    if how == "said":
        said = {"type": "array", "items": {"type": "string"}, "maxItems": 3}
        own = {"allOf": [own], "properties": {"sentences": said}, "required": ["sentences"]}
    return own


#: Numbers that are not finite are written as null.
_PLAIN: dict[Any, Any] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": ["number", "null"]},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}


def _of(hint: Any, known: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type, as :func:`trace_eval.stats.agreement.tabular.plain` writes it.

    Args:
        hint: the type.
        known: name -> schema of the records so far; those of this type are added.
    """
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _of(inner[0], known)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, UnionType):
        return {"anyOf": [_of(one, known) for one in inner]}
    kind = origin or hint
    return _of_class(kind, inner, known) if isinstance(kind, type) else {}


def _of_class(kind: type[Any], inner: tuple[Any, ...], known: dict[str, Any]) -> dict[str, Any]:
    """The schema of a class, with the types that it is made of."""
    if issubclass(kind, Counter):
        return {"type": "object", "additionalProperties": {"type": "integer"}}
    if issubclass(kind, Mapping):
        return {"type": "object", "additionalProperties": _of(inner[1], known) if inner else {}}
    if issubclass(kind, PurePath | str):
        return {"type": "string"}
    if issubclass(kind, BaseModel):
        return {"type": "object", "title": kind.__name__}
    if is_dataclass(kind):
        return _record(kind, known)
    if issubclass(kind, tuple | list | np.ndarray | Sequence):
        alike = kind is not np.ndarray and (len(inner) == 1 or inner[1:] == (Ellipsis,))
        return {"type": "array"} | ({"items": _of(inner[0], known)} if alike else {})
    return {}


def _record(kind: type[Any], known: dict[str, Any]) -> dict[str, Any]:
    """A reference to the schema of a dataclass."""
    name = kind.__name__
    if name not in known:
        known[name] = {}  # one that holds itself
        hints = get_type_hints(kind)
        names = [part.name for part in fields(kind)]
        known[name] = {
            "type": "object",
            "title": name,
            "properties": {part: _of(hints[part], known) for part in names},
            "required": names,
        }
    return {"$ref": f"#/$defs/{name}"}
