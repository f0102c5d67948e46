"""A cut recording, or one of a whole session, is not the answer: all verdicts tell."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from blueprints import Word
from tests.support import blueprints as make
from tests.support.cli import ROOT, trace_eval
from tests.support.encoded import encoded
from tests.support.speech import say
from trace_eval.data.measures.whole import request_in
from trace_eval.runs.run import Run

CLIPS = ROOT / "examples" / "clips"
QUESTION = "What is the capital of France, and which river runs through it?"
ANSWER = "It is Paris, and the river is called the Seine."
MAN, WOMAN = ("English (America)", "Male1"), ("English (America)", "Female1")


def _judged(folder: Path, *sides: Path) -> Any:
    """Return the outcome of one pair by rules, and all that the command prints."""
    a, b = (
        {"audio": side.name, "system": name}
        for side, name in zip(sides, "xy", strict=True)
    )
    record = {"id": "1", "instruction": QUESTION, "a": a, "b": b}
    (folder / "pairs.jsonl").write_text(json.dumps(record))
    shutil.rmtree(folder / "run", ignore_errors=True)
    command = ("judge", folder / "pairs.jsonl", "--out", folder / "run", "--workers", 0)
    done = trace_eval(*command)
    (outcome,) = Run(folder / "run").judgements().values()
    return outcome, done.out + done.err


def _speech(words: str, voice: tuple[str, str], gain: float = 0.3) -> Any:
    clip = say(words, *voice)
    return clip.rate, gain * clip.mono / np.abs(clip.mono).max()


_CUT = {
    "WAV/PCM_16": "its header counts",
    "WAV/ULAW": "its header counts",
    "AIFF/PCM_16": "its header counts",
    "W64/PCM_16": "its header counts",
    "FLAC": "its header counts",
    "OGG/VORBIS": "it ends within a page",
    "OGG/OPUS": "it ends within a page",
    "MP3": "its first frame counts",
    "webm:libopus": "its header counts",
}


@pytest.mark.parametrize("kind", _CUT)
def test_a_file_that_lacks_its_end_is_no_answer(kind: str, tmp_path: Path) -> None:
    side = list(_CUT).index(kind) % 2
    suffix = re.split("[/:]", kind)[0].lower()
    whole = encoded(kind, 3.0)
    cut, other = tmp_path / f"cut.{suffix}", tmp_path / "other.ogg"
    cut.write_bytes(whole[: 6 * len(whole) // 10])
    shutil.copy(CLIPS / "loud-a.ogg", other)
    sides = (cut, other) if side == 0 else (other, cut)
    outcome, printed = _judged(tmp_path, *sides)
    assert (outcome.status, outcome.reason) == ("unscored", "not_the_answer")
    assert _CUT[kind] in outcome.detail
    assert outcome.detail.startswith(f"{'AB'[side]} lacks the end of its file: ")
    assert "the files of 1 of 2 clips lack their end" in " ".join(printed.split())
    found = [one.signal.cut for one in Run(tmp_path / "run").blueprints()]
    assert sorted(text is not None for text in found) == [False, True]
    report = tmp_path / "report.html"
    trace_eval("report", tmp_path / "run", "--out", report, ends=0)
    assert _CUT[kind] in report.read_text()


@pytest.mark.parametrize("kind", [*_CUT, "ipod:aac", "matroska:libopus", "CAF/PCM_16"])
def test_whole_files_lack_no_end(kind: str) -> None:
    from extractors.audio import decode

    assert decode(encoded(kind, 3.0)).cut is None
    assert decode(encoded(kind, 1.0) + encoded(kind, 0.7)).cut is None


@pytest.mark.parametrize(
    "size", [0xFFFFFFFF, 0x7FFFFFFF, 0x7FFFF000, 0xFFFFFFFF - 44, 0]
)
def test_sizes_of_programs_that_cannot_know_them_are_no_finding(size: int) -> None:
    from extractors.audio import decode

    data = bytearray(encoded("WAV/PCM_16", 1.0))
    data[40:44] = size.to_bytes(4, "little")
    assert decode(bytes(data)).cut is None
    assert decode(bytes(data)).seconds == 1.0


def test_the_remedy_for_a_cut_file_makes_an_answer_of_it(tmp_path: Path) -> None:
    path = tmp_path / "cut.wav"
    rate, wave = _speech(ANSWER, MAN)
    soundfile.write(path, wave, rate)
    path.write_bytes(path.read_bytes()[:-60_000])
    shutil.copy(CLIPS / "loud-a.ogg", tmp_path / "other.ogg")
    outcome, _ = _judged(tmp_path, path, tmp_path / "other.ogg")
    mended = tmp_path / "mended.wav"
    _follow(outcome.detail, path, mended)
    outcome, _ = _judged(tmp_path, mended, tmp_path / "other.ogg")
    assert outcome.status == "scored"


def _follow(detail: str, source: Path, made: Path) -> None:
    """Run the command that a message prints."""
    command = re.search(r"ffmpeg .*?OUT\.wav", detail)
    assert command, detail
    line = command[0].replace("IN", str(source)).replace("OUT.wav", str(made))
    subprocess.run(
        line.replace("ffmpeg", "ffmpeg -loglevel error", 1), shell=True, check=True
    )


def _session(kind: str) -> tuple[int, Any]:
    rate, asked = _speech(QUESTION, MAN)
    _, said = _speech(ANSWER, WOMAN)
    pause = np.zeros(rate // 2)
    first = np.concatenate([asked, pause, 0 * said])
    second = np.concatenate([0 * asked, pause, said])
    if kind == "mono":
        return rate, first + second
    return rate, np.stack(
        [first, second] if kind == "left" else [second, first], axis=1
    )


@pytest.mark.parametrize("kind", ["mono", "left", "right"])
def test_a_recording_of_question_and_answer_is_no_answer(
    kind: str, tmp_path: Path
) -> None:
    """And the printed command cuts the answer out of it, which is judged."""
    rate, wave = _session(kind)
    session, answer, mended = (
        tmp_path / f"{name}.wav" for name in ("session", "answer", "cut")
    )
    soundfile.write(session, wave, rate)
    soundfile.write(answer, _speech(ANSWER, WOMAN)[1], rate)
    outcome, printed = _judged(tmp_path, session, answer)
    assert (outcome.status, outcome.reason) == ("unscored", "not_the_answer")
    assert "A is a recording of the whole session" in outcome.detail
    assert "whole session" in printed
    _follow(outcome.detail, session, mended)
    assert soundfile.info(mended).duration == pytest.approx(
        len(wave) / rate / 2, rel=0.35
    )
    outcome, _ = _judged(tmp_path, mended, answer)
    assert outcome.status == "scored"


def test_the_sound_of_a_spoken_request_is_known_in_a_session(tmp_path: Path) -> None:
    """By its course of pitch, though the voice of the answer is like it."""
    rate, asked = _speech(QUESTION, MAN)
    _, said = _speech(ANSWER, MAN)
    session, answer, question = (tmp_path / f"{one}.wav" for one in ("s", "a", "q"))
    soundfile.write(session, np.concatenate([asked, np.zeros(rate // 2), said]), rate)
    soundfile.write(answer, said, rate)
    soundfile.write(question, asked, rate)
    record = {
        "id": "1",
        "instruction": {"audio": question.name},
        "a": {"audio": session.name, "system": "x"},
        "b": {"audio": answer.name, "system": "y"},
    }
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps(record))
    trace_eval("judge", pairs, "--out", tmp_path / "run")
    (outcome,) = Run(tmp_path / "run").judgements().values()
    assert outcome.reason == "not_the_answer"
    assert "it is the recording of the request" in outcome.detail


@pytest.mark.parametrize("voice", [MAN, WOMAN])
@pytest.mark.parametrize("channels", [1, 2])
def test_an_answer_that_repeats_the_request_is_judged(
    voice: tuple[str, str], channels: int, tmp_path: Path
) -> None:
    rate, repeated = _speech(QUESTION, voice)
    _, said = _speech(ANSWER, voice)
    wave = np.concatenate([repeated, np.zeros(rate // 2), said])
    one, other = tmp_path / "one.wav", tmp_path / "other.wav"
    soundfile.write(one, np.repeat(wave[:, np.newaxis], channels, axis=1), rate)
    soundfile.write(other, said, rate)
    outcome, _ = _judged(tmp_path, one, other)
    assert outcome.status == "scored"
    assert any("A begins with the request" in text for text in outcome.caveats)


def test_a_request_without_spaces_between_its_words_is_found() -> None:
    spoken = ("今天", "上海", "的", "天气", "怎么样?", "今天", "有", "小雨。")
    words = [
        Word(text=text, start_s=0.4 * n, end_s=0.4 * n + 0.3, confidence=0.9)
        for n, text in enumerate(spoken)
    ]
    heard = make.answer(transcript=make.transcript("".join(spoken), words=words))
    found = request_in(heard, "今天上海的天气怎么样？")
    assert found is not None
    assert found.end_s == pytest.approx(1.9)
    assert found.next_s == pytest.approx(2.0)
    assert request_in(heard, "明天北京会不会下雪？") is None


def test_how_many_clips_were_heard_by_one_channel_is_said(tmp_path: Path) -> None:
    rate, said = _speech(ANSWER, MAN)
    one, other = tmp_path / "one.wav", tmp_path / "other.wav"
    soundfile.write(one, np.stack([said, -said], axis=1), rate)
    soundfile.write(other, said, rate)
    outcome, printed = _judged(tmp_path, one, other)
    assert outcome.status == "scored"
    assert "1 of 2 clips was heard by one channel alone" in " ".join(printed.split())
