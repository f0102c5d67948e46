"""Authors' rules in chains of ``if``, read from a checkout of their code, never run.

Such a function asks one reply after another phrase, ``if PHRASE in reply: return
NUMBER``, and the first that fits decides. The module is parsed, and only these forms
are understood: a phrase that the reply contains, is, begins or ends with, or a pattern
whose one special part is ``(.+?)``.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from blueprints import InputError

#: The part of a pattern that stands for anything.
_ANYTHING = "(.+?)"

#: How a phrase is looked for in a reply -> the test.
_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "in": lambda phrase, reply: phrase in reply,
    "is": lambda phrase, reply: phrase == reply,
    "startswith": lambda phrase, reply: reply.startswith(phrase),
    "endswith": lambda phrase, reply: reply.endswith(phrase),
    "search": lambda phrase, reply: bool(
        re.search(".+?".join(map(re.escape, phrase.split(_ANYTHING))), reply)
    ),
}

#: Largest module that is parsed, bytes.
MAX_BYTES = 1 << 20


class ReleasedDecision(NamedTuple):
    """One step of a chain: where the phrase fits, the value is the answer."""

    how: str
    """A key of the tests: ``in``, ``is``, ``startswith``, ``endswith`` or ``search``."""
    phrase: str
    value: int


#: Name of a function -> its steps, those of the function that it asks first before its
#: own.
Chains = Mapping[str, Sequence[ReleasedDecision]]


def decide(chains: Chains, function: str, reply: str) -> int | None:
    """Return the value of a function's first step that fits.

    None means that no step fits; there the authors draw a value.
    """
    if function not in chains:
        raise InputError(f"bbh.py: no function {function}; name the authors' checkout")
    chain = chains[function]
    return next((s.value for s in chain if _TESTS[s.how](s.phrase, reply)), None)


def read_decisions(checkout: Path, name: str) -> tuple[Chains, str]:
    """Read the chains of every function of a module, e.g. ``bbh.py``, and their origin.

    ``checkout`` is a folder of the authors' code, or the module itself.

    Raises:
        UserError: there is no such module, or a step has another form.
    """
    tree, path, digest = _parsed(checkout, name)
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    steps_of_functions = {
        name: tuple(_steps(node.body, path)) for name, node in functions.items()
    }
    chains: dict[str, tuple[ReleasedDecision, ...]] = {}
    for name, node in functions.items():
        before = [
            step
            for called in _called_first(node)
            for step in steps_of_functions.get(called, ())
        ]
        chains[name] = tuple(before) + steps_of_functions[name]
    steps = {step for chain in chains.values() for step in chain}
    where = f"{len(steps)} steps of {path.name}, SHA-256 {digest}"
    return {name: chain for name, chain in chains.items() if chain}, where


def _called_first(function: ast.FunctionDef) -> Iterator[str]:
    """Find functions whose answer, if any, is taken: ``found = self.NAME(reply)``."""
    for node in function.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = node.value.func
            if (
                isinstance(called, ast.Attribute)
                and ast.unparse(called.value) == "self"
            ):
                yield called.attr


def _steps(body: list[ast.stmt], path: Path) -> Iterator[ReleasedDecision]:
    for node in body:
        while isinstance(node, ast.If):
            match node.body:
                case [ast.Return(ast.Constant(int(value)))] if type(value) is int:
                    yield _step(node.test, value, path)
            (node, *more) = node.orelse or [ast.Pass()]
            if more:
                break


def _step(test: ast.expr, value: int, path: Path) -> ReleasedDecision:
    match test:
        case ast.Compare(ast.Constant(str(phrase)), [ast.In()], [ast.Name()]):
            return ReleasedDecision("in", phrase, value)
        case ast.Compare(ast.Name(), [ast.Eq()], [ast.Constant(str(phrase))]):
            return ReleasedDecision("is", phrase, value)
        case ast.Call(
            ast.Attribute(ast.Name("re"), "search"), [ast.Constant(str(phrase)), _]
        ):
            if not any(
                re.escape(p).replace("\\ ", " ") != p for p in phrase.split(_ANYTHING)
            ):
                return ReleasedDecision("search", phrase, value)
        case ast.Call(
            ast.Attribute(_, "startswith" | "endswith" as how), [ast.Constant(str(p))]
        ):
            return ReleasedDecision(how, p, value)
    raise InputError(
        f"{path}, line {test.lineno}: {ast.unparse(test)!r:.80} is a test that is not"
        " understood; leave out --lists, or name the commit that was read"
    )


def read_phrases(checkout: Path, name: str) -> tuple[tuple[str, ...], str]:
    """Read the longest list of texts in a module of a checkout, and its origin.

    Raises:
        UserError: there is no such module, or no list in it.
    """
    tree, path, digest = _parsed(checkout, name)
    phrases = max((_texts(node) for node in ast.walk(tree)), key=len)
    if not phrases:
        raise InputError(f"{path}: holds no list of texts; name the authors' module")
    return phrases, f"{len(phrases)} entries of {path.name}, SHA-256 {digest}"


def _parsed(checkout: Path, name: str) -> tuple[ast.Module, Path, str]:
    """Parse a module of a checkout; return its tree, file and start of its SHA-256."""
    result = [checkout] if checkout.is_file() else sorted(checkout.rglob(name))
    if not result:
        raise InputError(
            f"--lists {checkout}: no {name} in it; name a checkout of the repository"
        )
    path = result[0]
    data = path.read_bytes()
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: {len(data)} bytes; at most {MAX_BYTES} are parsed")
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(
            f"{path}: is not Python ({error}); name the authors' module"
        ) from None
    return tree, path, hashlib.sha256(data).hexdigest()[:16]


def _texts(node: ast.AST) -> tuple[str, ...]:
    entries = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else []
    values = [entry.value for entry in entries if isinstance(entry, ast.Constant)]
    texts = tuple(value for value in values if isinstance(value, str))
    return texts if len(texts) == len(entries) else ()
