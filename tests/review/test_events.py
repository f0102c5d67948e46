"""Correcting the events of a call in the review: store, pages, figures, keys."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest
import soundfile

from tests.support import browser, calls
from tests.support.review_pages import TestClient, client_of, csrf
from trace_eval.conversations.corrected import set_event
from trace_eval.conversations.definitions.own import TRACE_EVAL
from trace_eval.data.conversation import Conversation
from trace_eval.data.corrections import SetEvent
from trace_eval.review.audio import lanes
from trace_eval.review.exports import write_exports
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions
from trace_eval.review.session import Review
from trace_eval.runs.job import open_job
from trace_eval.runs.record import RunRecord
from trace_eval.runs.run import Run
from trace_eval.turns.everything import turns_report

EVENTS = [
    set_event(one)
    for one in TRACE_EVAL.measure(
        Conversation.model_validate(calls.conversation(None))
    ).events
]
RESPONSE = next(one for one in EVENTS if one.kind == "response")


@pytest.fixture
def items(tmp_path: Path) -> Path:
    """Two calls with sound."""
    calls.sound(tmp_path)
    records = [
        {"id": name, "system": "SECRET", "conversation": calls.conversation()}
        for name in "cd"
    ]
    return calls.manifest(tmp_path, records)


@pytest.fixture
def review(items: Path) -> Review:
    return open_review(items, options=ReviewOptions("handling"))


def kept(items: Path) -> Path:
    """Return the file of corrections of a manifest's review, in the working folder."""
    return Path("runs") / f"{items.stem}-review" / "corrections.jsonl"


def signed_in(review: Review, name: str) -> tuple[TestClient, dict[str, Any]]:
    """Sign in a browser; return it, and what each of its forms holds."""
    client = client_of(review, name)
    return client, {"csrf": csrf(client, "/review"), "task": 0}


def form(one: SetEvent, **fields: Any) -> dict[str, Any]:
    shown = {"kind": one.kind, "start": f"{one.start_s:.3f}", "end": f"{one.end_s:.3f}"}
    return {"was": one.model_dump_json(), "do": "keep", **shown, **fields}


def test_corrected_events_change_figures(
    review: Review, items: Path, tmp_path: Path
) -> None:
    ada, own = signed_in(review, "ada")
    bob, bobs = signed_in(review, "bob")
    page = html.unescape(ada.get("/events/0").text)
    assert page.count("M0 ") + page.count('class="spoken"') > 4
    for secret in ("SECRET", "caller", "response_p50", TRACE_EVAL.name):
        assert secret not in page
    sent = ada.post("/event", data=own | form(RESPONSE, end="2.5"))
    number = EVENTS.index(RESPONSE)
    assert sent.headers["location"] == f"/events/0?event={number}"
    assert "corrected by ada" in ada.get(sent.headers["location"]).text
    moved = RESPONSE.model_copy(update={"end_s": 2.5})
    path = kept(items)
    (line,) = map(json.loads, path.read_text().splitlines())
    assert (line["item"], line["field"], line["who"]) == ("c", "event", "ada")
    assert (line["before"], line["after"]) == (
        RESPONSE.model_dump(),
        moved.model_dump(),
    )
    # an old page, a change of nothing, and undoing what somebody else did: nothing is
    # written
    for client, given in (
        (ada, own | form(RESPONSE, end="2.6")),
        (ada, own | form(moved)),
        (bob, bobs | {"do": "undo"}),
    ):
        assert client.post("/event", data=given).status_code == 303
    assert len(path.read_text().splitlines()) == 1
    greeting = next(one for one in EVENTS if one.kind == "greeting")
    bob.post("/event", data=bobs | form(greeting, do="delete"))
    bob.post("/event", data=bobs | {"task": 1, "do": "right"})
    bob.post("/event", data=bobs | {"task": 1, "do": "right"})  # said once
    assert len(path.read_text().splitlines()) == 3
    found = turns_report(items, corrections=path)
    assert found.corrected.conversations["c"].measured.values["response"][
        0
    ] == pytest.approx(0.7)
    *_, labels = write_exports(review, tmp_path / "out")
    assert labels.name == "events.csv"
    by_kind = {one.kind: one for one in turns_report(items, labels=labels).agreement}
    assert (by_kind["response"].labelled, by_kind["response"].recall) == (4, 1.0)
    assert by_kind["greeting"].precision == 0.5  # bob says that one of two is none
    again = open_review(items, options=ReviewOptions("handling"))
    assert moved in map(set_event, again.events.of("c").events)
    for client, whose in (
        (ada, own),
        (bob, bobs),
    ):  # theirs again, and all is as it was
        client.post("/event", data=whose | {"do": "undo"})
    assert [set_event(one) for one in review.events.of("c").events] == EVENTS
    assert len(path.read_text().splitlines()) == 5


def test_calls_of_a_pair_have_events_and_a_missed_one_is_added(tmp_path: Path) -> None:
    """Both calls are named as shown; an added event counts like a measured one."""
    calls.sound(tmp_path)
    signal = ("caller", 8.6, 8.8, "Mm-hm.")  # the agent is talking, and goes on
    sides = {
        side: {"conversation": calls.conversation(turns=turns), "system": "SECRET"}
        for side, turns in (
            ("a", calls.TURNS),
            ("b", (*calls.TURNS[:3], calls.TURNS[4])),
        )
    }
    job = open_job(
        calls.manifest(tmp_path, [{"id": "p", **sides}]), path := tmp_path / "run"
    )
    with Run(path) as run:
        run.start(RunRecord(), job.manifest)
    review = open_review(path, {"random_share": 1.0})
    ada, own = signed_in(review, "ada")
    shown = review.calls("ada", 0)
    assert {call.name for call in shown} == {"p/a", "p/b"}
    assert [call.letter for call in shown] == ["A", "B"]
    assert 'data-key="v"' in ada.get("/review").text
    number = next(n for n, call in enumerate(shown) if call.name == "p/a")
    own |= {"call": number}
    address = f"/events/0?event=0&call={number}&start=9&end=8.6"
    page = html.unescape(ada.get(address).text)
    assert 'value="8.600"' in page
    assert "SECRET" not in page
    assert "caller" not in page
    assert ada.get("/events/0?call=2").status_code == 404
    assert ada.get("/events/0?start=nan").status_code == 400
    added = SetEvent(kind="backchannel", start_s=8.6, end_s=8.8)
    given = {"do": "add", "kind": added.kind, "start": "8.6", "end": "8.8"}
    for _ in range(2):  # an event is there once
        sent = ada.post("/event", data=own | given)
    assert "added by ada" in ada.get(sent.headers["location"]).text
    file = path / "corrections.jsonl"
    (line,) = map(json.loads, file.read_text().splitlines())
    assert (line["item"], line["before"], line["after"]) == (
        "p/a",
        None,
        added.model_dump(),
    )
    found = turns_report(path, corrections=file)
    assert [one.item.id for one in found.report.conversations] == ["p/a", "p/b"]
    assert [one.item.system for one in found.report.conversations] == ["SECRET"] * 2
    corrected = found.corrected.conversations["p/a"].measured
    turns = sorted((*calls.TURNS, signal), key=lambda turn: turn[1])
    record = {"id": "q", "conversation": calls.conversation(turns=turns)}
    (heard,) = turns_report(
        calls.manifest(tmp_path, [record], "heard.jsonl")
    ).report.conversations
    assert added in map(set_event, heard.measured.events)
    for measured in (corrected, heard.measured):
        assert measured.ratios["backchannel_rate"] == (1, 1)
    *_, labels = write_exports(review, tmp_path / "out")
    assert labels.name == "events.csv"
    by_kind = {one.kind: one for one in turns_report(path, labels=labels).agreement}
    assert (by_kind["backchannel"].labelled, by_kind["backchannel"].recall) == (1, 0.0)
    assert (by_kind["response"].labelled, by_kind["response"].precision) == (2, 1.0)
    ada.post("/event", data=own | {"do": "undo"})
    again = turns_report(path, corrections=file).corrected
    assert list(again.tables())[0].rows == ()  # noqa: RUF015
    assert "Timing, as measured and as corrected" not in ada.get("/results").text


def test_figures_under_both_wait_until_all_is_rated(review: Review) -> None:
    client, own = signed_in(review, "ada")
    client.post("/event", data=own | form(RESPONSE, kind="no_response"))
    assert "as corrected" not in client.get("/results").text
    assert client.get("/export/events.csv").status_code == 403
    for task in (0, 1):
        assert 'data-key="v"' in client.get("/review").text
        client.post(
            "/answer", data=own | {"task": task, "step": "handling", "value": "2"}
        )
    assert len(review.store.stored()) == 2  # a correction sets no rating aside
    page = client.get("/results").text
    assert "Timing, as measured and as corrected" in page
    assert "Events of 1 of 2 calls" in page
    assert client.get("/export/events.csv").text.startswith(
        "conversation,kind,start,end"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"start": "nan"}, "start: expected a number"),
        ({"end": "1e999"}, "end: expected a number"),
        ({"end": "-1"}, "an end no earlier than its start"),
        ({"end": "99"}, "the call lasts from 0 to 10 s"),
        ({"start": "-1"}, "the call lasts from 0 to 10 s"),
        ({"end": "1e300"}, "give seconds of the call"),
        ({"end": ""}, "end: give a time in seconds"),
        ({"kind": "<script>"}, "kind"),
        ({"was": "{}"}, "event: kind: Field required"),
        ({"was": "[" * 9_000}, "event: not JSON"),
        ({"do": "add", "kind": ""}, "kind &#39;&#39;: "),
        ({"do": "add", "start": "11", "end": "12"}, "the call lasts from 0 to 10 s"),
        ({"call": 1}, "call 1: has no events"),
        ({"do": "burn"}, "do &#39;burn&#39;"),
        ({"task": 7}, "call 8: has no events"),
        ({"task": -1}, "call 0: has no events"),
    ],
)
def test_hostile_forms_change_nothing(
    review: Review, given: dict[str, Any], said: str
) -> None:
    client, own = signed_in(review, "ada")
    reply = client.post("/event", data=own | form(RESPONSE) | given)
    assert reply.status_code == 400
    assert said in reply.text
    assert "<script>" not in reply.text.replace('<script src="/static/review.js">', "")
    assert not review.material.corrections.exists()
    assert client.get("/events/9").status_code == 404
    assert client.get("/events/0?event=99").status_code == 200
    assert (
        client.post("/event", data=form(RESPONSE) | {"task": 0}).status_code == 400
    )  # no token


def test_events_are_corrected_by_keys_and_by_mouse(items: Path) -> None:
    file = kept(items)
    size = {"width": 1200, "height": 1000}
    with browser.review_page(
        str(items), "--rubric", "handling", viewport=size
    ) as rater:
        page = rater.page
        page.keyboard.press("v")
        page.locator("main[data-step=events]").wait_for()
        heading = page.locator("#question")
        changed = "t => document.querySelector('#question').innerText !== t"
        for _ in range(EVENTS.index(RESPONSE)):
            before = heading.inner_text()
            page.keyboard.press("ArrowDown")
            page.wait_for_function(changed, arg=before)
        assert "response" in heading.inner_text()
        for key in ("e", "ArrowRight", "Shift+ArrowRight"):
            page.keyboard.press(key)
        assert page.input_value("[name=end]") == "2.310"
        page.keyboard.press("Enter")
        page.locator(".events [aria-current]", has_text="corrected by ada").wait_for()
        handle = page.locator("rect.edge[data-edge=start]").bounding_box()
        page.mouse.move(handle["x"] + 2, handle["y"] + 40)
        page.mouse.down()
        page.mouse.move(handle["x"] - 60, handle["y"] + 40)
        page.mouse.up()
        assert float(page.input_value("[name=start]")) < RESPONSE.start_s - 0.1
        page.keyboard.press("k")
        page.locator("[name=kind]").select_option("talked_over")
        page.keyboard.press("Enter")
        page.locator(".events [aria-current]", has_text="talked over").wait_for()
        for lane, key in (("the user alone", "u"), ("both voices", "b")):
            page.keyboard.press(key)  # letters are free here
            page.locator(".lane", has_text=lane).wait_for()
        page.keyboard.press("p")
        page.wait_for_function(
            "() => document.querySelector('audio').currentTime > 0.9"
        )
        page.keyboard.press(" ")
        changed = "n => document.querySelectorAll('.events tbody tr').length !== n"
        for gone in ("d", "Backspace"):
            rows = page.locator(".events tbody tr").count()
            page.keyboard.press(gone)
            page.wait_for_function(changed, arg=rows)
        page.evaluate("document.querySelector('audio').currentTime = 6.8")
        page.keyboard.press("n")  # where the sound is, which begins with the first turn
        page.locator("#question", has_text="New event").wait_for()
        assert page.input_value("[name=start]") == "7.000"
        page.keyboard.press("Enter")  # which kind?
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.locator(".events [aria-current]").wait_for()
        box = page.locator("svg.lanes").first.bounding_box()
        for x, press in ((0.6, page.mouse.down), (0.65, None), (0.7, page.mouse.up)):
            page.mouse.move(box["x"] + x * box["width"], box["y"] + 70)
            if press:
                press()
        page.locator("#question", has_text="New event").wait_for()
        assert float(page.input_value("[name=start]")) == pytest.approx(6.0, abs=0.02)
        for key in ("e", "ArrowLeft"):
            page.keyboard.press(key)
        assert float(page.input_value("[name=end]")) == pytest.approx(6.99, abs=0.02)
        page.keyboard.press("k")
        page.locator("[name=kind]").select_option("pause")
        page.keyboard.press("Enter")
        page.locator(".events [aria-current]", has_text="added by ada").wait_for()
        page.set_viewport_size({"width": 400, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        page.keyboard.press("r")
        page.locator("#answer").wait_for()
        page.keyboard.press("Shift+U")  # the letter alone is a feedback code
        page.locator(".lane", has_text="the user alone").wait_for()
        assert page.locator("input[value=u]").is_checked() is False
    made = [json.loads(line) for line in file.read_text().splitlines()]
    kinds = [
        (one["before"] or {}).get("kind", "")
        + ">"
        + (one["after"] or {}).get("kind", "")
        for one in made
    ]
    changed = [
        "response>response",
        "response>talked_over",
        "talked_over>",
        ">talked_over",
    ]
    assert kinds == [*changed, ">pause"]


def test_a_line_that_a_kill_cut_short_is_written_over(items: Path) -> None:
    file = kept(items)
    for stored in (0, 1):
        review = open_review(items, options=ReviewOptions("handling"))
        assert len(review.events.made().get("c", ())) == stored
        one = set_event(review.events.of("c").events[0])
        assert review.events.correct("c", one, None, "ada")
        with file.open("a") as torn:
            torn.write('{"item":"c","who":"a')
    assert open_review(items, options=ReviewOptions("handling")).events
    assert len(file.read_text().splitlines()) == 2


def test_calls_of_any_layout_are_reviewed_and_bad_ones_named(tmp_path: Path) -> None:
    rows = [f"{who},{role},{start},{end}" for who, role, start, end in (
        ("ann", "user", 1, 2), ("bot", "agent", 2.5, 4), ("ann", "user", 5, 6),
    )]  # fmt: skip
    table = tmp_path / "calls.csv"
    table.write_text("\n".join(["speaker,role,start,end", *rows]))
    records = [
        {"id": "m", "conversation": "calls.csv"},
        {"id": "lost", "conversation": "nowhere.wav"},
    ]
    manifest = calls.manifest(tmp_path, records, "manifest.jsonl")
    for source, ids, left_out in ((table, ["calls"], 0), (manifest, ["m"], 1)):
        review = open_review(source, options=ReviewOptions("handling"))
        assert [item.id for item in review.items] == ids
        assert "response" in {one.kind for one in review.events.of(ids[0]).events}
        assert len(review.material.left_out) == left_out
    assert "nowhere.wav" in str(review.material.left_out)


def test_a_channel_that_began_later_is_heard_later(tmp_path: Path) -> None:
    path = calls.sound(tmp_path)
    stereo, rate = soundfile.read(path)
    soundfile.write(tmp_path / "late.wav", stereo[2 * rate :, 1], rate)
    given = calls.conversation(str(path))
    given["channels"][1] |= {
        "audio": str(tmp_path / "late.wav"),
        "channel": 0,
        "offset_s": 2.0,
    }
    heard, _ = lanes(Conversation.model_validate(given))
    whole, _ = lanes(Conversation.model_validate(calls.conversation(str(path))))
    later = round((2.0 - calls.TURNS[0][1]) * rate)  # heard from the first turn on
    assert abs(heard[later:, 1] - whole[later:, 1]).max() < 1e-4
    assert not heard[:later, 1].any()
