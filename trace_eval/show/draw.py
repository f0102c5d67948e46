"""Pictures of figures, for papers and notebooks: the one module that draws.

Pictures are as wide as a column of a paper and vectors throughout; names are drawn as
they are, whatever they hold. Colours are those of the pages, which all common colour
visions tell apart.
"""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from blueprints import require
from trace_eval.data.outputs import write_file
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.show import pages

#: Width of a column of a paper, inches.
WIDTH = 3.3

#: Characters of a line of a name, and lines of it.
_LINE, _LINES = 22, 2

#: Text stays text (TrueType in PDF, words in SVG), and no name is a formula.
_STYLE = {
    "font.size": 7,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "text.parse_math": False,
    "axes.unicode_minus": False,
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "trace-eval",
    "savefig.dpi": 300,
}

#: Characters that XML cannot hold, and line breaks.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")

#: Shade from which text on it is white.
_DARK = 0.55

#: Colours (by their names in the palette) and dashes of lines, in this order.
_COLOURS, _DASHES = "abgx", ("-", "--", ":", "-.")


class Point(NamedTuple):
    """A line of a picture: a number with its interval, if any.

    A baseline is to be beaten.
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    baseline: bool = False

    @classmethod
    def of(cls, name: str, estimate: IntervalEstimate) -> Point:
        """Make the line of an estimate.

        Raises:
            ValueError: the estimate has no value.
        """
        if estimate.value is None:
            raise ValueError(f"{name} has no value to draw")
        low, high = estimate.ends
        return cls(name, estimate.value, low, high)


class Picture(NamedTuple):
    """A drawing on axes, and its height in inches."""

    draw: Callable[[Any], None]
    height: float = 2.8


@cache
def palette() -> Mapping[str, str]:
    """Return the report's colours on white, by their names in its style sheet."""
    return dict(re.findall(r"--(\w+): light-dark\((#\w+),", pages.palette()))


def save(picture: Picture, path: Path) -> None:
    """Write a picture as its suffix says (pdf, svg, png).

    Raises:
        UserError: matplotlib is not installed, or the file cannot be written.
    """
    matplotlib = require("matplotlib", "matplotlib", "plot", "a picture")
    figures = require("matplotlib.figure", "matplotlib", "plot", "a picture")
    kind = path.suffix[1:].lower()
    undated = {"pdf": {"CreationDate": None}, "svg": {"Date": None}}.get(kind)
    image = io.BytesIO()
    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # drawn as an empty box
        figure = figures.Figure(figsize=(WIDTH, picture.height), layout="constrained")
        picture.draw(figure.subplots())
        figure.savefig(image, format=kind, metadata=undated)
    write_file(path, image.getvalue())


def forest(
    points: Sequence[Point], axis: str, ends: tuple[float, float | None] | None
) -> Picture:
    """Draw a line for each point: counts as bars, others as dots with intervals.

    Args:
        points: from the top; the dots of baselines are open.
        ends: of the axis; None: where the points end; without an upper end they are
            counts.
    """

    def draw(ax: Any) -> None:
        dots(ax, points, axis=axis, ends=ends, named=seen)

    has_long_names = any("\n" in seen(point.name) for point in points)
    line = 0.26 if has_long_names else 0.17
    return Picture(draw, 0.6 + line * len(points))


def dots(
    ax: Any,
    points: Sequence[Point],
    axis: str,
    ends: tuple[float, float | None] | None,
    named: Callable[[str], str] = str,
) -> None:
    """Draw :func:`forest` on axes of any width; ``named`` writes a point's name."""
    colours = palette()
    are_counts = ends is not None and ends[1] is None
    if are_counts:
        ax.locator_params(axis="x", integer=True)
    for index, point in enumerate(points):
        if are_counts:
            ax.barh(index, point.value, height=0.6, color=colours["a"])
        else:
            _dot(ax, index, point)
    ax.set_yticks(range(len(points)), [named(point.name) for point in points])
    ax.set_ylim(len(points) - 0.5, -0.5)
    if ends is not None:
        low, high = ends
        if high is None:
            _, high = ax.get_xlim()
        room = 0.02 * (high - low)  # for a dot at the end
        ax.set_xlim(low - room, high + room)
    ax.grid(axis="x", color=colours["line"], linewidth=0.6)
    _plain(ax, axis)
    ax.spines["left"].set_visible(False)


def _dot(ax: Any, place: int, point: Point) -> None:
    colour = palette()["a"]
    inside = "white" if point.baseline else colour
    _interval(ax, place, point, color=colour, linewidth=1.5)
    ax.plot(
        [point.value],
        [place],
        "o",
        color=colour,
        markerfacecolor=inside,
        markersize=4,
    )


def _interval(
    ax: Any, place: int, point: Point, *, color: str, linewidth: float
) -> None:
    """Draw the interval of a point as a line, if it has one."""
    if point.low is not None and point.high is not None:
        limits = [point.low, point.high]
        ax.plot(limits, [place, place], color=color, linewidth=linewidth)


def bars(points: Sequence[Point], axis: str, rule: float | None) -> Picture:
    """Draw a bar per share, 0 to 1, with its interval as a line over its end.

    A share to beat, if any, is a dashed line.
    """

    def draw(ax: Any) -> None:
        colours = palette()
        places = range(len(points))
        shares = [point.value for point in points]
        ax.barh(places, shares, 0.6, color=colours["a"], alpha=0.55)
        for place, point in enumerate(points):
            _interval(ax, place, point, color=colours["ink"], linewidth=1)
        if rule is not None:
            ax.axvline(rule, color=colours["ink"], linewidth=0.8, linestyle="--")
        ax.set_yticks(places, [seen(point.name) for point in points])
        ax.set(xlim=(0, 1.02), ylim=(len(points) - 0.5, -0.5))
        _plain(ax, axis)

    return Picture(draw, 0.6 + 0.26 * len(points))


def curve(
    points: Mapping[str, Sequence[Point]], axes: tuple[str, str], rule: Point
) -> Picture:
    """Draw shares, 0 to 1, over the numbers that name their points.

    Bands are intervals, and the share to beat is a dashed line.
    """

    def draw(ax: Any) -> None:
        colours = palette()
        styles = zip(points.items(), _COLOURS, _DASHES, strict=False)
        for (name, line), colour, dash in styles:
            ax.plot(
                [int(point.name) for point in line],
                [point.value for point in line],
                label=seen(name),
                color=colours[colour],
                linestyle=dash,
                linewidth=1.3,
            )
            bounded = [point for point in line if point.low is not None]
            ax.fill_between(
                [int(point.name) for point in bounded],
                [point.low for point in bounded],
                [point.high for point in bounded],
                color=colours[colour],
                alpha=0.15,
                linewidth=0,
            )
        ax.axhline(
            rule.value,
            label=rule.name,
            color=colours["ink"],
            linewidth=0.8,
            linestyle="--",
        )
        ax.legend(frameon=False, loc="lower right", labelcolor=colours["quiet"])
        ax.set_ylim(0, 1.02)
        ax.locator_params(axis="x", integer=True)
        ax.grid(color=colours["line"], linewidth=0.6)
        _plain(ax, *axes)

    return Picture(draw, 2.2)


def matrix(
    names: tuple[Sequence[str], Sequence[str]],
    shades: Sequence[Sequence[float | None]],
    texts: Sequence[Sequence[str]],
    axes: tuple[str, str],
) -> Picture:
    """Draw a table of cells, from white (0) to dark (1), with a text in each.

    Shades are 0 to 1 [shape=(rows, columns)]; None is no colour.
    """
    row_names, column_names = names
    left, below = axes

    def draw(ax: Any) -> None:
        colours = require("matplotlib.colors", "matplotlib", "plot", "a picture")
        ramp = colours.LinearSegmentedColormap.from_list(
            "ours", ["white", palette()["a"]]
        )
        cells = np.array(shades, dtype=float)  # None becomes NaN, which has no colour
        ax.pcolormesh(cells, cmap=ramp, vmin=0, vmax=1, edgecolors="white", linewidth=1)
        for y, row in enumerate(texts):
            for x, text in enumerate(row):
                colour = "white" if cells[y, x] > _DARK else palette()["ink"]
                ax.text(x + 0.5, y + 0.5, text, ha="center", va="center", color=colour)
        row_labels = [seen(name) for name in row_names]
        column_labels = [seen(name) for name in column_names]
        ax.set_yticks(np.arange(len(row_labels)) + 0.5, row_labels)
        ax.set_xticks(np.arange(len(column_labels)) + 0.5, column_labels)
        if sum(map(len, column_names)) > _LINE:
            ax.set_xticklabels(
                column_labels, rotation=40, ha="right", rotation_mode="anchor"
            )
        ax.invert_yaxis()
        _plain(ax, below, left)
        ax.tick_params(length=0)
        for side in ("left", "bottom"):
            ax.spines[side].set_visible(False)

    return Picture(draw, min(6.0, 1.0 + 0.32 * len(row_names)))


def calibration(
    bins: Sequence[tuple[float, float, int]], axes: tuple[str, str]
) -> Picture:
    """Draw observed shares against predicted ones; dots grow with their number.

    A bin is (predicted, observed, number), the first two from 0 to 1.
    """

    def draw(ax: Any) -> None:
        colours = palette()
        ax.plot([0, 1], [0, 1], "--", color=colours["x"], linewidth=0.8)
        predicted, observed, number = zip(*bins, strict=True)
        ax.plot(predicted, observed, color=colours["a"], linewidth=1)
        size = 8 + 60 * np.array(number) / max(number)
        ax.scatter(predicted, observed, size, color=colours["a"], zorder=3)
        for x, y, count in bins:
            ax.annotate(
                str(count),
                (x, y),
                color=colours["quiet"],
                xytext=(5, -8),
                textcoords="offset points",
            )
        ax.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.04), aspect="equal")
        _plain(ax, *axes)

    return Picture(draw)


def ecdf(values: Mapping[str, Sequence[float]], axis: str) -> Picture:
    """Draw the share of values up to each, a line per name."""

    def draw(ax: Any) -> None:
        colours = palette()
        styles = zip(values.items(), _COLOURS, _DASHES, strict=False)
        for (name, sample), colour, dash in styles:
            ax.ecdf(
                sample,
                label=f"{seen(name)} ({len(sample)})",
                color=colours[colour],
                linestyle=dash,
                linewidth=1.3,
            )
        ax.legend(frameon=False, loc="lower right", labelcolor=colours["quiet"])
        ax.grid(color=colours["line"], linewidth=0.6)
        ax.set_ylim(0, 1.02)
        _plain(ax, axis, "share")

    return Picture(draw, 2.2)


def _plain(ax: Any, below: str, left: str = "") -> None:
    colours = palette()
    ax.set_xlabel(textwrap.fill(below, 2 * _LINE), color=colours["quiet"])
    ax.set_ylabel(left, color=colours["quiet"])
    ax.tick_params(colors=colours["quiet"], width=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def seen(name: str) -> str:
    """Write a name as pictures show it: on two lines where it is long, and no more."""
    lines = textwrap.wrap(_UNSEEN.sub(" ", name), _LINE) or [""]
    if len(lines) > _LINES:
        lines = lines[:_LINES]
        lines[-1] = lines[-1][: _LINE - 1] + "…"
    return "\n".join(lines)
