"""``trace-eval fuse``: other verdicts from a finished run, without judging again."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer

from blueprints import UserError, counted
from fusion import DEFAULT_POLICY
from trace_eval.commands.console import say
from trace_eval.commands.render import AS_AGREE, LabelsOption, print_tables
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes, refuse_unused
from trace_eval.data.columns import Columns
from trace_eval.runs.options import PairOptions

_Policy = Annotated[
    str | None,
    typer.Option(
        help="Fusion policy: a name or a 64-row .csv/.json table. Default:"
        f" {DEFAULT_POLICY}; of a file the labels that it has."
    ),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        help="Pairs made of scores: a .csv or .jsonl of labels, or a new run folder. With --as:"
        " a new run folder. With a file: folder of the probabilities."
    ),
]


@dataclass(frozen=True)
class PairsWritten:
    """Pairs that were made of scores, and where they are."""

    out: Path
    pairs: int


@from_classes
def fuse(
    *,
    run: Annotated[
        Path,
        typer.Argument(
            help=(
                "Run folder of judge or rate; with --calibrated also a file of"
                " judgements."
            )
        ),
    ],
    policy: _Policy = None,
    calibrated: Annotated[
        bool,
        typer.Option(
            "--calibrated",
            help="Also write P(annotators prefer A) of every pair, from labels.",
        ),
    ] = False,
    labels: LabelsOption = None,
    columns: Annotated[Columns, AS_AGREE],
    out: _Out = None,
    options: PairOptions,
    context: typer.Context,
) -> None:
    """Fuse again with another policy, or make pairs of scores; nothing is judged."""
    from trace_eval.runs.run import Run

    if not calibrated:
        names = {field.name for field in fields(Columns)}
        refuse_unused(context, {"labels", *names}, "without --calibrated")
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
        _calibrate(run, policy, labels=labels, columns=columns, folder=out)
        return
    if options != PairOptions() or out:
        run = _replace(run, options, out)
    from trace_eval.commands.tables import print_results
    from trace_eval.runs.fuse import fuse_again
    from trace_eval.runs.summary import RunShown

    fuse_again(run, policy or DEFAULT_POLICY)
    print_results(run)
    if calibrated:
        _calibrate(run, None, labels=labels, columns=columns, folder=run)
    else:
        give(RunShown.of(Run.open(run)))


def _compare_scores(run: Path, out: Path | None, options: PairOptions) -> None:
    from trace_eval.runs.score_pairs import write_pairs

    if out is None:
        raise UserError(
            f"{run}: holds scores; name the run or table of the pairs with --out"
        )
    count = write_pairs(run, out, options)
    say(f"{counted(count, 'pair')} -> {out}")
    give(PairsWritten(out, count))


def _replace(run: Path, options: PairOptions, out: Path | None) -> Path:
    from trace_eval.runs.derived import VOICE_QUALITY, write_as_voice_quality

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


def _calibrate(
    source: Path,
    policy: str | None,
    *,
    labels: Path | None,
    columns: Columns,
    folder: Path,
) -> None:
    from trace_eval.decide.labelled import write_probabilities
    from trace_eval.runs.opinions import read_with_labels
    from trace_eval.stats.inference.tables import calibration_tables

    (judged,), available = read_with_labels(
        [source], labels, columns, fused_again=policy is not None
    )
    result, paths = write_probabilities(judged, available, folder, policy)
    print_tables(calibration_tables(result))
    say(*paths)
    give(result)
