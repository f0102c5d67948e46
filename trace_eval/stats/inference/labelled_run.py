"""A judge's verdicts, their certainty, and human labels of some items, in aligned arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import Policy
from trace_eval.opinions.cells import Texts
from trace_eval.opinions.codes import MISSING, SCORE_FACTS, Codes, collapse_codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import Numbers, units
from trace_eval.stats.agreement.align import align
from trace_eval.stats.inference.influence import Design, simple_design
from trace_eval.stats.inference.sampling import Drawn, drawn_labels
from trace_eval.stats.ranking.prepare import judge_table

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LabelledRun:
    """One judge on all items, human labels on some.

    Attributes:
        table: the judgements, one row per item.
        column: the label column that is looked at.
        labels: people's; None: none are known.
        truth: what people say of every item, a set where they split; missing: nobody's
            [shape=(n,)].
        agrees: 1 where the judge has people's label, a part where they split and it has one of
            theirs, else 0; NaN where nobody was asked or nothing was scored [shape=(n,)].
        drawn: how the labelled items were chosen.
        facts: what tells which items are not independent, the labels' where the judgements
            have none.
        signals: name -> how sure the judge was, the more the surer [shape=(n,)].
        unmatched: labelled items that were not judged.
    """

    table: Opinions
    column: str
    labels: Opinions | None
    truth: Codes
    agrees: Array
    drawn: Drawn
    facts: Mapping[str, NDArray[Any]]
    signals: Mapping[str, Array]
    unmatched: int

    @property
    def source(self) -> str:
        """Where the judgements come from."""
        return self.table.source

    @property
    def judge(self) -> str:
        """Who judged."""
        return next(iter(self.table.raters()))

    @property
    def ids(self) -> Texts:
        """Ids of the items."""
        return self.table.ids

    @property
    def codes(self) -> Codes:
        """The judge's labels; missing: unscored [shape=(n,)]."""
        return self.table.codes[self.column]

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Items with a human label [shape=(n,)]."""
        return np.asarray(self.truth != MISSING)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Items with a label of the judge."""
        return np.asarray(self.codes != MISSING)

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Items with both a verdict and a human label."""
        return np.asarray(~np.isnan(self.agrees))

    @cached_property
    def cluster(self) -> Numbers | None:
        """Unit of every item, see :func:`~trace_eval.opinions.units.units` [shape=(n,)]."""
        return units(self.facts)

    @cached_property
    def copies(self) -> Numbers | None:
        """The same with copies alone, whatever the instruction [shape=(n,)]."""
        return units(self.facts, instructions=False)

    def design(self, asked: NDArray[np.bool_], cluster: bool) -> Design:
        """The sampling design, for estimates over all items.

        Args:
            asked: the items that count [shape=(n,)].
            cluster: items of one instruction are not independent; copies never are.
        """
        return simple_design(asked, self.drawn.inclusion, self.cluster if cluster else self.copies)


def gather(
    source: Opinions,
    labels: Opinions | None,
    *,
    judge: str | None = None,
    policy: Policy | None = None,
    dimension: str | None = None,
    others: Sequence[Opinions] = (),
) -> LabelledRun:
    """Join judgements, labels and further judges.

    Args:
        source: the judgements.
        labels: people's; None: those that came with the judgements, if any.
        judge: which one, where the source has several.
        policy: fuse the overall label of the judge with it; None: the stored one.
        dimension: label column; None: overall, else preference.
        others: further judges of the same items: how many of them agree is a signal.

    Raises:
        UserError: there is no such judge or column, no id matches, or labels have no
            inclusion probability where others have one.
    """
    table = judge_table(source, judge, policy)
    run = labelled(table, source.labels if labels is None else labels, dimension)
    return replace(run, signals=signals_of(source, table, run.column, others))


def labelled(table: Opinions, labels: Opinions | None, dimension: str | None = None) -> LabelledRun:
    """Join the judgements of one judge, one row per item, with labels; see :func:`gather`."""
    column, number = table.column(dimension), len(table)
    codes = table.codes[column]
    truth, agrees = np.full(number, MISSING, np.int8), np.full(number, np.nan)
    if labels is None:
        return LabelledRun(table, column, None, truth, agrees, Drawn(None), table.facts, {}, 0)
    items = labels.per_item
    said = dimension if dimension is not None else labels.column()
    if said not in items.codes:
        raise UserError(f"{labels.source}: no labels of {said!r}; people must say it too")
    rows = table.find(items.ids)
    present = rows >= 0
    if not present.any():
        raise UserError(
            f"{labels.source}: none of its {len(items)} ids is among the {number} of"
            f" {table.source}; give both the same ids"
        )
    truth[rows[present]] = items.codes[said][present]
    agrees = align("", said, truth, codes).credit()
    agrees[(truth == MISSING) | (codes == MISSING)] = np.nan
    provided, own = None, items.facts.get("inclusion")
    if own is not None:  # pairs without a label may have one, too
        provided = np.full(number, np.nan)
        provided[rows[present]] = own[present]
    drawn = drawn_labels(labels.source, table.ids, provided, truth != MISSING, codes != MISSING)
    stray = int((~present).sum())
    facts = _identity(table, items)
    return LabelledRun(table, column, labels, truth, agrees, drawn, facts, {}, stray)


def _identity(table: Opinions, items: Opinions) -> Mapping[str, NDArray[Any]]:
    """Facts of every judged item; instruction, systems and clips by the labels where it has none.

    A pair of columns comes from one side: paths of one and hashes of the other never meet.
    """
    rows, facts = items.find(table.ids), dict(table.facts)
    for names in (("instruction_id",), ("system_a", "system_b"), ("clip_a", "clip_b")):
        if any(any(available is not None for available in facts.get(name, ())) for name in names):
            continue
        for name in names:
            if (details := items.facts.get(name)) is not None:
                facts[name] = np.where(rows >= 0, details[rows], np.array(None, object))
    return facts


def signals_of(
    source: Opinions, table: Opinions, column: str, others: Sequence[Opinions]
) -> dict[str, Array]:
    """Every sign of certainty that the judgements carry; unknown values count as least sure."""
    results: dict[str, Array] = {}
    facts, codes = table.facts, table.codes[column]
    for name, sign in (("confidence", 1.0), ("entropy", -1.0), ("consistent", 1.0)):
        if name in facts:
            results[name] = sign * facts[name]
    own = "margin" if column in ("overall", "preference") else f"margin_{column}"
    if own in facts:
        results["margin"] = _towards(facts[own], codes)
    elif all(name in facts for name in SCORE_FACTS):
        results["margin"] = _towards(facts["score_a"] - facts["score_b"], codes)
    repeated = _repeats(source, table, codes, column)
    if repeated is not None:
        results["repeats"] = repeated
    if others:
        results["judges"] = _others(table, codes, column, others)
    available = {name: _unknown_last(values) for name, values in results.items()}
    return {name: values for name, values in available.items() if len(np.unique(values)) > 1}


def _unknown_last(values: Array) -> Array:
    """Unknown values as the least sure of those that are known."""
    lacking = np.isnan(values)
    return np.where(lacking, 0.0 if lacking.all() else np.nanmin(values), values)


def _towards(margin: Array, codes: Codes) -> Array:
    """How far the margin speaks for the label: ahead for winners, near 0 for ties."""
    tie = -np.abs(margin)
    return np.where(codes == 0, margin, np.where(codes == 1, -margin, tie))


def _repeats(details: Opinions, table: Opinions, codes: Codes, column: str) -> Array | None:
    """Share of the judge's repetitions of an item that give the same label."""
    if details.repeat is None or column not in details.codes:
        return None
    rows = table.find(details.ids)
    same = (details.codes[column] == codes[rows]) & (rows >= 0)
    count = np.bincount(rows[rows >= 0], minlength=len(table))
    equal = np.bincount(rows[rows >= 0], weights=same[rows >= 0], minlength=len(table))
    return np.asarray(equal / np.maximum(count, 1))


def _others(table: Opinions, codes: Codes, column: str, others: Sequence[Opinions]) -> Array:
    """Share of the further judges that give the same label, ties collapsed."""
    own = collapse_codes(codes)
    same, count = np.zeros(len(table)), 0
    for other in others:
        for theirs in other.raters().values():
            said = theirs.column(column if column in theirs.codes else None)
            label = collapse_codes(theirs.said(said, table.ids))
            same += (label == own) & (label != MISSING)
            count += 1
    return same / max(count, 1)
