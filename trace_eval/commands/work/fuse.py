"""Other verdicts of a finished run: fused anew, made of scores, or calibrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from blueprints import UserError, counted
from fusion import DEFAULT_POLICY
from trace_eval.commands.console import say, say_each
from trace_eval.commands.render import print_tables
from trace_eval.commands.result_files import give
from trace_eval.commands.tables import print_results
from trace_eval.data.columns import Columns
from trace_eval.decide.labelled import check_labels, write_probabilities
from trace_eval.runs.derived import VOICE_QUALITY, write_as_voice_quality
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.opinions import read_with_labels
from trace_eval.runs.options import PairOptions
from trace_eval.runs.run import Run
from trace_eval.runs.score_pairs import write_pairs
from trace_eval.runs.summary import RunShown
from trace_eval.stats.inference.calibrate import Calibration
from trace_eval.stats.inference.tables import calibration_tables


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
        if not calibrated:
            raise UserError(
                f"{run}: a file has no stored ratings to fuse again; agree FILE"
                " --policy NAME compares policies, and --calibrated --out DIR writes"
                " probabilities"
            )
        if out is None:
            raise UserError(f"name the folder of the probabilities of {run} with --out")
        (judged,), labelled = read_with_labels(
            [run], labels, columns, fused_again=policy is not None
        )
        _show(*write_probabilities(judged, labelled, out, policy))
        return
    if options != PairOptions() or out:
        run = _replace(run, options, out)
    policy = policy or DEFAULT_POLICY
    if not calibrated:
        fuse_again(run, policy)
        print_results(run)
        give(RunShown.of(Run.open(run)))
        return
    (judged,), labelled = read_with_labels([run], labels, columns)
    check_labels(judged, labelled, policy)  # before anything is written
    fuse_again(run, policy)
    (judged,), labelled = read_with_labels([run], labels, columns)
    result = write_probabilities(judged, labelled, run)
    print_results(run)
    _show(*result)


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


def _show(calibration: Calibration, paths: Sequence[Path]) -> None:
    """Print how well probabilities were fitted, and where they are."""
    print_tables(calibration_tables(calibration))
    say_each(paths)
    give(calibration)
