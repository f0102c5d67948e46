"""Run folders: which an input belongs to, which exist, and how one appears whole."""

from __future__ import annotations

import hashlib
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from blueprints import RunFolderError, UserError
from trace_eval.data.files import make_folder, utf8_name
from trace_eval.data.manifests import Manifest
from trace_eval.data.outputs import refuse_package
from trace_eval.data.system import lock
from trace_eval.data.urls import is_url, name_of
from trace_eval.runs.record import DECIDING, RunRecord, another, differences
from trace_eval.runs.run import Run

#: Where runs go when nobody says.
RUNS = Path("runs")

#: Ids that a message names.
_NAMED = 3


def input_name(manifest: Manifest) -> str:
    """Name the input as a run's record does: by an absolute path, or a URL."""
    path = str(manifest.path)
    if is_url(path):
        return path
    return str(utf8_name(Path(path).resolve()))


def default_out(manifest: Manifest, judge: str) -> Path:
    """Return where a run goes when nobody says: one place for the same input and judge.

    ``runs/PAIRS-JUDGE[-I-of-N]``, with a hash of the input's path where another input
    of that name has that folder already.
    """
    name = input_name(manifest)
    part = f"-{manifest.part.shard.name}" if manifest.part else ""
    plain = plain_place(name, f"{judge}{part}")
    run = Run(plain)
    if not run.exists or name == run.record().input or _conflict(run, manifest) is None:
        return plain
    return hashed_place(plain, name)


def plain_place(name: str, ending: str) -> Path:
    """Return the folder of what is made of an input, ``runs/INPUT-ENDING``."""
    stem = Path(name_of(name) if is_url(name) else name).stem
    return RUNS / re.sub(r"[^\w.]+", "-", f"{stem}-{ending}").strip("-")


def hashed_place(plain: Path, name: str) -> Path:
    """Return the folder of an input where another one of its name has the plain one."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    return plain.with_name(f"{plain.name}-{digest[:8]}")


def check_continues(run: Run, record: RunRecord, manifest: Manifest) -> None:
    """Refuse to mix judgements of other items, or judgements made in another way.

    Options that the record does not hold may differ, and
    :data:`trace_eval.judges.options.MAY_CHANGE`: they cannot change a verdict that was
    given.

    Raises:
        UserError: names the first difference and a folder to use instead.
    """
    before = run.record()
    other = f"use --out {fresh_word(run.folder)}"
    _refuse_different(run, record, ("shard",))
    if conflict := _conflict(run, manifest):
        owner = before.input or "another input"
        raise RunFolderError(
            f"{run.folder}: belongs to {owner}, and {conflict}; {other}"
        )
    _refuse_different(run, record, DECIDING)


def _refuse_different(run: Run, record: RunRecord, parts: Iterable[str]) -> None:
    """Refuse to go on where some parts of the record would be others."""
    for part, details in differences(run.record(), record, parts):
        raise RunFolderError(
            f"{run.folder}: was made with {another(part, details)}; use --out"
            f" {fresh_word(run.folder)}"
        )


def _conflict(run: Run, manifest: Manifest) -> str | None:
    """Say why an input cannot continue a run: it must hold its items unchanged."""
    now = {item.id: item for item in manifest.items}
    kind = "item" if run.holds_scores else "pair"
    gone: list[str] = []
    for item in run.items():
        if item.id not in now:
            gone.append(item.id)
        elif not now[item.id].same_as(item):
            return f"{kind} {item.id!r} has changed since it was judged"
    if not gone:
        return None
    named = ", ".join(map(repr, gone[:_NAMED])) + (
        ", ..." if len(gone) > _NAMED else ""
    )
    return f"{len(gone)} of its {kind}s are not in {manifest.path} ({named})"


def fresh(folder: Path) -> Path:
    """Return the first of ``FOLDER-2``, ``FOLDER-3``, ... that is not there."""
    candidates = (folder.with_name(f"{folder.name}-{n}") for n in count(2))
    return next(path for path in candidates if not path.exists())


def fresh_word(folder: Path) -> str:
    """Return that folder as a shell takes it."""
    return shlex.quote(str(fresh(folder)))


def refuse_own_input(run: Run, manifest: Manifest) -> None:
    """Refuse an input that lies in the folder of the run that is made of it.

    Raises:
        UserError: the manifest is one.
    """
    path = Path(manifest.path)
    if path.is_file() and path.resolve().parent == run.folder.resolve():
        raise RunFolderError(
            f"{path}: lies in the folder that is written to; use --out"
            f" {fresh_word(run.folder)}"
        )


@dataclass(frozen=True)
class ListedRun:
    """A run folder, and its record; None: why the record cannot be read."""

    folder: Path
    record: RunRecord | None = None
    problem: str | None = None


def list_runs(below: Path, tag: str | None = None) -> list[ListedRun]:
    """List the runs at or below a folder, oldest first, without runs inside runs.

    Raises:
        UserError: there is no such folder.
    """
    if not below.is_dir():
        raise RunFolderError(f"{below}: no such folder; name the one that holds runs")
    results = []
    for folder in _runs_below(below):
        try:
            results.append(ListedRun(folder, Run(folder).record()))
        except UserError as error:
            results.append(ListedRun(folder, problem=str(error)))
    if tag is not None:
        results = [run for run in results if run.record and run.record.tag == tag]
    return sorted(
        results, key=lambda run: (run.record.started if run.record else "", run.folder)
    )


def _runs_below(folder: Path) -> Iterator[Path]:
    if Run(folder).exists:
        yield folder
        return
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
            yield from _runs_below(path)


@contextmanager
def written_atomically(out: Path) -> Iterator[Path]:
    """Yield a folder to write to, renamed to ``out`` on success, removed on failure.

    What a killed process left is taken over by the next one.

    Raises:
        UserError: ``out`` exists, or ``out.part`` cannot be had.
    """
    refuse_package(out)
    if out.exists():
        raise RunFolderError(f"{out}: exists; choose another --out")
    part = out.with_name(out.name + ".part")
    mark = part / ".merging"
    if part.exists() and not mark.exists():
        raise RunFolderError(f"{part}: is in the way; move it or choose another --out")
    try:
        make_folder(part, private=True)
        handle = mark.open("a")
    except OSError as error:
        raise RunFolderError(
            f"{part}: cannot be written ({error}); choose another --out"
        ) from error
    with handle:
        try:
            lock(handle, wait=False)
        except BlockingIOError:
            raise RunFolderError(
                f"{part}: another process is merging into it"
            ) from None
        try:
            for left in set(part.iterdir()) - {mark}:
                shutil.rmtree(
                    left
                ) if left.is_dir() and not left.is_symlink() else left.unlink()
            yield part
            mark.unlink()
            part.rename(out)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise


@contextmanager
def locked_for_reading(folder: Path) -> Iterator[None]:
    """Keep writers away from a run while it is read, needing no permission to write.

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
                raise RunFolderError(
                    f"{folder}: another process is writing to this run"
                ) from None
        yield
