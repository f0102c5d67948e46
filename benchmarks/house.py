"""How much house there is: rooms, imports between them, options, long functions and files.

    python -m benchmarks.house               # the working tree
    python -m benchmarks.house v0.2 HEAD     # commits, side by side

A room is a folder of ``trace_eval``, a file that lies loose in it, or one of the packages beside
it. Every import counts, also those inside functions and those for type checkers alone. Options
are counted from the commands themselves, one slot per option and command.
"""

from __future__ import annotations

import ast
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.support.imports import PACKAGES, ROOT, arrows, circles, modules

#: Lines from which a function is too long for a screen, and a file for a room.
LONG_FUNCTION, LONG_FILE = 60, 350

_COUNT_OPTIONS = """
import json, click, typer
from trace_eval.commands.cli import app
found = {}
def walk(name, command):
    if isinstance(command, click.Group) or hasattr(command, "commands"):
        for child, sub in command.commands.items():
            walk(f"{name} {child}".strip(), sub)
    else:
        found[name] = sum(p.param_type_name == "option" for p in command.params)
walk("", typer.main.get_command(app))
print(json.dumps(found))
"""


def room(module: str) -> str:
    """The room that a module lies in; the facade ``trace_eval`` is none."""
    first, _, rest = module.partition(".")
    return f"trace_eval.{rest.partition('.')[0]}" if first == "trace_eval" and rest else first


def _graph(root: Path) -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {room(name): set() for name in modules(root)}
    for arrow in arrows(root, types=True):
        source, target = room(arrow.source), room(arrow.target)
        if source != target and "trace_eval" not in (source, target):
            graph[source].add(target)
    graph.pop("trace_eval", None)
    return graph


def _long_functions(trees: list[ast.AST]) -> int:
    return sum(
        (node.end_lineno or 0) - node.lineno + 1 > LONG_FUNCTION
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def _shared_names(trees: list[ast.AST]) -> int:
    """Names of public classes that have more than one home."""
    homes = Counter(
        node.name
        for tree in trees
        for node in ast.iter_child_nodes(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return sum(number > 1 for number in homes.values())


def _lines(folder: Path) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in folder.rglob("*.py"))


def _words(root: Path) -> int:
    """Concepts that docs/reference/glossary.md explains, a row each."""
    lines = (root / "docs" / "reference" / "glossary.md").read_text("utf-8").splitlines()
    heads = sum(line.startswith("|---") for line in lines)
    return sum(line.startswith("| ") for line in lines) - heads


def _many_arguments(root: Path) -> int:
    """Functions with more than five arguments."""
    line = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--select",
        "PLR0913",
    ]
    line += ["--output-format", "json", *PACKAGES]
    done = subprocess.run(line, cwd=root, capture_output=True, text=True)
    return len(json.loads(done.stdout or "[]"))


def _options(root: Path) -> dict[str, int]:
    """Command -> number of its options."""
    done = subprocess.run(
        [sys.executable, "-c", _COUNT_OPTIONS],
        cwd=root,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin"},
    )
    counted: dict[str, int] = json.loads(done.stdout)
    return counted


def figures(root: Path) -> Iterator[tuple[str, object]]:
    """(what, figure) of one tree."""
    available = modules(root)
    texts = [path.read_text("utf-8") for path in available.values()]
    trees: list[ast.AST] = [ast.parse(text) for text in texts]
    sizes = [len(text.splitlines()) for text in texts]
    graph, options = _graph(root), _options(root)
    yield "product lines", sum(sizes)
    yield "lines of benchmarks", _lines(root / "benchmarks")
    yield "lines of tests", _lines(root / "tests")
    yield "product files", len(available)
    yield "rooms", len(graph)
    yield "arrows between rooms", sum(map(len, graph.values()))
    yield "circles of rooms", len(circles(graph))
    yield "options of judge", options.get("judge")
    yield "options of all commands", sum(options.values())
    yield "commands", len(options)
    yield f"functions over {LONG_FUNCTION} lines", _long_functions(trees)
    yield "class names with more than one home", _shared_names(trees)
    yield "concepts in docs/reference/glossary.md", _words(root)
    yield f"files over {LONG_FILE} lines", sum(size > LONG_FILE for size in sizes)
    yield "more than five arguments (PLR0913)", _many_arguments(root)


def main() -> None:
    """Print the working tree, or the named commits side by side."""
    columns: dict[str, dict[str, object]] = {}
    for commit in sys.argv[1:] or ["working tree"]:
        if commit == "working tree":
            columns[commit] = dict(figures(ROOT))
            continue
        tree = subprocess.run(
            ["git", "archive", commit], cwd=ROOT, capture_output=True, check=True
        ).stdout
        with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(tree)) as tar:
            tar.extractall(folder, filter="data")
            columns[commit] = dict(figures(Path(folder)))
    print(f"{'':42}", *(f"{title:>14}" for title in columns))
    for what in next(iter(columns.values())):
        print(f"{what:42}", *(f"{column[what]!s:>14}" for column in columns.values()))


if __name__ == "__main__":
    main()
