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

from dataclasses import dataclass
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.conclude.evidence import Evidence
from trace_eval.conclude.ppi import Design
from trace_eval.conclude.risk import p_below, worth
from trace_eval.conclude.shift import differences

#: Parts tried per signal: the surest 5 %, 10 %, ... of the run.
PARTS = 20

#: Starts of the sequence: parts with this many times the fewest labels that could suffice.
STARTS = (1.5, 4.0, 10.0)

#: Signal of a judge that gives no sign of certainty: all of it, or nothing.
EVERYTHING = "all pairs"

#: Power of the test for which needed labels are counted.
POWER = 0.8


@dataclass(frozen=True)
class ScreenOptions:
    """What is promised.

    Attributes:
        agree: agreement with people that the decided part must reach, 0 to 1.
        confidence: probability that it does, 0 to 1.
        by: signals to use; empty: all that there are. Fewer share less.
        cluster: items of one instruction are not independent; where instructions are unknown
            there is nothing to respect.
        as_sampled: decide even where the labelled pairs visibly are no random sample.
    """

    agree: float = 0.9
    confidence: float = 0.95
    by: tuple[str, ...] = ()
    cluster: bool = True
    as_sampled: bool = False

    def __post_init__(self) -> None:
        for name, value in (("--agree", self.agree), ("--confidence", self.confidence)):
            if not 0 < value < 1:
                raise UserError(f"{name} {value:g}: give a share between 0 and 1")


@dataclass(frozen=True)
class Part:
    """Everything at least as sure as a threshold.

    Attributes:
        signal: the sign of certainty; ``threshold`` on it.
        decided: scored items in the part; ``share`` of all scored items.
        labelled: of those with a label of people; ``agreement`` the plain share that agrees.
        p: of the hypothesis that agreement is below the target; ``allowed``: level at which
            it was tested, 0: its turn did not come.
        holds: the hypothesis fell.
    """

    signal: str
    threshold: float
    decided: int
    share: float
    labelled: int
    agreement: float | None
    p: float
    allowed: float
    holds: bool


@dataclass(frozen=True)
class Screening:
    """What may be decided.

    Attributes:
        chosen: the largest part that holds; null: none.
        parts: everything that was tried.
        decided, review: items, surest first and least sure first; ``hopeless``: unscored.
        labels: labelled and scored items; ``instructions`` behind them, null: not respected.
        needed: labels within ``candidate`` that would probably do; null: no part looks as if
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
    chosen: Part | None
    candidate: Part | None
    needed: int | None
    parts: tuple[Part, ...]
    decided: tuple[str, ...]
    review: tuple[str, ...]
    hopeless: tuple[str, ...]
    verdict: str
    caveats: tuple[str, ...]


_UNTRUSTED = (
    "None: the labelled pairs are no random sample of this run, so they promise nothing of the"
    " others; label a random sample, give each label its inclusion probability, or pass"
    " --as-sampled to have a promise for pairs like the labelled ones."
)


def screen(evidence: Evidence, options: ScreenOptions | None = None) -> Screening:
    """Find the part that the judge may decide alone.

    Raises:
        UserError: there are no labels, the judge gives no sign of certainty, or one that was
            asked for is not there.
    """
    options = options or ScreenOptions()
    signals = _signals(evidence, options)
    scored, usable = evidence.scored, evidence.usable
    if not usable.any():
        raise UserError("screen needs people's labels of judged pairs; pass --labels FILE")
    design = evidence.design(usable, options.cluster)
    delta = (1 - options.confidence) / len(signals)
    parts: list[Part] = []
    for name, values in signals.items():
        parts += tested_parts(name, values, evidence.agrees, scored, design, options.agree, delta)
    shifted = differences(evidence) if evidence.inclusion is None else []
    trusted = options.as_sampled or not shifted
    holding = [part for part in parts if part.holds and trusted]
    chosen = max(holding, key=lambda part: part.decided, default=None)
    plain = design.stratum is None and design.clusters == len(scored)
    wanted = chosen is None and trusted
    candidate, needed = _wanted(parts, options.agree, delta, plain) if wanted else (None, None)
    order = signals[(chosen or candidate or parts[0]).signal]
    inside = scored & (order >= chosen.threshold) if chosen else np.zeros_like(scored)
    clustered = options.cluster and evidence.cluster is not None
    return Screening(
        source=evidence.source,
        judge=evidence.judge,
        dimension=evidence.column,
        options=options,
        labels=int(usable.sum()),
        instructions=len(np.unique(design.cluster[usable])) if clustered else None,
        scored=int(scored.sum()),
        chosen=chosen,
        candidate=candidate,
        needed=needed,
        parts=tuple(parts),
        decided=_listed(evidence, inside, -order),
        review=_listed(evidence, scored & ~inside, order),
        hopeless=_listed(evidence, ~scored, order),
        verdict=_verdict(chosen, candidate, needed, parts, options) if trusted else _UNTRUSTED,
        caveats=tuple(_caveats(evidence, options, shifted)),
    )


def _signals(evidence: Evidence, options: ScreenOptions) -> dict[str, NDArray[np.float64]]:
    found = dict(evidence.signals)
    absent = [name for name in options.by if name not in found]
    if absent:
        raise UserError(
            f"--by {absent[0]}: this judge does not give it; there is {', '.join(found) or 'none'}"
        )
    chosen = {name: found[name] for name in options.by or found}
    if not chosen:
        # nothing tells pairs apart: all of them, or none
        chosen = {EVERYTHING: np.zeros(len(evidence.ids))}
    return chosen


def tested_parts(
    name: str,
    values: NDArray[np.float64],
    agrees: NDArray[Any],
    scored: NDArray[np.bool_],
    design: Design,
    target: float,
    delta: float,
) -> list[Part]:
    """The parts of one signal, strictest first, tested in sequence at ``delta`` together."""
    levels = np.unique(
        np.quantile(values[scored], 1 - np.arange(1, PARTS + 1) / PARTS, method="lower")
    )[::-1]
    masks = [scored & (values >= level) for level in levels]
    counts = [int((mask & design.labelled).sum()) for mask in masks]
    starts = _starts([worth(design, mask, target) for mask in masks], target, delta)
    found, carried = [], 0.0
    for level, mask, count, own in zip(levels, masks, counts, starts, strict=True):
        p = p_below(agrees, design, mask, target)
        allowed = own + carried
        holds = allowed > 0 and p <= allowed
        carried = allowed if holds else 0.0
        asked = mask & design.labelled
        found.append(
            Part(
                signal=name,
                threshold=float(level),
                decided=int(mask.sum()),
                share=float(mask.sum() / scored.sum()),
                labelled=count,
                agreement=float(agrees[asked].mean()) if count else None,
                p=p,
                allowed=allowed,
                holds=holds,
            )
        )
    return found


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


def labels_needed(
    agreement: float, target: float, delta: float, power: float = POWER
) -> int | None:
    """Labels in a part with that agreement for which the test succeeds with ``power``.

    Null: agreement is not above the target, or more than a million would be needed.
    """
    from scipy.special import bdtrc, bdtrik

    if agreement <= target:
        return None
    low, high = 1, fewest_labels(target, delta)

    def enough(number: int) -> bool:
        most = ceil(bdtrik(1 - delta, number, target))  # P(X > most) <= delta
        return bool(most < number and bdtrc(most, number, agreement) >= power)

    while not enough(high):
        low, high = high, 2 * high
        if high > 1_000_000:
            return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def _wanted(
    parts: list[Part], target: float, delta: float, plain: bool
) -> tuple[Part | None, int | None]:
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


def _shrunk(part: Part) -> float:
    """Agreement as it may be expected: one disagreement more than was seen (Laplace)."""
    assert part.agreement is not None
    return (part.agreement * part.labelled + 1) / (part.labelled + 2)


def _listed(
    evidence: Evidence, mask: NDArray[np.bool_], key: NDArray[np.float64]
) -> tuple[str, ...]:
    rows = np.flatnonzero(mask)
    return tuple(str(evidence.ids[row]) for row in rows[np.argsort(key[rows], kind="stable")])


def _verdict(
    chosen: Part | None,
    candidate: Part | None,
    needed: int | None,
    parts: list[Part],
    options: ScreenOptions,
) -> str:
    promise = f"agreement with people of at least {options.agree:.0%}"
    sure = f"confidence {options.confidence:.0%}"
    if chosen is not None:
        return (
            f"{chosen.decided} pairs ({chosen.share:.0%} of the scored ones) may be decided by the"
            f" judge alone: {_which(chosen)} reach {promise}, {sure}"
            f" ({chosen.agreement:.1%} of their {chosen.labelled} labels agree)."
        )
    if candidate is not None and needed is not None:
        return (
            f"None: no part is shown to reach {promise} at {sure}. Nearest are"
            f" {_which(candidate)} ({candidate.decided} pairs; {candidate.labelled} labels,"
            f" {candidate.agreement:.1%} agree): about {needed} labels drawn at random among them"
            f" would probably tell{_more_than(candidate, needed)}."
        )
    best = max(parts, key=lambda part: part.agreement or 0.0)
    if best.agreement is not None and best.agreement > options.agree:
        fewest = fewest_labels(options.agree, (1 - options.confidence) / len(STARTS))
        return (
            f"None: the labels are too few to show {promise} at {sure} ({best.labelled} where"
            f" {best.agreement:.1%} agree); {fewest} of as many instructions could suffice if all"
            " agreed."
        )
    seen = "no labels" if best.agreement is None else f"at best {best.agreement:.1%} agree"
    fewest = fewest_labels(options.agree, (1 - options.confidence) / len(STARTS))
    return (
        f"None: no part looks as if it reached {promise} ({seen}); more labels would not change"
        f" that for this judge, a lower --agree might. Fewer than {fewest} labels cannot show it."
    )


def _which(part: Part) -> str:
    if part.signal == EVERYTHING:
        return "all of them"
    return f"those with {part.signal} of at least {part.threshold:.4g}"


def _more_than(part: Part, needed: int) -> str:
    return f", more than the {part.decided} pairs that it has" if needed > part.decided else ""


def _caveats(evidence: Evidence, options: ScreenOptions, shifted: list[str]) -> list[str]:
    found = []
    if evidence.inclusion is None and not evidence.asked[evidence.scored].all():
        found.append(
            f"the labelled pairs are no random sample of this run ({'; '.join(shifted)}): a"
            " promise could hold for pairs like the labelled ones only"
            if shifted
            else "the labelled pairs are taken as a random sample of this run"
        )
    if options.cluster and evidence.cluster is None:
        found.append("instructions are unknown: pairs are taken as independent")
    if evidence.unmatched:
        found.append(f"{evidence.unmatched} labelled items were not judged and are left out")
    found.append("pairs unlike this run's (new systems, topics, voices) need new labels")
    return found
