"""Recordings read from their file as they are needed, and scored like that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from blueprints import Absent, Quality, Status
from extractors import stream
from extractors.audio import SPEECH_RATE, AudioError, decode
from extractors.dnsmos import extractor as dnsmos
from extractors.stream import SpeechFile, channel_blocks


def write(
    path: Path,
    seconds: float,
    rate: int = SPEECH_RATE,
    channels: int = 1,
    only: int | None = None,
) -> Path:
    rng = np.random.default_rng(3)
    loud = rng.normal(0, 0.4, (round(seconds * rate), channels))  # some peaks are over 1
    loud = loud if only is None else loud[:, only]
    soundfile.write(path, loud.astype(np.float32), rate, subtype="FLOAT")
    return path


@pytest.mark.parametrize(
    ("rate", "channels"), [(16_000, 1), (16_000, 2), (44_100, 1), (8_000, 2), (48_000, 6)]
)
def test_slices_are_those_of_the_decoded_clip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rate: int, channels: int
) -> None:
    monkeypatch.setattr(stream, "BLOCK_FRAMES", 5_000)  # several blocks, the last one short
    path = write(tmp_path / "x.wav", 1.234, rate, channels)
    want = decode(path).speech
    with SpeechFile(path) as audio:
        assert len(audio) == len(want)
        parts = [audio[start : start + 777] for start in range(0, len(want), 777)]
        assert np.array_equal(np.concatenate(parts), want)
        assert np.array_equal(audio[100:200], want[100:200])
        assert audio[300:200].size == 0
        rms, peak = audio.levels()
    asked = [*range(channels), None]
    for channel, blocks in zip(asked, zip(*channel_blocks(path, asked), strict=True), strict=True):
        one = write(tmp_path / "x.wav", 1.234, rate, channels, channel)
        assert np.array_equal(np.concatenate(blocks), decode(one).speech), channel
    assert rms == pytest.approx(float(np.sqrt(np.mean(want.astype(np.float64) ** 2))), rel=1e-6)
    assert peak == np.abs(want).max()


@pytest.mark.parametrize("rate", [8_000, 11_025, 22_050, 24_000, 44_100, 48_000, 96_000])
@pytest.mark.parametrize("frames", [1, 2, 1_000, 12_345])
def test_length_is_known_before_resampling(tmp_path: Path, rate: int, frames: int) -> None:
    path = tmp_path / "x.wav"
    soundfile.write(path, np.full(frames, 0.1), rate)
    with SpeechFile(path) as audio:
        assert len(audio) == len(decode(path).speech)
        assert len(audio[:]) == len(audio)


def test_what_lies_far_back_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "BLOCK_FRAMES", SPEECH_RATE)
    monkeypatch.setattr(stream, "KEPT_S", 2)
    path = write(tmp_path / "x.wav", 8)
    with SpeechFile(path) as audio:
        for second in range(7):
            audio[second * SPEECH_RATE : (second + 1) * SPEECH_RATE]
        assert len(audio[4 * SPEECH_RATE : 6 * SPEECH_RATE]) == 2 * SPEECH_RATE
        # 2 s and one block of 1 s are kept: second 4 is the first.
        with pytest.raises(ValueError, match="samples from 0 are gone, 64000 is the first"):
            audio[:10]


def test_what_cannot_be_decoded_is_refused_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty, text, bad = tmp_path / "empty.wav", tmp_path / "text.wav", tmp_path / "bad.wav"
    empty.write_bytes(b"")
    text.write_text("no sound")
    soundfile.write(bad, np.array([0, np.nan, 1], np.float32), 16_000, subtype="FLOAT")
    soundfile.write(tmp_path / "none.wav", np.zeros(0), 16_000)
    for path in (tmp_path / "gone.wav", tmp_path, empty, text, bad, tmp_path / "none.wav"):
        with pytest.raises(AudioError) as streamed:
            SpeechFile(path)
        with pytest.raises(AudioError) as decoded:
            decode(path)
        assert str(streamed.value) == str(decoded.value)
        with pytest.raises(AudioError) as once:
            list(channel_blocks(path, [0, None]))
        assert str(once.value) == str(decoded.value)
    monkeypatch.setattr(stream, "BLOCK_FRAMES", 2)  # what is wrong is in the second block
    soundfile.write(bad, np.array([0, 1, 0, np.nan, 1, 0], np.float32), 16_000, subtype="FLOAT")
    seen = []
    with pytest.raises(AudioError, match="1 of 6 samples are NaN"):
        seen.extend(channel_blocks(bad, [0]))
    assert all(np.isfinite(block).all() for (block,) in seen)
    with pytest.raises(AudioError, match="no channel 1; it has 1, from 0"):
        list(channel_blocks(write(tmp_path / "one.wav", 0.1), [0, 1]))


@pytest.mark.parametrize(
    ("seconds", "rate", "level"),
    [
        # Noise of standard deviation 0.4: 20 lg 0.4 = -8.0 dB; its cut peaks take off 0.1 dB.
        (27.5, 16_000, -8.1),
        # A third of the power lies over 8 kHz: 10 lg 2/3 = -1.8 dB.
        (4.0, 24_000, -9.8),
    ],
)
def test_a_file_scores_as_its_clip_does(
    tmp_path: Path, seconds: float, rate: int, level: float
) -> None:
    path = write(tmp_path / "x.wav", seconds, rate)
    got = dnsmos.score_file(path)
    assert isinstance(got, Quality)
    audio = dnsmos.fill_window(decode(path).speech)
    windows = dnsmos.reference_windows(len(audio))
    assert got.windows == len(windows)
    want = dnsmos.score(audio, windows).mean(axis=0)
    assert [got.sig, got.bak, got.ovrl, got.p808] == pytest.approx(want.tolist(), abs=1e-6)
    assert got.level_dbfs == pytest.approx(level, abs=0.25)


def test_short_and_silent_files_get_no_score(tmp_path: Path) -> None:
    got = dnsmos.score_file(write(tmp_path / "short.wav", 0.05))
    assert isinstance(got, Absent)
    assert got.status is Status.TOO_SHORT
    soundfile.write(tmp_path / "silent.wav", np.zeros(SPEECH_RATE), SPEECH_RATE)
    got = dnsmos.score_file(tmp_path / "silent.wav")
    assert isinstance(got, Absent)
    assert got.status is Status.SILENT


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    # 10 minutes at 48 kHz are 115 MB as float32, and 38 MB at 16 kHz.
    path = tmp_path / "long.wav"
    with soundfile.SoundFile(path, "w", 48_000, 1, "PCM_16") as file:
        for _ in range(10):
            file.write(np.random.default_rng(0).uniform(-0.1, 0.1, 60 * 48_000))
    code = (
        "import resource, sys; from extractors.stream import SpeechFile;"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "before = peak(); audio = SpeechFile(sys.argv[1]);"
        "[audio[s * 16000 : (s + 1) * 16000] for s in range(600)]; print(peak() - before)"
    )
    root = Path(stream.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code, path], cwd=root, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 40_000  # kB: 8 MB are kept, blocks come and go
