from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from trace_eval.data.answers import Recording
from trace_eval.data.items import Pair
from trace_eval.data.manifests import read_manifest
from trace_eval.data.records import pair_from_record
from trace_eval.data.urls import (
    glob_base,
    is_url,
    joined,
    name_of,
    parent,
    redact_urls,
    redacted,
    without_secrets_of,
)

ROOT = Path("/srv")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("s3://bucket/a.wav", "s3://bucket/a.wav"),
        ("https://me:secret@host/a.wav", "https://host/a.wav"),
        ("https://token@host/a.wav", "https://host/a.wav"),
        ("sftp://me:secret@host/a.wav", "sftp://me@host/a.wav"),
        # Neither of these is a login: a container and its account, a repository and its
        # commit.
        ("abfs://box@account.dfs/a.wav", "abfs://box@account.dfs/a.wav"),
        ("github://org:repo@main/a.wav", "github://org:repo@main/a.wav"),
        (
            "https://h/a.wav?X-Amz-Signature=1&X-Amz-Date=2&versionId=3",
            "https://h/a.wav?versionId=3",
        ),
        ("https://h/a.wav?X-Goog-Signature=1", "https://h/a.wav"),
        ("https://h/a.wav?Expires=1&Signature=2&Key-Pair-Id=3", "https://h/a.wav"),
        ("https://h/a.wav?sv=1&se=2&sp=r&sig=3", "https://h/a.wav"),
        # Without the signature these are parameters like any other.
        ("https://h/get?sv=1&Expires=2", "https://h/get?sv=1&Expires=2"),
        ("https://h/get?file=a.wav#t", "https://h/get?file=a.wav#t"),
        (
            "zip://a.wav::https://me:secret@h/all.zip?sig=1",
            "zip://a.wav::https://h/all.zip",
        ),
        ("http://[::1]:80/a.wav?sig=1", "http://[::1]:80/a.wav"),
        ("memory://a.wav", "memory://a.wav"),
        # The id of a key is half of what gives access, and tells whose it is.
        ("s3://AKIDEXAMPLE:secret@bucket/a.wav", "s3://bucket/a.wav"),
        ("s3://AKIDEXAMPLE@bucket/a.wav", "s3://bucket/a.wav"),
        ("gs://key:secret@bucket/a.wav", "gs://bucket/a.wav"),
        ("az://account:key@box/a.wav", "az://box/a.wav"),
        ("sftp://me%3Asecret@host/a.wav", "sftp://me@host/a.wav"),
        ("zip://a.wav::s3://AKID:secret@b/all.zip", "zip://a.wav::s3://b/all.zip"),
        ("https://me:sec/ret@host/a.wav", "https://host/a.wav"),
        ("https://host:8080/a@2x.wav", "https://host:8080/a@2x.wav"),
    ],
)
def test_what_gives_access_is_not_shown(url: str, expected: str) -> None:
    assert is_url(url)
    assert redacted(url) == expected
    assert redacted(expected) == expected
    assert (
        redact_urls(f"no luck with '{url}', sorry")
        == f"no luck with '{expected}', sorry"
    )


@pytest.mark.parametrize(
    "url",
    [
        "s3://b/a.wav?X-Amz-Signature=Hunter2x",
        "s3://b/a.wav?AWSAccessKeyId=Hunter2x",
        "https://h/a.wav?pwd=Hunter2x",
        "https://h/a.wav?jwt=Hunter2x&x=1",
        "https://h/a.wav?hmac=Hunter2x",
        "https://h/a.wav#access_token=Hunter2x",
        "https://h/a.wav;jsessionid=Hunter2x",
        "https://h/a.wav?x=1;token=Hunter2x",
        "https://h/a.wav?id=AKIAHunter2xHunter2x".replace("Hunter2x", "HUNTERXX"),
    ],
)
def test_parameters_that_give_access_are_hashed(url: str) -> None:
    shown = redacted(url)
    assert "unter2x" not in shown
    assert "HUNTERXX" not in shown
    assert redacted(shown) == shown
    told = redact_urls(f"{url}: not found. See {url}.")
    assert told == f"{shown}: not found. See {shown}."


def test_a_login_without_a_protocol_is_not_shown() -> None:
    for text in (
        "//me:secret@host/a.wav",
        "(//me:secret@host)",
        "http:/me:secret@host/a.wav",
        "http:///me:secret@host/a.wav",
        "https:me:secret@host/a.wav",
    ):
        assert "secret" not in redact_urls(text)
        assert "host" in redact_urls(text)
    for text in ("C:/data/me:x@y", "a//b:c@d", "at 10:/3"):
        assert redact_urls(text) == text


def test_secrets_that_may_name_the_object_are_told_apart() -> None:
    one, other = (
        redacted(f"https://host/get?token={value}") for value in ("first", "second")
    )
    assert one != other
    assert "first" not in one
    assert one.startswith("https://host/get?token=sha256-")


@pytest.mark.parametrize(
    "url",
    [
        "http://me:Hunter2x@host:3128",
        "socks9://me:Hunter2x@host",
        "socks5://Hunter2x@host",
        "https://Hunter2x:@host/a?b=c",
        "http://me:it's)Hunter2x@host",
        "http://me:a?b#Hunter2x@host/path",
        "http://me:a@Hunter2x@host/path",
        "http://me%3AHunter2x@host/path",
        "http://me:a/Hunter2x@host/path",
        "https://host/a?api_key=Hunter2x&x=1",
    ],
)
@pytest.mark.parametrize(
    "text", ["URL('{}')", "<{}>", '{{"proxy": "{}", "x": 1}}', "{}", "no: {}, x"]
)
def test_no_text_of_a_library_gives_access(text: str, url: str) -> None:
    shown = redact_urls(text.format(url))
    assert "Hunter2x" not in shown
    assert "host" in shown
    assert redact_urls(shown) == shown


def test_what_a_library_quotes_of_a_url_gives_no_access() -> None:
    """botocore called the bucket 'AKID:secret@bucket' in a sentence of its own."""
    said = 'Invalid bucket name "AKIDEXAMPLE:Hunter2x@bucket": must match, sig Hunter2y'
    shown = without_secrets_of(
        "s3://AKIDEXAMPLE:Hunter2x@bucket/a.wav?token=Hunter2y&part=must", said
    )
    assert shown == 'Invalid bucket name "...bucket": must match, sig ...'
    assert without_secrets_of("s3://bucket/a.wav", said) == said


def test_joining_and_taking_apart() -> None:
    assert joined("s3://bucket/x/", "../y/a.wav") == "s3://bucket/y/a.wav"
    assert (
        joined("https://h/f?sig=1", "./a b#1.wav") == "https://h/f/a%20b%231.wav?sig=1"
    )
    assert joined("s3://bucket", "/abs/a.wav") == Path("/abs/a.wav")
    assert joined("s3://bucket", "gs://other/a.wav") == "gs://other/a.wav"
    assert joined(ROOT, "a.wav") == ROOT / "a.wav"
    assert parent("https://h/x/pairs.jsonl?sig=1") == "https://h/x?sig=1"
    assert name_of("https://h/x/a%20b.wav?sig=1") == "a b.wav"
    assert glob_base("s3://bucket/x*/[ab].wav") == "s3://bucket"
    assert glob_base("http://[::1]:80/x/*.wav") == "http://[::1]:80/x"
    assert glob_base("s3://bucket/x") is None


@pytest.mark.parametrize(
    "record",
    [
        {"a": {"audio": "s3://b/a.wav"}, "b": {"audio": "b.wav"}},
        {"a": {"url": "s3://b/a.wav"}, "b": {"audio": "file:///srv/b.wav"}},
        {"audio_a": "s3://b/a.wav", "audio_b": "b.wav"},
        {"audio1_path": "s3://b/a.wav", "audio2_path": "file://localhost/srv/b.wav"},
        {"a": {"audio": {"path": "s3://b/a.wav", "bytes": None}}, "b": "b.wav"},
    ],
)
def test_every_layout_takes_urls(record: dict[str, Any]) -> None:
    pair = pair_from_record({"id": "1", **record}, ROOT)
    assert (pair.a.url, pair.a.audio) == ("s3://b/a.wav", None)
    assert (pair.b.url, pair.b.audio) == (None, ROOT / "b.wav")
    assert (pair.a.source_id, pair.b.source_id) == ("s3://b/a.wav", "/srv/b.wav")
    assert pair.a.has_audio
    assert Pair.model_validate_json(pair.model_dump_json()) == pair


def test_relative_names_below_a_url(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"id": "1", "a": "x/a.wav", "b": "/abs/b.wav"}))
    (pair,) = read_manifest(path, "s3://bucket/audio").pairs
    assert (pair.a.url, pair.b.audio) == (
        "s3://bucket/audio/x/a.wav",
        Path("/abs/b.wav"),
    )
    (pair,) = read_manifest(path, "file:///elsewhere").pairs
    assert pair.a.audio == Path("/elsewhere/x/a.wav")


def test_places_that_make_no_sense_say_so() -> None:
    for provided, message in (
        ({"audio": "a.wav", "url": "s3://b/a.wav"}, "give one of them"),
        ({"url": "a.wav"}, "has no protocol://"),
        ({"audio": "file://elsewhere/a.wav"}, "names the host 'elsewhere'"),
    ):
        with pytest.raises(ValueError, match=message):
            Recording.model_validate(provided)
    record = {
        "id": "1",
        "a": {"url": "https://me:secret@h/a.wav", "audio": "a.wav"},
        "b": "b.wav",
    }
    with pytest.raises(UserError) as caught:
        pair_from_record(record, ROOT)
    assert "secret" not in str(caught.value)
