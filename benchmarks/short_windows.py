"""How short the recogniser's windows may be: word errors and CPU by length.

    TRACE_EVAL_DATA=... python -m benchmarks.short_windows [--clips 60]

The default recogniser reads clips whose words are known, with windows cut as
``extractors.short_windows`` does it, but to other lengths, and whole ones of 30 s. The
clips: the spoken prompts; sentences of built voices alone, with numbers, with noise 10
dB under the speech, at the bandwidth of a telephone, whispered (the voice replaced by
noise of its spectrum), and two with three seconds of silence between them; and the
codec clips, of which no words are known: there whole windows count as right. Every clip
goes through every length, one after the other, so that other work on the machine costs
all of them alike.
"""

from __future__ import annotations

import io
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import jiwer
import numpy as np
import soundfile
import soxr
from whisper_normalizer.english import EnglishTextNormalizer

import extractors.short_windows as short_windows
from benchmarks.defects_voices import Floats, spoken
from benchmarks.report import (
    arguments,
    data_folder,
    lines_of,
    people_folder,
    save,
    timed,
)
from blueprints import Blueprint, Transcript
from extractors.audio import SPEECH_RATE, Clip, decode
from extractors.base import Item
from extractors.registry import create

#: Least length and margin of windows, seconds; the first is what we use, None whole
#: windows.
LENGTHS: tuple[tuple[float, float] | None, ...] = (
    (10, 5),
    (8, 4),
    (8, 3),
    (6, 3),
    None,
)

#: Sentences of each language; those in English are spoken here.
SENTENCES = Path(__file__).parents[1] / "tests" / "support" / "sentences.json"

VOICES = (
    ("flite", "slt"),
    ("flite", "rms"),
    ("espeak-ng", "en-us+m3"),
    ("flite", "awb"),
)

NUMBERS = (
    "Call me at 415 555 2671 before 10 on the 3rd of May.",
    "The total is 1,284 dollars and 50 cents, for 16 people.",
    "Flight 782 leaves at 6:45 from gate 23.",
    "In 1969 about 650 million people watched it.",
)


class Spoken(NamedTuple):
    """A clip and what is said in it; None: nobody knows."""

    kind: str
    clip: Clip
    text: str | None


def decoded(samples: Floats, rate: int) -> Clip:
    """Return samples as a clip, through 16 bits."""
    file = io.BytesIO()
    soundfile.write(
        file, samples / max(1.0, np.abs(samples).max()), rate, "PCM_16", format="WAV"
    )
    return decode(file.getvalue(), "made")


def whispered(samples: Floats, rng: np.random.Generator) -> Floats:
    """Keep the spectrum of each 20 ms and draw its phases."""
    size = 320
    padded = np.pad(samples, (size, size))
    starts = range(0, len(padded) - size, size // 2)
    window, result = np.hanning(size), np.zeros(len(padded))
    for start in starts:
        spectrum = np.abs(np.fft.rfft(padded[start : start + size] * window))
        drawn = np.exp(2j * np.pi * rng.random(len(spectrum)))
        result[start : start + size] += np.fft.irfft(spectrum * drawn) * window
    return result[size:-size]


def _said(engine: str, voice: str, words: str) -> Floats:
    """Speak words at half of full scale."""
    samples, rate = spoken(engine, voice, words)
    return np.asarray(
        soxr.resample(samples / np.abs(samples).max() / 2, rate, SPEECH_RATE)
    )


def built(count: int) -> Iterator[Spoken]:
    """Yield sentences of built voices in each kind of sound."""
    texts = json.loads(SENTENCES.read_text())["en"]["texts"]
    rng = np.random.default_rng(0)
    for number in range(count):
        text = texts[number % len(texts)]
        numbers = NUMBERS[number % len(NUMBERS)]
        engine, voice = VOICES[number % len(VOICES)]
        sound, digits = (_said(engine, voice, words) for words in (text, numbers))
        noise = rng.standard_normal(len(sound)) * np.sqrt(np.mean(sound**2) / 10)
        narrow = soxr.resample(sound, SPEECH_RATE, 8000)
        both = np.concatenate([sound, np.zeros(3 * SPEECH_RATE), digits])
        yield Spoken("clean", decoded(sound, SPEECH_RATE), text)
        yield Spoken("numbers", decoded(digits, SPEECH_RATE), numbers)
        yield Spoken("noise, 10 dB", decoded(sound + noise, SPEECH_RATE), text)
        yield Spoken("telephone", decoded(narrow, 8000), text)
        yield Spoken("whisper", decoded(whispered(sound, rng), SPEECH_RATE), text)
        yield Spoken("long pause", decoded(both, SPEECH_RATE), f"{text} {numbers}")


def recorded(count: int) -> Iterator[Spoken]:
    """Yield the spoken prompts, and codec clips."""
    folder = data_folder() / "prompts"
    for line in (folder / "texts.jsonl").read_text().splitlines():
        entry = json.loads(line)
        yield Spoken("prompts", decode(folder / entry["audio"]), entry["text"])
    for path in sorted((people_folder() / "codecs" / "audio").iterdir())[:count]:
        yield Spoken("codecs", decode(path), None)


def words_of(item: Item, length: tuple[float, float] | None) -> tuple[str, float]:
    """Return what is recognised with windows of a length, and its CPU seconds."""
    recogniser: Any = create("faster-whisper:tiny.en")
    if length is None:
        recogniser = replace(recogniser, short_windows=False)
    else:
        short_windows.MIN_WINDOW_S, short_windows.MARGIN_S = length
    value, seconds = timed(lambda: recogniser.extract_batch([item])[0])
    return (value.text if isinstance(value, Transcript) else ""), seconds


def main() -> None:
    """Measure, print, save."""
    count = arguments(
        __doc__, clips=(24, "codec clips, and six times as many sentences")
    ).clips
    plain, detector = EnglishTextNormalizer(), create("signal")
    errors: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    cpu: dict[str, float] = defaultdict(float)
    for number, one in enumerate((*recorded(count), *built(count))):
        known = Blueprint(clip=one.clip.sha256)
        [signal] = detector.extract_batch([Item(one.clip, known)])
        item = Item(one.clip, known.with_group("signal", signal, detector.provenance()))
        if not number:
            words_of(item, None)  # loads
        heard = {length: words_of(item, length) for length in LENGTHS}
        truth = plain(one.text or heard[None][0])
        errors[one.kind]["words"] += len(truth.split())
        for length, (text, seconds) in heard.items():
            name = "whole" if length is None else f"{length[0]:g} + {length[1]:g} s"
            cpu[name] += seconds
            if truth:
                result = jiwer.process_words(truth, plain(text))
                wrong = result.substitutions + result.deletions + result.insertions
                errors[one.kind][name] += wrong
    lines = [{"kind": kind, **counts} for kind, counts in errors.items()]
    total: dict[str, Any] = {"kind": "all"}
    for name in list(lines[0])[1:]:
        total[name] = sum(line[name] for line in lines)
    lines.append(total)
    lines_of(
        "word errors by windows of at least so many seconds, with so much behind", lines
    )
    lines_of("CPU s", [dict(cpu)])
    save("short_windows", {"errors": lines, "cpu_s": dict(cpu)})


if __name__ == "__main__":
    main()
