"""Which trackers there are, and how a run is sent to one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path

from blueprints import UserError
from trace_eval.data.outputs import claimed
from trace_eval.report.trackers.figures import Figures, figures_of

#: Where packages name trackers of their own: NAME = "module:send".
ENTRY_POINT_GROUP = "trace_eval.trackers"

#: ``send(figures, out)``: gives what was made a name; ``out`` is a folder, None: as the tracker's
#: own settings say.
Send = Callable[[Figures, Path | None], str]

_OWN = ("mlflow", "wandb")


def trackers() -> list[str]:
    """Names of all trackers, plug-ins included."""
    return [*_OWN, *sorted(entry.name for entry in entry_points(group=ENTRY_POINT_GROUP))]


def send(run: Path | str, name: str, out: Path | None = None) -> str:
    """Send a run's figures to a tracker.

    Args:
        run: its folder.
        name: of the tracker.
        out: a folder of this machine to write to, offline; None: where the tracker's settings say.

    Returns:
        Where they are, in the tracker's words.

    Raises:
        UserError: there is no such tracker, its package is not installed, or there is no run.
    """
    if name in _OWN:
        made: Send = import_module(f"trace_eval.report.trackers.{name}").send
    elif entry := next(iter(entry_points(group=ENTRY_POINT_GROUP, name=name)), None):
        made = entry.load()
    else:
        raise UserError(f"tracker {name!r} is unknown; use one of {', '.join(trackers())}")
    with claimed(out, name) if out else nullcontext():
        return made(figures_of(run), out)
