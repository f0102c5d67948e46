"""The whole way in a real browser, by keyboard only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fusion import RATINGS, Rating
from tests.support import browser
from tests.support import reviewed as support
from trace_eval.data.manifests import read_manifest
from trace_eval.opinions.labels import read_labels
from trace_eval.review.exports import write_exports
from trace_eval.review.opening import open_review

for package in ("fastapi", "uvicorn", "python_multipart"):
    pytest.importorskip(package, reason="pip install '.[review]'")
pytest.importorskip(
    "playwright.sync_api",
    reason="pip install '.[test]' (no browser download is needed)",
)
if not browser.CHROMIUM.exists():
    pytest.skip("no chromium: apt-get install chromium", allow_module_level=True)

SignIn = Callable[..., Any]

#: A comment with everything that could go wrong on its way.
COMMENT = 'B hums; <script>alert("x")</script> ünd 2 > 1'


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Start the browser of this file, in which every test has a profile of its own."""
    with browser.chromium() as started:
        yield started


@pytest.fixture
def rater(chromium: Any) -> Iterator[browser.Rater]:
    with chromium.new_context(viewport={"width": 1280, "height": 900}) as profile:
        yield browser.Rater(profile.new_page())


@pytest.fixture
def servers() -> Iterator[list[browser.Server]]:
    started: list[browser.Server] = []
    yield started
    for server in started:
        server.stop()


@pytest.fixture
def ada(examples: Path, rater: browser.Rater, servers: list[browser.Server]) -> SignIn:
    """Signs ada in at a review of the examples with these options."""

    def sign_in(*options: str) -> Any:
        servers.append(browser.Server(str(examples), *options))
        rater.sign_in(servers[0].url, "ada")
        return rater.page

    return sign_in


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Write a run of the example pairs; one is unscored, one was inconsistent."""
    pairs = read_manifest(support.EXAMPLES).pairs
    judgements = {pair.id: support.scored(pair.id) for pair in pairs}
    judgements["noise"] = support.unscored("noise")
    judgements["slow"] = support.scored("slow", consistent=False)
    return support.write_run(tmp_path / "run", pairs, judgements)


def _said(number: int) -> Rating:
    """Return what the rater thinks of the n-th pair as shown."""
    return RATINGS[number % len(RATINGS)]


_KEYS = {"yes": "g", "no": "x", "1": "1", "2": "2", "equal": "3"}


def _answer(rater: browser.Rater, number: int, blocks: int) -> Iterator[str]:
    """Press the keys of one pair up to the comment; yield each place on the way."""
    for _ in range(blocks):
        for value in support.shown_answers(_said(number)):
            yield rater.press(_KEYS[value])


def test_a_full_review_survives_a_killed_server(
    examples: Path, rater: browser.Rater, servers: list[browser.Server], tmp_path: Path
) -> None:
    arguments = (str(examples), "--overall-first", "--seed", "3", "--allow-unplayed")
    servers.append(browser.Server(*arguments))
    rater.sign_in(servers[0].url, "ada")
    port = servers[0].port
    pressed = 0
    for number in range(13):
        for place in _answer(rater, number, blocks=5):
            pressed += 1
            if (number, place.split()[1]) == (6, "voice_quality.a"):
                _kill_and_come_back(rater, servers, arguments, port)
        if number == 2:
            _undo_across_pairs(rater)
        if number == 4:
            _comment(rater)
        else:
            rater.press("Enter")
        pressed += 1
    assert rater.place == "-1 done"
    assert rater.complaints == []
    _check_everything_is_there(examples, tmp_path)
    # 5 blocks: 3 answers for "1" and "both good", 2 for "2" and "both bad";
    # the ratings of 13 pairs are 4, 3, 3, 3 times 1, 2, both good, both bad
    assert pressed == 5 * (4 * 3 + 3 * 2 + 3 * 3 + 3 * 2) + 13


def _kill_and_come_back(
    rater: browser.Rater,
    servers: list[browser.Server],
    arguments: tuple[str, ...],
    port: int,
) -> None:
    """Kill the server, press a key in vain, start it again: the page is as it was."""
    place = rater.place
    _loaded(rater)  # a recording that is cut off would be told, too
    servers[-1].kill()
    rater.page.keyboard.press("g")
    rater.page.wait_for_selector("#notice:not([hidden])")
    assert "All earlier answers are kept" in rater.page.inner_text("#notice")
    assert rater.place == place
    # the browser's own line about the refused connection is all it may say
    assert all("ERR_CONNECTION_REFUSED" in line for line in rater.complaints)
    rater.complaints.clear()
    servers.append(browser.Server(*arguments, port=port))
    rater.page.reload()
    assert rater.place == place  # signed in, same pair, same question


def _loaded(rater: browser.Rater) -> None:
    """Wait until all recordings of the page are there."""
    rater.page.wait_for_function(
        "() => [...document.querySelectorAll('audio')].every("
        "a => a.readyState === a.HAVE_ENOUGH_DATA && a.networkState === a.NETWORK_IDLE)"
    )


def _undo_across_pairs(rater: browser.Rater) -> None:
    before = rater.place
    assert before == "2 comment"
    following = rater.press("Enter")
    assert following.startswith("3 ")
    first = rater.press("x")
    assert rater.press("u") == following != first
    assert rater.press("u") == before


def _comment(rater: browser.Rater) -> None:
    rater.page.keyboard.press("c")
    # letters are text now, not keys
    rater.page.keyboard.type(COMMENT)
    assert rater.place == "4 comment"
    rater.page.keyboard.press("Shift+Enter")
    rater.page.keyboard.type("second line")
    rater.press("Enter")


def _check_everything_is_there(examples: Path, tmp_path: Path) -> None:
    review = open_review(examples)
    rows = review.labelled()
    assert [row.view.item for row in rows] == review.plan.items
    assert review.plan.needed == ["noise", "slow"]
    assert {row.view.shown for row in rows} == {"ab", "ba"}
    for number, row in enumerate(rows):
        mine = _said(number) if row.view.shown == "ab" else _said(number).swapped
        assert set(row.ratings.values()) == {mine}
        assert len(row.ratings) == 5
    assert rows[4].view.comment == f"{COMMENT}\nsecond line"
    assert [row.view.comment for row in rows if row is not rows[4]] == [""] * 12
    write_exports(review, tmp_path / "labels")
    assert len(read_labels(tmp_path / "labels" / "labels.csv")) == 13


def test_recordings_play_by_key_while_one_answers(
    rater: browser.Rater, ada: SignIn
) -> None:
    page = ada("--show-judge", "--allow-unplayed")
    _loaded(rater)
    # they are a few seconds long, and a busy machine takes longer
    page.evaluate(
        "for (const audio of document.querySelectorAll('audio')) audio.loop = true"
    )
    page.keyboard.press("q")
    assert page.locator("#notice").inner_text() == "The key Q does nothing here."
    page.keyboard.press("a")
    assert page.locator("#notice").is_hidden()
    page.wait_for_function(
        "() => document.querySelector('[data-key=a]').currentTime > 0.2"
    )
    assert rater.playing() == ["a"]
    rater.press("g")
    assert rater.playing() == ["a"]
    page.keyboard.press("b")
    # the other recording is paused by an event, which a busy browser sends later
    page.wait_for_function(
        "() => document.querySelector('[data-key=a]').paused"
        " && !document.querySelector('[data-key=b]').paused"
    )
    assert rater.playing() == ["b"]
    page.keyboard.press(" ")
    page.wait_for_function("() => document.querySelector('[data-key=b]').paused")
    page.evaluate("document.querySelector('[data-key=b]').currentTime = 2.5")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(
        "document.querySelector('[data-key=b]').currentTime"
    ) == pytest.approx(0.5, abs=0.05)
    rater.press("g")
    assert page.evaluate("document.activeElement.id") == "question"
    rater.press("1")
    for _ in range(3):
        for value in ("x", "g"):
            rater.press(value)
    assert rater.press("Enter") == "0 judge"
    page.keyboard.press("u")  # final now: no such key here
    assert rater.press("Enter").startswith("1 ")
    assert page.is_disabled("[data-key=u]")
    assert rater.complaints == []


def test_a_rating_asks_to_have_played_both(rater: browser.Rater, ada: SignIn) -> None:
    page, before = ada(), rater.place
    # A recording that is paused before it begins was called one that cannot be played.
    page.evaluate(
        "document.querySelector('[data-key=a]').load();"
        "for (const key of ['a', 'a']) document.body.dispatchEvent("
        "new KeyboardEvent('keydown', { key, bubbles: true }))"
    )
    page.wait_for_timeout(200)
    assert page.is_hidden("#notice")
    heard = "k => { const p = document.querySelector(`[data-key=${k}]`).played;"
    heard += " return p.length && p.end(p.length - 1) - p.start(0) > 1.4; }"
    for key, notice in (("a", "Play A and B first"), ("b", "Play B first")):
        page.keyboard.press("g")
        page.wait_for_selector("#notice:not([hidden])")
        assert notice in page.inner_text("#notice")
        assert rater.place == before
        page.keyboard.press(key)
        page.wait_for_function(heard, arg=key)
    page.wait_for_selector("#must-play", state="hidden")
    assert rater.press("g") != before
    assert rater.press("u") == before
    assert rater.press("g") != before  # the same pair: still played
    assert page.is_hidden("#notice")
    assert rater.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_on_a_phone(
    examples: Path, rater: browser.Rater, servers: list[browser.Server], scheme: Any
) -> None:
    servers.append(browser.Server(str(examples), "--show-judge", "--allow-unplayed"))
    page = rater.page
    page.set_viewport_size({"width": 400, "height": 800})
    page.emulate_media(color_scheme=scheme)

    def fits() -> bool:
        return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

    page.goto(servers[0].url)
    assert fits()
    rater.sign_in(servers[0].url, "a-rater-with-a-rather-long-name-of-her-own")
    assert fits()
    # beside the longest that stands there: an answer of a call, and a button for both
    # voices
    page.evaluate(
        "for (const h of document.querySelectorAll('.answer h2')) h.textContent ="
        " 'Answer';for (const p of document.querySelectorAll('.answer .player'))"
        " p.insertAdjacentHTML('beforeend', '<span><kbd>L</kbd> both voices</span>')"
    )
    boxes = [player.bounding_box() for player in page.locator("audio").all()]
    players = [box["width"] for box in boxes if box]
    assert min(players) >= 180
    assert fits()
    for key in ("g", "g"):
        rater.press(key)
    assert fits()  # three choices beside each other
    rater.press("1")
    for _ in range(3):
        for key in ("x", "g"):
            rater.press(key)
    assert fits()
    assert rater.press("Enter") == "0 judge"
    assert fits()
    page.goto(f"{servers[0].url}results")
    assert fits()


def test_a_key_that_is_held_down_answers_once(ada: SignIn) -> None:
    page = ada("--allow-unplayed")
    for _ in range(6):
        page.keyboard.down("g")  # auto-repeat
    page.locator("#question", has_text="Is B").wait_for()
    page.keyboard.up("g")
    page.reload()
    assert "Is B acceptable?" in page.inner_text("#question")


def test_a_key_counts_as_soon_as_the_page_is_there(
    rater: browser.Rater, ada: SignIn
) -> None:
    # pressed while the rest of the page is still being read
    rater.page.add_init_script("""
      new MutationObserver((changes, watch) => {
        if (!document.querySelector("#panel")) return;
        watch.disconnect();
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "g", bubbles: true }));
      }).observe(document, { childList: true, subtree: true });
    """)
    ada("--allow-unplayed").locator("#question", has_text="Is B").wait_for()
    assert rater.press("x").split()[1] not in ("a", "b")
    assert rater.complaints == []


def test_it_works_without_scripts(
    chromium: Any, examples: Path, servers: list[browser.Server]
) -> None:
    servers.append(browser.Server(str(examples)))
    with chromium.new_context(java_script_enabled=False) as profile:
        page = profile.new_page()
        page.set_default_timeout(browser.PATIENCE_MS)

        def asks(text: str) -> None:
            page.locator("#question", has_text=text).wait_for()

        page.goto(servers[0].url)
        page.fill("#name", "ada")
        page.keyboard.press("Enter")
        page.fill("#comment", "kept")
        page.click("button[value=yes]")
        assert "play A and B first" in page.inner_text(".notice[dir=auto]")
        page.click("text=Go back")
        page.fill("#comment", "kept")
        page.check("text=I have played both answers")
        page.click("button[value=yes]")
        asks("Is B acceptable?")
        assert page.input_value("#comment") == "kept"
        page.click("button[formaction='/undo']")
        asks("Is A acceptable?")
