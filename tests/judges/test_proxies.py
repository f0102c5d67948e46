"""Proxies that the environment names: checked before work, and never repeated."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from blueprints import UserError
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge

SECRET = "Hunter2secret"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http", "https", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name.upper()}_PROXY", raising=False)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("openai:tiny", "HTTP_PROXY"),
        ("ollama:tiny", "https_proxy"),
        ("audio:openai:tiny", "ALL_PROXY"),
    ],
)
@pytest.mark.parametrize(
    ("proxy", "told"),
    [
        (f"socks9://me:{SECRET}@127.0.0.1:9", "kind 'socks9' is not known; use one of http"),
        (f"http://me:{SECRET}/x@127.0.0.1:9", "is no address of a proxy; write http://HOST:PORT"),
        (f"http://me:{SECRET}@127.0.0.1:x9", "is no address of a proxy"),
        (f"http://me:{SECRET}#x@127.0.0.1:9", "is no address of a proxy"),
        (f"http://me:{SECRET}@[::1", "is no address of a proxy"),
        ("http://", "is no address of a proxy"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_refused_before_work(
    spec: str, name: str, proxy: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, proxy)
    with pytest.raises(UserError, match=told) as caught:
        create_judge(spec, JudgeOptions(base_url="http://127.0.0.1:9/v1"))
    assert str(caught.value).startswith(f"{name.upper()}: ")
    assert SECRET not in str(caught.value)


@pytest.mark.skipif(find_spec("socksio") is not None, reason="SOCKS proxies can be used here")
def test_a_proxy_whose_package_is_missing_is_refused_before_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", f"socks5://me:{SECRET}@127.0.0.1:9")
    with pytest.raises(UserError, match=r"ALL_PROXY: .* run: pip install socksio") as caught:
        create_judge("openai:tiny", JudgeOptions(base_url="http://127.0.0.1:9/v1"))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("proxy", [f"http://me:{SECRET}@127.0.0.1:9", "127.0.0.1:9", ""])
def test_a_proxy_that_can_be_used_is_taken(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    create_judge("openai:tiny", JudgeOptions(base_url="http://127.0.0.1:9/v1"))
