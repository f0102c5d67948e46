"""Periodicity of sounds whose share of a voice is known."""

from __future__ import annotations

import numpy as np
import pytest

from extractors.audio import SPEECH_RATE, Samples
from extractors.periodicity import periodicity

FLOOR_HZ, CEILING_HZ = 30.0, 450.0

TIME = np.arange(SPEECH_RATE) / SPEECH_RATE


def buzz(hz: float) -> Samples:
    """One second of ten equal harmonics, of power 1."""
    wave = np.zeros(len(TIME))
    for harmonic in range(1, 11):
        wave += np.cos(2 * np.pi * harmonic * hz * TIME)
    return (wave / np.sqrt(10 / 2)).astype(np.float32)


def of(speech: Samples, time_s: float = 0.5) -> float:
    return periodicity(speech, time_s, FLOOR_HZ, CEILING_HZ)


@pytest.mark.parametrize("hz", [40, 100, 250, 400])
def test_a_voice_repeats_itself_wherever_the_window_lies(hz: float) -> None:
    # Lags are whole samples: the tenth harmonic of 400 Hz is at most an eighth of a
    # period beside its peak, cos(pi / 4) = 0.7, and the others are nearer.
    for time_s in (0.0, 0.5, 0.99):
        assert of(buzz(hz), time_s) == pytest.approx(1, abs=0.1)
        assert of(0.001 * buzz(hz), time_s) == pytest.approx(of(buzz(hz), time_s))


@pytest.mark.parametrize("ratio", [0.5, 1.0, 3.0])
def test_noise_takes_its_share(ratio: float) -> None:
    # Noise does not repeat itself: of the power P + 1 the part P does.
    rng = np.random.default_rng(1)
    values = []
    for _ in range(20):
        noise = rng.normal(size=len(TIME))
        mixed = np.sqrt(ratio) * buzz(100) + noise
        values.append(of(mixed.astype(np.float32)))
    # The highest of several peaks lies above what it is in the mean.
    assert np.mean(values) == pytest.approx(ratio / (ratio + 1), abs=0.07)


def test_what_has_no_pitch_of_a_voice_has_none() -> None:
    rng = np.random.default_rng(2)
    noise = rng.normal(size=len(TIME)).astype(np.float32)
    assert of(noise) < 0.25
    # It falls from the shortest lag on, and has no peak before the longest.
    rumble = np.cos(2 * np.pi * 10 * TIME).astype(np.float32)
    assert of(rumble) == 0
    assert of(np.zeros(SPEECH_RATE, np.float32)) == 0
