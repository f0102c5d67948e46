"""``trace-eval review``: people judge the pairs, in the browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from blueprints import counted, require
from trace_eval.commands.console import (
    EXIT_INCOMPLETE,
    messages,
    say,
    say_note,
    warn,
    warn_all,
)
from trace_eval.commands.options import typed
from trace_eval.commands.result_files import give
from trace_eval.commands.signatures import from_classes
from trace_eval.review.options import QueueOptions, ReviewOptions, ServeOptions

if TYPE_CHECKING:
    from trace_eval.review.exports import ReviewFiles
    from trace_eval.review.session import Review


@from_classes
def review(
    *,
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN|PAIRS|ITEMS",
            help="A run of judge or rate, or a manifest of pairs; with --rubric, or a --protocol"
            " of answers, a manifest of answers.",
        ),
    ],
    queue: QueueOptions,
    options: ReviewOptions,
    serving: ServeOptions,
    export: Annotated[
        Path | None,
        typer.Option(help="Write labels and accuracy to this folder, and stop."),
    ] = None,
    label_studio: Annotated[
        Path | None,
        typer.Option(help="Write Label Studio tasks to this folder, and stop."),
    ] = None,
    import_results: Annotated[
        Path | None,
        typer.Option("--import", help="Read a JSON export of Label Studio, and stop."),
    ] = None,
    context: typer.Context,
) -> None:
    """Let people compare pairs or rate answers in the browser, as a protocol asks."""
    from trace_eval.review.exports import ReviewFiles
    from trace_eval.review.opening import open_review

    chosen = typed(context, vars(queue))
    opened = open_review(source, chosen, options)
    planned, all_items = len(opened.plan.items), len(opened.plan.population)
    if "budget" not in chosen and planned < all_items:
        say_note(
            f"this review has {planned} of {counted(all_items, opened.form.unit)} by an"
            " earlier --budget; a larger one adds more, --db begins another review"
        )
    left = opened.material.left_out.items()
    warn_all(f"{opened.form.unit} {name} is left out: {why}" for name, why in left)
    if options.show_judge and opened.plan.repeats:
        warn(
            "--show-judge with --repeat: raters know the judge's opinion of"
            " repeated pairs"
        )
    if not (import_results or label_studio or export):
        _serve(opened, serving)
        return
    came = _import(opened, import_results) if import_results else ReviewFiles()
    give(_write(opened, came, label_studio, export))


def _write(
    opened: Review, came: ReviewFiles, label_studio: Path | None, export: Path | None
) -> ReviewFiles:
    from trace_eval.review.enough import Watch, lines_of
    from trace_eval.review.estimate import accuracies, accuracy_lines
    from trace_eval.review.exports import write_exports
    from trace_eval.review.labelstudio import write_tasks
    from trace_eval.review.protocol_files import loudness_of
    from trace_eval.review.protocol_notes import notes

    if label_studio:
        written = write_tasks(opened, label_studio)
        warn_all(written.problems)
        say(
            f"Label Studio: {counted(written.tasks, 'task')} in"
            f" {label_studio}/tasks.json, config.xml, audio/"
        )
        came = replace(
            came, files=(label_studio / "tasks.json", label_studio / "config.xml")
        )
    if export:
        came = replace(came, files=came.files + tuple(write_exports(opened, export)))
        if opened.material.judged and opened.is_hcot:
            came = replace(came, accuracy=accuracies(opened, opened.labelled()))
        rows, saving = Watch(opened).look()
        say(*came.files, *accuracy_lines(came.accuracy), *lines_of(rows))
        say(*filter(None, [saving]))
        warn_all(notes(opened, loudness_of(opened)))
    return came


def _import(opened: Review, path: Path) -> ReviewFiles:
    from trace_eval.review.exports import ReviewFiles
    from trace_eval.review.labelstudio import read_results

    result = read_results(opened, path)
    warn_all(result.problems)
    stored = counted(result.stored, "annotation")
    available = counted(result.known, "was known", "were known")
    say(f"{stored} stored, {available}")
    came = ReviewFiles(imported=result)
    if result.problems:
        give(came)
        raise typer.Exit(EXIT_INCOMPLETE)
    return came


def _serve(opened: Review, serving: ServeOptions) -> None:
    for package in ("fastapi", "uvicorn", "python_multipart"):
        require(package, package, "review", "review")
    from trace_eval.review.enough import Watch, lines_of
    from trace_eval.review.loudness import summary_of
    from trace_eval.review.protocol_files import loudness_of
    from trace_eval.review.server import serve

    watch = Watch(opened, tell=say)

    def tell_loudness() -> None:
        matched = opened.listening.loudness == "matched"
        if differing := summary_of(loudness_of(opened), matched):
            warn(differing)

    def ready(url: str) -> None:
        messages().print(opened.summary(), markup=False)
        typer.echo(f"open {url}")  # not by the console, which would hide the token
        messages().print("Ctrl-C stops; every answer is kept", markup=False)
        Thread(
            target=tell_loudness, daemon=True
        ).start()  # every recording is decoded for it

    try:
        serve(opened, serving, ready, watch)
    finally:
        rows, _ = watch.look()
        say(*lines_of(rows))
