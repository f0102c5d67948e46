"""Results of a run and measures of its clips, for other programs."""

from __future__ import annotations

from pathlib import Path

from blueprints import Blueprint, UserError, Value
from blueprints.flat import flat
from trace_eval.data import strict_json
from trace_eval.data.outputs import write_lines
from trace_eval.runs.reader import LineIndex
from trace_eval.runs.run import Run
from trace_eval.runs.table import Cell, Columns, Table, results_table, write_parquet


def export_table(
    folder: Path, kind: str, out: Path | None = None, policy: str | None = None
) -> Path:
    """Write the results of a run, one row per pair.

    Args:
        folder: the run.
        kind: ``csv`` or ``parquet``.
        out: the file; None: ``export.csv`` or ``export.parquet`` in the run.
        policy: name of one that the run was fused with; None: the last.

    Returns:
        The file.

    Raises:
        UserError: no run is there, or it was not fused with that policy.
    """
    run = Run.open(folder)
    overall = run.overall(policy)
    if policy is not None and not overall:
        last = next((result.policy for result in run.overall().values()), None)
        if policy != last:
            raise UserError(
                f"{folder}: was not fused with {policy!r}; run: trace-eval fuse {folder}"
                f" --policy {policy}"
            )
        overall = run.overall()
    path = out or run.path(f"export.{kind}")
    table = results_table(run, overall)
    if kind == "parquet":
        write_parquet(table, path)
    else:
        write_lines(path, table.csv_lines())
    return path


def clip_table(folder: Path) -> Table:
    """One row per recording of a run, or of a folder of ``extract``: all its measures.

    Columns are ``source``, ``clip``, ``error``, then ``group.field`` as :func:`blueprints.flat`
    names them.
    """
    run = Run(folder)
    index = LineIndex(run.path("blueprints.jsonl"), "clip")
    kinds: Columns = {}
    for blueprint in run.blueprints():
        for name, value in flat(blueprint).items():
            if value is not None:
                kinds.setdefault(name, _kind(value))
    columns = dict.fromkeys(("source", "clip", "error"), str) | dict(sorted(kinds.items()))

    def row(source: str, clip: str | None, error: str | None) -> list[Cell]:
        line = index.line(clip) if clip else None
        values = flat(strict_json.parse(Blueprint, line)) if line else {}
        return [source, clip, error, *(_cell(values.get(name)) for name in list(columns)[3:])]

    return Table(columns, (row(r.source, r.clip, r.error) for r in run.clips().values()))


def write_clips(folder: Path | str, path: Path) -> None:
    """Write :func:`clip_table` as CSV.

    Raises:
        UserError: the blueprints are at a URL.
    """
    if not isinstance(folder, Path):
        raise UserError(f"{path}: a table is made of a folder on this machine, not of a URL")
    write_lines(path, clip_table(folder).csv_lines())


def _kind(value: Value) -> type[str] | type[float] | type[bool]:
    if isinstance(value, bool):
        return bool
    return str if isinstance(value, str) else float


def _cell(value: Value) -> Cell:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
