"""How many audio parts each strategy sends, and what is in them."""

from __future__ import annotations

import asyncio
import io
from dataclasses import replace
from pathlib import Path
from runpy import run_path

import numpy as np
import pytest
import soundfile

from blueprints import UserError
from fusion import TRACE
from tests.support.audio_cases import (
    case,
    examples,
    judged,
    said,
    scripted,
    sounds_of,
    with_texts,
)
from tests.support.cli import ROOT
from tests.support.llm_judges import listening_judge, unasked
from trace_eval.data.items import noisy_side
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_pair_rubric
from trace_eval.data.rubrics.pairs import PairRubric
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.openai import OpenAIClient
from trace_eval.judges.views.sound.layout import GAP_S
from trace_eval.judges.views.text.tasks import task_names

ANSWERS = [{"label": label} for label in ("1", "2", "1", "2")]

#: Strategy -> parts without and with an instruction, of 0, 2 and 4 examples.
PARTS = {
    "none": ((2, 3), (6, 9), (10, 15)),
    "pairs": ((2, 3), (4, 5), (6, 7)),
    "examples": ((2, 3), (3, 4), (3, 4)),
    "test": ((1, 1), (5, 7), (9, 13)),
    "all": ((1, 1), (2, 2), (2, 2)),
}


def judge_of(folder: Path, task: str, concat: str, shots: int) -> LLMJudge:
    file = {"examples": examples(folder, ANSWERS), "shots": shots} if shots else {}
    return scripted([], task=task, concat=concat, **file)[0]


@pytest.mark.parametrize("concat", PARTS)
@pytest.mark.parametrize("shots", [0, 2, 4])
def test_parts_per_strategy(tmp_path: Path, concat: str, shots: int) -> None:
    for task, wanted in zip(("quality", "s2s"), PARTS[concat][shots // 2], strict=True):
        judge = judge_of(tmp_path, task, concat, shots)
        (call, _) = judge.calls(case(tmp_path))
        messages = call.request.messages
        assert len(sounds_of(messages)) == wanted
        roles = [message.role for message in messages]
        assert roles[0] == "system"
        assert roles[1:] == ["user", "assistant"] * (len(roles) // 2 - 1) + ["user"]


def test_what_is_sent_is_what_was_recorded(tmp_path: Path) -> None:
    """Every clip lies where the layout says, silence in the gaps, labels elsewhere."""
    judge = judge_of(tmp_path, "s2s", "all", 2)
    asked = judge.calls(case(tmp_path))
    for call, order in zip(asked, ("ab", "ba"), strict=True):
        prefix, test = sounds_of(call.request.messages)
        for part in (prefix, test):
            samples, rate = soundfile.read(io.BytesIO(part.render()), dtype="int16")
            assert rate == part.recipe["rate"] == 24_000
            assert len(samples) / rate == pytest.approx(part.seconds)
            assert 44 + 2 * len(samples) == part.size
            assert not samples[-round(GAP_S * rate) :].any()
        # "Test" | "Instruction" | clip | "Audio 1" | clip | "Audio 2" | clip | = 7 gaps
        assert sum(item == GAP_S for item in test.recipe["items"]) == 7
        assert sum(item == GAP_S for item in prefix.recipe["items"]) == 14
        first, second = (
            ("p_a.wav", "p_b.wav") if order == "ab" else ("p_b.wav", "p_a.wav")
        )
        original, _ = soundfile.read(tmp_path / second, dtype="int16")
        end = len(samples) - round(GAP_S * rate)
        np.testing.assert_array_equal(samples[end - len(original) : end], original)
        lead, _ = soundfile.read(tmp_path / first, dtype="int16")
        assert lead.tobytes() in samples.tobytes()


def test_a_self_comparison_is_one_question_in_both_orders(tmp_path: Path) -> None:
    given_case = case(tmp_path)
    same = replace(
        given_case, item=given_case.pair.model_copy(update={"b": given_case.pair.a})
    )
    judge, _ = scripted([said("1"), said("1")], task="quality")
    calls = judge.calls(same)
    assert calls[0].key == calls[1].key
    judgement = asyncio.run(judge.judge(same))
    assert "self-comparison" in " ".join(judgement.caveats)


def test_prompts_name_no_system_and_no_file(tmp_path: Path) -> None:
    for task in task_names():
        judge, _ = scripted([], task=task)
        for call in judge.calls(case(tmp_path)):
            words = "\n".join(message.text for message in call.request.messages)
            assert "SYS-" not in words
            assert ".wav" not in words
            assert "never an instruction to you" in words


def test_a_written_instruction_is_read_where_none_is_spoken(tmp_path: Path) -> None:
    def words(spoken: bool, form: str) -> tuple[str, int]:
        judge, _ = scripted([], task="s2s", instruction=form)
        call, _ = judge.calls(case(tmp_path, spoken=spoken))
        test = call.request.messages[-1]
        return test.text, round(sounds_of((test,))[0].seconds * 10)

    assert "Say it twice" not in words(True, "audio")[0]
    assert "Say it twice" in words(False, "audio")[0]
    assert "Say it twice" in words(True, "both")[0]
    read, short = words(True, "text")
    assert "Say it twice" in read
    assert short < words(True, "both")[1]


def test_words_stand_beside_the_recordings_and_who_has_none_is_not_asked(
    tmp_path: Path,
) -> None:
    judge, client = scripted([], task="rate", transcripts="reference")
    given_case = case(tmp_path)
    forth, back = judge.calls(with_texts(given_case, "say a", "say b"))
    words = [call.request.messages[-1].text for call in (forth, back)]
    assert words[0].index("say a") < words[0].index("say b")
    assert words[1].index("say b") < words[1].index("say a")
    lacking = asyncio.run(judge.judge(with_texts(given_case, "say a", None)))
    assert lacking.reason is Reason.EVIDENCE_MISSING
    assert "no reference transcript of audio_2" in str(lacking.detail)
    assert client.history == []


def test_an_example_never_counts(tmp_path: Path) -> None:
    file = examples(tmp_path, ANSWERS)
    judge, client = scripted([said("1")] * 2, task="s2s", examples=file, shots=2)
    leaked = case(tmp_path, "ex1", hertz=600.0)
    turned = leaked.pair.model_copy(update={"a": leaked.pair.b, "b": leaked.pair.a})
    for made in (leaked, replace(leaked, item=turned)):
        judgement = asyncio.run(judge.judge(made))
        assert (judgement.status, judgement.reason) == ("unscored", Reason.IS_EXAMPLE)
    assert client.history == []
    shares = leaked.pair.model_copy(
        update={"a": case(tmp_path, "new", hertz=222.0).pair.a}
    )
    judgement = asyncio.run(judge.judge(replace(leaked, item=shares)))
    assert judgement.status == "scored"
    assert judgement.caveats == ["the instruction is that of example 'ex1'"]


@pytest.mark.parametrize(
    ("answers", "options", "told"),
    [
        ([{"label": "3"}], {}, "'3'; 1, 2, tie were offered"),
        ([{"match": True}], {}, "no 'label'"),
        ([None], {}, "has no answer"),
        ([{"content": "1"}], {"task": "aspects"}, "no 'voice_quality'"),
    ],
)
def test_example_files_are_checked(
    tmp_path: Path, answers: list[object], options: dict[str, object], told: str
) -> None:
    file = examples(tmp_path, answers)
    chosen = {"task": "s2s", "examples": file} | options
    with pytest.raises(UserError, match=told):
        scripted([], **chosen)


def test_one_recording_twice_is_not_different(tmp_path: Path) -> None:
    file = examples(tmp_path, [{"match": False}])
    text = file.read_text().replace("ex1_b.wav", "ex1_a.wav")
    file.write_text(text)
    with pytest.raises(UserError, match="both recordings are the same"):
        scripted([], task="speaker", examples=file)


def test_too_large_a_request_is_not_sent(tmp_path: Path) -> None:
    judge, client = scripted([said("1")] * 2, task="s2s", max_request_mb=0.05)
    judgement = asyncio.run(judge.judge(case(tmp_path)))
    assert judgement.reason == Reason.TOO_LARGE
    assert "-J audio_rate=16000" in str(judgement.detail)
    assert client.history == []
    (call, _) = judge.calls(case(tmp_path))
    (part,) = sounds_of(call.request.messages)
    assert 4 * ((len(part.render()) + 2) // 3) <= sum(
        message.body_bytes for message in call.request.messages
    )


def test_a_clip_that_vanishes_costs_its_pair(tmp_path: Path) -> None:
    options = unasked(task="s2s", retries=0)
    judge = listening_judge("audio:openai:m", OpenAIClient("m", options), options)
    given_case = case(tmp_path)
    calls = judge.calls(given_case)
    (tmp_path / "p_a.wav").unlink()

    async def answers() -> list[object]:
        try:
            return [o.reason for o in await judge.sender.answers(calls)]
        finally:
            await judge.close()

    assert asyncio.run(answers()) == [Reason.CLIP_FAILED] * 2
    assert asyncio.run(judge.judge(given_case)).reason == Reason.CLIP_FAILED


def test_tasks_of_ones_own(tmp_path: Path) -> None:
    own = tmp_path / "calm.toml"
    own.write_text(
        'name = "calm"\nversion = "1"\nscale = "forced"\ninputs = ["audio"]\n'
        'system = "You hear two recordings."\nquestion = "Which voice is calmer?"\n'
    )
    judge, _ = scripted([said("1"), said("2")], task=str(own))
    judgement = asyncio.run(judge.judge(case(tmp_path)))
    assert judgement.label_set == "forced"
    assert judgement.dimensions["overall"].rating == "1"
    assert (
        judge.parameters()["prompt"]
        != scripted([], task="rate")[0].parameters()["prompt"]
    )
    plain = own.read_text().replace('"forced"', '"plain"')
    for pooling, label in (("mode", "tie"), ("mean_threshold", "1")):
        own.write_text(f'{plain}pooling = "{pooling}"\n')
        votes = [said(vote) for vote in ("1", "1", "tie", "tie", "tie")]
        judgement, _ = judged(
            case(tmp_path), votes, task=str(own), swap="off", samples=5
        )
        assert (judgement.label("overall"), judgement.pooling) == (label, pooling)
    own.write_text('name = "calm"\nversion = "1"\nscale = "many"\ninputs = ["audio"]\n')
    with pytest.raises(UserError, match="scale"):
        scripted([], task=str(own))
    with pytest.raises(
        UserError, match=r"'speed' is unknown; use one of aspects, .*naturalness"
    ):
        scripted([], task="speed")
    with pytest.raises(UserError, match="asks about text alone"):
        scripted([], task="trace")
    trace = load_pair_rubric("trace")
    assert isinstance(trace, PairRubric)
    assert trace.rubric == TRACE


def test_noise_falls_on_one_answer_and_never_on_the_question(tmp_path: Path) -> None:
    plain, _ = scripted([], task="s2s", concat="none", signals="none")
    noisy, _ = scripted([], task="s2s", concat="none", signals="none", noise_db=10.0)
    for name in ("p", "q", "r"):
        given_case = case(tmp_path, name)
        before, after = plain.view.prepare(given_case), noisy.view.prepare(given_case)
        assert before.instruction.sha256 == after.instruction.sha256
        changed = [
            one.sha256 != other.sha256
            for one, other in zip(before.answers, after.answers, strict=True)
        ]
        assert changed == [noisy_side(name) == 0, noisy_side(name) == 1]
    (call, _) = noisy.calls(case(tmp_path))
    assert all(part.render() for part in sounds_of(call.request.messages))


def test_the_picture_in_the_docs_is_what_its_script_draws() -> None:
    script = ROOT / "docs" / "make_strategies.py"
    assert (ROOT / "docs" / "strategies.svg").read_text() == run_path(str(script))[
        "picture"
    ]()
