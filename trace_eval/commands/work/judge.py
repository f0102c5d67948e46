"""A judging: items opened, judged or estimated, and what is printed of them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import cast

import typer

from blueprints import UserError
from trace_eval.commands.console import (
    EXIT_INCOMPLETE,
    continuable,
    messages,
    say_each,
    warn_all,
)
from trace_eval.commands.progress import progress
from trace_eval.commands.result_files import give
from trace_eval.commands.tables import (
    print_batch,
    print_estimate,
    print_results,
    print_scores,
    print_summary,
)
from trace_eval.data.input_options import InputOptions, TwoFolders
from trace_eval.data.sources import source_named
from trace_eval.data.urls import is_url
from trace_eval.report.short_answer import short_answer
from trace_eval.runs.job import Job, open_again, open_job
from trace_eval.runs.options import Options
from trace_eval.runs.run import Run
from trace_eval.runs.summary import JudgedRun


def open_items(
    items: str | None,
    folders: TwoFolders,
    out: str | None,
    options: Options,
    *,
    reading: InputOptions,
    again: int | None,
    estimated: bool,
) -> Job:
    """Open what the command line names, or a finished run that is judged again.

    Args:
        again: how many items of a finished run are judged anew, past every cache.
        estimated: the cost is wanted, which a finished run does not tell.

    Raises:
        UserError: an option does not go with a finished run, or needs one.
    """
    source = source_named(items, folders)
    if isinstance(source, str) and Run(source).exists:
        if reading.shard or estimated or options.extract.by_turn:
            message = "no --shard, --estimate, -X by_turn"
            raise UserError(f"{items}: a run is judged again as a whole; {message}")
        job = open_again(
            source,
            out,
            options=options,
            items=again or reading.limit,
            repeat=again is not None,
        )
    elif again:
        raise UserError(f"--aa: {items} is not a finished run; name the folder of one")
    else:
        job = open_job(source, out, options, **vars(reading))
    warn_all(job.problems())
    return job


def _noun(job: Job) -> str:
    return "item" if job.options.rubrics else "pair"


def tell_cost(job: Job, quick: bool) -> None:
    """Print calls, tokens and cost of a judging, or the hours of a local model."""
    with progress(len(job.manifest.items)) as listener:
        expected = job.estimate(quick, listener)
    print_estimate(expected, _noun(job))
    give(expected)


def write_batch(job: Job, file: Path) -> None:
    """Write the requests of a batch to a file; send nothing."""
    with continuable(job.folder), progress(len(job.manifest.items)) as listener:
        written = job.write_batch(file, listener)
    print_batch(written, _noun(job))
    give(written)


def judge_items(job: Job, batch_results: Sequence[Path]) -> None:
    """Judge the items, print the results, and end with 1 where too few are scored.

    Args:
        batch_results: the provider's replies, if they were fetched as a batch.
    """
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
    say_each(short_answer(folder))
    if is_url(str(out)):  # what a report reads lies on this machine
        return
    message = f"next: trace-eval report {shlex.quote(str(out))}"
    messages().print(message, highlight=False, markup=False, soft_wrap=True)
