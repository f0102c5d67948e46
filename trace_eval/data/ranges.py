"""A file of a web server, read by ranges: an archive of which one member is wanted.

fsspec's own reader takes the answer to a range whole, however long it is.
"""

from __future__ import annotations

import io
import re
from typing import Any

_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")


class WebFile(io.RawIOBase):
    """What is behind one ``http(s)://`` URL.

    Args:
        files: fsspec's file system of the web.
        url: of the file.

    Attributes:
        ranges: the server sends parts; else this cannot be read.
    """

    def __init__(self, files: Any, url: str) -> None:
        self._files = files
        self._url = url
        self._at = 0
        self._size = 0
        self.ranges = True
        self._get(0, 1)

    def _get(self, start: int, count: int) -> bytes:
        own = self._files.kwargs.get("headers") or {}  # of the user's configuration
        last = start + count - 1
        asked = {**own, "Range": f"bytes={start}-{last}", "Accept-Encoding": "identity"}
        with self._files.open(self._url, "rb", block_size=0, size=1, headers=asked) as file:
            told = _RANGE.fullmatch(file.r.headers.get("Content-Range", ""))
            self.ranges = file.r.status == 206 and told is not None and int(told[1]) == start
            if told is None or not self.ranges:
                return b""
            self._size = int(told[3])
            data = bytearray()
            while len(data) < count and (piece := file.read(count - len(data))):
                data += piece
        return bytes(data)

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move; nothing is asked."""
        base = (0, self._at, self._size)[whence]
        if base + offset < 0:
            raise OSError(f"position {base + offset} before the beginning")
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        """Where it is."""
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, by one request."""
        view = memoryview(buffer).cast("B")
        count = min(len(view), self._size - self._at)
        if count <= 0:
            return 0
        data = self._get(self._at, count)
        if not self.ranges:
            raise OSError("the server sends no ranges any more")
        view[: len(data)] = data
        self._at += len(data)
        return len(data)
