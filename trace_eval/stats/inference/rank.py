"""``rank`` with what few labels of people add to many judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from blueprints import UserError
from trace_eval.data.labels import MISSING, LabelTable
from trace_eval.stats.agreement.tabular import Table
from trace_eval.stats.inference.sampling import Drawn, drawn_labels
from trace_eval.stats.inference.tables import powered_tables
from trace_eval.stats.inference.win_rates import WinRates, win_rate_tables
from trace_eval.stats.ranking.contradicted import Contradicted
from trace_eval.stats.ranking.evaluate import rank as plain_rank
from trace_eval.stats.ranking.outcomes import opinion_column
from trace_eval.stats.ranking.prepare import OPINIONS
from trace_eval.stats.ranking.report import Caveat, RankOptions, RankReport
from trace_eval.stats.ranking.tables import rank_tables


@dataclass(frozen=True)
class PoweredRanking(RankReport):
    """A ranking, and people's win rates from all judgements and a few labels.

    Attributes:
        powered: null: there are no labels, or every judged item has one, or they cannot speak
            for the others: then a caveat says why.
    """

    powered: WinRates | None = None


def rank(
    table: LabelTable,
    options: RankOptions | None = None,
    human: Mapping[str, float] | None = None,
    labels: LabelTable | None = None,
    left_out: Contradicted | None = None,
) -> PoweredRanking:
    """See :func:`trace_eval.stats.ranking.evaluate.rank`.

    What people say of all pairs keeps those that the judge contradicts itself on: they are asked
    about these, too, and its errors do not bias the estimate.
    """
    options = options or RankOptions()
    report = plain_rank(table, options, human, labels, left_out)
    powered, why_not = None, None
    if labels is not None:
        powered, why_not = _powered(table, labels, options)
    told = {part.name: getattr(report, part.name) for part in fields(report)}
    if why_not is not None:
        told["caveats"] = (*report.caveats, Caveat("people's win rates", f"left out: {why_not}"))
    return PoweredRanking(**told, powered=powered)


def _powered(
    table: LabelTable, labels: LabelTable, options: RankOptions
) -> tuple[WinRates | None, str | None]:
    """People's win rates, or why the labels give none (None: every judged item has one)."""
    column, said = (opinion_column(t, options.dimension) for t in (table, labels))
    if int((labels.codes[said] != MISSING).sum()) >= len(table):
        return None, None
    try:
        drawn = _drawn(table, column, labels, said)
    except UserError as error:  # probabilities of some labels only
        return None, str(error)
    if drawn.problem is not None:
        return None, drawn.problem
    found = win_rate_tables(
        table, column, labels, said, options.bootstrap.level, options.cluster, options.typed
    )
    if drawn.caption is not None:
        found = replace(found, design=f"{found.design}; {drawn.caption}")
    return found, None


def _drawn(table: LabelTable, column: str, labels: LabelTable, said: str) -> Drawn:
    index = {key: row for row, key in enumerate(table.ids.tolist())}
    rows = np.fromiter((index.get(key, -1) for key in labels.ids.tolist()), np.int64, len(labels))
    known = rows >= 0
    own = labels.facts.get("inclusion")
    given, asked = np.full(len(table), np.nan), np.zeros(len(table), bool)
    asked[rows[known]] = labels.facts.get(OPINIONS, labels.codes[said] != MISSING)[known] > 0
    if own is not None:
        given[rows[known]] = own[known]
    scored = table.codes[column] != MISSING
    return drawn_labels(labels.source, table.ids, None if own is None else given, asked, scored)


def tables(report: PoweredRanking) -> Iterator[Table]:
    """All tables, those of few labels last."""
    yield from rank_tables(report)
    if report.powered is not None:
        yield from powered_tables(report.powered, report.options.bootstrap.level)
