"""One sitting at a run, as ``judge`` and ``rate`` hold it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import typer

from trace_eval.commands.console import EXIT_INTERRUPTED, messages, warn_all
from trace_eval.commands.progress import progress

if TYPE_CHECKING:
    from trace_eval.data.manifests import Manifest
    from trace_eval.options import Options
    from trace_eval.runs.pipeline import Listener
    from trace_eval.runs.session import Session
    from trace_eval.runs.summary import Summary


class Ways(NamedTuple):
    """What may be done instead of asking a server: look ahead, write or read batch files."""

    estimate: bool
    quick: bool
    batch_file: Path | None
    batch_results: Sequence[Path]


def sit(
    manifest: Manifest,
    folder: Path,
    options: Options,
    open_session: Callable[[Listener], Session],
    ways: Ways,
    what: str = "judging",
) -> Summary | None:
    """Work on what is left of a run; None: nothing was asked, and what there is was printed.

    Raises:
        typer.Exit: it was interrupted.
    """
    from trace_eval.commands.tables import print_batch

    noun = "items" if what == "rating" else "pairs"
    if ways.estimate:
        _estimate(manifest, options, folder, ways.quick, noun)
        return None
    try:
        with progress(len(manifest.items), what) as listener, open_session(listener) as session:
            warn_all(cast("list[str]", session.judge.observed().get("example_warnings", [])))
            if ways.batch_file:
                print_batch(session.write_batch(ways.batch_file), noun)
                return None
            return session.judge_pending(ways.batch_results)
    except KeyboardInterrupt:
        messages().print(f"interrupted; the same command continues {folder}")
        raise typer.Exit(EXIT_INTERRUPTED) from None


def _estimate(manifest: Manifest, options: Options, folder: Path, quick: bool, noun: str) -> None:
    from trace_eval.commands.tables import print_estimate
    from trace_eval.runs.estimate import estimate_manifest, quick_estimate

    if quick:
        print_estimate(quick_estimate(manifest, options, folder), noun)
        return
    with progress(len(manifest.items)) as listener:
        found = estimate_manifest(manifest, options, folder, listener)
    print_estimate(found, noun)
