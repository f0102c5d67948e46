"""Other verdicts of a finished run: fused anew, made of scores, or calibrated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from blueprints import UserError, counted
from fusion import DEFAULT_POLICY
from trace_eval.commands.console import say
from trace_eval.commands.result_files import give
from trace_eval.commands.tables import print_results
from trace_eval.data.columns import Columns
from trace_eval.runs.derived import VOICE_QUALITY, write_as_voice_quality
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.options import PairOptions
from trace_eval.runs.run import Run
from trace_eval.runs.score_pairs import write_pairs
from trace_eval.runs.summary import RunShown


@dataclass(frozen=True)
class PairsWritten:
    """Pairs that were made of scores, and where they are."""

    out: Path
    pairs: int


def fuse_run(
    run: Path,
    policy: str | None,
    *,
    calibrated: bool,
    labels: Path | None,
    columns: Columns,
    out: Path | None,
    options: PairOptions,
) -> None:
    """Fuse a run again, make pairs of its scores, or write its probabilities.

    Raises:
        UserError: an option does not go with what the run or file holds.
    """
    if run.is_dir() and Run(run).holds_scores:
        if policy or calibrated or labels:
            raise UserError(
                f"{run}: holds scores; policy, calibrated and labels are for pairs"
            )
        _compare_scores(run, out, options)
        return
    if options.tie_margin or options.rubric:
        raise UserError(
            f"{run}: holds no scores; tie_margin and rubric are for runs of rate"
        )
    if run.is_file() and options == PairOptions():
        _refuse_file(run, calibrated, out)
    elif options != PairOptions() or out:
        run = _replace(run, options, out)
    if calibrated:
        # reads labels and fits, which is half a second of imports
        from trace_eval.commands.work.probabilities import write_fitted

        write_fitted(run, policy=policy, labels=labels, columns=columns, out=out)
        return
    fuse_again(run, policy or DEFAULT_POLICY)
    print_results(run)
    give(RunShown.of(Run.open(run)))


def _refuse_file(file: Path, calibrated: bool, out: Path | None) -> None:
    """Refuse a file of judgements for all but probabilities in a folder."""
    if not calibrated:
        raise UserError(
            f"{file}: a file has no stored ratings to fuse again; agree FILE"
            " --policy NAME compares policies, and --calibrated --out DIR writes"
            " probabilities"
        )
    if out is None:
        raise UserError(f"name the folder of the probabilities of {file} with --out")


def _compare_scores(run: Path, out: Path | None, options: PairOptions) -> None:
    if out is None:
        raise UserError(
            f"{run}: holds scores; name the run or table of the pairs with --out"
        )
    count = write_pairs(run, out, options)
    say(f"{counted(count, 'pair')} -> {out}")
    give(PairsWritten(out, count))


def _replace(run: Path, options: PairOptions, out: Path | None) -> Path:
    acceptable, onto = options.acceptable, options.onto
    if (
        options.stands_for != VOICE_QUALITY
        or acceptable is None
        or onto is None
        or out is None
    ):
        raise UserError(
            "--as, --acceptable, --onto and --out go together: --as voice_quality"
            " --acceptable 6 --onto JUDGED --out NEW"
        )
    write_as_voice_quality(run, onto, out, acceptable)
    return out
