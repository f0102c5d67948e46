"""Intervals as a line of text or as SVG: what a forest plot shows."""

from __future__ import annotations

from html import escape

from trace_eval.stats.agreement.interval import Range

#: Characters between the two ends of the axis.
WIDTH = 41


def line(
    value: float | None, interval: Range | None, low: float, high: float, width: int = WIDTH
) -> str:
    """One row of a forest plot, e.g. ``|   |--*--|    :``; ``:`` marks the middle of the axis.

    Args:
        value: the estimate.
        interval: its bounds; None leaves the row empty but for the middle: a point alone would
            be taken for a sure one.
        low, high: ends of the axis.
        width: in characters, odd.
    """

    def at(x: float) -> int:
        return round((min(max(x, low), high) - low) / (high - low) * (width - 1))

    cells = [" "] * width
    cells[width // 2] = ":"
    if interval is not None:
        first, last = at(interval[0]), at(interval[1])
        cells[first : last + 1] = ["─"] * (last + 1 - first)
        cells[first], cells[last] = "├", "┤"
        if value is not None:
            cells[at(value)] = "●"
    return "".join(cells).rstrip()


def svg(
    rows: list[tuple[str, list[tuple[float | None, Range | None]]]],
    series: list[str],
    low: float,
    high: float,
    null: float,
) -> str:
    """A forest plot: one row per label, one mark per series under each other.

    Args:
        rows: label -> (estimate, interval) of each series.
        series: their names, for the legend.
        low, high: ends of the axis.
        null: where a dotted line stands.
    """
    left, wide, step = 190, 420, 13
    high_each = step * len(series) + 10
    height = 30 + high_each * len(rows) + 22

    def x(value: float) -> float:
        return left + wide * (min(max(value, low), high) - low) / (high - low)

    out = [
        f'<svg viewBox="0 0 {left + wide + 20} {height}" role="img" class="forest"'
        f' aria-label="{escape(", ".join(series))}">'
    ]
    for number, name in enumerate(series):
        out.append(
            f'<circle cx="{left + 130 * number}" cy="10" r="4" class="s{number}"/>'
            f'<text x="{left + 130 * number + 8}" y="14">{escape(name)}</text>'
        )
    bottom = 26 + high_each * len(rows)
    out.append(f'<line x1="{x(null):.1f}" x2="{x(null):.1f}" y1="22" y2="{bottom}" class="null"/>')
    for end in (low, null, high):
        out.append(f'<text x="{x(end):.1f}" y="{bottom + 14}" class="axis">{end:g}</text>')
    for index, (name, marks) in enumerate(rows):
        top = 26 + high_each * index
        middle = top + high_each / 2 + 2
        out.append(f'<text x="{left - 10}" y="{middle:.1f}" class="name">{escape(name)}</text>')
        for number, (value, interval) in enumerate(marks):
            y = top + 8 + step * number
            if interval is not None:
                out.append(
                    f'<line x1="{x(interval[0]):.1f}" x2="{x(interval[1]):.1f}" y1="{y}"'
                    f' y2="{y}" class="s{number}"/>'
                )
            if value is not None:
                out.append(f'<circle cx="{x(value):.1f}" cy="{y}" r="4" class="s{number}"/>')
    return "".join([*out, "</svg>"])
