"""Judgements and a few human labels from files, for plans and screens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trace_eval.data.columns import Columns
from trace_eval.runs.fuse import load_policy
from trace_eval.runs.opinions import read_opinions, read_with_labels
from trace_eval.stats.inference.labelled_run import LabelledRun, gather
from trace_eval.stats.options import LabelChoice


def read_labelled_run(
    source: Path,
    labels: Path | None = None,
    chosen: LabelChoice | None = None,
    *,
    others: Sequence[Path] = (),
    columns: Columns | None = None,
) -> LabelledRun:
    """Read what :func:`trace_eval.stats.inference.labelled_run.gather` joins.

    Args:
        source: run folder or file of judgements.
        labels: file of human labels; None: those that came with the judgements.
        chosen: which of its labels; default: the overall one of the only judge.
        others: runs or files of further judges of the same items.
        columns: how the file names its columns.

    Raises:
        UserError: a file cannot be read, or see there.
    """
    chosen = chosen or LabelChoice()
    (judged,), available = read_with_labels([source], labels, columns)
    return gather(
        judged,
        available,
        judge=chosen.judge,
        policy=load_policy(chosen.policy) if chosen.policy else None,
        dimension=chosen.dimension,
        others=[read_opinions(path) for path in others],
    )
