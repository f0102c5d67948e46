"""Sound that is hard to hear, made here: whispered, sung and noisy speech, music, silence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import soundfile
from scipy.signal import lfilter

from extractors.audio import SPEECH_RATE, Samples, decode

#: Coefficients and step of the predictor of whispers: of the vocal tract's shape, 20 ms apart.
_ORDER, _FRAME = 18, 320

#: Notes of a tune, semitones over A3, and how much longer singing lasts than speech.
_TUNE, _LONGER = (0, 2, 4, 5, 7, 5, 4, 2, 0, -3), 1.7

#: Speech over noise, dB.
SNR_DB = 0.0


def whispered(speech: Samples, seed: int) -> Samples:
    """Speech whose voice is replaced by noise, through the same vocal tract."""
    noise = np.random.default_rng(seed).standard_normal(len(speech))
    window, said = np.hanning(2 * _FRAME), np.zeros(len(speech))
    for start in range(0, len(speech) - 2 * _FRAME, _FRAME):
        part = speech[start : start + 2 * _FRAME] * window
        lags = np.correlate(part, part, "full")[2 * _FRAME - 1 :][: _ORDER + 1]
        lags[0] = lags[0] * 1.0001 + 1e-9
        table = lags[np.abs(np.subtract.outer(range(_ORDER), range(_ORDER)))]
        filters = np.linalg.solve(table, lags[1:])
        left = max(float(lags[0] - filters @ lags[1:]), 0.0) / (2 * _FRAME)
        own = noise[start : start + 2 * _FRAME] * np.sqrt(left)
        said[start : start + 2 * _FRAME] += lfilter([1.0], [1.0, *-filters], own) * window
    return _level(said)


def sung(speech: Samples, seed: int) -> Samples:
    """Speech drawn out, each note of a tune held for 0.6 s (Praat's overlap-add)."""
    import parselmouth
    from parselmouth.praat import call

    sound = parselmouth.Sound(speech.astype(np.float64), SPEECH_RATE)
    change = call(sound, "To Manipulation", 0.01, 75, 500)
    pitch = call("Create PitchTier", "tune", 0, sound.duration)
    steps = np.arange(0, sound.duration, 0.6 / _LONGER)
    for number, at in enumerate(steps):
        hertz = 220 * 2 ** (_TUNE[(number + seed) % len(_TUNE)] / 12)
        for edge in (at, min(at + 0.55 / _LONGER, sound.duration)):
            call(pitch, "Add point", float(edge), hertz)
    call([change, pitch], "Replace pitch tier")
    times = call("Create DurationTier", "longer", 0, sound.duration)
    call(times, "Add point", 0, _LONGER)
    call([change, times], "Replace duration tier")
    return _level(call(change, "Get resynthesis (overlap-add)").values[0])


def noisy(speech: Samples, seed: int) -> Samples:
    """Speech in pink noise of :data:`SNR_DB`."""
    noise = _pink(len(speech), seed)
    gain = np.std(speech) / np.std(noise) / 10 ** (SNR_DB / 20)
    return _level(speech + gain * noise)


def music(seed: int, seconds: float = 12.0) -> Samples:
    """Four chords, a tune and a beat."""
    drawn, time = np.random.default_rng(seed), np.arange(int(seconds * SPEECH_RATE)) / SPEECH_RATE
    played = np.zeros(len(time))
    for beat, start in enumerate(np.arange(0, seconds, 0.5)):
        chord = (0, 7, 9, 5)[beat // 4 % 4]
        notes = [chord - 12, chord, chord + 4, chord + 7, chord + 12 + int(drawn.integers(0, 9))]
        after = np.clip(time - start, 0, None) * (time >= start)
        fading = np.exp(-4 * after) * (time >= start)
        for note in notes:
            hertz = 220 * 2 ** (note / 12)
            played += fading * sum(np.sin(2 * np.pi * hertz * k * after) / k**2 for k in (1, 2, 3))
        played += 2 * np.exp(-60 * after) * (time >= start) * drawn.standard_normal(len(time))
    return _level(played)


def silence(seed: int, seconds: float = 8.0) -> Samples:
    """Nothing, hum, hiss and a room, in turn."""
    size = int(seconds * SPEECH_RATE)
    hum = np.sin(2 * np.pi * 50 * np.arange(size) / SPEECH_RATE)
    hiss = np.random.default_rng(seed).standard_normal(size)
    kinds = (np.zeros(size), 0.01 * hum, 0.01 * hiss, 0.02 * _pink(size, seed))
    return np.asarray(kinds[seed % 4], np.float32)


def _pink(size: int, seed: int) -> Samples:
    """Noise of equal power per octave, of variance 1."""
    spectrum = np.fft.rfft(np.random.default_rng(seed).standard_normal(size))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    noise = np.fft.irfft(spectrum, size)
    return np.asarray(noise / np.std(noise), np.float32)


def _level(sound: Samples) -> Samples:
    return np.asarray(0.5 * sound / max(1e-9, float(np.abs(sound).max())), np.float32)


#: Kinds that are made of speech, and those that are made of nothing.
OF_SPEECH: dict[str, Callable[[Samples, int], Samples]] = {
    "whispered": whispered,
    "sung": sung,
    "noisy": noisy,
}
OF_NOTHING: dict[str, Callable[[int], Samples]] = {"music": music, "silence": silence}


def made(
    kind: str, folder: Path, said: list[tuple[Path, dict[str, str]]]
) -> Iterator[dict[str, str]]:
    """Clips of a kind, in a folder: of speech with the words and language of its source.

    Args:
        kind: of :data:`OF_SPEECH` or :data:`OF_NOTHING`.
        folder: where they are written.
        said: recordings, with their ``text`` and ``language``.
    """
    if kind in OF_NOTHING:
        for seed in range(8):
            name = f"{kind}-{seed}.wav"
            soundfile.write(folder / name, OF_NOTHING[kind](seed), SPEECH_RATE)
            yield {"audio": name, "text": "", "language": "en"}
        return
    for seed, (path, line) in enumerate(said):
        name = f"{kind}-{seed}.wav"
        soundfile.write(folder / name, OF_SPEECH[kind](decode(path).speech, seed), SPEECH_RATE)
        yield {**line, "audio": name}
