"""A gate in words: why a metric passed or failed, one sentence for all, properties for machines."""

from __future__ import annotations

from collections.abc import Sequence

from blueprints import counted
from trace_eval.compare.flips import VerdictNoise
from trace_eval.compare.judgings import Joined
from trace_eval.compare.severe import SevereItem
from trace_eval.gate.drop import Drop
from trace_eval.gate.options import GateOptions
from trace_eval.gate.report import GateCoverage, GateRow, Verdict


def why(
    drop: Drop,
    p: float,
    verdict: Verdict,
    noise: VerdictNoise,
    visible: float | None,
    options: GateOptions,
) -> str:
    """What one metric says: the difference, and what this gate can see."""
    if not drop.items:
        return "no item was scored in both runs"
    seen = "no drop" if visible is None else f"a drop of {100 * visible:.1f} points"
    sees = f"this gate sees {seen} (power .8, n {drop.items})"
    judge = f"A/A flips {noise.flips.value:.3f}" if noise.measured else "noise not measured"
    if verdict == "fail":
        return f"worse by {-100 * drop.difference:.1f} points, p {p:.3g}; {sees}; {judge}"
    if verdict == "cannot tell":
        return (
            f"{100 * drop.difference:+.1f} points, p {p:.3g}; a drop of the margin"
            f" {100 * options.margin:g} would be seen with a chance of {drop.power:.2f} only;"
            f" {sees}; {judge}"
        )
    return f"{100 * drop.difference:+.1f} points, p {p:.3g}; {sees}; {judge}"


def sentence(
    verdict: Verdict,
    rows: Sequence[GateRow],
    covered: GateCoverage,
    tagged: Sequence[SevereItem],
    options: GateOptions,
) -> str:
    """The verdict and all that speaks for it."""
    lines = [f"{row.metric}: {row.why}" for row in rows if row.verdict == verdict]
    if verdict == "fail":
        items = sorted({item.item for item in tagged})
        if len(items) > options.severe:
            lost = "severe item turned into a loss", "severe items turned into losses"
            lines.append(
                f"{counted(len(items), *lost)} ({', '.join(items[:5])}), {options.severe} allowed"
            )
        if covered.verdict == "fail":
            lines.append(
                f"coverage of {covered.metric} fell from {covered.baseline} to"
                f" {covered.candidate} of {counted(covered.items, 'item')}"
            )
    return f"{verdict}: {' | '.join(lines)}"


def properties(joined: Joined, rows: Sequence[GateRow], options: GateOptions) -> dict[str, str]:
    """What the verdict rests on, for machines."""
    record = joined.first.record
    values = {
        "n": str(max((row.items for row in rows), default=0)),
        "alpha": f"{options.alpha:g}",
        "margin": f"{options.margin:g}",
        "flips": ", ".join(f"{row.metric} {row.flips.count} of {row.flips.of}" for row in rows),
        "noise": ", ".join(
            f"{r.metric} {r.noise.reason or f'{r.noise.flips.count} of {r.noise.flips.of}'}"
            for r in rows
        ),
    }
    if record is not None:
        values |= {
            "judge": record.judge.spec,
            "prompt": str(record.judge.parameters.get("prompt") or "not recorded"),
            "input.baseline": record.input_sha256 or "not recorded",
        }
    if joined.second.record is not None:
        values["input.candidate"] = joined.second.record.input_sha256 or "not recorded"
    return values
