"""The commands as typed, against a real llama.cpp server that hears."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path

import pytest

from extractors.audio import decode
from tests.support.audio_cases import placed
from tests.support.cli import Done, trace_eval
from tests.support.datasets_made import write_lines
from trace_eval.judges.ask.base import Request
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.labels import schema_of
from trace_eval.judges.views.pair.sound_prompt import PromptBuilder, PromptItem
from trace_eval.judges.views.sound.encode import Sending, sound_of
from trace_eval.judges.views.sound.layout import Sound, Unit
from trace_eval.judges.views.sound.signals import load_signals
from trace_eval.judges.views.text.tasks import load_listening
from trace_eval.runs.run import Run


@pytest.fixture(scope="module")
def examples(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two solved pairs with short spoken instructions, one label each."""
    records = []
    for number, (folder, label) in enumerate((("1_a", "1"), ("3_a", "2"))):
        clips = data / "rate_pairs" / folder
        asked = {"audio": str(data / "prompts" / f"{number}.wav")}
        sides = {side: {"audio": str(clips / f"audio_{side}.wav")} for side in "ab"}
        records.append(
            {"id": folder, "instruction": asked, **sides, "answer": {"label": label}}
        )
    return write_lines(tmp_path_factory.mktemp("examples") / "ex.jsonl", records)


def _judge(pairs: Path, out: Path, ears: str, *options: object) -> tuple[Done, Run]:
    server = ["--judge", "audio:openai:tiny", "--base-url", f"{ears}/v1"]
    folder = out.parent
    done = trace_eval(
        "judge", pairs, *server, "--out", out, "--cache", folder / "cache", *options
    )
    return done, Run(out)


def test_speakbench_is_judged_as_typed(
    data: Path, examples: Path, ears: str, tmp_path: Path
) -> None:
    folder = data / "speakbench_pairs"
    lines = (folder / "pairs.jsonl").read_text().splitlines()[:2]
    records = [placed(json.loads(line), folder) for line in lines]
    pairs = write_lines(tmp_path / "pairs.jsonl", records)
    options = [
        "-J",
        "task=s2s",
        "-J",
        "concat=all",
        "-J",
        f"examples={examples}",
        "-J",
        "shots=2",
    ]
    done, run = _judge(pairs, tmp_path / "run", ears, *options)
    assert done.code == 0, done.err
    judgements = run.judgements()
    assert len(judgements) == 2
    for judgement in judgements.values():
        assert judgement.label_set == "plain"
        assert [o.order for o in judgement.opinions] == ["ab", "ba"]
        assert judgement.dimensions["overall"].rating in ("1", "2", "tie")
        for opinion in judgement.opinions:
            assert opinion.sent["parts"] == 2
            # 375 tokens for each begun half minute of each part, and some words
            assert opinion.usage.input_tokens > 375 * opinion.sent["seconds"] / 30
    assert list(run.blueprints()) != []
    assert run.record().extractors == {}
    overall = run.overall()
    assert {record.policy for record in overall.values()} == {"asked"}
    again, _ = _judge(pairs, tmp_path / "again", ears, *options)
    assert again.code == 0
    kept = Run(tmp_path / "again").judgements()
    assert all(o.cached for j in kept.values() for o in j.opinions)
    assert {n: j.label("overall") for n, j in kept.items()} == {
        n: j.label("overall") for n, j in judgements.items()
    }


def test_sound_arrives_and_its_order_matters(data: Path, ears: str) -> None:
    """The first token's log-probabilities change with the sound and with its order."""
    pair = data / "rate_pairs" / "1_a"
    sides = [sound_of(decode(pair / f"audio_{side}.wav")) for side in "ab"]
    (part,) = load_listening("rate").parts
    builder = PromptBuilder(
        part, "label", Sending(JudgeOptions(), load_signals("spoken"))
    )
    options = JudgeOptions(base_url=f"{ears}/v1")
    client = OpenAIClient("tiny", options)

    def first(*answers: Sound) -> list[float]:
        messages = builder.messages(PromptItem(Unit(answers)))
        body = client.body(
            Request(
                messages=messages,
                schema=schema_of(part, "label"),
                seed=0,
                temperature=0.0,
                max_tokens=16,
            )
        )
        del body["response_format"]
        body |= {"logprobs": True, "top_logprobs": 5}
        request = urllib.request.Request(
            f"{ears}/v1/chat/completions",
            json.dumps(body).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=120) as response:
            made = json.load(response)
        top = made["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        return [token["logprob"] for token in top]

    there, again, back = first(*sides), first(*sides), first(*sides[::-1])
    assert there == pytest.approx(again, abs=1e-3)
    assert max(abs(a - b) for a, b in zip(there, back, strict=True)) > 1e-3
    same = first(sides[0], sides[0])
    assert max(abs(a - b) for a, b in zip(there, same, strict=True)) > 1e-3
