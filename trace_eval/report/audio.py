"""Where the players of a report find their recordings."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from blueprints import UserError
from trace_eval.pairs import Recording
from trace_eval.run import ClipRecord

#: Suffixes that are kept on copies; anything else is not part of a file name that we make.
_SUFFIX = re.compile(r"\.[a-z0-9]{1,5}")


@dataclass(frozen=True)
class Sound:
    """A recording in the report: where to play it, or one sentence why it cannot be played."""

    href: str | None
    note: str | None = None


class Shelf:
    """Links to recordings, relative to the report's folder.

    Args:
        report: the HTML file to be written.
        copy: put copies into ``<report's stem>_audio/``, named by clip hash, so that the
            report can be moved together with that folder.
    """

    def __init__(self, report: Path, copy: bool = False) -> None:
        # Browsers resolve ".." in a URL by its letters, so symlinks are not followed here.
        self._home = Path(os.path.abspath(report.parent))  # noqa: PTH100
        self.folder = self._home / f"{report.stem}_audio" if copy else None
        self._copied: dict[str, str] = {}

    def sound(self, recording: Recording, record: ClipRecord | None) -> Sound:
        """The player of a recording."""
        if recording.audio is None:
            return Sound(None, "no recording")
        path = Path(os.path.abspath(recording.audio))  # noqa: PTH100
        if record and record.error:
            playable = self.folder is None and path.is_file()
            return Sound(self._link(path) if playable else None, record.error)
        if not path.is_file():
            return Sound(None, f"{path}: no such file any more")
        if self.folder is None:
            return Sound(self._link(path))
        if record is None or record.clip is None:
            return Sound(None, "never decoded, so it was not copied")
        return Sound(self._copy(self.folder, path, record.clip))

    def _link(self, path: Path) -> str:
        return _url(os.path.relpath(path, self._home))

    def _copy(self, folder: Path, path: Path, clip: str) -> str:
        if clip not in self._copied:
            suffix = path.suffix.lower()
            name = clip + (suffix if _SUFFIX.fullmatch(suffix) else "")
            target = folder / name
            try:
                folder.mkdir(parents=True, exist_ok=True)
                part = target.with_name(name + ".part")
                shutil.copyfile(path, part)
                part.replace(target)
            except OSError as error:
                raise UserError(
                    f"{target}: cannot be written ({error}); free some space"
                ) from error
            self._copied[clip] = _url(f"{folder.name}/{name}")
        return self._copied[clip]


def _url(relative: str) -> str:
    """A relative URL; ``./`` keeps a colon in the first part from reading as a scheme."""
    quoted = quote(relative.replace(os.sep, "/"), errors="surrogateescape")
    return quoted if quoted.startswith("../") else f"./{quoted}"
