"""Every parser of foreign input, with inputs to begin from; here those of texts."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any
from unittest import mock

from fsspec.registry import get_filesystem_class

from benchmarks.drill.formats import LINE, formats
from benchmarks.drill.parser import Parser, Read, placed, text_of
from benchmarks.drill.sets import sets
from benchmarks.drill.stored import stored
from fusion import DIMENSIONS, RATINGS
from tests.support.cases import verdict
from tests.support.servers import completion
from trace_eval.data import strict_json, strict_toml
from trace_eval.data.access import PROTOCOLS, UrlAccess, allowed, set_url_access
from trace_eval.data.manifests import read_manifest
from trace_eval.data.remote import fetch
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.urls import redact_urls
from trace_eval.judges.ask.base import CallFailed, Unusable
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.labels import parse_reply, read_label
from trace_eval.judges.read.score import read_score
from trace_eval.judges.read.two_scores import read_json, read_text
from trace_eval.judges.views.text.tasks import load_listening


def parsers(folder: Path) -> dict[str, Parser]:
    """Every parser of what comes from outside, with seeds."""
    return {
        **texts(folder),
        **replies(),
        **formats(folder),
        **stored(folder),
        **sets(folder),
    }


def texts(folder: Path) -> dict[str, Parser]:
    """JSON and TOML as such, and URLs."""
    reply = json.dumps(verdict()).encode()
    documents = [
        b'name = "x"\n[a.b]\nc = [1, 2.5, {d = true}]\n"e f" = \'g\'\n[[h]]\ni = 2026-01-01\n',
        b't = """\n[[[ \\u00e9 "" """\nn = -1_000\nx = 0xff # [\ny.z.w = "a\\tb"\n',
    ]
    urls = b"see https://user:pass@host/a.wav?X-Amz-Signature=abc&token=t or s3://b/c"
    places = [
        f"file://{folder}/seed.wav".encode(),
        b"https://user:pass@127.0.0.1:9/a.wav?token=t#a",
        b"s3://bucket/a.wav",
    ]
    return {
        "strict JSON": Parser(_json, [LINE, reply], 20, (strict_json.BadJson,)),
        "strict TOML": Parser(_toml, documents, 6, (strict_toml.BadToml,)),
        "URLs in texts": Parser(_urls, [urls], 4),
        "URLs of manifests": Parser(_places(), places, 8),
    }


def replies() -> dict[str, Parser]:
    """List parsers of what servers and models answer."""
    reply = json.dumps(verdict()).encode()
    body = json.dumps(completion(reply.decode())).encode()
    scores = b'{"score_1": 7, "score_2": 5, "reasoning": "because"}'
    said = [
        b"Output A: 7\nOutput B: 5",
        b"**Audio A** score: 8/10, and audio B is 6.5.",
    ]
    rating, label = (
        b'{"reasoning": "so", "score": 4}',
        b'{"reasoning": "so", "label": "1"}',
    )
    rubric, labels = load_rubric("correctness"), load_listening("quality").labels
    results = {
        "replies": (
            lambda text: parse_reply(text, "label"),
            _whole,
            [reply, b"Sure! " + reply],
            10,
        ),
        "scores in replies": (read_json, _in_range, [scores], 5),
        "scores in texts": (read_text, _in_range, said, 3),
        "ratings in replies": (
            lambda text: read_score(text, rubric, True),
            lambda result: 1 <= result.score <= 5 and _encoded(result.reasoning),
            *([rating], 5),
        ),
        "labels in replies": (
            lambda text: read_label(text, labels),
            lambda result: result[0] in labels.labels and _encoded(result[1]),
            *([label], 4),
        ),
    }
    parsers = {
        name: Parser(text_of(read, fine), seeds, weight, (ReplyError,))
        for name, (read, fine, seeds, weight) in results.items()
    }
    return {
        **parsers,
        "response bodies": Parser(_body(), [body], 6, (CallFailed, Unusable)),
    }


def _whole(result: Any) -> bool:
    """All dimensions have a rating of ours."""
    named = set(result.ratings) == {*DIMENSIONS} and {*result.ratings.values()} <= {
        *RATINGS
    }
    return named and _encoded(result.reasoning)


def _in_range(result: Any) -> bool:
    return all(0 <= score <= 10 for score in (result.first, result.second))


def _encoded(reasoning: Any) -> bool:
    """Tell whether a reasoning can be written as UTF-8."""
    return bool(json.dumps(reasoning, ensure_ascii=False).encode())


def _json(data: bytes, _: Path) -> None:
    value = strict_json.loads(data)
    again = json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    assert strict_json.loads(again) == value


def _toml(data: bytes, _: Path) -> None:
    table = strict_toml.loads(data)
    assert table == tomllib.loads(data.decode("utf-8-sig"))
    json.dumps(table, allow_nan=False, default=str).encode()


def _urls(data: bytes, _: Path) -> None:
    text = data.decode("utf-8", "replace")
    shown = redact_urls("https://user:Zq7Zq7@host/a.wav?token=Zq7Zq7 " + text)
    assert "Zq7Zq7" not in shown


_LINK = re.compile(r"(?:^|::)([a-z][\w.+-]{0,30})(?=://|::)")


def _places() -> Read:
    """Check that a manifest's place is opened only if each part is allowed."""
    registry = sys.modules[get_filesystem_class.__module__]

    def read(data: bytes, folder: Path) -> None:
        record = {
            "id": "x",
            "a": {"url": data.decode("utf-8", "replace")},
            "b": "b.wav",
        }
        path = placed(folder / "input.jsonl", json.dumps(record).encode())
        before = set_url_access(UrlAccess(network=False))
        try:
            for pair in read_manifest(path).pairs:
                with mock.patch.object(registry, "get_filesystem_class", _only_local):
                    if pair.a.url is not None and pair.a.url.startswith("file:"):
                        fetch(pair.a.url)
                set_url_access(UrlAccess())
                if pair.a.url is not None:
                    allowed(pair.a.url)
                    result = _LINK.findall(pair.a.url.lower())
                    assert set(result) <= {*PROTOCOLS, "local"}, result
        finally:
            set_url_access(before)

    return read


def _only_local(protocol: str) -> Any:
    assert protocol == "file", protocol
    return get_filesystem_class(protocol)


def _body() -> Read:
    client = OpenAIClient(
        "m", JudgeOptions(offline=True, base_url="http://127.0.0.1:9/v1")
    )

    def read(data: bytes, _: Path) -> None:
        result = client.replies.read_choices(data, None).first
        result.text.encode()
        assert result.tokens.input is None or 0 <= result.tokens.input < 10**13

    return read
