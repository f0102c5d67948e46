"""How much house there is: rooms, imports between them, options, long functions and files.

    python -m benchmarks.house

A room is a folder of ``trace_eval``, a file that lies loose in it, or one of the packages beside
it. Every import counts, also those inside functions and those for type checkers alone. Options
are counted from the commands themselves, one slot per option and command.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import typer

from tests.support.imports import PACKAGES, ROOT, arrows, circles, modules
from trace_eval.commands.cli import app

#: Lines from which a function is too long for a screen, and a file for a room.
LONG_FUNCTION, LONG_FILE = 60, 350


def _room(module: str) -> str:
    """The room that a module lies in; the facade ``trace_eval`` is none."""
    first, _, rest = module.partition(".")
    return f"trace_eval.{rest.partition('.')[0]}" if first == "trace_eval" and rest else first


def _graph() -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {_room(name): set() for name in modules()}
    for arrow in arrows(types=True):
        source, target = _room(arrow.source), _room(arrow.target)
        if source != target and "trace_eval" not in (source, target):
            graph[source].add(target)
    graph.pop("trace_eval", None)
    return graph


def _long_functions(trees: Sequence[ast.AST]) -> int:
    return sum(
        (node.end_lineno or 0) - node.lineno + 1 > LONG_FUNCTION
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def _shared_names(trees: Sequence[ast.AST]) -> int:
    """Names of public classes that have more than one home."""
    homes = Counter(
        node.name
        for tree in trees
        for node in ast.iter_child_nodes(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return sum(number > 1 for number in homes.values())


def _lines(folder: str) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in (ROOT / folder).rglob("*.py"))


def _words() -> int:
    """Concepts that docs/reference/glossary.md explains, a row each."""
    lines = (ROOT / "docs" / "reference" / "glossary.md").read_text("utf-8").splitlines()
    return sum(line.startswith("| ") for line in lines) - sum(x.startswith("|---") for x in lines)


def _many_arguments() -> int:
    """Functions with more than five arguments."""
    line = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    line += ["--select", "PLR0913", "--output-format", "json", *PACKAGES]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    return len(json.loads(done.stdout or "[]"))


def _options(command: Any, name: str = "") -> Iterator[tuple[str, int]]:
    """(command, number of its options) of all commands below one."""
    below = getattr(command, "commands", None)
    if below is None:
        yield name, sum(one.param_type_name == "option" for one in command.params)
    for child, sub in (below or {}).items():
        yield from _options(sub, f"{name} {child}".strip())


def figures() -> Iterator[tuple[str, object]]:
    """(what, figure) of the working tree."""
    texts = [path.read_text("utf-8") for path in modules().values()]
    trees = [ast.parse(text) for text in texts]
    sizes = [len(text.splitlines()) for text in texts]
    graph, options = _graph(), dict(_options(typer.main.get_command(app)))
    yield "product lines", sum(sizes)
    yield "lines of benchmarks", _lines("benchmarks")
    yield "lines of tests", _lines("tests")
    yield "product files", len(sizes)
    yield "rooms", len(graph)
    yield "arrows between rooms", sum(map(len, graph.values()))
    yield "circles of rooms", len(circles(graph))
    yield "options of judge", options.get("judge")
    yield "options of all commands", sum(options.values())
    yield "commands", len(options)
    yield f"functions over {LONG_FUNCTION} lines", _long_functions(trees)
    yield "class names with more than one home", _shared_names(trees)
    yield "concepts in docs/reference/glossary.md", _words()
    yield f"files over {LONG_FILE} lines", sum(size > LONG_FILE for size in sizes)
    yield "more than five arguments (PLR0913)", _many_arguments()


if __name__ == "__main__":
    for what, figure in figures():
        print(f"{what:42} {figure!s:>14}")
