"""How far word times, syllable rates and clipped shares are from known ones.

    python -m benchmarks.word_times [--seed 0]

Words are spoken one by one by built voices (flite, espeak-ng), cut to their sound and
joined with pauses of .05 to .3 s, so that their times are known. The default recogniser
and the default extractors read the joined sound. Every second clip is amplified beyond
full scale: the share of samples at full scale is then known, too.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import numpy as np
import soundfile

from benchmarks.defects_voices import TEXTS, Floats, Rng, spoken
from benchmarks.report import arguments, lines_of, save
from blueprints import Blueprint, Rate, Signal, Transcript
from extractors.audio import decode
from extractors.registry import create

VOICES = (
    ("flite", "slt"),
    ("flite", "rms"),
    ("flite", "awb"),
    ("espeak-ng", "en-us+m3"),
    ("espeak-ng", "en-us+f4"),
)

#: Syllables of each text, counted by hand.
SYLLABLES = (18, 18, 22, 19, 17, 18)

GROUPS = {"signal": "signal", "transcript": "faster-whisper:tiny.en", "rate": "nuclei"}


@dataclass
class Joined:
    """Sound of words whose times are known.

    Attributes:
        samples: from -1 to 1, clipped at full scale [shape=(n,)].
        rate: Hz.
        words: lower case, with first and last second of each.
    """

    samples: Floats
    rate: int
    words: list[tuple[str, float, float]]


@dataclass
class Errors:
    """What was measured against what is known, clip by clip."""

    starts: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    apart: list[float] = field(default_factory=list)
    running: list[float] = field(default_factory=list)
    clipped: list[float] = field(default_factory=list)
    words: int = 0


def sound_of(word: str, engine: str, voice: str) -> tuple[Floats, int]:
    """Speak one word and cut it to what is within 40 dB of its loudest moment."""
    samples, rate = spoken(engine, voice, word)
    size = rate // 200
    frames = samples[: len(samples) // size * size].reshape(-1, size)
    loud = np.flatnonzero(np.abs(frames).max(axis=1) > 0.01 * np.abs(samples).max())
    return samples[loud[0] * size : (loud[-1] + 1) * size], rate


def joined(text: str, engine: str, voice: str, gain: float, rng: Rng) -> Joined:
    """Join the words of a text with pauses of .05 to .3 s."""
    parts: list[Floats] = []
    words: list[tuple[str, float, float]] = []
    place, rate = 0, 16_000
    for word in re.findall(r"[a-z']+", text.lower()):
        sound, rate = sound_of(word, engine, voice)
        pause = np.zeros(round(rng.uniform(0.05, 0.3) * rate))
        start = place + len(pause)
        words.append((word, start / rate, (start + len(sound)) / rate))
        parts += [pause, sound]
        place = start + len(sound)
    samples = np.concatenate([*parts, np.zeros(rate // 2)])
    return Joined(np.clip(gain * samples / np.abs(samples).max(), -1, 1), rate, words)


def measure(clip: Joined) -> Blueprint:
    """Extract the groups that are compared."""
    file = io.BytesIO()
    soundfile.write(file, clip.samples, clip.rate, format="WAV", subtype="PCM_16")
    sound = decode(file.getvalue(), "joined")
    blueprint = Blueprint(clip=sound.sha256)
    for group, name in GROUPS.items():
        extractor = create(name)
        extractor.load()
        value = extractor.extract(sound, blueprint)
        blueprint = blueprint.with_group(group, value, extractor.provenance())
    return blueprint


def compare(clip: Joined, blueprint: Blueprint, errors: Errors) -> None:
    """Add the errors of one clip; words that were heard as others do not count."""
    transcript, signal = blueprint.transcript, blueprint.signal
    assert isinstance(transcript, Transcript)
    assert isinstance(signal, Signal)
    timed = [word for word in transcript.words if word.start_s is not None]
    texts = [re.sub(r"[^a-z']", "", word.text.lower()) for word in timed]
    known = [word for word, _, _ in clip.words]
    errors.words += len(known)
    for block in SequenceMatcher(
        None, known, texts, autojunk=False
    ).get_matching_blocks():
        for offset in range(block.size):
            _, start, end = clip.words[block.a + offset]
            word = timed[block.b + offset]
            errors.starts.append((word.start_s or 0.0) - start)
            if word.end_s is not None:
                errors.ends.append(word.end_s - end)
    at_full_scale = float(np.mean(np.abs(clip.samples) >= 1))
    if at_full_scale:
        errors.clipped.append(signal.clipping_ratio / at_full_scale)


def syllable_error(blueprint: Blueprint, known: int) -> float:
    """Return the relative error of the number of syllables."""
    rate = blueprint.rate
    assert isinstance(rate, Rate)
    return (rate.syllables or 0) / known - 1


def running(text: str, engine: str, voice: str) -> Joined:
    """Speak a whole text without known word times."""
    samples, rate = spoken(engine, voice, text)
    return Joined(0.5 * samples / np.abs(samples).max(), rate, [])


def summary(errors: Errors) -> list[dict[str, object]]:
    """Return the rows of the table."""
    rows: list[dict[str, object]] = []
    for name, values in (
        ("word starts, s", errors.starts),
        ("word ends, s", errors.ends),
    ):
        away = np.abs(values)
        rows.append(
            {
                "what": name,
                "n": len(values),
                "median": round(float(np.median(away)), 3),
                "p90": round(float(np.quantile(away, 0.9)), 3),
                "late by (median)": round(float(np.median(values)), 3),
            }
        )
    for name, values in (
        ("syllables of words spoken apart, relative error", errors.apart),
        ("syllables of running speech, relative error", errors.running),
        ("clipped share over the share at full scale", errors.clipped),
    ):
        rows.append(
            {
                "what": name,
                "n": len(values),
                "median": round(float(np.median(values)), 3),
                "p90": round(float(np.quantile(values, 0.9)), 3),
                "late by (median)": "",
            }
        )
    return rows


def main() -> None:
    """Measure, print and save."""
    args = arguments(__doc__, seed=0)
    rng = np.random.default_rng(args.seed)
    errors = Errors()
    for engine, voice in VOICES:
        for number, text in enumerate(TEXTS):
            clip = joined(text, engine, voice, gain=2.0 if number % 2 else 0.5, rng=rng)
            blueprint = measure(clip)
            compare(clip, blueprint, errors)
            known = SYLLABLES[number]
            errors.apart.append(syllable_error(blueprint, known))
            whole = measure(running(text, engine, voice))
            errors.running.append(syllable_error(whole, known))
    rows = summary(errors)
    lines_of(f"Against known times: {errors.words} words, {len(VOICES)} voices", rows)
    save("word_times", {"rows": rows, "words": errors.words, "voices": len(VOICES)})


if __name__ == "__main__":
    main()
