"""Probabilities that annotators prefer A, fitted to labels, of a run or of a file."""

from __future__ import annotations

from pathlib import Path

from fusion import DEFAULT_POLICY
from trace_eval.commands.console import say_each
from trace_eval.commands.render import print_tables
from trace_eval.commands.result_files import give
from trace_eval.commands.tables import print_results
from trace_eval.data.columns import Columns
from trace_eval.decide.labelled import check_labels, write_probabilities
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.opinions import read_with_labels
from trace_eval.stats.inference.tables import calibration_tables


def write_fitted(
    source: Path,
    *,
    policy: str | None,
    labels: Path | None,
    columns: Columns,
    out: Path | None,
) -> None:
    """Write probabilities: beside a run, which is fused again, or of a file elsewhere.

    Raises:
        UserError: there are no labels, or too few.
    """
    is_file = source.is_file()
    (judged,), labelled = read_with_labels(
        [source], labels, columns, fused_again=is_file and policy is not None
    )
    if is_file and out is not None:
        result, paths = write_probabilities(judged, labelled, out, policy)
    else:
        policy = policy or DEFAULT_POLICY
        check_labels(judged, labelled, policy)  # before anything is written
        fuse_again(source, policy)
        (judged,), labelled = read_with_labels([source], labels, columns)
        result, paths = write_probabilities(judged, labelled, source)
        print_results(source)
    print_tables(calibration_tables(result))
    say_each(paths)
    give(result)
