"""WebDataset tars as tables: members of one name are a record, read in order.

``KEY.json`` gives its columns, ``KEY.txt`` the column ``text``, ``KEY.wav`` (or another
recording) ``audio``, and ``KEY.NAME.wav`` the column ``NAME``, e.g. ``a`` and ``b`` of
a pair. Nothing is unpacked: a recording is held until its record is read.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Self

from extractors import AUDIO_SUFFIXES
from trace_eval.data import strict_json
from trace_eval.data.strict_json import MAX_LINE_BYTES, BadJson

#: Endings of tars, plain and compressed.
TARS = (".tar", ".tgz")

#: Largest member that is read, and most bytes of one record.
MAX_MEMBER_BYTES, MAX_RECORD_BYTES = 1 << 28, 1 << 29

#: Most members of one record.
_MOST_MEMBERS = 64

#: Characters of a name that are read, from its end.
_MOST_NAME = 1024

#: What tarfile says of a block of zeros, which ends a tar, and of no whole block.
_END_MARK, _NO_BLOCK = "end of file header", ("empty header", "truncated header")


class _Tar(tarfile.TarFile):
    """A tar that remembers what is wrong between members, where tarfile says nothing.

    Attributes:
        fault: the first fault since the last member; empty: none.
        has_ended: the mark of the end came since the last member.
    """

    fault = ""
    has_ended = False

    def note(self, said: str) -> None:
        """Remember a block that is not the header of a member."""
        if said == _END_MARK:
            self.has_ended = True
        elif said not in _NO_BLOCK or not self.has_ended:
            self.fault = self.fault or said

    def told(self) -> str:
        """Return the fault since the last member, once."""
        fault, self.fault, self.has_ended = self.fault, "", False
        return fault


class _Header(tarfile.TarInfo):
    """A header whose faults its tar remembers."""

    @classmethod
    def fromtarfile(cls, tar: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tar)
        except tarfile.HeaderError as error:
            assert isinstance(tar, _Tar)
            tar.note(str(error))
            raise


@dataclass
class _Record:
    """The members of one name that have come so far."""

    key: str
    columns: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    endings: set[str] = field(default_factory=set)
    sounds: dict[str, str] = field(default_factory=dict)  # column -> ending
    size: int = 0

    def add(self, ending: str, member: tarfile.TarInfo, file: IO[bytes] | None) -> None:
        """Read a member, or say what is wrong with it."""
        is_again = ending in self.endings
        self.endings.add(ending)
        self.size += member.size
        kind = f".{ending.rpartition('.')[2]}"
        is_sound = kind in AUDIO_SUFFIXES
        if self.problem or (kind not in (".json", ".txt") and not is_sound):
            return
        if is_again:
            self.problem = f"{member.name}: is there twice; give each its own name"
            return
        if file is None or not member.isreg():
            self.problem = (
                f"{member.name}: is a link or a device; put the file itself into the"
                " tar"
            )
            return
        most = MAX_MEMBER_BYTES if is_sound else MAX_LINE_BYTES
        if member.size > most:
            self.problem = (
                f"{member.name}: {member.size} bytes; at most {most} are read"
            )
        elif self.size > MAX_RECORD_BYTES or len(self.endings) > _MOST_MEMBERS:
            self.problem = f"{self.key}: too many members, or too large ones; split it"
        else:
            self._place(ending, kind, file.read())

    def _place(self, ending: str, kind: str, content: bytes) -> None:
        if kind == ".json":
            try:
                values = strict_json.loads(content)
            except BadJson as error:
                self.problem = f"{self.key}.{ending}: {error}"
                return
            if not isinstance(values, dict):
                self.problem = f"{self.key}.{ending}: expected an object"
                return
            self.columns = {**values, **self.columns}
        elif kind == ".txt":
            name = ending.rpartition(".")[0] or "text"
            self.columns[name] = content.decode("utf-8", "replace").strip()
        else:
            name = ending.rpartition(".")[0] or "audio"
            if name in self.sounds:
                self.problem = (
                    f"{self.key}.{ending}: {self.key}.{self.sounds[name]} is there as"
                    " well; leave one, or name those of a pair KEY.a.wav and KEY.b.wav"
                )
                return
            self.sounds[name] = ending
            self.columns[name] = {"bytes": content, "path": f"{self.key}{kind}"}

    def value(self) -> dict[str, Any] | BadJson:
        """Return the record, or what is wrong with it."""
        if self.problem:
            return BadJson(self.problem)
        return {"id": self.key, **self.columns}


def tar_records(file: IO[bytes]) -> Iterator[tuple[str, dict[str, Any] | BadJson]]:
    """Yield (key, record) of a tar, read from its beginning to its end, once.

    Damage costs the records in which it lies, and is said where it is found.
    """
    record: _Record | None = None
    try:
        # "r|*": in one direction, and compressed or not. Behind a damaged header the
        # next one is looked for, past blocks of zeros too.
        with _Tar.open(
            fileobj=file, mode="r|*", tarinfo=_Header, ignore_zeros=True
        ) as tar:
            for member in tar:
                tar.members = []  # type: ignore[attr-defined]  # it would keep all of them
                key, ending = _parts(member.name)
                fault = tar.told()
                if record is not None and (fault or record.key != key):
                    yield record.key, record.value()
                    record = None
                if fault:
                    yield key, _damaged(fault)
                if member.isdir() or not ending:
                    continue
                record = record or _Record(key)
                record.add(
                    ending, member, tar.extractfile(member) if member.isreg() else None
                )
            fault = tar.told()
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        yield record.key if record else "1", _damaged(str(error))
        return
    if record is not None:
        yield record.key, record.value()
    if fault:
        yield record.key if record else "1", _damaged(fault)


def _damaged(fault: str) -> BadJson:
    return BadJson(f"the archive is damaged here ({fault}); copy it again")


def _parts(name: str) -> tuple[str, str]:
    """Return a member's key and ending: they part at the first dot of its file name."""
    folder, slash, file = name[-_MOST_NAME:].removeprefix("./").rpartition("/")
    key, _, ending = file.partition(".")
    return folder + slash + key, ending.lower() if key else ""
