"""One member of a zip or tar archive, read in bounded memory and time.

An archive may come from somebody else: its index may be larger than its content, what is packed
may unpack without end, and a member may be a link. No size that it claims is believed.
"""

from __future__ import annotations

import bz2
import gzip
import io
import stat
import tarfile
import zipfile
from typing import IO

#: Longest index of a zip archive, and longest header of a tar archive, bytes: some 200,000 names.
MAX_INDEX = 16 << 20

#: Members of a tar archive that are looked at.
MAX_MEMBERS = 200_000

#: What is unpacked; LZMA may ask for gigabytes before its first byte.
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)

_PIECE = 1 << 20


class BadArchive(ValueError):
    """A member cannot be read; the text says why."""


class TooLarge(Exception):
    """More than may be read."""

    def __init__(self, most: int, size: int | None = None) -> None:
        there = "without end" if size is None else f"{size} bytes"
        super().__init__(f"{there}, at most {most} are fetched")


class Counted(io.RawIOBase):
    """A file of which at most so many bytes are read, over all reads.

    Args:
        file: positioned at its beginning.
        most: bytes.
    """

    def __init__(self, file: IO[bytes] | gzip.GzipFile | bz2.BZ2File, most: int) -> None:
        self._file = file
        self._most = most
        self._count = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: object) -> int:
        """Read into a buffer."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        data = self._file.read(len(view))
        self._count += len(data)
        if self._count > self._most:
            raise TooLarge(self._most)
        view[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move; nothing is read."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Where it is."""
        return self._file.tell()


class _Unpacked(Counted):
    """A stream that unpacks: to move on in it is to unpack what lies between."""

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move, at the price of reading."""
        at = self._file.tell()
        target = offset + (at if whence == io.SEEK_CUR else 0)
        self._count += target - at if target >= at else target
        if whence == io.SEEK_END or self._count > self._most:
            raise TooLarge(self._most)
        return self._file.seek(target)


class _Source(io.BufferedReader):
    """As zipfile and tarfile see it: no single read is larger than an index may be."""

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = MAX_INDEX + 1 if size is None or size < 0 else size
        data = super().read(wanted) if wanted <= MAX_INDEX + 1 else b""
        if wanted > MAX_INDEX and (data == b"" or len(data) > MAX_INDEX):
            raise BadArchive(f"its index has more than {MAX_INDEX} bytes; split the archive")
        return data


def read_member(file: IO[bytes], archive: str, name: str, most: int) -> bytes:
    """The content of one member.

    Args:
        file: the archive, seekable.
        archive: ``zip`` or ``tar`` (as it is, or packed by gzip or bzip2).
        name: of the member.
        most: bytes that are read of the archive, and of the member.

    Raises:
        FileNotFoundError: there is no such member.
        BadArchive: it is no such archive, or the member is a link, a folder or encrypted.
        TooLarge: see ``most``.
    """
    try:
        return (_of_zip if archive == "zip" else _of_tar)(file, name, most)
    except (FileNotFoundError, BadArchive, TooLarge):
        raise
    except Exception as error:  # of damaged ones the standard library raises ten kinds
        told = f"{type(error).__name__}: {error}"
        raise BadArchive(f"the {archive} archive cannot be read ({told:.120})") from None


def read_bounded(file: IO[bytes], most: int) -> bytes:
    """All that is left of a file.

    Raises:
        TooLarge: it is more than ``most`` bytes.
    """
    data = bytearray()
    while piece := file.read(_PIECE):
        data += piece
        if len(data) > most:
            raise TooLarge(most)
    return bytes(data)


def _of_zip(file: IO[bytes], name: str, most: int) -> bytes:
    with zipfile.ZipFile(_Source(Counted(file, most), _PIECE)) as archive:
        try:
            info = archive.getinfo(name)
        except KeyError:
            raise FileNotFoundError(name) from None
        if info.is_dir() or stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
            raise BadArchive(f"{name!r:.60} is a folder or a link; name a file of the archive")
        if info.flag_bits & 1 or info.compress_type not in _PACKED:
            raise BadArchive(f"{name!r:.60} is encrypted, or packed by LZMA; pack it again")
        if info.file_size > most:
            raise TooLarge(most, info.file_size)
        with archive.open(info) as member:
            return read_bounded(member, most)


def _of_tar(file: IO[bytes], name: str, most: int) -> bytes:
    magic = file.read(6)
    file.seek(0)
    raw = Counted(file, most)
    if magic.startswith((b"\x1f\x8b", b"BZh")):
        packed = io.BufferedReader(raw, _PIECE)
        gzipped = magic.startswith(b"\x1f")
        raw = _Unpacked(gzip.GzipFile(fileobj=packed) if gzipped else bz2.BZ2File(packed), most)
    elif magic == b"\xfd7zXZ\0":
        raise BadArchive("packed by LZMA, which may ask for any memory; pack it by gzip")
    with tarfile.TarFile(fileobj=_Source(raw, _PIECE)) as archive:
        for _ in range(MAX_MEMBERS):
            info = archive.next()
            if info is None:
                raise FileNotFoundError(name)
            archive.members.clear()  # type: ignore[attr-defined]  # else a million names are kept
            if info.name.removeprefix("./").lstrip("/") != name.removeprefix("./"):
                continue
            if not info.isreg():
                raise BadArchive(f"{name!r:.60} is a folder or a link; name a file of the archive")
            if info.size > most:
                raise TooLarge(most, info.size)
            member = archive.extractfile(info)
            assert member is not None  # a regular file
            with member:
                return read_bounded(member, most)
    raise BadArchive(f"not among the first {MAX_MEMBERS} members; split the archive")
