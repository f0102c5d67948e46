"""Tables as people, survey tools and spreadsheets leave them, read as meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.cli import code_and_words
from tests.support.sheets import write_sheet
from trace_eval.data.columns import parse_conditions, parse_ends
from trace_eval.data.spelling import spelled
from trace_eval.decide.agree import agree
from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.rating_files import read_ratings
from trace_eval.opinions.scores import read_scores
from trace_eval.runs.opinions import read_opinions


def _letters(codes: list[int]) -> str:
    names = dict(enumerate("12gbt")) | {MISSING: "-"}
    return "".join(names[code] for code in codes)


def _write(folder: Path, text: str, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "value",
    ["-1", "\u22121", "+1", "~1", "\u00acA", "!A", "A?", "A-", "#1", "1.0", "not A"],
)
def test_spelling_drops_nothing_that_carries_meaning(value: str) -> None:
    with pytest.raises(ValueError, match="it is no label"):
        spelled(value)


@pytest.mark.parametrize(
    "value", ["(A)", "A.", "\uff11", "A\u200b", "A\u2800", "Much better: A", "A wins!"]
)
def test_what_does_not_matter_is_dropped(value: str) -> None:
    assert spelled(value.replace("Much better: A", "A is much better than B")) == "1"


MTURK = "HITId,WorkerId,AssignmentStatus,Input.pair_id,"
FLAGS = "h,w,Approved,q1,true,false,false\nh,w,Approved,q2,false,false,true\n"
STUDIO = [
    {
        "id": 1,
        "pair_id": "q1",
        "pw": {"selected": "left"},
        "annotator": 1,
        "lead_time": 2,
    },
    {"id": 2, "pair_id": "q2", "annotator": 1, "lead_time": 2},
]


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        (
            "l.csv",
            "Test of March,,,\n,,,\nid,rater,overall,\nq1,x,1,\nq2,x,tie,\n,,,\n",
            "1t",
        ),
        (
            "l.csv",
            f"{MTURK}Answer.preference\nh,w,Approved,q1,A\nh,w,Approved,q2,tie\n",
            "1t",
        ),
        ("l.csv", f"{MTURK}Answer.p.A,Answer.p.B,Answer.p.same\n{FLAGS}", "1t"),
        # a box that nobody checked is blank; a winner and a loser need no column of
        # draws
        ("l.csv", "id,A is better,B is better\nq1,x,\nq2,,x\n", "12"),
        ("l.csv", "id,p.A,p.B\nq1,on,off\nq2,unchecked,checked\n", "12"),
        ("l.csv", "id,winner,loser\nq1,ours,theirs\nq2,theirs,ours\n", "12"),
        (
            "l.csv",
            "Email,Which is better? [q1],Which is better? [q2]\na@x,A,tie\n",
            "1t",
        ),
        ("l.json", json.dumps(STUDIO), "1t"),
        ("l.csv", "id,rater,overall\nq1,x,A much better\nq2,x,About the same\n", "1t"),
        ("l.csv", "id,rater,overall\nq1,x,1\nq2,x,N/A\nq3,x,-\nq4,x,k.A.\n", "1---"),
    ],
)
def test_tables_of_tools_are_labels(
    name: str, text: str, labels: str, tmp_path: Path
) -> None:
    result = read_labels(_write(tmp_path, text, name))
    (column,) = result.codes.values()
    assert _letters(column.tolist()) == labels
    assert result.ids.tolist()[:2] == ["q1", "q2"]


def test_rejected_rows_are_named_and_left_out_by_where(tmp_path: Path) -> None:
    rows = "q1,x,Approved,1\nq1,y,Rejected,2\n"
    path = _write(tmp_path, f"id,rater,AssignmentStatus,overall\n{rows}")
    said = read_labels(path).warnings[0].text
    assert "says Rejected of 1 row" in said
    assert said.endswith("--where 'AssignmentStatus!=Rejected'")
    for text in ("AssignmentStatus!=Rejected", "AssignmentStatus=approved"):
        left = read_labels(path, where=parse_conditions([text]))
        assert _letters(left.codes["overall"].tolist()) == "1"
    with pytest.raises(UserError, match="--where Status: no such column; did you mean"):
        read_labels(path, where=parse_conditions(["Status=Approved"]))


@pytest.mark.parametrize(
    ("column", "kept", "gone"),
    [
        ("excluded", "no", "yes"),
        ("valid", "1", "0"),
        ("Include", "TRUE", "FALSE"),
        ("is_spam", "", "x"),
        ("QC", "pass", "fail"),
    ],
)
def test_rows_that_a_column_of_yes_and_no_throws_out_are_named(
    column: str, kept: str, gone: str, tmp_path: Path
) -> None:
    path = _write(
        tmp_path, f"id,rater,{column},overall\nq1,x,{kept},1\nq1,y,{gone},2\n"
    )
    [said] = [warning.text for warning in read_labels(path).warnings]
    assert f"column {column} says {gone} of 1 row" in said
    left = read_labels(path, where=parse_conditions([f"{column}!={gone}"]))
    assert _letters(left.codes["overall"].tolist()) == "1"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("id,ann,bob,cem\nq1,1,both_good,1\nq2,2,1,2\n", "12g112"),  # ann never ties
        ("id,ann,bob,cem\nq1,1,2,1\nq2,2,1,2\n", "122112"),
        (
            "id,system_a,system_b,ann,bob\nq1,new,old,new,old\nq2,old,new,new,new\n",
            "1222",
        ),
    ],
)
def test_no_rater_of_a_wide_sheet_is_dropped(
    text: str, labels: str, tmp_path: Path
) -> None:
    path = _write(tmp_path, text)
    for result in (read_labels(path), read_opinions(path, rows_are_items=True)):
        (column,) = result.codes.values()
        assert _letters(column.tolist()) == labels


@pytest.mark.parametrize(
    ("header", "rows", "raters", "says"),
    [
        ("id,ann,ben,majority", ("1,tie,1", "2,2,2"), {"ann", "ben"}, "majority was"),
        (
            "id,rater_final_1,rater_final_2",
            ("1,1", "2,1"),
            {"rater_final_1", "rater_final_2"},
            "is read as a rater",
        ),
        ("id,ann,ann_sure,ben", ("1,2,tie", "2,1,1"), {"ann", "ben"}, "ann_sure"),
        (
            "id,system_a,system_b,ann,ben,cem",
            ("x,y,1,tie,x", "x,y,2,2,="),
            {"ann", "ben"},
            "cem was left out because '=' in it is no label",
        ),
    ],
)
def test_what_is_read_as_a_rater_and_what_is_not_is_named(
    header: str, rows: tuple[str, ...], raters: set[str], says: str, tmp_path: Path
) -> None:
    """Majorities and confidences counted as votes, and a rater was left out unnamed."""
    lines = [header, *(f"q{number},{row}" for number, row in enumerate(rows))]
    result = read_labels(_write(tmp_path, "\n".join(lines) + "\n"))
    assert set(result.raters()) == raters
    assert says in result.warnings[0].text


@pytest.mark.parametrize(
    ("header", "rows", "remedy"),
    [
        ("id,ann_content,ann_overall,ben_content", ("1,2,1", "2,1,tie"), "overall"),
        ("id,ann,ben", ("1.0,2.0", "2.0,"), "rater=ann,ben"),
        ("id,remark,gold_choice", ("fine,1", "loud,2"), "preference=gold_choice"),
        ("id,majority,final", ("1,1", "2,1"), "preference=majority"),
        # as Gorilla marks what it shuffles
        ("id,randomise_blocks,randomise_trials", ("1,1", "1,1"), "overall=COLUMN"),
        ("id,remark,voice", ("fine,1", "loud,tie"), "preference=voice"),
    ],
)
def test_columns_that_are_no_votes_of_one_question_are_refused(
    header: str, rows: tuple[str, ...], remedy: str, tmp_path: Path
) -> None:
    lines = [header, *(f"q{number},{row}" for number, row in enumerate(rows))]
    path = _write(tmp_path, "\n".join(lines) + "\n")
    with pytest.raises(UserError, match=f"--column {remedy}"):
        read_labels(path)


def test_raters_that_look_alike_meet_and_are_named(tmp_path: Path) -> None:
    names = ("Zoe\u0301", "Zo\u00e9 ", "zo\u00e9", "Zo\u200b\u00e9")
    rows = "".join(f"q{number},{name},1\n" for number, name in enumerate(names))
    result = read_labels(_write(tmp_path, f"id,rater,overall\n{rows}"))
    assert len(result.raters()) == 1
    assert "look alike and are read as one" in result.warnings[0].text
    names = ("O'Neil", "O\u2019Neil", "7", "07", "7.0", "\u0130pek", "ipek")
    rows = "".join(f"q{number},{name},1\n" for number, name in enumerate(names))
    result = read_labels(_write(tmp_path, f"id,rater,overall\n{rows}"))
    assert sorted(result.raters()) == ["7", "O'Neil", "\u0130pek"]
    twice = read_labels(_write(tmp_path, "id,rater,overall\nq1,Ann,1\nq1,ann,2\n"))
    assert len(twice.raters()) == 2
    assert "kept apart" in twice.warnings[0].text


def test_a_judge_without_a_name_is_called_like_its_file(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        "id,system_a,system_b,judge,overall\nx,n,o,,1\ny,n,o,j,2\n",
        "mine.csv",
    )
    assert sorted(read_opinions(path).raters()) == ["j", "mine"]
    scores = _write(tmp_path, "id,system,judge,score\nx,n,,4\ny,o,j,2\n", "mine.csv")
    assert sorted(read_scores(scores).raters()) == ["j", "mine"]


def test_a_table_of_results_holds_a_judge_and_annotators(tmp_path: Path) -> None:
    path = _write(tmp_path, "pair,system_a,system_b,overall,label_overall\nx,n,o,1,2\n")
    judged = read_opinions(path)
    assert judged.labels is not None
    assert judged.codes["overall"].tolist() == [0]
    assert judged.labels.codes["overall"].tolist() == [1]


def test_cells_and_headers_are_as_long_as_lines_of_json(tmp_path: Path) -> None:
    long = "y" * 200_000
    for text in (f"id,overall,note\nx,1,{long}\n", f"id,overall,{long}\nx,1,\n"):
        assert len(read_labels(_write(tmp_path, text))) == 1


def test_a_quote_that_is_never_closed_swallows_no_rows(tmp_path: Path) -> None:
    """28,998 rows were one cell, and the first alone was the result."""
    rows = 'p1,1,"abc\n' + "".join(f"p{number},2,fine\n" for number in range(2, 30))
    path = _write(tmp_path, f"id,overall,note\n{rows}")
    with pytest.raises(UserError, match=r"row 1: .* opened here and never closed"):
        read_labels(path)
    path = _write(tmp_path, 'id,overall,note\np1,1,"a\nb"\np2,2,5" tall\n')
    assert read_labels(path).ids.tolist() == ["p1", "p2"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            b"<!DOCTYPE html><title>Sign in</title>",
            "a page of HTML .* download the file",
        ),
        (b"version https://git-lfs.github.com/spec/v1\noid 1\n", "git lfs pull"),
        (b"PK\3\4" + bytes(26) + b"[Content_Types].xml", "a workbook; save its sheet"),
        (b"\x1f\x8b\x08" + bytes(60), "a gzip archive; unpack it"),
        (b"RIFF$\0\0\0WAVEfmt " + bytes(90), "a recording; name the table"),
        (bytes(600), "nothing but zeros; copy it again"),
    ],
)
def test_what_is_no_table_is_called_what_it_is(
    tmp_path: Path, data: bytes, said: str
) -> None:
    for name in ("labels.csv", "labels.jsonl", "labels.parquet"):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(UserError, match=f"is not a table but .*{said}"):
            read_labels(path)


def test_a_table_of_recordings_in_an_annex_is_a_table(tmp_path: Path) -> None:
    rows = "q1,1,.git/annex/objects/a/1.wav\nq2,2,.git/annex/objects/a/2.wav\n"
    path = _write(tmp_path, f"id,preference,audio\n{rows}")
    assert _letters(read_labels(path).codes["preference"].tolist()) == "12"


def test_the_first_end_of_a_scale_of_comparison_is_that_of_a(tmp_path: Path) -> None:
    path = _write(tmp_path, "id,preference\nq1,3\nq2,-0.5\nq3,0\n")
    for ends, labels in (("3..-3", "12t"), ("-3..3", "21t")):
        read = read_labels(path, scale=parse_ends(ends))
        assert _letters(read.codes["preference"].tolist()) == labels
    with pytest.raises(UserError, match=r"not on the scale -2\.\.2"):
        read_labels(path, scale=parse_ends("-2..2"))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("values", "stated"),
    [((95, 80, 70), "0 to 100"), ((-1, 0, 3), "-3 to 3"), ((8, 3, 10), "1 to 10")],
)
def test_an_undeclared_scale_is_stated_and_means_lie_in_their_intervals(
    values: tuple[int, ...], stated: str
) -> None:
    rows = [
        f"s{number},{system},{value - (system == 'old')}"
        for number in range(12)
        for system, value in (
            ("new", values[number % 3]),
            ("old", values[(number + 1) % 3]),
        )
    ]
    text = "\n".join(["stimulus,system,mos", *rows])
    Path("s.csv").write_text(text.replace(",-2\n", ",-1\n"))
    code, shown = code_and_words(
        "rank", "s.csv", "--resamples", 50, "--json", "out.json"
    )
    assert code == 0, shown
    assert f"read as {stated}" in shown
    for row in json.loads(Path("out.json").read_text())["means"]:
        low, high = row["mean"]["interval"]
        assert low <= row["mean"]["value"] <= high


def test_a_number_that_no_study_has_is_refused_by_its_row(tmp_path: Path) -> None:
    path = _write(tmp_path, "id,system,score\np1,x,3\np2,x,1e308\n")
    with pytest.raises(UserError, match=r"record 2.*1e308"):
        read_ratings(path)


def test_half_steps_and_a_column_a_rater_of_scores(tmp_path: Path) -> None:
    path = _write(tmp_path, "id,system,rater1,rater2\nx,n,3.5,NA\ny,o,2,1\n")
    assert read_ratings(path).facts["score"].tolist() == [3.5, 2, 1]
    assert read_scores(path).facts["score"].tolist() == [3.5, 1.5]


def _export(folder: Path, kind: str, choices: dict[str, str], name: str) -> Path:
    """Write a platform's export with one choice, under a name of the form's author."""
    rows: list[dict[str, Any]] = []
    for number, side in enumerate("AABBA"):
        common = {
            "pair_id": f"p{number}",
            "audio_a": f"{number}a.wav",
            "audio_b": "b.wav",
        }
        times = {"created_at": "2026-01-01", "lead_time": 4.2}
        if kind == "mturk":
            given = {f"Input.{key}": value for key, value in common.items()}
            worker = {
                "HITId": f"H{number}",
                "WorkerId": "W1",
                "AssignmentStatus": "Approved",
            }
            rows.append(
                {**worker, **given, f"Answer.{name}": choices[side], "Approve": ""}
            )
        elif kind == "studio":
            said = {
                "from_name": name,
                "type": "choices",
                "value": {"choices": [choices[side]]},
            }
            one = {"completed_by": 7, "was_cancelled": False, "result": [said]}
            rows.append({"id": number, "data": common, "annotations": [one]})
        else:
            rows.append(
                {**common, "id": number, name: choices[side], "annotator": 7, **times}
            )
    path = folder / f"export.{'csv' if kind in ('mturk', 'studio-csv') else 'json'}"
    if path.suffix == ".csv":
        lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    else:
        path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize("kind", ["mturk", "studio", "studio-min", "studio-csv"])
@pytest.mark.parametrize("name", ["q1", "better", "which_one", "audio_choice"])
@pytest.mark.parametrize("words", ["{}", "{} is better", "option{}"])
def test_the_only_choice_of_an_export_is_the_label(
    tmp_path: Path, kind: str, name: str, words: str
) -> None:
    path = _export(tmp_path, kind, {side: words.format(side) for side in "AB"}, name)
    labels = read_labels(path)
    assert labels.codes["preference"].tolist() == [0, 0, 1, 1, 0]
    (note,) = (one.text for one in labels.warnings)
    assert f"the column {name} is read as the labels" in note
    assert read_labels(path, columns={"preference": name}).warnings == ()


def test_of_two_choices_none_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,rater,clearer,nicer\np0,ann,A,B\np1,ann,B,A\n")
    with pytest.raises(UserError, match="no column of labels"):
        read_labels(path)
    path.write_text("id,rater,count\np0,ann,1\np1,ann,2\n")  # digits may count anything
    with pytest.raises(UserError, match="no column of labels"):
        read_labels(path)


def test_an_export_in_two_languages_loses_nothing(tmp_path: Path) -> None:
    """One line says which labels are unread and how to say what they mean."""
    path = tmp_path / "labels.csv"
    rows = [
        "p0,ann,A is better",
        "p1,ann,no difference",
        "p0,kai,A ist besser",
        "p1,kai,gleich",
    ]
    write_sheet(path, "id,rater,preference", rows)
    with pytest.raises(UserError) as caught:
        read_labels(path, mapping={})
    said = str(caught.value)
    assert "\n" not in said
    assert "--map 'A ist besser=LABEL' --map gleich=LABEL" in said
    labels = read_labels(path, mapping={"A ist besser": "1", "gleich": "tie"})
    assert _letters(labels.codes["preference"].tolist()) == "1t1t"
    form = tmp_path / "form.csv"
    question = "Welche ist besser?"
    form.write_text(
        f"Zeitstempel,E-Mail-Adresse,{question} [p0],{question}"
        " [p1]\n1,kai@x,A,B\n2,ann@x,B,tie\n"
    )
    table = read_labels(form)
    assert table.rater is not None
    assert table.rater.tolist() == ["kai@x", "kai@x", "ann@x", "ann@x"]


def test_a_rater_with_one_label_is_kept_and_said_nothing_of(tmp_path: Path) -> None:
    rows = [f"p{n},{rater},{1 + n % 2}" for n in range(6) for rater in ("ann", "bob")]
    judged, labels = tmp_path / "judged.csv", tmp_path / "labels.csv"
    judged.write_text(
        "id,preference\n" + "".join(f"p{n},{1 + n % 2}\n" for n in range(6))
    )
    labels.write_text("\n".join(["id,rater,preference", *rows, "p0,eve,2"]) + "\n")
    report = agree(judged, labels)
    one = next(row for row in report.checked if row.rater == "eve")
    assert (one.votes, one.agreement, one.reasons) == (1, None, ())
    assert report.raters == 3
