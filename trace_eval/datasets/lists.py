"""Lists of phrases that are their authors': read from a checkout of their code, never shipped.

The module is parsed, and its longest list of texts taken; nothing of it is imported or run.
"""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass
from pathlib import Path

from blueprints import UserError

#: Largest module that is parsed, bytes.
MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Phrases:
    """A list of phrases, and which file it is from.

    Attributes:
        entries: in the order of the file.
        sha256: of the file.
    """

    file: str
    entries: tuple[str, ...]
    sha256: str

    @property
    def told(self) -> str:
        """Where they are from, for the figure's note."""
        return f"{len(self.entries)} entries of {self.file}, SHA-256 {self.sha256[:16]}"


def read_phrases(checkout: Path, name: str) -> Phrases:
    """The longest list of texts in a module of a checkout.

    Args:
        checkout: folder of the authors' code, or the module itself.
        name: file name of the module, e.g. ``mcq.py``.

    Raises:
        UserError: there is no such module, or no list in it.
    """
    tree, path, digest = parsed(checkout, name)
    lists = [texts for node in ast.walk(tree) if (texts := _texts(node))]
    if not lists:
        raise UserError(f"{path}: holds no list of texts; name the authors' module")
    return Phrases(path.name, max(lists, key=len), digest)


def parsed(checkout: Path, name: str) -> tuple[ast.Module, Path, str]:
    """A module of a checkout as its syntax tree, its file and the file's SHA-256; nothing is run.

    Args:
        checkout: folder of the authors' code, or the module itself.
        name: file name of the module.

    Raises:
        UserError: there is no such module, or it cannot be parsed.
    """
    result = [checkout] if checkout.is_file() else sorted(checkout.rglob(name))
    if not result:
        raise UserError(f"--lists {checkout}: no {name} in it; name a checkout of the repository")
    path = result[0]
    data = path.read_bytes()
    if len(data) > MAX_BYTES:
        raise UserError(f"{path}: {len(data)} bytes; at most {MAX_BYTES} are parsed")
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"{path}: no Python ({error}); name the authors' module") from None
    return tree, path, hashlib.sha256(data).hexdigest()


def _texts(node: ast.AST) -> tuple[str, ...]:
    if not isinstance(node, ast.List | ast.Tuple | ast.Set):
        return ()
    values = [
        item.value
        for item in node.elts
        if isinstance(item, ast.Constant) and isinstance(item.value, str)
    ]
    return tuple(values) if len(values) == len(node.elts) else ()
