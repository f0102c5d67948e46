"""What is said to annotators: one of something is not said like many."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: Rooms whose sentences are read by annotators, not by a language model.
ROOMS = ("commands", "compare", "conversations", "data", "decide", "opinions")
ROOMS += ("report", "review", "runs", "show", "stats", "turns")

_NOUNS = (
    "answers|calls|clips|comparisons|conclusions|folders|groups|instructions|items|labels|pairs|"
    "questions|raters|recordings|requests|rows|turns"
)
_MANY = re.compile(rf" ([a-z-]+ )?({_NOUNS})\b")

#: What is no number before such a noun, or never one: names, limits, raters of a ceiling.
_NO_NUMBERS = re.compile(
    r"(name|source|label_set|scale|counted\(.*|about\(.*|\.raters)\Z|\A[A-Z_]+\Z"
)


def _plain_plurals(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.JoinedStr):
            continue
        for part, rest in zip(node.values, node.values[1:], strict=False):
            if isinstance(part, ast.FormattedValue) and isinstance(rest, ast.Constant):
                said = ast.unparse(part.value)
                if _MANY.match(str(rest.value)) and not _NO_NUMBERS.search(said):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}: {{{said}}}{rest.value}"


def test_numbers_are_said_with_their_nouns() -> None:
    """``1 pairs`` is said nowhere: numbers and nouns go through ``blueprints.counted``."""
    files = (path for room in ROOMS for path in (ROOT / "trace_eval" / room).rglob("*.py"))
    assert [found for path in sorted(files) for found in _plain_plurals(path)] == []
