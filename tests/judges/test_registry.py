"""Judges by spec."""

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.judges.base import Judge
from trace_eval.judges.registry import kinds
from trace_eval.judges.registry.create import create_judge, create_scorers
from trace_eval.judges.registry.kinds import judge_specs


def test_built_in_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    for spec in ("rules", "openai:gpt-4.1-mini", "ollama:qwen3:8b"):
        made = create_judge(spec)
        assert isinstance(made, Judge)
        assert made.spec == spec
    assert judge_specs()[:6] == [
        "rules",
        "ollama:MODEL",
        "openai:MODEL",
        "audio:openai:MODEL",
        "reward:PATH",
        "scripted:FILE",
    ]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("rule", "rules, ollama:MODEL, openai:MODEL, audio:openai:MODEL"),
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
    with pytest.raises(UserError, match="judge fusion:x: is several judges already"):
        create_scorers("fusion:x", [load_rubric("correctness")])


def test_a_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "is_installed", lambda _: False)
    with pytest.raises(UserError, match="pip install ollama"):
        create_judge("ollama:m")


def test_judges_of_other_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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
    assert isinstance(create_judge("mine:x"), Judge)
    with pytest.raises(UserError, match="no Judge"):
        create_judge("wrong")
    assert "mine" in judge_specs()
