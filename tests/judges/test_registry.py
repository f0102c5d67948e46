"""Judges by spec, and what is refused before work: options, packages, proxies."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.judges.base import Judge
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry import kinds
from trace_eval.judges.registry.create import create_judge, create_scorers
from trace_eval.judges.registry.kinds import judge_specs


def test_built_in_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    for spec in ("rules", "openai:gpt-4.1-mini", "ollama:qwen3:8b"):
        judge = create_judge(spec)
        assert isinstance(judge, Judge)
        assert judge.spec == spec
    assert judge_specs()[:9] == [
        "rules",
        "ollama:MODEL",
        "openai:MODEL",
        "gguf:FILE",
        "vllm:MODEL",
        "sglang:MODEL",
        "audio:openai:MODEL",
        "reward:PATH",
        "scripted:FILE",
    ]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("rule", "rules, ollama:MODEL, openai:MODEL, gguf:FILE"),
        ("", "is unknown"),
        ("rules:strict", "takes no argument"),
        ("lexical", "rates single answers and compares none"),
        ("openai", "name the model"),
        ("openai:", "name the model"),
        ("ollama", "name the model"),
        ("scripted", "name the file"),
        ("scripted:/nowhere.jsonl", "check the path"),
        ("openai:gpt-4.1", "OPENAI_API_KEY is not set"),
        ("audio:ollama:qwen2-audio", "no test has shown yet"),
        ("audio:gpt-audio", r"audio:openai:gpt-audio-1\.5"),
    ],
)
def test_what_cannot_be_made_is_a_user_error(spec: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        create_judge(spec)


def test_several_judges_are_no_member_of_others() -> None:
    # a file of several judges may name its members as it likes
    with pytest.raises(
        UserError, match="judge fusion:x: stands for several judges already"
    ):
        create_scorers("fusion:x", [load_rubric("correctness")])


def test_a_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "is_installed", lambda _: False)
    with pytest.raises(UserError, match="pip install ollama"):
        create_judge("ollama:m")


def test_judges_of_other_packages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "other_judges.py").write_text(
        "from trace_eval.judges.registry.create import create_judge\n"
        "def make(argument, options):\n    return create_judge('rules')\n"
        "def wrong(argument, options):\n    return 1\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    group = kinds.ENTRY_POINT_GROUP
    points = EntryPoints(
        [
            EntryPoint("mine", "other_judges:make", group),
            EntryPoint("wrong", "other_judges:wrong", group),
        ]
    )

    def entry_points(**wanted: Any) -> EntryPoints:
        return points.select(**wanted)

    monkeypatch.setattr(kinds, "entry_points", entry_points)
    assert isinstance(create_judge("mine"), Judge)
    with pytest.raises(UserError, match="mine takes no argument; use --judge mine"):
        create_judge("mine:x")
    with pytest.raises(UserError, match="not a Judge"):
        create_judge("wrong")
    assert "mine" in judge_specs()


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
        (
            f"socks9://me:{SECRET}@127.0.0.1:9",
            "kind 'socks9' is not known; use one of http",
        ),
        (
            f"http://me:{SECRET}/x@127.0.0.1:9",
            "is not the address of a proxy; write http://HOST:PORT",
        ),
        (f"http://me:{SECRET}@127.0.0.1:x9", "is not the address of a proxy"),
        (f"http://me:{SECRET}#x@127.0.0.1:9", "is not the address of a proxy"),
        (f"http://me:{SECRET}@[::1", "is not the address of a proxy"),
        ("http://", "is not the address of a proxy"),
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


@pytest.mark.skipif(
    find_spec("socksio") is not None, reason="SOCKS proxies can be used here"
)
def test_a_proxy_whose_package_is_missing_is_refused_before_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ALL_PROXY", f"socks5://me:{SECRET}@127.0.0.1:9")
    with pytest.raises(
        UserError, match=r"ALL_PROXY: .* run: pip install socksio"
    ) as caught:
        create_judge("openai:tiny", JudgeOptions(base_url="http://127.0.0.1:9/v1"))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "proxy", [f"http://me:{SECRET}@127.0.0.1:9", "127.0.0.1:9", ""]
)
def test_a_proxy_that_can_be_used_is_taken(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    create_judge("openai:tiny", JudgeOptions(base_url="http://127.0.0.1:9/v1"))
