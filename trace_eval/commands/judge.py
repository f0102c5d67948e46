"""``trace-eval judge``: the whole path from recordings to overall ratings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fusion import DEFAULT_POLICY
from trace_eval.commands import options as shared
from trace_eval.commands.console import EXIT_INCOMPLETE, EXIT_INTERRUPTED, messages, warn_all
from trace_eval.commands.judging import judge_options
from trace_eval.commands.progress import progress
from trace_eval.judges.options import JudgeOptions
from trace_eval.options import DEFAULT_JUDGE, ExtractOptions, Options

if TYPE_CHECKING:
    from trace_eval.data.manifests import Manifest

_DEFAULTS = Options()


@judge_options
@shared.extract_options
def judge(
    *,
    pairs: Annotated[
        str, typer.Argument(help="Manifest (.jsonl, .csv, .parquet, HCoT .json), or its URL.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Run folder, continued if it is there; default: runs/PAIRS-JUDGE[-I-of-N],"
            " another one for another file PAIRS."
        ),
    ] = None,
    judge: Annotated[str, typer.Option(help="Who judges; see trace-eval doctor.")] = DEFAULT_JUDGE,
    policy: Annotated[
        str, typer.Option(help="Fusion policy: a name or a 64-row .csv/.json table.")
    ] = DEFAULT_POLICY,
    audio_root: shared.AudioRoot = None,
    shard: shared.ShardOption = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Judge the first so many records only.")
    ] = None,
    tag: Annotated[
        str | None, typer.Option(help="A name for trace-eval runs --tag to find the run by.")
    ] = None,
    config: shared.ConfigOption = None,
    min_coverage: Annotated[
        float, typer.Option(help="Share of pairs that must be scored for exit code 0.")
    ] = _DEFAULTS.min_coverage,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate",
            help="Print calls, tokens and cost; makes no run, needs no key.",
        ),
    ] = False,
    quick: Annotated[
        bool,
        typer.Option("--quick", help="With --estimate: from durations, without extraction."),
    ] = False,
    batch_file: Annotated[
        Path | None, typer.Option(help="Write the provider's batch requests here; send nothing.")
    ] = None,
    batch_results: Annotated[
        list[Path] | None, typer.Option(help="Read the provider's batch results; send nothing.")
    ] = None,
    extracting: ExtractOptions,
    judging: JudgeOptions,
) -> None:
    """Judge pairs of spoken answers: extract, judge, fuse; resumable."""
    from trace_eval.commands.tables import print_batch, print_results, print_summary
    from trace_eval.data.manifests import check_audio, read_manifest
    from trace_eval.data.parts import Shard
    from trace_eval.data.records import spill_to
    from trace_eval.extracting.cache import audio_folder
    from trace_eval.runs.inputs import default_out
    from trace_eval.runs.session import Session

    part = Shard.parse(shard) if shard else None
    options = Options(
        extracting, judge, replace(judging, offline=bool(batch_results)), policy, min_coverage, tag
    )
    manifest = read_manifest(pairs, audio_root, spill_to(audio_folder(extracting.cache)), limit)
    if part:
        manifest = manifest.shard(part)
    out = out or default_out(manifest, judge)
    warn_all((*manifest.problems, *manifest.warnings, *check_audio(manifest.pairs)))
    if estimate or quick:
        _estimate(manifest, options, out, quick)
        return
    try:
        with (
            progress(len(manifest.pairs)) as listener,
            Session(manifest, out, options, listener) as session,
        ):
            if batch_file:
                print_batch(session.write_batch(batch_file))
                return
            summary = session.judge_pending(batch_results or ())
    except KeyboardInterrupt:
        messages().print(f"interrupted; the same command continues {out}")
        raise typer.Exit(EXIT_INTERRUPTED) from None
    print_results(out)
    print_summary(summary, out)
    if summary.total and summary.coverage < min_coverage:
        raise typer.Exit(EXIT_INCOMPLETE)


def _estimate(manifest: Manifest, options: Options, out: Path, quick: bool) -> None:
    from trace_eval.commands.tables import print_estimate
    from trace_eval.runs.estimate import estimate_manifest, quick_estimate

    if quick:
        print_estimate(quick_estimate(manifest, options, out))
        return
    with progress(len(manifest.pairs)) as listener:
        found = estimate_manifest(manifest, options, out, listener)
    print_estimate(found)
