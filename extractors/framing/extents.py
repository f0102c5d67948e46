"""The recordings of one file, whatever its format.

Streaming servers send one answer as several files, one behind the other, and a recorder
that is killed leaves the size of its last flush in the header. Readers take the first
file, and the size, at their word: the rest of the answer is lost without an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import IO, Literal

from extractors.framing import counted, ebml
from extractors.framing.flac import ends_as_counted, flac
from extractors.framing.mpeg import mpeg
from extractors.framing.pcm import (
    SampleLayout,
    aiff,
    au,
    caf,
    is_sound,
    lacking,
    w64,
    wave,
    whole,
)
from extractors.framing.reader import LONGEST_MARK, Extent, Reader

_ASF = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
_W64 = bytes.fromhex("726966662e91cf11a5d628db04c10000")
_VOC = b"Creative Voice File\x1a"
_ASF_PROPERTIES = bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365")

#: Bytes of a container in which its own size stands.
_HEADERS = 1 << 12

#: Marks of recordings, and how many bytes behind their beginning they stand: what may
#: follow one that does not say where it ends.
_MARKS = {b"fLaC": 0, b"WAVEfmt ": 8, b"OggS\0\2": 0, b"ID3\3\0": 0, b"ID3\4\0": 0}

#: What may follow in containers, in which other marks may stand.
_CONTAINERS = {ebml.MARK: 0, b"#!AMR": 0, _ASF: 0, _W64: 0}

#: And in files of samples.
_SAMPLES = {b".snd\0\0\0": 0, b"caff\0\1": 0, b"AIFFCOMM": 8, **_MARKS}

Walk = Callable[[Reader, int], list[Extent]]
ReadLayout = Callable[[Reader, int], SampleLayout | None]


#: Most recordings in one file: each costs work, and one of 30 bytes can be made.
MOST_PARTS = 4096

#: The largest type of a block of a VOC file.
_LAST_OF_VOC = 9

#: Chunks of a WAV file that are looked through for further samples.
_MOST_CHUNKS = 1_000


def extents(file: IO[bytes], size: int) -> list[Extent]:
    """Return the recordings of a file, in order; empty for a format that is not walked.

    Tags, padding and whatever else stands behind the last one are left out, and what
    stands behind more than ``MOST_PARTS``.
    """
    reader = Reader(file, size)
    results: list[Extent] = []
    place = 0
    while len(results) <= MOST_PARTS and (place := reader.past_tags(place)) < size:
        walk = walk_of(reader.at(place, LONGEST_MARK))
        some = walk(reader, place) if walk else []
        if not some or some[-1].end <= place:
            break
        results += some
        place = some[-1].end
    return results


def walk_of(head: bytes) -> Walk | None:
    """Return how to walk the format that begins with these bytes, if it is known."""
    if head[:4] in (b"RIFF", b"RIFX", b"RF64", b"BW64") and head[8:12] == b"WAVE":
        return _wave
    if head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC"):
        return _aiff
    if head[:4] == b".snd" and head[4:6] == b"\0\0":
        return _au
    if head[:6] == b"caff\0\1":
        return _caf
    if head[:4] == b"fLaC" and head[5:8] == b"\0\0\x22":
        return _flac
    if head[:4] == b"OggS":
        return _ogg
    if head[4:8] == b"ftyp":
        return _mp4
    if head[:4] == ebml.MARK and (b"webm" in head or b"matroska" in head):
        return _searched
    if head[:16] == _W64:
        return _w64
    if head[:20] == _VOC:
        return _voc
    if layout := _layout_of(head):
        return partial(_counted, layout)
    if counted.counts_nothing(head):
        return _uncounted
    if head[:5] == b"#!AMR" or head[:16] == _ASF:
        return _searched
    if head[:1] == b"\xff" and len(head) > 1 and head[1] & 0xE0 == 0xE0:
        return mpeg
    return None


def _layout_of(head: bytes) -> ReadLayout | None:
    """Return how the header is read of a format that readers read to its end."""
    if head.startswith(counted.SPHERE):
        return counted.sphere
    if head.startswith(counted.AVR):
        return counted.avr
    if head.startswith(counted.WVE):
        return counted.wve
    if head[:4] == b"FORM" and head[8:12] in (b"8SVX", b"16SV"):
        return counted.svx
    return None


def _next_start(reader: Reader, place: int, marks: Mapping[bytes, int]) -> int:
    """Return where the next recording begins behind a place, or the end of the file."""
    for at, mark in reader.find(tuple(marks), place + 1):
        start = begins = at - marks[mark]
        if mark[:3] == b"ID3":
            begins = reader.past_tags(start)
        if start > place and walk_of(reader.at(begins, LONGEST_MARK)):
            return start
    return reader.size


def _searched(reader: Reader, place: int) -> list[Extent]:
    stated = _stated_size(reader, place)
    if stated and _begins(reader, place + stated):
        return [Extent(place, place + stated)]
    last, live_end = ebml.last_of_live(reader, place)
    if live_end > place and _begins(reader, live_end):
        return [Extent(place, live_end)]
    head = reader.at(place, LONGEST_MARK)
    marks = {mark: 0 for mark in _CONTAINERS if head.startswith(mark)}
    end = _next_start(reader, last, marks)
    cut = _fewer(stated, end - place)
    return [Extent(place, end, cut=cut)]


def _begins(reader: Reader, place: int) -> bool:
    """Tell whether a recording begins at a place, or behind tags that stand there."""
    behind = reader.past_tags(place)
    is_there = behind < reader.size
    return is_there and walk_of(reader.at(behind, LONGEST_MARK)) is not None


def _fewer(stated: int | None, there: int) -> str | None:
    """Return what a header counts, where there are fewer bytes."""
    if not stated or stated <= there:
        return None
    return f"its header counts {stated} bytes"


def _stated_size(reader: Reader, place: int) -> int | None:
    """Return the bytes of a container by its own header; None: it does not say."""
    head = reader.at(place, _HEADERS)
    if head[:4] == ebml.MARK:
        return ebml.stated_by_segment(head)
    if head[:16] == _W64:
        return int.from_bytes(head[16:24], "little")
    properties = head.find(_ASF_PROPERTIES)
    if head[:16] == _ASF and properties > 0:
        size = head[properties + 40 : properties + 48]
        return int.from_bytes(size, "little")
    return None


def _w64(reader: Reader, place: int) -> list[Extent]:
    """Leave out what stands behind the stated end and is no sound."""
    (one,) = _searched(reader, place)
    samples = w64(reader, place)
    stated_end = samples.first + samples.stated if samples else one.end
    if samples is None or not samples.stated or stated_end >= one.end:
        return [one]
    behind = reader.past_tags(stated_end)
    if behind < one.end and is_sound(reader, samples, behind, one.end):
        return [one]
    return [_apart(reader, place, min(one.end, stated_end + -stated_end % 8))]


def _voc(reader: Reader, place: int) -> list[Extent]:
    """Walk blocks up to the one of type 0, behind which other data stand."""
    at = place + reader.number(place + 20, 2)
    while kind := reader.number(at, 1):
        if kind > _LAST_OF_VOC:
            return [_apart(reader, place, at)]
        at += 4 + reader.number(at + 1, 3)
        if at > reader.size:
            cut = _fewer(at - place, reader.size - place)
            return [Extent(place, reader.size, cut=cut)]
        if at == reader.size:
            return [Extent(place, reader.size)]
    return [_apart(reader, place, min(at + 1, reader.size))]


def _apart(reader: Reader, place: int, end: int) -> Extent:
    """Return a recording whose reader would go on behind its end."""
    return Extent(place, end, head=reader.at(place, 1))


def _flac(reader: Reader, place: int) -> list[Extent]:
    # Two of equal length end as the first one counts: that mark is always looked for.
    counted = ends_as_counted(reader, place)
    marks = {b"fLaC": 0} if counted else _MARKS
    end = _next_start(reader, place, marks)
    if counted and end == reader.size:
        return [Extent(place, end)]
    return [flac(reader, place, end)]


def _ogg(reader: Reader, place: int) -> list[Extent]:
    """Walk pages; a first page behind other bytes begins another recording."""
    start = place
    has_begun = False
    results: list[Extent] = []
    while len(head := reader.at(place, 27 + 255)) >= 27 and head[:4] == b"OggS":
        is_first = bool(head[5] & 2)
        if is_first and has_begun:
            results.append(Extent(start, place))
            start = place
            has_begun = False
        if not is_first:
            has_begun = True
        segments = head[26]
        place += 27 + segments + sum(head[27 : 27 + segments])
        if reader.at(place, 4) == b"OggS":
            continue
        behind = reader.past_tags(place)
        if behind >= reader.size or walk_of(reader.at(behind, LONGEST_MARK)):
            break
        # A damaged page, or junk between two: go on at the next one.
        following = next(reader.find((b"OggS",), place), None)
        if following is None:
            break
        place, _ = following
    left = reader.at(place, 4)
    is_torn = place > reader.size or (left and b"OggS".startswith(left))
    cut = "it ends within a page" if is_torn else None
    results.append(Extent(start, min(place, reader.size), cut=cut))
    return results


def _mp4(reader: Reader, place: int) -> list[Extent]:
    """Walk boxes; a second ``ftyp`` begins another recording."""
    start = place
    while place + 8 <= reader.size:
        length = reader.number(place, 4, little=False)
        name = reader.at(place + 4, 4)
        if name == b"ftyp" and place > start:
            return [Extent(start, place)]
        if length == 1:
            length = reader.number(place + 8, 8, little=False)
        if place > start and _begins(reader, place):
            return [Extent(start, place)]
        if length < 8 or not name.strip().isalnum():
            return [Extent(start, _next_start(reader, place, {b"ftyp": 4}))]
        place += length
    cut = _fewer(place - start, reader.size - start)
    return [Extent(start, reader.size, cut=cut)]


def _wave(reader: Reader, place: int) -> list[Extent]:
    one = wave(reader, place)
    extents = _plain(reader, place, one)
    is_mended = len(extents) > 1 or bool(extents[0].head)
    if one is None or is_mended:
        return extents
    further = _more_samples(reader, place, one)
    if not further:
        return extents
    first = extents[0]._replace(end=one.first + one.stated)
    return [first, *further]


def _more_samples(reader: Reader, place: int, one: SampleLayout) -> list[Extent]:
    """Return further chunks of samples of a WAV file, with the header of the first."""
    results: list[Extent] = []
    if not one.stated:
        return results
    header = one.first - place
    at = one.first + one.stated + one.stated % 2
    for _ in range(_MOST_CHUNKS):
        name = reader.at(at, 4)
        if len(name) < 4 or not _is_printed(name):
            break
        first = at + 8
        size = min(reader.number(at + 4, 4, one.little), reader.size - first)
        end = first + size
        if name == b"data" and is_sound(reader, one, first, end):
            alone = whole(reader, place, one, one.first + size)
            results.append(alone._replace(start=first - header, end=end))
        at = end + size % 2
    return results


def _is_printed(name: bytes) -> bool:
    """Tell whether the name of a chunk is printed ASCII."""
    return all(32 <= byte < 127 for byte in name)


def _aiff(reader: Reader, place: int) -> list[Extent]:
    return _plain(reader, place, aiff(reader, place))


def _au(reader: Reader, place: int) -> list[Extent]:
    return _plain(reader, place, au(reader, place))


def _caf(reader: Reader, place: int) -> list[Extent]:
    return _plain(reader, place, caf(reader, place))


def _counted(layout: ReadLayout, reader: Reader, place: int) -> list[Extent]:
    """Leave out what stands behind the counted samples and is no sound."""
    one = layout(reader, place)
    extents = _plain(reader, place, one)
    if one is None or not one.stated or extents[0].head:
        return extents
    stated_end = one.first + one.stated
    if stated_end >= extents[0].end:
        return extents
    return [_apart(reader, place, stated_end)]


def _uncounted(reader: Reader, place: int) -> list[Extent]:
    """Find another header like this one: all between them is sound."""
    mark = reader.at(place, counted.ALIKE)
    return [Extent(place, _next_start(reader, place, {mark: 0, **_MARKS}))]


def _plain(reader: Reader, place: int, one: SampleLayout | None) -> list[Extent]:
    """Return the extent of a recording's samples, with those behind its stated end."""
    whole_file = [Extent(place, reader.size)]
    if one is None or not place < one.first < reader.size:
        return whole_file
    stated_end = one.first + one.stated
    if one.stated == 0 and _past_chunks(reader, one.first, one) >= reader.size:
        return whole_file  # it is empty indeed
    if one.stated and stated_end <= reader.size:
        behind = _past_chunks(reader, stated_end + one.stated % 2, one)
        if behind >= reader.size:
            return whole_file
        if walk_of(reader.at(behind, LONGEST_MARK)):
            return [Extent(place, behind)]
        end = _next_start(reader, stated_end, _SAMPLES)
        if not is_sound(reader, one, stated_end, end):
            return [Extent(place, min(end, reader.size))]
        return [whole(reader, place, one, end)]
    end = _next_start(reader, one.first, _SAMPLES)
    cut = lacking(one, end)
    if one.stated and end == reader.size:
        return [Extent(place, end, cut=cut)]  # readers stop at the end of the file
    return [whole(reader, place, one=one, end=end, cut=cut)]


def _past_chunks(reader: Reader, place: int, one: SampleLayout) -> int:
    """Return the place behind chunks, tags and zeros that follow the samples."""
    order: Literal["little", "big"] = "little" if one.little else "big"
    while (place := reader.past_tags(place)) < reader.size:
        head = reader.at(place, LONGEST_MARK)
        if walk_of(head):
            break
        size = int.from_bytes(head[4:8], order)
        is_chunk = len(head) >= 8 and _is_printed(head[:4])
        if not is_chunk or place + 8 + size > reader.size + 1:
            break
        place += 8 + size + size % 2
    return place
