"""Exports of tools that were refused without a way out, or read in part."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.exported import labels_of, scores_of, write_rows
from trace_eval.data.columns import Columns
from trace_eval.data.tables import records
from trace_eval.decide.rank import rank
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.rating_files import read_ratings


def _read_as(path: Path, **named: str) -> list[tuple[str, str, float]]:
    return scores_of(read_ratings(path, columns=Columns(named=named)))


def test_remedies_of_experiments_name_answer_item_and_rater(tmp_path: Path) -> None:
    """Theirs was ``--column score=COLUMN`` before a cut list of columns."""
    slider = write_rows(
        tmp_path / "jspsych.csv",
        ["rt", "stimulus", "response", "slider_start", "subject", "item", "system"],
        [2100, "a.wav", 70, 50, "ann", "u", "old"],
        [1900, "b.wav", 20, 50, "ann", "u", "new"],
    )
    remedy = "--column score=response --column rater=subject"
    with pytest.raises(UserError, match=f"perhaps {remedy}"):
        read_ratings(slider)
    with pytest.raises(UserError, match=f"scores of single answers: {remedy}"):
        rank(slider)
    assert _read_as(slider, score="response", rater="subject") == [
        ("ann", "old", 70.0),
        ("ann", "new", 20.0),
    ]
    psychopy = write_rows(
        tmp_path / "psychopy.csv",
        [
            *["trials.thisN", "sound_file", "system", "slider.response", "slider.rt"],
            "participant",
        ],
        [0, "a.wav", "old", 3, 2.5, "ann"],
        [1, "b.wav", "new", 5, 2.25, "ann"],
    )
    remedy = "--column score=slider.response --column id=sound_file"
    with pytest.raises(UserError, match=f"perhaps {remedy}"):
        read_ratings(psychopy)
    assert _read_as(psychopy, score="slider.response", id="sound_file") == [
        ("ann", "old", 3.0),
        ("ann", "new", 5.0),
    ]


def test_codes_of_buttons_are_offered_as_preferences(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "ab.csv",
        ["rt", "response", "subject", "pair_id", "system_a", "system_b"],
        [2100, 0, "ann", "p", "old", "new"],
        [1800, 1, "bob", "p", "old", "new"],
        [1700, 2, "cem", "p", "old", "new"],
    )
    remedy = "perhaps --column preference=response --column rater=subject"
    with pytest.raises(UserError, match=remedy):
        read_labels(path)
    named = {"preference": "response", "rater": "subject"}
    table = read_labels(path, columns=named, mapping={"0": "1", "1": "2", "2": "tie"})
    assert [label for *_, label in labels_of(table)] == ["1", "2", "tie"]


@pytest.mark.parametrize(
    "column",
    ["mood", "clip_seconds", "response_time", "value_date", "slider_start", "rt"],
)
def test_no_other_number_is_offered_as_an_answer(column: str, tmp_path: Path) -> None:
    path = write_rows(tmp_path / "t.csv", ["id", column], ["p", 7], ["q", 9])
    with pytest.raises(UserError, match="no column 'score'") as refused:
        read_ratings(path)
    assert "perhaps" not in str(refused.value)


def test_columns_of_a_batch_may_be_named_as_its_file_has_them(tmp_path: Path) -> None:
    """The message named the first 24 columns, which are the tool's own."""
    own = [f"Own{chr(97 + number)}" for number in range(24)]
    path = write_rows(
        tmp_path / "batch.csv",
        [*own, "WorkerId", "Input.audio_url", "Input.system", "Answer.score"],
        [*own, "W1", "a.wav", "old", 2],
        [*own, "W2", "a.wav", "old", 4],
    )
    with pytest.raises(UserError, match="perhaps --column id=audio_url"):
        read_ratings(path)
    expected = [("W1", "old", 2.0), ("W2", "old", 4.0)]
    assert _read_as(path, id="audio_url") == expected
    assert _read_as(path, id="Input.audio_url") == expected


def test_rounds_of_a_loop_are_items_and_timers_are_no_answers(tmp_path: Path) -> None:
    """Columns with one text were merged, so that the last round alone was read."""
    names = ["ResponseId", "1_Q9", "2_Q9", "Q10_First Click", "Q10_Page Submit"]
    texts = ["Response ID", "How natural?", "How natural?"]
    texts += ["Timing - First Click", "Timing - Page Submit"]
    imports = [json.dumps({"ImportId": name}) for name in names]
    rows = [names, texts, imports, ["R_1", 4, 5, 2.5, 9.0], ["R_2", 3, 1, 3.5, 8.0]]
    table = read_ratings(write_rows(tmp_path / "loop.csv", *rows))
    assert table.ids.tolist() == ["1", "2", "1", "2"]
    assert table.facts["score"].tolist() == [4, 5, 3, 1]


def test_matrices_of_surveymonkey_have_two_rows_of_names(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "form.csv",
        ["Respondent ID", "Email Address", "Which is better?", "", "Your age?"],
        ["", "", "p", "q", "Open-Ended Response"],
        ["11400", "", "A", "B", "31"],
        ["11401", "", "No preference", "A", "44"],
    )
    assert labels_of(read_labels(path)) == [
        ("11400", "p", "1"),
        ("11400", "q", "2"),
        ("11401", "p", "tie"),
        ("11401", "q", "1"),
    ]


@pytest.mark.parametrize(
    ("header", "first"),
    [
        (["id", "rater", "preference", ""], ["", "ann", "1", "loud"]),
        (["", "id", "rater", "preference"], ["0", "p", "ann", "1"]),
        (["id", "rater", "preference", ""], ["p", "ann", "1", ""]),
        (["note", "id", "rater", "preference"], ["", "p", "ann", "A"]),
    ],
)
def test_first_rows_with_blanks_are_rows(
    header: list[str], first: list[str], tmp_path: Path
) -> None:
    path = write_rows(tmp_path / "t.csv", header, first, [*first[:-1], first[-1]])
    rows = [row for _, row in records(path)]
    assert len(rows) == 2
    assert list(rows[0]) == header


def test_ratings_of_label_studio_are_scores_whatever_their_control_is_called(
    tmp_path: Path,
) -> None:
    """They were read as items without recordings, and ``completions`` not at all."""
    stars = {"from_name": "how", "type": "rating", "value": {"rating": 4}}
    annotation = {"completed_by": 3, "result": [stars]}
    path = tmp_path / "export.json"
    task: dict[str, Any] = {"id": 1, "data": {"system": "old"}}
    for name in ("annotations", "completions"):
        path.write_text(json.dumps([task | {name: [annotation]}]))
        assert scores_of(read_ratings(path)) == [("3", "old", 4.0)]
    path.write_text(json.dumps([task | {"annotations": []}]))
    with pytest.raises(UserError, match="no task has an annotation"):
        read_ratings(path)


def test_sliders_of_beaqlejs_are_systems(tmp_path: Path) -> None:
    tests = [
        {"TestID": "t1", "Runtime": 9, "rating": {"Reference": 100, "1": 40}},
        {"TestID": "t2", "Runtime": 8, "rating": {"Reference": 98, "1": 55}},
        {"UserName": "ann", "UserEmail": "", "UserComment": ""},
    ]
    path = tmp_path / "results.json"
    path.write_text(json.dumps(tests))
    table = read_ratings(path)
    assert scores_of(table) == [
        ("ann", "Reference", 100.0),
        ("ann", "1", 40.0),
        ("ann", "Reference", 98.0),
        ("ann", "1", 55.0),
    ]
    heard = [{"TestID": "t1", "Runtime": 9, "result": True}, {"UserName": "ann"}]
    path.write_text(json.dumps(heard))
    with pytest.raises(UserError, match="is a test of ABX"):
        read_labels(path)


def test_a_text_of_psytoolkit_becomes_a_table_as_typed(tmp_path: Path) -> None:
    path = tmp_path / "mos 1.txt"
    path.write_text("old u1 4 2103\nnew u1 5 1822\n")
    with pytest.raises(UserError) as refused:
        read_ratings(path)
    (command,) = re.findall(r"\(echo .+?\.csv'", str(refused.value))
    named = command.replace("NAME1,NAME2,NAME3,NAME4", "system,id,score,rt")
    subprocess.run(named, shell=True, check=True)  # in whatever folder
    assert read_ratings(tmp_path / "mos 1.csv").facts["score"].tolist() == [4, 5]
    path.write_text("id score\nu1 4\nu2 2\n")
    with pytest.raises(UserError) as refused:
        read_ratings(path)
    (command,) = re.findall(r"tr -s .+?\.csv'", str(refused.value))
    subprocess.run(command, shell=True, check=True)
    assert read_ratings(tmp_path / "mos 1.csv").facts["score"].tolist() == [4, 2]
    path.write_text("l: start\nt: radio\n")
    with pytest.raises(UserError, match=r"give data\.csv"):
        read_ratings(path)


def test_a_row_of_surveymonkey_that_says_response_is_none(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "form.csv",
        ["Respondent ID", "Pair 1: Which is better?", "Pair 2: Which is better?"],
        ["", "Response", "Response"],
        ["11400", "A", "B"],
    )
    read = [("11400", "Pair 1", "1"), ("11400", "Pair 2", "2")]
    assert labels_of(read_labels(path)) == read


def test_questions_of_qualtrics_are_questions_whatever_they_are_called(
    tmp_path: Path,
) -> None:
    """By tags of their own they had no text, so that no item had a name."""
    rows = [
        ["ResponseId", "mos_1", "mos_2", "group_1"],
        ["Response ID", "How natural? - c1", "How natural? - c2", "Group"],
        [
            '{"ImportId":"_recordId"}',
            '{"ImportId":"QID3_1"}',
            '{"ImportId":"QID3_2"}',
            '{"ImportId":"group_1"}',
        ],
        ["R_1", 4, 5, "x"],
    ]
    table = read_ratings(write_rows(tmp_path / "tags.csv", *rows))
    assert table.ids.tolist() == ["c1", "c2"]
    assert table.facts["score"].tolist() == [4, 5]


def test_a_question_with_one_part_keeps_the_name_that_a_user_types(
    tmp_path: Path,
) -> None:
    rows = [
        ["ResponseId", "item_id", "score_1"],
        ["Response ID", "item_id", "Rate the clip"],
        ['{"ImportId":"_recordId"}', '{"ImportId":"item_id"}', '{"ImportId":"QID3_1"}'],
        ["R_1", "u1", 4],
        ["R_2", "u2", 3],
    ]
    path = write_rows(tmp_path / "own.csv", *rows)
    table = read_ratings(path, columns=Columns(named={"score": "score_1"}))
    assert table.ids.tolist() == ["u1", "u2"]
    assert table.facts["score"].tolist() == [4, 3]


def test_answers_that_a_form_sends_back_as_shown_are_left_out(tmp_path: Path) -> None:
    """Two columns of one short name kept their prefixes, so that no item had an id."""
    header = ["WorkerId", "Input.pair_id", "Answer.taskAnswers"]
    first = json.dumps([{"pair_id": "p", "preference": "A"}])
    second = json.dumps([{"pair_id": "q", "preference": "B"}])
    path = tmp_path / "batch.csv"
    write_rows(path, header, ["W1", "p", first], ["W1", "q", second])
    assert labels_of(read_labels(path)) == [("W1", "p", "1"), ("W1", "q", "2")]
    header = ["WorkerId", "Input.pair_id", "Input.preference", "Answer.preference"]
    write_rows(path, header, ["W1", "p", "A", "A"], ["W1", "q", "A", "B"])
    named = {"preference": "Answer.preference"}
    labels = labels_of(read_labels(path, columns=named))
    assert labels == [("W1", "p", "1"), ("W1", "q", "2")]


def test_controls_called_like_labels_stay_labels(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    tasks: list[dict[str, Any]] = []
    for number, item in enumerate("pq", start=1):
        stars = {"from_name": "preference", "value": {"rating": number}}
        annotation = {"completed_by": 3, "result": [stars]}
        tasks.append(
            {"id": number, "data": {"pair_id": item}, "annotations": [annotation]}
        )
    path.write_text(json.dumps(tasks))
    assert labels_of(read_labels(path)) == [("3", "p", "1"), ("3", "q", "2")]


def test_completions_of_a_model_are_no_annotations(tmp_path: Path) -> None:
    """Each was asked for its annotator, although it is a text."""
    path = tmp_path / "answers.jsonl"
    record: dict[str, Any] = {
        "id": "p",
        "audio": "p.wav",
        "data": {},
        "completions": ["Yes.", "No."],
    }
    path.write_text(json.dumps(record | {"ratings": [1, 2]}))
    assert read_ratings(path).facts["score"].tolist() == [1, 2]


def test_names_of_stimuli_are_not_offered_as_preferences(tmp_path: Path) -> None:
    header = ["trial_id", "rating_stimulus", "rating_score"]
    path = write_rows(
        tmp_path / "mushra.csv", header, ["t", "old", 99], ["t", "new", 40]
    )
    with pytest.raises(UserError, match="no column of labels") as refused:
        read_labels(path)
    assert "preference=" not in str(refused.value)


@pytest.mark.parametrize(
    "text", ["id\tscore\nu\t3\n", "id, score\nu, 3\n", "a\0 1\nb 2\n"]
)
def test_no_command_is_offered_that_would_not_make_a_table(
    text: str, tmp_path: Path
) -> None:
    path = tmp_path / "scores.txt"
    path.write_text(text)
    with pytest.raises(UserError, match=r"rename or convert it\Z"):
        read_ratings(path)


def test_answers_in_json_may_be_of_several_items(tmp_path: Path) -> None:
    answers = json.dumps([{"pref_1": {"A": True, "B": False}}])
    more = json.dumps([{"pref_1": "A", "pref_2": "B"}])
    header = ["WorkerId", "Input.pair_1", "Input.pair_2", "Answer.taskAnswers"]
    path = write_rows(tmp_path / "batch.csv", header, ["W1", "p", "q", more])
    read = [("W1", "p", "1"), ("W1", "q", "2")]
    assert labels_of(read_labels(path)) == read
    single = ["WorkerId", "Input.pair_id", "Answer.taskAnswers"]
    path = write_rows(tmp_path / "one.csv", single, ["W1", "p", answers])
    assert labels_of(read_labels(path)) == [("W1", "p", "1")]


def test_one_question_in_two_languages_is_named(tmp_path: Path) -> None:
    """As the remedy was typed, the labels under the other language were lost."""
    path = write_rows(
        tmp_path / "form.csv",
        ["Email", *(f"Welche? [{item}]" for item in "pq")]
        + [f"Which one? [{item}]" for item in "rs"],
        ["a@x.org", "A", "B", "A", "B"],
    )
    table = read_labels(path, columns={"preference": "Welche?"})
    said = " ".join(warning.text for warning in table.warnings)
    assert "Welche? and Which one? are asked of different items" in said
