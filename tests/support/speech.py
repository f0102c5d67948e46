"""Real speech without files: the eSpeak synthesiser inside Praat, and odd clips."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks import defects_voices
from blueprints import Blueprint, Signal, Status
from extractors.audio import Clip
from extractors.signal import SignalExtractor
from extractors.vad import MIN_SPEECH_S
from tests.support.espeak import spoken

#: 16 syllables: the wea-ther is love-ly to-day and we are go-ing to the park.
SENTENCE = "The weather is lovely today, and we are going to the park."
SENTENCE_SYLLABLES = 16


@cache
def say(
    text: str = SENTENCE, language: str = "English (America)", voice: str = "Male1"
) -> Clip:
    """Synthesised speech, mono at 44.1 kHz, the same whatever was said before."""
    samples, rate = spoken(text, language, voice)
    return Clip(samples.astype(np.float32)[:, None], int(rate), text)


def write_espeak(path: Path, voice: str, words: str, *options: str) -> Path:
    """Write what the program espeak-ng says; skip the test where it is missing."""
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed; apt-get install espeak-ng")
    subprocess.run(
        ["espeak-ng", "-v", voice, *options, "-w", str(path), words], check=True
    )
    return path


def silence(seconds: float, rate: int = 44_100, channels: int = 1) -> Clip:
    return Clip(
        np.zeros((round(seconds * rate), channels), np.float32), rate, "silence"
    )


def noise(seconds: float, rate: int = 16_000, channels: int = 1) -> Clip:
    rng = np.random.default_rng(7)
    samples = rng.normal(0, 0.1, (round(seconds * rate), channels))
    return Clip(samples.astype(np.float32), rate, "noise")


def joined(*clips: Clip) -> Clip:
    return Clip(
        np.concatenate([clip.samples for clip in clips]), clips[0].rate, "joined"
    )


def measured(clip: Clip) -> Blueprint:
    """Return a blueprint with the clip's real signal group."""
    signal = SignalExtractor().extract(clip, Blueprint(clip=clip.sha256))
    assert isinstance(signal, Signal)
    return Blueprint(clip=clip.sha256, signal=signal)


#: Clips that every speech measure must survive and must not find words in.
WORDLESS = {
    "50 ms": noise(0.05),
    "one sample": Clip(np.full((1, 1), 0.1, np.float32), 16_000, "one sample"),
    "silence": silence(1.0),
    "noise": noise(2.0),
    "8 kHz": noise(1.0, 8_000),
    "192 kHz": noise(0.5, 192_000),
    "8 channels": noise(1.0, 48_000, 8),
    "8 silent channels": silence(0.5, 48_000, 8),
}


def status_of(name: str) -> Status:
    """Why a speech measure has no value for a clip of :data:`WORDLESS`."""
    if "silen" in name:
        return Status.SILENT
    return (
        Status.TOO_SHORT if WORDLESS[name].seconds < MIN_SPEECH_S else Status.NO_SPEECH
    )


#: What voices of synthesisers say in tests.
FIRST = "The weather is lovely today, and we are going to the park in the afternoon."
SECOND = "Please remember to bring the tickets, the map, and something to drink for us."


def flite(voice: str, *texts: str) -> Clip:
    """Sentences of one voice of the synthesiser flite."""
    if shutil.which("flite") is None:
        pytest.skip("flite is not installed; apt-get install flite")
    sentences = [defects_voices.spoken("flite", voice, text) for text in texts]
    samples = np.concatenate([sound for sound, _ in sentences]).astype(np.float32)
    return Clip(samples[:, np.newaxis], sentences[0][1], voice)
