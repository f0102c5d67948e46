"""JSON that a user, a server or a disk hands in is read by one strict reader."""

from __future__ import annotations

import ast
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from blueprints import UserError
from fusion import RATINGS
from fusion.tables import read_policy
from trace_eval.agreement.pointwise import read_pointwise
from trace_eval.data.pairs import Recording
from trace_eval.data.strict_json import DamagedFile
from trace_eval.judges.adapters import base_of
from trace_eval.review.scoring.store import ScoreStore
from trace_eval.runs.cases import CaseReader
from trace_eval.runs.run import Run
from trace_eval.scorer.checkpoint import OWN_FILE, locate
from trace_eval.scores.fusion import FILE, FusionModel

ROOT = Path(__file__).resolve().parent.parent

#: Calls that read JSON by another reader.
LOOSE = {"load", "loads", "model_validate_json", "read_json", "from_json", "parse_raw"}
OWNERS = {"json", "orjson", "ujson", "jiter", "pd", "pandas", "pa", "simplejson"}

#: Where that is right, and why.
ALLOWED = {
    ("trace_eval/data/strict_json.py", "jiter.from_json"): "the strict reader itself",
    ("trace_eval/data/strict_json.py", "json.loads"): "the same, to mark bad items of a list",
    ("trace_eval/data/strict_json.py", "kind.model_validate_json"): "after the strict reader",
    ("fusion/tables.py", "json.loads"): "standard library only; refuses keys that come twice",
    ("trace_eval/judges/chat/openai.py", "json.loads"): "servers send NaN; bounded by bodies.py",
    ("trace_eval/judges/chat/replies.py", "StoredReply.model_validate_json"): "damage is a miss",
    ("trace_eval/extracting/cache.py", "Absent.model_validate_json"): "damage is a miss",
    (
        "trace_eval/extracting/cache.py",
        "GROUPS.get(group, Extension).model_validate_json",
    ): "damage is a miss",
    ("trace_eval/scores/lexical.py", "json.loads"): "the file that is installed with it",
}


def test_json_is_read_by_the_strict_reader() -> None:
    found = set()
    for package in ("blueprints", "extractors", "fusion", "trace_eval"):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                    continue
                name, owner = node.func.attr, ast.unparse(node.func.value)
                if name in LOOSE and (owner in OWNERS or name == "model_validate_json"):
                    found.add((path.relative_to(ROOT).as_posix(), ast.unparse(node.func)))
    assert found == set(ALLOWED), "read it with trace_eval.data.strict_json, or say why not"


POLICY = [
    {"content": c, "voice_quality": v, "paralinguistics": p, "overall": c}
    for c in RATINGS
    for v in RATINGS
    for p in RATINGS
]


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(POLICY).replace('"overall"', '"overall": "1", "overall"', 1).encode(),
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


@pytest.mark.parametrize("read", [read_policy, read_pointwise])
def test_an_endless_cell_is_said(read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("content," + "x" * 200_000 + "\n")
    with pytest.raises(ValueError, match=r"table\.csv: .*field larger"):
        read(path)


@pytest.mark.parametrize("text", ["{", '{"format": 1, "format": 2}', '{"a": NaN}', "[1]"])
def test_a_damaged_fused_judge_is_said(text: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(UserError, match="not a fused judge"):
        FusionModel.load(tmp_path)


def test_a_damaged_adapter_is_said(tmp_path: Path) -> None:
    config = tmp_path / "adapter_config.json"
    config.write_text('{"base_model_name_or_path": "org/base"}')
    assert base_of(config) == "org/base"
    config.write_text("[]")
    assert base_of(config) is None
    config.write_text('{"base_model_name_or_path": ')
    with pytest.raises(UserError, match="copy the adapter again"):
        base_of(config)


def test_a_damaged_scorer_is_said(tmp_path: Path) -> None:
    (tmp_path / OWN_FILE).write_text("{" * 500)
    with pytest.raises(UserError, match="not a scorer of this version"):
        locate(tmp_path)


def test_damaged_codes_of_a_review_are_said(tmp_path: Path) -> None:
    store = ScoreStore(tmp_path / "scores.sqlite")
    store.add("ada", "i1", "correctness", 3, ["g"], "")
    with closing(sqlite3.connect(tmp_path / "scores.sqlite")) as database, database:
        database.execute("UPDATE ratings SET codes = '[\"g'")
    store = ScoreStore(tmp_path / "scores.sqlite")
    with pytest.raises(DamagedFile, match=r"scores\.sqlite, rating 1: its codes are damaged"):
        store.ratings()


def test_a_damaged_blueprint_is_said_where_it_is_read_again(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.path("clips.jsonl").write_text('{"source": "/a.wav", "clip": "c1"}\n')
    run.path("blueprints.jsonl").write_text('{"clip":"c1","signal":7}\n')
    with pytest.raises(DamagedFile, match=r"blueprints\.jsonl: not a Blueprint"):
        CaseReader(run).blueprint(Recording(audio=Path("/a.wav")))
