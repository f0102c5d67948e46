"""Shared reports: what is taken out of words and sound, and what the rest says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from benchmarks.redact import measure
from benchmarks.synthetic_run import Recipe, make_run
from tests.support.cli import refused, trace_eval
from tests.support.report_pages import Elements, fragment, index
from trace_eval.report.redact import LIMITS, REDACTED, redact_text


def test_recall_on_300_made_calls() -> None:
    measured = measure()
    assert measured["recall_words"] >= 0.95
    assert measured["recall_sound"] >= 0.95
    assert measured["other_words_kept"] >= 0.95
    assert measured["length_kept"] == 1


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("call four one five now", "call # # # now"),
        ("it is 415-555-0199, thanks", "it is # thanks"),
        ("card 4111 1111 1111 1111", "card # # # #"),
        ("ask ann@mail.org today", "ask # today"),
        ("ask ann dot lee at mail dot com today", "ask # # # # # # # today"),
        ("w r i t e e at mail dot com", "# # # # # # # # # #"),
        ("double oh seven and a dog", "# # # and a dog"),
        ("see you at the dot", "see you at the dot"),
        ("oh no", "oh no"),
        ("٤١٥ and twenty-five", "# # #"),
    ],
)
def test_words(text: str, left: str) -> None:
    assert redact_text(text) == left.replace("#", REDACTED)


@pytest.fixture
def telling(tmp_path: Path) -> Path:
    """Write a run whose first answer says a number; the second has no word times."""
    run = make_run(tmp_path / "run", Recipe(1))
    path = run / "blueprints.jsonl"
    blueprints = list(map(json.loads, path.read_text().splitlines()))
    for blueprint in blueprints[:2]:
        words = blueprint["transcript"]["words"]
        words[1]["text"] = "0190666666"
        blueprint["transcript"]["text"] = " ".join(word["text"] for word in words)
    blueprints[1]["transcript"]["words"][0]["end_s"] = None
    path.write_text("".join(json.dumps(one) + "\n" for one in blueprints))
    pairs = json.loads((run / "pairs.jsonl").read_text())
    pairs["instruction"]["text"] = "Call 0190666666 or me@mail.org"
    pairs["meta"] = {"phone": 190666666}
    (run / "pairs.jsonl").write_text(json.dumps(pairs) + "\n")
    return run


def test_a_page_that_is_sent_holds_no_number(telling: Path, tmp_path: Path) -> None:
    out = tmp_path / "sent" / "page.html"
    trace_eval("report", telling, "--redact", "--audio", "--out", out, ends=0)
    html = out.read_text("utf-8")
    shown = " ".join(fragment(html, name) for name in ("p0", "c0", "c1")) + str(
        index(html)
    )
    assert not [
        word
        for word in ("0190666666", "190666666", "me@mail.org")
        if word in shown + html
    ]
    assert shown.count(REDACTED) >= 4
    assert LIMITS in html
    assert 'class="spectrum"' not in shown
    (copy,) = (out.parent / "page_redacted_audio").iterdir()
    (player,) = Elements(fragment(html, "p0")).named("audio")
    assert str(player["src"]).endswith(copy.name)
    assert "its words have no times" in shown
    record = next(
        clip
        for clip in map(json.loads, (telling / "clips.jsonl").read_text().splitlines())
        if clip["clip"] == copy.name.partition(".")[0]
    )
    before, rate = soundfile.read(record["source"])
    after, copied_rate = soundfile.read(copy)
    assert len(after) / copied_rate == pytest.approx(len(before) / rate, abs=0.001)
    # The second word lies at 0.35 to 0.67 s, and 0.2 s around it are muted.
    assert not np.any(after[int(0.15 * copied_rate) : int(0.87 * copied_rate)])
    assert np.any(after[: int(0.14 * copied_rate)])
    assert np.any(after[int(0.88 * copied_rate) :])


def test_no_recording_is_linked_without_copies(telling: Path, tmp_path: Path) -> None:
    trace_eval("report", telling, "--redact", "--out", tmp_path / "page.html", ends=0)
    html = (tmp_path / "page.html").read_text("utf-8")
    assert not list(Elements(fragment(html, "p0")).named("audio"))
    refused(
        "--redact takes a single run; name one of them",
        "report",
        telling.parent,
        "--redact",
    )


def test_a_label_that_cannot_be_read_shows_no_number(
    telling: Path, tmp_path: Path
) -> None:
    record = json.loads((telling / "manifest.json").read_text())
    told = "overall: '0190666666' and 'call 555 0199' are no labels, of 2 rows"
    record["unused_labels"] = [told]
    (telling / "manifest.json").write_text(json.dumps(record))
    out = tmp_path / "page.html"
    trace_eval("report", telling, "--out", out, "--redact", ends=0)
    page = out.read_text()
    assert "are no labels" in page
    assert "0190666666" not in page
    assert "0199" not in page
