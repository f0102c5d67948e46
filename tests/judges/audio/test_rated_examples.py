"""Solved examples of a rating: how they look, what is refused, who may not be rated."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
import soundfile

from blueprints import UserError
from tests.support.audio_cases import sounds_of, write
from tests.support.cli import trace_eval
from tests.support.datasets_made import write_lines
from tests.support.llm_judges import unasked
from tests.support.rated_sound import case, clip, dialogue, rater, said, write_items
from tests.support.servers import Answer, Asked, Server, completion
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.scores import Score
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.options.groups import Concat
from trace_eval.judges.registry.create import create_scorers
from trace_eval.runs.run import Run

#: Strategy -> audio parts of a call with two examples: joined in one, one each, or
#: alone.
PARTS: dict[Concat, int] = {"all": 2, "examples": 2, "pairs": 3, "test": 3, "none": 3}


def solved(folder: Path, *answers: Any, **more: Any) -> Path:
    """Write a file with one clip of its own for each answer."""
    records = []
    for number, answer in enumerate(answers, start=1):
        audio = write(folder / f"ex{number}.wav", 0.5 * number, 600.0 + 50 * number)
        record = {
            "id": f"ex{number}",
            "audio": str(audio),
            "instruction": f"Sound like {number}.",
        }
        records.append({**record, "answer": answer, **more})
    return write_lines(folder / "examples.jsonl", records)


def rated(judge: LLMJudge, item: Any) -> Score:
    return asyncio.run(judge.judge(case(item)))


@pytest.mark.parametrize("concat", PARTS)
def test_examples_are_a_constant_prefix(tmp_path: Path, concat: Concat) -> None:
    path = solved(tmp_path, {"score": 4, "reasoning": "warm"}, {"score": 2})
    judge, client = rater("style", [said(3)] * 2, examples=path, concat=concat)
    for name, hertz in (("c", 300.0), ("d", 400.0)):
        assert rated(judge, clip(tmp_path, name, hertz=hertz)).value == 3
    first, second = (request.messages for request in client.history)
    assert [len(sounds_of(messages)) for messages in (first, second)] == [
        PARTS[concat]
    ] * 2
    assert [m.record() for m in first[:-1]] == [m.record() for m in second[:-1]]
    for one, other in zip(sounds_of(first[:-1]), sounds_of(second[:-1]), strict=True):
        assert one.render() == other.render()
    assert first[-1].record() != second[-1].record()
    # an aggregated waveform is one turn of the user, otherwise each example is one
    turns = [message.role for message in first]
    each = 1 if PARTS[concat] == 2 else 2
    assert turns == ["system", *["user", "assistant"] * each, "user"]
    words = "\n".join(message.text for message in first)
    assert "Sound like 2." in words
    assert "Solved examples come first." in first[0].text
    if each == 2:
        assert json.loads(first[2].text) == {"reasoning": "warm", "score": 4}
        assert json.loads(first[4].text) == {"score": 2}
    else:
        assert "example 1: score 4\nexample 2: score 2" in first[1].text


def test_an_aggregated_waveform_has_the_short_gaps_of_single_answers(
    tmp_path: Path,
) -> None:
    """Label, 0.3 s, clip, 0.7 s: 2 x (0.5 x k + 1.0) s with tones between."""
    path = solved(tmp_path, {"score": 4}, {"score": 2})
    judge, client = rater("style", [said(3)] * 2, examples=path, signals="none")
    score = rated(judge, clip(tmp_path))
    joined, test = sounds_of(client.history[0].messages)
    samples, rate = soundfile.read(io.BytesIO(joined.render()), dtype="int16")
    # without signals: 0.5 s, 0.7 s of silence, 1.0 s, 0.7 s of silence
    assert (len(samples), rate) == (round(2.9 * 24_000), 24_000)
    for number, start in ((1, 0), (2, round(1.2 * 24_000))):
        own, _ = soundfile.read(tmp_path / f"ex{number}.wav", dtype="int16")
        assert (samples[start : start + len(own)] == own).all()
        assert not samples[
            start + len(own) : start + len(own) + round(0.7 * 24_000)
        ].any()
    assert test.seconds == 1.0
    # what was heard is all of it
    assert (score.opinions[0].sent["parts"], score.opinions[0].sent["seconds"]) == (
        2,
        3.9,
    )
    spoken, client = rater("style", [said(3)], examples=path, signals="tones")
    rated(spoken, clip(tmp_path))
    # tones: one beep of 0.05 s and two with 0.06 s between, 0.3 s after each
    labelled = sounds_of(client.history[0].messages)[0]
    assert labelled.seconds == pytest.approx(2.9 + 0.05 + 0.16 + 2 * 0.3)
    assert "inserted by us" in client.history[0].messages[0].text


def test_dialogues_are_examples_with_their_turns(tmp_path: Path) -> None:
    made = json.loads(
        dialogue(tmp_path, [1.0, 0.5], "ex").model_dump_json(exclude_none=True)
    )
    record = {"id": "ex", "context": "Two at a stop.", "turns": made["answer"]["turns"]}
    path = tmp_path / "examples.jsonl"
    path.write_text(json.dumps({**record, "scores": {"anna": 4, "ben": 3.5}}))
    options = {"examples": path, "signals": "none"}
    judge, client = rater("role_style", [said(3)], **options)
    rated(judge, dialogue(tmp_path, [1.0, 2.5, 0.5]))
    messages = client.history[0].messages
    # the rubric's 2 s between turns, 0.7 s after the example
    assert [part.seconds for part in sounds_of(messages)] == [
        1.0 + 2.0 + 0.5 + 0.7,
        8.0,
    ]
    words = messages[1].text
    for told in ("Two at a stop.", "turn 2: role 2", "score 3.75"):
        assert told in words
    # a mean of people has decimals: said, and a whole number is still asked for
    assert "may have decimals" in messages[0].text


def test_an_example_is_never_rated(tmp_path: Path) -> None:
    path = solved(tmp_path, {"score": 4}, {"score": 2})
    judge, client = rater("style", [said(5)], examples=path)
    item = clip(tmp_path, hertz=300.0)
    again = item.model_copy(update={"id": "same"})
    copied = tmp_path / "copy.wav"
    copied.write_bytes((tmp_path / "ex1.wav").read_bytes())
    leaked = item.answer.model_copy(update={"audio": copied})
    score = rated(judge, again.model_copy(update={"answer": leaked}))
    assert (score.status, score.reason, score.value) == (
        "unscored",
        Reason.IS_EXAMPLE,
        None,
    )
    assert "example 'ex1'" in str(score.detail)
    assert judge.calls(case(again.model_copy(update={"answer": leaked}))) == []
    assert client.history == []
    shared = item.instruction.model_copy(update={"text": "Sound like 2."})
    score = rated(judge, item.model_copy(update={"instruction": shared}))
    assert score.value == 5
    assert score.caveats == ["the instruction is that of example 'ex2'"]


@pytest.mark.parametrize(
    ("answers", "more", "options", "told"),
    [
        ([{"score": 6}], {}, {}, "score is 6; rubric style goes from 1 to 5"),
        ([{"score": True}], {}, {}, "score is True"),
        ([{"score": "4"}], {}, {}, "score is '4'"),
        ([{"scroe": 4}], {}, {}, "has no score; add e.g."),
        ([{"score": 4}], {}, {"shots": 2}, "holds 1, and 2 are to be shown"),
        ([{"score": 4}], {}, {"shots": 9}, "use 0 to 8"),
        ([{"score": 4}], {"audio": "gone.wav"}, {}, "no such file"),
        ([{"score": 4}], {"audio": None}, {}, "an answer needs 'audio'"),
        ([{"score": 4}, {"score": 2}], {"id": "e"}, {}, "give each its own"),
        ([4], {}, {}, "answer: expected an object"),
    ],
)
def test_files_are_checked(
    tmp_path: Path,
    answers: Any,
    more: dict[str, Any],
    options: dict[str, Any],
    told: str,
) -> None:
    path = solved(tmp_path, *answers, **more)
    with pytest.raises(UserError, match=r"examples|shots") as error:
        rater("style", [], examples=path, **options)
    assert told in str(error.value)


def test_more_that_is_refused(tmp_path: Path) -> None:
    record = {
        "id": "p",
        "instruction": "x",
        "a": {"audio": "a.wav"},
        "b": {"audio": "b.wav"},
    }
    path = tmp_path / "examples.jsonl"
    path.write_text(json.dumps({**record, "answer": {"score": 3}}))
    with pytest.raises(
        UserError, match="is a pair; examples of a rating are single answers"
    ):
        rater("style", [], examples=path)
    same = str(write(tmp_path / "x.wav", 0.5, 500.0))
    told = {"audio": same, "instruction": "x"}
    write_lines(path, [{"id": f"e{n}", **told, "answer": {"score": n}} for n in (1, 2)])
    with pytest.raises(UserError, match="is the recording of 'e1' with another score"):
        rater("style", [], examples=path)
    long = {"id": "e", "audio": str(write(tmp_path / "long.wav", 61.0, 500.0))}
    path.write_text(json.dumps({**long, "answer": {"score": 3}}))
    with pytest.raises(
        UserError, match=r"lasts 61\.0 s, and rubric role_style crops at 60 s"
    ):
        rater("role_style", [], examples=path)
    spoken = {
        "id": "e",
        "audio": same,
        "instruction": {"audio": same},
        "answer": {"score": 3},
    }
    path.write_text(json.dumps(spoken))
    with pytest.raises(UserError, match="its instruction is spoken only; add its text"):
        rater("style", [], examples=path)
    for options, told in (
        ({"shots": 2}, "no -J examples=FILE"),
        ({"concat": "none"}, "joined"),
    ):
        with pytest.raises(UserError, match=told):
            rater("style", [], **options)
    with pytest.raises(UserError, match="does not use examples"):
        create_scorers("openai:m", [load_rubric("style")], unasked(examples=path))


def test_scores_of_several_rubrics_are_told_apart(tmp_path: Path) -> None:
    both = [load_rubric("style"), load_rubric("role_realism_5")]
    path = solved(tmp_path, {"style": {"score": 4}, "role_realism_5": 2})
    options = unasked(examples=path)
    style, realism = create_scorers("audio:openai:m", both, options)
    assert style.parameters()["examples"] != realism.parameters()["examples"]
    solved(tmp_path, {"score": 4})
    with pytest.raises(
        UserError, match="several rubrics are rated, and its answer does not name"
    ):
        create_scorers("audio:openai:m", both, options)


def test_examples_are_part_of_the_identity_and_none_change_nothing(
    tmp_path: Path,
) -> None:
    path = solved(tmp_path, {"score": 4}, {"score": 4}, {"score": 1})
    plain, _ = rater("style", [])
    assert not {"examples", "shots", "signals", "concat"} & set(plain.parameters())
    seen = []
    for options in ({"shots": 3}, {"shots": 2}, {"shots": 3, "signals": "tones"}):
        judge, _ = rater("style", [], examples=path, **options)
        seen.append(
            {k: judge.parameters()[k] for k in ("examples", "shots", "signals")}
        )
    assert seen[0]["examples"] != seen[1]["examples"]
    assert seen[0]["signals"] != seen[2]["signals"]
    two, _ = rater("style", [], examples=path, shots=2)
    (warning,) = two.observed()["example_warnings"]  # type: ignore[misc]
    assert "all 2 that are shown say 'score 4' on score" in str(warning)
    solved(tmp_path, {"score": 3}, {"score": 4}, {"score": 1})
    changed, _ = rater("style", [], examples=path, shots=3)
    assert changed.parameters()["examples"] != seen[0]["examples"]


def test_as_typed_with_an_estimate_that_counts_them(tmp_path: Path) -> None:
    """A server gets what the estimate said: examples in every call, each time paid."""
    path = solved(tmp_path, {"score": 4}, {"score": 4})
    items = [clip(tmp_path, f"c{n}", hertz=300.0 + 50 * n) for n in range(2)]
    manifest = write_items(tmp_path, *items)
    heads = set()

    def answer(asked: Asked) -> Answer:
        heads.add(json.dumps(asked.body["messages"][:-1]))
        return Answer(body=completion(said(4)))

    with Server(answer) as server:
        typed = [
            "rate", manifest, "--rubric", "style", "--judge", "audio:openai:m",
            "--base-url", f"{server.url}/v1", "-J", f"examples={path}", "-J", "shots=2",
            "-J", "signals=none", "--samples", 2, "-J", "temperature=1",
            "--cache", tmp_path / "cache",
        ]  # fmt: skip
        estimate = trace_eval(*typed, "--estimate")
        assert estimate.code == 0, estimate.err
        assert server.asked == []
        # 2 items x 2 samples x (1.0 s + 2.9 s of examples)
        assert "in all 15.6 11.6 8" in " ".join(estimate.out.split())
        done = trace_eval(*typed, "--out", tmp_path / "run")
        assert done.code == 0, done.err
        assert "say 'score 4' on score" in " ".join(done.err.split())
        assert len(server.asked) == 4
    assert len(heads) == 1
    run = Run(tmp_path / "run")
    assert {
        s.opinions[0].sent["seconds"] for s in run.scores() if s.opinions[0].sent
    } == {3.9}
    assert run.record().judge.parameters["shots"] == 2
    other = trace_eval(
        *typed[:-2], "--cache", tmp_path / "c", "-J", "shots=1", "--out", run.folder
    )
    assert other.code != 0  # a run of two minds is refused
