"""``trace-eval judge`` and ``rate``: the path from recordings to verdicts or scores."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from blueprints import UserError
from fusion import DEFAULT_POLICY
from trace_eval.commands import options as shared
from trace_eval.commands.console import (
    EXIT_INCOMPLETE,
    continuable,
    messages,
    say,
    warn_all,
)
from trace_eval.commands.progress import progress
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.data.input_options import InputOptions, TwoFolders
from trace_eval.data.urls import is_url
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.runs.options import (
    DEFAULT_JUDGE,
    DEFAULT_RATERS,
    DEFAULT_RUBRICS,
    Options,
    usual_rubrics,
)

if TYPE_CHECKING:
    from trace_eval.runs.job import Job


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
        help=f"{shared.judges_help()} Default: {DEFAULT_JUDGE}, of rate"
        f" {', '.join(DEFAULT_RATERS)}. Of single answers several may be named, whose scores"
        " are pooled."
    ),
]
Rubrics = Annotated[
    list[str] | None,
    typer.Option(
        help="Score single answers by this rubric: a shipped one (trace-eval rubrics list) or"
        f" a .toml file; may be repeated. Default: none, of rate {', '.join(DEFAULT_RUBRICS)}."
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
        help="Run folder, continued if it is there, with ray also a URL; default:"
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
    """What is done in place of judging.

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
    from trace_eval.data.sources import source_named
    from trace_eval.runs.job import open_again, open_job
    from trace_eval.runs.run import Run

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
    source = source_named(items, folders)
    if isinstance(source, str) and Run(source).exists:
        if reading.shard or instead.estimate or instead.quick or extracting.by_turn:
            message = "no --shard, --estimate, -X by_turn"
            raise UserError(f"{items}: a run is judged again as a whole; {message}")
        job: Job = open_again(
            source,
            out,
            options=options,
            items=aa or reading.limit,
            repeat=aa is not None,
        )
    elif aa:
        raise UserError(f"--aa: {items} is not a finished run; name the folder of one")
    else:
        job = open_job(source, out, options, **vars(reading))
    warn_all(job.problems())
    if instead.estimate or instead.quick:
        _estimate(job, instead.quick)
    elif instead.batch_file:
        _write_batch(job, instead.batch_file)
    else:
        _judge(job, instead.batch_results)


def _noun(job: Job) -> str:
    return "item" if job.options.rubrics else "pair"


def _estimate(job: Job, quick: bool) -> None:
    from trace_eval.commands.tables import print_estimate

    with progress(len(job.manifest.items)) as listener:
        expected = job.estimate(quick, listener)
    print_estimate(expected, _noun(job))
    give(expected)


def _write_batch(job: Job, file: Path) -> None:
    from trace_eval.commands.tables import print_batch

    with continuable(job.folder), progress(len(job.manifest.items)) as listener:
        written = job.write_batch(file, listener)
    print_batch(written, _noun(job))
    give(written)


def _judge(job: Job, batch_results: Sequence[Path]) -> None:
    from trace_eval.commands.tables import print_results, print_scores, print_summary
    from trace_eval.runs.run import Run
    from trace_eval.runs.summary import JudgedRun

    what = "rating" if job.options.rubrics else "judging"
    with continuable(job.out), ExitStack() as stack:
        with progress(len(job.manifest.items), what) as listener:
            folder, summary = stack.enter_context(job.judged(listener, batch_results))
        observed = Run(folder).record().judge_observed
        warn_all(cast("list[str]", observed.get("example_warnings", [])))
        if job.options.rubrics:
            print_scores(folder)
        else:
            print_results(folder)
        print_summary(summary, job.out, _noun(job))
        _conclude(folder, job.out)
        give(JudgedRun(job.out, summary.coverage, summary))
    if summary.total and summary.coverage < job.options.min_coverage:
        raise typer.Exit(EXIT_INCOMPLETE)


def _conclude(folder: Path, out: Path | str) -> None:
    """Print who wins in a run, and the command that shows it where it is kept."""
    from trace_eval.report.answer import short_answer

    say(*short_answer(folder))
    if is_url(str(out)):  # what a report reads lies on this machine
        return
    message = f"next: trace-eval report {shlex.quote(str(out))}"
    messages().print(message, highlight=False, markup=False, soft_wrap=True)


def rate(**values: Any) -> None:
    """Score single answers by a rubric, with the defaults of scores; resumable."""
    judges = values["judge"] or list(DEFAULT_RATERS)
    rubrics = values["rubric"] or list(usual_rubrics(judges))
    values["judge"] = judges
    values["rubric"] = rubrics
    judge(**values)


rate.__signature__ = inspect.signature(judge)  # type: ignore[attr-defined]
rate.__annotations__ = judge.__annotations__
