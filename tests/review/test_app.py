from __future__ import annotations

import io
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import soundfile

from blueprints import Blueprint, Transcript, UserError
from extractors import decode
from fusion import Rating
from tests.support import calls
from tests.support import reviewed as support
from tests.support.review_pages import BASE, TestClient, client_of, csrf
from trace_eval.extracting.options import ExtractOptions
from trace_eval.review.opening import open_review
from trace_eval.review.options import ServeOptions
from trace_eval.review.security import BODY_LIMIT, HEADERS, is_loopback
from trace_eval.review.session import Review
from trace_eval.runs.job import open_job
from trace_eval.runs.options import Options
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.record import RunRecord
from trace_eval.runs.run import Run
from trace_eval.turns.report import time_turns

httpx = pytest.importorskip("httpx", reason="pip install '.[test]'")

SCRIPT = '<script>alert("x")</script><img src=x onerror=alert(1)>'


def fields(client: TestClient) -> dict[str, str]:
    text = client.get("/review").text
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', text))


def clip_of(client: TestClient) -> str:
    found = re.search(r"/audio/([0-9a-f]{32})", client.get("/review").text)
    return found[0]


@pytest.fixture
def client(run: Path) -> TestClient:
    return client_of(support.open_at(run), "ada")


# --- the protocol over HTTP -----------------------------------------------------------


def test_an_answer_is_stored_before_the_next_page(run: Path) -> None:
    review = support.open_at(run)
    client = client_of(review, "ada")
    form = fields(client)
    reply = client.post("/answer", data={**form, "value": "yes", "comment": "c"})
    assert reply.status_code == 303
    # another connection to the file sees it: it is committed, not only in this process
    other = support.Store(review.store.path)
    (view,) = other.views("ada")
    assert other.answers(view) == {form["step"]: "yes"}
    assert view.comment == "c"
    page = client.get("/review").text
    assert "Is B acceptable?" in page
    client.post("/undo", data={**fields(client), "comment": "c"})
    assert other.answers(view) == {}


def test_a_rating_asks_to_have_played_both_answers(run: Path) -> None:
    review = support.open_at(run, allow_unplayed=False)
    client = client_of(review, "ada")
    page = client.get("/review").text
    assert "Play both answers, then rate." in page
    assert "<kbd>I</kbd>" not in page  # the instruction is text: no key plays it
    for played, missing in (
        ("", "A and B"),
        ("b", "A"),
        ("a", "B"),
        ("nonsense", "A and B"),
    ):
        form = {**fields(client), "value": "yes", "played": played}
        reply = client.post("/answer", data=form)
        assert reply.status_code == 400
        assert f"play {missing} first" in reply.text
    (view,) = review.store.views("ada")
    assert review.store.answers(view) == {}
    assert client.post("/answer", data={**form, "played": "a b"}).status_code == 303
    # Asked once for a pair: its further questions are about what was heard.
    page = client.get("/review").text
    assert "Is B acceptable?" in page
    assert "Play both" not in page
    assert (
        client.post("/answer", data={**fields(client), "value": "yes"}).status_code
        == 303
    )
    for _ in range(2):
        client.post("/undo", data=fields(client))
    assert (
        client.post("/answer", data={**fields(client), "value": "yes"}).status_code
        == 400
    )
    lenient = client_of(support.open_at(run, allow_unplayed=True), "bob")
    assert "Play both" not in lenient.get("/review").text
    assert (
        lenient.post("/answer", data={**fields(lenient), "value": "yes"}).status_code
        == 303
    )


def test_pages_never_name_systems_files_pairs_or_the_judge(run: Path) -> None:
    (run / "corrections.jsonl").write_text(
        '{"mine": 1}\n'
    )  # of events, which pairs have none of
    review = support.open_at(run, show_judge=False)
    guide = client_of(review).get("/").text
    assert (
        "Only the delivery" in guide
    )  # what each step means, and an example, before item 1
    assert "<b>Example.</b>" in guide
    client = client_of(review, "ada")
    for _ in range(6):
        for _ in range(
            9
        ):  # not acceptable, twice on four dimensions, and the last step
            page = client.get("/review").text
            results = client.get("/results").text
            for secret in ("secret-", "because of", str(run), "p0", "p5", ".wav"):
                assert secret not in page
                assert secret not in results
            client.post("/answer", data={**fields(client), "value": "no"})
    assert "All 6 done" in client.get("/review").text


def test_the_judge_is_hidden_until_the_rater_has_finished(run: Path) -> None:
    review = support.open_at(run, show_judge=True)
    client = client_of(review, "ada")
    assert "because of" not in client.get("/review").text
    for _ in range(9):
        assert "because of" not in client.get("/review").text
        client.post("/answer", data={**fields(client), "value": "no"})
    page = client.get("/review").text
    assert "because of content" in page
    assert "secret-" not in page
    client.post("/next", data=fields(client))
    assert "because of" not in client.get("/review").text
    # sums would tell the judge's opinion of the first pairs
    assert "Shown when you have answered everything" in client.get("/results").text
    assert client.get("/export/labels.csv").status_code == 403


def test_results_and_labels_come_after_the_last_answer(run: Path) -> None:
    review = support.open_at(run, budget=2)
    client = client_of(review, "ada")
    for rater in ("ada", "bob"):
        for _ in range(2):
            support.say(review, rater, Rating.A)
    page = client.get("/results").text
    assert "100.0 %" in page  # the judge says A everywhere
    assert "ada and bob" in page
    reply = client.get("/export/labels.csv")
    assert reply.headers["content-disposition"] == 'attachment; filename="labels.csv"'
    assert reply.text.startswith("id,rater,content")
    assert client.get("/export/../labels.csv").status_code == 404
    assert client.get("/export/secrets").status_code == 404


def test_every_string_from_data_is_escaped(tmp_path: Path) -> None:
    pairs = support.pairs(tmp_path, 1, text=SCRIPT)
    judgement = support.scored("p0")
    dimensions = {
        name: verdict.model_copy(update={"reasoning": SCRIPT})
        for name, verdict in judgement.dimensions.items()
    }
    judgement = judgement.model_copy(update={"dimensions": dimensions})
    run = support.write_run(tmp_path / "run", pairs, {"p0": judgement})
    said = {"text": SCRIPT, "language": "en", "language_source": "model", "words": []}
    transcript = Transcript.model_validate(said)
    with Run(run) as open_run:
        clip = decode(pairs[0].a.audio).sha256
        open_run.add_clip(ClipRecord(source=pairs[0].a.source_id, clip=clip))
        open_run.add_blueprint(Blueprint(clip=clip, transcript=transcript))
    review = support.open_at(run, show_judge=True)
    client = client_of(review)
    reply = client.post(
        "/rater", data={"csrf": csrf(client), "name": '<b onclick="x">'}
    )
    assert reply.status_code == 303
    pages = [client.get("/review").text, client.get("/results").text]
    for value in ("no",) * 8:
        client.post(
            "/answer", data={**fields(client), "value": value, "comment": SCRIPT}
        )
    pages.append(client.get("/review").text)
    client.post("/answer", data={**fields(client), "value": "", "comment": SCRIPT})
    pages.append(client.get("/review").text)
    assert "What the judge said" in pages[-1]
    assert "as the judge read it" in pages[-1]
    for page in pages:
        assert page.count("<script") == 1  # our own file
        assert 'src="/static/review.js"' in page
        assert page.count("<img") == page.count('<img src="/wave/')
        assert "<b onclick" not in page
    assert sum(page.count("&lt;script&gt;") for page in pages) >= 4


# --- recordings -----------------------------------------------------------------------


def test_audio_is_whole_and_in_parts(client: TestClient) -> None:
    clip = clip_of(client)
    whole = client.get(clip)
    assert (whole.status_code, whole.headers["content-type"]) == (200, "audio/wav")
    assert whole.headers["accept-ranges"] == "bytes"
    samples, rate = soundfile.read(io.BytesIO(whole.content))
    assert (len(samples), rate) == (4800, 16_000)
    picture = client.get(clip.replace("/audio/", "/wave/"))
    assert picture.headers["content-type"] == "image/svg+xml"
    assert picture.text.count("M") > 200  # of 300 columns
    assert client.get("/wave/" + "0" * 32).status_code == 404
    size = len(whole.content)
    for header, first, last in (
        ("bytes=0-99", 0, 99),
        ("bytes=100-", 100, size - 1),
        ("bytes=-50", size - 50, size - 1),
        (f"bytes=10-{size + 999}", 10, size - 1),
        (f"bytes=-{size + 5}", 0, size - 1),
    ):
        part = client.get(clip, headers={"Range": header})
        assert part.status_code == 206
        assert part.headers["content-range"] == f"bytes {first}-{last}/{size}"
        assert part.content == whole.content[first : last + 1]
    for header in (f"bytes={size}-", "bytes=-0"):
        part = client.get(clip, headers={"Range": header})
        assert (part.status_code, part.headers["content-range"]) == (
            416,
            f"bytes */{size}",
        )
    for header in (
        "bytes=5-2",
        "bytes=a-b",
        "lines=1-2",
        "bytes=0-1,4-5",
        "bytes=-",
        "bytes=²-",
    ):
        assert client.get(clip, headers={"Range": header.encode()}).status_code == 200


@pytest.mark.parametrize(
    "name",
    [
        "../run/manifest.json", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd",
        "/etc/passwd", "%2fetc%2fpasswd", "secret-one.wav", "p0", "0" * 32, "", "..\\x",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["audio", "static", "export"])
def test_no_path_from_outside_reaches_the_disk(
    client: TestClient, kind: str, name: str
) -> None:
    reply = client.get(f"/{kind}/{name}")
    assert reply.status_code == 404
    assert "root:" not in reply.text


def test_audio_needs_a_rater_and_a_missing_one_is_an_error(
    run: Path, client: TestClient
) -> None:
    clip = clip_of(client)
    assert client_of(support.open_at(run)).get(clip).status_code == 404
    for file in run.parent.glob("*.wav"):
        file.unlink()
    assert client.get(clip).status_code == 400
    assert client.get("/review").status_code == 200


# --- who may talk to the server -------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8765", "127.0.0.1.evil.example:8765", "127.0.0.1", "127.0.0.1:80",
        "192.168.0.1:8765", "user@127.0.0.1:8765", "", "127.0.0.1:8765/x", "[::1", "a b:8765",
    ],
)  # fmt: skip
def test_other_host_names_are_refused(client: TestClient, host: str) -> None:
    reply = client.get("/review", headers={"Host": host})
    assert reply.status_code == 421
    assert "csrf" not in reply.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "[::1]", "127.0.0.2"])
def test_names_of_this_machine_are_known(run: Path, host: str) -> None:
    # none of them can be made to mean another machine's page
    client = client_of(support.open_at(run))
    assert client.get("/", headers={"Host": f"{host}:8765"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "https://127.0.0.1:8765"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_forms_of_other_sites_are_refused(
    client: TestClient, headers: dict[str, str]
) -> None:
    form = fields(client)
    reply = client.post("/answer", data={**form, "value": "yes"}, headers=headers)
    assert reply.status_code == 403
    assert fields(client)["step"] == form["step"]
    ours = {"Origin": BASE, "Sec-Fetch-Site": "same-origin"}
    assert (
        client.post("/answer", data={**form, "value": "yes"}, headers=ours).status_code
        == 303
    )


@pytest.mark.parametrize("path", ["/rater", "/leave", "/answer", "/undo", "/next"])
def test_every_form_needs_its_sessions_token(
    run: Path, client: TestClient, path: str
) -> None:
    form = {**fields(client), "value": "yes", "name": "eve"}
    stranger = csrf(client_of(support.open_at(run)))
    for token in (stranger, "0" * 64, "ä"):
        assert client.post(path, data={**form, "csrf": token}).status_code == 403
    assert client.post(path, data={**form, "csrf": ""}).status_code == 400
    del form["csrf"]
    assert client.post(path, data=form).status_code == 400
    assert fields(client)["step"] == form["step"]


def test_a_cookie_cannot_be_made_or_changed_nor_read_by_scripts(run: Path) -> None:
    review = support.open_at(run)
    client = client_of(review, "ada")
    name, value = next(iter(client.cookies.items()))
    session, rater, signature = value.split(".")
    for forged in (
        f"{session}.{b'eve'.hex()}.{signature}", f"{session}.{rater}.", "a.b.c", "",
        f"{session}.zz.{signature}",
    ):  # fmt: skip
        other = client_of(review)
        other.cookies.set(name, forged)
        assert other.get("/review").headers.get("location") == "/"
    cookie = client_of(review).get("/").headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


@pytest.mark.parametrize(
    "path", ["/", "/review", "/results", "/static/review.js", "/nothing"]
)
def test_headers_on_every_response(client: TestClient, path: str) -> None:
    reply = client.get(path)
    for name, value in HEADERS.items():
        assert reply.headers[name] == value
    policy = HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    # nothing in the pages needs more than the policy gives
    assert (
        not re.search(r"\son\w+=|style=|<style|javascript:", reply.text)
        or "static" in path
    )


def test_large_and_shapeless_bodies_are_refused(client: TestClient) -> None:
    form = fields(client)
    reply = client.post("/answer", data={**form, "comment": "x" * BODY_LIMIT})
    assert reply.status_code == 413

    def chunks() -> Iterator[bytes]:
        yield b"csrf=x"

    assert client.post("/answer", content=chunks()).status_code == 411
    assert client.put("/answer", data=form).status_code == 405
    assert client.post("/answer", content=b"\xff\xfe").status_code == 400


def test_a_token_is_asked_for_once(run: Path) -> None:
    review = support.open_at(run)
    client = client_of(review, host="0.0.0.0", token="open-sesame")
    for path in (
        "/",
        "/review",
        "/audio/" + "0" * 32,
        "/static/review.css",
        "/?token=wrong",
    ):
        assert client.get(path).status_code == 401
    reply = client.get("/?token=open-sesame")
    assert (reply.status_code, reply.headers["location"]) == (303, "/")
    assert client.get("/").status_code == 200
    # a session that was made without the token, or with another one, opens nothing
    other = client_of(review, host="0.0.0.0", token="another")
    other.cookies = client.cookies
    assert other.get("/").status_code == 401
    assert client.get("/", headers={"Host": "evil.example:8765"}).status_code == 421
    assert client.get("/", headers={"Host": "10.1.2.3:8765"}).status_code == 200


def test_loopback() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.1.2.3", "::1", "localhost")))
    assert not any(
        map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "example.org", ""))
    )


# --- the real server ------------------------------------------------------------------


@contextmanager
def _serving(review: Review, **options: Any) -> Iterator[str]:
    """Start the real server in a thread of its own; it ends with the test process."""
    from trace_eval.review.server import serve

    found: list[str] = []
    ready = threading.Event()

    def tell(url: str) -> None:
        found.append(url)
        ready.set()

    how = {"options": ServeOptions(port=0, **options), "ready": tell}
    threading.Thread(target=serve, args=(review,), kwargs=how, daemon=True).start()
    assert ready.wait(120)
    yield found[0]


def test_an_address_for_others_gets_a_token_and_the_default_one_needs_none(
    run: Path,
) -> None:
    with _serving(support.open_at(run), host="0.0.0.0") as url:
        bare, _, token = url.partition("?token=")
        assert len(token) >= 32
        assert httpx.get(bare).status_code == 401
        assert httpx.get(url).status_code == 303
    with _serving(support.open_at(run)) as url:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", url)
        reply = httpx.get(url)
        assert (reply.status_code, "server" in reply.headers) == (200, False)


def test_pairs_of_calls_are_played_and_rated_turn_by_turn(tmp_path: Path) -> None:
    """A side is one recording: the user on the left, from the user's turn on."""
    for name, gain in (("x", 0.3), ("y", 0.2)):
        calls.sound(tmp_path, name, gain)
    sides = {
        side: {
            "conversation": calls.conversation(str(tmp_path / f"{name}.wav")),
            "system": name,
        }
        for side, name in (("a", "x"), ("b", "y"))
    }
    path = calls.manifest(tmp_path, [{"id": "p", **sides}])
    job = open_job(path, tmp_path / "run", Options(ExtractOptions(by_turn=True)))
    with Run(tmp_path / "run") as run:
        run.start(RunRecord(), job.manifest)
    review = open_review(tmp_path / "run", {"random_share": 1.0})
    assert review.calls("ada", 0) == []  # a part of a call has no events of its own
    with pytest.raises(UserError, match=r"p/turn-1: a part of a call"):
        time_turns(tmp_path / "run")
    client = client_of(review, "ada")
    page = client.get("/review").text
    assert "1 agent: " in page
    assert "bot:" not in page
    found = dict(re.findall(r'src="(/audio/[0-9a-f]{32})" data-key="([ab])"', page))
    assert sorted(found.values()) == ["a", "b"]
    for address in found:
        samples, rate = soundfile.read(io.BytesIO(client.get(address).content))
        user, agent = (abs(samples[:, lane]) > 0.1 for lane in (0, 1))
        first, answer = (lane.argmax() / rate for lane in (user, agent))
        said = review.items[0].a.conversation.turns
        assert first == pytest.approx(0, abs=0.01)
        assert answer == pytest.approx(said[1].start_s - said[0].start_s, abs=0.01)
    whole, *alone = re.findall(r'data-lanes="([^"]*)"', page)[0].split()
    assert f"/audio/{whole}" in found
    for heard, clip in enumerate(alone):  # the user alone, the agent alone: the key L
        samples, _ = soundfile.read(io.BytesIO(client.get(f"/audio/{clip}").content))
        assert abs(samples[:, heard]).max() > 0.1
        assert not samples[:, 1 - heard].any()
