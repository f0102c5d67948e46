"""Sound without speech, as asked for by "whistle a tune", and what measures tell.

    python -m benchmarks.wordless [--clips 8] [--seed 1]

Whistles, hummed and sung tones, bursts like laughter, noise like applause and music are
made here; speech is that of built voices. Of each kind: how often speech is detected
and words are recognised, how much of it is voiced, how harmonic it is, and how often
``rules`` leaves two such answers to "Whistle a tune." unscored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import parselmouth
from parselmouth.praat import call

from benchmarks.defects_voices import TEXTS, Floats, Rng, spoken
from benchmarks.extract import extracted
from benchmarks.report import arguments, save, table_of
from blueprints import Pitch, Signal, Transcript
from tests.support.cases import judged

RATE = 16_000


def _notes(rng: Rng, low: float, high: float) -> Floats:
    """Pitch of a tune of five to nine notes with vibrato, Hz [shape=(samples,)]."""
    steps = rng.choice([0, 2, 4, 5, 7, 9, 11, 12], int(rng.integers(5, 10)))
    base = rng.uniform(low, high)
    lengths = [int(RATE * rng.uniform(0.3, 0.7)) for _ in steps]
    hz = np.repeat(base * 2 ** (steps / 12), lengths)
    hz = np.convolve(np.pad(hz, 320, "edge"), np.ones(640) / 640, "same")[320:-320]
    t = np.arange(len(hz)) / RATE
    return np.asarray(hz * 2 ** (0.3 * np.sin(2 * np.pi * 5.5 * t) / 12))


def _partials(hz: Floats, slope: float, count: int) -> Floats:
    phase = 2 * np.pi * np.cumsum(hz) / RATE
    parts = (
        np.sin(k * phase) * (k * hz < 7000) / k**slope for k in range(1, count + 1)
    )
    return np.asarray(sum(parts))


def whistle(rng: Rng) -> Floats:
    """Make a nearly pure tone of 600 to 2,400 Hz with breath 30 dB under it."""
    tone = _partials(_notes(rng, 600, 1200), 3.0, 2)
    return np.asarray(tone + 0.03 * rng.standard_normal(len(tone)))


def hummed(rng: Rng) -> Floats:
    """Make a hum with the mouth closed: steep partials and soft onsets.

    It lies between 110 and 400 Hz.
    """
    hz = _notes(rng, 110, 220)
    t = np.arange(len(hz)) / RATE
    return np.asarray(
        _partials(hz, 2.2, 12) * (0.6 + 0.4 * np.sin(2 * np.pi * 2 * t) ** 2)
    )


def sung(rng: Rng) -> Floats:
    """Words of a built voice on held notes."""
    voice = [("flite", "slt"), ("flite", "rms"), ("espeak-ng", "en-us+f4")][
        rng.integers(3)
    ]
    samples, rate = spoken(*voice, TEXTS[rng.integers(len(TEXTS))])
    sound = parselmouth.Sound(samples, rate)
    manipulation = call(sound, "To Manipulation", 0.01, 60, 500)
    tier = call(manipulation, "Extract pitch tier")
    call(tier, "Remove points between", 0, sound.duration)
    hz = _notes(rng, 120, 200)
    for at in np.arange(0.0, sound.duration, 0.02):
        call(tier, "Add point", float(at), float(hz[int(at * RATE) % len(hz)]))
    call([tier, manipulation], "Replace pitch tier")
    call(manipulation, "Extract duration tier")
    return np.asarray(
        call(manipulation, "Get resynthesis (overlap-add)").resample(RATE).values[0]
    )


def laughter(rng: Rng) -> Floats:
    """Four to five bursts a second: breath, then a short vowel that falls."""
    parts = []
    for _ in range(int(rng.integers(8, 16))):
        breath = (
            rng.standard_normal(int(RATE * 0.07)) * np.hanning(int(RATE * 0.07)) * 0.3
        )
        length = int(RATE * rng.uniform(0.07, 0.12))
        hz = rng.uniform(200, 380) * np.linspace(1.1, 0.85, length)
        parts += [
            breath,
            _partials(hz, 1.0, 15) * np.hanning(length),
            np.zeros(int(RATE * 0.04)),
        ]
    return np.concatenate(parts)


def applause(rng: Rng) -> Floats:
    """Hundreds of claps a second: bursts of noise that decay within 10 ms."""
    length = int(RATE * rng.uniform(3, 5))
    x = 0.01 * rng.standard_normal(length + 800)
    shape = np.exp(-np.arange(800) / 80)
    for at in rng.integers(0, length, int(length / RATE * rng.uniform(100, 500))):
        x[at : at + 800] += shape * rng.standard_normal(800) * rng.uniform(0.1, 1)
    return np.asarray(x)


def music(rng: Rng) -> Floats:
    """Chords of plucked strings and a drum, two a second."""
    parts = []
    for _ in range(int(rng.integers(6, 10))):
        t = np.arange(RATE // 2) / RATE
        root = 110 * 2 ** (rng.integers(12) / 12)
        chord = sum(
            np.sin(2 * np.pi * root * 2 ** (step / 12) * k * t) / k * np.exp(-3 * k * t)
            for step in (0, 4, 7, 12)
            for k in range(1, 9)
        )
        drum = rng.standard_normal(len(t)) * np.exp(-t / 0.02)
        parts.append(chord + drum)
    return np.concatenate(parts)


def speech(rng: Rng) -> Floats:
    """Speak a sentence by a built voice."""
    samples, rate = spoken(
        "flite", ("slt", "rms")[rng.integers(2)], TEXTS[rng.integers(6)]
    )
    return np.asarray(parselmouth.Sound(samples, rate).resample(RATE).values[0])


#: How a sound is made -> what the instruction asks for.
KINDS: dict[Callable[[Rng], Floats], str] = {
    whistle: "Whistle a tune.",
    hummed: "Hum a tune.",
    sung: "Sing me a song.",
    laughter: "Laugh out loud.",
    applause: "Clap your hands.",
    music: "Hum a tune.",
    speech: "Tell me about the library.",
}


def harmonicity(samples: Floats) -> float:
    """Return the median harmonics-to-noise ratio in dB; NaN if no frame has one."""
    values = parselmouth.Sound(samples, RATE).to_harmonicity_cc().values[0]
    values = values[values > -100]
    return float(np.median(values)) if len(values) else float("nan")


def main() -> None:
    """Make the recordings, measure them, print and save the figures."""
    args = arguments(__doc__, clips=(8, "of each kind"), seed=1)
    results: dict[str, dict[str, Any]] = {}
    for make, request in KINDS.items():
        made = [
            make(np.random.default_rng([args.seed, number]))
            for number in range(args.clips)
        ]
        sounds = [np.pad(0.5 * x / np.abs(x).max(), RATE // 5) for x in made]
        blueprints = extracted((x, RATE) for x in sounds)
        spoken_in = [
            isinstance(b.signal, Signal) and b.signal.speech_s > 0 for b in blueprints
        ]
        words = [
            b.transcript.text
            for b in blueprints
            if isinstance(b.transcript, Transcript)
        ]
        voiced = [
            b.pitch.voiced_ratio for b in blueprints if isinstance(b.pitch, Pitch)
        ]
        pairs = zip(blueprints[::2], blueprints[1::2], strict=False)
        results[make.__name__] = {
            "clips": len(blueprints),
            "speech": sum(spoken_in),
            "words": sum(bool(text.strip()) for text in words),
            "voiced": round(float(np.mean(voiced)), 3) if voiced else None,
            "harmonicity, dB": round(
                float(np.nanmedian([harmonicity(x) for x in sounds])), 1
            ),
            "pairs": len(blueprints) // 2,
            "unscored": sum(
                judged(a, b, request).status == "unscored" for a, b in pairs
            ),
        }
    table_of("sound as asked for", "kind", results)
    save("wordless", {"kinds": results})


if __name__ == "__main__":
    main()
