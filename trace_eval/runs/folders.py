"""Folders that appear atomically, and locks against concurrent writers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from blueprints import UserError
from trace_eval.data.files import make_folder
from trace_eval.data.outputs import refuse_package
from trace_eval.data.system import lock


@contextmanager
def written_atomically(out: Path) -> Iterator[Path]:
    """A folder to write to, renamed to ``out`` when the block ends and removed when it fails.

    What a killed process left is taken over by the next one.

    Raises:
        UserError: ``out`` exists, or ``out.part`` cannot be had.
    """
    refuse_package(out)
    if out.exists():
        raise UserError(f"{out}: exists; choose another --out")
    part = out.with_name(out.name + ".part")
    mark = part / ".merging"
    if part.exists() and not mark.exists():
        raise UserError(f"{part}: is in the way; move it or choose another --out")
    try:
        make_folder(part, private=True)
        handle = mark.open("a")
    except OSError as error:
        raise UserError(f"{part}: cannot be written ({error}); choose another --out") from error
    with handle:
        try:
            lock(handle, wait=False)
        except BlockingIOError:
            raise UserError(f"{part}: another process is merging into it") from None
        try:
            for left in set(part.iterdir()) - {mark}:
                shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
            yield part
            mark.unlink()
            part.rename(out)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise


@contextmanager
def locked_for_reading(folder: Path) -> Iterator[None]:
    """Keep writers away from a run while it is read; needs no permission to write there.

    Raises:
        UserError: somebody is writing to it.
    """
    with ExitStack() as stack:
        try:
            handle = stack.enter_context((folder / ".lock").open("rb"))
        except OSError:  # never locked, or not ours to look at
            handle = None
        if handle:
            try:
                lock(handle, shared=True, wait=False)
            except BlockingIOError:
                raise UserError(f"{folder}: another process is writing to this run") from None
        yield
