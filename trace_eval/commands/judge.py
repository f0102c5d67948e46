"""``trace-eval judge``: the whole path from recordings to overall ratings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blueprints.errors import UserError
from fusion import DEFAULT_POLICY
from trace_eval.commands import options as shared
from trace_eval.commands.console import EXIT_INCOMPLETE, warn_all
from trace_eval.commands.judging import judge_options, judges_help
from trace_eval.commands.sitting import Ways, sit
from trace_eval.judges.options import JudgeOptions
from trace_eval.options import DEFAULT_JUDGE, ExtractOptions, Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from trace_eval.runs.pipeline import Listener

_DEFAULTS = Options()


@judge_options
@shared.extract_options
def judge(
    *,
    pairs: Annotated[
        str,
        typer.Argument(
            help="Manifest (.jsonl, .csv, .parquet, HCoT .json), or its URL; or a finished run, to"
            " judge it again on its stored evidence."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Run folder, continued if it is there; default: runs/PAIRS-JUDGE[-I-of-N],"
            " another one for another file PAIRS."
        ),
    ] = None,
    judge: Annotated[str, typer.Option(help=judges_help())] = DEFAULT_JUDGE,
    policy: Annotated[
        str, typer.Option(help="Fusion policy: a name or a 64-row .csv/.json table.")
    ] = DEFAULT_POLICY,
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
        float, typer.Option(help="Share of pairs that must be scored for exit code 0.")
    ] = _DEFAULTS.min_coverage,
    estimate: shared.EstimateOption = False,
    quick: shared.QuickOption = False,
    batch_file: shared.BatchFile = None,
    batch_results: shared.BatchResults = None,
    extracting: ExtractOptions,
    judging: JudgeOptions,
) -> None:
    """Judge pairs of spoken answers: extract, judge, fuse; resumable."""
    from trace_eval.commands.tables import print_results, print_summary
    from trace_eval.data.manifests import read_manifest
    from trace_eval.data.parts import Shard
    from trace_eval.data.recordings import check_audio
    from trace_eval.data.records import spill_to
    from trace_eval.extracting.cache import audio_folder
    from trace_eval.runs.again import is_run, out_again, session_again, stored_manifest
    from trace_eval.runs.inputs import default_out
    from trace_eval.runs.run import Run
    from trace_eval.runs.session import Session

    part = Shard.parse(shard) if shard else None
    options = Options(
        extracting, judge, replace(judging, offline=bool(batch_results)), policy, min_coverage, tag
    )
    ways = Ways(estimate or quick, quick, batch_file, batch_results or ())
    open_session: Callable[[Listener], Session]
    if is_run(pairs):
        if part or ways.estimate:
            raise UserError(f"{pairs}: a run is judged again as a whole; no --shard, --estimate")
        run = Run.open(pairs)
        manifest = stored_manifest(run, aa or limit)
        folder = out or out_again(run, judge, aa is not None)
        open_session = partial(session_again, run, manifest, folder, options, repeat=aa is not None)
    else:
        if aa:
            raise UserError(f"--aa: {pairs} is no finished run; name the folder of one")
        spill = spill_to(audio_folder(extracting.cache))
        manifest = read_manifest(pairs, audio_root, spill, limit)
        manifest = manifest.shard(part) if part else manifest
        folder = out or default_out(manifest, judge)
        warn_all((*manifest.problems, *manifest.warnings, *check_audio(manifest.pairs)))
        open_session = partial(Session, manifest, folder, options)
    summary = sit(manifest, folder, options, open_session, ways)
    if summary is None:
        return
    print_results(folder)
    print_summary(summary, folder)
    if summary.total and summary.coverage < min_coverage:
        raise typer.Exit(EXIT_INCOMPLETE)
