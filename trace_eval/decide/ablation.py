"""The tables of an ablation, from the runs of its conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from blueprints import UserError
from trace_eval.data.policies import load_policy
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.runs.ablate import FULL
from trace_eval.runs.ablate_options import AblateOptions
from trace_eval.runs.opinions import read_opinions, read_with_labels
from trace_eval.show.table import Table, table
from trace_eval.stats.agreement.ablation import (
    Ablation,
    ablation_table,
    mode_policy_table,
)


def compare(
    run: Path,
    folders: Mapping[str, Sequence[Path]],
    options: AblateOptions,
    labels: Path | None = None,
    resamples: int = 10_000,
) -> dict[str, Ablation]:
    """Title -> table: dropped groups (TRACE, Table 12), and modes x policies (Table 11).

    Items that a condition could not score count for neither side; the tables give the number
    of items behind every figure.

    Args:
        run: what was judged again.
        folders: condition -> the runs of its repeats.
        options: the policy, and whether there are modes to compare.
        labels: annotators'; None: those in the run.

    Raises:
        UserError: there are no labels.
    """
    (full,), read = read_with_labels([folders[FULL][0]], labels)
    truth = read or full.labels
    if truth is None:
        raise UserError(f"{run}: its pairs carry no labels; name a file with --labels")
    judged = {name: [read_opinions(f) for f in repeats] for name, repeats in folders.items()}
    bootstrap = BootstrapOptions(resamples)
    drops = {name: tables for name, tables in judged.items() if name != "transcript"}
    results = {"Ablation": ablation_table(drops, truth, bootstrap, load_policy(options.policy))}
    if options.modes:
        two = {"blueprint": judged[FULL], "transcript": judged["transcript"]}
        results["Modes and policies"] = mode_policy_table(two, truth, bootstrap)
    return results


def ablation_view(result: Ablation, title: str = "Ablation") -> Table:
    """The table of an ablation, or of modes and policies."""
    return table(
        f"{title}: difference to {result.reference}",
        result.rows,
        "condition dimension items accuracy spread run_to_run difference mcnemar.only_first"
        " mcnemar.only_second mcnemar.p p_holm",
        only_first="only reference right",
        only_second="only condition right",
        p="exact McNemar p",
    )
