"""Systems in order by the mean score of their answers, with how sure that order is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from blueprints import UserError, counted
from trace_eval.estimate.arrays import Array, Reals
from trace_eval.estimate.interval import SCORE
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.estimate.paired import sign_flip
from trace_eval.estimate.resample import MAX_UNITS, Resampler
from trace_eval.estimate.units import draw
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.found_scales import DEFAULT_SCALE
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import WholeNumbers
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.scored import (
    bounds_of,
    join_scores,
    scale_of,
    units_of,
    unjudged_ratings,
)
from trace_eval.stats.agreement.systems import systems_of
from trace_eval.stats.inference.ppi import LEAST_LABELS
from trace_eval.stats.inference.stopping import MOST_SYSTEMS, Stopping, every_two_means
from trace_eval.stats.options import RankOptions, settled
from trace_eval.stats.ranking.correlation import Correlation, correlate
from trace_eval.stats.ranking.intervals import NOT_DRAWN, RankSets, rank_sets
from trace_eval.stats.ranking.order_test import MANY
from trace_eval.stats.ranking.prepare import chosen_judge
from trace_eval.stats.ranking.report import (
    MEAN_SCORE,
    Caveat,
    MeanRow,
    RankReport,
    SystemStanding,
)

#: Random signs of the test of two systems: at least, at most, and for each pair of
#: systems, because the p values of many pairs must be small.
_DRAWS, _MOST_DRAWS, _DRAWS_PER_PAIR = 2_000, 20_000, 40

#: Systems of one answer each from which on they may be recordings in truth.
_LISTED = 3

#: Where nobody rated.
_NOBODY = Opinions("", texts_of(()), {}, facts={"score": np.zeros(0)})


@dataclass(frozen=True)
class _Means:
    """Positions of systems that have a score, 0 to 1.

    Attributes:
        codes: system of each item, from 0; -1: it has no score [shape=(items,)].
        value: position of each item's score; 0 where it has none [shape=(items,)].
        units: independent units with a score [shape=(systems,)].
    """

    systems: tuple[str, ...]
    codes: WholeNumbers
    value: Reals
    units: WholeNumbers

    def of(self, unit: WholeNumbers, units: int) -> tuple[Array, Array]:
        """Return (sums, counts) by unit and system [shape=(units, systems) each]."""
        available = self.codes >= 0
        size = len(self.systems)
        cell = unit[available] * size + self.codes[available]
        sums = np.bincount(cell, self.value[available], units * size)
        counts = np.bincount(cell, minlength=units * size)
        return sums.reshape(units, size), counts.reshape(units, size)


def rank_scores(
    source: Opinions,
    labels: Opinions | None,
    options: RankOptions,
    human: Mapping[str, float] | None,
) -> RankReport:
    """See :func:`trace_eval.decide.rank.rank`."""
    scale = source.scale or DEFAULT_SCALE
    ratings = labels or source.labels or _NOBODY
    items, judges = join_scores([source], ratings, scale, options.missing)
    judge = _chosen(source.source, judges, options.judge).joined
    means = _systems(items, judge)
    sums, counts = means.of(np.zeros(len(items), np.int64), 1)
    values = (sums / counts)[0]
    drawn = _drawn(items, means, options)
    sets = RankSets(None, 0)
    if len(drawn):
        tested = _order_p(items, means)
        few = means.units < LEAST_LABELS
        tested[few[:, None] | few] = 1.0
        sets = rank_sets(
            values,
            drawn,
            tested=tested,
            level=options.bootstrap.level,
            units=means.units,
        )
    rows = tuple(_rows(items, judge, means, options.bootstrap))
    many = int(units_of(items).max()) >= MAX_UNITS  # they are drawn in random groups
    bootstrap = settled(options.bootstrap, bool(len(drawn)) or many, NOT_DRAWN)
    rated = {row.system: row.people for row in rows if row.people is not None}
    named = dict(zip(means.systems, values.tolist(), strict=True))
    places: list[SystemStanding] = []
    for place in sets.standings(MEAN_SCORE, means.systems, values.tolist()):
        places.append(replace(place, value=scale.value(named[place.system])))
    correlations: list[Correlation] = []
    for name, reference in (("given ranking", human), ("human labels", rated)):
        if reference:
            correlations.append(correlate(MEAN_SCORE, named, name, reference))
    warnings = list(source.warnings)
    if ratings is not _NOBODY:
        warnings.extend(ratings.warnings)
    caveats: list[Caveat] = []
    if options.missing == "drop":
        for text in unjudged_ratings([source], items, ratings):
            caveats.append(Caveat("human labels", text))
    caveats.extend(_caveats(items, judge, means))
    enough: tuple[Stopping, ...] = ()
    if source.human:
        enough = _enough(items, means, options.bootstrap.level)
    return RankReport(
        source=source.source,
        options=replace(options, bootstrap=bootstrap),
        unscored=int((~judge.scored).sum()),
        self_compared=0,
        warnings=tuple(warnings),
        systems=(),
        places=tuple(places),
        correlations=tuple(correlations),
        parameters=(),
        caveats=tuple(caveats),
        means=rows,
        low=scale.low,
        high=scale.high,
        enough=enough,
    )


def _enough(items: Opinions, means: _Means, level: float) -> tuple[Stopping, ...]:
    """Look at each two systems, over the questions that both answer."""
    question = items.units()
    size = len(means.systems)
    if question is None or size > MOST_SYSTEMS:
        return ()
    sums, counts = means.of(question, int(question.max()) + 1)
    with np.errstate(invalid="ignore"):
        by_question = sums / counts
    scale = scale_of(items)
    return every_two_means(
        means.systems, by_question, level, float(scale.high) - float(scale.low)
    )


def _chosen(
    source: str, judges: Sequence[JudgeOpinions], judge: str | None
) -> JudgeOpinions:
    """Return the judge to rank: the named one, else what all of them were pooled to."""
    if judge is None:
        for one in judges:
            if any(one.own.facts.get("pooled", ())):
                return one
    by_name = {one.name: one for one in judges}
    return by_name[chosen_judge(source, list(by_name), judge)]


def _systems(items: Opinions, judge: Opinions) -> _Means:
    systems, system = systems_of(items)
    if not systems:
        raise UserError(
            f"{items.source}: a ranking needs the system of every answer; of a table name"
            " its column: --column system=COLUMN; of a run give the items a system and"
            " rate them again"
        )
    nameless = np.flatnonzero(system < 0)
    if len(nameless):
        raise UserError(
            f"{items.source}: {items.ids[nameless[0]]!r} has no system; name it"
        )
    if not judge.scored.any():
        raise UserError(
            f"{items.source}: no answer has a score, so there is nothing to rank"
        )
    available, codes = np.unique(system[judge.scored], return_inverse=True)
    every = np.full(len(items), -1, np.int64)
    every[judge.scored] = codes
    names = tuple(systems[number] for number in available)
    unit = units_of(items)
    units = np.array(
        [len(np.unique(unit[every == number])) for number in range(len(names))]
    )
    return _Means(names, every, np.where(judge.scored, judge.score, 0.0), units)


def _drawn(items: Opinions, means: _Means, options: RankOptions) -> Array:
    """Return means by resample of the questions [shape=(resamples, systems)]."""
    groups = Resampler(units_of(items), options.bootstrap.start)
    if not options.bootstrap.number or groups.units < 2:
        return np.zeros((0, len(means.systems)))
    sums, counts = means.of(groups.unit, groups.units)
    with np.errstate(invalid="ignore"):
        drawn = draw(groups.units, options.bootstrap.number, options.bootstrap.start)
        blocks = [(w @ sums) / (w @ counts) for w in drawn]
    return np.concatenate(blocks)


def _order_p(items: Opinions, means: _Means) -> Array:
    """Return p of a sign-flip test over the questions that two systems both answer.

    Returns:
        p where the row is ahead of the column, and 1 elsewhere [shape=(systems,
        systems)]; 0 where resamples alone tell: of systems that share no question or
        more than :data:`MANY`.
    """
    size = len(means.systems)
    result = np.zeros((size, size))
    question = items.units()
    if question is None:
        return result
    pairs = size * (size - 1) // 2
    draws = min(max(_DRAWS, _DRAWS_PER_PAIR * pairs), _MOST_DRAWS)
    sums, counts = means.of(question, int(question.max()) + 1)
    with np.errstate(invalid="ignore"):
        by_question = sums / counts
    for one, other in combinations(range(size), 2):
        gap = by_question[:, one] - by_question[:, other]
        gap = gap[~np.isnan(gap)]
        if 0 < len(gap) <= MANY:
            p = sign_flip(gap, draws=draws)
            ahead = gap.sum() > 0
            result[one, other], result[other, one] = (p, 1.0) if ahead else (1.0, p)
    return result


def _rows(
    items: Opinions, judge: Opinions, means: _Means, options: BootstrapOptions
) -> Iterator[MeanRow]:
    systems, codes = systems_of(items)
    scale = scale_of(items)
    bounds = bounds_of(scale, judge.score)
    resampler = Resampler(units_of(items), options.start)
    for index, system in enumerate(means.systems):
        resampler.mean(system, means.value, bounds=bounds, where=means.codes == index)
    estimates = resampler.estimates(options)
    for index, system in enumerate(means.systems):
        is_own = codes == systems.index(system)
        mean = replace(estimates[system], method=SCORE)
        if means.units[index] < LEAST_LABELS or mean.interval is None:
            mean = replace(mean, interval=None, method=None)
        human = items.score[is_own & items.scored]
        people = None
        if len(human):
            people = scale.value(float(human.mean()))
        yield MeanRow(
            system=system,
            scored=int((is_own & judge.scored).sum()),
            unscored=int((is_own & ~judge.scored).sum()),
            mean=mean.on(scale.value),
            people=people,
        )


def _caveats(items: Opinions, judge: Opinions, means: _Means) -> Iterator[Caveat]:
    unscored = int((~judge.scored).sum())
    if unscored:
        left_out = "answer without a score is", "answers without a score are"
        yield Caveat("all", f"{counted(unscored, *left_out)} left out")
    systems, _ = systems_of(items)
    absent = sorted(set(systems) - set(means.systems))
    if absent:
        yield Caveat("all", f"no answer of {', '.join(absent)} has a score: left out")
    answers_of_each = np.bincount(means.codes[means.codes >= 0])
    if len(means.systems) >= _LISTED and (answers_of_each == 1).all():
        yield Caveat(
            "all",
            f"each of the {len(means.systems)} systems has a single answer; if these"
            " names are of recordings, add a column system that says which system each"
            " is of, and name the column that they are in: --column id=COLUMN",
        )
    if items.units() is None:
        yield Caveat("all", "answers have no question_id: they are drawn one by one")
    rated = items.scored
    if rated.any() and int(rated.sum()) < len(items):
        of = f"of {counted(len(items), 'answer')}"
        yield Caveat(
            "human labels",
            f"{counted(int(rated.sum()), f'{of} has', f'{of} have')} a rating; human"
            " ranks use those alone",
        )
