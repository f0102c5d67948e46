"""The runs below a folder, and what each is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blueprints import UserError
from trace_eval.runs.record import RunRecord
from trace_eval.runs.run import Run


@dataclass(frozen=True)
class ListedRun:
    """A run folder, and its record; None: why the record cannot be read."""

    folder: Path
    record: RunRecord | None = None
    problem: str | None = None


def list_runs(below: Path, tag: str | None = None) -> list[ListedRun]:
    """The runs at or below a folder, oldest first; those inside of other runs are left out.

    Raises:
        UserError: there is no such folder.
    """
    if not below.is_dir():
        raise UserError(f"{below}: no such folder; name the one that holds runs")
    results = []
    for folder in _folders(below):
        try:
            results.append(ListedRun(folder, Run(folder).record()))
        except UserError as error:
            results.append(ListedRun(folder, problem=str(error)))
    if tag is not None:
        results = [run for run in results if run.record and run.record.tag == tag]
    return sorted(results, key=lambda run: (run.record.started if run.record else "", run.folder))


def _folders(folder: Path) -> Iterator[Path]:
    if Run(folder).exists:
        yield folder
        return
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
            yield from _folders(path)
