from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from blueprints import UserError
from tests.support.label_tables import codes, table
from trace_eval.data.label_files import read_columns
from trace_eval.decide.rank import read_human_ranking
from trace_eval.opinions.labels import label_table, read_labels
from trace_eval.opinions.ratings import read_ratings


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_csv_columns_aliases_and_missing_cells(tmp_path: Path) -> None:
    header = "pair,model_a,model_b,overall,content,duration_a,note"
    text = f"{header}\n7,x,y,both_bad,,1.5,hello\n8,y,x,1,2,,\n"
    result = read_labels(write(tmp_path / "l.csv", text))
    assert result.ids.tolist() == ["7", "8"]
    assert result.codes["overall"].tolist() == codes("b1").tolist()
    assert result.codes["content"].tolist() == codes("-2").tolist()
    assert result.facts["system_a"].tolist() == ["x", "y"]
    assert result.facts["duration_a"][0] == 1.5
    assert np.isnan(result.facts["duration_a"][1])
    assert "note" not in result.facts


def test_equal_cells_are_one_text(tmp_path: Path) -> None:
    result = read_columns(write(tmp_path / "l.csv", "id,system_a\na,'=x\nb,\nc,'=x\nd,y\n"))
    assert result["system_a"] == ["=x", None, "=x", "y"]
    assert result["system_a"][0] is result["system_a"][2]


def test_jsonl_json_and_csv_say_the_same(tmp_path: Path) -> None:
    records = [{"id": "a", "overall": 1}, {"id": "b", "label": {"overall": "both_good"}}]
    lines = "\n".join(json.dumps(record) for record in records)
    one = read_labels(write(tmp_path / "l.jsonl", lines + "\n\n"))
    other = read_labels(write(tmp_path / "l.json", json.dumps(records)))
    third = read_labels(write(tmp_path / "l.csv", "id,overall\na,1\nb,both_good\n"))
    for result in (one, other, third):
        assert result.ids.tolist() == ["a", "b"]
        assert result.codes["overall"].tolist() == codes("1g").tolist()


def test_a_judgement_and_a_pair_are_flattened(tmp_path: Path) -> None:
    judgement = {
        "pair": "p",
        "judge": "rules",
        "dimensions": {"content": {"rating": "2", "reasoning": "x"}},
    }
    pair = {"id": "p", "a": {"audio": "x.wav", "system": "s"}, "labels": {"preference": "tie"}}
    one = read_labels(write(tmp_path / "j.jsonl", json.dumps(judgement)))
    assert (one.ids[0], one.rater[0] if one.rater is not None else None) == ("p", "rules")
    assert one.codes["content"].tolist() == codes("2").tolist()
    other = read_labels(write(tmp_path / "p.jsonl", json.dumps(pair)))
    assert other.codes["preference"].tolist() == codes("t").tolist()
    assert other.facts["system_a"][0] == "s"
    assert other.facts["clip_a"][0] == "x.wav"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("l.csv", "id,overall\na,1\nb,better\n", r"l\.csv, record 2 \(id b\): overall is 'better'"),
        ("l.csv", "id,overall\na,1\na,2\n", r"l\.csv, record 2: id a was given in record 1"),
        ("l.csv", "id,overall\n,1\n", r"l\.csv, record 1: the id is empty"),
        ("l.csv", "overall\n1\n", r"l\.csv: no column 'id'"),
        ("l.csv", "id,score\na,1\n", r"l\.csv: no column of labels"),
        ("l.csv", "id,preference\na,both\nb,none\n", "labels are 1, 2, tie"),
        ("l.csv", "id,overall,duration_a\na,1,long\n", "duration_a is 'long'"),
        ("l.csv", "id,model_a,system_a,overall\na,x,y,1\n", "both give system_a"),
        ("l.jsonl", '{"id": "a", "overall": true}\n', "overall is 'True'"),
        ("l.jsonl", '{"id": "a", "overall": 1.0}\n', r"overall is '1\.0'"),
        ("l.jsonl", '{"id": "a"\n', r"l\.jsonl, line 1: not JSON"),
        ("l.json", '["a"]', "record 1: expected an object"),
        (
            "l.jsonl",
            '{"id": "a", "label": {"overall": "1"}, "overall": "2"}\n',
            r"l\.jsonl, record 1: overall is given twice, '1' and '2'; keep one",
        ),
        ("l.jsonl", '{"id": ' * 3000 + "1" + "}" * 3000 + "\n", "line 1: "),
        ("l.json", "[" * 3000 + "]" * 3000, r"l\.json: not readable as json"),
    ],
)
def test_bad_files_are_refused_by_name(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_labels(write(tmp_path / name, text))


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl", "labels.json"])
def test_a_file_that_is_not_there_is_said_to_be_missing(name: str, tmp_path: Path) -> None:
    for read in (read_labels, read_ratings, read_human_ranking):
        with pytest.raises(UserError, match=rf"{name}: no such file; (check|give)"):
            read(tmp_path / name)


def test_the_same_id_is_fine_for_another_rater_or_repeat() -> None:
    two = table("t", {"overall": "12"}, id=["a", "a"], rater=["x", "y"])
    assert sorted(two.raters()) == ["x", "y"]
    assert len(table("t", {"overall": "12"}, id=["a", "a"], repeat=["0", "1"])) == 2
    with pytest.raises(UserError, match="was given in record 1"):
        table("t", {"overall": "12"}, id=["a", "a"], rater=["x", "x"])


def test_rows_are_numbered_only_on_request() -> None:
    columns = {"overall": ["1", "2"]}
    assert label_table("t", columns, default_ids=True).ids.tolist() == ["1", "2"]
    with pytest.raises(UserError, match="no column 'id'"):
        label_table("t", columns)


def test_a_cell_may_be_longer_than_a_block_of_the_reader(tmp_path: Path) -> None:
    rows = "".join(f"{n},1,short\n" for n in range(2000))
    text = f"id,overall,note\n{rows}x,2,{'y' * 2_500_000}\n"
    result = read_labels(write(tmp_path / "l.csv", text))
    assert (len(result), result.ids[-1]) == (2001, "x")


def test_the_same_label_in_two_places_is_no_contradiction(tmp_path: Path) -> None:
    record = {"id": "a", "label": {"overall": "1", "content": None}, "overall": 1}
    result = read_labels(write(tmp_path / "l.jsonl", json.dumps(record)))
    assert result.codes["overall"].tolist() == codes("1").tolist()
