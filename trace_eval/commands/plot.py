"""Contours as text: a plot of Unicode blocks for terminals."""

from __future__ import annotations

from collections.abc import Sequence

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
