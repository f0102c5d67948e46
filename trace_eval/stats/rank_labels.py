"""Systems in order by their pairwise outcomes, by every method, and how sure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from blueprints import UserError, counted
from trace_eval.opinions.codes import MISSING
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.inference.system_rates import RateRow, own_rates
from trace_eval.stats.options import RankOptions, settled
from trace_eval.stats.ranking.correlation import Correlation, correlate
from trace_eval.stats.ranking.fit import MODELS
from trace_eval.stats.ranking.intervals import NOT_DRAWN, draws_ranks, rank_intervals
from trace_eval.stats.ranking.outcomes import (
    Outcomes,
    RankedValue,
    mean_win_rates,
    meetings,
    outcomes_of,
    win_rates,
)
from trace_eval.stats.ranking.prepare import Contradicted, ranking_warnings
from trace_eval.stats.ranking.report import (
    AGAINST_BASELINE,
    Caveat,
    Parameter,
    RankReport,
    SystemRow,
    SystemStanding,
    methods_of,
)
from trace_eval.stats.ranking.strengths import Strengths, strengths


def rank_labels(
    table: Opinions,
    options: RankOptions | None = None,
    human: Mapping[str, float] | None = None,
    labels: Opinions | None = None,
    left_out: Contradicted | None = None,
    methods: Sequence[str] | None = None,
) -> RankReport:
    """Rank one judge's systems; UserError where none can be, or options do not fit.

    Args:
        table: one row per item, with ``overall`` or ``preference`` and the systems.
        human: system -> human score, more is better, to correlate with.
        labels: human labels of the items, one row each: ranked by the same methods, and
            correlated with method by method.
        left_out: comparisons that were decided by place.
        methods: by which systems are ranked; None: all.
    """
    options = options or RankOptions()
    if methods is None:
        methods = methods_of(options)
    if left_out is not None:
        table = _without(table, table.column(options.dimension), left_out)
    outcomes = outcomes_of(table, options.dimension, options.cluster)
    _check(outcomes, options, table.source)
    by_method = {method: _ranked(method, outcomes, options) for method in methods}
    fitted = [one.fitted for one in by_method.values() if one.fitted is not None]
    sets = rank_intervals(methods, outcomes, options)
    bootstrap = settled(options.bootstrap, draws_ranks(outcomes, options), NOT_DRAWN)
    places: list[SystemStanding] = []
    for method, ranked in by_method.items():
        standings = sets[method].standings(method, outcomes.systems, ranked.values)
        places.extend(standings)
    parameters: list[Parameter] = []
    for model in fitted:
        for name, value in model.parameters:
            parameters.append(Parameter(model.model, name, value))
    by_humans = None
    labelled: tuple[RateRow, ...] = ()
    if labels is not None:
        by_humans = outcomes_of(labels, options.dimension, options.cluster)
        labelled = own_rates(by_humans, options.bootstrap.level, options.typed)
    caveats: list[Caveat] = []
    if left_out is not None:
        caveats.append(Caveat("all", left_out.text))
    caveats.extend(_caveats(outcomes, fitted, options))
    caveats.extend(_of_humans(table, human, labels, options.dimension))
    return RankReport(
        source=table.source,
        options=replace(options, bootstrap=bootstrap),
        unscored=outcomes.unscored,
        self_compared=outcomes.self_compared,
        unchanged=outcomes.unchanged,
        warnings=tuple(
            ranking_warnings(table, table.column(options.dimension), labels)
        ),
        systems=tuple(_system_rows(outcomes, options)),
        places=tuple(places),
        correlations=tuple(
            _correlations(
                by_method,
                outcomes,
                options=options,
                human=human,
                by_humans=by_humans,
            )
        ),
        parameters=tuple(parameters),
        together=outcomes.unit is not None,
        drawn=outcomes.drawn,
        meetings=tuple(meetings(outcomes, options.typed)),
        judged=own_rates(outcomes, options.bootstrap.level, options.typed),
        labelled=labelled,
        split=0 if by_humans is None else by_humans.split,
        caveats=tuple(caveats),
    )


@dataclass(frozen=True)
class _Ranked:
    """All systems by one method, in the order of the outcomes.

    Attributes:
        values: rates as fractions, or what was fitted; None: there is none.
    """

    values: Sequence[RankedValue]
    fitted: Strengths | None = None


def _ranked(method: str, outcomes: Outcomes, options: RankOptions) -> _Ranked:
    if method in MODELS:
        fitted = strengths(MODELS[method], outcomes, options.typed, options.prior)
        return _Ranked(fitted.values or [None] * len(outcomes.systems), fitted)
    if method == "mean_win_rate":
        return _Ranked(mean_win_rates(outcomes, options.typed))
    against = options.baseline if method == AGAINST_BASELINE else None
    rates = win_rates(outcomes, options.typed, against)
    if against is not None:  # the baseline itself is exactly 1/2 and was not asked
        rates[outcomes.systems.index(against)] = Fraction(1, 2)
    return _Ranked(rates)


def _correlations(
    methods: Mapping[str, _Ranked],
    outcomes: Outcomes,
    options: RankOptions,
    human: Mapping[str, float] | None,
    by_humans: Outcomes | None,
) -> Iterator[Correlation]:
    """Correlate each method with a human ranking, and with itself on human labels."""
    if human:
        if not set(human) & set(outcomes.systems):
            raise UserError(
                f"--human: none of its systems ({', '.join(sorted(human))}) is compared"
                f" here ({', '.join(outcomes.systems)}); use the same names"
            )
        for method, ranked in methods.items():
            values = _by_system(method, ranked, outcomes)
            if values:
                yield correlate(method, values, "given ranking", human)
    if by_humans is None:
        return
    for method, ranked in methods.items():
        if method == AGAINST_BASELINE and options.baseline not in by_humans.systems:
            continue
        values = _by_system(method, ranked, outcomes)
        human_ranked = _ranked(method, by_humans, options)
        human_values = _by_system(method, human_ranked, by_humans)
        if values and human_values:
            yield correlate(method, values, "human labels", human_values)


def _by_system(method: str, ranked: _Ranked, outcomes: Outcomes) -> dict[str, float]:
    """Map systems to values; 0 for a system without a rate over all opponents."""
    if ranked.fitted is not None and ranked.fitted.values is None:
        return {}
    values: dict[str, float] = {}
    for system, value in zip(outcomes.systems, ranked.values, strict=True):
        if value is not None:
            values[system] = float(value)
        elif method != AGAINST_BASELINE:
            values[system] = 0.0
    return values


def _without(table: Opinions, column: str, left_out: Contradicted) -> Opinions:
    """Remove the labels that were given by place."""
    codes = table.codes[column]
    if not (codes[~left_out.rows] != MISSING).any():
        raise UserError(f"{table.source}: no comparison is left: {left_out.text}")
    codes_left = {column: np.where(left_out.rows, MISSING, codes).astype(codes.dtype)}
    return table.with_codes(**codes_left)


def _check(outcomes: Outcomes, options: RankOptions, source: str) -> None:
    if options.typed and not outcomes.typed:
        raise UserError(
            f"{source}: plain ties cannot count as typed ones; leave out --typed"
        )
    if options.prior < 0:
        raise UserError(f"--prior is {options.prior}; give 0 or more games, 1 is usual")
    if options.baseline is not None and options.baseline not in outcomes.systems:
        has_none = options.baseline in outcomes.absent
        why = "has no comparison with a verdict" if has_none else "is no system"
        raise UserError(
            f"--baseline {options.baseline!r} {why}; use one of"
            f" {', '.join(outcomes.systems)}"
        )


def _of_humans(
    table: Opinions,
    human: Mapping[str, float] | None,
    labels: Opinions | None,
    dimension: str | None,
) -> Iterator[Caveat]:
    """Return caveats on systems and items that the human side or the judge lacks."""
    if human is not None:
        compared: set[str] = set()
        for side in "ab":
            compared.update(map(str, table.facts[f"system_{side}"].tolist()))
        for where, names in (
            ("in the human ranking but never compared", set(human) - compared),
            ("compared but not in the human ranking", compared - set(human)),
        ):
            if names:
                left_out = ", ".join(sorted(names))
                yield Caveat("given ranking", f"{where}, left out: {left_out}")
    if labels is None:
        return
    column = labels.column(dimension)
    labelled = int((labels.codes[column] != MISSING).sum())
    if labelled < len(table):
        of = f"of {counted(len(table), 'comparison')}"
        yield Caveat(
            "human labels",
            (
                f"{counted(labelled, f'{of} has', f'{of} have')} one; human ranks use"
                " those alone"
            ),
        )


def _system_rows(outcomes: Outcomes, options: RankOptions) -> Iterator[SystemRow]:
    against: list[RankedValue] = [None] * len(outcomes.systems)
    if options.baseline:
        against = win_rates(outcomes, options.typed, options.baseline)
    for index, (system, rate) in enumerate(zip(outcomes.systems, against, strict=True)):
        own = outcomes.counts[outcomes.pairs[:, 0] == index].sum(0)
        own = own + outcomes.counts[outcomes.pairs[:, 1] == index].sum(0)[[1, 0, 2, 3]]
        against_baseline = None if rate is None else float(rate)
        win, loss, tie, bad = own.tolist()
        yield SystemRow(
            system=system,
            comparisons=int(own.sum()),
            wins=win,
            losses=loss,
            ties=tie,
            both_bad=bad,
            against_baseline=against_baseline,
        )


def _caveats(
    outcomes: Outcomes, fitted: Iterable[Strengths], options: RankOptions
) -> Iterator[Caveat]:
    for model in fitted:
        if model.reason is not None:
            yield Caveat(model.model, model.reason)
    winless: list[str] = []
    for row in _system_rows(outcomes, options):
        if not row.wins and (row.ties or row.both_bad):
            winless.append(row.system)
    if len(winless) == 1:
        text = f"{winless[0]} has no win: its strength rests on ties alone"
        yield Caveat("models", text)
    elif winless:
        text = f"{', '.join(winless)} have no win: they rest on ties alone"
        yield Caveat("models", text)
    units = outcomes.unit
    if outcomes.by_instruction and units is not None and len(np.unique(units)) < 2:
        yield Caveat(
            "all", "all comparisons have one instruction: ranks have no interval"
        )
    if outcomes.self_compared:
        yield Caveat(
            "all",
            f"{counted(outcomes.self_compared, 'self-comparison is', 'self-comparisons are')}"
            " left out",
        )
    if outcomes.absent:
        names = ", ".join(outcomes.absent)
        yield Caveat("all", f"no comparison of {names} has a verdict: left out")
    if outcomes.unscored:
        # Not "without a label": human labels of these pairs may well be there.
        without = "comparison without a verdict is", "comparisons without a verdict are"
        yield Caveat("all", f"{counted(outcomes.unscored, *without)} left out")
    if options.prior:
        yield Caveat(
            "models", f"prior: {options.prior:g} games against an average opponent each"
        )
