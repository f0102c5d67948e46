"""Who imports whom: the import graph of our packages, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PACKAGES = ("fusion", "blueprints", "extractors", "trace_eval")


@dataclass(frozen=True)
class Arrow:
    """One module imports another.

    Attributes:
        source, target: dotted names of modules.
        late: inside a function, so it is no part of a circle at import time.
    """

    source: str
    target: str
    late: bool


@cache
def modules(root: Path = ROOT) -> dict[str, Path]:
    """Every module of our packages by its dotted name."""
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    }


@cache
def tree(path: Path) -> ast.Module:
    """Parse a file."""
    return ast.parse(path.read_text("utf-8"))


def statements(parent: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands below a node, without the insides of expressions."""
    for node in ast.iter_child_nodes(parent):
        if not isinstance(node, ast.expr):
            yield node
            yield from statements(node)


def calls(root: Path = ROOT) -> Iterator[tuple[str, ast.Call]]:
    """(file, call) of every call in our packages."""
    for path in modules(root).values():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call):
                yield path.relative_to(root).as_posix(), node


@cache
def arrows(root: Path = ROOT, types: bool = False) -> tuple[Arrow, ...]:
    """Return all imports between our modules; ``types``: also for type checkers."""
    known = modules(root)
    homes = {
        f"{door}.{name}": home
        for door in known
        for name, home in door_names(door, root)
    }
    graph = []
    for name, path in known.items():
        for wanted, late in _imports(tree(path), types):
            wanted = homes.get(wanted, wanted)
            target = wanted if wanted in known else wanted.rpartition(".")[0]
            if target in known and target != name:
                graph.append(Arrow(name, target, late))
    return tuple(
        sorted(set(graph), key=lambda arrow: (arrow.source, arrow.target, arrow.late))
    )


def door_names(module: str, root: Path = ROOT) -> list[tuple[str, str]]:
    """Return names that a package gives out without importing them, and their homes."""
    path = modules(root)[module]
    if path.name != "__init__.py":
        return []
    return [
        (alias.name, f"{node.module}.{alias.name}")
        for branch in tree(path).body
        if isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.unparse(branch.test)
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


def _imports(
    parent: ast.AST, types: bool, late: bool = False
) -> Iterator[tuple[str, bool]]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.expr):
            continue  # which holds no statement
        if isinstance(node, ast.Import):
            yield from ((alias.name, late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((f"{node.module}.{alias.name}", late) for alias in node.names)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imports(node, types, True) if types else ()
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from _imports(node, types, late or inside)


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Find groups of nodes that reach each other (strongly connected, two or more)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                groups.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return groups
