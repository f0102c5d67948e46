"""What a manifest can make the program open: nothing that is not on a short list."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from blueprints import UserError
from tests.support.audio import tone, write
from tests.support.processes import python
from tests.support.web import Web, serve
from trace_eval.commands.cli import app
from trace_eval.data import remote
from trace_eval.data.access import UrlAccess, allowed, refusal, set_url_access
from trace_eval.data.manifests import read_manifest
from trace_eval.data.recordings import check_audio, find_urls, recordings_in
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.ray.shards import ShardFolder
from trace_eval.extracting.start import extract

pytest.importorskip(
    "aiohttp", reason="fsspec needs it for http; pip install 'fsspec[http]'"
)

#: What renders templates, keeps what it fetches, runs commands, reads other places, or
#: is spelled so that two readers see different things; WEB is a server that would be
#: asked.
HOSTILE = (
    "reference://x.wav::WEB/refs.json",
    "REFERENCE://x.wav::WEB/refs.json",
    "reference::WEB/refs.json",
    "x.wav::reference::WEB/refs.json",
    "zip://a.wav::reference://all.zip::WEB/refs.json",
    "zip://reference://x::reference::WEB/refs.json",
    "reference://x.wav::zip://refs.json::WEB/refs.zip",
    "simplecache::WEB/a.wav",
    "SimpleCache::WEB/a.wav",
    "filecache://a.wav::WEB/a.wav",
    "blockcache::WEB/a.wav",
    "cached::WEB/a.wav",
    "zip://a.wav::simplecache::WEB/all.zip",
    "dir://a.wav::WEB/",
    "generic://WEB/a.wav",
    "generic::WEB/a.wav",
    "async_wrapper::WEB/a.wav",
    "asyncwrapper://x::WEB/a.wav",
    "libarchive://a.wav::WEB/all.zip",
    "github://organisation:repository@main/a.wav",
    "git://repository:main@a.wav",
    "sftp://host/a.wav",
    "ssh://host/a.wav",
    "jupyter://host/a.wav",
    "smb://host/share/a.wav",
    "ftp://host/a.wav",
    "webhdfs://host/a.wav",
    "data://x",
    "zip://a.wav::data:application/zip;base64,AAAA",
    "memory://a.wav",
    "zip://a.wav::memory://all.zip",
    "registered-by-a-plugin://a.wav",
    "a://b.wav",
    "zip://a.wav",
    "tar://a.wav",
    "zip://::WEB/all.zip",
    "zip://a.wav::tar://b.zip::WEB/all.tar",
    "zip://a.wav::zip://b.zip::WEB/all.zip",
    "zip://a.wav::/srv/all.zip",
    "zip://a.wav::file:///srv/all.zip",
    "tar://a.wav::WEB/all.tar",
    "http://host/a?x=::reference::WEB/refs.json",
    "s3://bucket/a.wav::reference://x::WEB/refs.json",
    "file://elsewhere/a.wav",
    "zip://a.wav::file://elsewhere/all.zip",
)


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    folder = tmp_path / "web"
    write(folder / "a.wav", tone())
    (folder / "refs.json").write_text(json.dumps({"x.wav": "base64:AAAA"}))
    with serve(folder) as result:
        yield result


@pytest.fixture
def access() -> Iterator[Callable[..., None]]:
    before = set_url_access(UrlAccess())
    yield lambda *names, network=True: (
        set_url_access(UrlAccess(names, network)),
        None,
    )[1]
    set_url_access(before)


def test_what_is_not_on_the_list_is_refused_before_anything_is_opened(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a file system was made")

    registry = importlib.import_module("fsspec.core").get_filesystem_class.__globals__
    monkeypatch.setitem(registry, "_import_class", never)
    monkeypatch.setitem(registry, "get_filesystem_class", never)
    ask = [remote.fetch, remote.version_of, find_urls, read_manifest, ShardFolder]
    ask.append(lambda url: remote.find(url, (".wav",)))
    for url in (url.replace("WEB", web.url) for url in HOSTILE):
        for requested in ask:
            with pytest.raises(UserError) as shown:
                requested(url)
            assert "; " in str(shown.value)  # the remedy
        path = tmp_path / "pairs.jsonl"
        path.write_text(json.dumps({"id": "1", "a": {"url": url}, "b": "b.wav"}) + "\n")
        result = read_manifest(path)  # as a run's own pairs are read: nobody is asked
        told_before = [*result.problems, *check_audio(result.pairs)]
        assert "; " in told_before[0].what, url
    assert web.asked == []


def test_a_refusal_does_not_even_import_fsspec() -> None:
    code = (
        "import sys\nfrom trace_eval.data.remote import fetch\n"
        "try: fetch('reference://x::http://127.0.0.1:1/refs.json')\n"
        "except ValueError as error: print(error)\n"
        "assert 'fsspec' not in sys.modules"
    )
    assert "chained URLs are not opened; unpack an archive first" in python(code)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("HTTPS://Host/a.wav?x=a::b", "https://Host/a.wav?x=a::b"),
        ("http://[::1]:80/a.wav", "http://[::1]:80/a.wav"),
        ("s3://bucket/a::reference", "s3://bucket/a::reference"),
        ("abfs://box@account.dfs.core.windows.net/a.wav",) * 2,
        ("hf://datasets/org/name/a.wav",) * 2,
        ("FILE:///srv/a.wav", Path("/srv/a.wav")),
    ],
)
def test_what_is_on_the_list_is_allowed(url: str, place: str | Path) -> None:
    assert allowed(url) == place


def test_a_user_may_allow_a_protocol_and_forbid_the_network(
    access: Callable[..., None],
) -> None:
    access("sftp", "memory")
    assert refusal("sftp://h/a.wav") is None
    assert refusal("SFTP://h/a.wav") is None
    assert "chained" in str(refusal("simplecache::sftp://h/a.wav"))
    access("sftp", "memory", network=False)
    for url in ("sftp://h/a.wav", "https://h/a.wav", "s3://b/a.wav", "hf://x/a.wav"):
        assert "--no-network" in str(refusal(url)), url
    assert refusal("memory://a.wav") is None
    assert refusal("file:///srv/a.wav") is None
    for name in ("SFTP", "a::b", "reference://", ""):
        with pytest.raises(UserError, match="give its name alone"):
            UrlAccess((name,))


def test_settings_of_fsspec_open_nothing_more(web: Web, tmp_path: Path) -> None:
    refs = json.dumps({"fo": f"{web.url}/refs.json"})
    settings = json.dumps({"fo": f"{web.url}/all.zip", "target_protocol": "reference"})
    code = (
        "from trace_eval.data.remote import fetch\n"
        "for url in ('reference://x.wav', 'zip://in/a.wav',"
        " 'zip://in/a.wav::file:///none.zip'):\n"
        "    try: fetch(url)\n    except ValueError as error: print(error)\n"
    )
    assert python(code, FSSPEC_REFERENCE=refs, FSSPEC_ZIP=settings).count("; ") >= 3
    assert web.asked == []


@pytest.mark.parametrize("workers", [0, 1])
def test_workers_keep_to_it(
    workers: int, web: Web, tmp_path: Path, access: Callable[..., None]
) -> None:
    only = dict.fromkeys(("transcript", "quality", "pitch", "loudness", "rate"), "none")
    options = ExtractOptions(
        overrides=dict(only), cache=tmp_path / "cache", workers=workers
    )
    urls = [f"{web.url}/a.wav", f"file://{web.folder}/a.wav"]
    access(network=False)
    far, near = extract(urls, options)
    assert "--no-network" in str(far.error)
    assert near.blueprint
    for read in (
        recordings_in,
        read_manifest,
    ):  # nor is a folder or a manifest asked for
        with pytest.raises(UserError, match="--no-network forbids"):
            read([f"{web.url}/"] if read is recordings_in else f"{web.url}/pairs.jsonl")
    assert web.asked == []


def test_the_command_line_says_what_is_allowed(
    web: Web,
    tmp_path: Path,
    access: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, out = (
        tmp_path / "pairs.csv",
        ("--out", tmp_path / "out", "--cache", tmp_path / "cache"),
    )
    url = f"reference://x.wav::{web.url}/refs.json"
    path.write_text(f"id,a,b\n1,{url},s3://bucket/a.wav\n")
    bare = [
        f"-x{name}=none"
        for name in ("transcript", "quality", "pitch", "loudness", "rate")
    ]

    def said(*arguments: object) -> str:
        done = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert done.exit_code in (1, 2), done.output
        return " ".join((done.output + capsys.readouterr().err).split())

    shown = said("--no-network", "extract", path, *out, *bare, "--workers", 0)
    assert "0 of 2 recordings" in shown
    assert "which --no-network forbids; copy the file" in shown
    for provided in (("--rubric", url), ("-J", f"prices={url}"), ("--config", url)):
        said("rate", path, "--judge", "lexical", *provided, *out)
    for command in (
        ("judge", url),
        ("extract", path, "--audio-root", url, "--workers", 0),
    ):
        shown = said("--allow-protocol", "reference", *command, *out, *bare)
        assert "are not opened; unpack" in shown
    assert web.asked == []
    assert "give its name alone" in said(
        "--allow-protocol", "a::b", "extract", path, *out
    )
