"""A run's figures as a run of MLflow."""

from __future__ import annotations

import os
import re
from pathlib import Path

from blueprints import require
from trace_eval.report.trackers.figures import Figures

#: What MLflow allows in a name.
_OTHER = re.compile(r"[^\w\-. /]")


def send(figures: Figures, out: Path | None) -> str:
    """Log parameters and metrics in the experiment ``trace-eval``.

    Args:
        out: folder of a file store; None: the tracking server of ``MLFLOW_TRACKING_URI``.
    """
    if out is not None:  # newer versions ask for a word before they write plain files
        os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = require("mlflow", "mlflow-skinny", "mlflow", "--to mlflow")
    if out is not None:
        mlflow.set_tracking_uri(out.resolve().as_uri())
    mlflow.set_experiment("trace-eval")
    with mlflow.start_run(run_name=figures.name) as run:
        mlflow.log_params(dict(figures.parameters))
        mlflow.log_metrics({_OTHER.sub("_", key): v for key, v in figures.metrics.items()})
    return f"mlflow run {run.info.run_id}"
