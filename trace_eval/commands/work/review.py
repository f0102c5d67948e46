"""A review: the page that raters see, and the files that come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import typer

from blueprints import counted, require
from trace_eval.commands.console import (
    EXIT_INCOMPLETE,
    messages,
    say,
    say_each,
    say_note,
    warn,
    warn_all,
)
from trace_eval.commands.result_files import give
from trace_eval.review.enough import Watch, lines_of
from trace_eval.review.estimate import accuracies, accuracy_lines
from trace_eval.review.exports import ReviewFiles, write_exports
from trace_eval.review.labelstudio import read_results, write_tasks
from trace_eval.review.loudness import summary_of
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions, ServeOptions
from trace_eval.review.protocol_files import loudness_of
from trace_eval.review.protocol_notes import notes
from trace_eval.review.session import Review


def review_items(
    source: Path,
    chosen: Mapping[str, Any],
    options: ReviewOptions,
    *,
    serving: ServeOptions,
    label_studio: Path | None,
    export: Path | None,
    results: Path | None,
) -> None:
    """Open a review, and serve its page unless files are read or written instead.

    Args:
        chosen: the options of the queue that were typed.
        label_studio: folder of tasks to write.
        export: folder of labels to write.
        results: JSON export of Label Studio to read.
    """
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
    if not (results or label_studio or export):
        _serve(opened, serving)
        return
    files = _import(opened, results) if results else ReviewFiles()
    if label_studio:
        files = replace(files, files=_write_tasks(opened, label_studio))
    if export:
        files = _export(opened, export, files)
    give(files)


def _write_tasks(opened: Review, folder: Path) -> tuple[Path, ...]:
    """Write tasks of Label Studio, and return the files that it reads."""
    written = write_tasks(opened, folder)
    warn_all(written.problems)
    say(
        f"Label Studio: {counted(written.tasks, 'task')} in"
        f" {folder}/tasks.json, config.xml, audio/"
    )
    return folder / "tasks.json", folder / "config.xml"


def _export(opened: Review, folder: Path, files: ReviewFiles) -> ReviewFiles:
    """Write labels and accuracy, and add them to what was written before."""
    exported = tuple(write_exports(opened, folder))
    files = replace(files, files=files.files + exported)
    if opened.material.judged and opened.is_hcot:
        files = replace(files, accuracy=accuracies(opened, opened.labelled()))
    rows, saving = Watch(opened).look()
    say_each(files.files)
    say_each(accuracy_lines(files.accuracy))
    say_each(lines_of(rows))
    if saving:
        say(saving)
    warn_all(notes(opened, loudness_of(opened)))
    return files


def _import(opened: Review, path: Path) -> ReviewFiles:
    """Store the annotations of an export of Label Studio; end where one is refused."""
    imported = read_results(opened, path)
    warn_all(imported.problems)
    stored = counted(imported.stored, "annotation")
    known = counted(imported.known, "was known", "were known")
    say(f"{stored} stored, {known}")
    files = ReviewFiles(imported=imported)
    if imported.problems:
        give(files)
        raise typer.Exit(EXIT_INCOMPLETE)
    return files


def _serve(opened: Review, serving: ServeOptions) -> None:
    for package in ("fastapi", "uvicorn", "python_multipart"):
        require(package, package, "review", "review")
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
        # Every recording is decoded for it.
        Thread(target=tell_loudness, daemon=True).start()

    try:
        serve(opened, serving, ready, watch)
    finally:
        rows, _ = watch.look()
        say_each(lines_of(rows))
