"""Systems in order by their pairwise outcomes, by every method, with how sure that order is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

import numpy as np

from blueprints import UserError, counted
from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.inference.win_rates import own_rates
from trace_eval.stats.options import RankOptions
from trace_eval.stats.ranking.correlation import Correlation, correlate
from trace_eval.stats.ranking.intervals import RankSets, rank_intervals
from trace_eval.stats.ranking.models import MODELS
from trace_eval.stats.ranking.outcomes import Outcomes, outcomes_of
from trace_eval.stats.ranking.prepare import Contradicted, ranking_warnings
from trace_eval.stats.ranking.ranks import ranks
from trace_eval.stats.ranking.report import (
    AGAINST_BASELINE,
    METHODS,
    Caveat,
    Parameter,
    RankReport,
    Standing,
    SystemRow,
    methods_of,
)
from trace_eval.stats.ranking.strengths import Strengths, strengths
from trace_eval.stats.ranking.win_rate import mean_win_rates, meetings, win_rates


def rank_labels(
    table: Opinions,
    options: RankOptions | None = None,
    human: Mapping[str, float] | None = None,
    labels: Opinions | None = None,
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
        table = _without(table, table.column(options.dimension), left_out)
    outcomes = outcomes_of(table, options.dimension, options.cluster)
    _check(outcomes, options, table.source)
    fitted = {
        name: strengths(m, outcomes, options.typed, options.prior) for name, m in MODELS.items()
    }
    sets = rank_intervals(methods_of(options), outcomes, options)
    standings = [
        standing
        for method in methods_of(options)
        for standing in _standings(method, outcomes, fitted.get(method), options, sets.get(method))
    ]
    theirs = None if labels is None else outcomes_of(labels, options.dimension, options.cluster)
    return RankReport(
        source=table.source,
        options=options,
        unscored=outcomes.unscored,
        self_compared=outcomes.self_compared,
        warnings=tuple(ranking_warnings(table, table.column(options.dimension), labels)),
        systems=tuple(_system_rows(outcomes, options)),
        places=tuple(standings),
        correlations=tuple(_correlations(outcomes, options, human, theirs)),
        parameters=tuple(
            Parameter(result.model, name, value)
            for result in fitted.values()
            for name, value in result.parameters
        ),
        together=outcomes.unit is not None,
        meetings=tuple(meetings(outcomes, options.typed)),
        judged=own_rates(outcomes, options.bootstrap.level, options.typed),
        labelled=()
        if theirs is None
        else own_rates(theirs, options.bootstrap.level, options.typed),
        split=0 if theirs is None else theirs.split,
        caveats=(
            *([] if left_out is None else [Caveat("all", left_out.text)]),
            *_caveats(outcomes, fitted.values(), options),
            *_of_people(table, human, labels),
        ),
    )


def _correlations(
    outcomes: Outcomes,
    options: RankOptions,
    human: Mapping[str, float] | None,
    theirs: Outcomes | None,
) -> Iterator[Correlation]:
    """Each method with the same method on human labels, and with a human ranking."""
    references: list[tuple[str, Mapping[str, Mapping[str, float]]]] = []
    if human:
        _refuse_strangers(human, outcomes)
        references.append(("given ranking", dict.fromkeys((*METHODS, AGAINST_BASELINE), human)))
    if theirs is not None:
        references.append(("human labels", _values_by_method(theirs, options)))
    for name, by_method in references:
        for method, ours in _values_by_method(outcomes, options).items():
            if method in by_method:
                yield correlate(method, ours, name, by_method[method])


def _without(table: Opinions, column: str, left_out: Contradicted) -> Opinions:
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
    results = {}
    for method in METHODS:
        if method in MODELS:
            values = strengths(MODELS[method], outcomes, options.typed, options.prior).values
        else:
            values = tuple(float(v or 0) for v in _exact(method, outcomes, options))
        if values is not None:
            results[method] = dict(zip(outcomes.systems, values, strict=True))
    if options.baseline is not None and options.baseline in outcomes.systems:
        rates = _against(outcomes, options)
        results[AGAINST_BASELINE] = {
            name: float(rate)
            for name, rate in zip(outcomes.systems, rates, strict=True)
            if rate is not None
        }
    return results


def _refuse_strangers(human: Mapping[str, float], outcomes: Outcomes) -> None:
    if not set(human) & set(outcomes.systems):
        raise UserError(
            f"--human: none of its systems ({', '.join(sorted(human))}) is compared here"
            f" ({', '.join(outcomes.systems)}); use the same names"
        )


def _of_people(
    table: Opinions, human: Mapping[str, float] | None, labels: Opinions | None
) -> Iterator[Caveat]:
    """What the human side lacks; nothing is left out in silence."""
    if human is not None:
        available = {str(name) for side in "ab" for name in table.facts[f"system_{side}"].tolist()}
        for there, absent in (
            ("in the human ranking but never compared", sorted(set(human) - available)),
            ("compared but not in the human ranking", sorted(available - set(human))),
        ):
            if absent:
                yield Caveat("given ranking", f"{there}, left out: {', '.join(absent)}")
    if labels is not None and len(labels) < len(table):
        of = f"of {counted(len(table), 'judged item')}"
        yield Caveat(
            "human labels",
            f"{counted(len(labels), f'{of} has', f'{of} have')} one; people rank by those alone",
        )


def _standings(
    method: str,
    outcomes: Outcomes,
    fitted: Strengths | None,
    options: RankOptions,
    sets: RankSets | None,
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
    for index, system in enumerate(outcomes.systems):
        shown = None if exact[index] is None else str(exact[index])
        place = Standing(method, system, values[index], shown, order[index])
        yield place if sets is None else sets.told(place, index, outcomes.systems)


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
    if options.cluster and outcomes.unit is not None and len(np.unique(outcomes.unit)) < 2:
        yield Caveat("all", "all comparisons have one instruction: ranks have no interval")
    if outcomes.self_compared:
        yield Caveat(
            "all",
            f"{counted(outcomes.self_compared, 'self-comparison is', 'self-comparisons are')}"
            " left out",
        )
    if outcomes.unscored:
        # Not "without a label": human labels of these pairs may well be there.
        without = "comparison without a verdict is", "comparisons without a verdict are"
        yield Caveat("all", f"{counted(outcomes.unscored, *without)} left out")
    if options.prior:
        yield Caveat("models", f"prior: {options.prior:g} games against an average opponent each")
