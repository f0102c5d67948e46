"""One blueprint or one run, printed."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from blueprints import (
    GROUPS,
    NOT_REQUESTED,
    Absent,
    Blueprint,
    UserError,
    left_out,
    render_brief,
    render_compact,
    render_paper,
)
from extractors import option
from trace_eval.api.one_pair import blueprint
from trace_eval.commands.console import results
from trace_eval.commands.result_files import give
from trace_eval.commands.tables import print_results, print_scores
from trace_eval.extracting.options import ExtractOptions
from trace_eval.runs.reproduce import config_text, requirements_text
from trace_eval.runs.run import Run
from trace_eval.runs.summary import RunShown

#: Ways to print a blueprint.
FORMATS = ("people", "json", "paper", "compact", "brief")

#: Fields that are too long for a line.
_LEFT_OUT = {"status", "contour", "speech", "trajectory"}


def show_requirements(folder: Path) -> None:
    """Print the versions of a run's packages, as a file for pip."""
    typer.echo(requirements_text(Run.open(folder)), nl=False)


def show_options(folder: Path) -> None:
    """Print a run's options, as a file for ``--config``."""
    run = Run.open(folder)
    typer.echo(config_text(run), nl=False)
    give(run.record().options)


def show_run(folder: Path) -> None:
    """Print the results of a run."""
    run = Run.open(folder)
    if run.holds_scores:
        print_scores(folder)
    else:
        print_results(folder)
    give(RunShown.of(run))


def show_blueprint(clip: Path, extracting: ExtractOptions, format: str) -> None:
    """Extract the blueprint of a recording, and print it."""
    extracted = blueprint(clip, extracting)
    _print_blueprint(extracted, format, title=str(clip))
    give(extracted)


def _print_blueprint(blueprint: Blueprint, format: str, title: str) -> None:
    console = results()
    match format:
        case "people":
            _print_table(console, blueprint, title)
        case "json":
            console.out(blueprint.model_dump_json(indent=2), highlight=False)
        case "paper":
            text = json.dumps(render_paper(blueprint), indent=2, ensure_ascii=False)
            console.out(text, highlight=False)
        case "compact":
            console.out(render_compact(blueprint), highlight=False)
        case "brief":
            console.out(render_brief(blueprint), highlight=False)
            console.out("\nleft out", *left_out(blueprint), sep="\n  ", highlight=False)
        case _:
            raise UserError(f"format {format!r}: use one of {', '.join(FORMATS)}")


def _print_table(console: Console, blueprint: Blueprint, title: str) -> None:
    table = Table(
        title=escape(title), show_header=False, title_justify="left", box=None
    )
    table.add_column(style="bold")
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name in list(GROUPS) + list(blueprint.extensions):
        group = blueprint.group(name)
        if isinstance(group, Absent):
            table.add_row(name, *_absent(name, group))
            continue
        values = {
            k: v for k, v in group.model_dump(mode="json").items() if k not in _LEFT_OUT
        }
        for number, (field, value) in enumerate(values.items()):
            table.add_row("" if number else name, field, escape(_short(value)))
    console.print(table)


def _absent(name: str, group: Absent) -> tuple[str, str]:
    if group == NOT_REQUESTED:
        return "[dim]not measured[/]", escape(f"{option(name)} would")
    return f"[yellow]{group.status}[/]", escape(group.reason)


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(item)}" for key, item in value.items())
    if isinstance(value, list):
        if value and isinstance(value[0], dict) and "text" in value[0]:
            return f"{len(value)}, with times in the JSON"
        if value and isinstance(value[0], dict):
            return "; ".join(f"{v['start_s']:.2f}-{v['end_s']:.2f} s" for v in value)
        return ", ".join(map(_short, value)) or "none"
    return "unknown" if value is None else str(value)
