"""Prints one blueprint: a table of values, and contours drawn as text."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from blueprints import (
    GROUPS,
    NOT_REQUESTED,
    Absent,
    Blueprint,
    Contour,
    UserError,
    clip_seconds,
    left_out,
    render_brief,
    render_compact,
    render_paper,
    resample,
)
from extractors import option
from trace_eval.commands.console import results

#: Ways to print a blueprint.
FORMATS = ("people", "json", "paper", "compact", "brief")

#: Height of a contour, lines; room beside it for the axis labels, characters.
_ROWS, _AXIS = 5, 16

#: Fields that are drawn, or too long for a line.
_LEFT_OUT = {"status", "contour", "speech", "trajectory"}


def print_blueprint(blueprint: Blueprint, format: str, title: str) -> None:
    """Print a blueprint to stdout.

    Raises:
        UserError: the format is none of :data:`FORMATS`.
    """
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
    table = Table(title=escape(title), show_header=False, title_justify="left", box=None)
    table.add_column(style="bold")
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name in (*GROUPS, *blueprint.extensions):
        group = blueprint.group(name)
        if isinstance(group, Absent):
            table.add_row(name, *_absent(name, group))
            continue
        values = {k: v for k, v in group.model_dump(mode="json").items() if k not in _LEFT_OUT}
        for number, (field, value) in enumerate(values.items()):
            table.add_row("" if number else name, field, escape(_short(value)))
    console.print(table)
    for name, model in GROUPS.items():
        contour = getattr(blueprint.group(name), "contour", None)
        if contour is not None and model.contour_unit:
            _print_contour(console, name, contour, blueprint.clip_s, model.contour_unit)


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


def _print_contour(
    console: Console, name: str, contour: Contour, seconds: float | None, unit: str
) -> None:
    duration = clip_seconds(seconds, contour)
    columns = max(10, console.width - _AXIS)
    lines = draw(resample(contour, columns, duration), _ROWS, unit)
    indent = lines[0].find("┤") + 1
    console.print(f"\n[bold]{name}[/]")
    console.out("\n".join(lines), highlight=False)
    console.out(" " * indent + time_axis(duration, columns), highlight=False)


#: Eighths of a character cell, from empty to full.
_BLOCKS = " ▁▂▃▄▅▆▇█"


def draw(values: Sequence[float | None], rows: int, unit: str, decimals: int = 0) -> list[str]:
    """Plot values left to right, one column each, as bars of ``rows`` lines.

    Args:
        values: one per column; None leaves the column empty.
        rows: height in lines, at least 2.
        unit: written after the labels of the axis.
        decimals: digits of those labels.

    Returns:
        Lines from top to bottom: a label, an axis, the bars. The lowest value is one eighth
        of a cell high, so that it can be told from an empty column.
    """
    available = [value for value in values if value is not None]
    if not available:
        return ["no values"]
    low, high = min(available), max(available)
    labels = {0: f"{high:.{decimals}f} {unit}", rows - 1: f"{low:.{decimals}f} {unit}"}
    width = max(map(len, labels.values()))
    cells = rows * 8 - 1
    heights = [
        0 if value is None else 1 + round((value - low) / (high - low or 1) * cells)
        for value in values
    ]
    lines = []
    for row in range(rows):
        base = (rows - 1 - row) * 8
        bars = "".join(_BLOCKS[min(8, max(0, height - base))] for height in heights)
        lines.append(f"{labels.get(row, ''):>{width}} ┤{bars.rstrip()}")
    return lines


def time_axis(seconds: float, columns: int) -> str:
    """A line of ``columns`` characters that names 0 and the duration."""
    end = f"{seconds:.1f} s"
    return "0" + end.rjust(max(0, columns - 1))
