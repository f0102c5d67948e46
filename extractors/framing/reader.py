"""The bytes of a file by place, and the stretch of it that is one recording."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, NamedTuple

#: Bytes that are searched at first, and at once.
_FIRST, _AT_ONCE = 1 << 10, 1 << 20

#: The longest mark that is looked for, bytes.
LONGEST_MARK = 64

#: Bytes of zeros behind which nothing is looked for.
_MOST_ZEROS = 64 << 20

#: Reads up to so many bytes are served from blocks of so many.
_SMALL, _BLOCK = 1 << 9, 1 << 15

#: Length of a tag of ID3v1, and of the head of an APE tag, bytes.
_ID3_V1, _APE = 128, 32


class Extent(NamedTuple):
    """One recording in a file."""

    start: int
    end: int
    """First byte behind it."""
    head: bytes = b""
    """What its first bytes must be to be read as a whole; empty: they are right."""
    seconds: float | None = None
    """How long its frames last, where they say so."""
    framed: int | None = None
    """Bytes of it that are frames of its format, where that was counted."""
    cut: str | None = None
    """What shows that its end is missing, a clause; None: nothing does."""


class Reader:
    """Random access to the bytes of an open file."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file, self.size = file, size
        self._block, self._first = b"", 0

    def at(self, place: int, count: int) -> bytes:
        """Return bytes from a place on; fewer, or none, where the file ends."""
        if place >= self.size:
            return b""  # headers have numbers of 64 bits, which no file seeks
        if count > _SMALL:
            self._file.seek(place)
            return self._file.read(count)
        first = place - self._first
        if first < 0 or first + count > len(self._block):
            self._file.seek(place)
            self._block, self._first, first = self._file.read(_BLOCK), place, 0
        return self._block[first : first + count]

    def number(self, place: int, count: int, little: bool = True) -> int:
        """Return an unsigned number."""
        return int.from_bytes(self.at(place, count), "little" if little else "big")

    def find(self, marks: tuple[bytes, ...], start: int) -> Iterator[tuple[int, bytes]]:
        """Yield the places of marks from a place on, in order, and which mark it is."""
        count = _FIRST  # one file may be thousands of recordings
        while start < self.size:
            block = self.at(start, count + LONGEST_MARK)
            places = []
            for mark in marks:
                place = block.find(mark)
                while 0 <= place < count:
                    places.append((start + place, mark))
                    place = block.find(mark, place + 1)
            yield from sorted(places)
            start += count
            count = min(2 * count, _AT_ONCE)

    def past_tags(self, place: int) -> int:
        """Return the place behind tags and zeros between or behind recordings."""
        while place < self.size:
            head = self.at(place, 32)
            if head[:3] == b"ID3" and len(head) >= 10:
                has_footer = bool(head[5] & 0x10)
                place += 10 + _seven_bits(head[6:10])
                if has_footer:
                    place += 10
            elif head[:3] == b"TAG":
                place += _ID3_V1
            elif head[:8] == b"APETAGEX":
                place += _APE + int.from_bytes(head[12:16], "little")
            elif head[:1] == b"\0" and not head.strip(b"\0"):
                place = self._past_zeros(place)
            else:
                break
        return place

    def _past_zeros(self, place: int) -> int:
        begun = place
        while place < self.size and (block := self.at(place, _AT_ONCE)):
            left = block.lstrip(b"\0")
            place += len(block) - len(left)
            if left:
                break
            if place - begun > _MOST_ZEROS:
                return self.size
        return place


def _seven_bits(four: bytes) -> int:
    """Return the size of a tag of ID3v2, where each byte holds seven bits."""
    size = 0
    for byte in four:
        size = size << 7 | byte & 0x7F
    return size
