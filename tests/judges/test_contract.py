"""What every judge promises: identity by construction, each option used."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args, get_type_hints

import pytest

import trace_eval
from blueprints import UserError
from fusion import DIMENSIONS, TRACE, Rating
from tests.support.cases import case
from tests.support.engines import stand_in
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.settings import help_of
from trace_eval.judges.ask.base import Request
from trace_eval.judges.ask.message import AudioPart, Message, Text
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.ask.replies import reply_key
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.combine.panel import Panel
from trace_eval.judges.options.groups import (
    AudioOptions,
    OllamaOptions,
    PairwiseOptions,
    PointwiseOptions,
    RewardOptions,
    TextOptions,
    names_of,
)
from trace_eval.judges.options.judge_options import (
    FIELDS,
    NOT_DECIDING,
    STATE,
    JudgeOptions,
)
from trace_eval.judges.registry.create import create_judge, create_scorers, judge_of

IN_PROCESS = names_of(RewardOptions)
AUDIO_ONLY = names_of(AudioOptions)
PAIRS_ONLY = names_of(PairwiseOptions) | {"mode", "elicitation", "beside", "reasons"}
RATES_ONLY = names_of(PointwiseOptions)

#: Another legal value than the default for every field whose type does not say one.
OTHERS: dict[str, Any] = {
    "server_args": "--quantization fp8",
    "max_tokens": 77,
    "drop": ("pitch",),
    "think": True,
    "temperature": 0.3,
    "num_ctx": 4096,
    "top_p": 0.9,
    "top_k": 50,
    "audio_rate": 16000,
    "level": -23.0,
    "noise_db": 20.0,
    "show": ("question",),
    "min_samples": 1,
}
TYPES = get_type_hints(JudgeOptions)


def other(name: str) -> Any:
    """Another value of an option."""
    if name in OTHERS:
        return OTHERS[name]
    default = getattr(JudgeOptions(), name)
    for value in get_args(TYPES[name]):
        if isinstance(value, str) and value != default:  # of a Literal
            return value
    if isinstance(default, bool):
        return not default
    if isinstance(default, int | float):
        return default + 1
    if isinstance(default, str):
        return default + "x"
    return None


# Models in this process need torch: tests/models holds them to the same.
@pytest.mark.parametrize("name", sorted(FIELDS - NOT_DECIDING - IN_PROCESS))
def test_an_option_that_decides_is_in_the_runs_identity(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = "ollama:m" if name in names_of(OllamaOptions) else "openai:m"
    if name in AUDIO_ONLY:
        spec = "audio:openai:m"
    options = JudgeOptions(base_url="http://127.0.0.1:1/v1")
    if name == "server_args":  # of a judge that starts its server
        monkeypatch.setenv("PATH", str(stand_in("vllm", tmp_path)), prepend=os.pathsep)
        spec, options = "vllm:m", JudgeOptions()
    value = other(name)
    assert value is not None, f"give {name} another value in OTHERS"
    change = {name: value}
    changed = replace(options, **change)
    makers: list[Callable[[JudgeOptions], Judge]] = []
    if name not in RATES_ONLY:
        makers.append(lambda chosen: create_judge(spec, chosen))
    if name not in PAIRS_ONLY | AUDIO_ONLY:
        makers.append(
            lambda chosen: create_scorers(spec, [load_rubric("correctness")], chosen)[0]
        )
    for make in makers:
        assert make(options).parameters() != make(changed).parameters()


def test_every_option_is_declared_once_and_explained() -> None:
    declared = [
        name
        for kind in JudgeOptions.__mro__
        for name in vars(kind).get("__annotations__", ())
    ]
    assert sorted(declared) == sorted(FIELDS)
    assert STATE <= NOT_DECIDING <= FIELDS
    assert help_of(JudgeOptions).keys() == FIELDS - {"named"}
    assert names_of(TextOptions) < FIELDS


@pytest.mark.parametrize(
    ("spec", "options", "ignored"),
    [
        ("rules", {"samples": 5, "drop": ("quality",)}, "drop, samples"),
        ("rules", {"max_cost": 1.0}, "max_cost"),
        ("openai:m", {"num_ctx": 8192}, "num_ctx"),
        ("ollama:m", {"structure": "text"}, "structure"),
        ("openai:m", {"concat": "none"}, "concat"),
        ("audio:openai:m", {"rendering": "paper"}, "rendering"),
        ("audio:openai:m", {"choices": True}, "choices"),
        (
            "audio:openai:m",
            {"task": "naturalness", "elicitation": "acceptability"},
            "elicitation",
        ),
        # presets of other judges, with what they set
        ("openai:m", {"preset": "audiojudge"}, ".*preset.*"),
        ("audio:openai:m", {"preset": "trace_paper"}, ".*preset.*"),
        ("rules", {"preset": "trace_paper"}, ".*preset.*"),
    ],
)
def test_an_option_that_the_judge_ignores_is_refused(
    spec: str, options: dict[str, Any], ignored: str
) -> None:
    server = {} if spec == "rules" else {"base_url": "http://127.0.0.1:1/v1"}
    with pytest.raises(UserError, match=f"judge {spec}: does not use {ignored};"):
        create_judge(spec, JudgeOptions(**server, **options))


def test_what_a_session_tells_a_judge_is_no_choice(tmp_path: Path) -> None:
    told = create_judge(
        "rules", JudgeOptions(cache=tmp_path / "replies.sqlite", spent=1.0)
    )
    assert judge_of(told).parameters() == judge_of(create_judge("rules")).parameters()


class First(Judge):
    """Says that A is better."""

    spec = "first"

    async def judge(self, case: Case) -> Judgement:
        verdict = DimensionVerdict(rating=Rating.A, reasoning="it is first")
        return Judgement.scored(
            case.pair.id, self.spec, dict.fromkeys(DIMENSIONS, verdict)
        )


def test_a_judge_needs_a_name_and_a_method() -> None:
    judge = judge_of(First())
    assert judge.parameters() == {}
    assert judge.concurrency == 1
    assert judge.rubric is TRACE
    assert judge.reads == {"blueprint"}
    assert judge.accepts == {"pair"}
    assert judge.needs_instruction(case().pair)


def test_judges_of_ones_own_judge_from_python(tmp_path: Path) -> None:
    root = Path(__file__).parents[2] / "examples"
    pair = trace_eval.read_manifest(root / "pairs.jsonl").pairs[0]
    silent = dict.fromkeys(("transcript", "quality", "pitch", "rate"), "none")
    extract = trace_eval.ExtractOptions(overrides={**silent}, cache=tmp_path, workers=0)
    result = trace_eval.judge_pair(pair, trace_eval.Options(extract, First()))
    assert result.overall == "1"


def test_objects_that_are_no_judges_are_told_what_they_lack() -> None:
    class Half:
        spec = "half"

        def parameters(self) -> dict[str, Any]:
            return {}

    with pytest.raises(
        UserError, match=r"Half is not a Judge: it lacks .*judge.*close"
    ):
        judge_of(Half())  # type: ignore[arg-type]
    with pytest.raises(UserError, match="samples cannot reach it"):
        judge_of(First(), JudgeOptions(samples=3))


def test_an_object_with_the_interface_of_a_judge_is_one() -> None:
    names = (
        *("spec", "reads", "roles", "groups", "rubric", "accepts", "uses", "observed"),
        *("concurrency", "parameters", "needs_instruction", "takes_conversations"),
        *("load", "judge", "unscored", "activity", "close"),
    )
    judge = SimpleNamespace(**{name: getattr(First(), name) for name in names})
    assert Panel([judge_of(judge)]).chats == []  # type: ignore[arg-type]
    del judge.uses
    with pytest.raises(UserError, match="it lacks uses; derive it from"):
        judge_of(judge)  # type: ignore[arg-type]


def audio(sound: bytes, **recipe: Any) -> Message:
    return Message("user", (Text("Listen."), AudioPart(recipe, lambda: sound)))


def test_sound_is_sent_as_bytes_and_known_by_its_recipe() -> None:
    client = OpenAIClient("m", JudgeOptions(base_url="http://127.0.0.1:1/v1"))
    message = audio(b"RIFF...", clip="abc", rate=16000)
    body = client.body(Request((message,), {}, seed=0, temperature=0.0, max_tokens=16))
    words, sound = body["messages"][0]["content"]
    assert words == {"type": "text", "text": "Listen."}
    assert base64.b64decode(sound["input_audio"]["data"], validate=True) == b"RIFF..."
    assert sound["input_audio"]["format"] == "wav"

    def key(message: Message) -> str:
        return reply_key("s", "m", {"messages": [message.record()]})

    assert key(message) == key(audio(b"other bytes", clip="abc", rate=16000))
    assert key(message) != key(audio(b"RIFF...", clip="abc", rate=24000))
