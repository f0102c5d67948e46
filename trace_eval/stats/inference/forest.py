"""Intervals as a line of text or as HTML: what a forest plot shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from trace_eval.estimate.interval import Range

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
    if interval is not None and value is not None:
        first, last = at(interval[0]), at(interval[1])
        cells[first : last + 1] = ["─"] * (last + 1 - first)
        cells[first], cells[last] = "├", "┤"
        if value is not None:
            cells[at(value)] = "●"
    return "".join(cells).rstrip()


@dataclass(frozen=True)
class ForestMark:
    """One row of a picture.

    Attributes:
        value, interval: on the axis; None draws nothing.
        told: the same in words.
        mark: (where a line stands, what it is), e.g. a rule to be beaten.
    """

    name: str
    value: float | None
    interval: Range | None
    told: str
    mark: tuple[float, str] | None = None


def forest(rows: Sequence[ForestMark], low: float, high: float, ends: Sequence[str]) -> str:
    """A forest plot for a page with the style sheet of ``trace_eval.static``.

    An estimate without an interval is a hollow dot.

    Args:
        rows: from top to bottom.
        low, high: ends of the axis.
        ends: what stands under it, left to right.
    """

    def at(x: float) -> str:
        return f"{100 * (min(max(x, low), high) - low) / (high - low):.1f}%"

    out = ['<div class="forest">']
    for row in rows:
        out.append(f'<b dir="auto">{escape(row.name)}</b><span>{escape(row.told)}</span>')
        out.append('<div class="interval" aria-hidden="true">')
        if row.interval is not None:
            left, right = row.interval
            width = f"calc({at(right)} - {at(left)})"
            out.append(f'<i class="range" style="left:{at(left)};width:{width}"></i>')
        if row.mark is not None:
            title = escape(row.mark[1])
            out.append(f'<i class="mark" style="left:{at(row.mark[0])}" title="{title}"></i>')
        if row.value is not None:
            alone = " alone" if row.interval is None else ""
            out.append(f'<i class="point{alone}" style="left:{at(row.value)}"></i>')
        out.append("</div>")
    under = "".join(f"<span>{escape(end)}</span>" for end in ends)
    return "".join([*out, f'<div class="ends" aria-hidden="true">{under}</div></div>'])
