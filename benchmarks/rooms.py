"""How the code is laid out: files and lines per room, and the imports between rooms.

    python -m benchmarks.rooms               # the working tree
    python -m benchmarks.rooms HEAD v0.1     # commits

A room is a folder of the packages, or a file that lies loose in ``trace_eval/``. Imports for
type checkers alone do not count.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

from tests.support.imports import ROOT, arrows, circles, modules


def room(module: str, path: Path) -> str:
    """The folder that a module lies in; itself where it lies loose."""
    name = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return module if name in ("trace_eval", "") else name


def levels(graph: dict[str, set[str]]) -> int:
    """Floors that the rooms need so that all arrows point downwards; circles count as one."""
    of: dict[str, int] = {}
    together = {name: tuple(group) for group in circles(graph) for name in group}

    def height(name: str) -> int:
        if name not in of:
            of[name] = 0  # ends the walk round a circle
            below = {
                other
                for other in graph.get(name, ())
                if together.get(other) != (together.get(name) or ())
            }
            of[name] = 1 + max(map(height, below), default=0)
        return of[name]

    return max(map(height, graph))


def report(root: Path, title: str) -> None:
    """Print the table of one tree."""
    known = modules(root)
    rooms = {name: room(name, path) for name, path in known.items()}
    files, lines = Counter(rooms.values()), Counter[str]()
    for name, path in known.items():
        lines[rooms[name]] += len(path.read_text("utf-8").splitlines())
    graph: dict[str, set[str]] = {name: set() for name in files}
    for arrow in arrows(root):
        source, target = rooms[arrow.source], rooms[arrow.target]
        if source != target:
            graph[source].add(target)
    between = sum(map(len, graph.values()))
    print(f"{title}: {len(files)} rooms, {len(known)} files, {between} arrows between rooms")
    files_graph: dict[str, set[str]] = {}
    for arrow in arrows(root):
        if not arrow.late:
            files_graph.setdefault(arrow.source, set()).add(arrow.target)
    print(f"levels: {levels(graph)}; circles of files: {circles(files_graph) or 'none'}")
    print(f"{'room':36} {'files':>5} {'lines':>6} {'imports':>7} {'imported by':>11}")
    for name in sorted(files):
        by = sum(name in targets for targets in graph.values())
        print(f"{name:36} {files[name]:5} {lines[name]:6} {len(graph[name]):7} {by:11}")
    print()


def main() -> None:
    """Print the working tree, or the named commits."""
    if len(sys.argv) == 1:
        report(ROOT, "working tree")
    for commit in sys.argv[1:]:
        tree = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, capture_output=True, check=True
        ).stdout
        with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(tree)) as tar:
            tar.extractall(folder, filter="data")
            report(Path(folder), commit)


if __name__ == "__main__":
    main()
