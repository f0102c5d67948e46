"""How often two judgings of the same items differ, by kind, and by noise alone.

Some items count by themselves, however good the mean is: a win became a loss there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from blueprints import counted
from trace_eval.compare.judgings import Joined, Judging
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.estimate.share import Share
from trace_eval.opinions.codes import (
    LABELS,
    MISSING,
    UNTYPED,
    Codes,
    collapse_codes,
    is_untyped,
)
from trace_eval.show.table import Table, column, joined, table
from trace_eval.stats.agreement.counts import joint_counts, kappa

#: Kinds of flips of labels.
KINDS = ("win reversed", "win to tie", "tie to win", "both_good and both_bad")

#: The sentence on two copies of one judging.
COPY = "identical judgements: not an A/A"

#: The sentence of a gate on them.
SAME = "no change: every judgement is the same in both runs"

#: Judges whose verdict is a function of the evidence: asked twice, they say the same
#: thing twice.
DETERMINISTIC = ("rules", "lexical", "turns")


def is_deterministic(judging: Judging) -> bool:
    """Tell whether a judge gives equal verdicts on equal evidence.

    A table does not say who judged.
    """
    record = judging.record
    return record is not None and record.judge.spec.partition(":")[0] in DETERMINISTIC


#: Scores closer than this are the same.
_SAME = 1e-9


@dataclass(frozen=True)
class Flips:
    """Items on which two judgings differ."""

    share: Share  # flips over the items that both scored
    kinds: dict[str, int]  # items by kind, see :data:`KINDS`; empty for scores
    # of both with each other; None: scores, or one label throughout
    kappa: float | None
    labels: tuple[str, ...] = ()  # of the transitions; empty for scores
    # items by label of the first (rows) and of the second (columns)
    transitions: tuple[tuple[int, ...], ...] = ()


def comparable(one: Codes, other: Codes) -> tuple[Codes, Codes, tuple[str, ...]]:
    """Return both tables with typed ties, or both without where one side has none."""
    if is_untyped(one) or is_untyped(other):
        return collapse_codes(one), collapse_codes(other), UNTYPED
    return one, other, LABELS[:4]


def changed(one: Judging, other: Judging, metric: str) -> Array:
    """Mark items that differ between judgings: 1 or 0, NaN where one is unscored."""
    before = one.points(metric)
    after = other.points(metric)
    if metric in one.codes:
        first, second, _ = comparable(one.codes[metric], other.codes[metric])
        differ = first != second
    else:
        differ = np.abs(before - after) > _SAME
    return np.where(np.isnan(before) | np.isnan(after), np.nan, differ.astype(float))


def flips(one: Judging, other: Judging, metric: str) -> Flips:
    """Count the flips between two judgings of the same items, row by row."""
    differ = changed(one, other, metric)
    share = Share(int(np.nansum(differ)), int((~np.isnan(differ)).sum()))
    if metric not in one.codes:
        return Flips(share, {}, None)
    first, second, labels = comparable(one.codes[metric], other.codes[metric])
    counts = joint_counts(first, second, len(labels))
    has_typed_ties = len(labels) > len(UNTYPED)
    numbers = (
        counts[0, 1] + counts[1, 0],
        counts[:2, 2:].sum(),
        counts[2:, :2].sum(),
        counts[2, 3] + counts[3, 2] if has_typed_ties else 0,
    )
    value = float(kappa(counts))
    return Flips(
        share=share,
        kinds=dict(zip(KINDS, map(int, numbers), strict=True)),
        kappa=None if np.isnan(value) else value,
        labels=labels,
        transitions=tuple(map(tuple, counts.tolist())),
    )


@dataclass(frozen=True)
class VerdictNoise:
    """The judge with itself: A/A.

    Attributes:
        runs: names of the repetitions.
        items: items with a repetition that came from no cache.
        flips: of the first judging with each repetition, and of those with each other,
            pooled.
        reason: why the noise is not measured; None: it is.
        deterministic: the judge has none, so there is nothing to measure.
        notes: repetitions, or items of them, that were left out, and why.
    """

    runs: tuple[str, ...]
    items: int
    flips: Share
    reason: str | None = None
    notes: tuple[str, ...] = ()
    deterministic: bool = False

    @property
    def measured(self) -> bool:
        """Whether there is an A/A."""
        return self.reason is None

    @property
    def counts(self) -> str:
        """Flips of how many comparisons, or why there are none."""
        return self.reason or self.flips.counts


def identical(one: Judging, other: Judging) -> bool:
    """Whether one is a copy of the other, row by row."""
    if list(one.facts.get("copies", ())) != list(other.facts.get("copies", ())):
        return False
    for name in one.metrics:
        if name not in other.metrics:
            continue
        if np.nansum(changed(one, other, name)) > 0:
            return False
        if one.reasons[name].tolist() != other.reasons[name].tolist():
            return False
    return True


def _fresh(first: Judging, repeat: Judging) -> tuple[Mask, str | None]:
    """Find the items that were judged again without a cache, or why there are none.

    A repetition counts where no reply is marked as cached, or where the raw replies
    differ. Tables keep verdicts alone: they count where any verdict differs at all.
    """
    none = np.zeros(len(first), bool)
    if identical(first, repeat):
        return none, COPY
    if repeat.record is None or first.record is None:
        return ~none, None
    replies = repeat.facts["replies"]
    if not any(replies):
        return none, "no replies are kept, so nothing proves that no cache answered"
    is_kept = np.array([reply is not None for reply in replies.tolist()], bool)
    is_other = first.facts["replies"] != replies
    fresh = is_kept & (~repeat.flags("cached") | is_other)
    if not fresh.any():
        return fresh, "all replies came from a cache: not an A/A"
    return fresh, None


def _no_noise(first: Judging, repeats: Sequence[Judging]) -> VerdictNoise:
    spec = first.record.judge.spec if first.record else ""
    return VerdictNoise(
        runs=tuple(repeat.source for repeat in repeats),
        items=0,
        flips=Share(0, 0),
        reason=f"{spec} is deterministic: no noise",
        deterministic=True,
    )


def repeated(
    first: Judging, repeats: Sequence[Judging], metric: str
) -> tuple[Array, VerdictNoise, list[Array]]:
    """Measure a judge's noise from repetitions of one judging, in its rows.

    Returns:
        Per item the share of pairs of judgings that differ (NaN: no pair), the noise,
        and per pair of judgings the differences of points (NaN where unknown).
    """
    unknown = np.full(len(first), np.nan)
    if is_deterministic(first):
        return unknown, _no_noise(first, repeats), []
    usable = [(first, first.points(metric))]
    notes: list[str] = []
    for repeat in repeats:
        if metric not in repeat.metrics:
            continue
        fresh, reason = _fresh(first, repeat)
        if reason is not None:
            notes.append(f"{repeat.source}: {reason}")
            continue
        points = repeat.points(metric)
        left_out = int((~fresh & ~np.isnan(points)).sum())
        if left_out:
            items = counted(
                left_out,
                "item came from a cache and is",
                "items came from a cache and are",
            )
            notes.append(f"{repeat.source}: {items} left out")
        usable.append((repeat, np.where(fresh, points, np.nan)))
    names: tuple[str, ...] = ()
    if notes or len(usable) > 1:
        names = tuple(repeat.source for repeat in repeats)
    if len(usable) < 2:
        why = "; ".join(notes) or "noise not measured"
        return unknown, VerdictNoise(names, 0, Share(0, 0), why), []
    differ: list[Array] = []
    gaps: list[Array] = []
    for (one, before), (other, after) in combinations(usable, 2):
        gap = after - before
        gaps.append(gap)
        differ.append(np.where(np.isnan(gap), np.nan, changed(one, other, metric)))
    has_both = ~np.isnan(differ)
    pairs = has_both.sum(0)
    per_item = np.divide(np.nansum(differ, 0), pairs, out=unknown, where=pairs > 0)
    noise = VerdictNoise(
        runs=names,
        items=int((pairs > 0).sum()),
        flips=Share(int(np.nansum(differ)), int(has_both.sum())),
        reason=None,
        notes=tuple(notes),
    )
    return per_item, noise, gaps


#: Points above which an answer wins (of scores: is in the upper half), and below which
#: it loses.
_EVEN = 0.5


@dataclass(frozen=True)
class SevereItem:
    """One item that went from a win to a loss, or lost its verdict.

    Attributes:
        tagged: the user tagged it as one that must not fail.
        why: why it is listed, in words.
        before, after: its points; ``unscored``: no verdict.
    """

    item: str
    metric: str
    tagged: bool
    why: tuple[str, ...] = field(metadata=column(shown=joined("; ")))
    before: str
    after: str


def severe_items(
    joined: Joined, metric: str, flip: Mask | None = None
) -> list[SevereItem]:
    """List items that went from a win to a loss, or lost their verdict for a reason.

    Of those in ``flip`` [shape=(n,)] answer B is looked at, not A; None: a reversal in
    either direction counts.
    """
    one = joined.first
    other = joined.second
    before, after = joined.points(metric)
    lost = (before > _EVEN) & (after < _EVEN)
    won = (before < _EVEN) & (after > _EVEN)
    turned = lost | won if metric in one.codes else lost
    if flip is not None:
        turned = np.where(flip, won, lost)
    is_lost = ~np.isnan(before) & np.isnan(after)
    severe = one.flags("severe") | other.flags("severe")
    reasons = {
        "annotators agree with the first": turned & _agrees_with_labels(one, metric),
        "both judgings were sure": turned & one.flags("sure") & other.flags("sure"),
        "tagged severe": severe,
    }
    items: list[SevereItem] = []
    for row in np.flatnonzero(turned | is_lost).tolist():
        why = [reason for reason, rows in reasons.items() if rows[row]]
        if is_lost[row]:
            why.append(f"no verdict now: {other.reasons[metric][row]}")
        if not why:
            continue
        item = SevereItem(
            item=str(one.ids[row]),
            metric=metric,
            tagged=bool(severe[row]),
            why=tuple(why),
            before=f"{before[row]:.3g}",
            after="unscored" if is_lost[row] else f"{after[row]:.3g}",
        )
        items.append(item)
    return sorted(items, key=lambda item: (not item.tagged, item.item))


def _agrees_with_labels(judging: Judging, metric: str) -> Mask:
    """Mark items whose verdict is that of the annotators."""
    if judging.labels is not None and metric in judging.codes:
        human = judging.labels.per_item
        for dimension in (metric.rpartition(".")[2], "human"):
            if dimension in human.codes:
                labels = human.labels_of(dimension, judging.ids)
                is_same = labels == judging.codes[metric]
                return np.asarray((labels != MISSING) & is_same, bool)
    return np.zeros(len(judging), bool)


def severe_table(
    items: Sequence[SevereItem], note: str, before: str = "first", after: str = "second"
) -> Table:
    """Show the items that turned from a win into a loss."""
    return table(
        "Severe items",
        items,
        "item metric before after why",
        note,
        before=before,
        after=after,
    )
