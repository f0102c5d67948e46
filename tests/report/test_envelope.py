"""The picture of a clip's spectrum, read back by hand."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
import pytest

from trace_eval.report.envelope import BANDS, COLUMNS, SHADES, spectrogram


def shades(address: str) -> np.ndarray:
    """Cells of the picture [shape=(BANDS, COLUMNS)], the lowest band first."""
    data = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    at, packed = 8, b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(
            kind + body
        )
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(BANDS, 1 + COLUMNS // 2)
    cells = np.stack([rows[:, 1:] >> 4, rows[:, 1:] & 15], axis=-1).reshape(BANDS, COLUMNS)
    return cells[::-1]


@pytest.mark.parametrize("rate", [8_000, 16_000, 44_100])
def test_a_tone_stands_in_its_band_while_it_sounds(rate: int) -> None:
    # 2,000 Hz in the second half: of 48 bands of 166.7 Hz, 2,000 / 166.7 = 12 begins there.
    time = np.arange(2 * rate) / rate
    tone = np.where(time < 1, 0, np.sin(2 * np.pi * 2_000 * time)).astype(np.float32)
    drawn = shades(spectrogram(tone, rate))
    assert (drawn[:, : COLUMNS // 2 - 4] == 0).all()
    loudest = drawn[:, COLUMNS // 2 + 4 :].argmax(axis=0)
    assert set(loudest.tolist()) <= {11, 12}
    assert drawn.max() == SHADES - 1
    # Half of 8,000 Hz is the half of the picture: nothing is above it.
    assert rate > 8_000 or (drawn[BANDS // 2 :] == 0).all()


def test_silence_and_a_click_have_no_picture() -> None:
    assert spectrogram(np.zeros(16_000, np.float32), 16_000) == ""
    assert spectrogram(np.ones(10, np.float32), 16_000) == ""


def test_noise_stays_small() -> None:
    noise = np.random.default_rng(0).normal(size=96_000).astype(np.float32)
    assert len(spectrogram(noise * np.linspace(0, 1, 96_000, dtype=np.float32), 16_000)) < 9_400
