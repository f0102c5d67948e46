"""Pictures of estimates for pages: intervals as HTML, a reliability diagram as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from blueprints import counted
from trace_eval.estimate.interval import Range
from trace_eval.stats.inference.calibrate import Fitted

#: Of a reliability diagram: its side and the room for its axes, pixels.
SIZE, EDGE = 220, 30


@dataclass(frozen=True)
class ForestMark:
    """One row of a picture: an estimate on the axis, told in words.

    None draws nothing. A line may stand beside it, with what it is, e.g. a rule to be
    beaten.
    """

    name: str
    value: float | None
    interval: Range | None
    told: str
    mark: tuple[float, str] | None = None


def forest(
    rows: Sequence[ForestMark], low: float, high: float, ends: Sequence[str]
) -> str:
    """Draw a forest plot from ``low`` to ``high``, in ``trace_eval.show.pages``' style.

    An estimate without an interval is a hollow dot; ``ends`` stand under the axis, left
    to right.
    """

    def at(x: float) -> str:
        return f"{100 * (min(max(x, low), high) - low) / (high - low):.1f}%"

    out = ['<div class="forest">']
    for row in rows:
        out.append(
            f'<b dir="auto">{escape(row.name)}</b><span>{escape(row.told)}</span>'
        )
        out.append('<div class="interval" aria-hidden="true">')
        if row.interval is not None:
            left, right = row.interval
            width = f"calc({at(right)} - {at(left)})"
            out.append(f'<i class="range" style="left:{at(left)};width:{width}"></i>')
        if row.mark is not None:
            title = escape(row.mark[1])
            out.append(
                f'<i class="mark" style="left:{at(row.mark[0])}" title="{title}"></i>'
            )
        if row.value is not None:
            alone = " alone" if row.interval is None else ""
            out.append(f'<i class="point{alone}" style="left:{at(row.value)}"></i>')
        out.append("</div>")
    under = "".join(f"<span>{escape(end)}</span>" for end in ends)
    out.append(f'<div class="ends" aria-hidden="true">{under}</div></div>')
    return "".join(out)


def diagram(fitted: Fitted) -> str:
    """Draw a dot per bin, as large as its pairs; the diagonal is calibration."""
    most = max(b.pairs for b in fitted.bins)

    def x(value: float) -> float:
        return EDGE + value * SIZE

    def y(value: float) -> float:
        return 10 + (1 - value) * SIZE

    out = [
        f'<svg viewBox="0 0 {SIZE + EDGE + 10} {SIZE + EDGE + 10}" role="img"'
        f' class="reliability" aria-label="Reliability of {fitted.method}">',
        f'<rect x="{EDGE}" y="10" width="{SIZE}" height="{SIZE}" class="frame"/>',
        f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}" class="null"/>',
    ]
    for b in fitted.bins:
        radius = 2 + 5 * (b.pairs / most) ** 0.5
        out.append(
            f'<circle cx="{x(b.predicted):.1f}" cy="{y(b.observed):.1f}"'
            f' r="{radius:.1f}" class="s0"><title>predicted {b.predicted:.2f},'
            f" annotators {b.observed:.2f},"
            f" {counted(b.pairs, 'pair')}</title></circle>"
        )
    for value in (0.0, 0.5, 1.0):
        out.append(
            f'<text x="{x(value)}" y="{SIZE + 24}" class="axis">{value:g}</text>'
        )
        out.append(
            f'<text x="{EDGE - 4}" y="{y(value) + 4}" class="name">{value:g}</text>'
        )
    out.append("</svg>")
    return "".join(out)
