"""Results of a run and measures of its clips, for other programs."""

from __future__ import annotations

from pathlib import Path

from blueprints import Blueprint, UserError
from blueprints.blueprint import flat
from trace_eval.data import strict_json
from trace_eval.data.outputs import write_lines, writing
from trace_eval.runs.reader import LineIndex
from trace_eval.runs.run import Run
from trace_eval.runs.table import Cell, Columns, Table, results_table


def export_table(
    folder: Path, kind: str, out: Path | None = None, policy: str | None = None
) -> Path:
    """Write the results of a run, one row per pair.

    Args:
        kind: ``csv`` or ``parquet``.
        out: the file; None: ``export.csv`` or ``export.parquet`` in the run.
        policy: name of one that the run was fused with; None: the last.

    Returns:
        The file.

    Raises:
        UserError: no run is there, or it was not fused with that policy.
    """
    run = Run.open(folder)
    overall = run.overall()
    if policy is not None and policy not in {result.policy for result in overall.values()}:
        overall = run.overall(policy)
        if not overall:
            raise UserError(
                f"{folder}: was not fused with {policy!r}; run: trace-eval fuse {folder}"
                f" --policy {policy}"
            )
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


def clip_table(folder: Path) -> Table:
    """One row per recording of a run, or of a folder of ``extract``: all its measures.

    Columns are ``source``, ``clip``, ``error``, then those of :func:`blueprints.blueprint.flat`.
    """
    run = Run(folder)
    index = LineIndex(run.path("blueprints.jsonl"), "clip")
    kinds: Columns = {}
    for blueprint in run.blueprints():
        for name, value in flat(blueprint).items():
            if value is not None:
                kinds.setdefault(name, type(value) if isinstance(value, bool | str) else float)
    columns = dict.fromkeys(("source", "clip", "error"), str) | dict(sorted(kinds.items()))

    def row(source: str, clip: str | None, error: str | None) -> list[Cell]:
        line = index.line(clip) if clip else None
        values = flat(strict_json.parse(Blueprint, line)) if line else {}
        return [source, clip, error, *(values.get(name) for name in list(columns)[3:])]

    return Table(columns, (row(r.source, r.clip, r.error) for r in run.clips().values()))
