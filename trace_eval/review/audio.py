"""Clips by opaque ids, decoded and served from memory.

A page never names a file: a clip's id is a keyed hash of its item and role, looked up in a
table of the items under review. What is served is the decoded sound as 16-bit WAV, so that
neither a file name nor its tags give a system away, and every format plays in a browser.
"""

from __future__ import annotations

import hmac
import io
import threading
from collections import OrderedDict
from collections.abc import Iterable

import numpy as np
import soundfile

from trace_eval.data import Pair, Single
from trace_eval.extracting import source_of

#: Decoded recordings that are kept, bytes: about a quarter of an hour at 24 kHz, mono.
CACHE_BYTES = 48_000_000


class Clips:
    """The recordings of a review.

    Args:
        items: pairs or single answers.
        secret: key of the ids.
    """

    def __init__(self, items: Iterable[Pair | Single], secret: bytes) -> None:
        self._secret = secret
        self._sources = {
            self.clip_id(item.id, role): recording
            for item in items
            for role, recording in item.recordings().items()
        }
        self._cache: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def clip_id(self, item: str, role: str) -> str:
        """Id of a recording: 32 hexadecimal digits that tell nothing."""
        return keyed(self._secret, "clip", item, role)

    def __contains__(self, clip: str) -> bool:
        return clip in self._sources

    def wav(self, clip: str) -> bytes:
        """The recording as a 16-bit WAV file.

        Raises:
            KeyError: no recording of this review has that id.
            UserError: it cannot be fetched or decoded any more.
        """
        recording = self._sources[clip]
        with self._lock:
            if clip in self._cache:
                self._cache.move_to_end(clip)
                return self._cache[clip]
        sound = source_of(recording).decode()
        buffer = io.BytesIO()
        samples = np.clip(sound.samples, -1.0, 1.0)
        soundfile.write(buffer, samples, sound.rate, format="WAV", subtype="PCM_16")
        data = buffer.getvalue()
        with self._lock:
            self._cache[clip] = data
            while len(self._cache) > 1 and sum(map(len, self._cache.values())) > CACHE_BYTES:
                self._cache.popitem(last=False)
        return data


def keyed(secret: bytes, *parts: str) -> str:
    """Keyed hash of some texts, 32 hexadecimal digits."""
    return hmac.new(secret, "\0".join(parts).encode(), "sha256").hexdigest()[:32]


def byte_range(header: str | None, size: int) -> tuple[int, int] | None:
    """First and last byte that a ``Range`` header asks for (RFC 9110, section 14).

    Null where the whole is to be sent: no header, another unit, several ranges, nonsense.

    Raises:
        ValueError: the range lies behind the end (status 416).
    """
    unit, _, spec = (header or "").partition("=")
    first, dash, last = spec.strip().partition("-")
    digits = all(not part or (part.isascii() and part.isdigit()) for part in (first, last))
    if unit.strip().lower() != "bytes" or not dash or not digits or not (first or last):
        return None
    if not first:
        start, end = max(0, size - int(last)), size - 1
        if int(last) == 0:
            raise ValueError(f"an empty range of {size} bytes")
    else:
        start, end = int(first), min(int(last), size - 1) if last else size - 1
        if last and int(last) < start:
            return None
    if start >= size:
        raise ValueError(f"byte {start} of {size}")
    return start, end
