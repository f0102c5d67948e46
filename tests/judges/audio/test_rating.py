"""Rating by ear: clips and dialogues, samples and crops, typed with a real server."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path

import pytest
import soundfile

from blueprints import UserError
from tests.support.audio_cases import sounds_of
from tests.support.cli import trace_eval
from tests.support.llm_judges import unasked
from tests.support.rated_sound import case, clip, dialogue, rater, said, write_items
from trace_eval.data.items import Single
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.data.scores import Score
from trace_eval.judges.ask.message import AudioPart
from trace_eval.judges.ask.scripted import ScriptedClient
from trace_eval.judges.registry.create import create_scorers
from trace_eval.runs.run import Run


def part_of(client: ScriptedClient, call: int = 0) -> AudioPart:
    (part,) = sounds_of(client.history[call].messages)
    return part


def test_a_dialogue_is_one_part_with_two_seconds_between_turns(tmp_path: Path) -> None:
    judge, client = rater("role_style", [said(4)])
    score = asyncio.run(judge.judge(case(dialogue(tmp_path, [1.0, 2.5, 0.5]))))
    assert (score.status, score.value, score.cropped) == ("scored", 4.0, False)
    part = part_of(client)
    samples, rate = soundfile.read(io.BytesIO(part.render()), dtype="int16")
    assert (len(samples), rate) == (192_000, 24_000)
    first, _ = soundfile.read(tmp_path / "d1.wav", dtype="int16")
    assert (samples[:24_000] == first).all()
    assert not samples[24_000:72_000].any()
    words = "\n".join(message.text for message in client.history[0].messages)
    assert "turn 1: role 1" in words
    assert "bus stop" in words
    assert "SYS-X" not in words
    sent = score.opinions[0].sent
    assert (sent["parts"], sent["seconds"]) == (1, 8.0)


def test_long_dialogues_are_cropped_and_say_so(tmp_path: Path) -> None:
    judge, client = rater("role_realism", [said(1)])
    score = asyncio.run(judge.judge(case(dialogue(tmp_path, [40.0, 10.0, 30.0]))))
    assert score.cropped
    assert score.caveats == ["cropped: the judge heard the first 60 s, 24.0 s are lost"]
    assert part_of(client).seconds == 60.0
    assert part_of(client).recipe["crop"] == 60.0


def test_silence_is_not_sent(tmp_path: Path) -> None:
    audio = tmp_path / "silent.wav"
    soundfile.write(audio, [0.0] * 8000, 16_000)
    item = Single(id="s", answer={"audio": audio})
    for rubric, lowest in (("style", 1.0), ("role_realism", 0.0)):
        judge, client = rater(rubric, [])
        score = asyncio.run(judge.judge(case(item)))
        assert (score.value, score.reason, score.silent) == (
            lowest,
            Reason.SILENT,
            True,
        )
        assert client.history == []


def test_samples_have_their_own_seeds_and_one_sound(tmp_path: Path) -> None:
    replies = [said(n) for n in (5, 4, 5, 5, 4)]
    judge, client = rater("style", replies, samples=5, temperature=1.0, top_p=0.9)
    score = asyncio.run(judge.judge(case(clip(tmp_path))))
    assert score.value == pytest.approx(4.6)
    assert score.sd == pytest.approx(0.547723, abs=1e-6)
    assert [request.seed for request in client.history] == [0, 1, 2, 3, 4]
    assert {request.top_p for request in client.history} == {0.9}
    assert len({json.dumps(part_of(client, n).record()) for n in range(5)}) == 1
    keys = {call.key for call in judge.calls(case(clip(tmp_path)))}
    assert len(keys) == 5
    more, _ = rater("style", replies, samples=7, temperature=1.0, top_p=0.9)
    assert len({call.key for call in more.calls(case(clip(tmp_path)))} - keys) == 2


def test_a_recording_that_vanishes_is_no_score(tmp_path: Path) -> None:
    judge, _ = rater("style", [said(5)])
    item = clip(tmp_path)
    (tmp_path / "c.wav").unlink()
    score = asyncio.run(judge.judge(case(item)))
    assert score.status == "unscored"
    assert "no such file" in str(score.detail)


def test_rubrics_about_words_need_no_ears() -> None:
    with pytest.raises(UserError, match="is about words alone"):
        create_scorers("audio:openai:m", [load_rubric("correctness")], unasked())
    style = [load_rubric("style")]
    (made,) = create_scorers("audio:openai:m", style, unasked())
    assert made.reads == {"audio"}
    (paper,) = create_scorers("audio:openai:m", style, unasked(preset="style_paper"))
    assert (paper.parameters()["samples"], paper.parameters()["top_p"]) == (5, 0.9)


def test_rating_as_typed_against_a_server_that_hears(tmp_path: Path, ears: str) -> None:
    """The schema is obeyed in 20 of 20 calls, and a second run sends nothing."""
    items = [clip(tmp_path, f"c{n}", 1.0 + n, 250.0 + 40 * n) for n in range(3)]
    items.append(dialogue(tmp_path, [1.0, 2.5, 0.5]))
    manifest = write_items(tmp_path, *items)
    server = ["--judge", "audio:openai:tiny", "--base-url", f"{ears}/v1"]
    sampling = [
        "--samples",
        5,
        "-J",
        "temperature=1",
        "-J",
        "top_p=0.9",
        "-J",
        "max_tokens=1024",
    ]
    common = ["rate", manifest, "--rubric", "style", *server, *sampling]
    done = trace_eval(*common, "--out", tmp_path / "run", "--cache", tmp_path / "cache")
    assert done.code == 0, done.err
    run = Run(tmp_path / "run")
    scores = list(run.scores())
    assert len(scores) == 4
    opinions = [opinion for score in scores for opinion in score.opinions]
    assert len(opinions) == 20
    assert all(opinion.score in (1, 2, 3, 4, 5) for opinion in opinions)
    assert run.record().extractors == {}
    lengths = {
        s.item: s.opinions[0].sent["seconds"] for s in scores if s.opinions[0].sent
    }
    assert lengths == {"c0": 1.0, "c1": 2.0, "c2": 3.0, "d": 8.0}
    again = trace_eval(
        *common, "--out", tmp_path / "again", "--cache", tmp_path / "cache"
    )
    assert again.code == 0, again.err
    kept: list[Score] = list(Run(tmp_path / "again").scores())
    assert all(opinion.cached for score in kept for opinion in score.opinions)
