"""Clips of real, neural and built voices, in which ``defects_planted`` plants defects.

A base is one to three utterances of a voice, joined by pauses, at a random level, half
of them with pink noise 25 to 45 dB under the speech.
"""

from __future__ import annotations

import io
import subprocess
import tempfile
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import parselmouth
import soundfile
import soxr

Floats = npt.NDArray[np.float64]
Rng = np.random.Generator

#: A recording, or synthesiser, voice and text.
Utterance = Path | tuple[str, str, str]
Voices = dict[str, list[Utterance]]

TEXTS = (
    "The library opens at nine and closes at six, except on Sundays.",
    (
        "Please take the second street on the left, then walk straight ahead for ten"
        " minutes."
    ),
    (
        "I am sorry, but I could not find a flight on that day. Shall I look for"
        " another one?"
    ),
    "To make the soup, cut the onions, heat the oil, and wait until they are golden.",
    "There are three reasons for this, and the first of them is simply the price.",
    "Your appointment was moved to Thursday afternoon. Would that still work for you?",
)

#: Synthesiser and voice.
BUILT = (
    *(("espeak-ng", v) for v in ("en-us+m3", "en-gb+f2", "en-us+f4", "de+m1")),
    *(("flite", v) for v in ("slt", "rms", "awb", "kal16")),
)

#: What the channel does: format and subtype of a file, or telephone; None: nothing.
CODECS = (None, None, None, None, "MP3", "OPUS", "VORBIS", "phone")


@cache
def spoken(engine: str, voice: str, text: str) -> tuple[Floats, int]:
    """One utterance of a built voice and its rate, Hz."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "said.wav")
        option = (
            ["-v", voice, "-w"] if engine == "espeak-ng" else ["-voice", voice, "-o"]
        )
        said = [text] if engine == "espeak-ng" else ["-t", text]
        subprocess.run([engine, *option, out, *said], check=True, capture_output=True)
        samples, rate = soundfile.read(out)
    # Formant synthesis stops like a cut: the last 80 ms that sound are faded.
    end = int(np.flatnonzero(loud_frames(samples, rate, 30))[-1] + 1) * rate // 100
    fade = rate * 8 // 100
    samples[end - fade : end] *= np.cos(np.linspace(0, np.pi / 2, fade)) ** 2
    samples[end:] = 0
    return np.asarray(samples), int(rate)


@cache
def recorded(path: Path) -> tuple[Floats, int]:
    """One recorded utterance, the mean of its channels, and its rate, Hz."""
    samples, rate = soundfile.read(path, always_2d=True)
    return np.asarray(samples.mean(axis=1)), int(rate)


def voices(data: Path) -> Voices:
    """Return the utterances of each voice: real, neural and built ones."""
    results: Voices = defaultdict(list)
    for path in sorted((data / "people" / "emotion" / "audio").iterdir()):
        results[f"actor {path.name[:2]}"].append(path)
    for path in sorted((data / "people" / "delivery" / "audio").iterdir()):
        if "pitch_medium" in path.name and "x-soft" not in path.name:
            results[f"neural {path.name.split('_')[1]}"].append(path)
    results["prompts"] = [*sorted((data / "prompts").glob("*.wav"))]
    results["readers"] = [*sorted((data / "rate_pairs").glob("*/*.wav"))]
    for engine, voice in BUILT:
        results[f"{engine} {voice}"] = [(engine, voice, text) for text in TEXTS]
    return dict(results)


def held_out(data: Path) -> Voices:
    """Every second voice: those on which no limit was set."""
    return dict(list(voices(data).items())[1::2])


def base(utterances: list[Utterance], rng: Rng) -> tuple[Floats, int]:
    """One to three utterances of a voice with pauses, levelled, perhaps with noise."""
    parts: list[Floats] = []
    # None twice: that would be a loop.
    for index in rng.permutation(len(utterances))[: rng.integers(1, 4)]:
        one = utterances[index]
        samples, rate = spoken(*one) if isinstance(one, tuple) else recorded(one)
        samples = _faded(samples - samples.mean(), rate)
        parts += [samples, np.zeros(int(rate * rng.uniform(0.1, 0.6)))]
        if sum(map(len, parts)) > 8 * rate:
            break
    x = np.concatenate([np.zeros(int(rate * rng.uniform(0.05, 0.4))), *parts])
    x *= rng.uniform(0.2, 0.9) / np.abs(x).max()
    if rng.random() < 0.5:
        x = x + level(x) * 10 ** (-rng.uniform(25, 45) / 20) * _pink(len(x), rng)
    return x, rate


def _faded(x: Floats, rate: int) -> Floats:
    """Fade both ends: over 20 ms where they are quiet, else over 150 ms.

    A loud end was cut within a word.
    """
    loud = loud_frames(x, rate, 30)
    shape = np.ones(len(x))
    for end, part in ((1, loud[:3]), (-1, loud[-3:])):
        count = rate * (150 if part.any() else 20) // 1000
        shape[::end][:count] = np.sin(np.linspace(0, np.pi / 2, count)) ** 2
    return np.asarray(x * shape)


def level(x: Floats) -> float:
    """RMS of the loud half of 20 ms frames: the level of speech."""
    frames = np.sqrt((x[: len(x) // 320 * 320].reshape(-1, 320) ** 2).mean(1))
    return float(np.sqrt(np.mean(frames[frames >= np.quantile(frames, 0.5)] ** 2)))


def _pink(count: int, rng: Rng) -> Floats:
    size = (
        1 << (count - 1).bit_length()
    )  # lengths with large prime factors take ten times as long
    spectrum = np.fft.rfft(rng.standard_normal(size))
    spectrum /= np.sqrt(np.maximum(1, np.arange(len(spectrum))))
    noise = np.fft.irfft(spectrum, size)[:count]
    return np.asarray(noise / noise.std())


def coded(x: Floats, rate: int, codec: str | None) -> tuple[Floats, int]:
    """Through a codec, 16 bit otherwise."""
    x = np.clip(x, -1, 1)
    if codec is None:
        return np.round(x * 32767) / 32768, rate
    if codec == "MP3":
        return _through(x, rate, "MP3", None)[: len(x)], rate
    if codec == "VORBIS":
        return _through(x, rate, "OGG", codec), rate
    own, *form = (8000, "WAV", "ULAW") if codec == "phone" else (24000, "OGG", "OPUS")
    return soxr.resample(
        _through(soxr.resample(x, rate, own), own, *form), own, rate
    ), rate


def _through(x: Floats, rate: int, form: str, subtype: str | None) -> Floats:
    held = io.BytesIO()
    soundfile.write(held, x, rate, format=form, subtype=subtype)
    held.seek(0)
    return np.asarray(soundfile.read(held)[0])


def loud_frames(x: Floats, rate: int, below_db: float = 10.0) -> npt.NDArray[np.bool_]:
    """10 ms frames at most so far under the speech's level."""
    size = rate // 100
    frames = np.sqrt((x[: len(x) // size * size].reshape(-1, size) ** 2).mean(1))
    return np.asarray(frames > level(x) * 10 ** (-below_db / 20))


def inside(
    x: Floats, rate: int, rng: Rng, seconds: float, below_db: float = 10.0
) -> int:
    """Draw a sample from which the next seconds are loud.

    A shorter stretch is taken where none is that long.
    """
    loud = loud_frames(x, rate, below_db)
    for length in np.geomspace(seconds, 0.03, 8):
        n = max(2, round(length * 100))
        if len(loud) <= n + 20:
            continue
        run = np.convolve(loud, np.ones(n), "valid")
        starts = np.flatnonzero(run[10:-10] >= n) + 10
        if len(starts):
            return int(rng.choice(starts)) * rate // 100
    raise ValueError("nowhere loud")


def joined(parts: list[Floats], fade: int) -> Floats:
    """Parts one after the other with a crossfade of so many samples."""
    out = parts[0]
    up = np.linspace(0, 1, fade)
    for part in parts[1:]:
        middle = out[-fade:] * (1 - up) + part[:fade] * up
        out = np.concatenate([out[:-fade], middle, part[fade:]])
    return out


def voices_beside(y: Floats, rate: int, at: float) -> tuple[Floats, Floats]:
    """Return f0 without a gap before a moment, backwards, and behind it.

    Values are in Hz, every 5 ms, from 15 ms on either side.
    """
    first = max(0, round((at - 0.2) * rate))
    sound = parselmouth.Sound(y[first : first + rate * 2 // 5], rate)
    pitch = sound.to_pitch_cc(0.005, 50.0, pitch_ceiling=600.0)
    f0, when = pitch.selected_array["frequency"], pitch.xs() + first / rate
    sides = f0[when < at - 0.015][::-1], f0[when > at + 0.015]
    before, behind = (side[np.cumprod(side > 0, dtype=bool)] for side in sides)
    return before, behind
