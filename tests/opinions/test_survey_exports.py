"""Exports of survey tools whose wrong reading would look right."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.exported import labels_of, scores_of, write_rows
from trace_eval.data.columns import Columns, Ends, parse_conditions
from trace_eval.decide.rank import rank
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.rating_files import read_ratings
from trace_eval.stats.agreement.suspects import checked_raters


def _said(table: Opinions) -> str:
    return " | ".join(warning.text for warning in table.warnings)


def test_several_items_of_one_task_are_items_of_their_own(tmp_path: Path) -> None:
    table = read_labels(
        write_rows(
            tmp_path / "batch.csv",
            ["WorkerId", *(f"Input.pair_{n}" for n in (1, 2))]
            + [f"Answer.pref{n}" for n in (1, 2)],
            ["W1", "p", "q", "A", "same"],
            ["W2", "r", "", "B", ""],
        )
    )
    assert labels_of(table) == [
        ("W1", "p", "1"),
        ("W1", "q", "tie"),
        ("W2", "r", "2"),
    ]
    assert "a task with 2 items" in _said(table)


def test_flags_of_a_scale_are_scores_and_no_choice_of_two(tmp_path: Path) -> None:
    flags = [f"Answer.mos.{number}" for number in range(1, 6)]
    rows = [
        ["W1", "old", "u", *("true" if n == 2 else "false" for n in range(1, 6))],
        ["W1", "new", "u", *("true" if n == 4 else "false" for n in range(1, 6))],
    ]
    path = write_rows(
        tmp_path / "flags.csv",
        ["WorkerId", "Input.system", "Input.utt_id", *flags],
        *rows,
    )
    assert scores_of(read_ratings(path)) == [("W1", "old", 2.0), ("W1", "new", 4.0)]


def test_the_only_number_answered_is_the_score(tmp_path: Path) -> None:
    header = ["WorkerId", "Input.system", "Input.utt_id", "Answer.quality"]
    path = write_rows(
        tmp_path / "q.csv", header, ["W1", "old", "u", 3], ["W2", "old", "u", 5]
    )
    assert scores_of(read_ratings(path)) == [("W1", "old", 3.0), ("W2", "old", 5.0)]


def test_reasons_for_a_rejection_and_rows_of_training_are_named(tmp_path: Path) -> None:
    header = ["WorkerId", "Input.pair_id", "Answer.preference", "Approve", "Reject"]
    path = write_rows(
        tmp_path / "batch.csv",
        header,
        ["W1", "p", "A", "x", ""],
        ["W2", "p", "B", "", "did not listen"],
    )
    assert "a reason in 1 row, which all count; leave them out by --where Reject=" in (
        _said(read_labels(path))
    )
    kept = read_labels(path, where=parse_conditions(["Reject="]))
    assert labels_of(kept) == [("W1", "p", "1")]
    header = ["trial_id", "email", "rating_stimulus", "rating_score"]
    path = write_rows(
        tmp_path / "mushra.csv",
        header,
        ["training", "a@x.org", "old", 10],
        ["s1", "a@x.org", "old", 90],
    )
    assert "trial_id says training of 1 row" in _said(read_ratings(path))


def test_previews_of_qualtrics_are_named_in_words_and_numbers(tmp_path: Path) -> None:
    for number, status in ((0, "Survey Preview"), (1, "1")):
        path = write_rows(
            tmp_path / f"q{number}.csv",
            ["Status", "ResponseId", "1_Q3", "2_Q3"],
            [
                "Response Type",
                "Response ID",
                "Which is better? - p",
                "Which is better? - q",
            ],
            [
                f'{{"ImportId":"{name}"}}'
                for name in ("status", "_id", "1_QID3", "2_QID3")
            ],
            ["0" if number else "IP Address", "R_1", "A", "B"],
            [status, "R_2", "B", "B"],
        )
        table = read_labels(path)
        assert f"--where 'Status!={status}'" in _said(table)
        assert labels_of(table)[:2] == [("R_1", "p", "1"), ("R_1", "q", "2")]


def test_forms_of_microsoft_number_their_responses(tmp_path: Path) -> None:
    header = ["ID", "Start time", "Completion time", "Email", "Name"]
    path = write_rows(
        tmp_path / "form.csv",
        [*header, "p: which is better?", "q: which is better?"],
        [1, "3/1/25", "3/1/25", "anonymous", "", "A", "B"],
        [2, "3/1/25", "3/1/25", "anonymous", "", "B", "About the same"],
    )
    assert labels_of(read_labels(path)) == [
        ("1", "p", "1"),
        ("1", "q", "2"),
        ("2", "p", "2"),
        ("2", "q", "tie"),
    ]


def test_responses_of_limesurvey_are_raters_and_no_items(tmp_path: Path) -> None:
    """Its column id numbers the responses; each question was read as a rater."""
    header = ["id", "submitdate", "lastpage", "startlanguage", "seed"]
    path = write_rows(
        tmp_path / "results.csv",
        [*header, "AB[SQ001]", "AB[SQ002]"],
        [7, "2026-11-02 09:05:00", 3, "en", 12345, "A", "B"],
        [8, "2026-11-02 09:06:00", 3, "en", 54321, "B", "Tie"],
    )
    assert labels_of(read_labels(path)) == [
        ("7", "SQ001", "1"),
        ("7", "SQ002", "2"),
        ("8", "SQ001", "2"),
        ("8", "SQ002", "tie"),
    ]


def test_respondents_of_surveymonkey_are_raters(tmp_path: Path) -> None:
    """Its empty column of addresses was taken for theirs; the header is one row."""
    path = write_rows(
        tmp_path / "form.csv",
        [
            "Respondent ID",
            "Email Address",
            "Which is better? [p]",
            "Which is better? [q]",
        ],
        ["11400", "", "A", "B"],
        ["11401", "", "No preference", "A"],
    )
    assert labels_of(read_labels(path)) == [
        ("11400", "p", "1"),
        ("11400", "q", "2"),
        ("11401", "p", "tie"),
        ("11401", "q", "1"),
    ]


@pytest.mark.parametrize("emails", [["", ""], ["ann@x.org", "bob@x.org"]])
def test_sessions_name_raters_who_left_no_address(
    emails: list[str], tmp_path: Path
) -> None:
    """An empty column email was taken for the raters, and each session for a copy."""
    rows = [
        ["t1", emails[0], "uuid-0", "p", "old", "new", "incorrect"],
        ["t1", emails[1], "uuid-1", "p", "old", "new", "correct"],
    ]
    path = write_rows(
        tmp_path / "paired_comparison.csv",
        [
            "session_test_id",
            "email",
            "session_uuid",
            "trial_id",
            "choice_reference",
            "choice_non_reference",
            "choice_answer",
        ],
        *rows,
    )
    raters = [email or f"uuid-{number}" for number, email in enumerate(emails)]
    assert labels_of(read_labels(path)) == [
        (raters[0], "p", "2"),
        (raters[1], "p", "1"),
    ]


def test_a_table_without_ids_of_scores_says_what_to_type(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "scores.csv",
        ["clip name", "listener", "score"],
        ["c1.wav", "ann", 4],
        ["c2.wav", "ann", 2],
    )
    remedy = "--column id=COLUMN, of clip name, listener, score"
    with pytest.raises(UserError, match=remedy):
        read_ratings(path)
    assert read_ratings(path, columns={"id": "clip name"}).facts["score"].tolist() == [
        4,
        2,
    ]


def test_questions_may_be_numbered_and_their_items_in_parentheses(
    tmp_path: Path,
) -> None:
    path = write_rows(
        tmp_path / "form.csv",
        ["Email Address", "1. Which is better? (p)", "2. Which is better? (q)"],
        ["a@x.org", "A", "B"],
    )
    assert [row[1:] for row in labels_of(read_labels(path))] == [("p", "1"), ("q", "2")]


def test_a_question_in_another_language_is_not_lost_without_a_word(
    tmp_path: Path,
) -> None:
    path = write_rows(
        tmp_path / "form.csv",
        ["Email", "Welche? [p]", "Welche? [q]", "Which one? [r]", "Age [years]"],
        ["a@x.org", "A", "B", "A", "31"],
    )
    table = read_labels(path)
    assert "Which one? [r] was left out" in _said(table)
    assert "Age" not in _said(table)


def test_items_of_psytoolkit_are_numbered_behind_their_question(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "data.csv",
        ["participant", "TIME_start", "Hand (1 left)", "pref:1", "pref:2", "pref:3"],
        ["s.1", "2026-01-01-10-00", 1, 1, 2, 2],
        ["s.2", "2026-01-01-10-00", 2, 2, 2, 1],
    )
    table = read_labels(path)
    assert "Hand" not in _said(table)  # of another form than the answers
    labels = labels_of(table)
    assert labels[:3] == [("s.1", "1", "1"), ("s.1", "2", "2"), ("s.1", "3", "2")]
    assert [label for who, _, label in labels if who == "s.2"] == ["2", "2", "1"]


def test_raters_of_any_column_that_a_user_names_are_annotators(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "gorilla.csv",
        ["Participant Private ID", "Attempt", "pair", "Response"],
        [771, 1, "p", "A"],
        [772, 1, "p", "B"],
        [771, 1, "q", "A"],
    )
    with pytest.raises(UserError, match="perhaps --column preference=Response"):
        rank(path, columns=Columns(named={"id": "pair"}))
    named = {"id": "pair", "rater": "Participant Private ID", "preference": "Response"}
    report = rank(path, columns=Columns(named=named))
    assert report.human


def _of_each(table: Opinions) -> set[tuple[str, str, float]]:
    assert table.rater is not None
    columns = (table.ids, table.rater, table.facts["score"])
    return set(zip(*(column.tolist() for column in columns), strict=True))


def test_items_that_a_rater_scored_again_tell_of_the_rater_alone(
    tmp_path: Path,
) -> None:
    rows: list[Sequence[object]] = []
    for rater, again in (("ann", 61), ("bob", 60), ("cem", 95)):
        for item, score in (("p", 60), ("q", 40), ("r", 20)):
            rows.append((item, rater, score, 0))
        rows.append(("p", rater, again, 1))
    header = ["id", "listener", "score"]
    path = write_rows(tmp_path / "scores.csv", [*header, "repeat"], *rows)
    table = read_ratings(path, columns=Columns(scale=Ends(0, 100)))
    assert len(table) == 9
    assert "3 scores of items that their rater scored before" in _said(table)
    assert {row.rater: (row.repeats, row.same) for row in checked_raters(table)} == {
        "ann": (1, 1.0),
        "bob": (1, 1.0),
        "cem": (1, 0.0),
    }
    path = write_rows(tmp_path / "newest.csv", [*header, "repeat"], *reversed(rows))
    newest_first = read_ratings(path, columns=Columns(scale=Ends(0, 100)))
    assert _of_each(newest_first) == _of_each(table)
    nameless = [(item, "", score, again) for item, _, score, again in rows]
    path = write_rows(tmp_path / "nameless.csv", [*header, "repeat"], *nameless)
    assert len(read_ratings(path, columns=Columns(scale=Ends(0, 100)))) == len(rows)
    untold = write_rows(tmp_path / "twice.csv", header, *(row[:3] for row in rows))
    with pytest.raises(UserError, match="by ann; delete one, or tell them apart by a"):
        read_ratings(untold)


def test_the_same_question_twice_is_not_read_as_one(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "form.csv",
        [
            "Email",
            *(
                f"{n}. Which is better? ({i})"
                for n, i in ((1, "p"), (2, "p"), (3, "q"))
            ),
        ],
        ["a@x.org", "A", "B", "A"],
    )
    with pytest.raises(UserError, match="no column 'id'"):
        read_labels(path)


def test_words_of_listening_quality_are_scores(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "form.csv",
        ["Email Address", "How good? [p]", "How good? [q]"],
        ["a@x.org", "Good", "Bad"],
    )
    with pytest.raises(UserError, match="--map Good=4 --map Bad=1"):
        read_ratings(path)


def test_codes_of_choices_are_not_taken_for_a_scale_alone(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "codes.csv", ["id", "preference"], ["p", 1], ["q", 2], ["r", 3]
    )
    codes = "where they are codes of choices: --map 1=LABEL --map 2=LABEL --map 3=LABEL"
    with pytest.raises(UserError, match=codes):
        read_labels(path, mapping={})
    header = ["Username", "Better? [p]", "Better? [q]", "Better? [r]"]
    form = write_rows(tmp_path / "form.csv", header, ["a", 1, 2, 3], ["b", 1, 2, 3])
    with pytest.raises(UserError, match="perhaps --column preference=score"):
        read_labels(form)


def test_recordings_that_are_read_as_systems_are_told(tmp_path: Path) -> None:
    """webMUSHRA's sheet of single stimuli names the recording, and no system."""
    header = ["session_test_id", "email", "trial_id", "stimuli_rating", "stimuli"]
    rows: list[list[Any]] = []
    for rater in ("a@x.org", "b@x.org"):
        for number in range(6):
            system = ("old", "new")[number % 2]
            score = 2 + 2 * (number % 2) + (rater == "a@x.org")
            name = f"{system}_{number // 2}.wav"
            rows.append(["t", rater, "page", f" {score} ", name, system])
    path = write_rows(tmp_path / "lss.csv", header, *(row[:-1] for row in rows))
    (told,) = (one.text for one in rank(path).caveats if "single answer" in one.text)
    assert "each of the 6 systems has a single answer" in told
    assert "add a column system" in told
    assert "--column id=COLUMN" in told
    path = write_rows(tmp_path / "declared.csv", [*header, "system"], *rows)
    report = rank(path, columns=Columns(named={"id": "stimuli"}))
    means = {row.system: (row.scored, row.mean.value) for row in report.means}
    assert means == {"old": (3, 2.5), "new": (3, 4.5)}
    assert not any("single answer" in one.text for one in report.caveats)


def test_webmushra_says_whether_the_reference_was_chosen(tmp_path: Path) -> None:
    header = ["email", "trial_id", "choice_reference", "choice_non_reference"]
    said = ("correct", "incorrect", "undecided", "unknown")
    rows = [["a@x.org", f"t{n}", "old", "new", one] for n, one in enumerate(said)]
    table = read_labels(
        write_rows(tmp_path / "pc.csv", [*header, "choice_answer"], *rows)
    )
    assert [label for *_, label in labels_of(table)] == ["1", "2", "tie", None]


def test_both_scores_of_a_row_of_bs1116_are_read(tmp_path: Path) -> None:
    names = ["rating_reference", "rating_non_reference"]
    header = ["email", "trial_id", *names, *(f"{name}_score" for name in names)]
    row = ["a@x.org", "t1", "ref", "codec", "5", "3.5"]
    table = read_ratings(write_rows(tmp_path / "bs1116.csv", header, row))
    assert scores_of(table) == [("a@x.org", "ref", 5.0), ("a@x.org", "codec", 3.5)]
    assert table.facts["instruction_id"].tolist() == ["t1", "t1"]


def test_results_of_label_studio_may_be_lists_in_text(tmp_path: Path) -> None:
    header = ["annotation_id", "annotator", "id", "system", "utt_id", "rating"]
    row = [1, 7, 1, "old", "u", json.dumps([{"rating": 4}])]
    assert scores_of(read_ratings(write_rows(tmp_path / "r.csv", header, row))) == [
        ("7", "old", 4.0)
    ]
    header = ["annotation_id", "annotator", "id", "pair_id", "pw"]
    rows: list[list[Any]] = [
        [1, 7, 1, "p", json.dumps([{"selected": "right"}])],
        [2, 7, 2, "q", ""],
    ]
    table = read_labels(write_rows(tmp_path / "p.csv", header, *rows))
    assert labels_of(table) == [("7", "p", "2"), ("7", "q", "tie")]


def test_skipped_annotations_are_counted_beside_others(tmp_path: Path) -> None:
    result = [
        {"from_name": "preference", "type": "choices", "value": {"choices": ["A"]}}
    ]
    task = {
        "id": 1,
        "data": {"pair_id": "p"},
        "annotations": [
            {"completed_by": 1, "result": result, "was_cancelled": False},
            {"completed_by": 2, "result": result, "was_cancelled": True},
        ],
    }
    path = tmp_path / "studio.json"
    path.write_text(json.dumps([task]))
    table = read_labels(path)
    assert labels_of(table) == [("1", "p", "1")]
    assert "1 annotation skipped" in _said(table)


def test_no_remedy_names_a_column_of_decisions(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "t.csv", ["id", "Finished", "session"], ["p", 1, 1])
    with pytest.raises(UserError) as caught:
        read_labels(path)
    assert "perhaps" not in str(caught.value)
