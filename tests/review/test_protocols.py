"""Reviews by a protocol: its form, its orders, its loudness, and what comes of it."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blueprints import UserError
from tests.support import reviewed
from tests.support.audio import tone, write
from tests.support.cli import code_and_words, output_of
from tests.support.judged import scripted_run
from tests.support.review_pages import client_of
from tests.support.reviewed import answered, opened
from trace_eval.data.rubrics.load import protocol_path
from trace_eval.decide.rank import rank
from trace_eval.review.audio import Clips
from trace_eval.review.exports import write_exports
from trace_eval.review.loudness import Level, gains, low_passed, summary_of
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions
from trace_eval.review.page_scores import letters_of, score_page
from trace_eval.review.protocol_files import clips_of, loudness_of, trap_answers
from trace_eval.review.protocol_notes import notes
from trace_eval.review.protocol_results import protocol_results
from trace_eval.review.session import Review
from trace_eval.review.views import Remark


def protocol(folder: Path, name: str, *lines: str) -> str:
    """Write a shipped protocol with more lines in its last table, that of listening."""
    text = protocol_path(name).read_text()
    keys = {line.split(" =")[0] for line in lines}
    kept = [line for line in text.splitlines() if line.split(" =")[0] not in keys]
    path = folder / f"{name}-mine.toml"
    path.write_text("\n".join([*kept, *lines]) + "\n")
    return str(path)


def rows_of(
    review: Review, folder: Path, name: str = "labels.csv"
) -> list[dict[str, str]]:
    write_exports(review, folder)
    with (folder / name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """Three sentences by a reference and two systems, 1 s each."""
    path = tmp_path / "answers.jsonl"
    records = []
    for number in range(3):
        for system, hz in (("ref", 300), ("one", 400), ("two", 500)):
            sound = write(
                tmp_path / f"{system}-{number}.wav", tone(1.0, hz=hz + number)
            )
            records.append(
                {
                    "id": f"{system}-{number}",
                    "question_id": f"q{number}",
                    "system": system,
                    "audio": str(sound),
                }
            )
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


# --- comparisons ----------------------------------------------------------------------


def test_a_comparison_keeps_its_sign_whatever_is_shown_first(
    run: Path, tmp_path: Path
) -> None:
    review = opened(run, "cmos")
    meant = {"ab": "2", "ba": "-2"}  # B is better by two, as each order shows it
    for _ in range(6):
        position = review.position("ada")
        assert position is not None
        answered(review, "ada", meant[position.view.shown])
    assert review.position("ada") is None
    assert {view.shown for view in review.store.views()} == {"ab", "ba"}
    rows = rows_of(review, tmp_path / "out")
    assert {(row["overall"], row["comparison"]) for row in rows} == {("2", "2")}
    report = rank(tmp_path / "out" / "labels.csv")
    assert {row.system: row.wins for row in report.systems} == {
        "secret-one": 0,
        "secret-two": 6,
    }
    (line,) = protocol_results(review)["rows"]
    assert (line.mean, line.labels, dict(line.counts)) == (2.0, 6, {"the second": 6})
    assert line.high <= 3


def test_the_page_of_a_comparison_hides_systems_and_takes_keys(run: Path) -> None:
    review = opened(run, "ab")
    client = client_of(review, "ada")
    text = client.get("/review").text
    assert "secret" not in text
    assert re.findall(r'data-key="(\d)">([^<]+)', text) == [
        ("1", "A is better "),
        ("2", "B is better "),
        ("3", "No difference that matters "),
    ]
    with pytest.raises(UserError, match="'3' is no answer; use 1, 2, tie"):
        answered(review, "ada", "3")


def test_hcot_is_a_protocol_with_the_answers_it_always_had(run: Path) -> None:
    reviewed.say(opened(run, "hcot"), "ada", reviewed.Rating.A)
    (view,) = reviewed.open_at(run).store.views("ada")[:1]
    assert view.finished
    copied = protocol(run, "hcot")
    assert opened(run, copied).store.rubric == "trace"


# --- who rates what, in which order ---------------------------------------------------


def test_every_rater_has_an_order_and_enough_raters_close_an_item(
    run: Path, tmp_path: Path
) -> None:
    review = opened(run, protocol(tmp_path, "ab", "raters = 1"))
    orders = {name: review.sequence(name) for name in ("ada", "bob", "eve")}
    assert len({tuple(order) for order in orders.values()}) > 1
    assert orders["ada"] == opened(
        run, protocol(tmp_path, "ab", "raters = 1")
    ).sequence("ada")
    rated = {answered(review, "ada", "1") for _ in range(4)}
    assert review.progress("bob") == (0, 2)
    rated |= {answered(review, "bob", "2") for _ in range(2)}
    assert len(rated) == 6
    assert review.position("ada") is None
    assert review.position("bob") is None
    assert review.position("eve") is None


def test_items_without_raters_failed_traps_and_repeats_are_told(
    run: Path, tmp_path: Path
) -> None:
    trap = 'traps = [{ item = "p0", answer = "2" }]'
    given = 'order = "given"'
    review = opened(run, protocol(tmp_path, "ab", trap, "repeat = 2", given))
    assert len(review.tasks) == 5 + 1 + 2
    is_open = []
    for _ in range(7):
        answered(
            review, "ada", "1" if review.position("ada").view.shown == "ab" else "2"
        )  # A
        note = "1 of 1 trap item without an answer, which checks nobody: p0"
        is_open.append(note in notes(review, ()))
    assert is_open == [True, True, *[False] * 5]  # the trap stands in the middle
    assert [(one.item, one.is_right) for one in trap_answers(review)] == [("p0", False)]
    assert notes(review, ()) == ["rater ada failed 1 of 1 trap: p0"]
    folder = tmp_path / "out"
    (row,) = (row for row in rows_of(review, folder) if row["id"] == "p0")
    assert (row["rater"], row["overall"], row["trap"]) == ("ada", "", "wrong")
    report = rank(folder / "labels.csv")
    assert sum(row.wins for row in report.systems) == 5  # a trap is no data
    again = rows_of(review, folder, "retest.csv")
    assert [row["repeat"] for row in again] == ["0", "1"]
    assert rows_of(review, folder, "traps.csv")[0]["right"] == "no"
    review = opened(run, "cmos")
    assert notes(review, ())[0].startswith("6 of 6 pairs have no rater: p")


def test_training_comes_first_and_never_counts(run: Path, tmp_path: Path) -> None:
    path = protocol(tmp_path, "ab", 'training = ["p4", "p2"]', "raters = 1")
    review = opened(run, path)
    for rater in ("bob", "ada"):  # one rater an item, and everybody is trained
        text = client_of(review, rater).get("/review").text
        assert "Training: hear how far apart recordings can be" in text
        first = [answered(review, rater, "1") for _ in range(2)]
        assert first == ["p4", "p2"]
    assert "Training:" not in client_of(review, "ada").get("/review").text
    rated = {answered(review, "ada", "1") for _ in range(4)}
    assert rated == {"p0", "p1", "p3", "p5"}
    assert review.position("ada") is None
    results = client_of(review, "ada").get("/results").text
    assert re.findall(r"/export/(\w+)", results) == [
        "labels",
        "training",
        "set_aside",
        "loudness",
    ]
    assert "4 labels, 4 pairs" in results
    (line,) = protocol_results(review)["rows"]
    assert (line.labels, line.items) == (4, 4)
    rows = rows_of(review, tmp_path / "out")
    assert {row["id"] for row in rows} == rated
    apart = rows_of(review, tmp_path / "out", "training.csv")
    assert [(row["rater"], row["id"]) for row in apart] == [
        ("bob", "p4"),
        ("bob", "p2"),
        ("ada", "p4"),
        ("ada", "p2"),
    ]
    assert notes(review, ()) == []
    with pytest.raises(UserError, match="began with training p4, p2; restore that"):
        opened(run, protocol(tmp_path, "ab", "raters = 1"))


def test_training_of_hcot_is_no_label_of_any_file(run: Path, tmp_path: Path) -> None:
    review = opened(run, protocol(tmp_path, "hcot", 'training = ["p3"]'))
    trained = reviewed.say(review, "ada", reviewed.Rating.B)
    rated = reviewed.say(review, "ada", reviewed.Rating.A)
    assert trained == "p3"
    assert [row["id"] for row in rows_of(review, tmp_path / "out")] == [rated]
    (apart,) = rows_of(review, tmp_path / "out", "training.csv")
    assert (apart["id"], apart["overall"]) == ("p3", "2")


def test_single_answers_may_be_traps_and_training(
    answers: Path, tmp_path: Path
) -> None:
    trap = 'traps = [{ item = "two-1", at_most = 3 }]'
    review = opened(answers, protocol(tmp_path, "mos", trap, 'training = "ref-2"'))
    seen = [answered(review, "ada", "5") for _ in range(9)]
    assert seen[0] == "ref-2"
    assert "rater ada failed 1 of 1 trap: two-1" in notes(review, ())
    scored = [row["id"] for row in rows_of(review, tmp_path / "out") if row["score"]]
    assert sorted(scored) == sorted(set(seen) - {"ref-2", "two-1"})


def test_votes_after_the_end_are_kept_and_do_not_count(
    run: Path, tmp_path: Path
) -> None:
    review = opened(run, protocol(tmp_path, "ab", "until = 2020-01-01"))
    with pytest.raises(
        UserError, match="ended on 2020-01-01 at 23:59 UTC; your answer is kept"
    ):
        answered(review, "ada", "1")
    (kept,) = review.store.stored(all_=True)
    assert (kept.set_aside, kept.value in "12") == ("late", True)
    assert rows_of(review, tmp_path / "out", "set_aside.csv")[0]["set_aside"] == "late"
    assert (
        "1 answer of rater ada came after the end and does not count"
        in notes(review, ())[1]
    )


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['traps = [{ item = "p9", answer = "1" }]'], "trap 'p9' is no item of"),
        (["repeat = 7"], "repeat = 7, but only 6 items are rated; repeat fewer"),
        (['training = ["p9"]'], "training 'p9' is no item of"),
    ],
)
def test_what_does_not_fit_the_items_is_one_line(
    run: Path, tmp_path: Path, lines: list[str], said: str
) -> None:
    with pytest.raises(UserError) as caught:
        opened(run, protocol(tmp_path, "ab", *lines))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_review_keeps_its_question_and_may_have_more_raters(
    run: Path, tmp_path: Path
) -> None:
    path = protocol(tmp_path, "ab", "raters = 1")
    opened(run, path)
    opened(run, protocol(tmp_path, "ab", "raters = 2"))
    changed = Path(path).read_text().replace("rather get", "rather have")
    Path(path).write_text(changed)
    with pytest.raises(
        UserError, match="began with another version of protocol ab; restore"
    ):
        opened(run, path)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("ab", {"show_judge": True}, "--show-judge: means nothing to protocol ab"),
        ("ab", {"rubric": "mos"}, "--rubric, --protocol: a rubric is a protocol"),
    ],
)
def test_foreign_options_are_refused(
    run: Path, name: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        open_review(run, {}, ReviewOptions(protocol=name, **options))
    with pytest.raises(UserError, match="--overall-first: means nothing"):
        opened(run, name, overall_first=True)
    # Of a manifest nothing is begun either.
    pairs = run / "pairs.jsonl"
    with pytest.raises(UserError, match="--overall-first: means nothing"):
        open_review(pairs, {"overall_first": True}, ReviewOptions(protocol=name))
    assert not Path("runs/pairs-review").exists()


# --- scores ---------------------------------------------------------------------------


def test_scores_are_exported_with_their_systems(answers: Path, tmp_path: Path) -> None:
    review = opened(answers, "mos")
    for value in "123451234":
        answered(review, "ada", value, "hm")
    rows = rows_of(review, tmp_path / "out")
    assert len(rows) == 9
    assert {row["rubric"] for row in rows} == {"mos"}
    assert {(row["id"].split("-")[0], row["system"]) for row in rows} == {
        ("ref", "ref"),
        ("one", "one"),
        ("two", "two"),
    }
    report = rank(tmp_path / "out" / "labels.csv")
    assert [row.scored for row in report.means] == [3, 3, 3]
    assert not report.warnings  # the scale is that of the rubric
    assert [row.labels for row in protocol_results(review)["rows"]] == [3, 3, 3]


def test_text_accuracy_has_marks(answers: Path, tmp_path: Path) -> None:
    review = opened(answers, "t-acc")
    text = client_of(review, "ada").get("/review").text
    assert (
        "No reference is given for this answer." in text
    )  # what is read, and no question
    assert "Question" not in text
    position = review.position("ada")
    assert position is not None
    assert review.answer(
        "ada", position.task, step="t-acc", value="0", remark=Remark("", ["o", "d"])
    )
    with pytest.raises(UserError, match="code 'q': use o, d, w"):
        review.answer(
            "ada",
            review.position("ada").task,
            step="t-acc",
            value="1",
            remark=Remark("", ["q"]),
        )
    (row,) = rows_of(review, tmp_path / "out")
    assert (row["score"], row["feedback"]) == ("0", "d o")


def test_a_third_rater_decides_where_two_differ(answers: Path, tmp_path: Path) -> None:
    review = opened(answers, "t-acc")
    first = {answered(review, "ada", "1") for _ in range(9)}
    page = client_of(review, "ada").get("/results").text
    assert "No answer is decided yet." in page
    for _ in range(9):
        item = review.position("bob").view.item
        answered(review, "bob", "0" if item in ("one-0", "two-0", "two-1") else "1")
    assert len(first) == 9
    assert review.progress("eve") == (0, 3)
    (told,) = notes(review, ())
    assert "raters differ on 3 of 9 answers, which wait for one more: " in told
    rows = {row.name: row for row in protocol_results(review)["rows"]}
    assert (rows["two"].items, rows["two"].mean) == (1, 1.0)  # two items are open
    for _ in range(3):
        item = review.position("eve").view.item
        answered(review, "eve", "1" if item == "two-1" else "0")
    assert review.position("eve") is None
    assert review.position("dan") is None
    assert notes(review, ()) == []
    means = {row.name: round(row.mean, 6) for row in protocol_results(review)["rows"]}
    assert means == {"ref": 1.0, "one": 0.666667, "two": 0.666667}
    decided = rows_of(review, tmp_path / "out", "decided.csv")
    assert {(row["id"], row["score"], row["raters"]) for row in decided} >= {
        ("one-0", "0", "3"),
        ("two-1", "1", "3"),
        ("ref-0", "1", "2"),
    }
    report = rank(tmp_path / "out" / "decided.csv")
    assert {row.system: round(row.mean.value, 6) for row in report.means} == means


def test_an_answer_must_be_played_unless_it_need_not(answers: Path) -> None:
    review = opened(answers, "mos", unplayed=False)
    task = review.position("ada").task
    with pytest.raises(UserError, match="play P first: a rating asks to have heard it"):
        review.answer("ada", task, step="mos", value="3", remark=Remark(played=()))
    assert review.answer(
        "ada", task, step="mos", value="3", remark=Remark(played=("p",))
    )


WIDE = """
name = "warm"
version = "1"
title = "How warm is it?"
origin = "ours"
scale = { min = -50, max = 50, step = 0.5 }
question = "How warm is it?"
inputs = ["question", "candidate"]
[points]
-50 = "cold"
50 = "warm"
"""


def test_a_rubric_of_any_width_is_rated_reported_and_reviewed(tmp_path: Path) -> None:
    rubric = tmp_path / "warm.toml"
    rubric.write_text(WIDE)
    records = [
        {"id": f"i{n}", "question": "Q?", "candidate": f"c{n}", "system": f"s{n}"}
        for n in range(2)
    ]
    replies = [{"reasoning": "r", "score": score} for score in (-49.5, 20)]
    run = scripted_run(tmp_path, records, replies, rubrics=(str(rubric),))
    assert "-49.5" in output_of("show", run)
    output_of("report", run)
    page = (run / "report.html").read_text()
    assert "from -50 (left) to 50 (right)" in page
    assert "No systems are compared" not in page
    by_name = output_of("rank", run, "--rubric", "warm")
    assert (
        by_name == output_of("rank", run) == output_of("rank", run, "--rubric", rubric)
    )
    assert (
        "has no scores of rubric cold; there are warm"
        in code_and_words("rank", run, "--rubric", "cold")[1]
    )
    review = open_review(run)
    assert (
        'min="-50.0" max="50.0" step="0.5"'
        in client_of(review, "ada").get("/review").text
    )
    for task, score in enumerate(("-12.5", "50")):
        assert review.answer("ada", task, "warm", score)
    with pytest.raises(UserError, match="score"):
        open_review(run).answer("bob", 0, "warm", "50.5")
    write_exports(review, tmp_path / "out")
    said = output_of("agree", run, "--labels", tmp_path / "out" / "labels.csv")
    assert "2 answers" in said
    output_of("review", run, "--label-studio", tmp_path / "studio")
    assert "-50: cold" in (tmp_path / "studio" / "config.xml").read_text()


# --- pages of several answers ---------------------------------------------------------


def page_scores(review: Review, rater: str, scores: dict[str, float]) -> dict[str, str]:
    """Give each system's answer a score; returns letter -> score."""
    position = review.position(rater)
    assert position is not None
    page = review.item(position.view.item)
    return {
        letter: f"{scores[page.members[item].system]:g}"
        for letter, item in letters_of(review, position).items()
    }


LOW = {"ref": 10, "one": 20, "two": 30, "lowpass-3500": 0, "lowpass-7000": 95}
SCORES = {"ref": 100, "one": 60, "two": 20, "lowpass-3500": 30, "lowpass-7000": 50}


def test_a_page_has_the_hidden_reference_and_its_anchors(
    answers: Path, tmp_path: Path
) -> None:
    review = opened(answers, "mushra", unplayed=False)
    assert review.progress("ada") == (0, 3)
    while (position := review.position("ada")) is not None:
        given = page_scores(review, "ada", SCORES)
        assert len(given) == 5
        task, every = position.task, Remark(played="abcde")
        assert score_page(review, "ada", task, {"a": "5"})
        assert score_page(review, "ada", task, {"a": given["a"], "b": given["b"]})
        with pytest.raises(UserError, match="C and D and E: has no score yet"):
            score_page(review, "ada", task, {}, every, finish="yes")
        with pytest.raises(
            UserError, match="play E first: a rating asks to have heard all"
        ):
            score_page(review, "ada", task, given, Remark(played="abcd"), finish="yes")
        with pytest.raises(UserError, match=r"A, score: '101' is not one of|A, score"):
            score_page(review, "ada", task, {"a": "101"})
        assert score_page(review, "ada", task, given, every, finish="yes")
        assert not score_page(
            review, "ada", task, given, every, finish="yes"
        )  # an old page
    rows = rows_of(review, tmp_path / "out")
    means = {(row["system"], float(row["score"])) for row in rows}
    assert means == {(system, float(score)) for system, score in SCORES.items()}
    assert len(rows) == 15
    report = rank(tmp_path / "out" / "labels.csv")
    assert {row.system: round(row.mean.value, 6) for row in report.means} == SCORES
    assert (report.low, report.high) == (0, 100)  # of the rubric that the file names
    assert {row.name: row.mean for row in protocol_results(review)["rows"]} == SCORES
    aside = rows_of(review, tmp_path / "out", "set_aside.csv")
    assert {row["set_aside"] for row in aside} == {"changed"}


def test_training_of_mushra_is_a_page_and_fails_no_trap(
    answers: Path, tmp_path: Path
) -> None:
    review = opened(answers, protocol(tmp_path, "mushra", 'training = "q1"'))
    for number in range(3):
        position = review.position("ada")
        assert position is not None
        assert (position.view.item == "q1") == (number == 0)
        shown = client_of(review, "ada").get("/review").text
        assert ("Training:" in shown) == (number == 0)
        given = page_scores(review, "ada", LOW if number == 0 else SCORES)
        assert score_page(review, "ada", position.task, given, finish="yes")
    assert review.position("ada") is None
    rows = rows_of(review, tmp_path / "out")
    assert {row["instruction_id"] for row in rows} == {"q0", "q2"}
    assert {row.name: row.mean for row in protocol_results(review)["rows"]}[
        "ref"
    ] == 100
    assert not any("failed" in note for note in notes(review, ()))
    apart = rows_of(review, tmp_path / "out", "training.csv")
    assert {row["instruction_id"] for row in apart} == {"q1"}
    assert len(apart) == 5


def test_a_page_that_cannot_be_rated_is_left(answers: Path, tmp_path: Path) -> None:
    review = opened(answers, "mushra", unplayed=False)
    task = review.position("ada").task
    assert score_page(review, "ada", task, {"a": "7"}, finish="none")
    assert review.progress("ada") == (1, 3)
    scores = [row["score"] for row in rows_of(review, tmp_path / "out")]
    assert sorted(scores) == ["", "", "", "", "7"]
    assert review.undo("ada")
    assert review.progress("ada") == (0, 3)
    assert review.position("ada").task == task  # the page is open again


def test_a_hidden_reference_may_be_a_trap_and_stays_data(
    answers: Path, tmp_path: Path
) -> None:
    trap = 'traps = [{ system = "ref", at_least = 90 }]'
    review = opened(answers, protocol(tmp_path, "mushra", trap))
    task = review.position("ada").task
    given = page_scores(review, "ada", SCORES | {"ref": 80})
    score_page(review, "ada", task, given, finish="yes")
    (answer,) = trap_answers(review)
    assert (answer.expected, answer.given, answer.is_right) == (
        "at least 90",
        "80",
        False,
    )
    rows = rows_of(review, tmp_path / "out")
    assert {row["trap"] for row in rows if row["system"] == "ref"} == {"wrong"}
    assert {row["trap"] for row in rows if row["system"] != "ref"} == {""}
    assert {row["score"] for row in rows if row["system"] == "ref"} == {"80"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"ref": 89}, "failed 3 of 6 traps: "),
        ({"ref": 89}, "; 3 of 3 answers of ref: more than the protocol's 15%; "),
        (
            {"lowpass-7000": 91},
            "; 3 of 3 answers of lowpass-7000: more than the protocol's 15%; ",
        ),
        ({"ref": 90, "lowpass-7000": 90}, None),
    ],
)
def test_mushra_names_the_raters_that_its_recommendation_leaves_out(
    answers: Path, tmp_path: Path, given: dict[str, float], said: str | None
) -> None:
    review = opened(answers, "mushra")
    for _ in range(3):
        task = review.position("ada").task
        score_page(
            review,
            "ada",
            task,
            page_scores(review, "ada", SCORES | given),
            finish="yes",
        )
    told = [note for note in notes(review, ()) if "failed" in note]
    assert len(told) == (said is not None)
    assert len(rows_of(review, tmp_path / "out")) == 15  # all scores are exported
    if said is not None:
        assert said in told[0]
        assert told[0].endswith("leave this rater out with --where 'rater!=ada'")


def test_a_page_names_nothing_and_keeps_its_order(answers: Path) -> None:
    review = opened(answers, "mushra")
    client = client_of(review, "ada")
    text = client.get("/review").text
    assert (
        "10 Bad · 30 Poor · 50 Fair · 70 Good · 90 Excellent" in text
    )  # where none fits below
    for name in ("ref-", "one-", "two-", "lowpass", "q0", "q1", "q2"):
        assert name not in text
    position = review.position("ada")
    assert letters_of(review, position) == letters_of(review, position)
    fields = dict(re.findall(r'name="(csrf|task|version)" value="([^"]*)"', text))
    sent = {**fields, "letter": list("abcde"), "value": ["36", "", "", "", ""]}
    assert client.post("/scores", data=sent).status_code == 204
    assert re.findall(
        r'name="value"[^>]* value="(\d+)"', client.get("/review").text
    ) == ["36"]


def changed_first(path: Path, **change: Any) -> None:
    """Change the first answer of a manifest."""
    first, *others = map(json.loads, path.read_text().splitlines())
    path.write_text(
        "\n".join(json.dumps(record) for record in (first | change, *others))
    )


def test_a_question_without_its_reference_is_left_out(answers: Path) -> None:
    changed_first(answers, system="x")
    review = opened(answers, "mushra")
    assert set(review.material.left_out) == {"q0"}
    assert (
        "has no reference; name its system, one of ref"
        in review.material.left_out["q0"]
    )


def test_answers_of_no_question_share_no_page(answers: Path) -> None:
    changed_first(answers, question_id=None)
    with pytest.raises(UserError, match="item 'ref-0' has no question_id"):
        opened(answers, "mushra")


# --- loudness -------------------------------------------------------------------------


@pytest.fixture
def loud(tmp_path: Path) -> Path:
    """One pair whose B is 26 dB louder."""
    quiet, full = (
        tone(1.0) * np.float32(0.04),
        tone(1.0) * np.float32(0.04 * 10 ** (26 / 20)),
    )
    record = {
        "id": "p",
        "a": {"audio": str(write(tmp_path / "a.wav", quiet)), "system": "old"},
        "b": {"audio": str(write(tmp_path / "b.wav", full)), "system": "new"},
    }
    path = tmp_path / "loud.jsonl"
    path.write_text(json.dumps(record))
    return path


def test_a_difference_of_loudness_is_told(loud: Path, tmp_path: Path) -> None:
    review = opened(loud, "hcot", unplayed=False)
    text = client_of(review, "ada").get("/review").text
    louder = "B" if review.position("ada").view.shown == "ab" else "A"
    assert f"{louder} is 26 dB louder than" in text
    (told,) = notes(review, loudness_of(review))[1:]
    assert told == (
        "loudness: the answers of 1 of 1 item differ by 3 LU or more, the most 26.0 LU"
        " (p); raters hear them as they are, and see it"
    )
    assert "1 of 1 item measured so far" in str(
        summary_of(loudness_of(review), matched=True, is_whole=False)
    )
    out = tmp_path / "out"
    code, words = code_and_words("review", loud, "--protocol", "ab", "--export", out)
    assert (code, "raters hear them equally loud" in words) == (0, True)


def test_matched_recordings_are_equally_loud(loud: Path) -> None:
    review = opened(loud, "ab")
    assert "louder than" not in client_of(review, "ada").get("/review").text
    clips = clips_of(review)
    heard = Clips(review.items, review.store.secret)
    power = [
        np.frombuffer(clips.wav(clips.clip_id("p", side))[44:], "<i2") for side in "ab"
    ]
    a, b = (20 * np.log10(np.std(samples.astype(float))) for samples in power)
    assert a == pytest.approx(b, abs=0.1)
    assert heard.loudness(review.items[0]).spread == pytest.approx(26, abs=0.1)


def test_matching_never_clips() -> None:
    levels = {
        "dense": Level(-20.0, 0.9),
        "peaky": Level(-40.0, 0.8),
        "silent": Level(None, 0.0),
    }
    factors = gains(levels)
    assert factors["silent"] == 1
    assert factors["peaky"] * 0.8 == pytest.approx(1.0)
    assert factors["dense"] == pytest.approx(factors["peaky"] / 10)


def test_an_anchor_has_nothing_above_its_edge() -> None:
    rate, low, high = 16_000, tone(0.5, hz=1000), tone(0.5, hz=6000)
    size = min(len(low), len(high))
    both = (low[:size] + high[:size]).reshape(size, -1)
    cut = low_passed(both, rate, 3500)
    spectrum = np.abs(np.fft.rfft(cut[:, 0]))
    frequency = np.fft.rfftfreq(size, 1 / rate)
    assert spectrum[frequency > 4000].max() < 1e-3 * spectrum.max()
    assert low_passed(both, 6000, 3500) is both
