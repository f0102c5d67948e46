from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from blueprints import UserError
from tests.support.label_tables import codes, table
from trace_eval.decide.rank import read_human_ranking
from trace_eval.opinions.checked_labels import label_table
from trace_eval.opinions.label_files import read_columns
from trace_eval.opinions.labels import read_labels, table_labels
from trace_eval.opinions.rating_files import read_ratings

GOOD = '{"id": "first", "content": 2}\n'


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
    result = read_columns(
        write(tmp_path / "l.csv", "id,system_a\na,'=x\nb,\nc,'=x\nd,y\n")
    )
    assert result["system_a"] == ["=x", None, "=x", "y"]
    assert result["system_a"][0] is result["system_a"][2]


def test_jsonl_json_and_csv_say_the_same(tmp_path: Path) -> None:
    twice = {
        "overall": 1,
        "label": {"overall": "1", "content": None},
    }  # no contradiction
    records = [{"id": "a", **twice}, {"id": "b", "label": {"overall": "both_good"}}]
    lines = "\n".join(json.dumps(record) for record in records)
    for name, text in (
        ("l.jsonl", lines + "\n\n"),
        ("l.json", json.dumps(records)),
        ("l.csv", "id,overall\na,1\nb,both_good\n"),
    ):
        result = read_labels(write(tmp_path / name, text))
        assert result.ids.tolist() == ["a", "b"]
        assert result.codes["overall"].tolist() == codes("1g").tolist()


def test_a_judgement_and_a_pair_are_flattened(tmp_path: Path) -> None:
    dimensions = {"content": {"rating": "2", "reasoning": "x"}}
    judgement = {"pair": "p", "judge": "rules", "dimensions": dimensions}
    pair = {
        "id": "p",
        "a": {"audio": "x.wav", "system": "s"},
        "labels": {"preference": "tie"},
    }
    one = read_labels(write(tmp_path / "j.jsonl", json.dumps(judgement)))
    assert (one.ids[0], one.rater[0] if one.rater is not None else None) == (
        "p",
        "rules",
    )
    assert one.codes["content"].tolist() == codes("2").tolist()
    other = read_labels(write(tmp_path / "p.jsonl", json.dumps(pair)))
    assert other.codes["preference"].tolist() == codes("t").tolist()
    assert other.facts["system_a"][0] == "s"
    assert other.facts["clip_a"][0] == "x.wav"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "l.csv",
            "id,overall\na,1\nb,better\n",
            r"l\.csv, record 2 \(id b\): overall is 'better'",
        ),
        (
            "l.csv",
            "id,overall\na,1\na,2\n",
            r"l\.csv, record 2: id a was given in record 1",
        ),
        ("l.csv", "id,overall\n,1\n", r"l\.csv, record 1: the id is empty"),
        ("l.csv", "overall\n1\n", r"l\.csv: no column 'id'"),
        ("l.csv", "id,score\na,1\n", r"l\.csv: no column of labels"),
        (
            "l.csv",
            "id,preference\na,both\nb,none\n",
            r"labels are 1, 2, tie \(1 is A, 2 is B\)",
        ),
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
        ("l.json", "[" * 3000 + "]" * 3000, r"l\.json: cannot be read as json"),
        # what stands behind a good line, whose number is told
        (
            "l.jsonl",
            GOOD + '{"id": "x", "content": 1, "duration_a": 1e999}',
            r" 2\b.*too large",
        ),
        (
            "l.jsonl",
            GOOD + '{"id": "x", "content": 1, "mos_a": "inf"}',
            r" 2\b.*: mos_a is 'inf'",
        ),
        (
            "l.jsonl",
            GOOD + '{"id": "x", "content": 1, "mos_a": "1_0"}',
            r" 2\b.*: mos_a is '1_0'",
        ),
        (
            "l.jsonl",
            GOOD + '{"id": "x", "labels": "1"}',
            r" 2\b.*: labels: expected an object",
        ),
        (
            "l.jsonl",
            GOOD + '{"id": "x", "id": "y", "content": 1}',
            r" 2\b.*: .*uplicate key",
        ),
        # columns that may be no raters
        ("l.csv", "id,ann\nx,A\n", "perhaps --column preference=ann"),
        (
            "l.csv",
            "id,session,part\nx,1,2\ny,2,1\n",
            "no column of labels",
        ),  # counts, perhaps
        ("l.csv", "id,rater,ann,bob\nx,me,A,B\n", "no column of labels"),
        # columns of the worse answer: neither a rater's, nor offered as labels
        (
            "l.csv",
            "id,better,worse\nx,A,B\ny,B,A\n",
            "; worse names the worse answer; perhaps --column preference=better$",
        ),
        ("l.csv", "id,loser\nx,A\n", "or name it: --column overall=COLUMN$"),
    ],
)
def test_bad_files_are_refused_by_name(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        read_labels(write(tmp_path / name, text))


@pytest.mark.parametrize(
    ("cells", "offered"),
    [
        ("A B", "id=Probe --column rater=Wer --column 'preference=Was ist besser'"),
        # no label that we know, but as few values as labels have
        ("x y", "id=Probe --column rater=Wer --column 'preference=Was ist besser'"),
    ],
)
def test_columns_of_other_names_are_offered_by_what_they_hold(
    tmp_path: Path, cells: str, offered: str
) -> None:
    first, second = cells.split()
    rows = [f"p1,ann,{first},5", f"p1,bob,{second},5"]
    rows += [f"p2,ann,{second},6", f"p2,bob,{second},6"]
    header = "Probe,Wer,Was ist besser,Tag"
    sheet = write(tmp_path / "sheet.csv", "\n".join([header, *rows]))
    judged = table("judge", {"overall": "121"}, id=["p1", "p2", "p3"])
    with pytest.raises(UserError) as refusal:
        read_labels(sheet, about=[judged])
    assert str(refusal.value).endswith(f"; perhaps --column {offered}")
    with pytest.raises(UserError, match="name it: --column id=COLUMN"):
        read_labels(sheet)


@pytest.mark.parametrize(
    ("text", "raters", "labels"),
    [
        (
            "id,ann,bob,note\nx,A,tie,1\ny,,right,2\n",
            ["ann", "bob"],
            ["1", "-", "t", "2"],
        ),
        (
            "id,Rater 1,rater2,group\nx,1,2,1\ny,2,2,2\n",
            ["Rater 1", "rater2"],
            list("1222"),
        ),
        (
            "id,r1,r2,ann\nx,A,B,A\n",
            ["r1", "r2"],
            ["1", "2"],
        ),  # ann may be something else
        (
            "id,system_a,system_b,ann,bob\nx,new,old,new,tie\ny,old,new,new,old\n",
            ["ann", "bob"],
            list("12t1"),
        ),
    ],
)
def test_a_column_per_rater_is_a_row_per_label(
    text: str, raters: list[str], labels: list[str], tmp_path: Path
) -> None:
    path = write(tmp_path / "l.csv", text)
    result = read_labels(path)
    at_hand = table_labels(list(csv.DictReader(path.open())))
    for one in (result, at_hand):
        assert sorted(one.raters()) == sorted(raters)
        assert one.codes["preference"].tolist() == codes("".join(labels)).tolist()
        assert [warning.check for warning in one.warnings] == ["raters"]


def test_ids_as_a_spreadsheet_leaves_them(tmp_path: Path) -> None:
    judged = table("run", {"preference": "1212"}, id=["001", "002", "03", "3"])
    path = write(tmp_path / "l.csv", "id,winner\n1,A\n2.wav,B\n3,A\n0003,A\n")
    labels = read_labels(path, about=[judged])
    assert labels.ids.tolist() == [
        "001",
        "002",
        "3",
        "0003",
    ]  # which may be either of two


def test_columns_of_scores_that_are_called_as_raters_are_theirs(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.csv", "file,listener1,listener2,length\nx,4,5,2.5\ny,1,,3\n"
    )
    result = read_ratings(path)
    assert result.ids.tolist() == ["x", "y", "x"]
    assert result.facts["score"].tolist() == [4, 1, 5]
    assert sorted(result.raters()) == ["listener1", "listener2"]
    with pytest.raises(UserError, match="no column 'score'"):
        read_ratings(write(path, "file,ann,bob\nx,4,5\n"))


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl", "labels.json"])
def test_a_file_that_is_not_there_is_said_to_be_missing(
    name: str, tmp_path: Path
) -> None:
    for read in (read_labels, read_ratings, read_human_ranking):
        with pytest.raises(UserError, match=rf"{name}: no such file; (check|give)"):
            read(tmp_path / name)


def test_the_same_id_is_fine_for_another_rater_or_repeat() -> None:
    two = table("t", {"overall": "12"}, id=["a", "a"], rater=["x", "y"])
    assert sorted(two.raters()) == ["x", "y"]
    assert len(table("t", {"overall": "12"}, id=["a", "a"], repeat=["0", "1"])) == 2
    with pytest.raises(UserError, match=r"given in record 1 .* by a 'repeat' column"):
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
