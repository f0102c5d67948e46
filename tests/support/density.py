"""Density of source: tokens a line, and the shapes that a reader must unfold."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
LITERALS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.BinOp)

#: Positional arguments from which a reader counts on fingers.
MANY_POSITIONAL = 5

#: The longest line of code, and of a docstring's first line.
COLUMNS = 88

_COUNTED = (tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.STRING)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, kw_only=True)
class Density:
    """The counts of one file or of several.

    Attributes:
        tokens: names, operators, numbers and strings outside docstrings and imports.
        lines: lines of code, without blank lines, comments, docstrings and imports.
        comprehensions, ternaries, stars: how many there are; a star is an unpacked
            argument of a call or element of a display.
        nested: lines with a comprehension inside another, or a ``:=`` inside one.
        positional: lines with a call of five or more positional arguments.
        splatted: lines with a call into which a literal is unpacked.
    """

    tokens: int = 0
    lines: int = 0
    comprehensions: int = 0
    ternaries: int = 0
    stars: int = 0
    nested: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()
    splatted: tuple[str, ...] = ()

    def per_line(self) -> float:
        """Return the tokens a line of code."""
        return self.tokens / max(self.lines, 1)

    def per_thousand(self, number: int) -> float:
        """Return a number of shapes for each 1,000 lines of code."""
        return 1000 * number / max(self.lines, 1)


def density(paths: Iterable[Path], root: Path) -> Density:
    """Count the files of a tree; places are named relative to ``root``."""
    files = [_density(path, path.relative_to(root).as_posix()) for path in paths]
    return Density(
        tokens=sum(file.tokens for file in files),
        lines=sum(file.lines for file in files),
        comprehensions=sum(file.comprehensions for file in files),
        ternaries=sum(file.ternaries for file in files),
        stars=sum(file.stars for file in files),
        nested=tuple(place for file in files for place in file.nested),
        positional=tuple(place for file in files for place in file.positional),
        splatted=tuple(place for file in files for place in file.splatted),
    )


def _density(path: Path, name: str) -> Density:
    text = path.read_text("utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    uncounted = _documentation_and_imports(nodes)
    return Density(
        tokens=_tokens(text, uncounted),
        lines=_code_lines(text, uncounted),
        comprehensions=sum(isinstance(node, COMPREHENSIONS) for node in nodes),
        ternaries=sum(isinstance(node, ast.IfExp) for node in nodes),
        stars=sum(_is_star(node) for node in nodes),
        nested=_places(name, filter(_is_nested, nodes)),
        positional=_places(name, filter(_has_many_positional, nodes)),
        splatted=_places(name, filter(_splats_a_literal, nodes)),
    )


def dense_places(trees: Mapping[Path, ast.Module], root: Path) -> dict[str, list[str]]:
    """Return the places of each of :data:`SHAPES`, and long first lines of docstrings.

    The files are already parsed, and no tokens are counted, which takes most of the
    time of :func:`density`.
    """
    places: dict[str, list[str]] = {shape: [] for shape in (*SHAPES, "long")}
    for path, module in trees.items():
        name = path.relative_to(root).as_posix()
        nodes = list(ast.walk(module))
        for shape, has_shape in SHAPES.items():
            places[shape] += _places(name, filter(has_shape, nodes))
        lines = path.read_text("utf-8").splitlines()
        places["long"] += _long_first_lines(name, nodes, lines)
    return places


def _long_first_lines(
    name: str, nodes: Iterable[ast.AST], lines: list[str]
) -> Iterator[str]:
    """Yield the places of docstrings whose first line is longer than a line of code."""
    for node in nodes:
        if (
            isinstance(node, _DOCUMENTED)
            and ast.get_docstring(node, clean=False) is not None
        ):
            number = node.body[0].lineno
            if len(lines[number - 1]) > COLUMNS:
                yield f"{name}:{number}"


def _documentation_and_imports(nodes: Iterable[ast.AST]) -> set[int]:
    """Return the numbers of all lines that docstrings and imports take."""
    lines: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif (
            isinstance(node, _DOCUMENTED)
            and ast.get_docstring(node, clean=False) is not None
        ):
            text = node.body[0]
            lines.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    return lines


def _tokens(text: str, uncounted: set[int]) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(
        token.type in _COUNTED and token.start[0] not in uncounted for token in tokens
    )


def _code_lines(text: str, uncounted: set[int]) -> int:
    number_of_lines = 0
    for number, line in enumerate(text.splitlines(), 1):
        is_code = bool(line.strip()) and not line.lstrip().startswith("#")
        number_of_lines += is_code and number not in uncounted
    return number_of_lines


def _is_star(node: ast.AST) -> bool:
    if isinstance(node, ast.keyword):
        return node.arg is None
    return isinstance(node, ast.Starred) and isinstance(node.ctx, ast.Load)


def _is_nested(node: ast.AST) -> bool:
    inner = (COMPREHENSIONS, ast.NamedExpr)
    if not isinstance(node, COMPREHENSIONS):
        return False
    below = (
        deeper for child in ast.iter_child_nodes(node) for deeper in ast.walk(child)
    )
    return any(isinstance(deeper, inner) for deeper in below)


def _has_many_positional(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    plain = [
        argument for argument in node.args if not isinstance(argument, ast.Starred)
    ]
    return len(plain) >= MANY_POSITIONAL


def _splats_a_literal(node: ast.AST) -> bool:
    """Tell whether a literal is unpacked into a call; ``[x] * 2`` is one, too."""
    if not isinstance(node, ast.Call):
        return False
    starred = [
        argument.value for argument in node.args if isinstance(argument, ast.Starred)
    ]
    named = [keyword.value for keyword in node.keywords if keyword.arg is None]
    return any(isinstance(value, LITERALS) for value in starred + named)


#: Shapes that a reader must unfold: name -> whether a node has it.
SHAPES: dict[str, Callable[[ast.AST], bool]] = {
    "nested": _is_nested,
    "positional": _has_many_positional,
    "splatted": _splats_a_literal,
}


def _places(name: str, nodes: Iterable[ast.AST]) -> tuple[str, ...]:
    return tuple(f"{name}:{node.lineno}" for node in nodes)  # type: ignore[attr-defined]


def homes(trees: dict[str, ast.Module]) -> dict[str, list[str]]:
    """Return each class and type alias of several modules, with these modules."""
    places: dict[str, list[str]] = defaultdict(list)
    for module, tree in trees.items():
        for name in _defined(tree):
            places[name].append(module)
    return {name: modules for name, modules in places.items() if len(modules) > 1}


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name
        elif (
            isinstance(node, ast.AnnAssign)
            and ast.unparse(node.annotation) == "TypeAlias"
        ):
            yield ast.unparse(node.target)
        elif isinstance(node, ast.Assign) and _is_type(node.value):
            yield from map(ast.unparse, node.targets)


def _is_type(value: ast.expr) -> bool:
    """Tell if a value is a type, as in ``Array = NDArray[float64]`` or ``A | B``."""
    if isinstance(value, ast.Subscript):
        base = ast.unparse(value.value).rpartition(".")[2]
        return base in _GENERIC
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr):
        return all(map(_names_a_type, (value.left, value.right)))
    return False


_GENERIC = {
    "Annotated",
    "Awaitable",
    "Callable",
    "Iterable",
    "Iterator",
    "Literal",
    "Mapping",
    "NDArray",
    "Sequence",
    "dict",
    "frozenset",
    "list",
    "set",
    "tuple",
    "type",
}


def _names_a_type(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return value.value is None
    name = ast.unparse(value).rpartition(".")[2]
    return name in {"str", "int", "float", "bool", "bytes"} or name[:1].isupper()
