"""``trace-eval judge`` and ``rate``: the path from recordings to verdicts or scores."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from blueprints import UserError
from fusion import DEFAULT_POLICY
from trace_eval.commands import options as shared
from trace_eval.commands.signatures import from_classes
from trace_eval.data.input_options import InputOptions, TwoFolders
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.runs.options import (
    DEFAULT_JUDGE,
    DEFAULT_RATERS,
    DEFAULT_RUBRICS,
    Options,
    usual_rubrics,
)

Items = Annotated[
    str | None,
    typer.Argument(
        help="Pairs, or with rubrics single answers: a table (.jsonl, .csv, .tsv, .parquet,"
        " .json), a folder with a folder of recordings per system, a saved data set, or the"
        " URL of one (hf://datasets/OWNER/NAME). Or a finished run, to judge it again on its"
        " stored evidence."
    ),
]
Judges = Annotated[
    list[str] | None,
    typer.Option(
        help=f"{shared.judges_help()} Default: {DEFAULT_JUDGE}, for rate"
        f" {', '.join(DEFAULT_RATERS)}. For single answers several may be named; their"
        " scores are pooled."
    ),
]
Rubrics = Annotated[
    list[str] | None,
    typer.Option(
        help="Score single answers by this rubric: a shipped one (trace-eval rubrics list) or"
        f" a .toml file; may be repeated. Default: none, for rate {', '.join(DEFAULT_RUBRICS)}."
    ),
]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        help="Fusion policy of pairs: a name or a 64-row .csv/.json table. Default:"
        f" {DEFAULT_POLICY}."
    ),
]
RunFolder = Annotated[
    str | None,
    typer.Option(
        help="Run folder, or a URL with ray; continued if it exists. Default:"
        " runs/ITEMS-JUDGE[-I-of-N], another one for another file ITEMS."
    ),
]
Again = Annotated[
    int | None,
    typer.Option(
        "--aa",
        min=1,
        help=(
            "Re-judge N items of a finished run without caches, to measure the judge's own"
            " noise."
        ),
    ),
]


@dataclass(frozen=True)
class Instead:
    """The work that a flag asks for in place of judging.

    Attributes:
        estimate: print calls, tokens and cost, or the hours of a model that the judge
            serves, which is asked a few times; makes no run, needs no key.
        quick: with --estimate: from durations, without extraction.
        batch_file: write the provider's batch requests here; send nothing.
        batch_results: read the provider's batch results; send nothing.
    """

    estimate: bool = False
    quick: bool = False
    batch_file: Path | None = None
    batch_results: tuple[Path, ...] = ()


@from_classes
@shared.judge_options
@shared.extract_options
def judge(
    *,
    items: Items = None,
    folders: TwoFolders,
    judge: Judges = None,
    rubric: Rubrics = None,
    policy: PolicyOption = None,
    out: RunFolder = None,
    reading: InputOptions,
    aa: Again = None,
    config: shared.ConfigOption = None,
    chosen: Annotated[Options, ("min_coverage", "tag")],
    instead: Instead,
    extracting: ExtractOptions,
    judging: JudgeOptions,
) -> None:
    """Judge pairs of spoken answers: extract, judge, fuse; resumable."""
    from trace_eval.commands.work.judge import (
        judge_items,
        open_items,
        tell_cost,
        write_batch,
    )

    judges, rubrics = tuple(judge or (DEFAULT_JUDGE,)), tuple(rubric or ())
    if rubrics and policy:
        raise UserError(
            f"policy {policy}: scores are not fused; leave it out, or the rubric"
        )
    options = replace(
        chosen,
        extract=extracting,
        judge=judges if len(judges) > 1 or rubrics else judges[0],
        judging=judging,
        policy=policy or DEFAULT_POLICY,
        rubrics=rubrics,
    )
    estimated = instead.estimate or instead.quick
    job = open_items(
        items,
        folders,
        out,
        options,
        reading=reading,
        again=aa,
        estimated=estimated,
    )
    if estimated:
        tell_cost(job, instead.quick)
    elif instead.batch_file:
        write_batch(job, instead.batch_file)
    else:
        judge_items(job, instead.batch_results)


def rate(**values: Any) -> None:
    """Score single answers by a rubric, with the defaults of scores; resumable."""
    judges = values["judge"] or list(DEFAULT_RATERS)
    rubrics = values["rubric"] or list(usual_rubrics(judges))
    values["judge"] = judges
    values["rubric"] = rubrics
    judge(**values)


rate.__signature__ = inspect.signature(judge)  # type: ignore[attr-defined]
rate.__annotations__ = judge.__annotations__
