"""Parts of a run by certainty, tested strictest first, and labels that a test would need.

See :mod:`trace_eval.decide.screen` for what is promised and by whom it was shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from trace_eval.show.table import column, p_text, p_value
from trace_eval.stats.inference.influence import Design
from trace_eval.stats.inference.labelled_run import LabelledRun
from trace_eval.stats.inference.risk import p_below, worth

#: Parts tried per signal: the surest 5 %, 10 %, ... of the run.
PARTS = 20

#: Starts of the sequence: parts with this many times the fewest labels that could suffice.
STARTS = (1.5, 4.0, 10.0)

#: Signal of a judge that gives no sign of certainty: all of it, or nothing.
EVERYTHING = "all pairs"

#: Power of the test for which needed labels are counted.
POWER = 0.8


@dataclass(frozen=True)
class DecidableStratum:
    """Everything at least as sure as a threshold.

    Attributes:
        signal: the sign of certainty; ``threshold`` on it.
        decided: scored items in the part; ``share`` of all scored items.
        labelled: of those with a human label; ``agreement`` the plain share that agrees.
        p: of the hypothesis that agreement is below the target; ``allowed``: level at which
            it was tested, 0: its turn did not come.
        holds: the hypothesis fell.
    """

    signal: str
    threshold: float = field(metadata=column("at least", lambda value, _: f"{value + 0.0:.4g}"))
    decided: int = field(metadata=column("pairs"))
    share: float
    labelled: int
    agreement: float | None = field(metadata=column("agree"))
    p: float = field(metadata=column(shown=p_text))
    allowed: float = field(
        metadata=column("tested at", lambda level, _: p_value(level) if level else None)
    )
    holds: bool = field(metadata=column(shown=lambda holds, _: "yes" if holds else ""))


def tested_parts(
    signal: tuple[str, NDArray[np.float64]],
    run: LabelledRun,
    design: Design,
    target: float,
    delta: float,
) -> list[DecidableStratum]:
    """The parts of one signal, strictest first, tested in sequence at ``delta`` together."""
    (name, values), agrees, scored = signal, run.agrees, run.scored
    levels = np.unique(
        np.quantile(values[scored], 1 - np.arange(1, PARTS + 1) / PARTS, method="lower")
    )[::-1]
    masks = [scored & (values >= level) for level in levels]
    counts = [int((mask & design.labelled).sum()) for mask in masks]
    starts = _starts([worth(design, mask, target) for mask in masks], target, delta)
    strata, carried = [], 0.0
    for level, mask, count, own in zip(levels, masks, counts, starts, strict=True):
        p = p_below(agrees, design, mask, target)
        allowed = own + carried
        holds = allowed > 0 and p <= allowed
        carried = allowed if holds else 0.0
        requested = mask & design.labelled
        strata.append(
            DecidableStratum(
                signal=name,
                threshold=float(level),
                decided=int(mask.sum()),
                share=float(mask.sum() / scored.sum()),
                labelled=count,
                agreement=float(agrees[requested].mean()) if count else None,
                p=p,
                allowed=allowed,
                holds=holds,
            )
        )
    return strata


def _starts(worths: list[float], target: float, delta: float) -> list[float]:
    """Share of ``delta`` with which each part is tried of its own; what labels say is unknown."""
    least = fewest_labels(target, delta / len(STARTS))
    at = {
        next((row for row, n in enumerate(worths) if n >= factor * least), len(worths) - 1)
        for factor in STARTS
    }
    return [delta / len(at) if row in at else 0.0 for row in range(len(worths))]


def fewest_labels(target: float, delta: float) -> int:
    """Labels that could suffice if every one agreed: ``target^n <= delta``."""
    return ceil(log(delta) / log(target))


def labels_needed(agreement: float, target: float, delta: float) -> int | None:
    """Labels in a part with that agreement for which the test succeeds with :data:`POWER`.

    Null: agreement is not above the target, or more than a million would be needed.
    """
    from scipy.special import bdtrc, bdtrik

    if agreement <= target:
        return None
    low, high = 1, fewest_labels(target, delta)

    def enough(number: int) -> bool:
        most = ceil(bdtrik(1 - delta, number, target))  # P(X > most) <= delta
        return bool(most < number and bdtrc(most, number, agreement) >= POWER)

    while not enough(high):
        low, high = high, 2 * high
        if high > 1_000_000:
            return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def wanted_labels(
    parts: list[DecidableStratum], target: float, delta: float, plain: bool
) -> tuple[DecidableStratum | None, int | None]:
    """The part for which fewest labels would probably do, and how many.

    Labels that share instructions say less than their number: their evidence grows in
    proportion, so that ``log(p)`` of those at hand is scaled to the level that is needed.
    """
    level = delta / len(STARTS)
    hopeful = [
        (number, part)
        for part in parts
        if part.agreement is not None
        and part.labelled
        and (number := labels_needed(_shrunk(part), target, level)) is not None
    ]
    if not hopeful:
        return None, None
    if not plain:
        scaled = [
            (max(number, ceil(part.labelled * log(level) / log(part.p))), part)
            for number, part in hopeful
            if part.p < 1
        ]
        # a part with more labels than that did not have its turn: it says nothing of need
        hopeful = [(number, part) for number, part in scaled if number > part.labelled]
    if not hopeful:
        return None, None
    number, part = min(hopeful, key=lambda row: (row[0] / row[1].decided, row[0]))
    return part, number


def _shrunk(part: DecidableStratum) -> float:
    """Agreement as it may be expected: one disagreement more than was seen (Laplace)."""
    assert part.agreement is not None
    return (part.agreement * part.labelled + 1) / (part.labelled + 2)
