"""Presets: what the user named wins, and TRACE's own way of asking and reading."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.cases import blueprint, verdict
from tests.support.cli import output_of
from tests.support.llm_judges import judged
from tests.support.servers import Answer, Asked, Server, completion
from trace_eval.data.items import Answer as SpokenAnswer
from trace_eval.data.items import Instruction, Pair
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import PRESETS, JudgeOptions
from trace_eval.judges.registry.create import create_judge

DEFAULTS = {field.name: field.default for field in fields(JudgeOptions)}
NAMED = [(preset, name) for preset, options in PRESETS.items() for name in options]


@pytest.mark.parametrize(("preset", "name"), NAMED)
def test_an_option_that_is_named_beats_every_preset(preset: Any, name: str) -> None:
    default = DEFAULTS[name]
    assert getattr(JudgeOptions(preset=preset), name) == PRESETS[preset][name]
    if name == "temperature":  # None would repeat one opinion five times
        default = 0.3
    given = {name: default}
    options = JudgeOptions(preset=preset, **given)
    assert getattr(options, name) == default
    # and it stays so, whatever else is changed later
    assert getattr(replace(options, offline=True), name) == default
    assert getattr(replace(JudgeOptions(**given), preset=preset), name) == default
    assert getattr(replace(JudgeOptions(preset=preset), **given), name) == default


def listening(asked: Asked) -> Answer:
    """Answers the question of three dimensions, and no other."""
    typed = "voice_quality" in json.dumps(asked.body)
    return Answer(
        body=completion(json.dumps(verdict("1") if typed else {"label": "1"}))
    )


@pytest.mark.parametrize(
    ("way", "preset", "option", "value", "calls"),
    [
        ("line", "audiojudge", "task", "dimensions", 2),
        ("option", "style_paper", "samples", 1, 2),
        ("config", "style_paper", "samples", 1, 2),
    ],
)
def test_the_command_line_and_a_file_beat_a_preset(
    tmp_path: Path, way: str, preset: str, option: str, value: Any, calls: int
) -> None:
    from tests.support.audio_cases import pair

    manifest = tmp_path / "pairs.jsonl"
    manifest.write_text(pair(tmp_path).model_dump_json(exclude_none=True))
    with Server(listening) as server:
        typed: list[Any] = [
            "judge", manifest, "--judge", "audio:openai:m", "--base-url", f"{server.url}/v1",
            "--out", tmp_path / "run", "--cache", tmp_path / "cache", "--workers", 0,
        ]  # fmt: skip
        if way == "line":
            typed += ["-J", f"preset={preset}", "-J", f"{option}={value}"]
        elif way == "option":
            typed += ["-J", f"preset={preset}", f"--{option}", value]
        else:
            config = tmp_path / "c.toml"
            config.write_text(
                f'[judge]\npreset = "{preset}"\n{option} = {json.dumps(value)}\n'
            )
            typed += ["--config", config]
        output_of(*typed)
    assert len(server.asked) == calls
    words = server.asked[-1].body["messages"][0]["content"]
    assert "voice_quality" in json.dumps(
        words
    )  # the task of three dimensions was asked
    assert f"{option} = {json.dumps(value)}" in output_of(
        "show", tmp_path / "run", "--config"
    )


# --- trace_paper ----------------------------------------------------------------------

PAIR = Pair(
    id="p",
    instruction=Instruction(audio=Path("i.wav"), text="As it was written."),
    a=SpokenAnswer(audio=Path("a.wav"), system="SYS-A"),
    b=SpokenAnswer(audio=Path("b.wav"), system="SYS-B"),
)
FLAT = {
    "reasoning": "Content: equal. Voice: the second.",
    "content": "both_good",
    "voice_quality": "2",
    "paralinguistics": "both_bad",
}


def asked_by_trace_paper(**options: Any) -> tuple[Any, list[Asked]]:
    with Server(lambda _: Answer(body=completion(json.dumps(FLAT)))) as server:
        chosen = JudgeOptions(
            preset="trace_paper", base_url=f"{server.url}/v1", **options
        )
        judge = create_judge("openai:gpt-4o", chosen)
        heard = blueprint("As it was heard.", clip="2" * 64)
        shown = Case.of(PAIR, blueprint(), blueprint(clip="1" * 64), heard)
        return judged(judge, [shown])[0], server.asked


def test_trace_paper_sends_what_the_released_code_sends() -> None:
    """One call: model, one message, JSON mode, and nothing else."""
    judgement, asked = asked_by_trace_paper()
    (call,) = asked
    assert set(call.body) == {"model", "messages", "response_format"}
    assert call.body["response_format"] == {"type": "json_object"}
    (message,) = call.body["messages"]
    assert message["role"] == "system"
    words = message["content"]
    for key in (
        "agent_response",
        "agent_emotion",
        "agent_accent",
        "agent_audio_quality",
    ):
        # in the legend, and in the JSON of both answers
        assert words.count(f'"{key}": ') == 3, key
    assert '"reasoning"' in words
    assert "As it was heard." in words
    assert "As it was written." not in words
    assert "<<<data" not in words
    assert "SYS-" not in words
    assert {name: str(v.rating) for name, v in judgement.dimensions.items()} == {
        name: FLAT[name] for name in ("content", "voice_quality", "paralinguistics")
    }
    assert judgement.dimensions["content"].reasoning == FLAT["reasoning"]
    assert judgement.opinions[0].seed is None


def test_trace_paper_takes_the_authors_words_and_what_is_named(tmp_path: Path) -> None:
    template = tmp_path / "theirs.j2"
    template.write_text(
        "{% block system %}{% endblock %}{% block pair %}Theirs: {{ instruction.text }}"
        "{% for answer in answers %} {{ answer.blueprint }}{% endfor %}{% endblock %}"
    )
    judgement, asked = asked_by_trace_paper(
        template=template, temperature=0.0, seed=0, swap="both"
    )
    assert judgement.status == "scored"
    assert len(asked) == 2
    assert (asked[0].body["temperature"], asked[0].body["seed"]) == (0.0, 0)
    assert (
        asked[0].body["messages"][0]["content"].startswith("Theirs: As it was heard. {")
    )
