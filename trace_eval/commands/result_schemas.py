"""What ``--json`` holds, by command: a JSON schema of each, made from the result's own types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import PurePath
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import numpy as np
from pydantic import BaseModel

#: Command -> types that its ``--json`` may hold, as ``MODULE:NAME``; ``list`` or ``dict``
#: of them, or ``said``: the sentences stand first.
RESULTS: dict[str, tuple[str, ...]] = {
    "judge": (
        "trace_eval.runs.summary:JudgedRun",
        "trace_eval.judges.ask.estimate:CostEstimate",
        "trace_eval.judges.ask.batch:BatchWritten",
    ),
    "best": ("trace_eval.select.best:Selection", "trace_eval.select.best:BestEstimate"),
    "extract": ("trace_eval.runs.summary:Extraction",),
    "report": ("said trace_eval.commands.report:ReportWritten",),
    "show": (
        "trace_eval.runs.summary:RunShown",
        "blueprints.blueprint:Blueprint",
        "dict builtins:object",
    ),
    "runs": ("list trace_eval.runs.listing:ListedRun",),
    "export": ("trace_eval.commands.export:Exported",),
    "review": ("trace_eval.review.exports:ReviewFiles",),
    "agree": (
        "said trace_eval.stats.report:AgreeReport",
        "said trace_eval.stats.report:ScoreReport",
    ),
    "rank": ("said trace_eval.stats.ranking.report:RankReport",),
    "compare": (
        "said trace_eval.compare.evaluate:RunComparison",
        "said trace_eval.compare.scores:ScoreComparison",
        "trace_eval.compare.change_report:ChangeReport",
    ),
    "gate": (
        "trace_eval.gate.report:GateReport",
        "trace_eval.compare.change_report:ChangeReport",
    ),
    "screen": ("trace_eval.decide.screen:Screening",),
    "plan": (
        "trace_eval.decide.plan:LabelPlan",
        "trace_eval.decide.plan:FirstPlan",
    ),
    "card": ("list trace_eval.decide.card:Card",),
    "doctor": ("trace_eval.api.doctor:Diagnosis", "list trace_eval.judges.registry.doctor:Check"),
    "models list": ("list extractors.fetch:ListedModel",),
    "models fetch": ("list trace_eval.commands.models:Fetched",),
    "models verify": ("list extractors.fetch:Verified",),
    "rubrics list": ("list trace_eval.rubrics.single:ScoreRubric",),
    "rubrics show": ("trace_eval.rubrics.single:ScoreRubric",),
    "rubrics check": ("trace_eval.rubrics.single:ScoreRubric",),
    "turns": ("trace_eval.turns.report:TurnsRecord",),
    "convert": (
        "trace_eval.datasets.conversion:ConversionRecord",
        "list trace_eval.datasets.base:Dataset",
    ),
    "fuse": (
        "trace_eval.runs.summary:RunShown",
        "trace_eval.commands.fuse:PairsWritten",
        "trace_eval.stats.inference.calibrate:Calibration",
    ),
    "merge": ("trace_eval.runs.merge:Merged",),
    "ablate": ("dict trace_eval.stats.agreement.ablation.conditions:Ablation",),
    "drill injection": ("trace_eval.probe.injection:InjectionReport",),
    "drill judge": ("trace_eval.decide.probes:ProbeReport",),
    "train fusion": ("trace_eval.stats.agreement.train_fusion:FusionTraining",),
    "train scorer": ("trace_eval.judges.scorer.train:Trained",),
    "train clamp": ("trace_eval.judges.scorer.clamp:FittedClamp",),
    "train card": ("trace_eval.judges.scorer.checkpoint:ScorerRecord",),
}
RESULTS["rate"] = RESULTS["judge"]


def has_result(command: str) -> bool:
    """Whether a command, or one of a group, has a schema."""
    return bool(_named(command))


def _named(command: str) -> tuple[str, ...]:
    """The types of a command; of a group those of all its commands."""
    own = [types for name, types in RESULTS.items() if f"{name} ".startswith(f"{command} ")]
    return tuple(dict.fromkeys(one for types in own for one in types))


def result_schema(command: str) -> dict[str, Any]:
    """The schema of what ``--json`` of a command holds.

    Args:
        command: one of :data:`RESULTS`, or a group of them.
    """
    available: dict[str, Any] = {}
    results = [_schema(one, available) for one in _named(command)]
    return (results[0] if len(results) == 1 else {"anyOf": results}) | {"$defs": available}


def _schema(named: str, available: dict[str, Any]) -> dict[str, Any]:
    how, _, place = named.rpartition(" ")
    module, _, name = place.partition(":")
    own = _of(getattr(import_module(module), name), available)
    if how == "list":
        own = {"type": "array", "items": own}
    if how == "dict":
        own = {"type": "object", "additionalProperties": own}
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


def _of(hint: Any, available: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type, as :func:`trace_eval.show.table.plain` writes it.

    Args:
        hint: the type.
        available: name -> schema of the records so far; those of this type are added.
    """
    if hint in _PLAIN:
        return dict(_PLAIN[hint])
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _of(inner[0], available)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, UnionType):
        return {"anyOf": [_of(one, available) for one in inner]}
    kind = origin or hint
    if is_typeddict(kind):
        return _record(kind, sorted(_required(kind)), available)
    return _of_class(kind, inner, available) if isinstance(kind, type) else {}


def _of_class(kind: type[Any], inner: tuple[Any, ...], available: dict[str, Any]) -> dict[str, Any]:
    """The schema of a class, with the types that it is made of."""
    if issubclass(kind, Counter):
        return {"type": "object", "additionalProperties": {"type": "number"}}  # seconds, too
    if issubclass(kind, Mapping):
        return {"type": "object", "additionalProperties": _of(inner[1], available) if inner else {}}
    if issubclass(kind, PurePath | str):
        return {"type": "string"}
    if issubclass(kind, BaseModel):
        return _model(kind, available)
    if is_dataclass(kind):
        return _record(kind, [part.name for part in fields(kind)], available)
    if issubclass(kind, tuple | list | np.ndarray | Sequence):
        alike = kind is not np.ndarray and (len(inner) == 1 or inner[1:] == (Ellipsis,))
        return {"type": "array"} | ({"items": _of(inner[0], available)} if alike else {})
    return {}


def _model(kind: type[BaseModel], available: dict[str, Any]) -> dict[str, Any]:
    """A reference to the schema of a pydantic model, as it writes itself."""
    if kind.__name__ not in available:
        own = kind.model_json_schema(mode="serialization", ref_template="#/$defs/{model}")
        available |= own.pop("$defs", {})
        available.setdefault(kind.__name__, own)
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _required(kind: Any) -> set[str]:
    """Keys that a typed dictionary always has; its annotations are texts, so they are read here."""
    hints = get_type_hints(kind, include_extras=True)
    return {name for name, hint in hints.items() if get_origin(hint) is not NotRequired}


def _record(kind: Any, required: list[str], available: dict[str, Any]) -> dict[str, Any]:
    """A reference to the schema of a dataclass, or of a dictionary with known keys."""
    name = kind.__name__
    if name not in available:
        available[name] = {}  # one that holds itself
        hints = get_type_hints(kind)
        parts = {part.name for part in fields(kind)} if is_dataclass(kind) else hints.keys()
        available[name] = {
            "type": "object",
            "title": name,
            "properties": {part: _of(hints[part], available) for part in hints if part in parts},
            "required": required,
        }
    return {"$ref": f"#/$defs/{name}"}
