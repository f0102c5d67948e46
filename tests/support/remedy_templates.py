"""Messages of the product that print something to type, found in its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.support.forked import ROOT

ROOMS = ("blueprints", "extractors", "fusion", "trace_eval")

#: What a message may ask a user to type.
TYPED = re.compile(
    r"(?<![\w/-])--[a-z][a-z0-9-]*"  # an option
    r"|(?<![\w-])-[JX] \w+"  # a setting of the judge or of extraction
    r"|trace-eval [a-z]+"  # a command
    r"|pip install"
    r"|\b[A-Z]{3,}_?[A-Z_]*="  # a variable of the environment
)

#: Keywords of calls whose texts are helps and names of options, and no messages.
_OF_OPTIONS = {
    *("help", "flag", "metavar", "epilog", "panel", "short", "pattern"),
    "description",  # of a field, in a schema
}

#: A text that is the name of a command or of a format alone, or a pattern.
_NAME_OR_PATTERN = re.compile(r"trace-eval [a-z]+(?: \d+)?|.*\(\?:.*", re.DOTALL)

#: Calls whose texts are parts of a command line, patterns or helps.
_NO_MESSAGES = {
    "Option",
    "Argument",
    "option_field",
    "compile",
    "removeprefix",
    "removesuffix",
}

#: What stands for a value in a template.
HOLE = "\0"


#: The holes of a template: values, and names that ``str.format`` fills.
_HOLES = re.compile(rf"{HOLE}|\{{\w+\}}")


class Template(NamedTuple):
    """A message with something to type.

    Attributes:
        file: where it stands, from the repository's root.
        text: with :data:`HOLE` for every value.
    """

    file: str
    text: str

    @property
    def name(self) -> str:
        """Its file and beginning, as tests list it."""
        shown = " ".join(self.text.replace(HOLE, "{}").split())
        return f"{self.file}: {shown[:70]}".rstrip()

    def stands_in(self, message: str) -> bool:
        """Whether a printed message, its lines joined, holds this one."""
        start = 0
        for words in _parts(self.text):
            start = message.find(words, start)
            if start < 0:
                return False
            start += len(words)
        return True


@cache
def _parts(text: str) -> tuple[str, ...]:
    """Return what stands between the values of a template, its lines joined."""
    return tuple(" ".join(part.split()) for part in _HOLES.split(text))


@cache
def templates() -> tuple[Template, ...]:
    """Find all messages with something to type, in the order of files."""
    found: list[Template] = []
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            file = str(path.relative_to(ROOT))
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [Template(file, text) for text in _texts(tree)]
    return tuple(dict.fromkeys(found))


def _texts(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of a module that are neither docstrings nor helps."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        text = _text(node)
        if text is not None:
            words = text.split()
            alone = all(word.startswith("-") for word in words)  # a list of options
            alone = alone or _NAME_OR_PATTERN.fullmatch(text) is not None
            if len(words) > 1 and not alone and TYPED.search(text):
                yield text
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring
        if isinstance(node, ast.Call) and _called(node) in _NO_MESSAGES:
            continue
        if isinstance(node, ast.keyword) and node.arg in _OF_OPTIONS:
            continue
        waiting += reversed(list(ast.iter_child_nodes(node)))


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (
            part.value if isinstance(part, ast.Constant) else HOLE
            for part in node.values
        )
        return "".join(map(str, parts))
    return None
