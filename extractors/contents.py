"""What a file holds instead of sound: error bodies, pages, pointers, archives, ..."""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any, NamedTuple

from extractors.framing.pcm import is_text

#: Bytes at the beginning of a file that tell.
HEAD = 4096

#: Characters of a text that are shown.
_SHOWN = 80


#: Words of this length may be keys, and are not shown.
_LONG_WORD = re.compile(r"[\w+/=%-]{24,}")

#: Names of files in the archive that a workbook is.
_WORKBOOK = re.compile(rb"\[Content_Types\]\.xml|opendocument\.spreadsheet")

#: A pickle: its protocol, and how an object begins. Two bytes alone may be a sample.
_PICKLE = re.compile(rb"\x80(?:[\2\3][\]})(cXKN][^\0]|[\4\5]\x95)")

#: Numbers alone, with what stands between them.
_NUMBERS = re.compile(r"[-+]?\d[\d.eE+\-,;\s\[\]]*")


class Content(NamedTuple):
    """The kind of some bytes that are not a recording."""

    what: str
    """With its article; the same for all files of its kind."""
    remedy: str
    """What to do, a clause that completes the sentence."""
    shown: str = ""
    """The beginning of its text, where there is one."""

    def __str__(self) -> str:
        return self.instead_of("recording", self.remedy)

    def instead_of(self, expected: str, remedy: str) -> str:
        """Say that a file is this instead of what was expected, and what to do."""
        quoted = f" ('{self.shown}')" if self.shown else ""
        return f"is not a {expected} but {self.what}{quoted}; {remedy}"


_AGAIN = "ask the server again and keep only replies of sound"
_UNPACK = "unpack it"
_NAME_IT = "name the recording"
_AS_WAV = "write its samples as WAV"
_PULL = "run git lfs pull"
_GET = "run git annex get for it"

#: Remedies that bring the file itself, whatever it holds.
FETCHED = (_UNPACK, _PULL, _GET)

#: First bytes of other files -> what they are, and the remedy.
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"version https://git-lfs", "a pointer of Git LFS", _PULL),
    (b"PK\x03\x04", "a zip archive", _UNPACK),
    (b"\x1f\x8b\x08", "a gzip archive", _UNPACK),
    (b"BZh", "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ\0", "an xz archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!\x1a\x07", "a rar archive", _UNPACK),
    (b"%PDF-", "a PDF", _NAME_IT),
    (b"\x89PNG\r\n", "a picture (PNG)", _NAME_IT),
    (b"\xff\xd8\xff", "a picture (JPEG)", _NAME_IT),
    (b"GIF8", "a picture (GIF)", _NAME_IT),
    (b"\xd0\xcf\x11\xe0", "an old Office document", _NAME_IT),
    (b"\x7fELF", "a program", _NAME_IT),
    (
        b"\0\5\x16\7",
        "what macOS notes beside a file (AppleDouble)",
        "name the file without ._ before its name",
    ),
    (b"MATLAB 5.0", "a MAT-file", _AS_WAV),
    (
        b"HTTP/1.",
        "a reply with its headers",
        "save its body alone, e.g. curl without -i",
    ),
    (b"MThd", "notes (MIDI)", "render them to WAV"),
    (b"PAR1", "a Parquet table", "name it as the input, not as a recording"),
    (b"ARROW1", "an Arrow table", "name it as the input, not as a recording"),
    (b"SQLite format 3\0", "an SQLite database", _NAME_IT),
    (b"\x89HDF", "an HDF5 file", _AS_WAV),
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
    if head.startswith(b"PK\x03\x04") and _WORKBOOK.search(head):
        return Content("a workbook", _NAME_IT)
    for magic, what, remedy in _MAGIC:
        if head.startswith(magic):
            return Content(what, remedy)
    if _PICKLE.match(head):
        return Content("a pickle of Python", _AS_WAV)
    if head[:4] == b"RIFF" and head[8:12] in (b"WEBP", b"AVI "):
        return Content("a picture or a film (RIFF)", _NAME_IT)
    if head[8:10] == b'{"' and b'"data_offsets"' in head:
        return Content("weights (safetensors)", _NAME_IT)
    if head[257:262] == b"ustar":
        return Content("a tar archive", _UNPACK)
    if not head.strip(b"\0"):
        return Content("nothing but zeros", "copy or record it again")
    text = _text(head)
    return _of_text(text, size > len(head)) if text is not None else None


def _text(head: bytes) -> str | None:
    """Return bytes as text; None if they are not text."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if head.startswith(mark):
            try:
                text = head[2:].decode(encoding)
            except UnicodeDecodeError:
                return None
            if "\0" in text.strip("\r\n\t"):
                return None
            return text
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
    one_line = " ".join(begun.split())
    printable = "".join(filter(str.isprintable, one_line))
    shown = _LONG_WORD.sub("...", printable).replace("'", '"')[:_SHOWN]
    low = begun[:256].lower()
    if not begun:
        return Content("nothing but blanks", _AGAIN)
    is_one_line = len(begun.splitlines()) == 1
    if is_one_line and re.search(r"(^|/)annex/objects/", begun[:512]):
        return Content("a pointer of git-annex", _GET)
    if low.startswith(("<!doctype html", "<html", "<head", "<body", "<script")):
        return Content("a page of HTML", _AGAIN, shown)
    if low.startswith("<?xml") or re.match(r"<\w+[\s>/]", low):
        return Content("XML", _AGAIN, shown)
    if begun[0] in "{[" and (more or _parses(begun)):
        return Content("JSON", _of_json(begun), shown)
    if low.startswith("data:audio/"):
        decode = "decode it by cut -d, -f2 IN | base64 -d > OUT"
        return Content("sound written as base64", decode)
    if _is_coded(begun):
        return Content("sound written as base64", "decode it by base64 -d IN > OUT")
    if re.match(r"(52494646|4f676753|664c6143|494433|fffb|fff3)[\da-f]{64}", low):
        return Content(
            "sound written as hexadecimals", "decode it by xxd -r -p IN > OUT"
        )
    if re.match(r"(event|data): ?\S", low):
        decode = "join and decode the sound that they hold"
        return Content("events of a stream", decode, shown)
    if not more and _is_link(low.rstrip()):
        again = "git config core.symlinks true, and check it out again"
        return Content("a link that Git wrote as text", again, shown)
    if _NUMBERS.fullmatch(begun) and len(begun.split()) > 1:
        write = "write them as WAV by soundfile.write(path, array, rate)"
        return Content("numbers written as text", write, shown)
    if low.startswith(("#extm3u", "[playlist]")):
        return Content("a playlist", "name the recordings that it lists", shown)
    return Content("text", _AGAIN, shown)


def _is_link(text: str) -> bool:
    """Whether a text is one path, as Git writes a link where the system has none."""
    endings = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".webm")
    is_path = "/" in text and text.isprintable() and not set(text) & set('"{}[]<>')
    return is_path and text.endswith(endings)


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


#: First bytes of recordings: what follows is damaged, but has a header.
RECORDINGS = (
    b"RIFF",
    b"RF64",
    b"ID3",
    b"OggS",
    b"fLaC",
    b"FORM",
    b".snd",
    b"caff",
    b"\x1aE\xdf\xa3",
)

#: How a header begins, with what its kind has behind those bytes.
_INNER_HEADER = re.compile(
    rb"(?s)RIFF....WAVE|OggS\x00\x02|fLaC\x00\x00\x00\x22|ID3[\x02-\x04]\x00"
)


def bytes_before(head: bytes) -> int:
    """Return how many bytes stand before the header of a recording; 0: none is there.

    Forms and archives put a name or headers of their own before a whole recording.
    """
    match = _INNER_HEADER.search(head)
    return match.start() if match else 0
