"""Nothing that a user hands in is ever run as code, or unpickled."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: Calls that run or rebuild what they are given.
FORBIDDEN = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen"),
    *("pickle.load", "pickle.loads", "pickle.Unpickler", "marshal.load", "marshal.loads"),
    *("shelve.open", "joblib.load", "dill.load", "dill.loads", "yaml.load", "yaml.unsafe_load"),
}

#: Between the driver and the workers of one user's own Ray cluster, which run our code anyhow.
ALLOWED = {("trace_eval/extracting/ray/actors.py", "pickle.loads")}


def _calls() -> Iterator[tuple[str, str, ast.Call]]:
    """(file, what is called, the call) of everything that is installed."""
    for package in ("blueprints", "extractors", "fusion", "trace_eval"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call):
                    name = ast.unparse(node.func)
                    yield path.relative_to(ROOT).as_posix(), name, node


def _keywords(call: ast.Call) -> dict[str, object]:
    return {
        word.arg: word.value.value
        for word in call.keywords
        if word.arg and isinstance(word.value, ast.Constant)
    }


def test_no_call_runs_what_it_is_given() -> None:
    found = {(path, name) for path, name, _ in _calls() if name in FORBIDDEN}
    assert found == ALLOWED


def test_weights_are_tensors_only_and_arrays_hold_no_objects() -> None:
    for path, name, call in _calls():
        given = _keywords(call)
        if name == "torch.load":
            assert given.get("weights_only") is True, path
        assert given.get("allow_pickle") is not True, (path, name)
        assert given.get("trust_remote_code") is not True, (path, name)
        assert given.get("shell") is not True, (path, name)
