"""A run's figures as a run of Weights & Biases."""

from __future__ import annotations

from pathlib import Path

from blueprints import require
from trace_eval.report.trackers.figures import Figures


def send(figures: Figures, out: Path | None) -> str:
    """Log parameters and metrics in the project ``trace-eval``.

    Args:
        out: folder for an offline run, which ``wandb sync`` uploads; None: as ``WANDB_MODE`` says.
    """
    wandb = require("wandb", "wandb", "wandb", "--to wandb")
    run = wandb.init(
        project="trace-eval",
        name=figures.name,
        config=dict(figures.parameters),
        dir=None if out is None else str(out),
        mode=None if out is None else "offline",
        settings=wandb.Settings(silent=True),
    )
    run.log(dict(figures.metrics))
    run.finish()
    return f"wandb run {run.id}" + (f" in {run.dir}" if out is not None else "")
