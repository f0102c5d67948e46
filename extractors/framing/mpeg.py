"""MPEG audio (MP1, MP2, MP3) and AAC in ADTS: frames that say how long they are."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from extractors.framing.reader import Extent, Reader

_RATES = (44_100, 48_000, 32_000)
_ADTS_RATES = (96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000,
               11_025, 8_000, 7_350)  # fmt: skip

#: kbit/s by index, for MPEG-1 layers 1 to 3, MPEG-2 layer 1, and MPEG-2 layers 2 and 3.
_KBITS = {
    (1, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_KBITS[2, 3] = _KBITS[2, 2]

#: By how much the rates of MPEG-1 are divided, by the bits of the version: 3 is MPEG-1,
#: 2 is MPEG-2 and 0 is MPEG-2.5.
_DIVISORS = {3: 1, 2: 2, 0: 4}

#: Bytes of side information behind a header, by version and whether it is mono.
_SIDE_BYTES = {(1, True): 17, (1, False): 32, (2, True): 9, (2, False): 17}

#: Bytes without any frame after which no more is looked for.
_LOST = 1 << 20

#: Frames in a row that are no chance.
_SURE = 10

#: Bytes that are read at once.
_BLOCK = 1 << 18

#: Sound behind the frames that a header counts, from which on it is another recording,
#: seconds.
_MORE_S = 0.1


class _Frame(NamedTuple):
    length: int  # bytes
    samples: int
    kind: tuple[int, ...]  # version, layer, rate, channels: equal within a recording
    info_at: int  # where the count of frames stands in a first frame


@lru_cache(maxsize=4096)
def _frame(header: bytes) -> _Frame | None:
    """Return what four bytes of a header say; None for bytes that are no header."""
    version_bits = header[1] >> 3 & 3
    layer_bits = header[1] >> 1 & 3
    if header[1] & 0xE0 != 0xE0 or version_bits == 1 or layer_bits == 0:
        return None
    index = header[2] >> 4
    rate_index = header[2] >> 2 & 3
    if index in (0, 15) or rate_index == 3:
        return None
    version = 1 if version_bits == 3 else 2
    layer = 4 - layer_bits
    rate = _RATES[rate_index] // _DIVISORS[version_bits]
    bits = 1000 * _KBITS[version, layer][index - 1]
    padding = header[2] >> 1 & 1
    is_mono = header[3] >> 6 == 3
    if layer == 1:
        samples = 384
        length = (12 * bits // rate + padding) * 4
    else:
        samples = 576 if layer == 3 and version == 2 else 1152
        length = samples // 8 * bits // rate + padding
    return _Frame(
        length=length,
        samples=samples,
        kind=(version, layer, rate, 2 - is_mono),
        info_at=4 + _SIDE_BYTES[version, is_mono],
    )


@lru_cache(maxsize=4096)
def _adts_frame(header: bytes) -> _Frame | None:
    """Return what six bytes of a header of ADTS say; None for other bytes."""
    index = header[2] >> 2 & 15
    if header[1] & 0xF6 != 0xF0 or index >= len(_ADTS_RATES):
        return None
    length = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
    if length <= 7:
        return None
    channels = (header[2] & 1) << 2 | header[3] >> 6
    kind = (4, 0, _ADTS_RATES[index], channels)
    return _Frame(length=length, samples=1024, kind=kind, info_at=0)


def frame_at(data: bytes, place: int) -> _Frame | None:
    """Return the frame that begins at a place of some bytes, if there is one."""
    if data[place : place + 1] != b"\xff" or len(data) < place + 6:
        return None
    if data[place + 1] & 0x06 == 0:
        return _adts_frame(data[place : place + 6])
    return _frame(data[place : place + 4])


def mpeg(reader: Reader, place: int, end: int | None = None) -> list[Extent]:
    """Return the recordings that frames are from a place on, up to where frames end.

    Another recording begins with another rate or number of channels, with a frame that
    counts frames, and behind so many as were counted.
    """
    end = reader.size if end is None else end
    one = _stated(reader, place)
    if one and reader.past_tags(one.end) >= end:
        return [one]
    return _Walk(reader, place, end).run()


def _stated(reader: Reader, place: int) -> Extent | None:
    """Return the recording that a first frame counts in frames and bytes, or None."""
    data = reader.at(place, 256)
    frame = frame_at(data, 0)
    if frame is None or frame.kind[0] == 4:
        return None
    info = data[frame.info_at : frame.info_at + 16]
    if len(info) < 16 or info[:4] not in (b"Xing", b"Info") or info[7] & 3 != 3:
        return None
    frames = int.from_bytes(info[8:12], "big")
    length = int.from_bytes(info[12:16], "big")
    if not frames or not length or place + length > reader.size:
        return None
    return Extent(
        start=place,
        end=place + length,
        head=b"",
        seconds=frames * frame.samples / frame.kind[2],
        framed=length,
    )


class _Walk:
    """The frames of a file, front to back."""

    def __init__(self, reader: Reader, place: int, end: int) -> None:
        self._reader, self._place, self._end = reader, place, end
        self._start = place
        self._kind: tuple[int, ...] | None = None
        self._samples = self._framed = self._frames = self._behind = 0
        # samples that the header of this recording counts
        self._counted: int | None = None
        self._results: list[Extent] = []

    def run(self) -> list[Extent]:
        lost = 0
        data, first = b"", 0
        while self._place < self._end and lost < _LOST:
            at = self._place - first
            if at < 0 or at + 256 > len(data):
                first, at = self._place, 0
                data = self._reader.at(first, _BLOCK)
            frame = frame_at(data, at)
            if frame and self._goes_on(frame, data, at):
                self._take(frame, data, at)
                lost = 0
                continue
            behind = self._reader.past_tags(self._place)
            if behind > self._place:
                self._place = behind
                continue
            if self._kind and self._begins_otherwise(data[at : at + 16]):
                break
            step = data.find(b"\xff", at + 1)
            end = len(data) if step < 0 else step
            step = end - at
            self._place += step
            lost += step
        # What follows many frames is something else; a few may be something else by
        # chance.
        self._close(self._behind if self._frames >= _SURE else self._end)
        return self._results

    def _goes_on(self, frame: _Frame, data: bytes, at: int) -> bool:
        """Tell whether a frame of its own kind follows, or the end.

        Bytes may look like a frame by chance.
        """
        if frame.kind == self._kind:
            return True
        behind = self._place + frame.length
        if behind >= self._end:
            return behind == self._end
        following = data[at + frame.length : at + frame.length + 16]
        if at + frame.length + 16 > len(data):
            following = self._reader.at(behind, 16)
        after = frame_at(following, 0)
        if after and after.kind == frame.kind:
            return True
        return following[:3] in (b"ID3", b"TAG")

    @staticmethod
    def _begins_otherwise(head: bytes) -> bool:
        return (
            head[:4] in (b"RIFF", b"fLaC", b"OggS", b"\x1a\x45\xdf\xa3")
            or head[4:8] == b"ftyp"
        )

    def _take(self, frame: _Frame, data: bytes, at: int) -> None:
        counted = _counted(frame, data, at)
        over = self._counted is not None and self._samples >= self._counted
        if self._kind and (frame.kind != self._kind or counted is not None or over):
            self._close(self._place)
        if self._kind is None:
            self._counted = counted or None
        self._kind = frame.kind
        if counted is None:
            self._samples += frame.samples
        self._framed += frame.length
        self._frames += 1
        self._place += frame.length
        self._behind = self._place

    def _close(self, end: int) -> None:
        """End the recording so far; one or two frames behind a counted end are its."""
        if self._kind is None:
            return
        seconds = self._samples / self._kind[2]
        last = self._results[-1] if self._results else None
        if last and seconds < _MORE_S and self._counted is None:
            self._results[-1] = last._replace(end=end)
        else:
            cut = self._cut(seconds)
            one = Extent(
                start=self._start,
                end=end,
                head=b"",
                seconds=seconds,
                framed=self._framed,
                cut=cut,
            )
            self._results.append(one)
        self._start, self._kind, self._counted = end, None, None
        self._samples = self._framed = self._frames = 0

    def _cut(self, seconds: float) -> str | None:
        """Return what shows that the recording so far has no end."""
        assert self._kind is not None
        counted = (self._counted or 0) / self._kind[2]
        if counted - seconds >= _MORE_S:
            return f"its first frame counts {counted:.2f} s"
        return "it ends within a frame" if self._behind > self._end else None


def _counted(frame: _Frame, data: bytes, at: int) -> int | None:
    """Return the samples that a frame without sound counts, 0 if it counts none.

    None: it is a frame of sound.
    """
    if frame.kind[0] == 4:
        return None
    mark = data[at + frame.info_at : at + frame.info_at + 4]
    if mark in (b"Xing", b"Info"):
        flags = data[at + frame.info_at + 7]
        frames = data[at + frame.info_at + 8 : at + frame.info_at + 12]
        return int.from_bytes(frames, "big") * frame.samples if flags & 1 else 0
    if data[at + 36 : at + 40] == b"VBRI":
        return int.from_bytes(data[at + 50 : at + 54], "big") * frame.samples
    return None
