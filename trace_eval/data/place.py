"""A folder of results, on this machine or an object store (``s3://``, ``gs://``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from fsspec.implementations.local import LocalFileSystem

from blueprints import UserError
from trace_eval.data.files import make_folder, replace_file
from trace_eval.data.remote import file_system
from trace_eval.data.urls import location, redacted, without_secrets_of


class Place:
    """A folder, or the prefix of an object store.

    Args:
        place: a path, or an fsspec URL whose filesystem is installed (``s3fs``,
            ``gcsfs``).

    Raises:
        UserError: the protocol is unknown or not allowed, its package is missing, or no
            bucket is named.
    """

    def __init__(self, place: Path | str) -> None:
        self.place = str(place)
        self._shown = redacted(self.place)
        try:
            where = location(place)
            if isinstance(where, Path):
                self._fs, self._root = LocalFileSystem(), str(where.absolute())
            else:
                self._fs, self._root = file_system(where)
        except (ImportError, ValueError) as error:
            message = str(error).removeprefix(f"{self._shown}: ")
            raise UserError(
                f"{self._shown}: {message}; install it or name a folder"
            ) from None
        behind = self.place.partition("://")[2]
        has_buckets = self._fs.root_marker == ""  # a store of files has a root: "/"
        if has_buckets and behind[:1] in ("", "/"):
            raise UserError(
                f"{self._shown}: names no bucket; write PROTOCOL://BUCKET/RUN"
            )

    def __str__(self) -> str:
        return self._shown

    @property
    def local(self) -> bool:
        """True where only this machine surely sees it, so that it does the writing."""
        return isinstance(self._fs, LocalFileSystem)

    def has(self, name: str) -> bool:
        """Tell whether there is a file of that name."""
        self._fs.invalidate_cache()
        with self._asked():
            return bool(self._fs.exists(self.path(name)))

    def listed(self, folder: str = "") -> list[str]:
        """List what lies in the folder or one below it, sorted; nothing if missing."""
        self._fs.invalidate_cache()
        root = self.path(folder)
        with self._asked():
            paths = self._fs.ls(root, detail=False) if self._fs.exists(root) else []
        below = (str(path).rstrip("/") for path in paths)
        return sorted(path.rpartition("/")[2] for path in below if path != root)

    def read(self, name: str) -> bytes:
        """Read a file.

        Raises:
            FileNotFoundError: there is none.
        """
        with self._asked(may_lack=True):
            content: bytes = self._fs.cat_file(self.path(name))
        return content

    def opened(self, name: str) -> IO[bytes]:
        """Open a file to read parts of it, with a request to the object store for each.

        Raises:
            FileNotFoundError: there is none.
        """
        if self.local:
            return Path(self.path(name)).open("rb")
        with self._asked(may_lack=True):
            file: IO[bytes] = self._fs.open(self.path(name), "rb", cache_type="none")
        return file

    def write(self, name: str, content: bytes) -> None:
        """Write a file; readers see it whole or not at all."""
        path = self.path(name)
        if self.local:
            make_folder(Path(path).parent)
            replace_file(Path(path), content)
            return
        with self._asked():
            self._fs.pipe_file(path, content)  # one object, put in one operation

    def remove(self, name: str) -> None:
        """Remove a file."""
        with self._asked(may_lack=True):
            self._fs.rm_file(self.path(name))

    def copy_here(self, file: Path, name: str) -> None:
        """Copy a file of this machine to the place, in pieces where it is large."""
        if self.local:
            make_folder(Path(self.path(name)).parent)
        with self._asked():
            self._fs.put_file(str(file), self.path(name))

    def fetch_files(self, folder: Path) -> None:
        """Copy the place's files, not its folders, into a folder of this machine."""
        make_folder(folder)
        for entry in self._fs.ls(self._root, detail=True):
            path = str(entry["name"])
            if entry["type"] == "file":
                self._fs.get_file(path, str(folder / path.rpartition("/")[2]))

    def write_folder(self, folder: str, files: Mapping[str, bytes], last: str) -> None:
        """Write a folder's files, with ``last`` at the end: it marks completeness."""
        for name, content in files.items():
            if name != last:
                self.write(f"{folder}/{name}", content)
        self.write(f"{folder}/{last}", files[last])

    def read_folder(self, folder: str, last: str) -> dict[str, bytes]:
        """Read all files of a folder by name; empty where it lacks ``last``.

        Whoever wrote a folder without its last file was lost on the way.
        """
        if not self.has(f"{folder}/{last}" if folder else last):
            return {}
        root = self.path(folder)
        entries = self._fs.ls(root, detail=True)
        paths = [str(entry["name"]) for entry in entries if entry["type"] == "file"]
        return {
            path.rpartition("/")[2]: self._fs.cat_file(path) for path in sorted(paths)
        }

    @contextmanager
    def _asked(self, *, may_lack: bool = False) -> Iterator[None]:
        """Name the place where a store refuses; a disk says what is wrong itself.

        Args:
            may_lack: a missing file is the caller's to know of.

        Raises:
            FileNotFoundError: a file is missing that may be.
            UserError: no credentials, no such bucket, no connection.
        """
        try:
            yield
        except Exception as error:
            if self.local or (may_lack and isinstance(error, FileNotFoundError)):
                raise
            said = without_secrets_of(self.place, " ".join(str(error).split()))
            raise UserError(
                f"{self._shown}: the store refused it ({type(error).__name__}:"
                f" {said[:200]}); check the bucket, the credentials and the network,"
                " then run the same command again"
            ) from None

    def path(self, name: str) -> str:
        """Return the path of a name within its file system."""
        return f"{self._root}/{name}" if name else self._root
