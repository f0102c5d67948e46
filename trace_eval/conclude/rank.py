"""``rank`` with what few labels of people add to many judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from trace_eval.agreement.tabular import Table
from trace_eval.conclude.tables import powered_tables
from trace_eval.conclude.win_rates import WinRates, win_rate_tables
from trace_eval.data.labels import MISSING, LabelTable
from trace_eval.ranking.evaluate import rank as plain_rank
from trace_eval.ranking.outcomes import opinion_column
from trace_eval.ranking.report import RankOptions, RankReport
from trace_eval.ranking.tables import rank_tables


@dataclass(frozen=True)
class PoweredRanking(RankReport):
    """A ranking, and people's win rates from all judgements and a few labels.

    Attributes:
        powered: null: there are no labels, or every judged item has one.
    """

    powered: WinRates | None = None


def rank(
    table: LabelTable,
    options: RankOptions | None = None,
    human: Mapping[str, float] | None = None,
    labels: LabelTable | None = None,
) -> PoweredRanking:
    """See :func:`trace_eval.ranking.evaluate.rank`."""
    options = options or RankOptions()
    report = plain_rank(table, options, human, labels)
    powered = None if labels is None else _powered(table, labels, options)
    return PoweredRanking(
        **{part.name: getattr(report, part.name) for part in fields(report)}, powered=powered
    )


def _powered(table: LabelTable, labels: LabelTable, options: RankOptions) -> WinRates | None:
    column, said = (opinion_column(t, options.dimension) for t in (table, labels))
    if int((labels.codes[said] != MISSING).sum()) >= len(table):
        return None
    return win_rate_tables(
        table, column, labels, said, options.bootstrap.level, options.cluster, options.typed
    )


def tables(report: PoweredRanking) -> Iterator[Table]:
    """All tables, those of few labels last."""
    yield from rank_tables(report)
    if report.powered is not None:
        yield from powered_tables(report.powered, report.options.bootstrap.level)
