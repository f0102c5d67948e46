"""A cut recording, or one of a whole session, is not the answer: all verdicts tell."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from html import unescape
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
from trace_eval.data.judgement import Judgement
from trace_eval.data.measures.whole import request_in
from trace_eval.runs.run import Run

CLIPS = ROOT / "examples" / "clips"
QUESTION = "Please tell me which city people visit most often in France."
ANSWER = "That would be Paris, with a long river and many old bridges."
MAN, WOMAN = ("English (America)", "Male1"), ("English (America)", "Female1")


@dataclass(frozen=True)
class Judged:
    """A run by ``rules`` over pairs of made recordings, and what its command says."""

    folder: Path
    printed: str

    @property
    def run(self) -> Run:
        return Run(self.folder / "run")

    def outcome(self, pair: str) -> Judgement:
        return self.run.judgements()[pair]


def _judged(folder: Path, pairs: list[dict[str, Any]], cache: Path) -> Judged:
    """Judge pairs of recordings in the folder, which all answer one question."""
    records = [{"instruction": QUESTION} | pair for pair in pairs]
    manifest = folder / "pairs.jsonl"
    manifest.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    places = ("--out", folder / "run", "--cache", cache)
    done = trace_eval("judge", manifest, *places, "--workers", 0)
    return Judged(folder, " ".join((done.out + done.err).split()))


def _pair(name: str, a: str, b: str) -> dict[str, Any]:
    return {
        "id": name,
        "a": {"audio": a, "system": "x"},
        "b": {"audio": b, "system": "y"},
    }


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

_SESSIONS = ("mono", "left", "right")
_VOICES = {"man": MAN, "woman": WOMAN}
_REPEATS = [(voice, channels) for voice in _VOICES for channels in (1, 2)]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, examples_cache: Path) -> Judged:
    """Judge every faulty recording beside a sound one, all in one run."""
    folder = tmp_path_factory.mktemp("whole")
    shutil.copy(CLIPS / "loud-a.ogg", folder / "other.ogg")
    rate, said = _speech(ANSWER, WOMAN)
    soundfile.write(folder / "answer.wav", said, rate)
    pairs = _cut_pairs(folder) + _session_pairs(folder) + _repeating_pairs(folder)
    _, said = _speech(ANSWER, MAN)
    soundfile.write(folder / "opposed.wav", np.stack([said, -said], axis=1), rate)
    pairs.append(_pair("one channel", "opposed.wav", "man.wav"))
    return _judged(folder, pairs, examples_cache)


def _cut_pairs(folder: Path) -> list[dict[str, Any]]:
    """Write files of unlike lengths that lack their end, in turn as A and as B."""
    pairs = []
    for number, kind in enumerate(_CUT):
        name = f"cut-{number}.{re.split('[/:]', kind)[0].lower()}"
        whole = encoded(kind, 3.0 + number / 4, seed=number)
        (folder / name).write_bytes(whole[: 6 * len(whole) // 10])
        sides = (name, "other.ogg") if number % 2 == 0 else ("other.ogg", name)
        pairs.append(_pair(kind, *sides))
    rate, wave = _speech(ANSWER, MAN)
    path = folder / "cut.wav"
    soundfile.write(path, wave, rate)
    path.write_bytes(path.read_bytes()[:-60_000])
    pairs.append(_pair("cut", path.name, "other.ogg"))
    return pairs


def _session_pairs(folder: Path) -> list[dict[str, Any]]:
    """Write whole sessions, and one whose request is a recording, too."""
    pairs = []
    for kind in _SESSIONS:
        rate, wave = _session(kind)
        soundfile.write(folder / f"{kind}.wav", wave, rate)
        pairs.append(_pair(kind, f"{kind}.wav", "answer.wav"))
    rate, asked = _speech(QUESTION, MAN)
    _, said = _speech(ANSWER, MAN)
    session = np.concatenate([asked, np.zeros(rate // 2), said])
    soundfile.write(folder / "like.wav", session, rate)
    soundfile.write(folder / "man.wav", said, rate)
    soundfile.write(folder / "question.wav", asked, rate)
    request = {"instruction": {"audio": "question.wav"}}
    pairs.append(_pair("spoken", "like.wav", "man.wav") | request)
    return pairs


def _repeating_pairs(folder: Path) -> list[dict[str, Any]]:
    """Write answers that begin with the request, in the voice that then answers."""
    pairs = []
    for voice, channels in _REPEATS:
        rate, repeated = _speech(QUESTION, _VOICES[voice])
        _, said = _speech(ANSWER, _VOICES[voice])
        wave = np.concatenate([repeated, np.zeros(rate // 2), said])
        name = f"{voice}-{channels}.wav"
        both = np.repeat(wave[:, np.newaxis], channels, axis=1)
        soundfile.write(folder / name, both, rate)
        other = "answer.wav" if voice == "woman" else "man.wav"
        pairs.append(_pair(name, name, other))
    return pairs


@pytest.fixture(scope="module")
def page(judged: Judged) -> str:
    """Return the page of the run's report, which is searched in lower case."""
    report = judged.folder / "report.html"
    trace_eval("report", judged.folder / "run", "--out", report, ends=0)
    return unescape(report.read_text())


@pytest.mark.parametrize("kind", _CUT)
def test_a_file_that_lacks_its_end_is_no_answer(
    kind: str, judged: Judged, page: str
) -> None:
    side = list(_CUT).index(kind) % 2
    outcome = judged.outcome(kind)
    assert (outcome.status, outcome.reason) == ("unscored", "not_the_answer")
    assert _CUT[kind] in outcome.detail
    assert outcome.detail.startswith(f"{'AB'[side]} lacks the end of its file: ")
    blueprints = list(judged.run.blueprints())
    cut = [one for one in blueprints if one.signal.cut is not None]
    assert len(cut) == len(_CUT) + 1
    counted = f"the files of {len(cut)} of {len(blueprints)} clips lack their end"
    assert counted in judged.printed
    assert f"not_the_answer {outcome.detail.lower()}" in page


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


@pytest.fixture(scope="module")
def mended(judged: Judged, examples_cache: Path) -> Judged:
    """Follow the remedies that the run prints, and judge what they make, in one run."""
    folder = judged.folder / "mended"
    folder.mkdir()
    beside = dict.fromkeys(_SESSIONS, "answer.wav") | {"cut": "other.ogg"}
    pairs = []
    for name, other in beside.items():
        shutil.copy(judged.folder / other, folder / other)
        source, made = judged.folder / f"{name}.wav", folder / f"{name}.wav"
        _follow(judged.outcome(name).detail, source, made)
        pairs.append(_pair(name, made.name, other))
    return _judged(folder, pairs, examples_cache)


def test_the_remedy_for_a_cut_file_makes_an_answer_of_it(
    judged: Judged, mended: Judged
) -> None:
    assert judged.outcome("cut").reason == "not_the_answer"
    assert mended.outcome("cut").status == "scored"


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


@pytest.mark.parametrize("kind", _SESSIONS)
def test_a_recording_of_question_and_answer_is_no_answer(
    kind: str, judged: Judged, mended: Judged
) -> None:
    """And the printed command cuts the answer out of it, which is judged."""
    outcome = judged.outcome(kind)
    assert (outcome.status, outcome.reason) == ("unscored", "not_the_answer")
    assert "A is a recording of the whole session" in outcome.detail
    assert "whole session" in judged.printed
    rate, wave = _session(kind)
    assert soundfile.info(mended.folder / f"{kind}.wav").duration == pytest.approx(
        len(wave) / rate / 2, rel=0.35
    )
    assert mended.outcome(kind).status == "scored"


def test_the_sound_of_a_spoken_request_is_known_in_a_session(judged: Judged) -> None:
    """By its course of pitch, though the voice of the answer is like it."""
    outcome = judged.outcome("spoken")
    assert outcome.reason == "not_the_answer"
    assert "it is the recording of the request" in outcome.detail


@pytest.mark.parametrize(("voice", "channels"), _REPEATS)
def test_an_answer_that_repeats_the_request_is_judged(
    voice: str, channels: int, judged: Judged
) -> None:
    outcome = judged.outcome(f"{voice}-{channels}.wav")
    assert outcome.status == "scored"
    assert any("A begins with the request" in text for text in outcome.caveats)


def test_a_request_without_spaces_between_its_words_is_found() -> None:
    spoken = ("今天", "上海", "的", "天气", "怎么样?", "今天", "有", "小雨。")
    words = [
        Word(text=text, start_s=0.4 * n, end_s=0.4 * n + 0.3, confidence=0.9)
        for n, text in enumerate(spoken)
    ]
    heard = make.answer(transcript=make.transcript("".join(spoken), words=words))
    stretch = request_in(heard, "今天上海的天气怎么样？")
    assert stretch is not None
    assert stretch.end_s == pytest.approx(1.9)
    assert stretch.next_s == pytest.approx(2.0)
    assert request_in(heard, "明天北京会不会下雪？") is None


def test_how_many_clips_were_heard_by_one_channel_is_said(judged: Judged) -> None:
    assert judged.outcome("one channel").status == "scored"
    clips = len(list(judged.run.blueprints()))
    heard = f"1 of {clips} clips was heard by one channel alone"
    assert heard in judged.printed
