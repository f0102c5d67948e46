"""One judge, joined to the labelled items: its ratings, its facts, its overall label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import DEFAULT_POLICY, POLICIES, Policy
from trace_eval.opinions.codes import FACTS, NUMBER_FACTS, TEXT_FACTS, Codes
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.align import Items, first_repeat, gather, match
from trace_eval.stats.agreement.copies import index_of
from trace_eval.stats.agreement.counts import collapse_codes
from trace_eval.stats.agreement.policies.policy import fuse_codes, has_dimensions
from trace_eval.stats.options import Missing


@dataclass(frozen=True)
class JudgeData:
    """Everything the tables need of one judge.

    Attributes:
        name: unique in the report.
        table: all its rows, with ``overall`` fused where it can be.
        first: the first repetition of every item, in the table's order.
        codes: label column -> code per labelled item.
        facts: fact -> value per labelled item; the labels' own where the judge has none.
        opinions: the single calls, if they are known.
        rows: row of ``first`` per labelled item; -1: not judged.
        policy: what fused its overall label, see :func:`fused_by`; None: it has none.
    """

    name: str
    table: Opinions
    first: Opinions
    codes: Mapping[str, Codes]
    facts: Mapping[str, NDArray[Any]]
    opinions: Opinions | None
    rows: NDArray[np.int64]
    policy: str | None = None


def prepare_judges(
    sources: Sequence[Opinions], items: Items, policy: Policy | None, missing: Missing
) -> list[JudgeData]:
    """Every judge of every source.

    Args:
        sources: runs or files.
        items: the labelled items.
        policy: re-fuse the overall label with it; None: keep the stored one, and fuse with
            the source's policy (else the default) only where there is none.
        missing: see :func:`trace_eval.stats.agreement.align.match`.

    Raises:
        UserError: ids do not match, or a policy is asked for and a dimension is not there.
    """
    judges: list[JudgeData] = []
    for source in sources:
        for rater, table in source.raters().items():
            name = _unique(rater, source.source, [judge.name for judge in judges])
            fused = fused_by(source, table, policy)
            table = with_overall(table, policy, known_policy(source))
            opinions = source.calls
            if opinions is not None:
                opinions = opinions.raters().get(rater)
            if opinions is not None:
                opinions = with_overall(opinions, policy, known_policy(source))
            first = first_repeat(table)
            rows = match(items, first, missing)
            judges.append(
                JudgeData(
                    name,
                    table,
                    first,
                    {column: gather(codes, rows) for column, codes in first.codes.items()},
                    merge_facts(first, rows, items),
                    opinions,
                    rows,
                    fused,
                )
            )
    return judges


def _unique(rater: str, source: str, taken: list[str]) -> str:
    if rater not in taken:
        return rater
    name = f"{rater} ({source})"
    number = 2
    while name in taken:
        name = f"{rater} ({source}, {number})"
        number += 1
    return name


def known_policy(source: Opinions) -> Policy | None:
    """The built-in policy that the source was fused with, the default of one that was not.

    None where it was another: calls are then not fused with one that nobody asked for.
    """
    return POLICIES.get(source.policy or DEFAULT_POLICY)


#: What stands for the policy of labels that came with a file.
AS_GIVEN = "as its file gives it"


def fused_by(source: Opinions, table: Opinions, policy: Policy | None) -> str | None:
    """Name of the policy behind a judge's overall label, for captions.

    Args:
        source: where the judge comes from.
        table: its judgements, as they are stored.
        policy: what they are fused again with; None: nothing.

    Returns:
        :data:`AS_GIVEN` where a file has the label; None where there is no overall label.
    """
    if policy is not None:
        return policy.name
    if "overall" in table.codes or ("preference" in table.codes and source.policy is not None):
        return source.policy or AS_GIVEN
    if "preference" in table.codes or not has_dimensions(table.codes):
        return None
    known = known_policy(source)
    return None if known is None else known.name


def with_overall(table: Opinions, policy: Policy | None, default: Policy | None) -> Opinions:
    """The table with ``overall`` re-fused by ``policy``.

    Without a policy a stored ``overall`` stays, and ``default`` (None: nothing) fuses one only
    where there is none and all three dimensions are known.

    Raises:
        UserError: a policy is asked for and a dimension is not there.
    """
    asked = "overall" in table.codes or "preference" in table.codes
    wanted = policy or default
    if wanted is None or (policy is None and (asked or not has_dimensions(table.codes))):
        return table
    if not has_dimensions(table.codes):
        raise UserError(
            f"{table.source}: a policy needs content, voice_quality and paralinguistics with"
            " typed ties; leave out --policy to use the stored overall labels"
        )
    return table.with_codes(overall=fuse_codes(wanted, table.codes))


def merge_facts(judged: Opinions, rows: NDArray[np.int64], items: Items) -> dict[str, NDArray[Any]]:
    """Facts per labelled item, from the judgements or else from the labels."""
    facts: dict[str, NDArray[Any]] = {}
    asked = [name for name in (*judged.facts, *items.table.facts) if name not in FACTS]
    numbers = dict.fromkeys((*NUMBER_FACTS, *asked))
    for name in (*TEXT_FACTS, *numbers):
        column = judged.facts.get(name)
        if column is not None:
            unknown: Any = np.nan if name in numbers else None
            facts[name] = np.where(rows >= 0, column[rows], unknown)
            continue
        own = items.fact(name)
        if own is not None:
            facts[name] = own
    return facts


def with_preference(codes: Mapping[str, Codes]) -> dict[str, Codes]:
    """Add ``preference`` (ties collapsed) from ``overall`` where it was not asked for."""
    if "preference" in codes or "overall" not in codes:
        return dict(codes)
    return {**codes, "preference": collapse_codes(codes["overall"])}


def factorise(values: NDArray[Any] | None) -> NDArray[np.int64] | None:
    """Numbers from 0 for equal values; None when there is no column or a value is unknown."""
    if values is None:
        return None
    number, distinct = index_of(values.tolist())
    return None if None in distinct else number
