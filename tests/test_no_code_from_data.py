"""Nothing that a user hands in is ever run as code, or unpickled."""

from __future__ import annotations

import ast

from tests.support.imports import calls

#: Calls that run or rebuild what they are given.
FORBIDDEN = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen"),
    *("pickle.load", "pickle.loads", "pickle.Unpickler", "marshal.load", "marshal.loads"),
    *("shelve.open", "joblib.load", "dill.load", "dill.loads", "yaml.load", "yaml.unsafe_load"),
}

#: Between the driver and the workers of one user's own Ray cluster, which run our code anyhow.
ALLOWED = {("trace_eval/extracting/ray/actors.py", "pickle.loads")}


def _keywords(call: ast.Call) -> dict[str, object]:
    return {
        word.arg: word.value.value
        for word in call.keywords
        if word.arg and isinstance(word.value, ast.Constant)
    }


def test_no_call_runs_what_it_is_given() -> None:
    found = {(path, ast.unparse(call.func)) for path, call in calls()}
    assert {(path, name) for path, name in found if name in FORBIDDEN} == ALLOWED


def test_weights_are_tensors_only_and_arrays_hold_no_objects() -> None:
    for path, call in calls():
        given, name = _keywords(call), ast.unparse(call.func)
        if name == "torch.load":
            assert given.get("weights_only") is True, path
        assert given.get("allow_pickle") is not True, (path, name)
        assert given.get("trust_remote_code") is not True, (path, name)
        assert given.get("shell") is not True, (path, name)
