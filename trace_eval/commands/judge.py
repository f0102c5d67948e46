"""``trace-eval judge`` and ``rate``: the whole path from recordings to verdicts or scores."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from blueprints import UserError
from fusion import DEFAULT_POLICY
from trace_eval.commands import options as shared
from trace_eval.commands.console import EXIT_INCOMPLETE, continuable, warn_all
from trace_eval.commands.judging import judge_options, judges_help
from trace_eval.commands.progress import progress
from trace_eval.judges.options import JudgeOptions
from trace_eval.options import (
    DEFAULT_JUDGE,
    DEFAULT_RATERS,
    DEFAULT_RUBRICS,
    ExtractOptions,
    Options,
    usual_rubrics,
)


@judge_options
@shared.extract_options
def judge(
    *,
    items: Annotated[
        str | None,
        typer.Argument(
            help="Pairs, or with rubrics single answers: a table (.jsonl, .csv, .tsv, .parquet,"
            " .json), a folder with a folder of recordings per system, a saved data set, or the"
            " URL of one (hf://datasets/OWNER/NAME). Or a finished run, to judge it again on its"
            " stored evidence."
        ),
    ] = None,
    a: Annotated[
        str | None,
        typer.Option(
            "--a",
            metavar="[NAME=]DIR",
            help="Instead of ITEMS: recordings of one system, paired by file name with --b.",
        ),
    ] = None,
    b: Annotated[
        str | None, typer.Option("--b", metavar="[NAME=]DIR", help="Recordings of the other.")
    ] = None,
    prompts: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|DIR",
            help="What was asked: recordings or .txt by the same names, or a table: id, prompt.",
        ),
    ] = None,
    column: shared.ColumnOption = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{judges_help()} Default: {DEFAULT_JUDGE}, of rate {', '.join(DEFAULT_RATERS)}."
            " Of single answers several may be named, whose scores are pooled."
        ),
    ] = None,
    rubric: Annotated[
        list[str] | None,
        typer.Option(
            help="Score single answers by this rubric: a shipped one (trace-eval rubrics list) or"
            f" a .toml file; may be repeated. Default: none, of rate {', '.join(DEFAULT_RUBRICS)}."
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help="Fusion policy of pairs: a name or a 64-row .csv/.json table. Default:"
            f" {DEFAULT_POLICY}."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Run folder, continued if it is there; default: runs/ITEMS-JUDGE[-I-of-N],"
            " another one for another file ITEMS."
        ),
    ] = None,
    audio_root: shared.AudioRoot = None,
    shard: shared.ShardOption = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Judge the first so many records only.")
    ] = None,
    aa: Annotated[
        int | None,
        typer.Option(
            "--aa",
            min=1,
            help="A/A of a finished run: its own judge again on so many items, past every cache.",
        ),
    ] = None,
    tag: shared.TagOption = None,
    config: shared.ConfigOption = None,
    min_coverage: Annotated[
        float, typer.Option(help="Share of the items that must be scored for exit code 0.")
    ] = Options().min_coverage,
    estimate: shared.EstimateOption = False,
    quick: shared.QuickOption = False,
    batch_file: shared.BatchFile = None,
    batch_results: shared.BatchResults = None,
    extracting: ExtractOptions,
    judging: JudgeOptions,
) -> None:
    """Judge pairs of spoken answers: extract, judge, fuse; resumable."""
    from trace_eval.commands.json_option import give
    from trace_eval.commands.tables import print_batch, print_estimate, print_outcomes
    from trace_eval.data import parse_columns, source_named
    from trace_eval.runs import Job, JudgedRun, is_run, open_again, open_job

    judges, rubrics = tuple(judge or (DEFAULT_JUDGE,)), tuple(rubric or ())
    if rubrics and policy:
        raise UserError(f"policy {policy}: scores are not fused; leave it out, or the rubric")
    options = Options(
        extract=extracting,
        judge=judges if len(judges) > 1 or rubrics else judges[0],
        judging=judging,
        policy=policy or DEFAULT_POLICY,
        min_coverage=min_coverage,
        tag=tag,
        rubrics=rubrics,
    )
    source = source_named(items, a, b, prompts)
    if isinstance(source, str) and is_run(source):
        if shard or estimate or quick or extracting.by_turn:
            told = "no --shard, --estimate, -X by_turn"
            raise UserError(f"{items}: a run is judged again as a whole; {told}")
        job: Job = open_again(source, out, options, aa or limit, aa is not None)
    else:
        if aa:
            raise UserError(f"--aa: {items} is no finished run; name the folder of one")
        job = open_job(
            source,
            out,
            options,
            limit=limit,
            shard=shard,
            audio_root=audio_root,
            columns=parse_columns(column or ()),
        )
    warn_all(job.problems())
    noun = "item" if rubrics else "pair"
    if estimate or quick:
        with progress(len(job.manifest.items)) as listener:
            expected = job.estimate(quick, listener)
        print_estimate(expected, noun)
        give(expected)
    elif batch_file:
        with continuable(job.folder), progress(len(job.manifest.items)) as listener:
            written = job.write_batch(batch_file, listener)
        print_batch(written, noun)
        give(written)
    else:
        with (
            continuable(job.folder),
            progress(len(job.manifest.items), "rating" if rubrics else "judging") as listener,
            job.session(listener, bool(batch_results)) as session,
        ):
            warn_all(cast("list[str]", session.judge.observed().get("example_warnings", [])))
            summary = session.judge_pending(batch_results or ())
        print_outcomes(summary, job.folder, noun)
        give(JudgedRun(job.folder, summary.coverage, summary))
        if summary.total and summary.coverage < min_coverage:
            raise typer.Exit(EXIT_INCOMPLETE)


def rate(**values: Any) -> None:
    """Score single answers by a rubric; judge with the defaults of scores; resumable."""
    judges = values["judge"] or [*DEFAULT_RATERS]
    rubrics = values["rubric"] or [*usual_rubrics(judges)]
    judge(**{**values, "judge": judges, "rubric": rubrics})


rate.__signature__ = inspect.signature(judge)  # type: ignore[attr-defined]
rate.__annotations__ = judge.__annotations__
