"""Remedies for judges that listen: what is sent, shown and refused, on small tones."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from blueprints import UserError
from tests.support.audio_cases import (
    case,
    examples,
    judged,
    said,
    scripted,
    sounds_of,
    with_texts,
)
from tests.support.audio_cases import write as write_tone
from tests.support.cli import code_and_words
from tests.support.llm_judges import judged as judged_one
from tests.support.openai_faults import refusal
from tests.support.prices import price_table
from tests.support.rated_sound import case as rated_case
from tests.support.rated_sound import clip, rater
from tests.support.remedy_calls.judging_replies import named_in, setting
from tests.support.servers import Answer, Asked, Server, completion
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.ask.message import AudioPart
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge

#: Replies that prefer A in both orders.
TWO = [said("1"), said("2")]


def refused_of(make: Any, *arguments: Any, **options: Any) -> str:
    """Return what a call refuses."""
    try:
        make(*arguments, **options)
    except (UserError, CallFailed) as error:
        return str(error)
    raise AssertionError("nothing was refused")


def _folder(name: str) -> Path:
    folder = Path("sound", name).absolute()
    folder.mkdir(parents=True)
    return folder


def _heard_by(server: Server, folder: Path, model: str = "m", pairs: int = 1) -> Any:
    options = JudgeOptions(
        base_url=f"{server.url}/v1", task="s2s", concat="none", retries=0, concurrency=1
    )
    judge = create_judge(f"audio:openai:{model}", options)
    return judged_one(judge, (case(folder, f"p{n}") for n in range(pairs)))[0]


def sound_that_is_not_heard() -> str:
    """Name the one model of a server that does not drop the sound."""

    def answer(asked: Asked) -> Answer:
        body = completion(said("1"))
        counted = 400 if asked.body["model"] == "listens" else 0
        body["usage"]["prompt_tokens_details"] = {"audio_tokens": counted}
        return Answer(body=body)

    folder = _folder("deaf")
    with Server(answer) as server:
        failed = _heard_by(server, folder)
        named_in(failed.detail, r"(name a model that listens)")
        assert _heard_by(server, folder, "listens").status == "scored"
        command = named_in(failed.detail, r"see trace-eval (doctor --judge)")
        typed = [*command.split(), "audio:openai:m", "--base-url", f"{server.url}/v1"]
        code, shown = code_and_words(*typed, "--probe")
        assert code == 1, shown
        assert "hear" in shown
    return str(failed.detail)


def sound_that_is_refused() -> str:
    """Ask the doctor about a model that takes no sound, then go on with another."""
    told = "This model does not support audio input."
    is_mended = False

    def answer(_: Asked) -> Answer:
        return Answer(body=completion(said("1"))) if is_mended else refusal(400, told)

    folder = _folder("refused")
    with Server(answer) as server:
        message = refused_of(_heard_by, server, folder, pairs=3)
        command = named_in(message, r"trace-eval (doctor --judge)")
        typed = [*command.split(), "audio:openai:m", "--base-url", f"{server.url}/v1"]
        code, shown = code_and_words(*typed, "--probe")
        assert (code, told in shown) == (1, True), shown
        is_mended = True
        assert _heard_by(server, folder).status == "scored"
    return message


def too_large_a_sound() -> str:
    """Set each option that the message names: each makes the request smaller."""
    folder = _folder("large")
    solved = examples(folder, [{"label": label} for label in ("1", "2", "1", "2")])
    first: dict[str, Any] = {"task": "s2s", "max_request_mb": 1.7, "examples": solved}
    made, client = judged(case(folder), TWO, **first)
    assert client.history == []
    message = str(made.detail)
    rate = named_in(message, r"-J audio_rate=(\d+)")
    has = float(named_in(message, r"would have ([\d.]+) MB"))
    more = named_in(message, r"raise -J (\w+)")
    fewer = named_in(message, r"fewer -J (\w+)")
    option, value = re.findall(r"-J (audio_format)=(\w+)", message)[0]
    assert fewer == "shots"
    alone, _ = judged(
        case(folder), [], task="s2s", max_request_mb=0.01, audio_rate=16000
    )
    assert re.findall(r"-J (\w+)", str(alone.detail)) == ["audio_format", more]
    chosen: dict[str, Any]
    for chosen in ({"audio_rate": int(rate)}, {fewer: 1}, {option: value}, {more: has}):
        sent = first | chosen
        after, client = judged(case(folder), TWO, **sent)
        assert after.status == "scored", (chosen, after.detail)
        assert len(client.history) == 2
    return message


def sound_that_was_refused_as_too_large() -> str:
    """Lower the size that may be sent: what is too large is then not sent."""
    folder = _folder("413")
    with Server(lambda _: refusal(413, "Request Entity Too Large")) as server:
        options: dict[str, Any] = {"task": "s2s", "concat": "none", "retries": 0}
        options["base_url"] = f"{server.url}/v1"
        judge = create_judge("audio:openai:m", JudgeOptions(**options))
        failed = judged_one(judge, [case(folder)])[0]
        asked = len(server.asked)
        option = named_in(failed.detail, r"lower -J (\w+)")
        lower = create_judge(
            "audio:openai:m", JudgeOptions(**setting(option, 0.01, **options))
        )
        after = judged_one(lower, [case(folder)])[0]
        assert len(server.asked) == asked, "it is not sent again"
        assert "audio_rate" in str(after.detail)
    return str(failed.detail)


def examples_of_pairs() -> str:
    """Name examples, show fewer, and give them the words that are shown."""
    folder = _folder("examples")
    few = examples(folder, [{"label": "1"}, {"label": "2"}])
    unnamed = refused_of(scripted, [], task="s2s", shots=2)
    option = named_in(unnamed, r"-J (\w+)=FILE")
    made, _ = judged(case(folder), TWO, task="s2s", shots=2, **setting(option, few))
    assert made.status == "scored"
    short = refused_of(scripted, [], task="s2s", examples=few, shots=4)
    option, value = re.findall(r"use -J (\w+)=(\d)", short)[0]
    chosen: dict[str, Any] = {"task": "s2s", "examples": few, option: int(value)}
    made, client = judged(case(folder), TWO, **chosen)
    assert made.status == "scored"
    shown = {"task": "quality", "examples": few, "transcripts": "reference"}
    given = with_texts(case(folder))
    wordless = refused_of(scripted, TWO, **shown)
    rows = [json.loads(line) for line in few.read_text().splitlines()]
    sides = re.findall(r"([ab])_(reference)", wordless)
    assert [side for side, _ in sides] == ["a", "b"]
    for row in rows:
        for side, field in sides:
            row[side][field] = "Hi."
    few.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made, client = judged(given, TWO, **shown)
    assert made.status == "scored", made.detail
    assert len(client.history) == 2
    return f"{unnamed} {short} {wordless}"


def examples_of_ratings() -> str:
    folder = _folder("rated")
    record = {"id": "e", "audio": str(write_tone(folder / "e.wav", 0.5, 500.0))}
    path = folder / "examples.jsonl"
    path.write_text(json.dumps({**record, "instruction": "x", "answer": {"score": 4}}))
    item = clip(folder)
    reply = json.dumps({"reasoning": "heard", "score": 3})
    messages = []
    for asked in ({"shots": 1}, {"concat": "none"}):
        messages.append(refused_of(rater, "style", [], **asked))
        option = named_in(messages[-1], r"-J (examples)")
        judge, _ = rater("style", [reply], **asked, **setting(option, path))
        score = asyncio.run(judge.judge(rated_case(item)))
        assert score.value == 3
    assert "or leave it out" in messages[-1]
    judge, _ = rater("style", [reply])
    assert asyncio.run(judge.judge(rated_case(item))).value == 3
    return " ".join(messages)


def texts_of_naturalness() -> str:
    """Give a text that is missing, or let the recognised one stand for it."""
    folder = _folder("natural")
    lacking = with_texts(case(folder, spoken=False), b=None)
    words = {"prosody": "calm", "overall": "calm", "score_1": 8, "score_2": 6}
    replies = [json.dumps(words)] * 2
    made, _ = judged(lacking, [], task="naturalness")
    option, value = re.findall(r"use -J (\w+)=(\w+)", str(made.detail))[0]
    after, _ = judged(lacking, replies, task="naturalness", **setting(option, value))
    given, _ = judged(with_texts(lacking), replies, task="naturalness")
    assert (after.status, given.status) == ("scored", "scored")
    joined = refused_of(scripted, [], task="naturalness", concat="pairs")
    option, value = re.findall(r"use -J (\w+)=(\w+)", joined)[0]
    chosen = {"task": "naturalness", option: value}
    assert judged(with_texts(lacking), replies, **chosen)[0].status == "scored"
    return f"{made.detail} {joined}"


def recordings_that_change_or_are_long() -> str:
    folder = _folder("changed")
    before = case(folder)
    judge, _ = scripted(TWO, task="s2s")
    calls = judge.calls(before)
    recording = Path(before.pair.a.audio)
    kept = recording.read_bytes()
    write_tone(recording, 0.4, 900.0)
    (sound,) = sounds_of(calls[0].request.messages)
    changed = refused_of(sound.render)
    recording.write_bytes(kept)  # restored
    assert sound.render()
    write_tone(recording, 0.53333, 500.0)
    long, _ = judged(before, [], task="s2s", max_clip_seconds=0.3)
    option = named_in(long.detail, r"\(-J (\w+)\)")
    enough = float(named_in(long.detail, r"has ([\d.]+) s"))
    after, _ = judged(before, TWO, task="s2s", **setting(option, enough))
    assert after.status == "scored", after.detail
    return f"{changed} {long.detail}"


def programs_that_write_mp3() -> str:
    """Send WAV where the program that writes MP3 fails or is missing."""
    folder = _folder("mp3")
    program = folder / "ffmpeg"
    program.write_text("#!/bin/sh\necho no encoder >&2\nexit 1\n")
    program.chmod(0o755)
    path = os.environ["PATH"]
    try:
        os.environ["PATH"] = str(folder.resolve())
        failed = refused_of(_sound_as(folder, audio_format="mp3").render)
        program.unlink()
        assert shutil.which("ffmpeg") is None
        missing = refused_of(_sound_as(folder, audio_format="mp3").render)
        option, value = re.findall(r"use -J (\w+)=(\w+)", failed)[0]
        assert named_in(missing, r"or use (\w+)") == value
        assert _sound_as(folder, **setting(option, value)).render().startswith(b"RIFF")
    finally:
        os.environ["PATH"] = path
    return f"{failed} {missing}"


def _sound_as(folder: Path, **options: Any) -> AudioPart:
    """Return what a judge with these options would send."""
    judge, _ = scripted([], task="s2s", **options)
    (sound,) = sounds_of(judge.calls(case(folder))[0].request.messages)
    return sound


def prices_of_sound() -> str:
    """Give the price of sound that a limit needs by a table."""
    own = price_table(Path(), input=1, output=1)
    url = "http://127.0.0.1:9/v1"
    options: dict[str, Any] = {"base_url": url, "max_cost": 1.0, "task": "s2s"}
    message = refused_of(
        create_judge, "audio:openai:m", JudgeOptions(prices=own, **options)
    )
    fields = re.findall(r"audio_\w+", message)
    folder = _folder("prices")
    table = price_table(folder, input=1, output=1, **dict.fromkeys(fields, 10))
    option = named_in(message, r"-J (\w+)=FILE")
    judge = create_judge(
        "audio:openai:m", JudgeOptions(**setting(option, table, **options))
    )
    asyncio.run(judge.close())
    return message


CALLS = (
    sound_that_is_not_heard,
    sound_that_is_refused,
    too_large_a_sound,
    sound_that_was_refused_as_too_large,
    examples_of_pairs,
    examples_of_ratings,
    texts_of_naturalness,
    recordings_that_change_or_are_long,
    programs_that_write_mp3,
    prices_of_sound,
)
