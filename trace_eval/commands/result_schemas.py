"""What ``--json`` holds, by command: a JSON schema of each, made from the result's own types."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

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
        "trace_eval.compare.gate.report:GateReport",
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
    "ablate": ("dict trace_eval.stats.agreement.ablation:Ablation",),
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
    named = [one.rpartition(" ") for one in _named(command)]
    kinds = [_kind(how, place) for how, _, place in named]
    several: Any = tuple.__class_getitem__(tuple(kinds))
    adapter: TypeAdapter[Any] = TypeAdapter(
        several, config=ConfigDict(arbitrary_types_allowed=True)
    )
    whole = adapter.json_schema(mode="serialization", schema_generator=_AsWritten)
    results = [
        _with_sentences(own) if how == "said" else own
        for (how, *_), own in zip(named, whole["prefixItems"], strict=True)
    ]
    available = {"$defs": whole.get("$defs", {})}
    return (results[0] if len(results) == 1 else {"anyOf": results}) | available


def _kind(how: str, place: str) -> Any:
    module, _, name = place.partition(":")
    kind: Any = getattr(import_module(module), name)
    if how == "list":
        return list.__class_getitem__(kind)
    return dict.__class_getitem__((str, kind)) if how == "dict" else kind


def _with_sentences(own: dict[str, Any]) -> dict[str, Any]:
    said = {"type": "array", "items": {"type": "string"}, "maxItems": 3}
    return {"allOf": [own], "properties": {"sentences": said}, "required": ["sentences"]}


class _AsWritten(GenerateJsonSchema):
    """Types as :func:`trace_eval.show.records.plain` writes them."""

    def float_schema(self, schema: Any) -> dict[str, Any]:
        """A number that is not finite is written as null."""
        return {**super().float_schema(schema), "type": ["number", "null"]}

    def field_is_required(self, field: Any, total: bool) -> bool:
        """A record's defaults are written, too."""
        return field["type"] == "dataclass-field" or super().field_is_required(field, total)

    def is_instance_schema(self, schema: Any) -> dict[str, Any]:
        """The only class that is neither a record nor JSON is numpy's array."""
        return {"type": "array"}
