"""What a sheet of labels under other headers is offered, whichever command reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.exported import labels_of
from trace_eval.decide.agree import agree
from trace_eval.decide.rank import rank
from trace_eval.opinions.checked_labels import label_table
from trace_eval.opinions.label_files import OpinionTable
from trace_eval.opinions.labels import read_labels

CASE = "case,listener,better one\np,ann,new\np,bob,old\nq,ann,new\nq,bob,new\n"


def said(path: Path, text: str, read: object = rank) -> str:
    """Return what a reader of a table says as it refuses it."""
    path.write_text(text)
    with pytest.raises(UserError) as refusal:
        read(path)  # type: ignore[operator]
    return str(refusal.value)


@pytest.mark.parametrize("read", [rank, agree])
def test_every_reader_of_a_sheet_offers_the_same_columns(
    read: object, tmp_path: Path
) -> None:
    remedy = "; perhaps --column id=case --column 'preference=better one'"
    remedy += " --map new=LABEL --map old=LABEL"
    assert said(tmp_path / "sheet.csv", CASE, read).endswith(remedy)


def test_systems_of_a_run_need_no_map(tmp_path: Path) -> None:
    judged = label_table("run", {"id": ["p", "q"], "overall": ["1", "2"]})
    named = judged.with_sides(("new", "old"))
    assert named is not None
    remedy = "perhaps --column id=case --column 'preference=better one'"
    for about, maps in ((named, ""), (judged, " --map new=LABEL --map old=LABEL")):
        text = said(
            tmp_path / "sheet.csv",
            CASE,
            lambda path, about=about: read_labels(path, mapping={}, about=[about]),
        )
        assert text.endswith(f"{remedy}{maps}")


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        (
            "case,language,better one\np,de,new\nq,en,old\n",
            "'preference=better one' --map new=LABEL --map old=LABEL",
        ),
        (
            "case,listener,gender,which is better\np,ann,f,x\np,bob,m,y\nq,ann,f,x\n",
            "id=case --column 'preference=which is better' --map x=LABEL --map y=LABEL",
        ),
        ("id,winner_id\np,1\nq,2\nr,2\n", "preference=winner_id"),
        ("id,answer 1\np,2\nq,2\nr,2\n", "'preference=answer 1'"),
    ],
)
def test_the_better_one_is_offered_by_its_name(
    text: str, offered: str, tmp_path: Path
) -> None:
    assert said(tmp_path / "sheet.csv", text).endswith(f"perhaps --column {offered}")


@pytest.mark.parametrize(
    "text",
    [
        "id,num_hops\np,1\nq,2\nr,1\n",
        "id,hops\np,1\nq,1\nr,1\n",
        "id,selected time\np,1\nq,2\nr,1\n",
        "case,best_score,listener\np,3.2,ann\np,3.3,bob\nq,3.2,ann\n",
        "system,language,wer\na,de,0.1\nb,en,0.2\n",
        "case,listener,worse\np,ann,A\np,bob,B\nq,ann,A\nq,bob,A\n",
    ],
)
def test_no_count_time_or_worse_answer_is_offered(text: str, tmp_path: Path) -> None:
    assert said(tmp_path / "sheet.csv", text).endswith("--column overall=COLUMN")


def test_labels_of_one_item_are_not_taken_for_several_in_silence(
    tmp_path: Path,
) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text("case,listener,better\np,ann,A\np,bob,A\nq,ann,A\nq,bob,B\n")
    report = rank(path)
    assert report.judged[0].rate.labelled == 4
    assert any(one.text.endswith("--column id=case") for one in report.warnings)
    path.write_text("pair,listener,better\np,ann,A\np,bob,A\nq,ann,A\nq,bob,B\n")
    report = rank(path)
    assert report.judged[0].rate.labelled == 2
    assert not any("row" in one.text for one in report.warnings)


def test_answers_tell_no_items_apart(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    sheet = "listener,better\nann,left\nann,right\nbob,right\nbob,left\n"
    refusal = said(path, sheet, lambda path: read_labels(path, mapping={}))
    assert refusal.endswith("--column id=COLUMN")
    assert not any("row" in one.text for one in rank(path).warnings)


def test_a_column_shown_and_answered_belongs_to_who_can_know_it(tmp_path: Path) -> None:
    path = tmp_path / "batch.csv"
    path.write_text(
        "WorkerId,Input.id,Input.system,Input.preference,Answer.system,Answer.preference\n"
        "W1,p,old,A,new,B\nW2,p,old,A,old,A\nW1,q,new,B,new,B\n"
    )
    table = read_labels(path)
    assert labels_of(table) == [("W1", "p", "2"), ("W2", "p", "1"), ("W1", "q", "2")]
    shown = OpinionTable.of_file(path).read({"system": "system"})
    assert shown["system"] == ["old", "old", "new"]
