"""A run's figures for experiment trackers: MLflow, Weights & Biases, and plug-ins."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path

from blueprints import UserError, imported, require
from trace_eval.data.outputs import claimed
from trace_eval.report.answer import ranking_of
from trace_eval.runs.run import Run
from trace_eval.runs.summary import Summary

__all__ = ["ENTRY_POINT_GROUP", "Figures", "figures_of", "send", "trackers"]

#: Entry points by which packages name trackers of their own: NAME = "module:send".
ENTRY_POINT_GROUP = "trace_eval.trackers"

#: Characters that MLflow does not allow in a name.
_OTHER = re.compile(r"[^\w\-. /]")


@dataclass(frozen=True)
class Figures:
    """A run for a tracker.

    Attributes:
        parameters: judge, policy, profile and input.
        metrics: ``coverage``, ``scored``, and per system ``win_rate/SYSTEM`` with the
            ends of its interval ``_low`` and ``_high``; of scores ``score/SYSTEM``, the
            mean. What is not known is left out.
    """

    name: str
    parameters: Mapping[str, str]
    metrics: Mapping[str, float]


def figures_of(folder: Path | str) -> Figures:
    """Read a run's figures; UserError for no run, or one with nothing judged yet."""
    run = Run.open(folder)
    record = run.record()
    if next(iter(run.history()), None) is None:
        raise UserError(
            f"{folder}: nothing is judged yet, so there are no figures; judge first"
        )
    summary = Summary()
    summary.count(run, tuple(record.rubrics))
    metrics = {"scored": float(summary.scored)}
    total = summary.scored + summary.unscored.total()
    if total:
        metrics["coverage"] = summary.scored / total
    if run.holds_scores:
        metrics.update(_means(run))
    else:
        metrics.update(_rates(run))
    details = {"judge": record.judge.spec, "input": record.input, "tag": record.tag}
    parameters = {name: str(value) for name, value in details.items() if value}
    return Figures(
        name=run.folder.resolve().name, parameters=parameters, metrics=metrics
    )


def _rates(run: Run) -> Iterator[tuple[str, float]]:
    ranking, _ = ranking_of(run)
    if ranking is None or ranking.human:  # annotators' rates are not this judge's
        return
    for row in ranking.judged:
        if row.rate.labels is None:
            continue
        name = f"win_rate/{row.system}"
        yield name, row.rate.labels
        if row.rate.labels_interval is not None:
            low, high = row.rate.labels_interval
            yield f"{name}_low", low
            yield f"{name}_high", high


def _means(run: Run) -> Iterator[tuple[str, float]]:
    systems = {item.id: item.system for item in run.singles()}
    values: dict[str, list[float]] = {}
    for (item, rubric), row in run.score_outcomes().items():
        if row.value is not None:
            system = systems.get(item) or "all"
            values.setdefault(f"score/{rubric}/{system}", []).append(row.value)
    for name, scores in values.items():
        yield name, sum(scores) / len(scores)


def _mlflow(figures: Figures, out: Path | None) -> str:
    """Log in the experiment ``trace-eval``; the folder or the environment says where.

    Without a folder, ``MLFLOW_TRACKING_URI`` does.
    """
    if out is not None:  # newer versions ask for a word before they write plain files
        os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = require("mlflow", "mlflow-skinny", "mlflow", "--to mlflow")
    if out is not None:
        mlflow.set_tracking_uri(out.resolve().as_uri())
    mlflow.set_experiment("trace-eval")
    metrics = {_OTHER.sub("_", name): value for name, value in figures.metrics.items()}
    with mlflow.start_run(run_name=figures.name) as run:
        mlflow.log_params(dict(figures.parameters))
        mlflow.log_metrics(metrics)
    return f"mlflow run {run.info.run_id}"


def _wandb(figures: Figures, out: Path | None) -> str:
    """Log in the project ``trace-eval``; a folder's run is offline until uploaded.

    ``wandb sync`` uploads it.
    """
    wandb = require("wandb", "wandb", "wandb", "--to wandb")
    folder = mode = None
    if out is not None:
        folder, mode = str(out), "offline"
    run = wandb.init(
        project="trace-eval",
        name=figures.name,
        config=dict(figures.parameters),
        dir=folder,
        mode=mode,
        settings=wandb.Settings(silent=True),
    )
    run.log(dict(figures.metrics))
    run.finish()
    if out is None:
        return f"wandb run {run.id}"
    return f"wandb run {run.id} in {run.dir}"


#: ``send(figures, out)``: gives what was made a name; ``out`` is the folder of a store
#: of files or of an offline run, None: as the tracker's own settings say.
Send = Callable[[Figures, Path | None], str]

_BUILT_IN: Mapping[str, Send] = {"mlflow": _mlflow, "wandb": _wandb}


def trackers() -> list[str]:
    """Return the names of all trackers, plug-ins included."""
    plug_ins = sorted(entry.name for entry in entry_points(group=ENTRY_POINT_GROUP))
    return list(_BUILT_IN) + plug_ins


def send(run: Path | str, name: str, out: Path | None = None) -> str:
    """Send a run's figures to a tracker.

    Args:
        out: a folder of this machine to write to, offline; None: where the tracker's
            settings say.

    Returns:
        Where they are, in the tracker's words.

    Raises:
        UserError: there is no such tracker, its package is not installed, or there is
            no run.
    """
    log = _tracker(name)
    with claimed(out, name) if out else nullcontext():
        return log(figures_of(run), out)


def _tracker(name: str) -> Send:
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    for entry in entry_points(group=ENTRY_POINT_GROUP, name=name):
        plug_in: Send = imported(entry, f"tracker {name!r}")
        return plug_in
    raise UserError(f"tracker {name!r} is unknown; use one of {', '.join(trackers())}")
