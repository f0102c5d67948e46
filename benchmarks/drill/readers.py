"""Every parser of what comes from outside, as the drill calls it, with inputs to begin from."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import soundfile
from fsspec.registry import get_filesystem_class

from benchmarks.drill.formats import formats
from benchmarks.drill.parser import Parser, Read, as_file
from benchmarks.drill.sets import sets
from benchmarks.drill.stored import stored
from extractors.audio import decode
from fusion import POLICIES, RATINGS
from fusion.tables import read_policy
from tests.support.audio import RATE, tone, write
from tests.support.cases import verdict
from tests.support.servers import completion
from trace_eval.data import strict_json, strict_toml
from trace_eval.data.access import PROTOCOLS, UrlAccess, allowed, set_url_access
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.manifests import Manifest, read_items, read_manifest
from trace_eval.data.remote import fetch
from trace_eval.data.urls import redact_urls
from trace_eval.decide.rank import read_human_ranking
from trace_eval.extracting.cache import Cache, Stamp
from trace_eval.judges.ask.base import CallFailed, Unusable
from trace_eval.judges.ask.budget import Ledger
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.ask.reply_json import ReplyError
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.labels import parse_reply
from trace_eval.judges.read.two_scores import read_json
from trace_eval.opinions.labels import read_labels
from trace_eval.runs.fuse import fuse
from trace_eval.runs.run import Run


def parsers(folder: Path) -> dict[str, Parser]:
    """Every parser of what comes from outside, with seeds."""
    pair = {
        "id": "x",
        "instruction": {"text": "Say hello."},
        "a": {"audio": "a.wav", "system": "one"},
        "b": "b.wav",
        "labels": {"content": "1", "overall": "both_good"},
        "difficulty": 3.5,
    }
    line = json.dumps(pair).encode()
    single = json.dumps(
        {"id": "s", "instruction": {"text": "What?"}, "answer": {"text": "That."}, "reference": "x"}
    ).encode()
    table = b"id,instruction_text,a,b,overall\nx,Say hello.,a.wav,b.wav,1\ny,,a.wav,b.wav,tie\n"
    labels = (
        b'{"id": "x", "overall": "1", "duration_a": 2.5}\n{"id": "y", "label": {"content": 2}}\n'
    )
    judged = Judgement.scored("x", "rules", dict.fromkeys(_DIMENSIONS, _VERDICT))
    reply = json.dumps(verdict()).encode()
    scores = b'{"score_1": 7, "score_2": 5, "reasoning": "because"}'
    policy = json.dumps(
        [
            {"content": c, "voice_quality": v, "paralinguistics": p, "overall": c}
            for c in RATINGS
            for v in RATINGS
            for p in RATINGS
        ]
    ).encode()
    wav = write(folder / "seed.wav", tone(0.05)).read_bytes()
    soundfile.write(folder / "seed.flac", tone(0.05), RATE, subtype="PCM_16")
    flac = (folder / "seed.flac").read_bytes()
    cache = Cache(folder / "cache")
    cache.remember_clip(Stamp("/a.wav", 1, 2), "01" * 32)
    cache.close()
    database = (folder / "cache" / "groups.sqlite").read_bytes()
    spending = b'{"call":"a","worst_usd":0.5}\n{"call":"a","cost_usd":0.25}\n'
    place = str(folder).encode()
    places = [
        b"file://" + place + b"/seed.wav",
        b"https://user:pass@127.0.0.1:9/a.wav?token=t#a",
        b"s3://bucket/a.wav",
    ]
    documents = [
        b'name = "x"\n[a.b]\nc = [1, 2.5, {d = true}]\n"e f" = \'g\'\n[[h]]\ni = 2026-01-01\n',
        b't = """\n[[[ \\u00e9 "" """\nn = -1_000\nx = 0xff # [\ny.z.w = "a\\tb"\n',
    ]
    urls = b"see https://user:pass@host/a.wav?X-Amz-Signature=abc&token=t or s3://b/c"
    return {
        "strict JSON": Parser(_json, [line, reply], 20, (strict_json.BadJson,)),
        "manifest.jsonl": Parser(_manifest(".jsonl"), [line + b"\n" + line], 12),
        "items.jsonl": Parser(_manifest(".jsonl", read_items), [single], 4),
        "manifest.json": Parser(_manifest(".json"), [b"[" + line + b"," + line + b"]"], 8),
        "manifest.csv": Parser(_manifest(".csv"), [table], 8),
        "labels.jsonl": Parser(_labels(".jsonl"), [labels], 8),
        "labels.csv": Parser(_labels(".csv"), [table], 6),
        "human ranking": Parser(_ranking, [b"system,score\na,1\nb,2.5\n"], 4),
        "judgements.jsonl": Parser(_judgements, [judged.model_dump_json().encode() + b"\n"], 8),
        "spending.jsonl": Parser(_spending, [spending], 4),
        "replies": Parser(_reply, [reply, b"Sure! " + reply], 10, (ReplyError,)),
        "scores in replies": Parser(_scores, [scores], 5, (ReplyError,)),
        "response bodies": Parser(
            _body(), [json.dumps(completion(reply.decode())).encode()], 6, (CallFailed, Unusable)
        ),
        "policy.json": Parser(_policy, [policy], 1, (ValueError,)),
        "URLs in texts": Parser(_urls, [urls], 4),
        "URLs of manifests": Parser(_places(folder), places, 8),
        "strict TOML": Parser(_toml, documents, 6, (strict_toml.BadToml,)),
        "recordings": Parser(_audio, [wav, flac], 4),
        "cache": Parser(_cache, [database], 1),
        **formats(folder),
        **stored(folder),
        **sets(folder),
    }


_VERDICT = DimensionVerdict(rating="1", reasoning="-", distribution={"1": 0.75, "2": 0.25})

_DIMENSIONS = ("content", "voice_quality", "paralinguistics")


def _json(data: bytes, _: Path) -> None:
    value = strict_json.loads(data)
    again = json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    assert strict_json.loads(again) == value


def _manifest(suffix: str, reader: Callable[[Path], Manifest] = read_manifest) -> Read:
    def read(data: bytes, folder: Path) -> None:
        for item in reader(as_file(folder, suffix, data)).items:
            assert type(item).model_validate_json(item.model_dump_json()) == item

    return read


def _labels(suffix: str) -> Read:
    def read(data: bytes, folder: Path) -> None:
        result = read_labels(as_file(folder, suffix, data))
        assert all(isinstance(name, str) and name for name in result.ids)
        for codes in result.codes.values():
            assert ((codes >= -1) & (codes <= 4)).all()

    return read


def _ranking(data: bytes, folder: Path) -> None:
    for score in read_human_ranking(as_file(folder, ".csv", data)).values():
        assert abs(score) < float("inf")


def _judgements(data: bytes, folder: Path) -> None:
    as_file(folder, "", b"").with_name("judgements.jsonl").write_bytes(data)
    for result in Run(folder).attempts():
        fuse(result, POLICIES["content_first"])
        assert Judgement.model_validate_json(result.model_dump_json()) == result


def _spending(data: bytes, folder: Path) -> None:
    result = Ledger(as_file(folder, ".spending", data)).spending
    assert 0 <= result.spent < float("inf")
    assert result.possible >= 0


def _reply(data: bytes, _: Path) -> None:
    result = parse_reply(data.decode("utf-8", "surrogateescape"), "label")
    assert set(result.ratings) == set(_DIMENSIONS)
    assert set(result.ratings.values()) <= set(RATINGS)
    json.dumps(result.reasoning, ensure_ascii=False).encode()


def _scores(data: bytes, _: Path) -> None:
    result = read_json(data.decode("utf-8", "replace"))
    assert all(0 <= score <= 10 for score in (result.first, result.second))


def _body() -> Read:
    client = OpenAIClient("m", JudgeOptions(offline=True, base_url="http://127.0.0.1:9/v1"))

    def read(data: bytes, _: Path) -> None:
        result = client.replies.read_choices(data, None).first
        result.text.encode()
        assert result.tokens.input is None or 0 <= result.tokens.input < 10**13

    return read


def _policy(data: bytes, folder: Path) -> None:
    policy = read_policy(as_file(folder, ".json", data))
    for rating in RATINGS:
        assert policy.decide(rating, rating, rating).rating in RATINGS


def _urls(data: bytes, _: Path) -> None:
    text = data.decode("utf-8", "replace")
    shown = redact_urls("https://user:Zq7Zq7@host/a.wav?token=Zq7Zq7 " + text)
    assert "Zq7Zq7" not in shown


_LINK = re.compile(r"(?:^|::)([a-z][\w.+-]{0,30})(?=://|::)")


def _places(folder: Path) -> Read:
    """What a manifest names is opened only if each part of it is on the list."""
    registry = sys.modules[get_filesystem_class.__module__]

    def read(data: bytes, _: Path) -> None:
        record = {"id": "x", "a": {"url": data.decode("utf-8", "replace")}, "b": "b.wav"}
        path = as_file(folder, ".jsonl", json.dumps(record).encode())
        before = set_url_access(UrlAccess(network=False))
        try:
            for pair in read_manifest(path).pairs:
                with mock.patch.object(registry, "get_filesystem_class", _only_local):
                    if pair.a.url is not None and pair.a.url.startswith("file:"):
                        fetch(pair.a.url)
                set_url_access(UrlAccess())
                if pair.a.url is not None:
                    allowed(pair.a.url)
                    result = re.findall(
                        r"(?:^|::)([a-z][\w.+-]{0,30})(?=://|::)", pair.a.url.lower()
                    )
                    assert set(result) <= {*PROTOCOLS, "local"}, result
        finally:
            set_url_access(before)

    return read


def _only_local(protocol: str) -> Any:
    assert protocol == "file", protocol
    return get_filesystem_class(protocol)


def _toml(data: bytes, _: Path) -> None:
    table = strict_toml.loads(data)
    assert table == tomllib.loads(data.decode("utf-8-sig"))
    json.dumps(table, allow_nan=False, default=str).encode()


def _audio(data: bytes, _: Path) -> None:
    clip = decode(data, "mutated")
    assert len(clip.samples)
    assert abs(clip.samples).max() < float("inf")


def _cache(data: bytes, folder: Path) -> None:
    where = folder / "mutated"
    where.mkdir(exist_ok=True)
    for left in where.glob("groups.sqlite*"):
        left.unlink()
    (where / "groups.sqlite").write_bytes(data)
    cache = Cache(where)
    assert cache.clip_of(Stamp("/a.wav", 1, 2)) in (None, "01" * 32)
    cache.remember_clip(Stamp("/b.wav", 1, 2), "02" * 32)
    cache.close()
