"""EBML, in which WebM and Matroska are written: where a recording ends."""

from __future__ import annotations

from extractors.framing.reader import Reader

MARK = b"\x1a\x45\xdf\xa3"

_SEGMENT = b"\x18\x53\x80\x67"
_CLUSTER = b"\x1f\x43\xb6\x75"

#: What a segment is made of, and a cluster.
_PARTS = {
    b"\x11\x4d\x9b\x74",
    b"\x15\x49\xa9\x66",
    b"\x16\x54\xae\x6b",
    b"\x1c\x53\xbb\x6b",
    b"\x12\x54\xc3\x67",
    b"\x10\x43\xa7\x70",
    b"\x19\x41\xa4\x69",
    b"\xec",
    b"\xbf",
    b"\xe7",
    b"\xa3",
    b"\xa0",
    b"\xab",
    b"\xa7",
    b"\x58\x54",
}

#: Parts that are walked: packets of 20 ms of a day are half as many.
_MOST_PARTS = 1 << 23

#: Bytes in which a name and a size stand.
_NAME_AND_SIZE = 12


def stated_by_segment(head: bytes) -> int | None:
    """Return the bytes of an EBML file by the segment behind its header, or None."""
    first, length = _segment(head)
    if first is None or length is None:
        return None
    return first + length


def last_of_live(reader: Reader, place: int) -> tuple[int, int]:
    """Return where the last part of a segment begins and ends whose size is unknown.

    What a browser records has such a segment: it is written while it lasts. Both are
    ``place`` for other data.
    """
    first, length = _segment(reader.at(place, 1 << 9))
    if first is None or length is not None:
        return place, place
    last = at = place + first
    for _ in range(_MOST_PARTS):
        if at >= reader.size:
            break
        head = reader.at(at, _NAME_AND_SIZE)
        width = 9 - head[0].bit_length()
        name = head[:width]
        size, behind = _size(head, width)
        if name != _CLUSTER and (name not in _PARTS or size is None):
            break
        # The parts of a cluster follow one another as those of the segment do.
        last = at
        at += behind if name == _CLUSTER else behind + (size or 0)
    return last, at


def _segment(head: bytes) -> tuple[int | None, int | None]:
    """Return the first byte within the segment, and its size, where they are known."""
    size, behind = _size(head, 4)
    if size is None:
        return None, None
    place = behind + size
    if head[place : place + 4] != _SEGMENT:
        return None, None
    length, first = _size(head, place + 4)
    return first, length


def _size(data: bytes, at: int) -> tuple[int | None, int]:
    """Return a size of EBML, None where it is unknown, and the place behind it."""
    first = data[at] if at < len(data) else 0
    if not first:
        return None, at
    width = 9 - first.bit_length()
    behind = at + width
    all_ones = (1 << 7 * width) - 1
    value = int.from_bytes(data[at:behind], "big") & all_ones
    if value == all_ones:
        return None, behind
    return value, behind
