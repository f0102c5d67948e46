"""JSON and TOML from users, servers and disks are read by one strict reader each."""

from __future__ import annotations

import ast
import json
import re
import sqlite3
import time
import tomllib
from collections.abc import Callable
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

from blueprints import DamagedFile, UserError
from fusion import RATINGS
from fusion.policies import read_policy
from tests.support.imports import ROOT, calls, modules
from tests.support.speed import within
from trace_eval.data import strict_toml
from trace_eval.data.fused_scores import FILE, FusionModel
from trace_eval.data.rubrics.load import load_rubric, rubric_path
from trace_eval.judges.ask.prices import read_prices
from trace_eval.judges.scorer.adapters import base_of
from trace_eval.judges.scorer.checkpoint import OWN_FILE, locate
from trace_eval.judges.views.text.tasks import load_listening
from trace_eval.review.store import Store
from trace_eval.review.views import Remark
from trace_eval.runs.cases import CaseReader
from trace_eval.runs.options import read_config
from trace_eval.runs.run import Run

#: Calls that read JSON by another reader.
LOOSE = {"load", "loads", "model_validate_json", "read_json", "from_json", "parse_raw"}
OWNERS = {"json", "orjson", "ujson", "jiter", "pd", "pandas", "pa", "simplejson"}

#: Where that is right, and why.
ALLOWED = {
    ("trace_eval/data/strict_json.py", "jiter.from_json"): "the strict reader itself",
    (
        "trace_eval/data/strict_json.py",
        "kind.model_validate_json",
    ): "after the strict reader",
    (
        "extractors/contents.py",
        "json.loads",
    ): "whether a text is JSON; no value is used",
    (
        "extractors/dnsmos/parts.py",
        "json.loads",
    ): "what the cache wrote, under the hash of its content",
    (
        "fusion/policies.py",
        "json.loads",
    ): "standard library only; refuses keys that come twice",
    (
        "trace_eval/judges/ask/openai_replies.py",
        "json.loads",
    ): "sends NaN; bounded by bodies.py",
    (
        "trace_eval/judges/ask/replies.py",
        "StoredReply.model_validate_json",
    ): "damage is a miss",
    (
        "trace_eval/extracting/cache.py",
        "Absent.model_validate_json",
    ): "damage is a miss",
    (
        "trace_eval/extracting/cache.py",
        "GROUPS.get(group, Extension).model_validate_json",
    ): "damage is a miss",
    (
        "trace_eval/data/measures/lexical.py",
        "json.loads",
    ): "the file that is installed with it",
}


def test_json_is_read_by_the_strict_reader() -> None:
    readers = set()
    for path, call in calls():
        if isinstance(call.func, ast.Attribute) and call.func.attr in LOOSE:
            owner = ast.unparse(call.func.value)
            if owner in OWNERS or call.func.attr == "model_validate_json":
                readers.add((path, ast.unparse(call.func)))
    assert readers == set(ALLOWED), (
        "read it with trace_eval.data.strict_json, or say why not"
    )


def test_toml_is_read_by_the_strict_reader() -> None:
    modules_found = {
        path.relative_to(ROOT).as_posix()
        for path in modules().values()
        if "tomllib" in path.read_text() or "import toml" in path.read_text()
    }
    assert modules_found == {"trace_eval/data/strict_toml.py"}


#: Document -> what is said of it. Each was a traceback, a hang, or taken.
HOSTILE_TOML: dict[str, tuple[str, str]] = {
    "brackets": ("a = " + "[" * 60_000, "not TOML (maximum recursion"),
    "closed brackets": (
        "a = " + "[" * 3000 + "]" * 3000,
        "not TOML (maximum recursion",
    ),
    "tables in line": (
        "a = " + "{a = " * 3000 + "1" + "}" * 3000,
        "not TOML (maximum recursion",
    ),
    "a dotted key": (
        "\n" + ".".join("a" * 30_000) + " = 1",
        "a line with more than 1000 dots",
    ),
    "a quoted one": ('"a". ' * 10_000 + "a = 1", "a line with more than 1000 dots"),
    "a dotted table": (
        "[" + ".".join("a" * 30_000) + "]",
        "a line with more than 1000 dots",
    ),
    "digits": ("a = " + "1" * 5000, "not TOML"),
    "hexadecimal digits": ("a = 0x" + "f" * 50_000, "a: a whole number of 200000 bits"),
    "decimals": ("a = -1" + "1" * 5000 + ".1", "a: -inf is not a finite number"),
    "infinity": ("[a.b]\nc = [1, inf]", "a.b.c: inf is not a finite number"),
    "a large number": ("a = 1e999", "a: inf is not a finite number"),
    "no number": ("a = nan", "a: nan is not a finite number"),
    "rules": ("a = [" + '"rule", ' * 60_000 + "]", "more than 65536 bytes"),
    "an open text": ('a = """' + "x" * 60_000, "not TOML (Unterminated"),
    "open texts": ("a = 'x\n" * 9_000, "not TOML"),
    "quotation marks": ("a = " + '"' * 60_001, "not TOML"),
    "a key twice": ("a = 1\na = 2", "not TOML"),
    "a lone surrogate": ('a = "\\ud800"', "not TOML"),
    "a date": ("a = 2020-13-45", "not TOML"),
    "a control character": ("a = 1\0", "not TOML"),
}

TOML_READERS: dict[str, Callable[[Path], object]] = {
    "config": read_config,
    "prices": read_prices,
    "rubric": lambda path: load_rubric(str(path)),
    "task": lambda path: load_listening(str(path)),
}


@pytest.mark.parametrize("reader", TOML_READERS)
def test_hostile_toml_is_refused_in_linear_time(reader: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.toml"
    documents = list(HOSTILE_TOML.items())
    for name, (text, said) in documents if reader == "config" else documents[:8:2]:
        path.write_text(text)
        started = time.process_time()
        with pytest.raises(UserError) as told:
            TOML_READERS[reader](path)
        assert said in str(told.value), name
        assert "hostile.toml: " in str(told.value), name
        assert "so it cannot be read; mend it, see " in str(told.value), name
        assert len(str(told.value)) < 600, name
        assert within(time.process_time() - started, 4), name
    for bad, said in ((b"\xff", "not UTF-8 (byte 1)"), (None, "cannot be read")):
        path.unlink()
        path.write_bytes(bad) if bad else path.mkdir()
        with pytest.raises(
            UserError, match=re.escape(said) if bad else "cannot be read|neither"
        ):
            TOML_READERS[reader](path)


def test_what_toml_may_hold_is_read_as_before(tmp_path: Path) -> None:
    text = '''
# [[[[ "no text
"a.b" = {c = [1, 2.5e3, 0xff, -1_000], d = 'x[y]', "e" = "#\\"[[["} # {{
[x.y]
t = """
 "" [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ \\""" """""
u = \'\'\'\'\' ends\'\'\'\'
when = 2026-01-01T00:00:00Z
n.1.b = true
'''
    assert strict_toml.loads(b"\xef\xbb\xbf" + text.encode()) == tomllib.loads(text)
    shipped = list((ROOT / "trace_eval").rglob("*.toml"))
    assert len(shipped) > 10
    for path in shipped:
        assert strict_toml.loads(path.read_bytes()) == tomllib.loads(path.read_text())


def test_a_rubric_is_checked_in_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    text = rubric_path("correctness").read_text()
    assert "\nrules = [" in text
    rules = ", ".join(f'"rule {n}"' for n in range(3_000))
    path.write_text(text.replace("\nrules = [", f"\nrules = [{rules}, ", 1))
    started = time.process_time()
    assert len(load_rubric(str(path)).rules) >= 3_000
    assert within(time.process_time() - started, 3)
    path.write_text(text + "\n" + "\n".join(f"point{n} = 1" for n in range(5_000)))
    with pytest.raises(UserError) as told:
        load_rubric(str(path))
    assert len(str(told.value)) < 3_000
    scale = "{ min = -1e308, max = 1e308, step = 1e-300 }"
    path.write_text(re.sub(r"(?m)^scale = .*$", f"scale = {scale}", text))
    with pytest.raises(UserError, match="scale"):
        load_rubric(str(path))


@pytest.mark.parametrize(
    "parts", ['["../../x"]', '["a\\u0000b"]', f'["{"a" * 5000}"]', "7", "[[]]"]
)
def test_parts_of_a_task_are_names(parts: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f"parts = {parts}\n")
    with pytest.raises(UserError, match=r"own\.toml"):
        load_listening(str(path))


POLICY = [
    {"content": c, "voice_quality": v, "paralinguistics": p, "overall": c}
    for c, v, p in product(RATINGS, repeat=3)
]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(POLICY)
        .replace('"overall"', '"overall": "1", "overall"', 1)
        .encode(),
        b"[" * 100_000,
        b'[{"content": ' + b"1" * 5000 + b"}]",
        b"\xff\xfe",
    ],
    ids=["a column twice", "deep", "long number", "no UTF-8"],
)
def test_a_bad_table_of_a_policy_is_said(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"policy\.json: not a readable policy table"):
        read_policy(path)
    path = tmp_path / "table.csv"
    path.write_text("content," + "x" * 200_000 + "\n")
    with pytest.raises(ValueError, match=r"table\.csv: .*field larger"):
        read_policy(path)


@pytest.mark.parametrize(
    "text", ["{", '{"format": 1, "format": 2}', '{"a": NaN}', "[1]"]
)
def test_a_damaged_fused_judge_is_said(text: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(UserError, match="not a fused judge"):
        FusionModel.load(tmp_path)


def test_a_damaged_adapter_and_a_damaged_scorer_are_said(tmp_path: Path) -> None:
    config = tmp_path / "adapter_config.json"
    config.write_text('{"base_model_name_or_path": "org/base"}')
    assert base_of(config) == "org/base"
    config.write_text("[]")
    assert base_of(config) is None
    config.write_text('{"base_model_name_or_path": ')
    with pytest.raises(UserError, match="copy the adapter again"):
        base_of(config)
    (tmp_path / OWN_FILE).write_text("{" * 500)
    with pytest.raises(UserError, match="not a scorer of this version"):
        locate(tmp_path)


def test_damaged_codes_of_a_review_are_said(tmp_path: Path) -> None:
    store = Store(tmp_path / "scores.sqlite", "correctness")
    view = store.start("ada", "i1", 0, "ab")
    store.answer(view, "correctness", "3.0", Remark(codes=["g"]))
    with closing(sqlite3.connect(tmp_path / "scores.sqlite")) as database, database:
        database.execute("UPDATE answers SET codes = '[\"g'")
    store = Store(tmp_path / "scores.sqlite", "correctness")
    with pytest.raises(
        DamagedFile, match=r"scores\.sqlite, rating 1: its codes are damaged"
    ):
        store.stored()


def test_a_damaged_blueprint_is_said_where_it_is_read_again(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.path("clips.jsonl").write_text('{"source": "/a.wav", "clip": "c1"}\n')
    run.path("blueprints.jsonl").write_text('{"clip":"c1","signal":7}\n')
    with pytest.raises(DamagedFile, match=r"blueprints\.jsonl: not a Blueprint"):
        CaseReader(run).blueprint("/a.wav")
