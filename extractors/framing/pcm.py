"""Files of plain samples (WAV, AIFF, AU, CAF): the size of their samples in the header.

A recorder that was killed leaves 0 there, or the size of its last flush.
"""

from __future__ import annotations

from collections import Counter
from math import log2
from typing import Literal, NamedTuple

from extractors.framing.reader import Extent, Reader

#: Sound behind the stated end from which on it is part of the recording, seconds.
_MORE_S = 0.05

#: Bytes that are looked at to tell samples from other data, and their entropy from
#: which on they are none, bits a byte: the high bytes of samples are mostly alike.
_LOOKED_AT, _ENTROPY = 1 << 16, 7.85

#: Sizes that mean: up to the end of the file.
_OPEN = (0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)


#: Larger sizes are what programs write that cannot know the size, such as 2 GiB less a
#: header.
_UNKNOWN = 1 << 30


class SampleLayout(NamedTuple):
    """Where the samples of a recording are, and where its header says how many."""

    first: int
    stated: int
    """Bytes of samples by the header; 0 and all ones: it does not say."""
    size_at: int
    size_width: int
    frame: int
    """Bytes of one sample of all channels."""
    rate: float
    """Bytes a second."""
    little: bool
    plain: bool
    """Samples are numbers as they stand, not coded ones."""
    total_at: int | None = None
    """Where the size of all of the file stands, 4 bytes; None: nowhere."""


#: Codings of WAV whose samples are numbers, or 8-bit logarithms of them.
_PLAIN_CODINGS = (1, 3, 6, 7, 0xFFFE)


def wave(reader: Reader, place: int) -> SampleLayout | None:
    """Return what WAV, RF64 and BW64 say; None: they have no samples."""
    mark = reader.at(place, 4)
    little, large = mark != b"RIFX", mark in (b"RF64", b"BW64")
    frame, rate, plain = 1, 0.0, False
    long_at = long_size = 0
    at = place + 12
    while len(name := reader.at(at, 4)) == 4:
        size = reader.number(at + 4, 4, little)
        if name == b"data":
            if large and size == 0xFFFFFFFF and long_at:
                stated, size_at, size_width = long_size, long_at, 8
            else:
                stated, size_at, size_width = size, at + 4, 4
            return SampleLayout(
                first=at + 8,
                stated=stated,
                size_at=size_at,
                size_width=size_width,
                frame=frame,
                rate=rate,
                little=little,
                plain=plain,
                total_at=None if large else place + 4,
            )
        if name == b"ds64":
            long_at, long_size = at + 16, reader.number(at + 16, 8)
        elif name == b"fmt ":
            plain = reader.number(at + 8, 2, little) in _PLAIN_CODINGS
            rate = float(reader.number(at + 16, 4, little))
            frame = max(1, reader.number(at + 20, 2, little))
        at += 8 + size + size % 2
    return None


def aiff(reader: Reader, place: int) -> SampleLayout | None:
    """Return what AIFF and AIFC say; None: they have no samples."""
    frame, rate = 1, 0.0
    at = place + 12
    while len(name := reader.at(at, 4)) == 4:
        size = reader.number(at + 4, 4, little=False)
        if name == b"SSND":
            # Eight bytes of offset and block belong to the chunk.
            stated = max(0, size - 8) if size not in _OPEN else size
            return SampleLayout(
                first=at + 16,
                stated=stated,
                size_at=at + 4,
                size_width=4,
                frame=frame,
                rate=rate,
                little=False,
                plain=True,
                total_at=place + 4,
            )
        if name == b"COMM":
            channels, bits = (
                reader.number(at + at_, 2, little=False) for at_ in (8, 14)
            )
            frame = max(1, channels * ((bits + 7) // 8))
            exponent = reader.number(at + 16, 2, little=False) - 16383
            mantissa = reader.number(at + 18, 8, little=False)
            rate = 0.0
            if 0 <= exponent < 32:
                rate = frame * mantissa / 2.0**63 * 2.0**exponent
        at += 8 + size + size % 2
    return None


#: Bytes of a sample in AU, by its coding; others have one.
_AU_BYTES = {3: 2, 4: 3, 5: 4, 6: 4, 7: 8}


def au(reader: Reader, place: int) -> SampleLayout | None:
    """Return what AU says."""
    start = reader.number(place + 4, 4, little=False)
    stated = reader.number(place + 8, 4, little=False)
    coding = reader.number(place + 12, 4, little=False)
    hertz = reader.number(place + 16, 4, little=False)
    channels = reader.number(place + 20, 4, little=False)
    width = _AU_BYTES.get(coding, 1)
    frame = max(1, width * channels)
    return SampleLayout(
        first=place + start,
        stated=stated,
        size_at=place + 8,
        size_width=4,
        frame=frame,
        rate=float(frame * hertz),
        little=False,
        plain=coding != 23,
    )


#: What follows the four letters of a chunk of W64, and the length of its header.
_W64_CHUNK, _W64_HEADER = bytes.fromhex("f3acd3118cd100c04f8edb8a"), 24


def w64(reader: Reader, place: int) -> SampleLayout | None:
    """Return what W64 says; None: it has no samples."""
    frame, rate, plain = 1, 0.0, False
    at = place + 40
    while len(name := reader.at(at, 16)) == 16:
        size = reader.number(at + 16, 8)
        if name == b"data" + _W64_CHUNK:
            return SampleLayout(
                first=at + _W64_HEADER,
                stated=max(0, size - _W64_HEADER) if size not in _OPEN else size,
                size_at=at + 16,
                size_width=8,
                frame=frame,
                rate=rate,
                little=True,
                plain=plain,
            )
        if name == b"fmt " + _W64_CHUNK:
            plain = reader.number(at + 24, 2) in _PLAIN_CODINGS
            rate = float(reader.number(at + 32, 4))
            frame = max(1, reader.number(at + 36, 2))
        if size < _W64_HEADER:
            return None
        at += size + -size % 8
    return None


def caf(reader: Reader, place: int) -> SampleLayout | None:
    """Return what the header of CAF says; None: it has no samples."""
    frame, rate, plain = 1, 0.0, False
    at = place + 8
    while len(name := reader.at(at, 4)) == 4:
        size = reader.number(at + 4, 8, little=False)
        if name == b"data":
            # Four bytes of a count of edits belong to the chunk.
            stated = max(0, size - 4) if size not in _OPEN else size
            return SampleLayout(
                first=at + 16,
                stated=stated,
                size_at=at + 4,
                size_width=8,
                frame=frame,
                rate=rate,
                little=False,
                plain=plain,
            )
        if name == b"desc":
            plain = reader.at(at + 20, 4) == b"lpcm"
            per_packet, in_packet, channels, bits = (
                reader.number(at + place_, 4, little=False)
                for place_ in (28, 32, 36, 40)
            )
            frame = max(1, per_packet or channels * bits // 8)
            rate = frame * _double(reader.at(at + 12, 8)) / max(1, in_packet)
        at += 12 + size
    return None


def lacking(one: SampleLayout, end: int) -> str | None:
    """Return how much more a header counts than stands before a place, or None."""
    missing = one.first + one.stated - end
    is_unknown = one.stated in _OPEN or one.stated >= _UNKNOWN
    if is_unknown or missing < max(_MORE_S * one.rate, 1):
        return None
    if one.rate:
        return f"its header counts {one.stated / one.rate:.2f} s"
    return f"its header counts {one.stated} bytes of samples"


def _double(eight: bytes) -> float:
    from struct import unpack

    if len(eight) != 8:
        return 0.0
    [value] = unpack(">d", eight)
    return float(value)


def whole(
    reader: Reader, place: int, one: SampleLayout, end: int, cut: str | None = None
) -> Extent:
    """Return a recording that lasts up to a place, with a header that says so."""
    size = (end - one.first) // one.frame * one.frame
    order: Literal["little", "big"] = "little" if one.little else "big"
    head = bytearray(reader.at(place, one.first - place))

    def put(at: int, width: int, value: int) -> None:
        most = (1 << 8 * width) - 1
        number = min(value, most).to_bytes(width, order)
        head[at - place : at - place + width] = number

    # What stands between the size and the samples.
    between = 0
    if one.size_at > place + 8:
        between = one.first - one.size_at - one.size_width
    if between not in (4, 8):
        between = 0
    put(one.size_at, one.size_width, size + between)
    if one.total_at is not None:
        put(one.total_at, 4, one.first - place - 8 + size)
    return Extent(place, end, bytes(head), cut=cut)


def is_sound(reader: Reader, one: SampleLayout, start: int, end: int) -> bool:
    """Tell whether bytes behind the stated end are samples, not text or other data."""
    if end - start < max(one.frame, _MORE_S * one.rate):
        return False
    looked_at = reader.at(start, min(_LOOKED_AT, end - start))
    if is_text(looked_at):
        return False
    return not one.plain or _entropy(looked_at) < _ENTROPY


def is_text(data: bytes) -> bool:
    """Return whether all bytes are printed ones, of ASCII or above it, or blanks."""
    return not data.translate(None, _PRINTED)


_PRINTED = bytes((*b"\t\n\v\f\r\x1b", *range(32, 127), *range(128, 256)))


def _entropy(data: bytes) -> float:
    """Return the entropy of single bytes, bits."""
    counts = Counter(data).values()
    known = sum(count * log2(count) for count in counts) / len(data)
    return log2(len(data)) - known
