from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from blueprints import DamagedFile, Provenance, UserError
from trace_eval.data import strict_json
from trace_eval.data.answers import Recording
from trace_eval.data.manifests import read_manifest
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.run import Run

GOOD = b'{"id": "good", "a": {"audio": "a.wav"}, "b": {"audio": "b.wav"}}'


def _pair(field: bytes) -> bytes:
    return b'{"id": "x", "a": "a", "b": "b", ' + field + b"}"


#: What each is, and a part of what is said of it.
BAD: dict[str, tuple[bytes, str]] = {
    "lone surrogate": (b'{"id": "\\ud800", "a": "a.wav", "b": "b.wav"}', "not JSON"),
    "Latin-1": (
        '{"id": "é", "a": "a.wav", "b": "b.wav"}'.encode("latin-1"),
        "not UTF-8",
    ),
    "brackets": (b"[" * 100_000, "not JSON"),
    "nested meta": (
        _pair(b'"m": ' + b"[" * 150 + b"]" * 150),
        "nested deeper than 100",
    ),
    "long integer": (_pair(b'"n": ' + b"1" * 5000), "not JSON"),
    "101 digits": (_pair(b'"n": 1' + b"0" * 100), "100 digits"),
    "overflow": (_pair(b'"n": 1e999'), "too large"),
    "NaN": (_pair(b'"n": NaN'), "not JSON"),
    "twice": (b'{"id": "x", "id": "y", "a": "a", "b": "b"}', "uplicate key"),
    "bytes as text": (
        b'{"id": "x", "a": {"audio": {"bytes": "t"}}, "b": "b"}',
        "bytes",
    ),
    "HF bytes as text": (b'{"id": "x", "a": {"bytes": "t"}, "b": "b"}', "bytes"),
    "NUL in a path": (b'{"id": "x", "a": "a\\u0000.wav", "b": "b"}', "NUL"),
    "label true": (_pair(b'"labels": {"content": true}'), "labels.content"),
    "no recording": (b'{"id": "x", "a": {"system": "one"}, "b": "b"}', "needs 'audio'"),
    "labels a text": (_pair(b'"labels": "1"'), "labels: expected"),
    "id true": (b'{"id": true, "a": "a", "b": "b"}', "id:"),
    "long id": (
        b'{"id": "' + b"x" * 10_000 + b'", "a": "a", "b": "b"}',
        "at most 1000",
    ),
}


#: Those that are no JSON at all.
NO_JSON = (
    "lone surrogate",
    "Latin-1",
    "nested meta",
    "101 digits",
    "overflow",
    "NaN",
    "twice",
)


@pytest.mark.parametrize("kind", BAD)
def test_one_bad_line_is_one_problem_with_its_number(kind: str, tmp_path: Path) -> None:
    line, said = BAD[kind]
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(
        GOOD + b"\n" + line + b"\n" + GOOD.replace(b"good", b"also") + b"\n"
    )
    manifest = read_manifest(path)
    assert [pair.id for pair in manifest.pairs] == ["good", "also"]
    (problem,) = manifest.problems
    assert problem.where == f"{path}, line 2"
    assert said in problem.what
    assert len(str(problem)) < 1000
    problem.what.encode()


@pytest.mark.parametrize("kind", sorted(BAD.keys() - {"brackets", "long integer"}))
def test_a_bad_item_of_a_list_is_one_problem_if_the_file_is_json(
    kind: str, tmp_path: Path
) -> None:
    line, _ = BAD[kind]
    path = tmp_path / "pairs.json"
    path.write_bytes(b"[" + GOOD + b",\n" + line + b"]")
    if kind in NO_JSON:
        with pytest.raises(UserError, match=r"pairs\.json: cannot be read as json \("):
            read_manifest(path)
        return
    manifest = read_manifest(path)
    assert [pair.id for pair in manifest.pairs] == ["good"]
    assert [problem.where for problem in manifest.problems] == [f"{path}, record 2"]


@pytest.mark.parametrize(
    "content", [BAD["brackets"][0], b"{", b"{}", b"1" * 5000, b"\xff"]
)
def test_a_file_that_is_no_list_is_one_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"pairs\.json"):
        read_manifest(path)


def test_bad_rows_of_csv_are_problems(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    rows = [b"id,a,b", b"1,a.wav,b.wav", "é,a.wav,b.wav".encode("latin-1")]
    path.write_bytes(b"\n".join([*rows, b"3," + b"x" * 200_000 + b",b.wav", b"4,a,b"]))
    manifest = read_manifest(path)
    # a cell is as long as one of JSON lines may be: what it names is looked for later
    assert [pair.id for pair in manifest.pairs] == ["1", "3", "4"]
    assert [problem.where for problem in manifest.problems] == [f"{path}, row 2"]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_parameters_are_finite(number: str) -> None:
    # pydantic refuses these in Python values, but not in JSON.
    inner = f'"parameters": {{"a": [{{"b": {number}}}]}}'
    text = f'{{"extractor": "x", "version": "1", {inner}}}'
    with pytest.raises(ValidationError, match="finite"):
        Provenance.model_validate_json(text)


def test_a_damaged_line_of_a_run_is_named(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    path = tmp_path / "clips.jsonl"
    good = ClipRecord(source="x").model_dump_json().encode()
    for bad in (
        b"{",
        b'{"source": "\xff"}',
        b'{"source": "a", "source": "b"}',
        b"[" * 1000,
    ):
        path.write_bytes(good + b"\n" + bad + b"\n" + good + b"\n")
        with pytest.raises(UserError, match=r"clips\.jsonl, line 2: "):
            Run.open(tmp_path).clips()


_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**90), 10**90)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(_JSON)
def test_what_json_may_hold_is_read_as_python_reads_it(value: Any) -> None:
    assert strict_json.loads(json.dumps(value)) == value
    assert strict_json.loads(json.dumps(value, ensure_ascii=False).encode()) == value


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_anything_else_is_refused(data: bytes | str) -> None:
    try:
        value = strict_json.loads(data)
    except strict_json.BadJson:
        return
    assert json.loads(json.dumps(value, allow_nan=False)) == value


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("[" + "1" * 50 + "]", "at most 40 are read"),
        ("\ud800", "UTF-8 cannot hold"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_strict_json_refuses(data: str | bytes, said: str) -> None:
    with pytest.raises(strict_json.BadJson, match=said):
        strict_json.loads(data, max_bytes=40)


def test_records_of_ours_name_what_is_wrong(tmp_path: Path) -> None:
    for line, told in (
        ("{", "f: a line is damaged"),
        ("[1]", "f: a line is not an object"),
        ("{}", "f: a record has no 'x'"),
    ):
        with pytest.raises(DamagedFile, match=told):
            strict_json.record(line, "f")["x"]


def test_files_and_lines_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'"' + b"x" * 5000 + b'"\n1\n')  # long lines are not held
    (first, bad), second = strict_json.lines(path, max_bytes=100)
    assert (first, second) == (1, (2, 1))
    assert str(bad) == "a line of 5003 bytes; at most 100 are read"
    path.write_text("[1, 2, 3]")
    monkeypatch.setattr(strict_json, "MAX_FILE_BYTES", 5)
    monkeypatch.setattr(strict_json, "MAX_LINE_BYTES", 5)
    with pytest.raises(strict_json.BadJson, match="9 bytes; at most 5 are read"):
        strict_json.read_file(path)
    with pytest.raises(strict_json.BadJson, match="9 bytes; at most 5 are read"):
        strict_json.parse(Recording, "[1, 2, 3]")


def test_the_only_list_of_objects_inside_of_an_object_is_the_list(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"version": 2, "names": ["a"], "data": [{"id": 1}]}')
    assert strict_json.read_list(path) == [{"id": 1}]
    for text in (
        '{"data": [{"id": 1}], "more": [{"id": 2}]}',
        '{"data": [1]}',
        '{"a": {"b": []}}',
    ):
        path.write_text(text)
        with pytest.raises(strict_json.BadJson, match="expected a list of objects"):
            strict_json.read_list(path)
