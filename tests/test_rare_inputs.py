"""Inputs that few people have: what each parser says of them, or takes them for."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blueprints import UserError
from blueprints.axis import _mean
from blueprints.distribution import DISTRIBUTION, PACKAGE, foreign_providers
from blueprints.errors import require
from fusion import POLICIES, load_policy
from fusion.plain import collapse, mean_points
from fusion.scales import PREFERENCE, likert
from trace_eval.data import strict_json
from trace_eval.data.judge_files import Columns, read_judge_file
from trace_eval.data.label_files import read_columns
from trace_eval.data.labels import read_labels
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.data.pairs import Recording
from trace_eval.data.speechjudge import read_speechjudge
from trace_eval.judges.chat.reply_json import ReplyError
from trace_eval.judges.parse import parse_reply
from trace_eval.judges.two_scores import read_text
from trace_eval.ranking.human import read_human_ranking
from trace_eval.ranking.positions import has_positions
from trace_eval.rubrics.load import load_rubric


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
    with pytest.raises(strict_json.DamagedFile, match="f: a line is damaged"):
        strict_json.record("{", "f")
    with pytest.raises(strict_json.DamagedFile, match="f: a line is no object"):
        strict_json.record("[1]", "f")
    with pytest.raises(strict_json.DamagedFile, match="f: a record has no 'x'"):
        strict_json.record("{}", "f")["x"]


def test_files_and_lines_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    path.write_text("[1, 2, 3]")
    monkeypatch.setattr(strict_json, "MAX_FILE_BYTES", 5)
    monkeypatch.setattr(strict_json, "MAX_LINE_BYTES", 5)
    with pytest.raises(strict_json.BadJson, match="9 bytes; at most 5 are read"):
        strict_json.read_file(path)
    with pytest.raises(strict_json.BadJson, match="9 bytes; at most 5 are read"):
        strict_json.parse(Recording, "[1, 2, 3]")


def test_a_bad_member_of_an_object_is_one_problem(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": {"n": 1}, "b": {"n": NaN}}')
    good, bad = strict_json.read_object(path).values()
    assert good == {"n": 1}
    assert isinstance(bad, strict_json.BadJson)
    path.write_text("[1]")
    with pytest.raises(strict_json.BadJson, match="an object of objects"):
        strict_json.read_object(path)


@pytest.mark.parametrize(
    ("read", "name", "data", "said"),
    [
        (read_columns, "x.csv", b"x" * 200_000, "no readable header row"),
        (read_columns, "x.csv", b"id,overall\nx,1,2\n", "not a CSV table"),
        (read_labels, "x.csv", b"id,overall,inclusion\nx,1,1.5\n", "inclusion"),
        (read_human_ranking, "x.csv", b"\xff", "cannot be read"),
        (read_human_ranking, "x.csv", b"system,score\na,much\n", "record 1: score"),
        (read_manifest, "none.jsonl", None, "no such file"),
        (lambda path: load_rubric(str(path)), "x.toml", b"\xff", "cannot be read"),
        (lambda path: read_speechjudge([path]), "x.parquet", b"PAR1 PAR1", "not a Parquet file"),
    ],
)
def test_files_that_are_none(
    read: Callable[[Path], object], name: str, data: bytes | None, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UserError, match=said):
        read(path)


def test_lists_of_raters_must_be_lists(tmp_path: Path) -> None:
    row: dict[str, Any] = {"index": 1, "subset": "s", "language_setting": "en"}
    row |= {"target_text": "t", "audioA": "a.wav", "audioB": "b.wav", "rater": 3}
    row |= {"audioA_text_accuracy": [1], "audioB_text_accuracy": [1]}
    table = pa.Table.from_pylist([{**row, "naturalness_annotation": ["Tie"]}])
    pq.write_table(table, tmp_path / "x.parquet")
    (problem,) = read_speechjudge([tmp_path / "x.parquet"]).manifest.problems
    assert "rater: 3; expected a list, one entry per rater" in problem.what


def test_a_voice_by_its_name_is_kept_as_a_fact(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    row = {"id": "x", "a": "a.wav", "b": "b.wav"}
    path.write_text(json.dumps({**row, "voice": "alto", "faster": "a"}) + "\n")
    read = read_manifest(path)
    assert not read.problems
    assert read.pairs[0].meta["voice"] == "alto"
    path.write_text(json.dumps({**row, "a": {"system": "one"}}) + "\n")
    (problem,) = read_manifest(path).problems
    assert "needs 'audio'" in problem.what


def test_a_candidate_may_be_an_object(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "x", "question": "Q?", "candidate": {"text": "so"}}\n')
    (item,) = read_items(path).singles
    assert item.answer.text == "so"


def test_a_recording_of_bytes_is_known_by_them() -> None:
    one, other = Recording(data=b"x"), Recording(data=b"y")
    assert one.source_id.startswith("bytes:")
    assert one.source_id != other.source_id


def test_judge_files_by_their_own_words(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "x", "preference": "A"}\n{"id": "y", "preference": "B"}\n')
    said, truth = read_judge_file(path, Columns(mapping={"A": "1", "B": "2"}))
    assert said.codes["preference"].tolist() == [0, 1]
    assert truth is None


def test_headers_that_have_no_positions(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    assert not has_positions(path)
    path.write_bytes(b"\xff\xfe")
    assert not has_positions(path)


def test_replies_of_placeholders_and_without_end() -> None:
    template = {
        name: {"reasoning": "<reasoning>", "rating": "1"}
        for name in ("content", "voice_quality", "paralinguistics")
    }
    with pytest.raises(ReplyError):
        parse_reply(json.dumps(template), "label")
    with pytest.raises(ReplyError, match="characters; at most"):
        read_text("Output A: 1\n" * 1_000_000)


def test_labels_and_scales_refuse_nothing() -> None:
    assert collapse("both_bad") == "tie"
    with pytest.raises(ValueError, match="no plain label"):
        collapse("perhaps")
    with pytest.raises(ValueError, match="there is no vote"):
        mean_points([])
    assert repr(likert()) == f"<scale {likert().name}>"
    assert len({likert(), PREFERENCE, likert()}) == 2


class _Entry:
    value = "plugin:policy"

    def __init__(self, found: object) -> None:
        self._found = found

    def load(self) -> object:
        return self._found


def test_policies_of_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = POLICIES["content_first"]
    offered: list[object] = [policy]
    monkeypatch.setattr("fusion.tables.entry_points", lambda **_: [_Entry(offered[0])])
    assert load_policy("mine") is policy
    offered[0] = "no policy"
    with pytest.raises(ValueError, match=r"plugin:policy is not a fusion\.Policy"):
        load_policy("mine")


def test_means_of_huge_values_are_finite() -> None:
    assert _mean([1.7e308, 1.7e308, None]) == pytest.approx(1.7e308)
    assert _mean([None]) is None


def test_packages_that_are_missing_name_their_extra() -> None:
    with pytest.raises(UserError, match=r"judging needs the package nosuch; run: .*\[review\]"):
        require("nosuch", "nosuch", "review", "judging")


class _Distribution:
    entry_points: tuple[Any, ...] = ()

    def __init__(self, name: str, *files: str) -> None:
        self.metadata = {"Name": name}
        self.files = [metadata.PackagePath(file) for file in files]


def test_other_distributions_with_our_package_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    file = f"{PACKAGE}/__init__.py"
    found = [_Distribution("impostor", file), _Distribution("x"), _Distribution(DISTRIBUTION, file)]
    monkeypatch.setattr("blueprints.distribution.distributions", lambda: found)
    assert foreign_providers() == ["impostor"]
