"""Which pairs may the judge decide alone? Screening with a guarantee.

Pairs are ordered by a sign of the judge's certainty; a part is everything above a threshold.
For each part the hypothesis "people agree with the judge on less than the target there" is
tested, strictest part first, and the largest part whose hypothesis falls is decided. Testing
in a fixed sequence (Learn then Test: Angelopoulos, Bates, Candes, Jordan & Lei 2021) keeps the
chance of any false rejection at ``1 - confidence`` although many thresholds are tried. The
sequence has a few starts that share that chance, and a rejection hands its share on to the
next part (the fallback procedure, Wiens 2003), so that one unlucky small part is not the end.
Signals share it equally. Thresholds are quantiles of the judge's certainty over the run: they
know nothing of the labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from trace_eval.decide.screen_words import caveats, untrusted, verdict
from trace_eval.opinions.codes import SPLIT
from trace_eval.show.table import Table, table
from trace_eval.stats.inference.decidable import (
    EVERYTHING,
    DecidableStratum,
    tested_parts,
    wanted_labels,
)
from trace_eval.stats.inference.labelled_run import LabelledRun
from trace_eval.stats.inference.shift import differences
from trace_eval.stats.options import ScreenOptions


@dataclass(frozen=True)
class Screening:
    """What may be decided.

    Attributes:
        chosen: the largest part that holds; None: none.
        parts: everything that was tried.
        decided, review: items, surest first and least sure first; ``hopeless``: unscored.
        labels: labelled and scored items, ``split`` of them by raters who differ;
            ``instructions`` (or copies of one pair) behind them, null: not respected.
        needed: labels within ``candidate`` that would probably do; None: no part looks as if
            it could reach the target, or one holds.
        verdict: in words.
        caveats: what cannot be promised.
    """

    source: str
    judge: str
    dimension: str
    options: ScreenOptions
    labels: int
    instructions: int | None
    scored: int
    chosen: DecidableStratum | None
    candidate: DecidableStratum | None
    needed: int | None
    parts: tuple[DecidableStratum, ...]
    decided: tuple[str, ...]
    review: tuple[str, ...]
    hopeless: tuple[str, ...]
    verdict: str
    caveats: tuple[str, ...]
    split: int = 0


def screen(run: LabelledRun, options: ScreenOptions | None = None) -> Screening:
    """Find the part that the judge may decide alone.

    Raises:
        UserError: there are no labels, the judge gives no sign of certainty, or one that was
            asked for is not there.
    """
    options = options or ScreenOptions()
    signals = _signals(run, options)
    scored, usable = run.scored, run.usable
    if not usable.any():
        raise UserError("screen needs people's labels of judged pairs; pass --labels FILE")
    design = run.design(usable, options.cluster)
    delta = (1 - options.confidence) / len(signals)
    parts: list[DecidableStratum] = []
    for name, values in signals.items():
        parts += tested_parts(name, values, run.agrees, scored, design, options.agree, delta)
    drawn = run.drawn
    shifted = differences(run) if drawn.inclusion is None else []
    why_not = drawn.problem or drawn.doubt
    trusted = options.as_sampled or not (shifted or why_not)
    holding = [part for part in parts if part.holds and trusted]
    chosen = max(holding, key=lambda part: part.decided, default=None)
    plain = design.stratum is None and design.clusters == len(scored)
    wanted = chosen is None and trusted
    nearest = wanted_labels(parts, options.agree, delta, plain) if wanted else (None, None)
    candidate, needed = nearest
    order = signals[(chosen or candidate or parts[0]).signal]
    inside = scored & (order >= chosen.threshold) if chosen else np.zeros_like(scored)
    clustered = options.cluster and run.cluster is not None
    return Screening(
        source=run.source,
        judge=run.judge,
        dimension=run.column,
        options=options,
        labels=int(usable.sum()),
        instructions=len(np.unique(design.cluster[usable])) if clustered else None,
        scored=int(scored.sum()),
        chosen=chosen,
        candidate=candidate,
        needed=needed,
        parts=tuple(parts),
        decided=_listed(run, inside, -order),
        review=_listed(run, scored & ~inside, order),
        hopeless=_listed(run, ~scored, order),
        verdict=verdict(chosen, candidate, needed, parts, options, clustered)
        if trusted
        else untrusted(why_not),
        caveats=tuple(caveats(run, options, shifted)),
        split=int((usable & (run.truth >= SPLIT)).sum()),
    )


def _signals(run: LabelledRun, options: ScreenOptions) -> dict[str, NDArray[np.float64]]:
    results = dict(run.signals)
    absent = [name for name in options.by if name not in results]
    if absent:
        raise UserError(
            f"--by {absent[0]}: this judge does not give it; there is"
            f" {', '.join(results) or 'none'}"
        )
    chosen = {name: results[name] for name in options.by or results}
    if not chosen:
        # nothing tells pairs apart: all of them, or none
        chosen = {EVERYTHING: np.zeros(len(run.ids))}
    return chosen


def _listed(run: LabelledRun, mask: NDArray[np.bool_], key: NDArray[np.float64]) -> tuple[str, ...]:
    rows = np.flatnonzero(mask)
    return tuple(str(run.ids[row]) for row in rows[np.argsort(key[rows], kind="stable")])


def screen_tables(result: Screening) -> Iterator[Table]:
    """The parts that were tried, one table per signal."""
    if result.instructions is not None:
        drawn = f"by bets on {counted(result.instructions, 'instruction')}"
    else:  # a label that is right in part is no trial of the binomial test
        drawn = "by bets, over pairs" if result.split else "exact, over pairs"
    for name in dict.fromkeys(part.signal for part in result.parts):
        yield table(
            f"{result.judge}: parts of the run by {name}, surest first",
            [part for part in result.parts if part.signal == name],
            "threshold decided share labelled agreement p allowed holds",
            f"p: agreement on {result.dimension} there is below {result.options.agree:g}; {drawn}",
        )
