"""Rules that authors wrote as chains of ``if``: read from a checkout of their code, never run.

Such a function asks one reply after another phrase, ``if PHRASE in reply: return NUMBER``, and the
first that fits decides. The module is parsed, and only these forms are understood: a phrase that
the reply contains, is, begins or ends with, or a pattern whose one special part is ``(.+?)``.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from blueprints import UserError

#: The part of a pattern that stands for anything.
_ANYTHING = "(.+?)"

#: How a phrase is looked for in a reply -> the test.
_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "in": lambda phrase, reply: phrase in reply,
    "is": lambda phrase, reply: phrase == reply,
    "startswith": lambda phrase, reply: reply.startswith(phrase),
    "endswith": lambda phrase, reply: reply.endswith(phrase),
    "search": lambda phrase, reply: _between(phrase).search(reply) is not None,
}


@dataclass(frozen=True)
class ReleasedDecision:
    """One step of a chain: where the phrase fits, the value is the answer.

    Attributes:
        how: a key of the tests: ``in``, ``is``, ``startswith``, ``endswith`` or ``search``.
    """

    how: str
    phrase: str
    value: int


@dataclass(frozen=True)
class Decisions:
    """The chains of a module, by function, and which file it is.

    Attributes:
        chains: name of the function -> its steps, those of the function that it asks first before
            its own.
        sha256: of the file.
    """

    file: str
    chains: Mapping[str, tuple[ReleasedDecision, ...]]
    sha256: str

    @property
    def provenance(self) -> str:
        """Where they are from, for the figure's note."""
        steps = {step for chain in self.chains.values() for step in chain}
        return f"{len(steps)} steps of {self.file}, SHA-256 {self.sha256[:16]}"

    def decide(self, function: str, reply: str) -> int | None:
        """The value of the first step that fits; None: none does (they draw one).

        Raises:
            UserError: the module has no such function.
        """
        chain = self.chains.get(function)
        if chain is None:
            raise UserError(f"{self.file}: no function {function}; name the authors' checkout")
        return next((s.value for s in chain if _TESTS[s.how](s.phrase, reply)), None)


def read_decisions(checkout: Path, name: str) -> Decisions:
    """The chains of every function of a module of a checkout.

    Args:
        checkout: folder of the authors' code, or the module itself.
        name: file name of the module, e.g. ``bbh.py``.

    Raises:
        UserError: there is no such module, or a step has another form.
    """
    tree, path, digest = parsed(checkout, name)
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    own = {name: tuple(_steps(node.body, path)) for name, node in functions.items()}
    chains = {
        name: (*(step for first in _asked_first(node) for step in own.get(first, ())), *own[name])
        for name, node in functions.items()
    }
    return Decisions(path.name, {name: c for name, c in chains.items() if c}, digest)


def _asked_first(function: ast.FunctionDef) -> Iterator[str]:
    """Functions whose answer is taken where they have one: ``found = self.NAME(reply)``."""
    for node in function.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Attribute) and ast.unparse(called.value) == "self":
                yield called.attr


def _steps(body: list[ast.stmt], path: Path) -> Iterator[ReleasedDecision]:
    for node in body:
        while isinstance(node, ast.If):
            value = _returned(node.body)
            if value is not None:
                yield _step(node.test, value, path)
            (node, *more) = node.orelse or [ast.Pass()]
            if more:
                break


def _returned(body: list[ast.stmt]) -> int | None:
    """The number that a branch returns; None: it does something else."""
    last = body[-1]
    if len(body) == 1 and isinstance(last, ast.Return) and isinstance(last.value, ast.Constant):
        value = last.value.value
        return value if type(value) is int else None
    return None


def _step(test: ast.expr, value: int, path: Path) -> ReleasedDecision:
    match test:
        case ast.Compare(ast.Constant(str(phrase)), [ast.In()], [ast.Name()]):
            return ReleasedDecision("in", phrase, value)
        case ast.Compare(ast.Name(), [ast.Eq()], [ast.Constant(str(phrase))]):
            return ReleasedDecision("is", phrase, value)
        case ast.Call(ast.Attribute(ast.Name("re"), "search"), [ast.Constant(str(phrase)), _]):
            if not any(re.escape(p).replace("\\ ", " ") != p for p in phrase.split(_ANYTHING)):
                return ReleasedDecision("search", phrase, value)
        case ast.Call(ast.Attribute(_, "startswith" | "endswith" as how), [ast.Constant(str(p))]):
            return ReleasedDecision(how, p, value)
    raise UserError(
        f"{path}, line {test.lineno}: {ast.unparse(test)!r:.80} is a test that is not understood;"
        " leave out --lists, or name the commit that was read"
    )


def _between(phrase: str) -> re.Pattern[str]:
    return re.compile(".+?".join(map(re.escape, phrase.split(_ANYTHING))))


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
    def provenance(self) -> str:
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
