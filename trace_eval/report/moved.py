"""Recordings of a run that was moved, together with them or away from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from blueprints import InputError
from trace_eval.data.files import is_file, is_folder

#: Folders above a run in which its recordings are looked for.
_ABOVE = 3


class MovedFiles:
    """Finds a recording that is not where it was judged, by the end of its path.

    Whether the file that is found holds what was judged is for the caller to look at.

    Args:
        run_folder: where the run is now; recordings that were moved with it are found
            from there.
        root: a folder that holds the recordings now; None: nobody named one.

    Raises:
        InputError: there is no such root.
    """

    def __init__(self, run_folder: Path, root: Path | None = None) -> None:
        if root is not None and not is_folder(root):
            raise InputError(
                f"--audio-root {root}: no such folder; name the one of the recordings"
            )
        home = run_folder.resolve()
        above = [home, *home.parents][: _ABOVE + 1]
        self._roots: Sequence[Path] = above if root is None else [root, *above]

    def find(self, path: Path) -> Path:
        """Return where a recording is now; its own path if still right or unknown."""
        if is_file(path):
            return path
        return next((place for place in self._candidates(path) if is_file(place)), path)

    def _candidates(self, path: Path) -> Iterator[Path]:
        """Yield places by how much of the path's end they share, the longest first."""
        parts = path.parts[1:] if path.is_absolute() else path.parts
        for start in range(len(parts)):
            for root in self._roots:
                yield root.joinpath(*parts[start:])
