"""Recordings and manifests behind URLs: ``s3://``, ``gs://``, ``https://``, ...

:mod:`trace_eval.data.access` decides what is opened. The file systems are those of
fsspec, with its credentials (environment, configuration files, ``FSSPEC_*`` variables);
they are given one link at a time. A URL is fetched where its content is needed, never
to see whether it is there. fsspec is not imported before a URL is met. Every function
raises a :class:`~blueprints.UserError` where a URL is not allowed, and says why what is
behind it cannot be had.
"""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple

from blueprints import InputError, UserError
from trace_eval.data.access import allowed
from trace_eval.data.files import replace_file
from trace_eval.data.urls import (
    glob_base,
    name_of,
    parent,
    protocol_of,
    redacted,
    without_secrets_of,
)

#: Larger files are not fetched, bytes: they are read into memory.
MAX_BYTES = 1 << 30

_PIECE = 1 << 20

#: Bytes of a large file that are asked for at once.
_STREAM_BLOCK = 1 << 23

_WEB = ("http", "https")

#: Waits before a transfer that broke is tried again, seconds.
RETRY_WAITS_S = (0.5, 2.0)

#: Entries of ``fs.info`` that change with the content; the size alone does not do.
_VALIDATORS = (
    "ETag",
    "etag",
    "Content-MD5",
    "Digest",
    "md5Hash",
    "md5",
    "sha",
    "blob_id",
    "checksum",
    "CRC",
    "generation",
    "version_id",
    "VersionId",
    "Last-Modified",
    "LastModified",
    "last_modified",
    "updated",
    "mtime",
    "modified",
    "created",
    "date_time",
)

#: Most files of one folder that are fetched: a benchmark has hundreds.
MAX_FILES = 20_000


class TooLarge(Exception):
    """A file of more than ``MAX_BYTES``; ``size`` is None if its end is unseen."""

    def __init__(self, size: int | None = None) -> None:
        there = "without end" if size is None else f"{size} bytes"
        super().__init__(f"{there}, at most {MAX_BYTES} are fetched")


class Version(NamedTuple):
    """A fingerprint of the content behind a URL, made without reading it."""

    size: int
    mark: str  # hash of what the file system says of it: etag, checksum, time of change


def version_of(url: str) -> Version | None:
    """Return the version of the file behind a URL, from its metadata.

    None where the file system tells nothing that changes with the content, or nothing
    at all; fetching then says why. A file of more than :data:`MAX_BYTES` is refused.
    """
    where = allowed(url)
    try:
        files, path = file_system(where)
        files.invalidate_cache(path)  # a listing from before the file changed
        info = files.info(path)
    except Exception:
        return None
    size = info.get("size")
    if isinstance(size, int) and size > MAX_BYTES:
        raise InputError(f"{redacted(url)}: {TooLarge(size)}; make it FLAC or cut it")
    marks = {name: info[name] for name in _VALIDATORS if info.get(name)}
    available = {
        name: mark.isoformat() if isinstance(mark, datetime) else str(mark)
        for name, mark in marks.items()
    }
    if not available or not isinstance(size, int):
        return None
    return Version(
        size, "sha256:" + hashlib.sha256(repr(available).encode()).hexdigest()
    )


def fetch(url: str) -> bytes:
    """Fetch the content behind a URL; a broken transfer is tried again twice."""
    where = allowed(url)
    waits = iter(RETRY_WAITS_S)
    while True:
        try:
            return _read(where)
        except TooLarge as error:
            raise InputError(
                f"{redacted(url)}: {error}; make it FLAC or cut it"
            ) from None
        except Exception as error:
            wait = next(waits, None)
            if wait is None or not _passing(error):
                raise InputError(
                    _problem(url, error)
                ) from None  # its text may hold secrets
            time.sleep(wait)


def _read(where: Path | str) -> bytes:
    """Read the content, never more than its bound in memory."""
    files, path = file_system(where)
    # Web servers need not say how much comes. A size is given only so that fsspec does
    # not ask for it, which would be one more request.
    options = {"block_size": 0, "size": 1} if protocol_of(str(where)) in _WEB else {}
    with files.open(path, "rb", **options) as file:
        size = None if options else getattr(file, "size", None)
        if isinstance(size, int) and size > MAX_BYTES:
            raise TooLarge(size)
        data = bytearray()
        while piece := file.read(_PIECE):
            data += piece
            if len(data) > MAX_BYTES:
                raise TooLarge
    return bytes(data)


@contextmanager
def streamed(url: str) -> Iterator[IO[bytes]]:
    """Open what is behind a URL, to be read once from its beginning, of any size."""
    where = allowed(url)
    try:
        files, path = file_system(where)
        file = files.open(path, "rb", cache_type="readahead", block_size=_STREAM_BLOCK)
    except Exception as error:
        raise InputError(_problem(url, error)) from None
    with file:
        yield file


def fetch_below(url: str, suffixes: Iterable[str], home: Path) -> None:
    """Copy files below a URL with certain suffixes into a folder, by their names.

    A folder without any, or with more than :data:`MAX_FILES`, is refused.
    """
    urls = find(url, suffixes)
    if not urls or len(urls) > MAX_FILES:
        raise InputError(
            f"{redacted(url)}: {len(urls)} files to read ({', '.join(suffixes)}); name"
            " the folder of one data set, or one of its files"
        )
    base = url.rstrip("/")
    for each in urls:
        path = home / PurePosixPath(each[len(base) :].lstrip("/"))
        if not path.resolve().is_relative_to(home.resolve()):
            raise InputError(f"{redacted(each)}: leads out of its folder; rename it")
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, fetch(each))


@contextmanager
def copied(url: str, suffixes: Collection[str]) -> Iterator[tuple[Path, str]]:
    """Copy a file or a folder's files for a block; gives the folder's URL, too.

    A URL that ends in none of the suffixes, and has no query, is that of a folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        if PurePosixPath(name_of(url)).suffix.lower() in suffixes or "?" in url:
            path = home / (name_of(url) or "manifest")
            replace_file(path, fetch(url))
            yield path, parent(url)
        else:
            fetch_below(url, suffixes, home)
            yield home, url.rstrip("/")


def find(url: str, suffixes: Iterable[str]) -> list[str]:
    """Find files' URLs below a folder or of a glob, by their suffixes; sorted."""
    allowed(url)
    base = glob_base(url)
    try:
        files, path = file_system(url if base is None else base)
        if base is None:
            names = files.find(path)
        else:
            _, pattern = file_system(url)
            names = files.glob(pattern)
    except Exception as error:
        raise InputError(_problem(url, error)) from None
    # Names lack what is not part of a path (host, user), so only their ends are used.
    root = (url if base is None else base).rstrip("/")
    below = [name for name in names if PurePosixPath(name).suffix.lower() in suffixes]
    return sorted(f"{root}/{name[len(path) :].lstrip('/')}" for name in below)


def file_system(where: Path | str) -> tuple[Any, str]:
    """Return fsspec's file system for a path or a URL of one link, and the path in it.

    Raises:
        ImportError: its package is missing.
        ValueError: fsspec does not know its protocol.
    """
    place = where if isinstance(where, Path) else allowed(where)
    from fsspec.registry import get_filesystem_class

    # Not url_to_fs, which takes every "::" for the next link of a chain.
    text = str(place)
    kind = get_filesystem_class(
        "file" if isinstance(place, Path) else protocol_of(text)
    )
    if isinstance(place, Path):
        if not place.is_file():  # a pipe would be waited for
            raise FileNotFoundError(text)
        return kind(), text
    return kind(**kind._get_kwargs_from_urls(text)), kind._strip_protocol(text)


def _status(error: Exception) -> int | None:
    for name in ("status", "status_code", "code"):
        value = getattr(error, name, None) or getattr(
            getattr(error, "response", None), name, None
        )
        if isinstance(value, int | str) and str(value).isdigit():
            return int(value)
    return None


def _passing(error: Exception) -> bool:
    """Whether the same request may succeed in a moment."""
    status = _status(error)
    if status is not None:
        return status >= 500 or status in (408, 425, 429)
    lasting = (
        FileNotFoundError,
        PermissionError,
        IsADirectoryError,
        ImportError,
        ValueError,
    )
    return not isinstance(error, lasting)


def _problem(url: str, error: Exception) -> str:
    name, status = redacted(url), _status(error)
    text = without_secrets_of(url, " ".join(str(error).split()))[:200]
    details = f"{type(error).__name__}: {text}".rstrip(": ")
    kind = type(error).__name__.lower()
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, ImportError):
        return f"{name}: its protocol needs a package; run: {_install(url)}"
    if isinstance(error, ValueError) and "protocol not known" in details.lower():
        available = "use s3, gs, hf, https or another of fsspec"
        return f"{name}: protocol {protocol_of(url)!r} is unknown; {available}"
    if isinstance(error, FileNotFoundError) or status in (404, 410):
        return f"{name}: not found; check the URL or --audio-root"
    if (
        isinstance(error, PermissionError)
        or status in (401, 403)
        or "credential" in kind
    ):
        return (
            f"{name}: no permission ({details}); check the credentials or the signature"
        )
    if isinstance(error, TimeoutError) or "timeout" in kind:
        return f"{name}: no answer in time ({details}); the same command tries it again"
    return (
        f"{name}: cannot be fetched ({details}); check the URL and the network, then"
        " run again"
    )


def _install(url: str) -> str:
    from importlib.metadata import metadata

    from fsspec.registry import known_implementations

    protocol = protocol_of(url)
    module = str(known_implementations.get(protocol, {}).get("class", "")).split(".")[0]
    if module and module != "fsspec":
        return f"pip install {module}"
    extra = {"https": "http", "ssh": "sftp"}.get(protocol, protocol)
    present = extra in (metadata("fsspec").get_all("Provides-Extra") or ())
    return f"pip install 'fsspec[{extra}]'" if present else "pip install 'fsspec[full]'"
