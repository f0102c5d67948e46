"""Files of plain samples whose readers go on to the end of the file, whatever is there.

Their header counts the samples (SPHERE, AVR, 8SVX, Psion), or does not (IRCAM, PARIS,
PVF): of those all that follows is sound, up to the header of another one.
"""

from __future__ import annotations

import re

from extractors.framing.pcm import SampleLayout
from extractors.framing.reader import Reader

#: How they begin.
SPHERE = b"NIST_1A\n"
AVR = b"2BIT"
WVE = b"ALawSoundFile**\0"

#: How those begin that count nothing: IRCAM in either order of bytes, PARIS, PVF.
_UNCOUNTED = re.compile(
    rb"\x64\xa3[\1-\4]\0|\0[\1-\4]\xa3\x64| paf\0{4}|fap \0{4}|PVF1\n\d", re.S
)

#: Bytes of their header that another one of the same recorder begins with, too.
ALIKE = 16

#: The longest header of SPHERE that is read, bytes.
_MOST_HEADER = 1 << 16

#: Digits of the longest number of a header that is read.
_MOST_DIGITS = 18

_FIELD = re.compile(rb"^(\w+)[ \t]+-(?:i|s\d+)[ \t]+(\S+)", re.M)

#: Codings of SPHERE whose samples stand as they are; others are packed.
_UNPACKED = frozenset((b"pcm", b"ulaw", b"mu-law", b"alaw"))


def counts_nothing(head: bytes) -> bool:
    """Tell whether a file begins like one that does not count its samples."""
    return _UNCOUNTED.match(head) is not None


def _counted(first: int, stated: int, *, frame: int, hertz: int) -> SampleLayout:
    """Return a layout whose count need not be mended, for no reader looks at it."""
    return SampleLayout(
        first=first,
        stated=stated,
        size_at=first,
        size_width=0,
        frame=max(1, frame),
        rate=float(frame * hertz),
        little=False,
        plain=True,
    )


def sphere(reader: Reader, place: int) -> SampleLayout | None:
    """Return what SPHERE of NIST says; None: its samples are packed."""
    second_line = reader.at(place + len(SPHERE), 8).strip()
    if not second_line.isdigit() or int(second_line) > _MOST_HEADER:
        return None
    length = int(second_line)
    fields = dict(_FIELD.findall(reader.at(place, length)))
    if fields.get(b"sample_coding", b"pcm") not in _UNPACKED:
        return None
    width = _number(fields, b"sample_n_bytes", 1)
    frame = _number(fields, b"channel_count", 1) * width
    count = _number(fields, b"sample_count", 0)
    # Some writers count the samples of all channels together.
    counts_all_channels = count * width == reader.size - place - length
    return _counted(
        place + length,
        count * (width if counts_all_channels else frame),
        frame=frame,
        hertz=_number(fields, b"sample_rate", 0),
    )


def _number(fields: dict[bytes, bytes], name: bytes, otherwise: int) -> int:
    """Return a number of a header; one that no recording has counts as not stated."""
    text = fields.get(name, b"")
    is_plausible = text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_plausible else otherwise


def avr(reader: Reader, place: int) -> SampleLayout:
    """Return what AVR says."""
    channels = 2 if reader.number(place + 12, 2) else 1
    frame = channels * (reader.number(place + 14, 2, little=False) // 8)
    return _counted(
        place + 128,
        reader.number(place + 26, 4, little=False) * frame,
        frame=frame,
        hertz=reader.number(place + 23, 3, little=False),
    )


def wve(reader: Reader, place: int) -> SampleLayout:
    """Return what a recording of Psion says."""
    count = reader.number(place + 18, 4, little=False)
    return _counted(place + 32, count, frame=1, hertz=8000)


def svx(reader: Reader, place: int) -> SampleLayout | None:
    """Return what 8SVX and 16SV say; None: they have no samples."""
    width = 2 if reader.at(place + 8, 4) == b"16SV" else 1
    hertz = 0
    at = place + 12
    while len(name := reader.at(at, 4)) == 4:
        size = reader.number(at + 4, 4, little=False)
        if name == b"BODY":
            return _counted(at + 8, size, frame=width, hertz=hertz)
        if name == b"VHDR":
            hertz = reader.number(at + 20, 2, little=False)
        at += 8 + size + size % 2
    return None
