"""Small recordings on disk, pairs of them, and judges over clients of one's own."""

from __future__ import annotations

import asyncio
import base64
import io
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from tests.support.cases import blueprint
from tests.support.datasets_made import write_lines
from tests.support.llm_judges import listening_judge
from tests.support.servers import Asked
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.message import AudioPart, Message
from trace_eval.judges.ask.scripted import ScriptedClient
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.runs.pipeline import decode_recording


def write(
    path: Path, seconds: float, hertz: float, rate: int = 24_000, channels: int = 1
) -> Path:
    """Write a 16-bit tone."""
    time = np.arange(round(seconds * rate)) / rate
    tone = 0.4 * np.sin(2 * np.pi * hertz * time)
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.repeat(tone[:, None], channels, 1), rate, subtype="PCM_16")
    return path


def pair(
    folder: Path, name: str = "p", spoken: bool = True, hertz: float = 300.0
) -> Pair:
    """Return a pair of different tones; the instruction is spoken, or written."""
    asked = Instruction(text="Say it twice.")
    if spoken:
        clip = write(folder / f"{name}_i.wav", 0.3, hertz, 16_000)
        asked = Instruction(audio=clip, text="Say it twice.")
    return Pair(
        id=name,
        instruction=asked,
        a=Answer(
            audio=write(folder / f"{name}_a.wav", 0.2, hertz * 1.5), system="SYS-A"
        ),
        b=Answer(
            audio=write(folder / f"{name}_b.wav", 0.25, hertz * 2), system="SYS-B"
        ),
    )


def case(
    folder: Path, name: str = "p", spoken: bool = True, hertz: float = 300.0
) -> Case:
    """Return the same pair as the judge gets it."""
    spoken_pair = pair(folder, name, spoken, hertz)
    return Case.of(
        spoken_pair,
        a=blueprint(),
        b=blueprint(clip="1" * 64),
        decode=decode_recording,
    )


def with_texts(made: Case, a: str | None = "Hi.", b: str | None = "Hi.") -> Case:
    """Add what each side should say to a case."""
    sides = {"a": (made.pair.a, a), "b": (made.pair.b, b)}
    update = {
        side: answer.model_copy(update={"reference": text})
        for side, (answer, text) in sides.items()
    }
    return replace(made, item=made.pair.model_copy(update=update))


def sounds_of(messages: Iterable[Message]) -> list[AudioPart]:
    """Return the recordings of a call, in their order."""
    return [
        p for message in messages for p in message.parts if isinstance(p, AudioPart)
    ]


def placed(record: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Give a record of a pair in that folder its recordings by whole paths."""
    sides = {role: dict(record[role]) for role in ("instruction", "a", "b")}
    for side in sides.values():
        if "audio" in side:
            side["audio"] = str(folder / side["audio"])
    return record | sides


def heard(asked: Asked) -> list[tuple[np.ndarray[Any, Any], int]]:
    """Decode the (samples, rate) that a server was sent, as the API documents them."""
    received = []
    for message in asked.body["messages"]:
        parts = [] if isinstance(message["content"], str) else message["content"]
        for part in parts:
            if part["type"] == "text":
                assert set(part) == {"type", "text"}
                continue
            assert (message["role"], part["type"]) == ("user", "input_audio")
            assert set(part["input_audio"]) == {"data", "format"}
            assert part["input_audio"]["format"] in ("wav", "mp3")
            data = base64.b64decode(part["input_audio"]["data"], validate=True)
            received.append(soundfile.read(io.BytesIO(data)))
    return received


def examples(folder: Path, answers: list[Any], spoken: bool = True) -> Path:
    """Write a file with one example for each answer."""
    records = []
    for number, answer in enumerate(answers, start=1):
        spoken_pair = pair(folder, f"ex{number}", spoken, 500.0 + 100 * number)
        record = json.loads(
            spoken_pair.model_dump_json(exclude_none=True, exclude={"a": {"system"}})
        )
        record["b"].pop("system")
        records.append({**record, "answer": answer})
    return write_lines(folder / "examples.jsonl", records)


def scripted(replies: list[Any], **options: Any) -> tuple[LLMJudge, ScriptedClient]:
    """Make a judge whose replies are known."""
    client = ScriptedClient(replies)
    return listening_judge(
        "audio:scripted:test", client, JudgeOptions(**options)
    ), client


def judged(
    made: Case, replies: list[Any], **options: Any
) -> tuple[Judgement, ScriptedClient]:
    """Return what such a judge says of a case, and the client that it asked."""
    judge, client = scripted(replies, **options)
    return asyncio.run(judge.judge(made)), client


def said(label: object, reasoning: str = "because", key: str = "label") -> str:
    """Write a reply."""
    return json.dumps({"reasoning": reasoning, key: label})
