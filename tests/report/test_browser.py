"""The report in a real browser, from a file, without a network."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fusion import DIMENSIONS
from tests.support.processes import wait_for
from tests.support.report_pages import HOSTILE_ID, HOSTILE_TEXT, RECIPE, index, opened
from trace_eval.data.csv_cells import LINE_BREAKS, unquoted
from trace_eval.report.write import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: The recordings are one second long; a decoder may add a frame.
LENGTH, FRAME = 1.0, 0.06


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    how = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"}
    with opened(browser, report.as_uri(), **how) as page:
        yield page


def shown(page: Page) -> list[str]:
    rows = page.locator("#list tbody tr:not([hidden]) td:first-child")
    return [" ".join(text.split()) for text in rows.all_inner_texts()]


def focused(page: Page) -> str:
    return str(
        page.evaluate("document.activeElement.id || document.activeElement.innerText")
    )


def open_pair(page: Page, name: str) -> None:
    page.locator("#list a", has_text=name).click()
    page.locator("#pair h1", has_text=name).wait_for()


def test_search_looks_through_ids_and_words(page: Page) -> None:
    assert len(shown(page)) == RECIPE.pairs
    page.fill("#search", "PAIR-0005")
    assert shown(page) == ["pair-0005"]
    page.fill(
        "#search", "window.hacked=1 end"
    )  # both words are in the hostile transcript only
    assert len(shown(page)) == 1
    page.fill("#search", "nobody said this")
    assert shown(page) == []
    assert page.inner_text("#found") == "0 of 12 pairs"


def test_filters_agree_with_the_run(page: Page, report: Path) -> None:
    entries = index(report.read_text("utf-8"))
    for flag in ("disagree", "swap", "unsure", "failed"):
        expected = sum(flag in entry["flags"] for entry in entries)
        box = page.locator(f'input[value="{flag}"]')
        assert box.is_disabled() == (expected == 0)
        if expected:
            box.check()
            assert len(shown(page)) == expected
            box.uncheck()
    page.select_option("#system", "tenor")
    assert len(shown(page)) == sum("tenor" in entry["systems"] for entry in entries)
    page.select_option("#category", "style")
    both = [e for e in entries if "tenor" in e["systems"] and e["category"] == "style"]
    assert len(shown(page)) == len(both)
    page.click("text=Clear")
    rows = "#list tbody tr:not([hidden])"
    page.wait_for_function(  # drawn after the reset
        f"() => document.querySelectorAll('{rows}').length === {RECIPE.pairs}"
    )
    assert len(shown(page)) == RECIPE.pairs


def test_the_list_is_saved_as_it_is_shown(page: Page, report: Path) -> None:
    entries = index(report.read_text("utf-8"))
    page.select_option("#system", "tenor")
    page.locator("#list th", has_text="Pair").locator("button").click()
    with page.expect_download() as download:
        page.click("#csv")
    text = Path(download.value.path()).read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert download.value.suggested_filename == "pairs.csv"
    kept = {entry["id"]: entry for entry in entries if "tenor" in entry["systems"]}
    assert {unquoted(row["pair"]) for row in rows} == set(kept)
    assert len(rows) == len(kept)
    for row in rows:
        entry = kept[unquoted(row["pair"])]
        assert [row["system_a"], row["system_b"]] == entry["systems"]
        assert [row[name] or None for name in DIMENSIONS] == entry["ratings"]
        rated = row["overall"] or None, row["people"] or None
        assert rated == (entry["overall"], entry["human"])
        assert (float(row["entropy_bits"]) if row["entropy_bits"] else None) == entry[
            "entropy"
        ]
        assert row["flags"].split() == entry["flags"]
    formula = page.evaluate("cell('=HYPERLINK(1)') + cell('-1.5') + cell('a \"b\", c')")
    assert formula == "'=HYPERLINK(1)" + "-1.5" + '"a ""b"", c"'
    for break_ in LINE_BREAKS:
        written = page.evaluate("cell", f"al{break_}'=1")
        assert written == f'"al{break_}\'=1"'
        assert page.evaluate("cell", f"'{break_}=1") == f"\"''{break_}=1\""


def test_the_page_of_a_pair_reads_from_the_question_and_has_a_beside_b(
    page: Page,
) -> None:
    open_pair(page, "pair-0001")
    assert page.locator("#pair h2").all_text_contents()[:2] == ["Question", "Verdict"]
    parts = (
        ".question .asked",
        ".outcome p",
        ".head audio >> nth=1",
        ".verdict h3 >> nth=0",
    )
    parts += (".time >> nth=0",)
    tops = [box_of(page.locator(f"#pair {part}"))["y"] for part in parts]
    assert tops == sorted(tops)
    said = page.locator("#pair .outcome p").inner_text()
    assert re.fullmatch(
        r"[AB] \(\w+\) wins by openai:synthetic \(content_first: .*\)\.", said
    )
    a, b = (box_of(page.locator(f'.side[data-side="{side}"]')) for side in "ab")
    assert a["y"] == b["y"]
    assert a["x"] + a["width"] <= b["x"]
    for part in (".part-words", ".part-numbers"):  # and so do their parts
        tops = [box["y"] for box in map(box_of, page.locator(part).all())]
        assert tops[0] == pytest.approx(tops[1], abs=1)


#: Titles of the sections in which a table is wider than what is seen of it.
CUT = """[...document.querySelectorAll("#report .scroll")]
    .filter(box => box.scrollWidth > box.clientWidth).map(box => box.closest("section").id)"""


def test_what_matters_stands_on_the_first_screens(page: Page) -> None:
    for width, height in ((1400, 900), (400, 900)):
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            assert box_of(page.locator("#summary .lead").first)["y"] < 200
            row = box_of(page.locator("#list tbody tr").first)
            assert row["y"] + row["height"] < 2 * height
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(CUT) == []
            open_pair(page, "pair-0001")
            for part in (
                ".asked",
                ".outcome p",
                ".head audio >> nth=0",
                ".head audio >> nth=1",
            ):
                box = box_of(page.locator(f"#pair {part}"))
                assert box["y"] + box["height"] <= height, part
                assert box["x"] + box["width"] <= width, part
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.keyboard.press("Escape")
            page.locator("#list").wait_for()
            page.evaluate("scrollTo(0, 0)")


def test_filters_are_kept_by_the_address(page: Page) -> None:
    page.fill("#search", "pair & 000")
    page.fill("#search", "pair-000")
    page.select_option("#system", "tenor")
    page.locator('input[value="swap"]').check()
    page.locator("#list th", has_text="Pair").locator("button").click()
    page.locator("#list th", has_text="Pair").locator("button").click()
    kept = shown(page)
    assert 1 < len(kept) < RECIPE.pairs
    assert kept == sorted(kept, reverse=True)
    page.reload()
    assert shown(page) == kept
    open_pair(page, kept[0])
    page.reload()  # the address of the pair has them, too
    page.locator("#pair h1", has_text=kept[0]).wait_for()
    assert page.locator(".pair-nav").inner_text().split("\n")[1] == f"1 of {len(kept)}"
    page.keyboard.press("j")
    page.locator("#pair h1", has_text=kept[1]).wait_for()
    page.click("text=← All pairs")
    page.locator("#list").wait_for()
    assert shown(page) == kept
    page.locator("nav a", has_text="Ratings").click()
    page.wait_for_function("() => location.hash.startsWith('#ratings&')")
    page.reload()
    assert shown(page) == kept
    page.click("text=Clear")
    page.wait_for_function("() => !location.hash.includes('system')")


def test_sorting_by_a_column_goes_up_down_and_back(page: Page) -> None:
    before = shown(page)
    entropy = page.locator("#list th", has_text="Entropy")

    def values() -> list[float]:
        cells = page.locator("#list tbody td:nth-child(9)").all_inner_texts()
        return [float(text) for text in cells if text.strip()]

    entropy.locator("button").click()
    assert values() == sorted(values())
    assert entropy.get_attribute("aria-sort") == "ascending"
    entropy.locator("button").click()
    assert values() == sorted(values(), reverse=True)
    entropy.locator("button").click()
    assert shown(page) == before
    assert entropy.get_attribute("aria-sort") is None


def test_a_hostile_pair_opens_plays_and_harms_nobody(page: Page) -> None:
    page.locator("#list a").first.click()
    page.locator("#pair h1").wait_for()
    assert page.locator("#pair h1").text_content() == HOSTILE_ID
    assert page.locator("#pair .asked").text_content() == HOSTILE_TEXT
    assert page.locator("#pair img, #pair script").count() == 0
    for side in ("a", "b"):
        assert length(page, side) == pytest.approx(LENGTH, abs=FRAME)
    page.reload()  # the address alone leads back
    page.locator("#pair h1").wait_for()
    assert page.locator("#pair h1").text_content() == HOSTILE_ID


def length(page: Page, side: str) -> Any:
    """Seconds of a player; it rejects when the file cannot be read."""
    return page.evaluate(
        """side => new Promise((done, failed) => {
            const audio = document.querySelector(`[data-side="${side}"] audio`);
            if (audio.error) failed(audio.error.message);
            if (audio.readyState) done(audio.duration);
            audio.onloadedmetadata = () => done(audio.duration);
            audio.onerror = () => failed(audio.error.message);
        })""",
        side,
    )


def box_of(locator: Any) -> Any:
    return locator.bounding_box()


def test_a_and_b_share_one_playhead(page: Page) -> None:
    open_pair(page, "pair-0001")
    length(page, "a")
    length(page, "b")
    page.evaluate("seek(audioOf('a'), 0.7)")
    heads = """[...document.querySelectorAll(".side .time")].map(
        (one) => Number(one.style.getPropertyValue("--at")) * Number(one.dataset.seconds))"""
    assert page.evaluate(heads) == pytest.approx([0.7, 0.7], abs=0.01)
    page.keyboard.press("x")
    assert page.evaluate("player.active === audioOf('b')")
    assert page.evaluate("audioOf('b').currentTime") == pytest.approx(0.7, abs=0.01)
    page.locator("#exchange").click()
    assert page.evaluate("player.active === audioOf('a')")
    assert page.locator("#pair .spectrum").count() == 2


_ALIKE = """([seconds, largest]) => {
  const figures = [...document.querySelectorAll(".side .time")];
  Object.assign(figures[1].dataset, { seconds, largest });
  alike(figures);
  return figures.map((figure) => {
    const wave = figure.querySelector(".waveform").getAttribute("transform");
    const width = figure.querySelector(".plot svg").getBoundingClientRect().width;
    return [width / figure.dataset.seconds, wave.split(" ")[3] / figure.dataset.largest];
  });
}"""


def test_a_pair_has_one_axis_of_time_and_waveforms_one_scale(page: Page) -> None:
    open_pair(page, "pair-0001")
    first = page.locator(".side .time >> nth=0")
    seconds, largest = (
        float(first.get_attribute(f"data-{n}") or 0) for n in ("seconds", "largest")
    )
    assert 0 < largest <= 1
    for change in ([2 * seconds, largest / 2], [seconds / 2, min(1.0, 2 * largest)]):
        (wide_a, high_a), (wide_b, high_b) = page.evaluate(_ALIKE, change)
        assert wide_a == pytest.approx(wide_b, rel=0.03)  # a second is as wide in both
        assert high_a == pytest.approx(high_b, rel=0.001)  # and a sample as high


def test_a_word_seeks_and_the_cursor_follows(page: Page) -> None:
    open_pair(page, "pair-0001")
    length(page, "a")
    word = page.locator('[data-side="a"] .words b').nth(1)
    times = re.fullmatch(r"(\d+)-(\d+)", word.get_attribute("data-t") or "")
    page.evaluate(
        "HTMLMediaElement.prototype.play = () => Promise.resolve()"
    )  # stand still
    word.click()
    now = page.evaluate("document.querySelector('[data-side=\"a\"] audio').currentTime")
    assert now == pytest.approx(int(times[1]) / 100, abs=0.001)
    assert word.get_attribute("class") in ("now", "q now")
    moved = page.locator('[data-side="a"] .cursor').get_attribute("transform") or ""
    # 300 columns are one second
    assert float(moved.split("(")[1].split()[0]) == pytest.approx(300 * now, abs=0.5)
    page.locator('[data-side="a"] .time svg').click(position={"x": 0.5, "y": 20})
    assert (
        page.evaluate("document.querySelector('[data-side=\"a\"] audio').currentTime")
        < 0.01
    )


def test_the_keyboard_is_enough(page: Page) -> None:
    page.keyboard.press("/")
    page.locator("#search:focus").wait_for()
    page.keyboard.type("pair-000")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    second = shown(page)[1]
    assert focused(page) == second
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) == "solid"  # the focus can be seen
    page.keyboard.press("Enter")
    page.locator("#pair h1", has_text=second).wait_for()
    page.keyboard.press("j")
    page.locator("#pair h1", has_text=shown_after(page, 2)).wait_for()
    page.keyboard.press("k")
    page.locator("#pair h1", has_text=second).wait_for()
    length(page, "a")
    # the recordings are short, so what was started is asked, not what is sounding by
    # now
    page.evaluate(
        """() => { window.started = []; document.addEventListener("play", (event) => {
            window.started.push(event.target.getAttribute("aria-label")); }, true); }"""
    )
    page.keyboard.press(" ")
    page.keyboard.press("b")
    page.wait_for_function("() => window.started.length >= 2")
    assert page.evaluate("window.started") == ["A", "B"]
    assert page.evaluate("document.querySelector('[data-side=\"a\"] audio').paused")
    page.keyboard.press("Escape")
    page.locator("#list").wait_for()
    assert focused(page) == second
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()


def shown_after(page: Page, place: int) -> str:
    return str(page.evaluate(f"INDEX[list.shown[{place}]].id"))


def test_dark_by_the_system_and_by_the_button(page: Page) -> None:
    def lightness() -> float:
        colour = str(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 3

    assert lightness() > 200
    page.emulate_media(color_scheme="dark")
    assert lightness() < 60
    page.click("#theme")
    assert lightness() > 200

    def is_remembered() -> bool:
        page.wait_for_timeout(300)
        page.reload()
        return lightness() > 200

    # What a page stores reaches the next one when the browser finds the time.
    wait_for(is_remembered, "a page that remembers the theme")
    page.click("#theme")
    assert lightness() < 60


def test_a_narrow_window_and_paper_lose_nothing(page: Page) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    wide = "document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(wide) <= 0
    open_pair(page, "pair-0001")
    assert page.evaluate(wide) <= 0
    a, b = (page.locator(f'.side[data-side="{side}"]').bounding_box() for side in "ab")
    assert b["y"] >= a["y"] + a["height"]
    page.emulate_media(media="print")
    assert page.locator(".top").is_hidden()
    assert page.locator("audio").first.is_hidden()
    assert page.locator(".words").first.is_visible()


def test_a_copied_report_plays_elsewhere(
    browser: Browser, run: Path, tmp_path: Path
) -> None:
    spoken = shutil.copytree(run, tmp_path / "run")
    pairs = [
        json.loads(line)
        for line in (spoken / "pairs.jsonl").read_text().split("\n")[:-1]
    ]
    pairs[2]["instruction"] = {"audio": pairs[0]["a"]["audio"]}
    (spoken / "pairs.jsonl").write_text(
        "".join(json.dumps(pair) + "\n" for pair in pairs)
    )
    write_report(spoken, tmp_path / "here" / "r.html", audio=True)
    shutil.move(tmp_path / "here", tmp_path / "there #2")
    page = browser.new_page()
    page.goto((tmp_path / "there #2" / "r.html").as_uri() + "#pair=pair-0002")
    page.locator("#pair h1").wait_for()
    assert length(page, "b") == pytest.approx(LENGTH, abs=FRAME)
    assert length(page, "instruction") == pytest.approx(LENGTH, abs=FRAME)
    page.close()
