"""``trace-eval fuse``: another policy over a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fusion import DEFAULT_POLICY


def fuse(
    run: Annotated[Path, typer.Argument(help="Run folder of judge.")],
    policy: Annotated[
        str, typer.Option(help="Fusion policy: a name or a 64-row .csv/.json table.")
    ] = DEFAULT_POLICY,
) -> None:
    """Fuse again with another policy; nothing is extracted or judged."""
    from trace_eval.commands.tables import print_results
    from trace_eval.runs.fuse import fuse_again

    fuse_again(run, policy)
    print_results(run)
