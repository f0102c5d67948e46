"""The written file is complete, escaped and self-contained, also without some parts."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from markupsafe import escape

from benchmarks.synthetic_run import Recipe, make_run
from blueprints import UserError
from extractors.audio import decode
from tests.support.report_pages import (
    HOSTILE_ID,
    HOSTILE_TEXT,
    RECIPE,
    Elements,
    fragment,
    index,
)
from trace_eval.api.one_pair import blueprint
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.beside.text import block
from trace_eval.report.given_labels import with_labels_of
from trace_eval.report.summary import Facts
from trace_eval.report.write import write_report
from trace_eval.runs.run import Run
from trace_eval.stats.agreement.metrics import METRICS


def test_every_pair_is_listed_and_has_its_page(report: Path) -> None:
    html = report.read_text("utf-8")
    listed = index(html)
    assert len(listed) == RECIPE.pairs
    assert listed[0]["id"] == HOSTILE_ID
    rows = [row for row in Elements(html).named("tr") if "data-n" in row]
    assert [row["data-n"] for row in rows] == [str(n) for n in range(RECIPE.pairs)]
    for number in range(RECIPE.pairs):
        page = Elements(fragment(html, f"p{number}"))
        assert listed[number]["id"] in page.text
        for clip in page.named("section"):
            if clip.get("data-clip"):
                assert "<svg" in fragment(html, f"c{clip['data-clip']}")


def test_hostile_texts_stay_text(report: Path) -> None:
    html = report.read_text("utf-8")
    # theme, index, the page's script, and one element per fragment: 21 clips and 12
    # pairs
    assert len(Elements(html).named("script")) == 3 + 21 + RECIPE.pairs
    assert HOSTILE_ID in Elements(html).text
    page, clip = Elements(fragment(html, "p0")), Elements(fragment(html, "c0"))
    for elements in (page, clip):
        names = {name for name, _ in elements.tags}
        assert not names & {"script", "img", "template"}
        attributes = [name for _, attributes in elements.tags for name in attributes]
        assert not [name for name in attributes if name.startswith("on")]
    words = " ".join(HOSTILE_TEXT.split())
    assert " ".join(clip.text.split()).count(words) == 1
    assert HOSTILE_TEXT in page.text
    assert "49" not in page.text.split(HOSTILE_TEXT)[0]  # {{7*7}} is no template


def test_nothing_is_fetched_from_anywhere(report: Path) -> None:
    html = report.read_text("utf-8")
    elements = Elements(html)
    links = [
        attrs.get(name)
        for _, attrs in elements.tags
        for name in ("src", "href", "srcset")
    ]
    assert all(link.startswith("#") for link in links if link)
    style = re.search(r"<style>(.*?)</style>", html, re.S)
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    audio = Elements(fragment(html, "p0")).named("audio")
    assert [player["src"] for player in audio] == ["./audio/0-a.wav", "./audio/0-b.wav"]


def test_the_summary_says_who_and_how_much(report: Path) -> None:
    text = " ".join(Elements(report.read_text("utf-8")).text.split())
    assert (
        "9 of 12 pairs judged by openai:synthetic and fused with content_first" in text
    )
    assert "75.0%" in text
    assert re.search(r"clip failed\s*3\b", text)
    assert "$0.0144" in text  # 36 calls at 0.0004
    assert "Krippendorff" in text
    assert "P1: decided" in text
    assert "majority class" in text
    assert [metric.title for metric in METRICS if metric.title not in text] == []


def test_the_policy_is_explained_step_by_step(report: Path, run: Path) -> None:
    html = report.read_text("utf-8")
    overall = Run.open(run).overall()
    for number, entry in enumerate(index(html)):
        text = " ".join(Elements(fragment(html, f"p{number}")).text.split())
        assert " ".join(overall[entry["id"]].why.split()) in text
        if overall[entry["id"]].rating:
            assert "content says" in text
            assert "policy content_first: Let content decide" in text


def test_the_page_of_a_pair_says_how_far_apart_the_answers_are(
    report: Path, run: Path
) -> None:
    reader = Run.open(run)
    blueprints = {one.clip: one for one in reader.blueprints()}
    clips = reader.clips()
    shown = 0
    for number, pair in enumerate(reader.pairs()):
        records = [clips.get(one.source_id) for one in (pair.a, pair.b)]
        a, b = (blueprints.get(one.clip or "") if one else None for one in records)
        page = fragment(report.read_text("utf-8"), f"p{number}")
        assert ("How far apart" in page) == (a is not None and b is not None)
        if a is not None and b is not None:
            shown += 1
            assert all(escape(line) in page for line in block(a, b).splitlines())
    assert shown


def test_copies_make_the_report_movable(run: Path, tmp_path: Path) -> None:
    path = write_report(run, tmp_path / "sent.html", audio=True)
    html = path.read_text("utf-8")
    assert len(list((tmp_path / "sent_audio").iterdir())) == 21
    for player in Elements(fragment(html, "p0")).named("audio"):
        assert str(run) not in str(player["src"])
        assert (tmp_path / str(player["src"])).is_file()


def test_a_thousand_pairs_stay_under_20_megabytes(tmp_path: Path) -> None:
    # 12 s of speech an answer with all groups, both orders: 50 such pairs in 50/1000 of
    # it
    path = write_report(make_run(tmp_path / "run", Recipe(50)))
    assert path.stat().st_size < 20e6 * 50 / 1000


def test_an_unscored_run_says_first_what_to_do(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(2, seconds=1.0, failing=1))
    detail = next(iter(Run.open(run).judgements().values())).detail
    text = write_report(run).read_text()
    assert text.index("No pair was scored. First:") < text.index('class="lead" ')
    assert detail.split()[0] in text[text.index("No pair was scored. First:") :][:400]


def test_a_run_without_labels_names_who_wins(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(6, labelled=False))
    html = write_report(run).read_text("utf-8")
    assert "wins most by this judge" in html
    assert "--missing" not in html
    assert "no human labels" in html


def test_labels_of_raters_who_tie_and_who_split(run: Path, tmp_path: Path) -> None:
    ids = [pair.id for pair in Run(run).pairs()][1:4]
    labels = tmp_path / "labels.csv"
    tied, agreed, split = ids
    rows = [f"{tied},1,no preference", f"{tied},2,no preference", f"{agreed},1,A"]
    rows += [f"{split},1,A", f"{split},2,B"]
    labels.write_text("\n".join(["id,rater,preference", *rows]))
    facts = with_labels_of(Facts.read(run), labels)
    preferred = {pair.id: pair.labels for pair in facts.pairs if pair.labels}
    assert [preferred[one].preference for one in ids] == ["tie", "1", None]


def test_an_interrupted_run_has_a_report(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(3, seconds=1.0))
    for name in ("judgements", "overall", "clips", "blueprints"):
        (run / f"{name}.jsonl").unlink()
    html = write_report(run).read_text("utf-8")
    assert "0 of 3 pairs judged" in html
    assert "not judged" in html
    assert "not judged yet" in fragment(html, "p0")


def test_recordings_that_are_gone_are_said_to_be(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(2, seconds=1.0))
    shutil.rmtree(run / "audio")
    html = write_report(run).read_text("utf-8")
    assert "no such file any more" in fragment(html, "p0")
    assert not Elements(fragment(html, "p0")).named("audio")
    assert "there is no file to draw the waveform from" in fragment(html, "c0")
    assert 'class="pitch"' in fragment(
        html, "c0"
    )  # the rest is drawn from the blueprint


def test_no_run_and_no_place_are_user_errors(tmp_path: Path, run: Path) -> None:
    with pytest.raises(UserError, match="no run here"):
        write_report(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        write_report(run, tmp_path / "file" / "r.html")


def test_a_real_recording_is_drawn(data: Path, tmp_path: Path) -> None:
    clip = sorted((data / "speakbench_pairs").glob("*/audio_a.wav"))
    shortest = min(clip, key=lambda path: path.stat().st_size)
    overrides = {"transcript": "none", "quality": "none", "rate": "none"}
    known = blueprint(shortest, ExtractOptions(overrides=overrides, workers=0))
    run = make_run(tmp_path / "run", Recipe(1, seconds=1.0))
    lines = (run / "blueprints.jsonl").read_text().splitlines()
    first = json.loads(lines[0])["clip"]
    moved = known.model_copy(update={"clip": first})
    (run / "blueprints.jsonl").write_text(f"{moved.model_dump_json()}\n{lines[1]}\n")
    html = write_report(run).read_text("utf-8")
    drawn = fragment(html, "c0")
    seconds = decode(shortest).seconds
    assert f'data-seconds="{seconds:.3f}"' in drawn
    assert "the transcript was not measured; -x transcript=auto would" in drawn
    # What has no values is one folded line, not a heading each.
    assert "<summary>Without values: quality, rate, emotion, accent</summary>" in drawn
    assert "accent was not measured; -x accent=ecapa:Jzuluaga/" in drawn
    assert "part-bars" not in drawn
