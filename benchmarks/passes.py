"""What each pass of a long benchmark took, kept in a file so that it can go on."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.process_tree import ProcessTree

T = TypeVar("T")

#: Columns of which the largest of all sessions counts.
_LARGEST = ("largest process, GiB", "together, GiB")

#: Columns that are added up over the sessions of a pass.
_SUMS = ("s", "CPU s", "read, MB")


class Passes:
    """What passes took, in a file: a finished one is not done again.

    Of a pass that was stopped the sessions are added up; one that was killed is not
    known of.

    Args:
        path: where it is kept.
        unit: what a pass works on, in the plural; a pass is finished when its results
            count them.
    """

    def __init__(self, path: Path, unit: str) -> None:
        self._path, self._unit = path, unit
        self._rows: dict[str, dict[str, Any]] = {}
        if path.exists():
            self._rows = json.loads(path.read_text())

    def has(self, *names: str) -> bool:
        """Whether all of some passes are finished."""
        return all(self._unit in self._rows.get(name, {}) for name in names)

    def row(self, name: str, work: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """Do what is left of a pass, and return what all of it took and found."""
        row = self._rows.setdefault(name, dict.fromkeys((*_SUMS, *_LARGEST), 0))
        if not self.has(name):
            self._add(row, work)
        count = row[self._unit]
        found = {key: row[key] for key in row if key not in (*_SUMS, *_LARGEST)}
        each_ms = round(1000 * row["CPU s"] / count, 2)
        cost = {"s": round(row["s"], 1), f"CPU ms a {self._unit[:-1]}": each_ms}
        largest = {key: round(row[key], 2) for key in _LARGEST}
        read = {"read, MB": round(row["read, MB"])}
        return {self._unit: count, **cost, **largest, **read, **found}

    def _add(self, row: dict[str, Any], work: Callable[[], Mapping[str, Any]]) -> None:
        started, tree = time.monotonic(), ProcessTree()
        try:
            with tree:
                found = work()
            row |= found
        finally:
            row["s"] += time.monotonic() - started
            row["CPU s"] += tree.cpu_s
            row["read, MB"] += tree.read_mb
            sizes = (tree.largest_gib, tree.together_gib)
            for name, gib in zip(_LARGEST, sizes, strict=True):
                row[name] = max(row[name], gib)
            self._path.write_text(json.dumps(self._rows, indent=2))


def apart(work: Callable[..., T], *arguments: object) -> T:
    """Call a function in a process of its own, which leaves no memory behind."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()
