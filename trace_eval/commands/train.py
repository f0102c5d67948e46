"""``trace-eval train``: judges that are fitted on human ratings."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from blueprints import UserError
from trace_eval.commands.console import EXIT_INCOMPLETE, messages, say
from trace_eval.commands.render import print_tables
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.judges.scorer.options import Progress, TrainOptions
from trace_eval.stats.options import FusionOptions

app = typer.Typer(
    name="train",
    help="Fit judges on human ratings.",
    no_args_is_help=True,
    add_completion=False,
)


@app.command("fusion")
@from_classes
def fusion(
    *,
    ratings: Annotated[
        Path,
        typer.Argument(
            help="Human ratings: id, rater, score (CSV, JSONL), or labelled items."
        ),
    ],
    more: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[RUN]...", help="Runs of rate, or files."),
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(help="Runs of rate, or files of scores; may be repeated."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Output folder of the fused judge.")] = Path(
        "fused"
    ),
    options: FusionOptions,
) -> None:
    """Fit one judge from several: each is calibrated, then weighted by its worth."""
    from trace_eval.runs.opinions import read_with_labels
    from trace_eval.stats.agreement.train_fusion import train_fusion, training_tables

    sources = list(runs or ()) + list(more or ())
    if not sources:
        raise UserError("train fusion: no scores; name runs of two or more judges")
    judged, rated = read_with_labels(sources, ratings, rubric=options.rubric)
    assert rated is not None
    result = train_fusion(judged, rated, out, options)
    print_tables(training_tables(result))
    say(result.verdict)
    give(result)
    if result.path is None:
        raise typer.Exit(EXIT_INCOMPLETE)
    say(f"wrote {result.path}")


@app.command("scorer")
@from_classes
def scorer(
    *,
    ratings: Annotated[
        Path, typer.Argument(help="Answers with human ratings (JSONL, JSON).")
    ],
    out: Annotated[
        Path, typer.Option(help="Output folder of the scorer; continued if it exists.")
    ],
    dev: Annotated[
        Path | None,
        typer.Option(help="Rows that choose the checkpoint; default: split dev."),
    ] = None,
    options: TrainOptions,
) -> None:
    """Train a scorer of correctness: mean and variance of what annotators would say."""
    from trace_eval.judges.scorer.train import train_scorer

    def tell(result: Progress) -> None:
        values = ", ".join(
            f"{name} {value:.4f}" for name, value in result.values.items()
        )
        messages().print(
            f"step {result.step} of {result.steps}: {values};"
            f" {result.seconds_left:.0f} s left"
        )

    trained = train_scorer(ratings, out, options=options, dev=dev, listener=tell)
    used = ", ".join(f"{count} {role}" for role, count in trained.rows.items())
    say(f"rows: {used}; {trained.cut} with a rationale cut to fit")
    for reason, count in sorted(trained.dropped.items()):
        say(f"left out {count}: {reason}")
    values = ", ".join(
        f"{name} {value:.4f}" for name, value in sorted(trained.metrics.items())
    )
    say(f"dev rows after {trained.steps} steps: {values}")
    say(f"wrote {out}; rate with --judge {shlex.quote(f'scorer:{out}')}")
    give(trained)


@app.command("clamp")
def clamp(
    scorer: Annotated[Path, typer.Argument(help="Folder of a scorer.")],
    dev: Annotated[Path, typer.Argument(help="Answers with human ratings.")],
    base: Annotated[
        str | None, typer.Option(help="Base model: path or hub id.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda:N.")] = "auto",
) -> None:
    """Fit the threshold under which extreme scores are set to the ends of the scale."""
    from trace_eval.judges.scorer.clamp import train_clamp

    result = train_clamp(scorer, dev, base, device)
    say(result.sentence)
    give(result)


@app.command("card")
def card(
    scorer: Annotated[Path, typer.Argument(help="Folder of a scorer.")],
) -> None:
    """Print a page on a scorer: what it is, what it learned from, what it cannot do."""
    from trace_eval.judges.scorer.checkpoint import locate, scorer_card

    say(scorer_card(scorer))
    give(locate(scorer).record)
