"""A run's results for other programs: tables, OpenTelemetry events; clips' measures.

Events ``gen_ai.evaluation.result`` are named by the GenAI semantic conventions, which
are in development; what they have no name for stands under ``trace_eval.``.
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from blueprints import Blueprint, RunFolderError, UserError
from blueprints.blueprint import flat
from trace_eval.data import strict_json
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.outputs import write_lines, writing
from trace_eval.data.policies import WHOLE_PAIR, any_policy
from trace_eval.data.scores import Score
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.run import Run
from trace_eval.runs.stored_lines import LineIndex
from trace_eval.runs.table import Cell, CellTable, CellTypes, results_table
from trace_eval.runs.voices import LIKENESS, likeness_by_source

#: What the events are called.
EVENT = "gen_ai.evaluation.result"


def export_table(
    folder: Path, kind: str, out: Path | None = None, policy: str | None = None
) -> Path:
    """Write the results of a run, one row per pair, and return the file.

    Args:
        kind: ``csv`` or ``parquet``.
        out: None: ``export.csv`` or ``export.parquet`` in the run.
        policy: name of one that the run was fused with; None: the last.

    Raises:
        UserError: no run is there, or it was not fused with that policy.
    """
    run = Run.open(folder)
    overall = overall_by(run, policy)
    path = out or run.path(f"export.{kind}")
    table = results_table(run, overall)
    if kind == "csv":
        write_lines(path, table.csv_lines())
        return path
    import pyarrow.parquet as pq

    batches = table.arrow_batches()
    first = next(batches)
    with writing(path) as part, pq.ParquetWriter(part, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)
    return path


def overall_by(run: Run, policy: str | None) -> dict[str, Overall]:
    """Return fused ratings by pair id, by the last policy or another one used.

    Raises:
        UserError: the run was not fused with that policy.
    """
    overall = run.overall()
    if policy is None or policy in {result.policy for result in overall.values()}:
        return overall
    earlier = run.overall(policy)
    if overall and not earlier:
        raise _not_fused(run, policy)
    return earlier


def _not_fused(run: Run, policy: str) -> UserError:
    """Say what gives the results by a policy that a run was not fused with yet.

    Raises:
        UserError: there is no such policy.
    """
    any_policy(policy)
    if all(result.policy == WHOLE_PAIR for result in run.overall().values()):
        return RunFolderError(
            f"{run.folder}: its judge was asked for each pair as a whole, which no"
            " policy fuses; leave out --policy"
        )
    return RunFolderError(
        f"{run.folder}: was not fused with {policy!r}; run: trace-eval fuse"
        f" {shlex.quote(str(run.folder))} --policy {policy}"
    )


def clip_table(folder: Path) -> CellTable:
    """List all measures, a row per recording, of a run or of a folder of ``extract``.

    Columns are ``source``, ``clip``, ``error``, then those of
    :func:`blueprints.blueprint.flat`.
    """
    run = Run(folder)
    index = LineIndex(run.path("blueprints.jsonl"), "clip")
    kinds: CellTypes = {}
    for blueprint in run.blueprints():
        for name, value in flat(blueprint).items():
            if isinstance(value, bool | str):
                kinds.setdefault(name, type(value))
            elif value is not None:
                kinds.setdefault(name, float)
    likeness = likeness_by_source(run)
    if likeness:
        kinds[LIKENESS] = float
    columns: CellTypes = {"source": str, "clip": str, "error": str}
    columns |= dict(sorted(kinds.items()))
    measures = list(columns)[3:]

    def row(record: ClipRecord) -> list[Cell]:
        line = index.line(record.clip) if record.clip else None
        values = flat(strict_json.parse(Blueprint, line)) if line else {}
        values[LIKENESS] = likeness.get(record.source)
        cells: list[Cell] = [record.source, record.clip, record.error]
        cells += [values.get(name) for name in measures]
        return cells

    return CellTable(columns, map(row, run.clips().values()))


def export_otel(
    folder: Path, out: Path | None = None, policy: str | None = None
) -> Path:
    """Write a line of OTLP JSON per item, for a collector's file receiver.

    Returns the file.

    Args:
        out: None: ``export.otlp.jsonl`` in the run.
        policy: of the overall ratings; None: the last.

    Raises:
        UserError: no run is there.
    """
    run = Run.open(folder)
    path = out or run.path("export.otlp.jsonl")
    resource = {"attributes": _attributes({"service.name": "trace-eval"})}
    now = str(time.time_ns())

    def line(events: list[dict[str, Any]]) -> str:
        records: list[dict[str, Any]] = []
        for event in events:
            records.append(
                {
                    "timeUnixNano": now,
                    "eventName": EVENT,
                    "attributes": _attributes(event),
                }
            )
        logs = {"resource": resource, "scopeLogs": [{"logRecords": records}]}
        return json.dumps({"resourceLogs": [logs]}, ensure_ascii=False, allow_nan=False)

    write_lines(
        path, map(line, _of_scores(run) if run.holds_scores else _of_pairs(run, policy))
    )
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
            | {
                "gen_ai.evaluation.score.label": label,
                "trace_eval.system": score.system,
            }
        ]


def _of_pairs(run: Run, policy: str | None) -> Iterator[list[dict[str, Any]]]:
    overall = overall_by(run, policy)
    for judgement in run.judgements().values():
        label = "gen_ai.evaluation.score.label"
        events: list[dict[str, Any]] = []
        for about, verdict in judgement.dimensions.items():
            events.append(
                _event(judgement, judgement.pair, str(about), verdict.reasoning)
                | {label: str(verdict.rating)}
            )
        fused = overall.get(judgement.pair)
        rating = fused.rating if fused else None
        whole = _event(
            judgement, judgement.pair, "overall", fused.why if fused else None
        )
        whole |= {"trace_eval.policy": fused.policy if fused else None}
        yield [
            *events,
            whole | {label: judgement.status if rating is None else str(rating)},
        ]


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
    """Write attributes as OTLP does; what is None is left out."""
    attributes: list[dict[str, Any]] = []
    for key, value in values.items():
        if value is not None:
            kind = "doubleValue" if isinstance(value, float) else "stringValue"
            attributes.append({"key": key, "value": {kind: value}})
    return attributes
