"""``rank``: systems in order, by every method, with how sure that order is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from blueprints import UserError
from trace_eval.data.labels import MISSING, LabelTable
from trace_eval.stats.agreement.bootstrap import Units
from trace_eval.stats.inference.win_rates import RateRow, own_rates
from trace_eval.stats.ranking.checks import ranking_warnings
from trace_eval.stats.ranking.contradicted import Contradicted
from trace_eval.stats.ranking.correlation import correlate
from trace_eval.stats.ranking.model import Array
from trace_eval.stats.ranking.order_test import shown_better
from trace_eval.stats.ranking.outcomes import OUTCOMES, Outcomes, opinion_column, outcomes_of
from trace_eval.stats.ranking.ranks import rank_rows, ranks
from trace_eval.stats.ranking.report import (
    AGAINST_BASELINE,
    METHODS,
    Caveat,
    Parameter,
    RankOptions,
    RankReport,
    Standing,
    SystemRow,
    methods_of,
)
from trace_eval.stats.ranking.strengths import MODELS, Strengths, fit_many, problem, strengths
from trace_eval.stats.ranking.win_rate import mean_win_rates, win_rates

#: Share of the resamples that must rank all systems; an interval of fewer is none.
LEAST_DEFINED = 0.5

#: (lowest, highest) rank of each system, and resamples that gave none.
_Bounds = tuple[list[tuple[int, int]], int]


def rank(
    table: LabelTable,
    options: RankOptions | None = None,
    human: Mapping[str, float] | None = None,
    labels: LabelTable | None = None,
    left_out: Contradicted | None = None,
) -> RankReport:
    """Rank the systems of one judge.

    Args:
        table: one row per item, with ``overall`` or ``preference`` and the systems.
        options: default: :class:`RankOptions`.
        human: system -> score of people, more is better, to correlate with.
        labels: human labels of the items, one row each: ranked by the same methods, and
            correlated with method by method.
        left_out: comparisons that were decided by place; None: none.

    Raises:
        UserError: the systems are unknown, nothing is left, or an option does not fit.
    """
    options = options or RankOptions()
    if left_out is not None:
        table = _without(table, opinion_column(table, options.dimension), left_out)
    outcomes = outcomes_of(table, options.dimension)
    _check(outcomes, options, table.source)
    fitted = {
        name: strengths(m, outcomes, options.typed, options.prior) for name, m in MODELS.items()
    }
    bounds = _rank_intervals(methods_of(options), outcomes, options)
    places = [
        place
        for method in methods_of(options)
        for place in _places(method, outcomes, fitted.get(method), options, bounds.get(method))
    ]
    references: list[tuple[str, Mapping[str, Mapping[str, float]]]] = []
    if human:
        _refuse_strangers(human, outcomes)
        references.append(("given ranking", dict.fromkeys((*METHODS, AGAINST_BASELINE), human)))
    if labels is not None:
        references.append(
            ("human labels", _values_by_method(outcomes_of(labels, options.dimension), options))
        )
    return RankReport(
        source=table.source,
        options=options,
        unscored=outcomes.unscored,
        self_compared=outcomes.self_compared,
        warnings=tuple(ranking_warnings(table, opinion_column(table, options.dimension), labels)),
        systems=tuple(_system_rows(outcomes, options)),
        places=tuple(places),
        correlations=tuple(
            correlate(method, ours, name, theirs)
            for name, by_method in references
            for method, ours in _values_by_method(outcomes, options).items()
            if (theirs := by_method.get(method))
        ),
        parameters=tuple(
            Parameter(result.model, name, value)
            for result in fitted.values()
            for name, value in result.parameters
        ),
        together=outcomes.copies is not None,
        judged=_own(table, options),
        labelled=() if labels is None else _own(labels, options),
        caveats=(
            *([] if left_out is None else [Caveat("all", left_out.text)]),
            *_caveats(outcomes, fitted.values(), options),
            *_of_people(table, human, labels),
        ),
    )


def _own(table: LabelTable, options: RankOptions) -> tuple[RateRow, ...]:
    column = opinion_column(table, options.dimension)
    return own_rates(table, column, options.bootstrap.level, options.cluster, options.typed)


def _without(table: LabelTable, column: str, left_out: Contradicted) -> LabelTable:
    """The table without the labels that were given by place."""
    codes = table.codes[column]
    if not (codes[~left_out.rows] != MISSING).any():
        raise UserError(f"{table.source}: no comparison is left: {left_out.text}")
    kept = np.where(left_out.rows, MISSING, codes).astype(codes.dtype)
    return table.with_codes(**{column: kept})


def _check(outcomes: Outcomes, options: RankOptions, source: str) -> None:
    if options.typed and not outcomes.typed:
        raise UserError(f"{source}: plain ties cannot count as typed ones; leave out --typed")
    if options.prior < 0:
        raise UserError(f"--prior is {options.prior}; give 0 or more games, 1 is usual")
    if options.baseline is not None and options.baseline not in outcomes.systems:
        raise UserError(
            f"--baseline {options.baseline!r} is no system; use one of"
            f" {', '.join(outcomes.systems)}"
        )
    if options.cluster and outcomes.cluster is None:
        raise UserError("--cluster draws whole instructions: give every item an instruction_id")


def _against(outcomes: Outcomes, options: RankOptions) -> list[Fraction | None]:
    """Win rates against the baseline, which itself is exactly 1/2 and was not asked."""
    rates = win_rates(outcomes, options.typed, options.baseline)
    return [
        Fraction(1, 2) if name == options.baseline else rate
        for name, rate in zip(outcomes.systems, rates, strict=True)
    ]


def _exact(method: str, outcomes: Outcomes, options: RankOptions) -> list[Fraction | None]:
    if method == AGAINST_BASELINE:
        return _against(outcomes, options)
    if method == "win_rate":
        return win_rates(outcomes, options.typed)
    return mean_win_rates(outcomes, options.typed)


def _values_by_method(outcomes: Outcomes, options: RankOptions) -> dict[str, dict[str, float]]:
    found = {}
    for method in METHODS:
        if method in MODELS:
            values = strengths(MODELS[method], outcomes, options.typed, options.prior).values
        else:
            values = tuple(float(v or 0) for v in _exact(method, outcomes, options))
        if values is not None:
            found[method] = dict(zip(outcomes.systems, values, strict=True))
    if options.baseline is not None and options.baseline in outcomes.systems:
        rates = _against(outcomes, options)
        found[AGAINST_BASELINE] = {
            name: float(rate)
            for name, rate in zip(outcomes.systems, rates, strict=True)
            if rate is not None
        }
    return found


def _refuse_strangers(human: Mapping[str, float], outcomes: Outcomes) -> None:
    if not set(human) & set(outcomes.systems):
        raise UserError(
            f"--human: none of its systems ({', '.join(sorted(human))}) is compared here"
            f" ({', '.join(outcomes.systems)}); use the same names"
        )


def _of_people(
    table: LabelTable, human: Mapping[str, float] | None, labels: LabelTable | None
) -> Iterator[Caveat]:
    """What the human side lacks; nothing is left out in silence."""
    if human is not None:
        known = {str(name) for side in "ab" for name in table.facts[f"system_{side}"].tolist()}
        for there, absent in (
            ("in the human ranking but never compared", sorted(set(human) - known)),
            ("compared but not in the human ranking", sorted(known - set(human))),
        ):
            if absent:
                yield Caveat("given ranking", f"{there}, left out: {', '.join(absent)}")
    if labels is not None and len(labels) < len(table):
        yield Caveat(
            "human labels",
            f"{len(labels)} of {len(table)} judged items have one; people rank by those alone",
        )


def _places(
    method: str,
    outcomes: Outcomes,
    fitted: Strengths | None,
    options: RankOptions,
    interval: _Bounds | None,
) -> Iterator[Standing]:
    exact: list[Fraction | None] = [None] * len(outcomes.systems)
    if fitted is None:
        exact = _exact(method, outcomes, options)
        values: list[float | None] = [None if v is None else float(v) for v in exact]
        order = ranks(exact)
    elif fitted.values is None:
        values = [None] * len(outcomes.systems)
        order = [None] * len(outcomes.systems)
    else:
        values = list(fitted.values)
        order = ranks(list(fitted.values))
    bounds, undefined = interval or ([], 0)
    for index, system in enumerate(outcomes.systems):
        low, high = bounds[index] if order[index] is not None and bounds else (None, None)
        shown = None if exact[index] is None else str(exact[index])
        yield Standing(method, system, values[index], shown, order[index], low, high, undefined)


def _rank_intervals(
    methods: Sequence[str], outcomes: Outcomes, options: RankOptions
) -> dict[str, _Bounds]:
    """Percentile bounds of each system's rank, where an exact test shows the order, too.

    All methods read the same resamples.
    """
    if not options.bootstrap.resamples:
        return {}
    if options.cluster and outcomes.cluster is not None and len(np.unique(outcomes.cluster)) < 2:
        return {}  # every resample of one instruction is that instruction
    if options.cluster:
        assert outcomes.cluster is not None
        units = Units.clusters(outcomes.cluster, outcomes.cell, outcomes.counts.size)
    elif outcomes.copies is not None:
        units = Units.few_each(outcomes.copies, outcomes.cell, outcomes.counts.size)
    else:
        units = Units.items(outcomes.counts)
    drawn: dict[str, list[Array]] = {method: [] for method in methods}
    for counts in units.resample(options.bootstrap):
        for method, rows in drawn.items():
            rows.append(rank_rows(_resampled_values(method, outcomes, counts, options)))
    level = options.bootstrap.level
    found = {method: _bounds(np.concatenate(rows), level) for method, rows in drawn.items()}
    orders: dict[int | None, tuple[Array, Array]] = {}
    for method, (bounds, undefined) in found.items():
        only = None
        if method == AGAINST_BASELINE:
            only = outcomes.systems.index(str(options.baseline))
        if only not in orders:
            orders[only] = shown_better(outcomes, level, options.typed, options.cluster, only)
        found[method] = _tested(bounds, *orders[only]), undefined
    return found


def _tested(bounds: list[tuple[int, int]], better: Array, tested: Array) -> list[tuple[int, int]]:
    """Bounds that put a system before another only where a test of the two says so.

    Others that lie apart are widened until they meet, and equal points by one for each.
    """
    if not bounds:
        return bounds
    low, high = np.array(bounds).T
    unknown = tested & ~better & ~better.T
    apart = unknown & (high[:, None] < low[None, :])
    point = (low == high)[:, None] & (low == high)[None, :]
    equal = unknown & point & (low[:, None] == low[None, :])
    np.fill_diagonal(equal, False)
    behind = np.where(apart, low[None, :], high[:, None]).max(1)
    ahead = np.where(apart, high[:, None], low[None, :]).min(0)
    behind = np.maximum(behind, low + equal.sum(1))
    return [(int(first), int(last)) for first, last in zip(ahead, behind, strict=True)]


def _bounds(rows: Array, level: float) -> _Bounds:
    known = rows[~np.isnan(rows).any(-1)]
    undefined = len(rows) - len(known)
    if len(known) < LEAST_DEFINED * len(rows) or not len(known):
        return [], undefined
    edge = (1 - level) / 2
    low = np.quantile(known, edge, axis=0, method="inverted_cdf")
    high = np.quantile(known, 1 - edge, axis=0, method="inverted_cdf")
    return [(int(a), int(b)) for a, b in zip(low, high, strict=True)], undefined


def _resampled_values(
    method: str, outcomes: Outcomes, counts: Array, options: RankOptions
) -> Array:
    if method in MODELS:
        setup = problem(outcomes, options.typed, options.prior)
        values, _ = fit_many(MODELS[method], setup, counts)
        return values[:, : len(outcomes.systems)]
    size = len(outcomes.systems)
    cells = counts.reshape(len(counts), -1, len(OUTCOMES))
    shared = cells[..., 2] / 2 + (0 if options.typed else cells[..., 3] / 2)
    points = np.zeros((len(counts), size, size))
    games = np.zeros_like(points)
    first, second = outcomes.pairs.T
    points[:, first, second] = cells[..., 0] + shared
    points[:, second, first] = cells[..., 1] + shared
    games[:, first, second] = games[:, second, first] = cells.sum(-1)
    with np.errstate(invalid="ignore"):
        if method == AGAINST_BASELINE:
            fixed = outcomes.systems.index(str(options.baseline))
            against = points[..., fixed] / games[..., fixed]
            against[:, fixed] = 0.5
            # A system that never met the baseline has no rate, and no place among the others.
            return against
        if method == "win_rate":
            return np.asarray(points.sum(-1) / games.sum(-1))
        met = games > 0
        rates = np.divide(points, games, out=np.zeros_like(points), where=met)
        return np.asarray(rates.sum(-1) / met.sum(-1))


def _system_rows(outcomes: Outcomes, options: RankOptions) -> Iterator[SystemRow]:
    against = (
        win_rates(outcomes, options.typed, options.baseline)
        if options.baseline
        else [None] * len(outcomes.systems)
    )
    for index, system in enumerate(outcomes.systems):
        own = outcomes.counts[outcomes.pairs[:, 0] == index].sum(0)
        own = own + outcomes.counts[outcomes.pairs[:, 1] == index].sum(0)[[1, 0, 2, 3]]
        rate = against[index]
        win, loss, tie, bad = (int(n) for n in own)
        yield SystemRow(
            system,
            win + loss + tie + bad,
            win,
            loss,
            tie,
            bad,
            None if rate is None else float(rate),
        )


def _caveats(
    outcomes: Outcomes, fitted: Iterable[Strengths], options: RankOptions
) -> Iterator[Caveat]:
    for result in fitted:
        if result.reason is not None:
            yield Caveat(result.model, result.reason)
    rows = _system_rows(outcomes, options)
    if winless := [row.system for row in rows if not row.wins and (row.ties or row.both_bad)]:
        has = "has no win: its strength rests" if len(winless) == 1 else "have no win: they rest"
        yield Caveat("models", f"{', '.join(winless)} {has} on ties alone")
    if options.cluster and outcomes.cluster is not None and len(np.unique(outcomes.cluster)) < 2:
        yield Caveat("all", "all comparisons have one instruction: ranks have no interval")
    if outcomes.self_compared:
        yield Caveat("all", f"{outcomes.self_compared} self-comparisons are left out")
    if outcomes.unscored:
        yield Caveat("all", f"{outcomes.unscored} comparisons without a label are left out")
    if options.prior:
        yield Caveat("models", f"prior: {options.prior:g} games against an average opponent each")
