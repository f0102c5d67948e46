"""``trace-eval rate``: scores of single answers, and pairs made from them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from blueprints.errors import UserError
from trace_eval.commands import options as shared
from trace_eval.commands.console import EXIT_INCOMPLETE, results, warn_all
from trace_eval.commands.judging import rating_options
from trace_eval.commands.sitting import Ways, sit
from trace_eval.judges.options import JudgeOptions
from trace_eval.options import ExtractOptions, PairOptions, RateOptions, usual_rubrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from trace_eval.runs.pipeline import Listener
    from trace_eval.runs.session import Session

_DEFAULTS = RateOptions()
_PAIRS = "Pairs from scores"
_PAIR_DEFAULTS = PairOptions()


@rating_options
@shared.extract_options
def rate(
    *,
    items: Annotated[
        str,
        typer.Argument(
            help="Manifest of single answers or pairs (.jsonl, .csv, .parquet, .json), or its URL;"
            " or a finished run, to rate it again on its stored evidence."
        ),
    ],
    rubric: Annotated[
        list[str] | None,
        typer.Option(
            help="A shipped rubric (trace-eval rubrics list) or a .toml file; may be repeated."
            f" Default: {', '.join(_DEFAULTS.rubrics)}."
        ),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="Who rates: lexical, openai:MODEL, ollama:MODEL, audio:openai:MODEL,"
            f" scripted:FILE; several are pooled. Default: {', '.join(_DEFAULTS.judges)}."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Run folder, continued if it is there; default:"
            " runs/ITEMS-RUBRICS-JUDGES[-I-of-N]."
        ),
    ] = None,
    audio_root: shared.AudioRoot = None,
    shard: shared.ShardOption = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Rate the first so many records only.")
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
        float, typer.Option(help="Share of items that must be scored for exit code 0.")
    ] = _DEFAULTS.min_coverage,
    estimate: shared.EstimateOption = False,
    quick: shared.QuickOption = False,
    batch_file: shared.BatchFile = None,
    batch_results: shared.BatchResults = None,
    to_pairs: Annotated[
        Path | None,
        typer.Option(
            help="Make pairs of the run ITEMS: a .csv or .jsonl of labels, or a new run folder.",
            rich_help_panel=_PAIRS,
        ),
    ] = None,
    tie_margin: Annotated[
        float,
        typer.Option(
            help="Means on 0-1 that are not farther apart are a tie.", rich_help_panel=_PAIRS
        ),
    ] = _PAIR_DEFAULTS.tie_margin,
    acceptable: Annotated[
        float | None,
        typer.Option(
            help="Value from which an answer is acceptable; types ties.", rich_help_panel=_PAIRS
        ),
    ] = None,
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            help="Dimension that typed ties stand for: content or voice_quality.",
            rich_help_panel=_PAIRS,
        ),
    ] = None,
    onto: Annotated[
        Path | None,
        typer.Option(
            help="Run of pairs in which that dimension is replaced.", rich_help_panel=_PAIRS
        ),
    ] = None,
    extracting: ExtractOptions,
    judging: JudgeOptions,
) -> None:
    """Rate single answers by a rubric: a score with its spread; resumable."""
    if to_pairs:
        _to_pairs(Path(items), to_pairs, tie_margin, acceptable, as_, rubric, onto)
        return
    if acceptable is not None or as_ or onto or tie_margin != _PAIR_DEFAULTS.tie_margin:
        raise UserError("tie_margin, acceptable, as, onto: belong to --to-pairs; name its file")
    from trace_eval.commands.tables import print_scores, print_summary
    from trace_eval.data.manifests import read_items
    from trace_eval.data.parts import Shard
    from trace_eval.data.recordings import check_audio
    from trace_eval.data.records import spill_to
    from trace_eval.extracting.cache import audio_folder
    from trace_eval.runs.again import is_run, out_again, session_again, stored_manifest
    from trace_eval.runs.inputs import default_out
    from trace_eval.runs.rating import RatingSession
    from trace_eval.runs.run import Run

    again = Run.open(items) if is_run(items) else None
    if again is not None:
        rubric = rubric or [*again.record().rubrics]
    options = RateOptions(
        extract=extracting,
        judging=replace(judging, offline=bool(batch_results)),
        min_coverage=min_coverage,
        tag=tag,
        judges=tuple(judge or _DEFAULTS.judges),
        rubrics=tuple(rubric or usual_rubrics(judge or ())),
    )
    ways = Ways(estimate or quick, quick, batch_file, batch_results or ())
    open_session: Callable[[Listener], Session]
    if again is not None:
        if shard or ways.estimate:
            raise UserError(f"{items}: a run is rated again as a whole; no --shard, --estimate")
        manifest = stored_manifest(again, aa or limit)
        folder = out or out_again(again, "-".join(options.judges), aa is not None)
        open_session = partial(
            session_again, again, manifest, folder, options, repeat=aa is not None
        )
    else:
        if aa:
            raise UserError(f"--aa: {items} is no finished run; name the folder of one")
        spill = spill_to(audio_folder(extracting.cache))
        manifest = read_items(items, audio_root, spill, limit)
        manifest = manifest.shard(Shard.parse(shard)) if shard else manifest
        stems = [Path(name).stem for name in options.rubrics]
        folder = out or default_out(manifest, "-".join([*stems, *options.judges]))
        warn_all((*manifest.problems, *manifest.warnings, *check_audio(manifest.items)))
        open_session = partial(RatingSession, manifest, folder, options)
    summary = sit(manifest, folder, options, open_session, ways, "rating")
    if summary is None:
        return
    print_scores(folder)
    print_summary(summary, folder, "items", "scores.jsonl")
    if summary.total and summary.coverage < min_coverage:
        raise typer.Exit(EXIT_INCOMPLETE)


def _to_pairs(
    run: Path,
    out: Path,
    tie_margin: float,
    acceptable: float | None,
    as_: str | None,
    rubric: list[str] | None,
    onto: Path | None,
) -> None:
    from trace_eval.runs.score_pairs import write_pairs

    if len(rubric or ()) > 1:
        raise UserError("to_pairs: compares by one rubric; name one")
    stands_for = cast(Any, as_)  # PairOptions checks it
    name = rubric[0] if rubric else None
    options = PairOptions(tie_margin, acceptable, stands_for, name, onto)
    count = write_pairs(run, out, options)
    results().print(f"{count} pairs -> {out}", highlight=False, markup=False, soft_wrap=True)
