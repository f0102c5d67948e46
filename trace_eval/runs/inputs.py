"""Which run an input belongs to: default folders, and what may continue a run."""

from __future__ import annotations

import hashlib
import re
from itertools import count
from pathlib import Path

from blueprints import UserError
from trace_eval.data.files import utf8_name
from trace_eval.data.manifests import Manifest
from trace_eval.data.urls import is_url, name_of
from trace_eval.runs.record import DECIDING, RunRecord, differences
from trace_eval.runs.run import Run

#: Where runs go when nobody says.
RUNS = Path("runs")

#: Ids that a message names.
_NAMED = 3


def input_name(manifest: Manifest) -> str:
    """The input as a run's record names it: an absolute path, or a URL."""
    path = str(manifest.path)
    return path if is_url(path) else str(utf8_name(Path(path).resolve()))


def default_out(manifest: Manifest, judge: str) -> Path:
    """Where a run goes when nobody says: the same place for the same input and judge.

    ``runs/PAIRS-JUDGE[-I-of-N]``; where another input of that name has that folder already, a
    hash of this input's path is added.
    """
    name = input_name(manifest)
    stem = Path(name_of(name) if is_url(name) else name).stem
    part = f"-{manifest.part.shard.name}" if manifest.part else ""
    plain = RUNS / re.sub(r"[^\w.]+", "-", f"{stem}-{judge}{part}").strip("-")
    run = Run(plain)
    if not run.exists or name == run.record().input or _conflict(run, manifest) is None:
        return plain
    return plain.with_name(f"{plain.name}-{hashlib.sha256(name.encode()).hexdigest()[:8]}")


def check_continues(run: Run, record: RunRecord, manifest: Manifest) -> None:
    """Refuse to mix judgements of other items, or judgements made in another way.

    Options that cannot change a verdict that was given may differ: those that the record does
    not hold, and :data:`trace_eval.judges.options.MAY_CHANGE`.

    Raises:
        UserError: names the first difference and a folder to use instead.
    """
    before = run.record()
    other = f"use --out {fresh(run.folder)}"
    for part, details in differences(before, record, ("shard",)):
        raise UserError(f"{run.folder}: was made with another {part} ({details}); {other}")
    if conflict := _conflict(run, manifest):
        owner = before.input or "another input"
        raise UserError(f"{run.folder}: belongs to {owner}, and {conflict}; {other}")
    for part, details in differences(before, record, DECIDING):
        raise UserError(
            f"{run.folder}: was made with another {part} ({details}); {other}, or fuse to change"
            " the policy only"
        )


def _conflict(run: Run, manifest: Manifest) -> str | None:
    """Why an input cannot continue a run: each item of the run must be in it, unchanged."""
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
    named = ", ".join(map(repr, gone[:_NAMED])) + (", ..." if len(gone) > _NAMED else "")
    return f"{len(gone)} of its {kind}s are not in {manifest.path} ({named})"


def fresh(folder: Path) -> Path:
    """The first of ``FOLDER-2``, ``FOLDER-3``, ... that is not there."""
    return next(
        path for n in count(2) if not (path := folder.with_name(f"{folder.name}-{n}")).exists()
    )


def refuse_own_input(run: Run, manifest: Manifest) -> None:
    """Keep an input from being an output: a run is not made of a file in its own folder.

    Raises:
        UserError: the manifest is one.
    """
    path = Path(manifest.path)
    if path.is_file() and path.resolve().parent == run.folder.resolve():
        raise UserError(
            f"{path}: lies in the folder that is written to; use --out {fresh(run.folder)}"
        )
