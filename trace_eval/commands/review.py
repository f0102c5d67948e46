"""``trace-eval review``: people judge the pairs, in the browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blueprints import UserError, counted, install_line
from trace_eval.commands.console import EXIT_INCOMPLETE, messages, results, warn
from trace_eval.commands.options import AudioRoot

if TYPE_CHECKING:
    from trace_eval.review import Review, ReviewFiles

#: What the extra ``review`` installs, by import name.
_PACKAGES = ("fastapi", "starlette", "uvicorn", "python_multipart", "multipart")


def review(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN|PAIRS|ITEMS",
            help="A run of judge or rate, or a manifest of pairs; with --rubric, of answers.",
        ),
    ],
    rubric: Annotated[
        str | None, typer.Option(help="Rate single answers by this rubric, 1-5 or 0/1.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(help="Pairs that you can review; default: all. May grow later.")
    ] = None,
    random_share: Annotated[
        float | None, typer.Option(help="Share of the budget drawn at random; default: 0.5.")
    ] = None,
    repeat: Annotated[
        int | None, typer.Option(help="Pairs shown a second time, for test-retest; default: 0.")
    ] = None,
    overall_first: Annotated[
        bool | None,
        typer.Option(
            "--overall-first/--no-overall-first",
            help="Ask for a blind overall impression before the dimensions.",
            show_default=False,
        ),
    ] = None,
    show_judge: Annotated[
        bool, typer.Option("--show-judge", help="Show the judge's opinion once a pair is finished.")
    ] = False,
    allow_unplayed: Annotated[
        bool,
        typer.Option("--allow-unplayed", help="Take ratings of answers that were not both played."),
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Of the sample and the order of A and B; default: 0.")
    ] = None,
    db: Annotated[
        Path | None, typer.Option(help="Where answers are kept; default: in or beside the source.")
    ] = None,
    audio_root: AudioRoot = None,
    host: Annotated[
        str, typer.Option(help="Address to serve at; anything but loopback needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: a free one.")] = 8765,
    token: Annotated[
        str | None, typer.Option(help="Token that browsers must bring; default: made if needed.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(help="Write labels and accuracy to this folder, and stop.")
    ] = None,
    label_studio: Annotated[
        Path | None, typer.Option(help="Write Label Studio tasks to this folder, and stop.")
    ] = None,
    import_results: Annotated[
        Path | None,
        typer.Option("--import", help="Read a JSON export of Label Studio, and stop."),
    ] = None,
) -> None:
    """Review pairs under the HCoT protocol, or rate single answers by a rubric."""
    from trace_eval import review as reviews
    from trace_eval.commands.json_option import give

    given = {
        "budget": budget,
        "random_share": random_share,
        "repeat": repeat,
        "overall_first": overall_first,
        "seed": seed,
    }
    opened = reviews.open_review(
        source,
        {name: value for name, value in given.items() if value is not None},
        rubric=rubric,
        database=db,
        audio_root=audio_root,
        show_judge=show_judge,
        allow_unplayed=allow_unplayed,
    )
    for name, why in opened.material.left_out.items():
        warn(f"{opened.form.unit} {name} is left out: {why}")
    if show_judge and opened.plan.repeats:
        warn("--show-judge with --repeat: raters know the judge's opinion of repeated pairs")
    came = reviews.ReviewFiles()
    if import_results:
        came = _import(opened, import_results)
    if label_studio:
        reviews.write_tasks(opened, label_studio)
        results().print(
            f"Label Studio: {label_studio}/tasks.json, config.xml, audio/", markup=False
        )
        tasks = (label_studio / "tasks.json", label_studio / "config.xml")
        came = replace(came, files=tasks)
    if export:
        came = replace(came, files=(*came.files, *reviews.write_exports(opened, export)))
        if opened.material.judged:
            came = replace(came, accuracy=reviews.accuracies(opened, opened.labelled()))
        for line in (*came.files, *reviews.accuracy_lines(came.accuracy)):
            results().print(str(line), markup=False)
    if import_results or label_studio or export:
        give(came)
    else:
        _serve(opened, opened.summary(), host, port, token)


def _import(opened: Review, path: Path) -> ReviewFiles:
    from trace_eval.commands.json_option import give
    from trace_eval.review import ReviewFiles, read_results

    found = read_results(opened, path)
    for problem in found.problems:
        warn(problem)
    stored = counted(found.stored, "annotation")
    known = counted(found.known, "was known", "were known")
    results().print(f"{stored} stored, {known}", markup=False)
    came = ReviewFiles(imported=found)
    if found.problems:
        give(came)
        raise typer.Exit(EXIT_INCOMPLETE)
    return came


def _serve(opened: Review, told: str, host: str, port: int, token: str | None) -> None:
    try:
        from trace_eval.review import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise UserError(
            f"review needs the package {error.name}; run: {install_line('review')}"
        ) from error

    def ready(url: str) -> None:
        messages().print(told, markup=False)
        results().print(f"open {url}", markup=False, soft_wrap=True)
        messages().print("Ctrl-C stops; every answer is kept", markup=False)

    serve(opened, host, port, token, ready)
