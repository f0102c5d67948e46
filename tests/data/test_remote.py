from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.audio import tone, write
from tests.support.fakes import Counting
from tests.support.louder_wins import LouderWins, louder_options
from tests.support.web import Web, serve
from trace_eval.data import remote
from trace_eval.data.answers import Recording
from trace_eval.data.manifests import read_manifest
from trace_eval.data.recordings import check_audio, recordings_in
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.clip import ClipExtractor, Extracted
from trace_eval.extracting.source import source_of
from trace_eval.runs.job import judge_manifest

pytest.importorskip(
    "aiohttp", reason="fsspec needs it for http; pip install 'fsspec[http]'"
)


@pytest.fixture(autouse=True)
def _no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "RETRY_WAITS_S", (0.0, 0.0))


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    folder = tmp_path / "web"
    for number, name in enumerate(("a.wav", "b.wav", "deep/c c.wav")):
        write(folder / name, tone(peak=0.5 + number / 10))
    with serve(folder) as result:
        yield result


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[ClipExtractor]:
    result = ClipExtractor([Counting(tmp_path / "log")], Cache(tmp_path / "cache"), 5)
    yield result
    result.close()


def _extract(worker: ClipExtractor, *urls: str) -> list[Extracted]:
    return worker.run(
        [source_of(Recording.model_validate({"url": url})) for url in urls]
    )


def test_urls_are_fetched_once_and_give_the_same_clip(
    web: Web, worker: ClipExtractor
) -> None:
    first = _extract(worker, f"{web.url}/a.wav", f"{web.url}/b.wav")
    assert web.fetched() == ["/a.wav", "/b.wav"]
    local = worker.run(
        [source_of(Recording(audio=web.folder / n)) for n in ("a.wav", "b.wav")]
    )
    assert [result.blueprint for result in first] == [
        result.blueprint for result in local
    ]
    assert [result.source for result in first] == [
        f"{web.url}/a.wav",
        f"{web.url}/b.wav",
    ]

    web.asked.clear()
    again = _extract(worker, f"{web.url}/a.wav", f"{web.url}/b.wav")
    assert [result.blueprint for result in again] == [
        result.blueprint for result in first
    ]
    assert web.asked == [("HEAD", "/a.wav"), ("HEAD", "/b.wav")]


def test_a_new_signature_fetches_nothing_and_a_change_all(
    web: Web, worker: ClipExtractor
) -> None:
    _extract(worker, f"{web.url}/a.wav?X-Amz-Signature=one")
    (again,) = _extract(worker, f"{web.url}/a.wav?X-Amz-Signature=two")
    assert again.source == f"{web.url}/a.wav"
    assert web.fetched() == ["/a.wav"]
    write(web.folder / "a.wav", tone(seconds=0.3))
    (changed,) = _extract(worker, f"{web.url}/a.wav")
    assert changed.blueprint.clip != again.blueprint.clip


def test_an_undated_recording_is_fetched_every_time(
    web: Web, worker: ClipExtractor
) -> None:
    web.dated = False  # the size alone could stay equal
    for _ in range(2):
        (result,) = _extract(worker, f"{web.url}/a.wav")
        assert result.blueprint
    assert web.fetched() == ["/a.wav", "/a.wav"]
    write(web.folder / "a.wav", tone(peak=0.9))
    (changed,) = _extract(worker, f"{web.url}/a.wav")
    assert changed.blueprint != result.blueprint


def test_bad_places_cost_one_recording_each(
    web: Web, worker: ClipExtractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)  # as if it were not installed
    monkeypatch.setitem(sys.modules, "gcsfs", None)
    for protocol in (
        "s3",
        "gs",
    ):  # fsspec keeps the classes that anything imported before
        monkeypatch.delitem(
            sys.modules["fsspec.registry"]._registry, protocol, raising=False
        )
    web.statuses["/b.wav"] = [403]
    (web.folder / "text.wav").write_text("this is not audio")
    secret = web.url.replace("//", "//me:secret@")
    urls = {
        f"{secret}/none.wav?X-Amz-Signature=secret": "not found; check the URL or --audio-root",
        f"{secret}/b.wav?token=secret": "no permission (ClientResponseError: 403",
        f"{secret}/text.wav": "is not a recording but text",
        "nosuch://me:secret@host/a.wav": "protocol 'nosuch' is unknown",
        "s3://bucket/a.wav": "run: pip install s3fs",
        "gs://bucket/a.wav": "run: pip install gcsfs",
        "http://127.0.0.1:1/a.wav": "cannot be fetched (ClientConnectorError",
        f"{web.url}/a.wav": "",
    }
    for (url, expected), result in zip(
        urls.items(), _extract(worker, *urls), strict=True
    ):
        if not expected:
            assert result.blueprint
            continue
        assert result.error is not None, url
        assert expected in result.error
        assert result.error.startswith(result.source)
        assert "secret" not in result.error + result.source


def test_broken_transfers_are_retried_and_refusals_are_not(
    web: Web, worker: ClipExtractor
) -> None:
    web.statuses |= {"/a.wav": [503, 503], "/b.wav": [404, 404]}
    good, bad = _extract(worker, f"{web.url}/a.wav", f"{web.url}/b.wav")
    assert good.blueprint
    assert bad.error
    assert web.fetched() == ["/a.wav"] * 3 + ["/b.wav"]
    web.statuses["/a.wav"] = [503, 503, 503]
    with pytest.raises(UserError, match="503"):
        remote.fetch(f"{web.url}/a.wav")


def test_folders_globs_and_manifests_behind_urls(web: Web, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("id,a,b\n1,a.wav,none.wav\n")
    assert check_audio(read_manifest(path, web.url).pairs) == []
    assert web.asked == []  # before it is wanted
    a, b, c = (f"{web.url}/{name}" for name in ("a.wav", "b.wav", "deep/c%20c.wav"))
    (web.folder / "notes.txt").write_text("no recording")
    assert recordings_in([web.url]) == ([a, b, c], [])
    assert recordings_in([f"{web.url}/*.wav"]) == ([a, b], [])
    assert recordings_in([f"{web.url}/deep", b]) == ([c, b], [])
    web.asked.clear()
    assert recordings_in([a]) == ([a], [])
    assert web.asked == []
    manifest = f"{web.url}/pairs.csv"
    (web.folder / "pairs.csv").write_text("id,a,b\n1,a.wav,deep/c c.wav\n2,a.wav\n")
    result, problems = recordings_in([manifest])
    assert result == [a, c]
    assert [str(problem).partition(" 2: ")[0] for problem in problems] == [
        f"{manifest}, row"
    ]
    with pytest.raises(UserError, match=r"none.jsonl: not found"):
        read_manifest(f"{web.url}/none.jsonl")
    (web.folder / "empty").mkdir()
    with pytest.raises(UserError, match=r"/empty: no recordings below it"):
        recordings_in([f"{web.url}/empty"])


@pytest.mark.usefixtures("memory_urls")
def test_other_file_systems_work_alike(worker: ClipExtractor, tmp_path: Path) -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/box/x/a.wav", write(tmp_path / "a.wav", tone()).read_bytes())
    assert recordings_in(["memory://box"]) == (["memory://box/x/a.wav"], [])
    assert recordings_in(["memory://box/*/*.wav"]) == (["memory://box/x/a.wav"], [])
    (result,) = _extract(worker, "memory://box/x/a.wav")
    assert result.blueprint
    (gone,) = _extract(worker, "memory://box/x/b.wav")
    assert (
        gone.error == "memory://box/x/b.wav: not found; check the URL or --audio-root"
    )


def test_a_run_goes_on_when_its_urls_were_signed_anew(web: Web, tmp_path: Path) -> None:
    judge = LouderWins()
    options = louder_options(tmp_path, judge)
    path, run = tmp_path / "pairs.csv", tmp_path / "run"
    for signature in ("first", "second"):
        signed = f"X-Amz-Signature={signature}"
        path.write_text(
            f"id,a,b\n1,{web.url}/a.wav?{signed},{web.url}/b.wav?{signed}\n"
        )
        assert judge_manifest(read_manifest(path), run, options).scored == 1
    assert judge.seen == ["1"]
    assert web.fetched() == ["/a.wav", "/b.wav"]
    # The newest signature is kept, for a report that copies the recordings.
    assert "second" in (run / "pairs.jsonl").read_text()
    assert "first" not in (run / "pairs.jsonl").read_text()
    path.write_text(f"id,a,b\n1,{web.url}/a.wav,{web.url}/deep/c%20c.wav\n")
    with pytest.raises(UserError, match="pair '1' has changed"):
        judge_manifest(read_manifest(path), run, options)


def test_what_is_too_large_is_not_fetched_and_what_has_no_end_not_held(
    web: Web, worker: ClipExtractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "MAX_BYTES", 1000)
    (result,) = _extract(worker, f"{web.url}/a.wav")
    assert "at most 1000 are fetched" in result.error
    assert web.fetched() == []
    (web.folder / "large.wav").write_bytes(b"x" * 5_000_000)
    monkeypatch.setattr(remote, "MAX_BYTES", 1_000_000)
    with pytest.raises(
        UserError, match=r"large\.wav: without end, at most 1000000 are"
    ):
        remote.fetch(f"{web.url}/large.wav")
    with pytest.raises(UserError, match="5000000 bytes, at most"):
        remote.fetch(f"file://{web.folder}/large.wav")
