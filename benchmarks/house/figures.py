"""How much house there is, and how dense: rooms, imports, tokens, shapes.

A room is a folder of ``trace_eval``, a file that lies loose in it, or one of the
packages beside it. Every import counts, also those inside functions and those for type
checkers alone. Options are counted from the commands themselves, one slot per option
and command.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from benchmarks.house.walk import figures_of, label_walk
from tests.support.density import density, homes
from tests.support.docstrings import without_verb
from tests.support.imports import PACKAGES, ROOT, arrows, circles, modules, tree
from trace_eval.commands.cli import app

#: Lines from which a function is too long for a screen, and a file for a room.
LONG_FUNCTION, LONG_FILE = 60, 350


def _room(module: str) -> str:
    """Return the room that a module lies in; the facade ``trace_eval`` is none."""
    first, _, rest = module.partition(".")
    return (
        f"trace_eval.{rest.partition('.')[0]}"
        if first == "trace_eval" and rest
        else first
    )


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


def _files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def _lines(folder: str) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in _files(folder))


def _words() -> int:
    """Concepts that docs/reference/glossary.md explains, a row each."""
    lines = (
        (ROOT / "docs" / "reference" / "glossary.md").read_text("utf-8").splitlines()
    )
    return sum(line.startswith("| ") for line in lines) - sum(
        x.startswith("|---") for x in lines
    )


def _findings(rule: str) -> int:
    """Count what one rule of ruff finds in the product."""
    line = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache"]
    line += ["--preview", "--select", rule, "--output-format", "json", *PACKAGES]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    return len(json.loads(done.stdout or "[]"))


def _density(name: str, files: Iterable[Path]) -> Iterator[tuple[str, object]]:
    """Yield the figures of how densely some files are written."""
    counts = density(files, ROOT)
    yield f"tokens of {name}", counts.tokens
    yield f"tokens a code line of {name}", round(counts.per_line(), 2)
    for shape in ("comprehensions", "ternaries", "stars"):
        share = counts.per_thousand(getattr(counts, shape))
        yield f"{shape} a 1,000 lines of {name}", round(share, 1)
    yield f"nested comprehensions of {name}", len(counts.nested)
    yield f"calls with five positional of {name}", len(counts.positional)
    yield f"literals splatted into calls of {name}", len(counts.splatted)


def _circles_of_files() -> int:
    """Count the groups of files that import each other, late imports included."""
    graph: dict[str, set[str]] = defaultdict(set)
    for arrow in arrows():
        graph[arrow.source].add(arrow.target)
    return len(circles(graph))


def _options(command: Any, name: str = "") -> Iterator[tuple[str, int]]:
    """(command, number of its options) of all commands below one."""
    below = getattr(command, "commands", None)
    if below is None:
        yield name, sum(one.param_type_name == "option" for one in command.params)
    for child, sub in (below or {}).items():
        yield from _options(sub, f"{name} {child}".strip())


def figures() -> Iterator[tuple[str, object]]:
    """Yield (what, figure) of the working tree."""
    texts = [path.read_text("utf-8") for path in modules().values()]
    trees = [ast.parse(text) for text in texts]
    sizes = [len(text.splitlines()) for text in texts]
    graph, options = _graph(), dict(_options(typer.main.get_command(app)))
    yield from _density("product", modules().values())
    yield from _density("tests", _files("tests"))
    yield "docstrings that do not begin with a verb (D401)", _findings("D401")
    yield (
        "docstrings whose first word is no verb",
        len(without_verb(modules().values(), ROOT)),
    )
    yield (
        "names with more than one home",
        len(homes({name: tree(path) for name, path in modules().items()})),
    )
    yield "circles of files, late imports included", _circles_of_files()
    yield "late imports of our own", sum(arrow.late for arrow in arrows())
    yield from figures_of(label_walk())
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
    yield "concepts in docs/reference/glossary.md", _words()
    yield f"files over {LONG_FILE} lines", sum(size > LONG_FILE for size in sizes)
    yield "more than five arguments (PLR0913)", _findings("PLR0913")


def main() -> None:
    """Print the figures of the working tree."""
    for what, figure in figures():
        print(f"{what:50} {figure!s:>10}")
