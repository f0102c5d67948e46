"""FLAC: its count of samples, and the number that its last frame bears."""

from __future__ import annotations

from typing import NamedTuple

from extractors.framing.reader import Extent, Reader

#: Unit of the count in the header, and in how many of the last bytes a frame begins.
_TOTAL, _LAST = 36, 1 << 17

#: Bytes of tags that may follow the last frame.
_BEHIND = 256

#: Bytes in which a frame's header says its rate, by its code.
_RATE_BYTES = {12: 1, 13: 2, 14: 2}

#: Bytes of the mark and of the block behind it that holds the count.
_HEAD = 42


def ends_as_counted(reader: Reader, place: int) -> bool:
    """Return whether the last frame of a file is the last one that a header counts."""
    header = _header(reader, place)
    longest_frame = header.content[15:18]
    longest = int.from_bytes(longest_frame, "big") + _BEHIND
    first = max(place + _HEAD, reader.size - longest)
    data = reader.at(first, reader.size - first)
    last = _last_sample(data, header.block)
    says_longest = bool(longest_frame.strip(b"\0"))
    return says_longest and 0 < header.total == last


class _Header(NamedTuple):
    """The mark of a FLAC file and the block of its properties."""

    content: bytes
    block: int  # samples of a frame
    total: int  # samples in all; 0: it does not say
    rate: int  # Hz


def _header(reader: Reader, place: int) -> _Header:
    content = reader.at(place, _HEAD)
    info = int.from_bytes(content[18:26], "big")
    return _Header(
        content=content,
        block=int.from_bytes(content[8:10], "big"),
        total=info % (1 << _TOTAL),
        rate=info >> 44,
    )


def _last(reader: Reader, place: int, end: int, block: int) -> int | None:
    first = max(place + _HEAD, end - _LAST)
    return _last_sample(reader.at(first, max(0, end - first)), block)


def flac(reader: Reader, place: int, end: int) -> Extent:
    """Return the recording, with the count of its frames if its header has another."""
    head, block, total, rate = _header(reader, place)
    last = _last(reader, place, end, block)
    if not last or not rate:
        return Extent(place, end)
    if total and abs(last - total) <= 2 * max(block, 4608):
        return Extent(place, end)
    cut = None
    if total > last:
        cut = f"its header counts {total / rate:.2f} s"
        if not _ends_whole(reader, place, end, block):
            last = max(last - block, 1)  # the frame that was cut cannot be decoded
    info = int.from_bytes(head[18:26], "big")
    with_count = (info >> _TOTAL << _TOTAL) | last
    mended = head[:18] + with_count.to_bytes(8, "big") + head[26:]
    return Extent(place, end, head=mended, seconds=last / rate, cut=cut)


def _last_sample(data: bytes, block: int) -> int | None:
    """Return the sample behind the last frame that begins in some bytes, or None."""
    place = len(data)
    while (place := data.rfind(b"\xff", 0, place)) >= 0:
        header = data[place : place + 16]
        if len(header) == 16 and header[1] in (0xF8, 0xF9) and header[3] & 1 == 0:
            last = _frame_end(header, block)
            if last is not None:
                return last
    return None


def _frame_end(header: bytes, block: int) -> int | None:
    """Return the sample behind a frame, by its header; None for other bytes."""
    coded = _number(header)
    if coded is None:
        return None
    number, place = coded
    size, place = _block(header, place)
    place += _RATE_BYTES.get(header[2] & 15, 0)
    if not size or place >= len(header) or _crc8(header[:place]) != header[place]:
        return None
    counts_samples = header[1] & 1
    if counts_samples:
        return number + size
    return number * block + size


def _number(header: bytes) -> tuple[int, int] | None:
    """Return the number of a frame or sample, coded as in UTF-8, and where it ends."""
    first, more = header[4], 0
    while more < 8 and first & (0x80 >> more):
        more += 1
    if more == 0:
        return first, 5
    if more in (1, 8):
        return None
    value = first & (0x7F >> more)
    for byte in header[5 : 4 + more]:
        if byte & 0xC0 != 0x80:
            return None
        value = value << 6 | byte & 0x3F
    return value, 4 + more


def _block(header: bytes, place: int) -> tuple[int, int]:
    """Return the samples of a frame, and where their code ends; 0 samples: none."""
    code = header[2] >> 4
    if code == 1:
        return 192, place
    if 2 <= code <= 5:
        return 576 << (code - 2), place
    if code >= 8:
        return 256 << (code - 8), place
    if code == 6:
        return header[place] + 1, place + 1
    if code == 7:
        return int.from_bytes(header[place : place + 2], "big") + 1, place + 2
    return 0, place


def _ends_whole(reader: Reader, place: int, end: int, block: int) -> bool:
    """Return whether the last frame of some bytes is all there, by its checksum."""
    first = max(place + _HEAD, end - _LAST)
    data = reader.at(first, max(0, end - first))
    start = len(data)
    while (start := data.rfind(b"\xff", 0, start)) >= 0:
        if _last_sample(data[start : start + 16], block) is not None:
            return _crc16(data[start:]) == 0
    return False


def _crc16(data: bytes) -> int:
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x8005) & 0xFFFF if value & 0x8000 else value << 1
    return value


def _crc8(data: bytes) -> int:
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value << 1 ^ 0x07) & 0xFF if value & 0x80 else value << 1
    return value
