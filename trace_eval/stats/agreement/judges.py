"""Judges beside human labels: overall label, join by item, one set of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from blueprints import UserError
from fusion import DEFAULT_POLICY, DIMENSIONS, PLAIN_POLICIES, POLICIES, Policy
from trace_eval.data.columns import Missing
from trace_eval.data.policies import WHOLE_PAIR
from trace_eval.estimate.arrays import Array, Mask, Reals
from trace_eval.estimate.measures import folded
from trace_eval.opinions.codes import (
    MISSING,
    SHARES,
    SPLIT,
    TYPED,
    UNTYPED,
    Codes,
    agreed,
    collapse_codes,
    is_untyped,
)
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.counts import Counts, joint_counts
from trace_eval.stats.agreement.policies import fuse_codes, has_dimensions


@dataclass(frozen=True)
class Aligned:
    """Truth and prediction of one judge on one dimension.

    Attributes:
        labels: the declared label set of both.
        human: code of every item's truth; a set of labels where raters split; missing
            where nobody labelled it.
        predicted: index into ``labels``, or a set of them where the judge is several
            raters who split; missing where there is none.
    """

    judge: str
    dimension: str
    labels: tuple[str, ...]
    human: Codes
    predicted: Codes

    @cached_property
    def _sets(self) -> Codes:
        """Sets of labels that occur."""
        return np.unique(self.human[self.human >= SPLIT])

    @cached_property
    def truth(self) -> Codes:
        """Row of ``shares`` of every item; missing where nobody labelled it."""
        split = len(self.labels) + np.searchsorted(self._sets, self.human)
        return np.where(self.human >= SPLIT, split, self.human).astype(np.int8)

    @property
    def shares(self) -> Reals:
        """What a truth stands for, by label [shape=(rows, labels)].

        First one row per label, then one per set of labels on which raters split.
        """
        size = len(self.labels)
        return np.concatenate([np.eye(size), SHARES[self._sets][:, :size]])

    @property
    def labelled(self) -> int:
        """Items with a truth."""
        return int((self.human != MISSING).sum())

    @property
    def scored(self) -> int:
        """Items with a truth and a prediction."""
        return int(self.usable.sum())

    @property
    def split(self) -> int:
        """Scored items on which raters split."""
        return int((self.usable & (self.human >= SPLIT)).sum())

    @property
    def usable(self) -> Mask:
        """Items that count."""
        return np.asarray((self.human != MISSING) & (self.predicted != MISSING))

    @property
    def agreed(self) -> Codes:
        """The label where raters agree on one; missing where they split."""
        return agreed(self.human)

    def untyped(self) -> Aligned:
        """Return it with all ties as one."""
        if self.labels == UNTYPED:
            return self
        human = collapse_codes(self.human)
        predicted = collapse_codes(self.predicted)
        return Aligned(
            judge=self.judge,
            dimension=self.dimension,
            labels=UNTYPED,
            human=human,
            predicted=predicted,
        )

    def counts(self, predicted: Codes | None = None) -> Counts:
        """Count items by true and predicted label [shape=(labels, labels)]."""
        verdicts = self.predicted if predicted is None else predicted
        return folded(
            joint_counts(self.truth, verdicts, *self.shares.shape), self.shares
        )

    def credit(self) -> Reals:
        """Return the share of raters that agree with each judgement, 0 to 1.

        Where k labels tie, each of them is right by 1 / k. A judge that is several
        raters may split, too: each of its k labels is then said by 1 / k.
        """
        said = SHARES[np.maximum(self.predicted, 0)][:, : len(self.labels)]
        shares = (self.shares[np.maximum(self.truth, 0)] * said).sum(1)
        return np.where(self.usable, shares, 0.0)


def align(judge: str, dimension: str, human: Codes, predicted: Codes) -> Aligned:
    """Bring each item's codes to one label set: typed, unless one side is plain."""
    whole = Aligned(
        judge=judge, dimension=dimension, labels=TYPED, human=human, predicted=predicted
    )
    untyped = dimension == "preference" or is_untyped(human) or is_untyped(predicted)
    return whole.untyped() if untyped else whole


class JudgeOpinions(NamedTuple):
    """A judge, by a name that is unique in the report.

    Attributes:
        own: all its labels or scores; its policy is that of captions, see
            :func:`fused_by`.
        joined: the first of every labelled item.
    """

    name: str
    own: Opinions
    joined: Opinions


def facts_of(judges: Sequence[JudgeOpinions]) -> dict[str, Array]:
    """Return every fact that a judge knows of the labelled items, the first's first."""
    facts: dict[str, Array] = {}
    for judge in reversed(judges):
        facts.update(judge.joined.facts)
    return facts


def prepare_judges(
    sources: Sequence[Opinions],
    items: Opinions,
    policy: Policy | None,
    missing: Missing,
) -> list[JudgeOpinions]:
    """Prepare every judge of every source.

    Args:
        items: the labels, one row per item.
        policy: re-fuse the overall label with it; None: keep the stored one, and fuse
            with the source's policy (else the default) only where there is none.
        missing: see :meth:`Opinions.of_items`.

    Raises:
        UserError: ids do not match, or a policy is asked for and a dimension is not
            there.
    """
    judges: list[JudgeOpinions] = []
    for source in sources:
        for rater, table in source.raters().items():
            name = _unique(rater, source.source, [judge.name for judge in judges])
            table_with_overall = with_overall(table, policy)
            judges.append(
                JudgeOpinions(
                    name,
                    table_with_overall,
                    table_with_overall.first.of_items(items, missing),
                )
            )
    return judges


def _unique(rater: str, source: str, taken: list[str]) -> str:
    numbered = (f"{rater} ({source}, {number})" for number in count(2))
    names = chain((rater, f"{rater} ({source})"), numbered)
    return next(name for name in names if name not in taken)


#: What stands for the policy of labels that came with a file.
AS_IN_FILE = "as its file gives it"


def fused_by(table: Opinions, policy: Policy | None = None) -> str | None:
    """Name the policy of a judge's overall label, stored or fused anew, for captions.

    Returns:
        :data:`AS_IN_FILE` where a file has the label; None where there is no overall
        label.
    """
    if policy is not None:
        return policy.name
    if "overall" in table.codes or (
        "preference" in table.codes and table.policy is not None
    ):
        return table.policy or AS_IN_FILE
    if "preference" in table.codes or not has_dimensions(table.codes):
        return None
    stored_policy = _stored_policy(table)
    return None if stored_policy is None else stored_policy.name


def _stored_policy(table: Opinions) -> Policy | None:
    """Return the built-in policy that fused judgements; the default where none did.

    None where it was another: calls are then not fused with one that nobody asked for.
    """
    return POLICIES.get(table.policy or DEFAULT_POLICY)


def with_overall(
    table: Opinions, policy: Policy | None = None, default: Policy | None = None
) -> Opinions:
    """Fuse ``overall`` of a table and its calls by ``policy``, and record its name.

    Without a policy a stored ``overall`` stays, and ``default`` (None: the one it was
    fused with) fuses one only where there is none and all three dimensions are known;
    UserError where a policy is asked for and one of them is not.
    """
    default = default or _stored_policy(table)
    name = fused_by(table, policy)
    if table.calls is not None:
        table = replace(table, calls=_with_overall(table.calls, policy, default))
    return replace(_with_overall(table, policy, default), policy=name)


def _with_overall(
    table: Opinions, policy: Policy | None, default: Policy | None
) -> Opinions:
    has_overall = "overall" in table.codes or "preference" in table.codes
    wanted = policy or default
    if wanted is None or (
        policy is None and (has_overall or not has_dimensions(table.codes))
    ):
        return table
    if not has_dimensions(table.codes) or _is_of_whole_pairs(table.codes):
        raise UserError(
            f"{table.source}: a policy needs content, voice_quality and paralinguistics"
            " with typed ties; leave out --policy to use the stored overall labels"
        )
    return table.with_codes(overall=fuse_codes(wanted, table.codes))


def _is_of_whole_pairs(codes: Mapping[str, Codes]) -> bool:
    """Tell whether pairs have labels as a whole, and no dimension has any."""
    known = {name for name, column in codes.items() if (column != MISSING).any()}
    return bool(known) and known.isdisjoint(DIMENSIONS)


def with_preference(codes: Mapping[str, Codes]) -> dict[str, Codes]:
    """Add ``preference`` (``overall`` without types of ties) where nobody was asked."""
    columns = dict(codes)
    if "preference" not in columns and "overall" in columns:
        columns["preference"] = collapse_codes(columns["overall"])
    return columns


def under(policy: str | None) -> str:
    """Name the policy behind overall labels, if it is a typed one, no default."""
    usual = (None, DEFAULT_POLICY, WHOLE_PAIR, AS_IN_FILE, *PLAIN_POLICIES)
    return "" if policy in usual else f" under {policy}"
