"""First words of docstrings: ruff's D401 takes nouns for verbs, and this does not."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

#: Verbs with which docstrings of functions begin. A new one is added here.
VERBS = frozenset(
    """
    accept act add align allow announce answer append apply ask assign average await be begin
    bind block bound bring build calibrate call cancel change check choose clamp clip close
    collect combine commit compare compile complete compute conclude continue convert copy correct
    correlate count create credit cut deal decide decode decompress define deflate delete
    deliver describe detect digest divide do double download drain draw drop edit encode end
    ensure escape estimate exchange execute expand explain export extend extract fail fence
    fetch fill filter find finish fit flatten fold follow forget forward freeze fuse generate
    give go group guess halve hand handle hash hear help hide hold ignore import index insert
    iterate join judge keep label lay lead learn leave lend let lift limit list listen load
    locate lock
    log look lower make map mark mask match mean measure merge mix move multiply name neutralise
    normalise note number open order pack pad pair parse part pass pay pick place plan play plot
    pool predict prepare print probe process pull push put question quote raise rank rate read
    rebuild receive recognise reconcile record redact reduce refuse register reject release
    remember remove rename render repeat replace report require rescale reserve reset resolve
    restore return review rewrite roll round run say scale schedule score screen search see
    segment select send serve set share shorten show sign simulate sketch skip sleep smooth sort
    spell split spread stack start state step stop store stream strip submit subtract sum swap
    take tell test time toss trace train transcribe translate trim try turn undo unfold unpack
    update use validate verify vote wait walk warn watch weigh whether widen work wrap write
    yield
    """.split()  # noqa: SIM905
)


def without_verb(paths: Iterable[Path], root: Path) -> list[str]:
    """Return the places of functions whose docstrings do not begin with a verb.

    Properties are named as values are.
    """
    places: list[str] = []
    for path in paths:
        name = path.relative_to(root).as_posix()
        for function in _functions(ast.parse(path.read_text("utf-8"))):
            words = (ast.get_docstring(function) or "").split()
            if words and words[0].strip(".,:;").lower() not in VERBS:
                places.append(f"{name}:{function.lineno} {words[0]}")
    return places


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = [ast.unparse(each) for each in node.decorator_list]
            if not any("property" in each for each in decorators):
                yield node
