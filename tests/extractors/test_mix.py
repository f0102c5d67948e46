"""Of several channels the mix that a listener hears is judged; samples have scale 1."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from blueprints import Blueprint
from extractors.audio import AudioError, decode
from extractors.mix import cancelling
from extractors.signal import SignalExtractor
from extractors.stream import channel_blocks

RATE = 16_000


def _voice(seconds: float = 2.0, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    noise = np.convolve(
        rng.normal(0, 0.2, round(seconds * RATE)), np.ones(8) / 3, "same"
    )
    return noise * (1 + np.sin(np.arange(len(noise)) / 900)) / 2


def _write(path: Path, *channels: Any, subtype: str = "PCM_16") -> Path:
    soundfile.write(path, np.column_stack(channels), RATE, subtype=subtype)
    return path


def _highs_inverted(wave: Any, edge_hz: float = 1500.0) -> Any:
    spectrum = np.fft.rfft(wave)
    hertz = np.fft.rfftfreq(len(wave), 1 / RATE)
    return np.fft.irfft(np.where(hertz < edge_hz, spectrum, -spectrum), len(wave))


def _inverted(wave: Any, start_s: float, end_s: float) -> Any:
    time = np.arange(len(wave)) / RATE
    return np.where((time >= start_s) & (time < end_s), -wave, wave)


def _heard_in_a_room(wave: Any, seed: int) -> Any:
    echoes = np.random.default_rng(seed).normal(0, 0.05, RATE // 3)
    fading = echoes * np.exp(-7 * np.arange(RATE // 3) / (RATE // 3))
    return np.convolve(wave, fading)[: len(wave)]


_SILENT = np.zeros(2 * RATE)
_ONE, _OTHER = _voice(), _voice(seed=2)
_HALF = np.where(np.arange(2 * RATE) < RATE, -1.0, 1.0)

_CANCELLING = {
    "opposite": (_ONE, -_ONE),
    "nearly opposite (-.97)": (_ONE, -_ONE + 0.25 * _OTHER),
    "one is quieter": (0.8 * _ONE, -_ONE),
    "for half of the time": (_ONE, _HALF * _ONE),
    "above 1.5 kHz": (_ONE, _highs_inverted(_ONE)),
    "above 3 kHz, in a call of two": (
        np.r_[_ONE, 0.01 * _OTHER],
        np.r_[_highs_inverted(_ONE, 3000.0), 0.01 * _OTHER],
    ),
    "for .3 s": (_ONE, _inverted(_ONE, 1.02, 1.32)),
    "for .3 s of 20": (
        np.tile(_ONE, 10),
        _inverted(np.tile(_ONE, 10), 11.07, 11.37),
    ),
    "with an offset": (_ONE + 0.1, 0.1 - _ONE),
    "5.1, left and right": (_ONE, -_ONE, _SILENT, _SILENT, _SILENT, _SILENT),
}


@pytest.mark.parametrize("name", _CANCELLING)
def test_one_channel_is_taken_where_the_mix_is_silence(
    name: str, tmp_path: Path
) -> None:
    channels = _CANCELLING[name]
    path = _write(tmp_path / "x.wav", *channels)
    clip = decode(path)
    assert clip.taken is not None
    powers = [np.var(one) for one in channels]
    assert powers[clip.taken] == pytest.approx(
        max(powers), rel=1e-3
    )  # two may be equal
    assert clip.mono == pytest.approx(channels[clip.taken], abs=1e-3)
    signal = SignalExtractor().extract(clip, Blueprint(clip="0" * 64))
    assert signal.taken_channel == clip.taken
    assert f"channel {clip.taken + 1} alone" in " ".join(
        f.value for f in signal.facts("signal")
    )
    (streamed,) = zip(*channel_blocks(path, [None]), strict=True)
    # a stream does not know its mean beforehand, and keeps a constant offset
    blocks = np.concatenate(streamed)
    assert blocks - blocks.mean() == pytest.approx(
        clip.speech - clip.speech.mean(), abs=1e-6
    )
    alone = decode(_write(tmp_path / "alone.wav", channels[clip.taken]))
    assert alone.sha256 != clip.sha256  # what is kept of one says nothing of the other


_MIXED = {
    "equal": (_ONE, _ONE),
    "of two talkers": (_ONE, _OTHER),
    "in turns": (_ONE * (_HALF < 0), _OTHER * (_HALF > 0)),
    "one is silent": (_ONE, _SILENT),
    "slightly opposite (-.5)": (_ONE, -0.5 * _ONE + 0.87 * _OTHER),
    "in two places of a room": (_heard_in_a_room(_ONE, 1), _heard_in_a_room(_ONE, 2)),
    "delayed by 5 ms": (_ONE, np.roll(_ONE, 80)),
    "in turns, and for .3 s opposite": (
        _ONE * (_HALF < 0) + _OTHER * (_HALF > 0) * (np.arange(2 * RATE) < 1.3 * RATE),
        _inverted(_OTHER, 1.0, 1.3) * (_HALF > 0),
    ),
    "5.1, in the middle": (_SILENT, _SILENT, _ONE, _SILENT, _SILENT, _SILENT),
    "silence": (_SILENT, _SILENT),
    "an offset alone": (_SILENT + 0.2, _SILENT - 0.2),
}


@pytest.mark.parametrize("name", _MIXED)
def test_all_channels_are_mixed_where_they_do_not_cancel(
    name: str, tmp_path: Path
) -> None:
    clip = decode(_write(tmp_path / "x.wav", *_MIXED[name]))
    assert (clip.taken, clip.channels) == (None, len(_MIXED[name]))
    assert np.array_equal(clip.mono, clip.samples.mean(axis=1))


_SCALES = {"8": 2**7, "16": 2**15, "24": 2**23, "32": 2**31}


@pytest.mark.parametrize("bits", _SCALES)
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "resampled"])
def test_integers_written_as_floats_are_refused_with_a_remedy_that_works(
    bits: str, whole: bool, tmp_path: Path
) -> None:
    wave = 0.9 * _ONE / np.abs(_ONE).max() * _SCALES[bits]
    wave = np.rint(wave) if whole else wave + 0.25
    path = tmp_path / "in.wav"
    soundfile.write(path, wave.astype(np.float32), RATE, subtype="FLOAT")
    with pytest.raises(
        AudioError, match=f"integers of {bits} bits that were written as"
    ) as error:
        decode(path)
    with pytest.raises(AudioError, match="full scale is 1"):
        list(channel_blocks(path, [0]))
    command = re.search(r"python -c .*", str(error.value))
    assert command is not None
    typed = (
        command[0]
        .replace("'IN'", f"'{path}'")
        .replace("OUT.wav", str(tmp_path / "out.wav"))
    )
    subprocess.run([sys.executable, *shlex.split(typed)[1:]], check=True)
    assert np.abs(decode(tmp_path / "out.wav").samples).max() == pytest.approx(
        0.9, abs=0.02
    )


@pytest.mark.parametrize("gain_db", [-60, 0, 6, 20, 30])
def test_floats_over_full_scale_are_sound(gain_db: float, tmp_path: Path) -> None:
    wave = _ONE / np.abs(_ONE).max() * 10 ** (gain_db / 20)
    clip = decode(_write(tmp_path / "x.wav", wave, subtype="FLOAT"))
    assert np.array_equal(clip.samples[:, 0], wave.astype(np.float32))


def test_stray_floats_are_not_integers_and_their_remedy_keeps_the_sound(
    tmp_path: Path,
) -> None:
    wave = 0.9 * _ONE / np.abs(_ONE).max()
    wave[[5, 800]] = 1000.0
    path = _write(tmp_path / "in.wav", wave, subtype="FLOAT")
    with pytest.raises(AudioError, match="2 samples are stray: floats up to 1000"):
        decode(path)
    with pytest.raises(AudioError, match="2 samples are stray"):
        list(channel_blocks(path, [0]))
    samples, _ = soundfile.read(path)
    loud = np.sqrt(np.mean(np.square(samples.clip(-1, 1))))
    assert loud > 0.1


def test_a_long_recording_is_looked_at_as_a_short_one() -> None:
    short = _voice(10)
    for wave in (short, np.tile(short, 13)):
        faint = 0.5 * _inverted(wave, 0, len(wave) / RATE)
        samples = np.column_stack([faint, wave]).astype(np.float32)
        assert cancelling(samples, RATE) == 1
        assert cancelling(np.abs(samples), RATE) is None
