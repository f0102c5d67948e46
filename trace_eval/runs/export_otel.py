"""Verdicts and scores as OpenTelemetry events ``gen_ai.evaluation.result``, in OTLP JSON.

Names are those of the GenAI semantic conventions, which are in development; what they have no name
for stands under ``trace_eval.``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trace_eval.data.judgement import Judgement
from trace_eval.data.outputs import write_lines
from trace_eval.data.scores import Score
from trace_eval.runs.run import Run

#: What the events are called.
EVENT = "gen_ai.evaluation.result"


def export_otel(folder: Path, out: Path | None = None, policy: str | None = None) -> Path:
    """Write one line of OTLP JSON per item, as a collector's file receiver reads it.

    Args:
        out: the file; None: ``export.otlp.jsonl`` in the run.
        policy: of the overall ratings; None: the last.

    Returns:
        The file.

    Raises:
        UserError: no run is there.
    """
    run = Run.open(folder)
    path = out or run.path("export.otlp.jsonl")
    resource = {"attributes": _attributes({"service.name": "trace-eval"})}
    now = str(time.time_ns())

    def line(events: list[dict[str, Any]]) -> str:
        records = [
            {"timeUnixNano": now, "eventName": EVENT, "attributes": _attributes(event)}
            for event in events
        ]
        logs = {"resource": resource, "scopeLogs": [{"logRecords": records}]}
        return json.dumps({"resourceLogs": [logs]}, ensure_ascii=False, allow_nan=False)

    write_lines(path, map(line, _of_scores(run) if run.holds_scores else _of_pairs(run, policy)))
    return path


def _of_scores(run: Run) -> Iterator[list[dict[str, Any]]]:
    for score in run.scores():
        reasons = (one.reasoning for one in score.opinions if one.reasoning)
        event = _event(score, score.item, score.rubric, next(reasons, None))
        label = None if score.majority is None else str(score.majority)
        label = score.status if score.value is None else label
        yield [
            event
            | {"gen_ai.evaluation.score.value": score.value}
            | {"gen_ai.evaluation.score.label": label, "trace_eval.system": score.system}
        ]


def _of_pairs(run: Run, policy: str | None) -> Iterator[list[dict[str, Any]]]:
    overall = run.overall(policy)
    for judgement in run.judgements().values():
        label = "gen_ai.evaluation.score.label"
        events = [
            _event(judgement, judgement.pair, str(about), verdict.reasoning)
            | {label: str(verdict.rating)}
            for about, verdict in judgement.dimensions.items()
        ]
        fused = overall.get(judgement.pair)
        rating = fused.rating if fused else None
        whole = _event(judgement, judgement.pair, "overall", fused.why if fused else None)
        whole |= {"trace_eval.policy": fused.policy if fused else None}
        yield [*events, whole | {label: judgement.status if rating is None else str(rating)}]


def _event(
    outcome: Judgement | Score, item: str, name: str, explanation: str | None
) -> dict[str, Any]:
    return {
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.explanation": explanation or outcome.detail,
        "gen_ai.conversation.id": item,
        "error.type": None if outcome.reason is None else str(outcome.reason),
        "trace_eval.judge": outcome.judge,
    }


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    """Attributes as OTLP writes them; what is None is left out."""
    return [
        {"key": key, "value": {"doubleValue" if isinstance(value, float) else "stringValue": value}}
        for key, value in values.items()
        if value is not None
    ]
