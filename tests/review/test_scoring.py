"""Reviews of single answers: the queue, ratings, codes, and the correction loop."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blueprints import GROUPS, UserError
from tests.support import browser, calls
from tests.support.judged import scripted_run
from tests.support.review_pages import client_of, csrf
from trace_eval.data.conversation import Conversation
from trace_eval.data.manifests import read_items
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.decide.agree import agree
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.opinions.rating_files import read_ratings
from trace_eval.review.exports import write_exports
from trace_eval.review.forms import score_of
from trace_eval.review.material import load_material, turn_lines
from trace_eval.review.opening import open_review
from trace_eval.review.options import QueueOptions
from trace_eval.review.queue import make_plan
from trace_eval.review.session import Review
from trace_eval.review.store import Store
from trace_eval.review.views import Remark
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.options import RateOptions
from trace_eval.stats.options import AgreeOptions

SCRIPT = "<script>window.hacked = 1</script>"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Three answers; the judge's samples differ most on i1, then on i2."""
    records = [
        {
            "id": f"i{n}",
            "question": f"Question {n}? {SCRIPT}",
            "reference": f"reference {n}",
            "rationale": "because",
            "candidate": f"candidate {n} {SCRIPT}",
            "system": "SECRET-SYSTEM",
            "labels": {"scores": {"x": 5}, "feedback": {"x": ["r"] if n == 0 else []}},
        }
        for n in range(3)
    ]
    replies = [{"reasoning": "r", "score": s} for s in (3, 3, 1, 5, 3, 4)]
    return scripted_run(tmp_path, records, replies, JudgeOptions(samples=2))


def rate(
    review: Review,
    rater: str,
    task: int,
    value: Any,
    *,
    codes: Sequence[str] = (),
    comment: str = "",
) -> bool:
    """Answer the only question of an item: a score, with codes and a comment."""
    return review.answer(
        rater, task, step="correctness", value=value, remark=Remark(comment, codes)
    )


def task_of(review: Review, rater: str) -> int:
    return review.position(rater).task


def test_the_queue_goes_by_variance_and_takes_ratings_codes_and_null(run: Path) -> None:
    review = open_review(run)
    assert [item.id for item in review.items] == ["i1", "i2", "i0"]
    assert [item.id for item in open_review(run, {"budget": 2}).items] == ["i1", "i2"]
    assert rate(review, "ada", 0, "4", codes=["u", "e"], comment="hm")
    assert not rate(review, "ada", 0, "5")  # an old page
    assert rate(review, "ada", 1, "none", codes=["e"])
    given = review.store.stored()
    assert [(g.item, score_of(g.value), g.codes) for g in given] == [
        ("i1", 4, ("e", "u")),
        ("i2", None, ("e",)),
    ]
    for value, why in (
        ("0", "is not one of 1, 2, 3"),
        ("4.5", "is not one of"),
        ("x", "score"),
    ):
        with pytest.raises(UserError, match=why):
            rate(review, "ada", 2, value)
    with pytest.raises(UserError, match="code 'z'"):
        rate(review, "ada", 2, "3", codes=["z"])
    assert review.undo("ada")
    assert task_of(review, "ada") == 1
    undone = review.store.stored(all_=True)[1]
    assert (undone.item, undone.set_aside) == ("i2", "undone")


def test_a_correction_sets_ratings_aside_and_asks_again(run: Path) -> None:
    review = open_review(run)
    rate(review, "ada", 0, "1", codes=["r"])
    rate(review, "bob", 0, "5")
    rate(review, "ada", 1, "2")
    flags = review.flags()
    assert [(flag.item.id, dict(flag.codes)) for flag in flags] == [
        (n, {"r": 1}) for n in ("i1", "i0")
    ]
    assert review.correct("eve", 0, {"reference": "better\n---\nor this"}) == 1
    assert review.correct("eve", 0, {"reference": "better\n---\nor this"}) == 0
    assert review.items[0].reference == ("better", "or this")
    assert [g.item for g in review.store.stored()] == ["i2"]
    assert [g.set_aside for g in review.store.stored(all_=True)] == [
        "corrected",
        "corrected",
        None,
    ]
    assert (task_of(review, "ada"), task_of(review, "bob")) == (0, 0)
    (line,) = map(json.loads, (run / "corrections.jsonl").read_text().splitlines())
    assert (line["item"], line["field"], line["who"]) == ("i1", "reference", "eve")
    assert (line["before"], line["after"]) == ("reference 1", "better\n---\nor this")
    again = open_review(run)
    assert again.items[0].reference == ("better", "or this")
    with pytest.raises(UserError, match="an item needs one"):
        review.correct("eve", 0, {"reference": "  "})


def hidden_fields(client: Any) -> dict[str, str]:
    """Return the hidden fields of the forms on the page of the next question."""
    text = client.get("/review").text
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', text))


@pytest.mark.parametrize("servers", [1, 2])
def test_a_rating_of_a_text_that_was_corrected_meanwhile_does_not_count(
    run: Path, servers: int
) -> None:
    """With one server or two on a database, the page open before is shown again."""
    review = open_review(run)
    other = review if servers == 1 else open_review(run)
    client = client_of(review, "ada")
    page = hidden_fields(client)
    assert other.correct("eve", 0, {"reference": "another reference"}) == 1
    reply = client.post("/answer", data={**page, "value": "5"})
    assert (reply.status_code, reply.headers["location"]) == (303, "/review")
    assert review.store.stored() == []
    assert "another reference" in client.get("/review").text
    client.post("/answer", data={**hidden_fields(client), "value": "2"})
    assert [answer.value for answer in review.store.stored()] == ["2.0"]


def test_a_correction_by_another_server_sets_earlier_ratings_aside(run: Path) -> None:
    review, other = open_review(run), open_review(run)
    assert rate(review, "ada", 0, 5)
    assert other.correct("eve", 0, {"question": "Another question?"}) == 1
    assert review.store.stored() == []
    assert task_of(review, "ada") == 0
    assert review.items[0].instruction.text == "Another question?"


def test_exports_feed_agreement(run: Path, tmp_path: Path) -> None:
    review = open_review(run)
    rate(review, "ada", 0, "4", codes=[], comment="=cmd()")
    rate(review, "ada", 1, "none", codes=["u"])
    rate(review, "bob", 0, "5")
    review.undo("bob")
    labels, aside, _ = write_exports(review, tmp_path / "out")
    rows = list(csv.DictReader(labels.open()))
    assert [(r["id"], r["rater"], r["score"], r["rubric"]) for r in rows] == [
        ("i1", "ada", "4", "correctness"),
        ("i2", "ada", "", "correctness"),
    ]
    assert rows[0]["comment"] == "'=cmd()"
    assert [r["set_aside"] for r in csv.DictReader(aside.open())] == ["undone"]
    assert len(read_ratings(labels))


def test_a_rubric_may_ask_how_sure_a_rater_is(run: Path, tmp_path: Path) -> None:
    rubric = load_rubric("correctness").model_copy(
        update={"name": "sure", "confidence": True}
    )
    material = replace(load_material(run), protocol=rubric)
    review = Review(
        material,
        Store(tmp_path / "sure.sqlite", "sure"),
        make_plan(material, QueueOptions()),
    )
    client = client_of(review, "ada")
    assert review.answer("ada", 0, step="sure", value="4", remark=Remark("hm", ["u"]))
    page = client.get("/review").text
    assert "How sure are you of this rating?" in page
    assert 'data-key="3">Certain' in page
    with pytest.raises(UserError, match="confidence: '4' is no answer; use 1, 2, 3"):
        review.answer("ada", 0, "sure.confidence", "4")
    assert review.answer(
        "ada", 0, step="sure.confidence", value="1", remark=Remark("noisy")
    )
    assert task_of(review, "ada") == 1
    assert review.answer("ada", 1, "sure", "none")  # nobody is sure of no score
    assert task_of(review, "ada") == 2
    labels = next(
        p for p in write_exports(review, tmp_path / "out") if p.name == "labels.csv"
    )
    rows = list(csv.DictReader(labels.open()))
    assert [(r["id"], r["score"], r["confidence"], r["comment"]) for r in rows] == [
        ("i1", "4", "1", "hm noisy"),
        ("i2", "", "", ""),
    ]
    assert len(read_ratings(labels))
    items = (tmp_path / "out" / "ratings.jsonl").read_text().splitlines()
    assert json.loads(items[0])["labels"]["scores"] == {"x": 5, "ada": 4}


def test_exported_items_hold_every_rating_that_counts(
    run: Path, tmp_path: Path
) -> None:
    review = open_review(run)
    rate(review, "ada", 0, "4", codes=["u"])
    rate(review, "bob", 0, "none", codes=["e"])
    rate(review, "ada", 1, "2")
    review.correct("eve", 1, {"reference": "better"})
    rate(review, "bob", 1, "3")
    *_, path = write_exports(review, tmp_path / "out")
    found = read_items(path)
    assert found.problems == []
    labels = {item.id: item.labels for item in found.singles}
    assert labels["i1"].scores == {"x": 5, "ada": 4, "bob": None}
    assert labels["i1"].feedback == {"ada": ["u"], "bob": ["e"]}
    # of the corrected item only what was said afterwards, by whoever was asked again
    assert found.singles[1].reference == ("better",)
    assert labels["i2"].scores == {"bob": 3}
    # codes that the items came with stay until they are corrected
    assert (labels["i0"].scores, labels["i0"].feedback) == ({"x": 5}, {"x": ["r"]})


def test_pages_are_blind_and_harmless(run: Path) -> None:
    review = open_review(run)
    client = client_of(review, "ada")
    page = client.get("/review").text
    assert "candidate 1" in page
    assert SCRIPT not in page
    for secret in ("SECRET-SYSTEM", "i1", "scripted"):
        assert secret not in page
    assert client.get("/export/labels.csv").status_code == 403
    form = {"csrf": csrf(client, "/review"), "task": 0, "step": "correctness"}
    assert client.post("/answer", data={**form, "value": "9"}).status_code == 400
    assert client.post("/answer", data={"task": 0, "value": "3"}).status_code in (
        400,
        403,
    )
    assert (
        client.post(
            "/answer", data={**form, "value": "3", "code": ["a", "r"]}
        ).status_code
        == 303
    )
    assert [(score_of(g.value), g.codes) for g in review.store.stored()] == [
        (3, ("a", "r"))
    ]
    assert "Question 1" in client.get("/flags").text
    corrected = client.post("/correct", data={**form, "rationale": "new words"})
    assert corrected.headers["location"] == "/flags"
    assert [c.field for c in review.corrections.of("i1")] == ["rationale"]
    for task in range(3):
        client.post("/answer", data={**form, "task": task, "value": "5"})
    assert "All 3 done" in client.get("/review").text
    assert client.get("/export/labels.csv").text.count("\n") == 4


@pytest.fixture
def call(tmp_path: Path) -> Path:
    """Write a call of which a judge rated the three turns of the agent, 3, 1 and 2."""
    calls.sound(tmp_path)
    path = calls.manifest(tmp_path, [{"id": "c", "conversation": calls.conversation()}])
    turns = [
        {"turn": t, "reasoning": "", "score": s} for t, s in ((0, 3), (2, 1), (4, 2))
    ]
    judge = calls.manifest(tmp_path, [{"turns": turns}], "script.jsonl")
    left_out = dict.fromkeys(GROUPS.keys() - {"signal"}, "none")
    extract = ExtractOptions(cache=tmp_path / "cache", workers=0, overrides=left_out)
    options = RateOptions(
        extract, judge=(f"scripted:{judge}",), rubrics=("conciseness",)
    )
    rate_manifest(path, tmp_path / "run", options)
    return tmp_path / "run"


def test_turns_without_words_do_not_push_the_player_away() -> None:
    silent = [(who, start, end, None) for who, start, end, _ in calls.TURNS]
    call = Conversation.model_validate(calls.conversation(turns=silent))
    assert turn_lines(call, 0, len(silent)) == [
        (None, f"({len(silent)} turns, no words known)")
    ]
    silent[2] = calls.TURNS[2]
    call = Conversation.model_validate(calls.conversation(turns=silent))
    assert len(turn_lines(call, 0, len(silent))) == len(silent)


def test_turns_of_a_call_are_rated_one_by_one_and_compared(
    call: Path, tmp_path: Path
) -> None:
    review = open_review(call)
    client = client_of(review, "ada")
    for turn, value in ((0, "3"), (2, "1"), (4, "2")):
        page = client.get("/review").text
        assert f'data-turn="{turn}"' in page
        assert html.unescape(page).count(calls.TURNS[turn][3]) == 1
        players = re.findall(r'src="/audio/([0-9a-f]+)" data-key="(\w)"', page)
        assert [key for _, key in players] == (["i", "p"] if turn else ["p"])
        assert all(
            client.get(f"/audio/{clip}").status_code == 200 for clip, _ in players
        )
        if (
            turn == 4
        ):  # what was said before it, and nothing of the names that speakers have
            assert "3 user" in page
            assert "caller" not in page
        form = {"csrf": csrf(client, "/review"), "task": 0, "step": f"turn-{turn}"}
        client.post(
            "/answer", data={**form, "value": value, "code": ["u"] if turn else []}
        )
        if turn == 2:
            client.post("/undo", data={**form, "comment": "half a comment"})
            assert "half a comment" in client.get("/review").text
            client.post("/answer", data={**form, "value": value})
            assert (
                "half a comment" not in client.get("/review").text
            )  # of the next turn
    assert "All 1 done" in client.get("/review").text
    labels, aside, items = write_exports(review, tmp_path / "out")
    rows = list(csv.DictReader(labels.open()))
    assert {r["id"]: r["score"] for r in rows} == {
        "c/turn-0": "3",
        "c/turn-2": "1",
        "c/turn-4": "2",
    }
    assert [r["id"] for r in csv.DictReader(aside.open())] == ["c/turn-2"]
    (item,) = read_items(items).singles
    assert item.labels.turns == {"0": {"ada": 3}, "2": {"ada": 1}, "4": {"ada": 2}}
    for given in (labels, items):
        report = agree([call], given, AgreeOptions())
        rho = next(
            one for one in report.figures if one.name == "rho" and "scripted" in one.who
        )
        assert (report.items, report.questions, rho.estimate.value) == (3, 1, 1.0)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 400)])
def test_keys_in_a_browser(run: Path, scheme: Any, width: int) -> None:
    how = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with browser.review_page(str(run), **how) as rater:
        page = rater.page
        page.locator("main[data-task='0']").wait_for()
        for key in ("e", "u", "4"):
            page.keyboard.press(key)
        page.locator("main[data-task='1']").wait_for()
        page.keyboard.press("n")
        page.locator("main[data-task='2']").wait_for()
        page.keyboard.press("Backspace")
        page.locator("main[data-task='1']").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("window.hacked") is None
    ratings = open_review(run).store.stored()
    assert [(score_of(g.value), g.codes) for g in ratings] == [(4, ("e", "u"))]


def test_turns_are_rated_by_keys(call: Path) -> None:
    with browser.review_page(str(call)) as rater:
        page = rater.page
        for turn, key in ((0, "3"), (2, "1"), (4, "2")):
            page.locator(f"main[data-turn='{turn}'] .answer audio").wait_for()
            page.keyboard.press(" ")
            while not page.evaluate(
                "document.querySelector('.answer audio').played.length"
            ):
                page.wait_for_timeout(20)
            page.keyboard.press(key)
        page.locator("main[data-step='done']").wait_for()
    given = open_review(call).store.stored()
    assert [(g.step, score_of(g.value)) for g in given] == [
        ("turn-0", 3),
        ("turn-2", 1),
        ("turn-4", 2),
    ]
