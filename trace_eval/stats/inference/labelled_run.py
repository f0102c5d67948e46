"""What a judge said, how sure it was, and what people say of some of it, in aligned arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import Policy
from trace_eval.opinions.cells import Texts
from trace_eval.opinions.codes import LABELS, MISSING, SCORE_FACTS, Codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.align import Items, items_of, rows_of
from trace_eval.stats.agreement.align import gather as gather_codes
from trace_eval.stats.agreement.copies import units
from trace_eval.stats.agreement.counts import SPLIT, collapse_codes
from trace_eval.stats.inference.influence import Design, simple_design
from trace_eval.stats.inference.sampling import Drawn, drawn_labels
from trace_eval.stats.ranking.outcomes import opinion_column
from trace_eval.stats.ranking.prepare import judge_table

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LabelledRun:
    """One judge on all items, people on some.

    Attributes:
        source: where the judgements come from.
        judge: who judged.
        table: its judgements, one row per item.
        column: the label column that is looked at.
        codes: the judge's labels; missing: unscored [shape=(n,)].
        truth: people's plurality label, or ``SPLIT``; missing: nobody's [shape=(n,)].
        asked: items that people labelled [shape=(n,)].
        agrees: 1 where the judge has people's label, a part where they split and it has one of
            theirs, else 0; NaN where nobody was asked or nothing was scored [shape=(n,)].
        drawn: how the labelled items were chosen.
        facts: what tells which items are not independent, the labels' where the judgements
            have none.
        cluster: number of the unit of every item, from 0, see
            :func:`trace_eval.stats.agreement.copies.units`; None: nothing tells [shape=(n,)].
        copies: the same with copies alone, whatever the instruction [shape=(n,)].
        signals: name -> how sure the judge was, the more the surer [shape=(n,)].
        unmatched: labelled items that were not judged.
        items: people's opinions behind it.
    """

    source: str
    judge: str
    table: Opinions
    column: str
    codes: Codes
    truth: Codes
    asked: NDArray[np.bool_]
    agrees: Array
    drawn: Drawn
    facts: Mapping[str, NDArray[Any]]
    cluster: NDArray[np.int64] | None
    copies: NDArray[np.int64] | None
    signals: Mapping[str, Array]
    unmatched: int
    items: Items | None

    @property
    def ids(self) -> Texts:
        """Ids of the items."""
        return self.table.ids

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Items with a label of the judge."""
        return np.asarray(self.codes != MISSING)

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Items on which judge and people can be compared."""
        return np.asarray(~np.isnan(self.agrees))

    def design(self, asked: NDArray[np.bool_], cluster: bool) -> Design:
        """Who was asked, for estimates over all items.

        Args:
            asked: the items that count [shape=(n,)].
            cluster: items of one instruction are not independent; copies never are.
        """
        group = self.cluster if cluster else self.copies
        return simple_design(asked, self.drawn.inclusion, group)


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
    labels = source.labels if labels is None else labels
    table = judge_table(source, judge, policy)
    column = opinion_column(table, dimension)
    codes, number = table.codes[column], len(table)
    truth, asked = np.full(number, MISSING, np.int8), np.zeros(number, bool)
    agrees = np.full(number, np.nan)
    drawn, unmatched, items = Drawn(None), 0, None
    if labels is not None:
        items = items_of(labels)
        said = dimension if dimension is not None else opinion_column(labels)
        if said not in items.codes:
            raise UserError(f"{labels.source}: no labels of {said!r}; people must say it too")
        rows = _join(table, items)
        known = rows >= 0
        truth = items.said(said, table.ids)
        asked = truth != MISSING
        judged = gather_codes(codes, rows)
        agrees[rows[known]] = items.credit(said, judged)[known]
        agrees[~asked | (codes == MISSING)] = np.nan
        given, own = None, items.fact("inclusion")
        if own is not None:
            given = np.full(number, np.nan)
            given[rows[known]] = own[known]
        unmatched = int((~known).sum())
        drawn = drawn_labels(labels.source, table.ids, given, asked, codes != MISSING)
    facts = table.facts if items is None else _identity(table, items)
    return LabelledRun(
        source=source.source,
        judge=next(iter(table.raters())),
        table=table,
        column=column,
        codes=codes,
        truth=truth,
        asked=asked,
        agrees=agrees,
        drawn=drawn,
        facts=facts,
        cluster=units(facts),
        copies=units(facts, instructions=False),
        signals=signals_of(source, table, codes, column, others),
        unmatched=unmatched,
        items=items,
    )


def _join(table: Opinions, items: Items) -> NDArray[np.int64]:
    """Row of ``table`` of every labelled item; -1 where it was not judged."""
    rows = rows_of(items.ids, table.ids)
    if (rows < 0).all():
        raise UserError(
            f"{items.table.source}: none of its {len(items.ids)} ids is among the {len(table)} of"
            f" {table.source}; give both the same ids"
        )
    return rows


def _identity(table: Opinions, items: Items) -> Mapping[str, NDArray[Any]]:
    """Facts of every judged item; instruction, systems and clips by the labels where it has none.

    A pair of columns comes from one side: paths of one and hashes of the other never meet.
    """
    index = {key: row for row, key in enumerate(items.ids.tolist())}
    rows = np.fromiter((index.get(key, -1) for key in table.ids.tolist()), np.int64, len(table))
    facts, unknown = dict(table.facts), np.array(None, object)
    for names in (("instruction_id",), ("system_a", "system_b"), ("clip_a", "clip_b")):
        if any(any(known is not None for known in facts.get(name, ())) for name in names):
            continue
        for name in names:
            if (told := items.fact(name)) is not None:
                facts[name] = np.where(rows >= 0, told[rows], unknown)
    return facts


def signals_of(
    source: Opinions,
    table: Opinions,
    codes: Codes,
    column: str,
    others: Sequence[Opinions],
) -> dict[str, Array]:
    """Every sign of certainty that the judgements carry; unknown values count as least sure."""
    found: dict[str, Array] = {}
    facts = table.facts
    for name, sign in (("confidence", 1.0), ("entropy", -1.0), ("consistent", 1.0)):
        if name in facts:
            found[name] = sign * facts[name]
    own = "margin" if column in ("overall", "preference") else f"margin_{column}"
    if own in facts:
        found["margin"] = _towards(facts[own], codes)
    elif all(name in facts for name in SCORE_FACTS):
        found["margin"] = _towards(facts["score_a"] - facts["score_b"], codes)
    repeated = _repeats(source, table, codes, column)
    if repeated is not None:
        found["repeats"] = repeated
    if others:
        found["judges"] = _others(table, codes, column, others)
    known = {name: _unknown_last(values) for name, values in found.items()}
    return {name: values for name, values in known.items() if len(np.unique(values)) > 1}


def _unknown_last(values: Array) -> Array:
    """Unknown values as the least sure of those that are known."""
    lacking = np.isnan(values)
    return np.where(lacking, 0.0 if lacking.all() else np.nanmin(values), values)


def _towards(margin: Array, codes: Codes) -> Array:
    """How far the margin speaks for the label: ahead for winners, near 0 for ties."""
    tie = -np.abs(margin)
    return np.where(codes == 0, margin, np.where(codes == 1, -margin, tie))


def _repeats(source: Opinions, table: Opinions, codes: Codes, column: str) -> Array | None:
    """Share of the judge's repetitions of an item that give the same label."""
    told = source
    if told.repeat is None or column not in told.codes:
        return None
    index = {key: row for row, key in enumerate(table.ids.tolist())}
    rows = np.fromiter((index.get(key, -1) for key in told.ids.tolist()), np.int64, len(told))
    same = (told.codes[column] == codes[rows]) & (rows >= 0)
    count = np.bincount(rows[rows >= 0], minlength=len(table))
    equal = np.bincount(rows[rows >= 0], weights=same[rows >= 0], minlength=len(table))
    return np.asarray(equal / np.maximum(count, 1))


def _others(table: Opinions, codes: Codes, column: str, others: Sequence[Opinions]) -> Array:
    """Share of the further judges that give the same label, ties collapsed."""
    own = collapse_codes(codes)
    same, count = np.zeros(len(table)), 0
    for other in others:
        for theirs in other.raters().values():
            said = theirs.codes[opinion_column(theirs, column if column in theirs.codes else None)]
            index = {key: row for row, key in enumerate(theirs.ids.tolist())}
            rows = np.fromiter((index.get(k, -1) for k in table.ids.tolist()), np.int64)
            label = np.where(rows >= 0, collapse_codes(said)[rows], MISSING)
            same += (label == own) & (label != MISSING)
            count += 1
    return same / max(count, 1)


def label_text(code: int) -> str | None:
    """A label by its code, or ``split``; None for a missing one."""
    return None if code == MISSING else "split" if code == SPLIT else LABELS[code]
