"""Samples without a header: in which form they are written."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from extractors.contents import RECORDINGS

#: How headerless samples may be written, by FFmpeg's names, and the bytes of a sample.
_FORMS = {
    "s16le": 2,
    "s16be": 2,
    "f32le": 4,
    "s32le": 4,
    "s24le": 3,
    "mulaw": 1,
    "alaw": 1,
    "u8": 1,
}

#: Types of numpy of those that numpy reads.
_TYPES = {"s16le": "<i2", "s16be": ">i2", "f32le": "<f4", "s32le": "<i4"}

#: Bytes that hold whole samples of every form.
_ALIGNED = 24

#: Bytes that are too few to tell.
_FEWEST = 2048

#: From this correlation of neighbours on, samples are a wave.
_SMOOTH = 0.6

#: Samples beyond this are no sound, written as floats.
_LOUDEST_FLOAT = 8.0


def samples_of(data: bytes) -> str | None:
    """Return FFmpeg's name of how bytes without a header may be samples, or None.

    Of several forms the one in which neighbours are most alike is taken: samples of
    mu-law, read as 16-bit numbers, are a wave, too, but a rough one.
    """
    if data.startswith(RECORDINGS):
        return None
    zeros = len(data) - len(data.lstrip(b"\0"))
    data = data[zeros // _ALIGNED * _ALIGNED :].rstrip(b"\0")
    if len(data) < _FEWEST:
        return None
    likeness = {name: _likeness(_wave(data, name)) for name in _FORMS}
    best = max(likeness, key=lambda name: likeness[name])
    return best if likeness[best] > _SMOOTH else None


def _wave(data: bytes, form: str) -> npt.NDArray[np.float64]:
    """Read bytes as samples of a form; return no samples where they cannot be such."""
    count = len(data) // _FORMS[form]
    whole = data[: count * _FORMS[form]]
    if form == "s24le":
        codes = np.frombuffer(whole, "u1").astype(np.int32)
        low, middle, high = codes.reshape(count, 3).T
        shifted = low << 8 | middle << 16 | high << 24  # the sign is the highest bit
        return (shifted >> 8).astype(np.float64)
    if form == "f32le":
        with np.errstate(invalid="ignore"):  # bytes may be NaN with a payload
            wave = np.frombuffer(whole, "<f4").astype(np.float64)
        can_be_sound = np.isfinite(wave).all() and np.abs(wave).max() < _LOUDEST_FLOAT
        return wave if can_be_sound else wave[:0]
    coded = np.frombuffer(whole, _TYPES.get(form, "u1"))
    if form == "mulaw":
        return _mu_law(coded)
    if form == "alaw":
        return _a_law(coded)
    return coded.astype(np.float64)


def _likeness(wave: npt.NDArray[np.float64]) -> float:
    """Return the correlation of neighbours; 0 of a wave that does not move."""
    if not len(wave):
        return 0.0
    moves = wave - wave.mean()
    power = float(np.square(moves).sum())
    if power <= 0:
        return 0.0
    of_neighbours = float((moves[1:] * moves[:-1]).sum())
    return of_neighbours / power


def _mu_law(coded: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """Decode mu-law (ITU-T G.711)."""
    code = 255 - coded.astype(int)
    mantissa = code & 15
    exponent = code >> 4 & 7
    is_negative = code & 128
    size = (mantissa * 2 + 33 << exponent) - 33
    return np.where(is_negative, -size, size).astype(np.float64)


def _a_law(coded: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """Decode A-law (ITU-T G.711)."""
    code = coded.astype(int) ^ 0x55
    mantissa = code & 15
    exponent = code >> 4 & 7
    is_positive = code & 128
    steps = mantissa * 2 + np.where(exponent, 33, 1)
    size = steps << np.maximum(exponent - 1, 0)
    wave: npt.NDArray[np.float64] = np.where(is_positive, size, -size)
    return wave.astype(np.float64)
