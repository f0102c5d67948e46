"""Whisper's short windows against whole ones: wrong words, processor time, clips heard twice.

    TRACE_EVAL_DATA=... python -m benchmarks.short_windows                          # 5 minutes
    TRACE_EVAL_DATA=... python -m benchmarks.short_windows --windows 10+5 8+2 6+2 6+1

tiny.en, int8, one hypothesis, one thread, hears the ten spoken prompts, 24 other requests by four
voices of flite, and the prompts joined, with noise, by telephone, whispered, slowed, hurried and
sung: in whole windows, and in windows of so many seconds at least that end so many behind the
speech. Of the answers of the pairs nobody wrote the words down: there it is counted how many differ
from those of whole windows.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import numpy.typing as npt
import parselmouth
import soundfile
from jiwer import process_words
from parselmouth.praat import call, run
from scipy.signal import butter, resample_poly, sosfilt

from benchmarks.fidelity import words
from benchmarks.hearing import known
from benchmarks.report import restart_with, save, table
from blueprints import Blueprint, Transcript
from extractors import packaged
from extractors.audio import Clip, decode
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.window_checks import MARGIN_S, MIN_WINDOW_S, broken
from trace_eval.data.recordings import find_recordings
from trace_eval.extracting.workers import WorkerDevice

RATE = 16_000

Sound = npt.NDArray[np.float64]

Row = dict[str, Any]

VOICES = ("slt", "rms", "awb", "kal16")

#: At least so long, and so far beyond the speech, seconds; None: whole windows.
Window = tuple[float, float] | None

REQUESTS = (
    "Could you explain to me how a sailing boat can move against the wind?",
    "Please read the recipe slowly, because I am writing it down while you speak.",
    "What is the difference between a violin and a viola?",
    "Tell me a short story about a fox who wanted to learn how to swim.",
    "I have a headache and a sore throat; should I stay at home tomorrow?",
    "Whisper the answer, my daughter is asleep in the next room.",
    "How long does it take to walk from the station to the old bridge?",
    "Sound excited when you tell my team that we have won the contract.",
    "Why do leaves turn red and yellow in autumn, and why do some trees stay green?",
    "Give me three ideas for a birthday present for my grandfather.",
    "Can you repeat the last sentence, but this time with a friendly voice?",
    "My train was cancelled this morning, and I do not know how to get to work in time.",
    "Explain the rules of chess to a child who has never played it before.",
    "Is it better to water the garden in the morning or in the evening?",
    "Speak like a news reader and tell me what happened in the world this week.",
    "Who painted the ceiling of the chapel, and how many years did he need for it?",
    "Help me to write a polite letter to my neighbour about the noise at night.",
    "Please count from one to seven and take a breath after every number.",
    "What should I pack for a week in the mountains at the end of October?",
    "I lost my keys somewhere between the kitchen and the front door.",
    "Which languages are spoken in Switzerland, and by how many people?",
    "Say the name of the river again, I did not understand it.",
    "How do I get a coffee stain out of a white shirt without bleach?",
    "Remind me to call the dentist before lunch, and to buy bread on the way home.",
)


class Said(NamedTuple):
    """A clip, where speech is in it, and its words; None: nobody wrote them down."""

    clip: Clip
    signal: Blueprint
    text: str | None


def with_noise(decibels: float) -> Callable[[Sound], Sound]:
    """White noise so far below the speech."""

    def change(sound: Sound) -> Sound:
        noise = np.random.default_rng(7).standard_normal(len(sound))
        level = np.sqrt(np.mean(sound**2)) * 10 ** (-decibels / 20)
        return np.asarray(sound + noise * level)

    return change


def by_telephone(sound: Sound) -> Sound:
    """300 to 3,400 Hz at 8 kHz."""
    band = butter(4, (300, 3400), "bandpass", fs=RATE, output="sos")
    narrow = resample_poly(sosfilt(band, sound), 1, 2)
    return np.asarray(resample_poly(narrow, 2, 1))


def seed() -> None:
    """Praat draws where it puts the periods of unvoiced sound: always the same ones."""
    run("random_initializeWithSeedUnsafelyButPredictably: 7")


def lasting(factor: float) -> Callable[[Sound], Sound]:
    """The same pitch, so many times as long (Praat's overlap-add)."""

    def change(sound: Sound) -> Sound:
        seed()
        longer = call(parselmouth.Sound(sound, RATE), "Lengthen (overlap-add)", 75, 600, factor)
        return np.asarray(longer.values[0])

    return change


def whispered(sound: Sound) -> Sound:
    """Noise through the vocal tract of the speaker: Praat's linear prediction."""
    spoken = parselmouth.Sound(sound, RATE)
    tract = call(spoken, "To LPC (burg)", 18, 0.025, 0.005, 50)
    noise = np.random.default_rng(7).standard_normal(len(sound)) * 0.1
    breath = call([parselmouth.Sound(noise, RATE), tract], "Filter", "no")
    return np.asarray(breath.values[0])


def sung(sound: Sound) -> Sound:
    """Every 0.4 s another note, 1.3 times as long."""
    made = call(parselmouth.Sound(lasting(1.3)(sound), RATE), "To Manipulation", 0.01, 75, 600)
    melody = call("Create PitchTier", "melody", 0, len(sound) * 1.3 / RATE)
    for number in range(round(len(sound) * 1.3 / RATE / 0.4)):
        hertz = 220 * 2 ** ((0, 4, 7, 5, 2, 9)[number % 6] / 12)
        for second in (0.4 * number, 0.4 * number + 0.39):
            call(melody, "Add point", second, hertz)
    call([made, melody], "Replace pitch tier")
    seed()
    return np.asarray(call(made, "Get resynthesis (overlap-add)").values[0])


CHANGES: dict[str, Callable[[Sound], Sound]] = {
    "noise at 10 dB": with_noise(10),
    "noise at 0 dB": with_noise(0),
    "by telephone": by_telephone,
    "whispered": whispered,
    "slowed": lasting(1.4),
    "hurried": lasting(0.75),
    "sung": sung,
}


def joined(sounds: Sequence[Sound]) -> Sound:
    """One after the other, with .7 s between."""
    return np.concatenate([np.append(sound, np.zeros(RATE * 7 // 10)) for sound in sounds])


def said(path: Path, text: str) -> Said:
    """A recording of known words."""
    clip = decode(path)
    return Said(clip, known(clip), text)


def sets(data: Path, folder: Path) -> Iterator[tuple[str, list[Said]]]:
    """Name and clips of each set."""
    lines = (data / "prompts" / "texts.jsonl").read_text().splitlines()
    texts = {data / "prompts" / r["audio"]: r["text"] for r in map(json.loads, lines)}
    prompts = [said(path, text) for path, text in texts.items()]
    yield "spoken prompts", prompts
    if flite := shutil.which("flite"):
        made = []
        for voice in VOICES:
            for number, text in enumerate(REQUESTS):
                path = folder / f"{voice}-{number}.wav"
                subprocess.run([flite, "-voice", voice, "-t", text, "-o", str(path)], check=True)
                made.append(said(path, text))
        yield "requests by flite", made
    rows = []
    for number, some in enumerate((prompts[:4], prompts[4:7], prompts[7:])):
        place = folder / f"row {number}.wav"
        soundfile.write(place, joined([np.asarray(one.clip.speech) for one in some]), RATE)
        rows.append(said(place, " ".join(str(one.text) for one in some)))
    yield "prompts in a row", rows
    paths = [path for part in sorted(data.glob("*_pairs")) for path in find_recordings(part)]
    answers = {clip.sha256: clip for clip in map(decode, paths)}
    yield "answers of pairs", [Said(clip, known(clip), None) for clip in answers.values()]
    for name, change in CHANGES.items():
        changed = []
        for path, text in texts.items():
            sound = change(np.asarray(decode(path).speech, np.float64))
            place = folder / f"{name} {path.name}"
            soundfile.write(place, sound / max(1.0, np.abs(sound).max()), RATE)
            changed.append(said(place, text))
        yield name, changed


def hear(clips: Sequence[Said], window: Window) -> tuple[list[str], int, float]:
    """Words of each clip, clips heard twice, and processor seconds."""
    extractor = FasterWhisperExtractor(
        model=packaged.ENGLISH, device="cpu", beam_size=1, short_windows=window is not None
    )
    extractor.load()
    twice = 0

    def seen(*told: Any) -> str | None:
        nonlocal twice
        why = broken(*told)
        twice += why is not None
        return why

    least, margin = window or (0, 0)
    with (
        mock.patch("extractors.short_windows.MIN_WINDOW_S", least),
        mock.patch("extractors.short_windows.MARGIN_S", margin),
        mock.patch("extractors.faster_whisper.broken", seen),
    ):
        started = time.process_time()
        heard = [extractor.extract(one.clip, one.signal) for one in clips]
        took = time.process_time() - started
    found = [words(one.text) if isinstance(one, Transcript) else "" for one in heard]
    return found, twice, took


def wrong(texts: Sequence[str], found: Sequence[str]) -> int:
    """Words that are replaced, missing or too many."""
    counted = process_words(list(texts), list(found))
    return int(counted.substitutions + counted.deletions + counted.insertions)


def line(label: str, clips: Sequence[Said], windows: Sequence[tuple[float, float]]) -> Row:
    """One set in whole windows and in all others."""
    hear(clips[:1], None)
    whole, _, took = hear(clips, None)
    texts = [
        text if one.text is None else words(one.text)
        for one, text in zip(clips, whole, strict=True)
    ]
    row: Row = {
        "clips": label,
        "number": len(clips),
        "audio s": sum(one.clip.seconds for one in clips),
        "words": sum(len(text.split()) for text in texts),
        "wrong": wrong(texts, whole),
        "CPU s": took,
    }
    for window in windows:
        found, twice, took = hear(clips, window)
        of = f"{window[0]:g}+{window[1]:g}"
        row |= {
            f"wrong, {of}": wrong(texts, found),
            f"twice, {of}": twice,
            f"CPU, {of}": took / row["CPU s"],
        }
    return row


def seconds(text: str) -> tuple[float, float]:
    """``10+5`` -> (10, 5)."""
    least, _, margin = text.partition("+")
    return float(least), float(margin)


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    ours = [(MIN_WINDOW_S, MARGIN_S)]
    parser.add_argument("--windows", type=seconds, nargs="+", default=ours, metavar="LEAST+MARGIN")
    windows = parser.parse_args().windows
    data = Path(os.environ.get("TRACE_EVAL_DATA") or sys.exit("set TRACE_EVAL_DATA"))
    restart_with(WorkerDevice().environment())
    with tempfile.TemporaryDirectory() as name:
        rows = [line(label, clips, windows) for label, clips in sets(data, Path(name))]
    table("Whole and short windows", list(rows[0]), [list(row.values()) for row in rows])
    save("short_windows", {"windows": windows, "sets": rows})


if __name__ == "__main__":
    main()
