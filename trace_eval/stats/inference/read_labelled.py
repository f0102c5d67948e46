"""Judgements and a few human labels from files, for plans and screens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from trace_eval.data import Columns, read_labels
from trace_eval.runs import load_policy
from trace_eval.stats.agreement.source import read_source
from trace_eval.stats.inference.labelled_run import LabelledRun, gather


def read_labelled_run(
    source: Path,
    labels: Path | None = None,
    *,
    judge: str | None = None,
    policy: str | None = None,
    dimension: str | None = None,
    others: Sequence[Path] = (),
    columns: Columns | None = None,
) -> LabelledRun:
    """Read what :func:`trace_eval.stats.inference.labelled_run.gather` joins.

    Args:
        source: run folder or file of judgements.
        labels: file of human labels; None: those that came with the judgements.
        judge, dimension: which of the source.
        policy: name or file of the policy that fuses the overall label; None: the stored one.
        others: runs or files of further judges of the same items.
        columns: how the file names its columns.

    Raises:
        UserError: a file cannot be read, or see there.
    """
    return gather(
        read_source(source, columns),
        read_labels(labels) if labels else None,
        judge=judge,
        policy=load_policy(policy) if policy else None,
        dimension=dimension,
        others=[read_source(path) for path in others],
    )
