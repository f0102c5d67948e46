"""What a file holds instead of sound: error bodies, pages, pointers, archives, ..."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.framing.pcm import is_text

#: Bytes at the beginning of a file that tell.
HEAD = 4096

#: Characters of a text that are shown.
_SHOWN = 80


#: Words of this length may be keys, and are not shown.
_LONG_WORD = re.compile(r"[\w+/=%-]{24,}")


class Content(NamedTuple):
    """What bytes are that are no recording."""

    what: str
    """With its article; the same for all files of its kind."""
    remedy: str
    """What to do, a clause that completes the sentence."""
    shown: str = ""
    """The beginning of its text, where there is one."""

    def __str__(self) -> str:
        quoted = f" ('{self.shown}')" if self.shown else ""
        return f"is no recording but {self.what}{quoted}; {self.remedy}"


_AGAIN = "ask the server again and keep only replies of sound"
_UNPACK = "unpack it"

#: First bytes of other files -> what they are, and the remedy.
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"version https://git-lfs", "a pointer of Git LFS", "run git lfs pull"),
    (b"PK\x03\x04", "a zip archive", _UNPACK),
    (b"\x1f\x8b", "a gzip archive", _UNPACK),
    (b"BZh", "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ\0", "an xz archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!\x1a\x07", "a rar archive", _UNPACK),
    (b"%PDF-", "a PDF", "name the recording"),
    (b"\x89PNG\r\n", "a picture (PNG)", "name the recording"),
    (b"\xff\xd8\xff", "a picture (JPEG)", "name the recording"),
    (b"GIF8", "a picture (GIF)", "name the recording"),
    (b"MThd", "notes (MIDI)", "render them to WAV"),
    (b"PAR1", "a Parquet table", "name it as the input, not as a recording"),
    (b"ARROW1", "an Arrow table", "name it as the input, not as a recording"),
    (b"SQLite format 3\0", "an SQLite database", "name the recording"),
    (b"\x89HDF", "an HDF5 file", "write its samples as WAV"),
    (
        b"\x93NUMPY",
        "an array of numpy",
        "write it as WAV by soundfile.write(path, array, rate)",
    ),
)


def content_of(head: bytes, size: int) -> Content | None:
    """Return what a file is by its first bytes; None where it may be a recording.

    Args:
        head: its first :data:`HEAD` bytes, or all where it is shorter, behind its
            zeros.
        size: of the file, bytes.
    """
    for magic, what, remedy in _MAGIC:
        if head.startswith(magic):
            return Content(what, remedy)
    if head[257:262] == b"ustar":
        return Content("a tar archive", _UNPACK)
    if not head.strip(b"\0"):
        return Content("nothing but zeros", "copy or record it again")
    text = _text(head)
    return _of_text(text, size > len(head)) if text is not None else None


def _text(head: bytes) -> str | None:
    """Return bytes as text; None where they are none."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if head.startswith(mark):
            try:
                text = head[2:].decode(encoding)
            except UnicodeDecodeError:
                return None
            return (
                text
                if text.isprintable() or not text.strip("\r\n\t").count("\0")
                else None
            )
    if not is_text(head):
        return None
    head = head.removeprefix(b"\xef\xbb\xbf")
    try:
        return head.decode()
    except UnicodeDecodeError as error:
        # The last character may be cut; Latin-1 is text, too, where most of it is
        # ASCII.
        if error.start >= len(head) - 3:
            return head[: error.start].decode()
        plain = sum(byte < 128 for byte in head)
        return head.decode("latin-1") if plain > 0.9 * len(head) else None


def _of_text(text: str, more: bool) -> Content | None:
    begun = text.lstrip()
    shown = _LONG_WORD.sub(
        "...", "".join(c for c in " ".join(begun.split()) if c.isprintable())
    )
    shown = shown.replace("'", '"')[:_SHOWN]
    low = begun[:256].lower()
    if not begun:
        return Content("nothing but blanks", _AGAIN)
    if re.search(r"(^|/)annex/objects/", begun[:512]):
        return Content("a pointer of git-annex", "run git annex get for it")
    if low.startswith(("<!doctype html", "<html", "<head", "<body", "<script")):
        return Content("a page of HTML", _AGAIN, shown)
    if low.startswith("<?xml") or re.match(r"<\w+[\s>/]", low):
        return Content("XML", _AGAIN, shown)
    if begun[0] in "{[" and (more or _parses(begun)):
        return Content("JSON", _of_json(begun), shown)
    if low.startswith("data:audio/") or _is_coded(begun):
        return Content("sound written as base64", "decode it by base64 -d IN > OUT")
    if low.startswith(("#extm3u", "[playlist]")):
        return Content("a playlist", "name the recordings that it lists", shown)
    return Content("text", _AGAIN, shown)


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _of_json(text: str) -> str:
    """Return what to do with JSON: some services put the sound into it."""
    for name, value in re.findall(r'"(\w+)"\s*:\s*"([A-Za-z0-9+/=]{64,})', text):
        if _is_coded(value):
            return f"its field {name} holds the sound as base64, decode that"
    return _AGAIN


def _is_coded(text: str) -> bool:
    """Whether a text is the base64 of a recording."""
    begun = "".join(text[:128].split())[:64]
    if len(begun) < 64 or not re.fullmatch(r"[A-Za-z0-9+/]{64}", begun):
        return False
    try:
        head: Any = base64.b64decode(begun)
    except binascii.Error:
        return False
    return bool(
        head.startswith(
            (b"RIFF", b"ID3", b"OggS", b"fLaC", b"\xff\xfb", b"\xff\xf3", b"\x1aE")
        )
    )


#: How headerless samples may be written: what FFmpeg calls it, and a type of numpy.
_FORMS = (("s16le", "<i2"), ("s16be", ">i2"), ("f32le", "<f4"), ("s32le", "<i4"), ("mulaw", "u1"),
          ("u8", "u1"))  # fmt: skip

#: Bytes that are too few to tell.
_FEWEST = 2048

#: From this correlation of neighbours on, samples are a wave.
_SMOOTH = 0.6


def samples_of(data: bytes) -> str | None:
    """Return FFmpeg's name of how bytes without a header may be samples, or None."""
    if len(data) < _FEWEST:
        return None
    for name, kind in _FORMS:
        with np.errstate(invalid="ignore"):  # bytes may be NaN with a payload
            wave = np.frombuffer(data[: len(data) // 4 * 4], kind).astype(np.float64)
        if kind == "<f4" and not (
            np.isfinite(wave).all() and np.abs(wave).max(initial=0) < 8
        ):
            continue
        if name == "mulaw":
            wave = _linear(wave)
        wave = wave - wave.mean() if len(wave) else wave
        power = float(np.square(wave).sum())
        if power > 0 and float((wave[1:] * wave[:-1]).sum()) > _SMOOTH * power:
            return name
    return None


def _linear(coded: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Decode mu-law (ITU-T G.711)."""
    code = 255 - coded.astype(int)
    size = ((code & 15) * 2 + 33 << (code >> 4 & 7)) - 33
    return np.where(code & 128, -size, size).astype(np.float64)
