"""A reliability diagram as SVG: what was predicted against what people said."""

from __future__ import annotations

from blueprints import counted
from trace_eval.stats.inference.calibrate import Fitted

SIZE, EDGE = 220, 30


def diagram(fitted: Fitted) -> str:
    """One dot per bin, its area by the pairs in it; the diagonal is perfect calibration."""
    most = max(b.pairs for b in fitted.bins)

    def x(value: float) -> float:
        return EDGE + value * SIZE

    def y(value: float) -> float:
        return 10 + (1 - value) * SIZE

    out = [
        f'<svg viewBox="0 0 {SIZE + EDGE + 10} {SIZE + EDGE + 10}" role="img" class="reliability"'
        f' aria-label="Reliability of {fitted.method}">',
        f'<rect x="{EDGE}" y="10" width="{SIZE}" height="{SIZE}" class="frame"/>',
        f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}" class="null"/>',
    ]
    for b in fitted.bins:
        radius = 2 + 5 * (b.pairs / most) ** 0.5
        out.append(
            f'<circle cx="{x(b.predicted):.1f}" cy="{y(b.observed):.1f}" r="{radius:.1f}"'
            f' class="s0"><title>predicted {b.predicted:.2f}, people {b.observed:.2f},'
            f" {counted(b.pairs, 'pair')}</title></circle>"
        )
    for value in (0.0, 0.5, 1.0):
        out.append(f'<text x="{x(value)}" y="{SIZE + 24}" class="axis">{value:g}</text>')
        out.append(f'<text x="{EDGE - 4}" y="{y(value) + 4}" class="name">{value:g}</text>')
    return "".join([*out, "</svg>"])
