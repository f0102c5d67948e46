"""A judge's verdicts, their certainty, and some human labels, in aligned arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.data.policies import load_policy
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.opinions.codes import (
    MISSING,
    SCORE_FACTS,
    SPLIT,
    Codes,
    agreed,
    collapse_codes,
)
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import FactColumns
from trace_eval.stats.agreement.judges import align
from trace_eval.stats.agreement.suspects import without_raters
from trace_eval.stats.inference.sampling import (
    Design,
    Drawn,
    drawn_labels,
    simple_design,
)
from trace_eval.stats.options import LabelChoice
from trace_eval.stats.ranking.prepare import judge_table


@dataclass(frozen=True)
class LabelledRun:
    """One judge on all items, human labels on some.

    Attributes:
        table: the judgements, one row per item, with the labels' instructions, systems
            and recordings where they have none, and the human labels.
        truth: what annotators say of every item, a set where they split; missing:
            nobody's [shape=(n,)].
        agrees: 1 where the judge has human label, a part where they split and it has
            one of theirs, else 0; NaN where nobody was asked or nothing was scored
            [shape=(n,)].
        signals: name -> how sure the judge was, the more the surer [shape=(n,)].
        unmatched: labelled items that were not judged.
    """

    table: Opinions
    column: str
    truth: Codes
    agrees: Array
    drawn: Drawn
    signals: Mapping[str, Array]
    unmatched: int

    @property
    def judge(self) -> str:
        """Who judged."""
        return next(iter(self.table.raters()))

    @property
    def codes(self) -> Codes:
        """The judge's labels; missing: unscored [shape=(n,)]."""
        return self.table.codes[self.column]

    @property
    def has_label(self) -> Mask:
        """Items with a human label [shape=(n,)]."""
        return np.asarray(self.truth != MISSING)

    @property
    def scored(self) -> Mask:
        """Items with a label of the judge."""
        return np.asarray(self.codes != MISSING)

    @property
    def decided(self) -> Mask:
        """Items with one label of the judge; several raters may have split."""
        return np.asarray(agreed(self.codes) != MISSING)

    @property
    def usable(self) -> Mask:
        """Items with both a verdict and a human label."""
        return np.asarray(~np.isnan(self.agrees))

    @property
    def is_split(self) -> Mask:
        """Usable items on which raters split [shape=(n,)]."""
        return np.asarray(self.usable & (self.truth >= SPLIT))

    @property
    def most_agreement(self) -> Array:
        """Return what a judge of the same labels could agree with, 0 to 1 [shape=(n,)].

        Where raters split on k labels, each of them is right by 1 / k.
        """
        labels = align("", self.column, self.truth, self.codes)
        largest_share = labels.shares.max(1)
        return np.asarray(largest_share[np.maximum(labels.truth, 0)])

    @property
    def represented(self) -> Mask:
        """Return pairs that the labels speak for, whatever the judge said [shape=(n,)].

        Where annotators were asked about pairs that the judge left unscored, those are
        drawn from all pairs, and to leave them out would choose labels by what the
        judge could read. Where they never were, the labels say nothing of unscored
        pairs.
        """
        if not (self.has_label & ~self.scored).any():
            return self.scored
        if self.drawn.unreached is None:
            return np.ones(len(self.codes), bool)
        return ~self.drawn.unreached

    def design(self, items: Mask, cluster: bool = True) -> Design:
        """Return the sampling design, for estimates over all items from those labelled.

        Items of one instruction are not independent, but without ``cluster``; copies
        never are.
        """
        return simple_design(items, self.drawn.inclusion, self.table.units(cluster))


def gather(
    source: Opinions,
    labels: Opinions | None,
    chosen: LabelChoice | None = None,
    others: Sequence[Opinions] = (),
) -> LabelledRun:
    """Join judgements, labels and further judges.

    Args:
        labels: annotators'; None: those that came with the judgements, if any.
        chosen: which judge, dimension and policy; None: the overall label of the only
            judge.
        others: further judges of the same items: how many of them agree is a signal.

    Raises:
        UserError: there is no such judge, column or rater, no id matches, or labels
            have no inclusion probability where others have one.
    """
    chosen = chosen or LabelChoice()
    policy = load_policy(chosen.policy) if chosen.policy else None
    table = judge_table(source, chosen.judge, policy)
    human = source.labels if labels is None else labels
    if human is not None:
        human = without_raters(human, chosen.leave_out)
    run = labelled(table, human, chosen.dimension)
    return replace(run, signals=signals_of(source, table, run.column, others))


def labelled(
    table: Opinions, labels: Opinions | None, dimension: str | None = None
) -> LabelledRun:
    """Join one judge's judgements, a row per item, with labels by :func:`gather`."""
    column = table.column(dimension)
    number = len(table)
    codes = table.codes[column]
    if labels is None:
        nobody = np.full(number, MISSING, np.int8)
        return LabelledRun(
            table=table,
            column=column,
            truth=nobody,
            agrees=np.full(number, np.nan),
            drawn=Drawn(None),
            signals={},
            unmatched=0,
        )
    items = labels.per_item
    of = labels.column() if dimension is None else dimension
    if of not in items.codes:
        raise UserError(
            f"{labels.source}: has no labels of {of!r}; annotators must label it, too"
        )
    stray = int((table.find(items.ids) < 0).sum())
    if stray == len(items):
        raise UserError(
            f"{labels.source}: none of its {len(items)} ids is among the {number} of"
            f" {table.source}; give both the same ids"
        )
    spread = items.spread(table.ids)
    truth = spread.codes[of]
    agrees = align("", of, truth, codes).credit()
    agrees[(truth == MISSING) | (codes == MISSING)] = np.nan
    # pairs without a label may have an inclusion, too
    inclusion = spread.facts.get("inclusion")
    drawn = drawn_labels(
        labels.source,
        table.ids,
        provided=inclusion,
        requested=truth != MISSING,
        scored=codes != MISSING,
    )
    table = replace(table, facts=_identity(table.facts, spread.facts), labels=labels)
    return LabelledRun(
        table=table,
        column=column,
        truth=truth,
        agrees=agrees,
        drawn=drawn,
        signals={},
        unmatched=stray,
    )


def _identity(judged: FactColumns, labelled: FactColumns) -> FactColumns:
    """Return the facts of every judged item; what it lacks, the labels say.

    A pair of columns comes from one side: paths of one and hashes of the other never
    meet.
    """
    facts = dict(judged)
    for names in (("instruction_id",), ("system_a", "system_b"), ("clip_a", "clip_b")):
        values = chain.from_iterable(facts.get(name, ()) for name in names)
        if all(value is None for value in values):
            facts |= {name: labelled[name] for name in names if name in labelled}
    return facts


def signals_of(
    source: Opinions, table: Opinions, column: str, others: Sequence[Opinions]
) -> dict[str, Array]:
    """Return every sign of certainty; unknown values count as least sure."""
    results: dict[str, Array] = {}
    facts = table.facts
    codes = table.codes[column]
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
    signals: dict[str, Array] = {}
    for name, values in results.items():
        is_unknown = np.isnan(values)
        least = 0.0 if is_unknown.all() else np.nanmin(values)
        values = np.where(is_unknown, least, values)
        if len(np.unique(values)) > 1:
            signals[name] = values
    return signals


def _towards(margin: Array, codes: Codes) -> Array:
    """Return how far the margin speaks for a label; near 0 it speaks for ties."""
    tie = -np.abs(margin)
    return np.where(codes == 0, margin, np.where(codes == 1, -margin, tie))


def _repeats(
    details: Opinions, table: Opinions, codes: Codes, column: str
) -> Array | None:
    """Share of the judge's repetitions of an item that give the same label."""
    if details.repeat is None or column not in details.codes:
        return None
    rows = table.find(details.ids)
    same = (details.codes[column] == codes[rows]) & (rows >= 0)
    count = np.bincount(rows[rows >= 0], minlength=len(table))
    equal = np.bincount(rows[rows >= 0], weights=same[rows >= 0], minlength=len(table))
    return np.asarray(equal / np.maximum(count, 1))


def _others(
    table: Opinions, codes: Codes, column: str, others: Sequence[Opinions]
) -> Array:
    """Share of the further judges that give the same label, ties collapsed."""
    own = collapse_codes(codes)
    same = np.zeros(len(table))
    count = 0
    for other in others:
        for theirs in other.raters().values():
            of = theirs.column(column if column in theirs.codes else None)
            label = collapse_codes(theirs.labels_of(of, table.ids))
            same += (label == own) & (label != MISSING)
            count += 1
    return same / max(count, 1)


#: A difference counts when chance gives it less often than this, over all that are
#: looked at.
SIGNIFICANT = 0.001

#: Cells of a table with fewer expected items are put together.
LEAST_EXPECTED = 5.0


def differences(run: LabelledRun) -> list[str]:
    """Say how labelled pairs differ from others: by label, systems, certainty."""
    scored = run.scored
    labelled = scored & run.has_label
    rest = scored & ~run.has_label
    if labelled.sum() < LEAST_EXPECTED or rest.sum() < LEAST_EXPECTED:
        return []
    p_values = {"the judge's label": _categories(run.codes, labelled, rest)}
    systems = [run.table.facts.get(f"system_{side}") for side in "ab"]
    if (
        systems[0] is not None
        and systems[1] is not None
        and None not in systems[0].tolist()
    ):
        pairs = np.array([f"{a}\0{b}" for a, b in zip(*systems, strict=True)], object)
        p_values["the systems"] = _categories(pairs, labelled, rest)
    from scipy.stats import mannwhitneyu  # 1 s of imports

    for name, values in run.signals.items():
        p_values[name] = float(mannwhitneyu(values[labelled], values[rest]).pvalue)
    level = SIGNIFICANT / len(p_values)
    return [f"{name} differs, p = {p:.1g}" for name, p in p_values.items() if p < level]


def _categories(
    values: NDArray[np.int8] | NDArray[np.object_],
    requested: Mask,
    rest: Mask,
) -> float:
    """Test homogeneity by chi-squared, rare values put together."""
    from scipy.stats import chi2_contingency

    _, code = np.unique(values.astype(str), return_inverse=True)
    kinds = code.max() + 1
    table = np.stack(
        [np.bincount(code[side], minlength=kinds) for side in (requested, rest)]
    )
    share = min(requested.sum(), rest.sum()) / (requested.sum() + rest.sum())
    rare = table.sum(0) * share < LEAST_EXPECTED
    kept = table[:, ~rare]
    if rare.any():
        kept = np.concatenate([kept, table[:, rare].sum(1, keepdims=True)], 1)
    kept = kept[:, kept.sum(0) > 0]
    return float(chi2_contingency(kept).pvalue) if kept.shape[1] > 1 else 1.0
