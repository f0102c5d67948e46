"""What may stand in our source: no code from data, numbers with their nouns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.imports import ROOT, calls

#: Calls that run or rebuild what they are given.
FORBIDDEN = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen"),
    *(
        "pickle.load",
        "pickle.loads",
        "pickle.Unpickler",
        "marshal.load",
        "marshal.loads",
    ),
    *(
        "shelve.open",
        "joblib.load",
        "dill.load",
        "dill.loads",
        "yaml.load",
        "yaml.unsafe_load",
    ),
}

#: Between the driver and the workers of one user's own Ray cluster, which run our code
#: anyhow.
ALLOWED = {
    ("trace_eval/extracting/ray/actors.py", "pickle.loads"),
    ("trace_eval/runs/ray/judger.py", "pickle.loads"),
}


def _keywords(call: ast.Call) -> dict[str, object]:
    return {
        word.arg: word.value.value
        for word in call.keywords
        if word.arg and isinstance(word.value, ast.Constant)
    }


def test_no_call_runs_what_it_is_given() -> None:
    functions = {(path, ast.unparse(call.func)) for path, call in calls()}
    assert {(path, name) for path, name in functions if name in FORBIDDEN} == ALLOWED


def test_weights_are_tensors_only_and_arrays_hold_no_objects() -> None:
    for path, call in calls():
        given, name = _keywords(call), ast.unparse(call.func)
        if name == "torch.load":
            assert given.get("weights_only") is True, path
        assert given.get("allow_pickle") is not True, (path, name)
        assert given.get("trust_remote_code") is not True, (path, name)
        assert given.get("shell") is not True, (path, name)


#: Rooms whose sentences are read by annotators, not by a language model.
ROOMS = ("commands", "compare", "conversations", "data", "decide", "opinions")
ROOMS += ("report", "review", "runs", "show", "stats", "turns")

_NOUNS = (
    "answers|calls|clips|comparisons|conclusions|folders|groups|instructions|items|labels|pairs|"
    "questions|raters|recordings|requests|rows|turns"
)
_MANY = re.compile(rf" ([a-z-]+ )?({_NOUNS})\b")

#: What is no number before such a noun, or never one: names, also of the first system,
#: limits, raters of a ceiling.
_NO_NUMBERS = re.compile(
    r"(name|source|label_set|scale|counted\(.*|about\(.*|\.first|\.raters)\Z|\A[A-Z_]+\Z"
)


def _plain_plurals(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.JoinedStr):
            continue
        for part, rest in zip(node.values, node.values[1:], strict=False):
            if isinstance(part, ast.FormattedValue) and isinstance(rest, ast.Constant):
                said = ast.unparse(part.value)
                if _MANY.match(str(rest.value)) and not _NO_NUMBERS.search(said):
                    yield (
                        f"{path.relative_to(ROOT)}:{node.lineno}:"
                        f" {{{said}}}{rest.value}"
                    )


def test_numbers_are_said_with_their_nouns() -> None:
    """``1 pairs`` is never said: ``blueprints.counted`` joins numbers and nouns."""
    files = (
        path for room in ROOMS for path in (ROOT / "trace_eval" / room).rglob("*.py")
    )
    assert [found for path in sorted(files) for found in _plain_plurals(path)] == []
