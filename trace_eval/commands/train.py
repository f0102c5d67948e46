"""``trace-eval train``: judges that are fitted on people's ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import EXIT_INCOMPLETE
from trace_eval.commands.statistics import Seed
from trace_eval.scorer.options import TrainOptions

app = typer.Typer(
    name="train", help="Fit judges on people's ratings.", no_args_is_help=True, add_completion=False
)


@app.command("fusion")
def fusion(
    ratings: Annotated[
        Path,
        typer.Argument(help="People's ratings: id, rater, score (CSV, JSONL), or labelled items."),
    ],
    more: Annotated[
        list[Path] | None, typer.Argument(metavar="[RUN]...", help="Runs of rate, or files.")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option(help="Runs of rate, or files of scores; several may follow."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the fused judge.")] = Path("fused"),
    rubric: Annotated[
        str | None, typer.Option(help="Name or file of the rubric, where there are several.")
    ] = None,
    seed: Seed = 0,
    force: Annotated[
        bool,
        typer.Option("--force", help="Write it even where it is no better than its rivals."),
    ] = False,
) -> None:
    """Fit one judge from several: each calibrated, then weighted by what it is worth."""
    from trace_eval.agreement.scores.train_fusion import train_fusion, training_tables
    from trace_eval.commands.render import print_tables, stdout_console

    found = train_fusion(ratings, [*(runs or ()), *(more or ())], out, rubric, seed, force)
    console = stdout_console()
    print_tables(training_tables(found), console)
    console.print(found.verdict, markup=False, highlight=False)
    if found.path is None:
        raise typer.Exit(EXIT_INCOMPLETE)
    console.print(f"wrote {found.path}", markup=False, highlight=False)


_DEFAULTS = TrainOptions(base="")


@app.command("scorer")
def scorer(
    ratings: Annotated[Path, typer.Argument(help="Answers with people's ratings (JSONL, JSON).")],
    base: Annotated[str, typer.Option(help="Decoder language model: path or hub id.")],
    out: Annotated[Path, typer.Option(help="Folder of the scorer; continued if it is there.")],
    head: Annotated[str, typer.Option(help="multinomial or beta.")] = _DEFAULTS.head,
    lora: Annotated[
        int | None, typer.Option(help="Rank of LoRA; default: all weights are trained.")
    ] = _DEFAULTS.lora,
    start: Annotated[
        Path | None, typer.Option("--from", help="Scorer to go on from, with a fresh optimiser.")
    ] = None,
    dev: Annotated[
        Path | None, typer.Option(help="Rows that choose the checkpoint; default: split dev.")
    ] = None,
    dev_share: Annotated[
        float, typer.Option(help="Of the questions, where no row is in split dev.")
    ] = _DEFAULTS.dev_share,
    weight: Annotated[
        str, typer.Option(help="rows: each row weighs the same; ratings: each rating.")
    ] = _DEFAULTS.weight,
    steps: Annotated[int, typer.Option(help="At most.")] = _DEFAULTS.steps,
    batch: Annotated[int, typer.Option(help="Rows per step.")] = _DEFAULTS.batch,
    learning_rate: Annotated[float, typer.Option("--lr")] = _DEFAULTS.learning_rate,
    warmup: Annotated[int, typer.Option(help="Steps.")] = _DEFAULTS.warmup,
    evaluate_every: Annotated[
        int, typer.Option(help="Steps between two looks at the dev rows.")
    ] = _DEFAULTS.evaluate_every,
    patience: Annotated[
        int, typer.Option(help="Looks without a better CRPS before it stops.")
    ] = _DEFAULTS.patience,
    transcription: Annotated[
        bool, typer.Option("--transcription", help="Show the transcript of the question's audio.")
    ] = _DEFAULTS.transcription,
    seed: Annotated[int, typer.Option(help="Of weights, order and split.")] = _DEFAULTS.seed,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda:N.")] = _DEFAULTS.device,
    data: Annotated[
        str | None, typer.Option(help="What the ratings are called, for the card.")
    ] = _DEFAULTS.data,
    licence: Annotated[
        str | None, typer.Option(help="Terms under which the ratings were used, for the card.")
    ] = _DEFAULTS.licence,
) -> None:
    """Train a scorer of correctness: mean and variance of what people would say."""
    from trace_eval.commands.console import messages, results
    from trace_eval.scorer.train import Progress, train_scorer

    options = TrainOptions(
        base=base,
        head=head,
        lora=lora,
        start=start,
        dev_share=dev_share,
        weight=weight,
        steps=steps,
        batch=batch,
        learning_rate=learning_rate,
        warmup=warmup,
        evaluate_every=evaluate_every,
        patience=patience,
        transcription=transcription,
        seed=seed,
        device=device,
        data=data,
        licence=licence,
    )

    def tell(found: Progress) -> None:
        values = ", ".join(f"{name} {value:.4f}" for name, value in found.values.items())
        messages().print(
            f"step {found.step} of {found.steps}: {values}; {found.seconds_left:.0f} s left",
            highlight=False,
        )

    trained = train_scorer(ratings, out, options, dev, tell)
    console = results()
    used = ", ".join(f"{count} {role}" for role, count in trained.rows.items())
    console.print(f"rows: {used}; {trained.cut} with a rationale cut to fit", highlight=False)
    for reason, count in sorted(trained.dropped.items()):
        console.print(f"left out {count}: {reason}", highlight=False, markup=False)
    values = ", ".join(f"{name} {value:.4f}" for name, value in sorted(trained.metrics.items()))
    console.print(f"dev rows after {trained.steps} steps: {values}", highlight=False)
    console.print(f"wrote {out}; rate with --judge scorer:{out}", highlight=False, markup=False)


@app.command("clamp")
def clamp(
    scorer: Annotated[Path, typer.Argument(help="Folder of a scorer.")],
    dev: Annotated[Path, typer.Argument(help="Answers with people's ratings.")],
    base: Annotated[str | None, typer.Option(help="Base model: path or hub id.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda:N.")] = _DEFAULTS.device,
) -> None:
    """Fit the threshold under which extreme scores are set to the ends of the scale."""
    from trace_eval.commands.console import results
    from trace_eval.scorer.clamp import train_clamp

    found = train_clamp(scorer, dev, base, device)
    results().print(found.sentence, highlight=False, markup=False)


@app.command("card")
def card(
    scorer: Annotated[Path, typer.Argument(help="Folder of a scorer.")],
) -> None:
    """Print one page about a scorer: what it is, what it learned from, what it cannot do."""
    from trace_eval.commands.console import results
    from trace_eval.scorer.card import scorer_card

    results().print(scorer_card(scorer), highlight=False, markup=False, soft_wrap=True)
