"""Labels whose A is the judge's B count for the systems that they name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.cli import trace_eval
from tests.support.judged import judged_run
from tests.support.sheets import write_sheet
from trace_eval.data.columns import Columns
from trace_eval.decide.agree import agree
from trace_eval.decide.rank import rank
from trace_eval.opinions.judge_files import read_judge_file
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.opinions import Opinions


def table(path: Path, header: str, *rows: str) -> Path:
    write_sheet(path, header, rows)
    return path


def judged(folder: Path) -> Path:
    """Write verdicts of new against old: new wins the first of four."""
    rows = (f"q{n},new,old,{1 if n == 0 else 2}" for n in range(4))
    return table(folder / "judged.csv", "id,system_a,system_b,overall", *rows)


def people(folder: Path, *rows: str, sides: str = "system_a,system_b") -> Path:
    return table(folder / "people.csv", f"id,{sides},overall", *rows)


SAME = ("q0,new,old,1", "q1,new,old,2", "q2,new,old,2", "q3,new,old,tie")
TURNED = ("q0,old,new,2", "q1,old,new,1", "q2,old,new,1", "q3,old,new,tie")


def read(
    labels: Path, judge: Path, mapping: Mapping[str, str] | None = None
) -> Opinions:
    return read_labels(labels, mapping=mapping, about=[read_labels(judge)])


@pytest.mark.parametrize(
    ("rows", "turned"),
    [(SAME, 0), (TURNED, 4), (SAME[:2] + TURNED[2:], 2)],
    ids=["same", "all", "some"],
)
def test_a_label_is_of_the_system_that_its_row_names(
    tmp_path: Path, rows: tuple[str, ...], turned: int
) -> None:
    labels = read(people(tmp_path, *rows), judged(tmp_path))
    assert labels.codes["overall"].tolist()[:3] == [0, 1, 1]
    assert labels.facts["system_a"].tolist() == ["new"] * 4
    said = [warning.text for warning in labels.warnings]
    assert len(said) == (turned > 0)
    if turned:
        assert (
            f"A of {turned} of 4 labels is B of the judgements (by system)" in said[0]
        )


def test_recordings_decide_before_systems(tmp_path: Path) -> None:
    header = "id,clip_a,clip_b,system_a,system_b,overall"
    judge = table(tmp_path / "judged.csv", header, "q0,x,y,new,old,1")
    labels = table(tmp_path / "people.csv", header, "q0,y,x,new,old,1")
    assert read(labels, judge).codes["overall"].tolist() == [1]


def test_systems_decide_where_the_recordings_of_a_row_are_unknown(
    tmp_path: Path,
) -> None:
    header = "id,clip_a,clip_b,system_a,system_b,overall"
    judge = table(
        tmp_path / "judged.csv", header, *(f"q{n},x,y,new,old,1" for n in range(3))
    )
    rows = ("q0,y,x,old,new,1", "q1,,,old,new,1", "q2,x,y,old,new,1")
    labels = read(table(tmp_path / "people.csv", header, *rows), judge)
    assert labels.codes["overall"].tolist() == [1, 1, 0]


def test_a_system_that_is_named_is_not_turned_by_recordings(tmp_path: Path) -> None:
    header = "id,system_a,system_b,clip_a,clip_b,overall"
    judge = table(tmp_path / "judged.csv", header, "q0,new,old,x,y,2")
    labels = table(tmp_path / "people.csv", "id,clip_a,clip_b,overall", "q0,y,x,new")
    assert read(labels, judge).codes["overall"].tolist() == [0]


@pytest.mark.parametrize(
    ("words", "mapping"),
    [
        (("new", "old"), {"new": "1", "old": "2"}),
        (("2", "1"), {"2": "1", "1": "2"}),
        (("right", "A"), {"right": "A", "A": "B"}),
    ],
)
def test_a_label_stays_what_the_user_says(
    tmp_path: Path, words: tuple[str, str], mapping: dict[str, str]
) -> None:
    rows = (f"q0,old,new,{words[0]}", f"q1,old,new,{words[1]}")
    labels = read(people(tmp_path, *rows), judged(tmp_path), mapping)
    assert labels.codes["overall"].tolist() == [0, 1]
    assert labels.warnings == ()


def test_words_for_sides_are_those_of_their_rows(tmp_path: Path) -> None:
    rows = ("q0,old,new,links", "q1,new,old,links")
    mapping = {"links": "1"}
    labels = read(people(tmp_path, *rows), judged(tmp_path), mapping)
    assert labels.codes["overall"].tolist() == [1, 0]


def test_labels_beside_a_flipped_judge_stay_as_they_are(tmp_path: Path) -> None:
    labels = people(tmp_path, *TURNED)
    plain = agree(judged(tmp_path), labels=labels)
    flipped = agree(judged(tmp_path), labels=labels, columns=Columns(flip_b=True))
    assert [one.check for one in plain.warnings] == ["turned_sides"]
    assert flipped.warnings == ()
    scores = [report.scores[0].accuracy.value for report in (plain, flipped)]
    assert scores == [0.75, 0.75]


def test_a_match_has_no_sides(tmp_path: Path) -> None:
    header = "id,system_a,system_b,match"
    judge = table(tmp_path / "judged.csv", header, "q0,new,old,true")
    path = table(tmp_path / "people.csv", header, "q0,old,new,true")
    labels = read(path, judge)
    assert labels.codes["match"].tolist() == [0]
    assert labels.warnings == ()
    mirrored = read_judge_file(path, Columns(flip_b=True))
    assert mirrored.codes["match"].tolist() == [0]


@pytest.mark.parametrize(
    "rows",
    [
        ("q0,new,new,1",),  # one system beside itself
        ("q0,old,other,1",),  # another opponent
        ("q0,,,1",),  # no names
        ("q9,old,new,1",),  # an item that nobody judged
    ],
)
def test_other_labels_stay_as_they_are(tmp_path: Path, rows: tuple[str, ...]) -> None:
    path = people(tmp_path, *rows)
    assert read_labels(path, about=[read_labels(judged(tmp_path))]).warnings == ()


def test_a_ranking_by_turned_labels_is_that_by_the_others(tmp_path: Path) -> None:
    judge = judged(tmp_path)
    same = rank(judge, labels=people(tmp_path, *SAME))
    turned = rank(judge, labels=people(tmp_path, *TURNED))
    assert same.labelled
    assert same.labelled == turned.labelled
    assert [one.check for one in turned.warnings] == ["turned_sides"]


@pytest.mark.parametrize("command", ["agree", "rank", "plan", "screen", "compare"])
def test_every_command_says_that_sides_were_exchanged(
    tmp_path: Path, command: str
) -> None:
    ids = [f"q{number}" for number in range(24)]
    labels = people(tmp_path, *(f"{id_},old,new,2" for id_ in ids))
    verdicts = dict.fromkeys(ids, "1")
    runs = [judged_run(tmp_path / "one", verdicts)]
    if command == "compare":
        runs.append(judged_run(tmp_path / "two", verdicts))
    asked = trace_eval(command, *runs, "--labels", labels)
    assert "A of 24 of 24 labels is B of the judgements" in asked.err
