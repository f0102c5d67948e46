"""Inputs that few people have: what each parser says of them, or takes them for."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from blueprints import EmotionWindow, Present, UserError
from blueprints.axis import _mean
from blueprints.distribution import DISTRIBUTION, PACKAGE, foreign_providers
from blueprints.errors import require
from blueprints.groups.emotion import _course
from fusion import MATCH, POLICIES, load_policy
from fusion.plain import PLAIN_POLICIES, collapse, mean_points
from fusion.scales import PREFERENCE, likert
from tests.support import reviewed as support
from tests.support import samples
from trace_eval.data import strict_json
from trace_eval.data.answers import Recording
from trace_eval.data.columns import Columns
from trace_eval.data.csv_cells import SafeWriter
from trace_eval.data.label_files import read_columns
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.data.schemas import schemas
from trace_eval.datasets.sets.speechjudge import read_speechjudge
from trace_eval.decide.human_ranking import read_human_ranking
from trace_eval.judges.ask.reply_json import ReplyError
from trace_eval.judges.read.labels import parse_reply
from trace_eval.judges.read.two_scores import read_text
from trace_eval.opinions.judge_files import read_judge_file
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.positions import has_positions, read_positions
from trace_eval.review.labelstudio import read_results, tasks
from trace_eval.rubrics.load import load_rubric
from trace_eval.stats.agreement.ratings import read_ratings
from trace_eval.stats.agreement.score_files import read_scores


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


@pytest.mark.parametrize(
    ("read", "name", "data", "said"),
    [
        (read_columns, "x.csv", b"x" * 200_000, "not readable as CSV .field larger"),
        (read_columns, "x.csv", b"id,overall\nx,1,2\n", "row 1: more cells than the header"),
        (read_labels, "x.csv", b"id,overall,inclusion\nx,1,1.5\n", "inclusion"),
        (read_human_ranking, "x.csv", b"\xff", "not readable as csv .its header is not UTF-8"),
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
    said = read_judge_file(path, Columns(mapping={"A": "1", "B": "2"}))
    assert said.codes["preference"].tolist() == [0, 1]
    assert said.labels is None


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


def test_facts_of_every_group_of_a_spoken_answer() -> None:
    blueprint = samples.spoken()
    facts = {
        (name, fact.name): fact.value
        for name in ("signal", "pitch", "loudness", "rate")
        if isinstance(group := blueprint.group(name), Present)
        for fact in group.facts(name)
    }
    named = {name for name, _ in facts}
    assert {"signal", "pitch", "loudness", "rate"} <= named
    assert str(facts["signal", "duration"]).endswith(" s")
    assert str(facts["pitch", "mean pitch"]).endswith(" Hz")
    assert str(facts["rate", "rate"]).endswith(" words/min")
    assert all(value and "nan" not in str(value) for value in facts.values())


def test_windows_without_scores_have_no_course() -> None:
    windows = [EmotionWindow(start_s=s, end_s=s + 1, scores=x) for s, x in ((0, {}), (1, _SAD))]
    assert _course(windows) == ["sad at 1"]


_SAD = {"sad": 0.9, "neutral": 0.1}


def test_a_policy_needs_a_label() -> None:
    policy = next(iter(PLAIN_POLICIES.values()))
    with pytest.raises(ValueError, match="no dimension has a label"):
        policy.decide({})


def test_schemas_by_name() -> None:
    assert set(schemas()) == {"pair", "blueprint", "judgement", "single", "score", "conversation"}
    assert schemas("pair") == schemas()["pair"]
    with pytest.raises(UserError, match="schema 'x': use one of pair"):
        schemas("x")


def test_both_positions_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    head = "instruction_id,model_name,position1_prediction,position2_prediction\n"
    path.write_text(head + "q,new,1,2\nq,base,1,1\nr,new,none,1\n")
    assert has_positions(path)
    found = read_positions(path, "base")
    assert found.ids.tolist() == ["q/new"]  # both orders say A
    assert found.codes["preference"].tolist() == [0]
    with pytest.raises(UserError, match="name it by --baseline"):
        read_positions(path, None)
    path.write_text(head + "q,new,,1\n")
    with pytest.raises(UserError, match="no comparison with 1, 2 or tie"):
        read_positions(path, "base")
    path.write_text("instruction_id\nq\n")
    with pytest.raises(UserError, match="no column 'model_name'"):
        read_positions(path, "base")


def test_every_cell_that_a_writer_writes_is_safe() -> None:
    file = io.StringIO()
    SafeWriter(file, "\n").writerows([["=1+1", 2], ["-3", "@x"]])
    assert file.getvalue() == "'=1+1,2\n-3,'@x\n"


def test_what_is_read_again_of_a_shipped_task() -> None:
    assert (MATCH.json("true"), MATCH.json("false")) == (True, False)


def test_inner_records_of_label_studio_may_be_broken(tmp_path: Path) -> None:
    run = support.write_run(tmp_path / "run", support.pairs(tmp_path, 1))
    review = support.open_at(run)
    (task,) = tasks(review)
    results = [{"from_name": "content", "value": 7}, "text"]
    annotation = {"completed_by": {"email": "a@b"}, "was_cancelled": False, "result": results}
    path = tmp_path / "export.json"
    broken = json.dumps({**task, "annotations": [annotation]})
    path.write_text(f"[{broken}]")
    found = read_results(review, path)
    assert found.stored == 0
    assert len(found.problems) == 1


SCORE_LINE = '{"item": "i", "judge": "j", "status": "scored"}\n'


@pytest.mark.parametrize(
    ("read", "name", "data", "said"),
    [
        (read_ratings, "x.jsonl", None, "no such file"),
        (read_ratings, "x.jsonl", "{\n", "x.jsonl, line 1: not JSON"),
        (read_ratings, "x.jsonl", '{"id": "x", "reference": 7}\n', "no column for audio"),
        (read_ratings, "x.csv", "id,rater\nx,y\n", "score"),
        (read_ratings, "x.csv", "id,score,rubric\nx,1,a\ny,1,b\n", "ratings of 2 rubrics"),
        (read_scores, "x.jsonl", None, "no such file"),
        (read_scores, "x.jsonl", SCORE_LINE + "{\n", "x.jsonl, line 2: not JSON"),
        (read_scores, "x.jsonl", SCORE_LINE + "{}\n", "x.jsonl, line 2: no score record"),
        (read_scores, "x.csv", "id,judge,score\n,j,4\n", "row 1: there is no id"),
        (read_scores, "x.csv", "id,judge,score\nx,j,4\nx,j,5\n", "j scored 'x' twice"),
        (read_scores, "x.csv", "id,judge,score\nx,j,high\n", "row 1: score"),
    ],
)
def test_scores_and_ratings_that_are_none(
    read: Callable[[Path], object], name: str, data: str | None, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_text(data)
    with pytest.raises(UserError, match=said):
        read(path)


def test_ratings_of_one_rubric_of_several_with_facts(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,rater,score,rubric,system,question_id\nx,r,4,a,s,q\ny,r,2,b,s,q\n")
    found = read_ratings(path, "a")
    assert (found.ids.tolist(), found.facts["score"].tolist()) == (["x"], [4.0])
    assert (found.facts["question_id"][0], found.facts["system"][0]) == ("q", "s")


def test_turns_and_labels_of_answers_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    spoken = {"id": "x", "turns": [{"audio": "a.wav"}, {"speaker": "b"}]}
    path.write_text(
        "\n".join(
            json.dumps(row)
            for row in (
                {"id": "w", "answer": {"turns": [{"audio": "a.wav"}]}},
                {"id": "x", "answer": spoken},
                {"id": "y", "answer": {"text": "t"}, "labels": 5},
                {"id": "z", "answer": {"text": "t"}, "labels": {"scores": 5, "feedback": 5}},
            )
        )
    )
    read = read_items(path)
    assert [item.id for item in read.singles] == ["w"]
    assert read.singles[0].answer.is_spoken
    assert [problem.where for problem in read.problems] == [f"{path}, line {n}" for n in (2, 3, 4)]


@pytest.mark.parametrize("score", ["51e999", "-inf", "nan", "9" * 400])
def test_ratings_are_finite(tmp_path: Path, score: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(f"id,rater,score\ns,x,{score}\n")
    with pytest.raises(UserError, match=r"row 1: score .* is no number"):
        read_ratings(path)


def test_a_parquet_row_whose_text_is_not_utf_8_costs_itself(tmp_path: Path) -> None:
    ids = [b"one", b"tw\xec", b"three"]
    offsets = pa.array([0, 3, 6, 11], pa.int32()).buffers()[1]
    texts = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"".join(ids))])
    answers = pa.array(["Yes."] * 3)
    path = tmp_path / "items.parquet"
    pq.write_table(pa.table({"id": texts, "candidate": answers}), path)
    manifest = read_items(path)
    assert [item.id for item in manifest.items] == ["one", "three"]
    (problem,) = manifest.problems
    assert "row 2: not UTF-8" in str(problem)
    assert "not UTF-8" in str(problem)


def test_a_parquet_column_whose_name_is_not_utf_8_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    pq.write_table(pa.table({"id": ["one"], "name": ["x"]}), path)
    path.write_bytes(path.read_bytes().replace(b"name", b"nam\xec"))
    with pytest.raises(UserError, match="not a Parquet file"):
        read_items(path)
