"""What a listening judge must not be believed, and what ``doctor`` says of its ears."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from tests.support.audio_cases import case, heard, said, scripted, with_texts
from tests.support.cli import trace_eval
from tests.support.rated_sound import case as rated_case
from tests.support.rated_sound import clip, rater
from tests.support.servers import Answer, Asked, Server, completion
from trace_eval.data.items import Single
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.hearing import check_hearing
from trace_eval.judges.registry.create import Check
from trace_eval.judges.registry.doctor import doctor

ADMITTED = (
    "I could not hear any audio.",
    "I cannot listen to the audio files, so I guess.",
    "I\u2019m unable to access the recordings.",
    "No audio was provided.",
    "As a text-based model, I can't hear what you sent.",
    "The recordings could not be played.",
    "I don't have the ability to listen to sound.",
    "Without access to the audio, a tie is my best guess.",
    "There was no audio to listen to.",
    "I heard nothing at all.",
    "I only have the text of the request.",
)
FINDINGS = (
    "I could not hear any audio artifacts in either of them.",
    "I cannot hear any difference between the two.",
    "I could not hear any audio in the second recording.",
    'The first answer says "I cannot hear any audio".',
    "Audio 1 claims that no audio was provided.",
    "The assistant explains that as a language model it cannot hear.",
    "The voice could not be heard over the noise.",
    "I did not hear the sound of rain that was asked for.",
    "I could hear both recordings clearly.",
)


@pytest.mark.parametrize("words", ADMITTED)
def test_a_verdict_of_a_judge_that_heard_nothing_does_not_count(words: str) -> None:
    for reply in (words, f"{said('1')}\n{words}", said("1", f"Hm. {words}")):
        with pytest.raises(ReplyError) as caught:
            check_hearing(reply)
        assert caught.value.reason is Reason.NOT_HEARD


@pytest.mark.parametrize("words", FINDINGS)
def test_findings_about_the_recordings_count(words: str) -> None:
    check_hearing(words)
    check_hearing(said("1", words))


def test_deafness_is_final_in_every_kind_of_judge(tmp_path: Path) -> None:
    reply = (
        '{"reasoning": "x", "overall": "x", "score_1": 7, "score_2": 3, "label": "1",'
        ' "score": 4}'
    )
    deaf = f"{reply} Please note: I could not hear any audio."
    for task in ("s2s", "naturalness"):
        judge, _ = scripted(
            [deaf] * 2, task=task
        )  # a second chance would ask for a third reply
        judgement = asyncio.run(judge.judge(with_texts(case(tmp_path))))
        assert (judgement.status, judgement.reason) == ("unscored", Reason.NOT_HEARD)
        assert judgement.dimensions == {}
    judge, _ = rater("quality", [deaf])
    score = asyncio.run(judge.judge(rated_case(clip(tmp_path))))
    assert (score.status, score.reason) == ("unscored", Reason.NOT_HEARD)


# --- clips ----------------------------------------------------------------------------


def recording(path: Path, seconds: float, level: float = 0.3) -> Path:
    noise = np.random.default_rng(0).uniform(-level, level, round(8000 * seconds))
    soundfile.write(path, noise, 8000, subtype="PCM_16")
    return path


@pytest.mark.parametrize(
    ("seconds", "level", "reason", "told"),
    [
        (1.0, 0.0, Reason.SILENT, "is silent"),
        (1.0, 0.0005, Reason.SILENT, "no sample is over -60 dBFS"),
        (0.01, 0.3, Reason.CLIP_FAILED, "0.010 s, at least 0.1 s"),
        (301.0, 0.3, Reason.CLIP_FAILED, "301.00 s, the limit is 300 s"),
    ],
)
@pytest.mark.parametrize(
    "options",
    [{"task": "s2s", "concat": "none", "signals": "none"}, {"task": "naturalness"}],
    ids=lambda options: options["task"],
)
def test_what_nobody_hears_is_not_sent(
    tmp_path: Path,
    seconds: float,
    level: float,
    reason: Reason,
    told: str,
    options: dict[str, Any],
) -> None:
    judge, client = scripted([], **options)
    bad = recording(tmp_path / "bad.wav", seconds, level)
    for side in "ab":
        with_words = with_texts(case(tmp_path))
        heard = getattr(with_words.pair, side).model_copy(update={"audio": bad})
        given = replace(
            with_words, item=with_words.pair.model_copy(update={side: heard})
        )
        verdict = asyncio.run(judge.judge(given))
        assert (verdict.status, verdict.reason) == ("unscored", reason)
        assert f"answer {side.upper()}" in str(verdict.detail)
        assert told in str(verdict.detail)
    assert client.history == []


def test_the_limit_of_length_is_an_option_of_all_that_listen(tmp_path: Path) -> None:
    one_case = case(tmp_path)  # answers of 0.2 and 0.25 s
    for options in ({"task": "s2s"}, {"task": "naturalness"}):
        judge, _ = scripted([], max_clip_seconds=0.22, instruction="text", **options)
        told = str(asyncio.run(judge.judge(with_texts(one_case))).detail)
        assert "answer B has 0.25 s, the limit is 0.22 s" in told
        assert "max_clip_seconds" in judge.uses
    judge, _ = rater("quality", [], max_clip_seconds=0.22)
    short = recording(tmp_path / "t.wav", 0.01)
    for audio, told in (
        (one_case.pair.b.audio, "0.25 s, the limit is 0.22 s"),
        (short, "at least"),
    ):
        score = asyncio.run(
            judge.judge(rated_case(Single(id="s", answer={"audio": audio})))
        )
        assert (score.status, told in str(score.detail)) == ("unscored", True)


# --- doctor ---------------------------------------------------------------------------


@pytest.mark.parametrize("hears", [True, False])
def test_doctor_says_whether_a_model_hears_that_counts_no_sound(hears: bool) -> None:
    from trace_eval.judges.views.sound.signals import load_signals

    spoken = {
        len(signal.read().mono): name.removeprefix("example_")
        for name, signal in load_signals("spoken").items()
        if name.startswith("example_")
    }

    def answer(asked: Asked) -> Answer:
        words = json.dumps(asked.body["messages"][-1]["content"])
        if "number is spoken" not in words:
            return Answer(body=completion('{"rating": "both_good"}'))
        number = spoken[len(heard(asked)[0][0])] if hears else "3"
        return Answer(
            body=completion(json.dumps({"reasoning": "heard", "score": int(number)}))
        )

    with Server(answer) as server:
        options = JudgeOptions(base_url=f"{server.url}/v1", retries=0, seed=1)
        checks = {c.name: c for c in asyncio.run(doctor("audio:openai:m", options))}
    assert checks["hearing"].ok is hears
    assert "sound is not counted" in checks["hearing"].detail
    assert ("does not hear" in checks["hearing"].detail) is not hears


def is_voice(samples: np.ndarray[Any, Any]) -> bool:
    """Speech changes its level; a tone, noise and silence do not, or in one step."""
    frames = samples[: len(samples) // 1200 * 1200].reshape(-1, 1200)
    level = np.sqrt((frames**2).mean(1))
    return bool(level.max() > 0.01 and np.median(np.abs(np.diff(level))) > 0.004)


def listening(asked: Asked) -> Answer:
    """Answer as a model that hears like a person."""
    if asked.path.startswith("/v1/models"):
        return Answer(
            body={"id": "m", "object": "model", "shutdown_date": "2027-01-20"}
        )
    sounds = [samples for samples, _ in heard(asked)]
    words = str(asked.body["messages"][-1]["content"])
    if "match" in words:
        reply = said(is_voice(sounds[0]), key="match")
    elif "label" in words:
        same = np.array_equal(*sounds)
        reply = said("tie" if same else "1" if is_voice(sounds[0]) else "2")
    else:
        reply = '{"rating": "both_good"}'
    body = completion(reply)
    tokens = round(sum(map(len, sounds)) / 2400)
    body["usage"]["prompt_tokens_details"] = {"audio_tokens": tokens}
    return Answer(body=body)


def guessing(asked: Asked) -> Answer:
    """Answer as a model that hears a voice in everything and likes the first place."""
    if asked.path.startswith("/v1/models"):
        return Answer(404, {"error": {"message": "no list"}})
    words = str(asked.body["messages"][-1]["content"])
    return Answer(
        body=completion(said(True, key="match") if "match" in words else said("1"))
    )


def probed(server: Server) -> dict[str, Check]:
    options = JudgeOptions(base_url=f"{server.url}/v1", retries=0)
    report = asyncio.run(doctor("audio:openai:m", options, probe=True))
    return {check.name: check for check in report}


def test_a_model_that_hears() -> None:
    with Server(listening) as server:
        report = probed(server)
    names = ("voice in silence", "voice in a tone", "voice in speech", "one clip twice")
    assert all(report[name].ok for name in (*names, "both orders", "audio tokens")), (
        report
    )
    assert "2027-01-20" in report["end of the model"].detail
    # every call holds sound: models that listen refuse text alone
    assert all(heard(asked) for asked in server.asked if asked.method == "POST")


def test_a_model_that_guesses() -> None:
    with Server(guessing) as server:
        report = probed(server)
    wrong = {name for name, check in report.items() if not check.ok}
    assert {
        "voice in silence",
        "voice in a tone",
        "one clip twice",
        "both orders",
    } <= wrong
    assert report["voice in speech"].ok
    assert "not counted apart" in report["audio tokens"].detail


@pytest.mark.slow
def test_the_command_probes_a_real_server(ears: str, tmp_path: Path) -> None:
    server = ["--judge", "audio:openai:tiny", "--base-url", f"{ears}/v1"]
    done = trace_eval("doctor", *server, "--probe", cwd=tmp_path)
    # random weights hear nothing: what counts is that every question was asked and
    # answered
    for name in ("voice in silence", "one clip twice", "both orders"):
        assert name in done.out
    assert "Traceback" not in done.err
    text = trace_eval(
        "doctor", "--judge", "openai:tiny", "--base-url", f"{ears}/v1", "--probe"
    )
    assert "does not listen" in text.out
