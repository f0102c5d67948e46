"""Protocols in a real browser: pages of scores and long scales, by keyboard only."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import browser
from tests.support.audio import tone, write
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions
from trace_eval.review.page_scores import letters_of
from trace_eval.review.protocol_files import labels_csv

for package in ("fastapi", "uvicorn", "python_multipart"):
    pytest.importorskip(package, reason="pip install '.[review]'")
pytest.importorskip("playwright.sync_api", reason="pip install '.[test]'")
if not browser.CHROMIUM.exists():
    pytest.skip("no chromium: apt-get install chromium", allow_module_level=True)

SCORES = {"ref": 100, "one": 61, "two": 7, "lowpass-3500": 30, "lowpass-7000": 0}

HALF_STEPS = """
name = "half"
version = "1"
title = "How warm is it?"
scale = { min = -5, max = 5, step = 0.5 }
question = "How warm is this voice?"
inputs = ["audio"]
[points]
-5 = "cold"
5 = "warm"
[listening]
order = "given"
"""


@pytest.fixture
def rater() -> Iterator[browser.Rater]:
    with browser.chromium() as chromium:
        yield browser.Rater(chromium.new_page(viewport={"width": 400, "height": 800}))


@pytest.fixture
def servers() -> Iterator[list[browser.Server]]:
    started: list[browser.Server] = []
    yield started
    for server in started:
        server.stop()


def answers(folder: Path, questions: int) -> Path:
    """Write a manifest of a reference and two systems of each question."""
    path = folder / "answers.jsonl"
    records = []
    for number in range(questions):
        for hz, system in enumerate(("ref", "one", "two"), start=3):
            sound = write(folder / f"{system}-{number}.wav", tone(0.5, hz=100 * hz))
            record = {
                "id": f"{system}-{number}",
                "question_id": f"q{number}",
                "system": system,
            }
            records.append(record | {"audio": str(sound)})
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def fits(rater: browser.Rater) -> bool:
    return bool(
        rater.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    )


def numbers(rater: browser.Rater) -> list[str]:
    """Return the numbers that stand on the page."""
    found: list[str] = rater.page.evaluate(
        "[...document.querySelectorAll('[type=number]')].map(n => n.value)"
    )
    return found


def rows(source: Path, protocol: str) -> list[dict[str, str]]:
    review = open_review(source, {}, ReviewOptions(protocol=protocol))
    return list(csv.DictReader(labels_csv(review).splitlines()))


def test_a_page_of_scores_survives_a_killed_server(
    rater: browser.Rater, servers: list[browser.Server], tmp_path: Path
) -> None:
    source, page = answers(tmp_path, 2), rater.page
    arguments = (str(source), "--protocol", "mushra", "--allow-unplayed")
    servers.append(browser.Server(*arguments))
    rater.sign_in(servers[0].url, "ada")
    review = open_review(source, {}, ReviewOptions(protocol="mushra"))
    for number in range(2):
        position = review.position("ada")
        assert position is not None
        systems = {
            letter: review.item(position.view.item).members[item].system
            for letter, item in letters_of(review, position).items()
        }
        assert fits(rater)
        with page.expect_response("**/scores"):
            _type(page, systems)
        wanted = [str(SCORES[system]) for system in systems.values()]
        assert numbers(rater) == wanted
        if number == 0:
            servers[-1].kill()
            servers.append(browser.Server(*arguments, port=servers[0].port))
            page.reload()
            assert numbers(rater) == wanted
            page.set_viewport_size({"width": 1400, "height": 900})
        before = page.evaluate("document.querySelector('main').dataset.task")
        page.keyboard.press("Enter")
        page.wait_for_function(
            "was => document.querySelector('main').dataset.task !== was", arg=before
        )
    assert rater.place == "-1 done"
    found = {(row["system"], float(row["score"])) for row in rows(source, "mushra")}
    assert found == {(system, float(score)) for system, score in SCORES.items()}
    page.goto(f"{servers[0].url}results")
    assert "Mean score, 0 to 100" in page.inner_text("main")
    page.set_viewport_size({"width": 400, "height": 800})
    assert fits(rater)
    # Behind a long name of a system the interval was cut, and reached by scrolling alone.
    page.evaluate(
        "document.querySelector('.means th[scope=row]').textContent += '-16k'.repeat(9)"
    )
    hidden = "[...document.querySelectorAll('.scroll')].map(b => b.scrollWidth - b.clientWidth)"
    assert set(page.evaluate(hidden)) == {0}
    assert [line for line in rater.complaints if "ERR_" not in line] == []


def _type(page: Any, systems: dict[str, str]) -> None:
    """Choose each recording by its letter and type its score, once after a slip."""
    for letter, system in systems.items():
        page.keyboard.press(letter)
        if system == "one":
            page.keyboard.type("98")
            page.keyboard.press("Backspace")
            page.keyboard.press("Backspace")
        page.keyboard.type(str(SCORES[system]))


def test_half_steps_and_negative_scores_are_typed(
    rater: browser.Rater, servers: list[browser.Server], tmp_path: Path
) -> None:
    source, protocol = answers(tmp_path, 1), tmp_path / "half.toml"
    protocol.write_text(HALF_STEPS)
    servers.append(
        browser.Server(str(source), "--protocol", str(protocol), "--allow-unplayed")
    )
    rater.sign_in(servers[0].url, "ada")
    page = rater.page
    assert fits(rater)
    page.keyboard.type("-2.5")
    rater.press("Enter")
    page.keyboard.press("ArrowUp")
    assert numbers(rater) == ["0.5"]
    page.keyboard.press("Shift+ArrowUp")
    assert numbers(rater) == ["5"]
    rater.press("Enter")
    page.keyboard.type("3")
    rater.press("n")  # the number that stands there does not count
    assert rater.place == "-1 done"
    assert [row["score"] for row in rows(source, str(protocol))] == ["-2.5", "5", ""]
    assert rater.complaints == []
