"""Recordings behind URLs from the command line to the report and the review."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.cli import ROOT, Done, trace_eval
from tests.support.web import Web, serve
from trace_eval.report.write import write_report
from trace_eval.review.audio import Clips
from trace_eval.review.exports import _where
from trace_eval.review.material import load_material
from trace_eval.runs.run import Run

pytest.importorskip(
    "aiohttp", reason="fsspec needs it for http; pip install 'fsspec[http]'"
)


NAMES = ("silent-a.flac", "silent-b.ogg")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("urls")


@pytest.fixture(scope="module")
def web(folder: Path) -> Iterator[Web]:
    clips = folder / "web" / "clips"
    clips.mkdir(parents=True)
    for name in NAMES:
        shutil.copy(ROOT / "examples" / "clips" / name, clips)
    with serve(folder / "web") as found:
        # One URL as the manifest says it, one below the manifest, one that is not
        # there.
        a = f"{found.url.replace('//', '//me:secret@')}/clips/silent-a.flac"
        rows = f"good,{a},clips/silent-b.ogg\nbad,{a},clips/none.ogg\n"
        (folder / "web" / "pairs.csv").write_text(f"id,a,b\n{rows}")
        yield found


@pytest.fixture(scope="module")
def judged(web: Web, folder: Path, examples_cache: Path) -> Done:
    manifest = f"{web.url}/pairs.csv"
    options = ["--cache", examples_cache, "--workers", "2"]
    return trace_eval("judge", manifest, "--out", folder / "run", *options)


def test_judge_behind_urls(
    judged: Done, web: Web, folder: Path, examples_cache: Path
) -> None:
    assert judged.code == 1  # one of two pairs was scored
    assert "1 of 2 pairs scored (50.0%)" in judged.err
    run = Run.open(folder / "run")
    assert run.judgements()["good"].rating("content") == "2"
    assert f"{web.url}/clips/none.ogg: not found" in str(run.judgements()["bad"].detail)
    assert run.record().input == f"{web.url}/pairs.csv"
    for path in run.folder.iterdir():
        if path.name != "pairs.jsonl":  # holds what the user wrote
            assert "secret" not in path.read_text(), path
    assert "secret" not in judged.out + judged.err
    web.asked.clear()
    command = ["judge", f"{web.url}/pairs.csv", "--cache", examples_cache]
    again = trace_eval(*command, "--out", folder / "again")
    assert "1 of 2" in again.err
    assert set(web.fetched()) == {"/pairs.csv", "/clips/none.ogg"}


def test_a_report_fetches_only_what_it_copies(
    judged: Done, web: Web, folder: Path
) -> None:
    web.asked.clear()
    html = write_report(folder / "run", folder / "links.html").read_text()
    assert web.asked == []
    assert "secret" not in html
    write_report(folder / "run", folder / "copies.html", audio=True)
    assert sorted(web.fetched()) == ["/clips/silent-a.flac", "/clips/silent-b.ogg"]
    copies = {path.read_bytes() for path in (folder / "copies_audio").iterdir()}
    assert copies == {path.read_bytes() for path in (web.folder / "clips").iterdir()}


def test_a_review_fetches_what_it_plays(judged: Done, web: Web, folder: Path) -> None:
    web.asked.clear()
    material = load_material(folder / "run")
    assert [pair.id for pair in material.pairs] == ["good"]
    assert "not found" in material.left_out["bad"]
    clips = Clips(material.pairs, b"key")
    assert web.asked == []
    assert clips.wav(clips.clip_id("good", "b")).startswith(b"RIFF")
    assert web.fetched() == ["/clips/silent-b.ogg"]
    assert _where(material.pairs[0].a) == f"{web.url}/clips/silent-a.flac"
    assert _where(material.pairs[0].instruction) is None


def test_what_is_gone_is_told_where_it_would_be_heard(
    judged: Done, web: Web, folder: Path
) -> None:
    gone = web.folder / "clips" / "silent-b.ogg"
    kept = gone.read_bytes()
    gone.unlink()
    try:
        html = write_report(folder / "run", folder / "gone.html", audio=True)
        assert html.is_file()
        assert len(list((folder / "gone_audio").iterdir())) == 1
        material = load_material(folder / "run")
        clips = Clips(material.pairs, b"key")
        with pytest.raises(UserError, match=r"silent-b.ogg: not found"):
            clips.wav(clips.clip_id("good", "b"))
    finally:
        gone.write_bytes(kept)


def test_extract_behind_a_url(
    judged: Done, web: Web, folder: Path, examples_cache: Path
) -> None:
    out = folder / "out"
    trace_eval(
        "extract", f"{web.url}/clips", "--out", out, "--cache", examples_cache, ends=0
    )
    sources = {json.loads(line)["source"] for line in (out / "clips.jsonl").open()}
    assert sources == {f"{web.url}/clips/{name}" for name in NAMES}
