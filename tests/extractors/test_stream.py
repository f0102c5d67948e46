"""Recordings read from their file block by block."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from extractors import stream
from extractors.audio import SPEECH_RATE, AudioError, decode
from extractors.stream import channel_blocks
from tests.support.processes import python


def write(
    path: Path,
    seconds: float,
    rate: int = SPEECH_RATE,
    channels: int = 1,
    only: int | None = None,
) -> Path:
    rng = np.random.default_rng(3)
    loud = rng.normal(
        0, 0.4, (round(seconds * rate), channels)
    )  # some peaks are over 1
    loud = loud if only is None else loud[:, only]
    soundfile.write(path, loud.astype(np.float32), rate, subtype="FLOAT")
    return path


@pytest.mark.parametrize(
    ("rate", "channels"),
    [(16_000, 1), (16_000, 2), (44_100, 1), (8_000, 2), (48_000, 6)],
)
def test_blocks_are_the_decoded_channels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rate: int, channels: int
) -> None:
    monkeypatch.setattr(
        stream, "BLOCK_FRAMES", 5_000
    )  # several blocks, the last one short
    path = write(tmp_path / "x.wav", 1.234, rate, channels)
    wanted = [*range(channels), None]
    for channel, blocks in zip(
        wanted, zip(*channel_blocks(path, wanted), strict=True), strict=True
    ):
        one = write(tmp_path / "one.wav", 1.234, rate, channels, channel)
        assert np.array_equal(np.concatenate(blocks), decode(one).speech), channel


def test_what_cannot_be_decoded_is_refused_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty, text, bad = (
        tmp_path / "empty.wav",
        tmp_path / "text.wav",
        tmp_path / "bad.wav",
    )
    empty.write_bytes(b"")
    text.write_text("no sound")
    soundfile.write(bad, np.array([0, np.nan, 1], np.float32), 16_000, subtype="FLOAT")
    soundfile.write(tmp_path / "none.wav", np.zeros(0), 16_000)
    for path in (
        tmp_path / "gone.wav",
        tmp_path,
        empty,
        text,
        bad,
        tmp_path / "none.wav",
    ):
        with pytest.raises(AudioError) as decoded:
            decode(path)
        with pytest.raises(AudioError) as once:
            list(channel_blocks(path, [0, None]))
        assert str(once.value) == str(decoded.value)
    monkeypatch.setattr(
        stream, "BLOCK_FRAMES", 2
    )  # what is wrong is in the second block
    soundfile.write(
        bad, np.array([0, 1, 0, np.nan, 1, 0], np.float32), 16_000, subtype="FLOAT"
    )
    seen = []
    with pytest.raises(AudioError, match="1 of 6 samples are NaN"):
        seen.extend(channel_blocks(bad, [0]))
    assert all(np.isfinite(block).all() for (block,) in seen)
    with pytest.raises(AudioError, match="no channel 1; it has 1, from 0"):
        list(channel_blocks(write(tmp_path / "one.wav", 0.1), [0, 1]))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    # 10 minutes at 48 kHz are 115 MB as float32, and 38 MB at 16 kHz.
    path = tmp_path / "long.wav"
    with soundfile.SoundFile(path, "w", 48_000, 1, "PCM_16") as file:
        for _ in range(10):
            file.write(np.random.default_rng(0).uniform(-0.1, 0.1, 60 * 48_000))
    code = (
        "import sys; from extractors.stream import channel_blocks;"
        "from tests.support.memory import peak_kb;"
        "before = peak_kb(); samples = sum(len(b) for b, in channel_blocks(sys.argv[1],"
        " [None]));print(samples, peak_kb() - before)"
    )
    samples, more = map(int, python(code, path).split())
    assert samples == 600 * SPEECH_RATE
    assert more < 40_000  # kB: blocks come and go
