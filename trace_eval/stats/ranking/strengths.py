"""Strengths from outcomes: typed ties, priors, and the data without a finite answer.

Typed ties (an option of ours): an imagined *bar* takes part as one more system. Beside
the tie itself, ``both_good`` is half a win of each side over the bar and ``both_bad``
half a loss of each against it, so bad ties are evidence against both and good ones for
both. The bar's own strength is estimated with the others: it says which systems are
usually acceptable.

Prior: every system also plays ``prior`` games against an imagined average opponent of
strength 0, half won and half lost. It makes every strength finite and pulls them
together; ``prior=1`` is half a win and half a loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trace_eval.estimate.arrays import Array, Mask
from trace_eval.stats.ranking.fit import Model, fit
from trace_eval.stats.ranking.outcomes import OUTCOMES, Outcomes

#: Name of the imagined system behind typed ties.
BAR = "(bar)"


@dataclass(frozen=True)
class StrengthModel:
    """The comparisons as a linear map from outcome counts to games.

    Attributes:
        names: systems, and the bar where typed ties count.
        design, virtual_design: of real games and of those with the bar [shape=(games,
            systems)].
        virtual: counts to games with the bar, which ``prior`` games per system are
            added to [shape=(pairs * 4, games * 3)].
    """

    names: tuple[str, ...]
    design: Array
    virtual: Array
    virtual_design: Array
    prior: float

    def games(self, counts: Array) -> tuple[Array, Array]:
        """Return real and virtual games of counts [shape=(fits, pairs * 4)]."""
        real = _decisions(counts)
        virtual = (counts @ self.virtual).reshape(len(counts), -1, 3)
        if self.prior:
            half_won = [self.prior / 2, self.prior / 2, 0.0]
            shape = (len(counts), len(self.names), 3)
            prior_games = np.broadcast_to(half_won, shape)
            virtual = np.concatenate([virtual, prior_games], 1)
        return real, virtual

    def beats(self, counts: Array) -> Array:
        """Return wins and ties, row over column, without prior.

        Returns:
            [shape=(fits, systems, systems)]
        """
        fits = len(counts)
        systems = len(self.names)
        beats = np.zeros((fits, systems, systems))
        for first, second, (wins, losses, ties) in self._meetings(counts):
            beats[:, first, second] += wins + ties
            beats[:, second, first] += losses + ties
        return beats

    def furthest(self, counts: Array) -> tuple[Array, Mask]:
        """Return how far each system may be ahead of another, and where ties occur.

        Distances are in steps of the tie parameter: 1 where the two tied, -1 where the
        other one won, else infinity. A prior is left out.

        Returns:
            [shape=(fits, systems, systems)] and [shape=(fits,)].
        """
        fits = len(counts)
        systems = len(self.names)
        furthest = np.full((fits, systems, systems), np.inf)
        is_tied = np.zeros(fits, bool)
        for first, second, (wins, losses, ties) in self._meetings(counts):
            at_most = np.where(ties > 0, 1.0, np.inf)
            furthest[:, first, second] = np.where(losses > 0, -1.0, at_most)
            furthest[:, second, first] = np.where(wins > 0, -1.0, at_most)
            is_tied |= (ties > 0).any(-1)
        return furthest, is_tied

    def _meetings(self, counts: Array) -> Iterator[tuple[Array, Array, Array]]:
        """Yield who met whom, and wins, losses and ties of these [shape=(3, fits, n)].

        First the systems, then systems and bar; every two meet once.
        """
        with_bar = (counts @ self.virtual).reshape(len(counts), -1, 3)
        bar_design = self.virtual_design[: with_bar.shape[1]]
        games = ((_decisions(counts), self.design), (with_bar, bar_design))
        for outcomes, design in games:
            first = design.argmax(1)
            second = design.argmin(1)
            yield first, second, np.moveaxis(outcomes, -1, 0)


def _decisions(counts: Array) -> Array:
    """Return wins, losses and ties of flat outcome counts [shape=(fits, pairs, 3)]."""
    cells = counts.reshape(len(counts), -1, len(OUTCOMES))
    decided = cells[..., :2]
    ties = cells[..., 2:].sum(-1, keepdims=True)
    return np.concatenate([decided, ties], -1)


def problem(outcomes: Outcomes, typed: bool, prior: float) -> StrengthModel:
    """Set up the games of some outcomes."""
    systems = len(outcomes.systems)
    pairs = len(outcomes.pairs)
    kinds = len(OUTCOMES)
    rows = np.arange(pairs)
    names = outcomes.systems
    if typed:
        names += (BAR,)
    design = np.zeros((pairs, len(names)))
    design[:, :systems] = outcomes.design
    games = systems if typed else 0
    virtual = np.zeros((pairs, kinds, games, 3))
    virtual_design = np.zeros((games, len(names)))
    if typed:
        for side in (0, 1):
            virtual[rows, 2, outcomes.pairs[:, side], 0] += 0.5
            virtual[rows, 3, outcomes.pairs[:, side], 1] += 0.5
        virtual_design[:, :systems] = np.eye(systems)
        virtual_design[:, systems] = -1
    if prior:
        virtual_design = np.concatenate([virtual_design, np.eye(len(names))])
    return StrengthModel(
        names=names,
        design=design,
        virtual=virtual.reshape(pairs * kinds, -1),
        virtual_design=virtual_design,
        prior=prior,
    )


@dataclass(frozen=True)
class Strengths:
    """Log-strengths with mean 0 over the real systems; None with the ``reason``."""

    model: str
    systems: tuple[str, ...]
    values: tuple[float, ...] | None
    reason: str | None = None
    parameters: tuple[tuple[str, float], ...] = ()


def strengths(
    model: Model, outcomes: Outcomes, typed: bool = False, prior: float = 0.0
) -> Strengths:
    """Fit one model, or say why it has no finite answer."""
    setup = problem(outcomes, typed, prior)
    counts = outcomes.counts.reshape(1, -1).astype(float)
    values, tie = fit_many(model, setup, counts)
    if np.isnan(values).any():
        reason = "the fit did not converge"
        if not _decided(model, counts)[0]:
            reason = "every comparison is a tie: the tie parameter is infinite"
        elif not prior and (why := explain(setup.beats(counts)[0], setup.names)):
            reason = f"{why}; a prior makes it finite"
        elif leaders := runaways(model, setup, counts[0]):
            reason = f"{leaders}; a prior makes it finite"
        return Strengths(
            model=model.name, systems=outcomes.systems, values=None, reason=reason
        )
    number = len(outcomes.systems)
    parameters = []
    if model.parameter is not None:
        parameters.append((model.parameter, float(np.exp(tie[0]))))
    if typed:
        parameters.append((BAR, float(values[0, number])))
    own = tuple(values[0, :number].tolist())
    return Strengths(model.name, outcomes.systems, own, parameters=tuple(parameters))


def _decided(model: Model, counts: Array) -> Array:
    """Mask data sets with a win; all of them, if the model has no tie parameter."""
    if model.parameter is None:
        return np.ones(len(counts), bool)
    return np.asarray(_decisions(counts)[..., :2].sum((-2, -1)) > 0)


def fit_many(model: Model, setup: StrengthModel, counts: Array) -> tuple[Array, Array]:
    """Fit log-strengths [shape=(fits, names)] and tie parameters of many count vectors.

    Strengths have mean 0 over the real systems; NaN where there is no finite answer.
    """
    finite = _decided(model, counts)
    if not setup.prior:
        finite &= connected(setup.beats(counts))
    finite &= _bounded(model, setup, counts)
    values = np.full((len(counts), len(setup.names)), np.nan)
    tie = np.full(len(counts), np.nan)
    if finite.any():
        real, virtual = setup.games(counts[finite])
        result = fit(model, (real, setup.design), (virtual, setup.virtual_design))
        systems = len(setup.names)
        if setup.names[-1] == BAR:
            systems -= 1
        mean = result.strengths[:, :systems].mean(-1, keepdims=True)
        centred = result.strengths - mean
        values[finite] = np.where(result.converged[:, None], centred, np.nan)
        tie[finite] = result.tie
    return values, tie


def _bounded(model: Model, setup: StrengthModel, counts: Array) -> Array:
    """Tell whether strengths and tie parameter cannot run away together.

    Only which outcomes of a count vector occur decides that, so equal patterns are
    asked about once. A prior is won and lost against everybody, and holds them.
    """
    if model.parameter is None or setup.prior:
        return np.ones(len(counts), bool)
    patterns, place = np.unique(counts > 0, axis=0, return_inverse=True)
    return _ties_hold(setup, patterns)[place.reshape(-1)]


def _ties_hold(setup: StrengthModel, patterns: Mask) -> Mask:
    """Mask the patterns of outcomes that hold the tie parameter back.

    Where it grows by 1, a win asks for a distance of at least 1 and a tie allows at
    most 1. Strengths can follow it unless the wins of some cycle ask for more than its
    ties allow: a shortest path of negative length from a system to itself (Bellman
    1958; Floyd 1962). See ``runaways`` for the linear program of which this is a case.
    """
    furthest, is_tied = setup.furthest(patterns.astype(float))
    holds = ~is_tied  # there is nothing to run away
    for through in range(len(setup.names)):
        open_ones = np.flatnonzero(~holds)
        ways = furthest[open_ones]
        detour = ways[:, :, through, None] + ways[:, None, through, :]
        ways = np.minimum(ways, detour)
        furthest[open_ones] = ways
        holds[open_ones] = (np.diagonal(ways, axis1=1, axis2=2) < 0).any(-1)
    return holds


def runaways(model: Model, setup: StrengthModel, counts: Array) -> str | None:
    """Name the systems whose strengths have no maximum, in a model of ties.

    A system that wins and ties and never loses has none: the farther it is ahead and
    the wider ties are, the likelier is what was seen (Davidson 1970 states when there
    is a maximum). The likelihood is concave, so there is none exactly where some
    direction lowers the chance of no outcome that was seen and raises that of one; a
    linear program looks for it.

    Args:
        counts: flat outcome counts of one fit [shape=(pairs * 4,)].

    Returns:
        A sentence, or None where there is a maximum or no tie.
    """
    from scipy.optimize import linprog

    if model.parameter is None:
        return None
    real, virtual = setup.games(counts[None])
    games = np.concatenate([real[0], virtual[0]])
    design = np.concatenate([setup.design, setup.virtual_design])
    if not games[:, 2].any():
        return None
    # scores of a win, a loss and a tie, as a direction of strengths and tie parameter
    # moves them
    tie = np.eye(1, len(setup.names) + 1, len(setup.names))[0]
    gains: list[Array] = []
    for row, seen in zip(design, games > 0, strict=True):
        ahead = np.append(row, 0.0)
        scores = np.array([ahead, -ahead, tie])
        for outcome in np.flatnonzero(seen):
            gains.extend(np.delete(scores[outcome] - scores, outcome, axis=0))
    rows = np.array(gains)
    solution = linprog(
        -rows.sum(0), A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1)
    )
    if not solution.success or -solution.fun < 1e-6:
        return None
    direction = solution.x[:-1]
    leaders = np.flatnonzero(direction >= direction.max() - 1e-6)
    names = ", ".join(setup.names[index] for index in leaders)
    return (
        f"{names} lost to none of the others, and ties bound no distance: it is"
        " infinite"
    )


def reach(beats: Array) -> Mask:
    """Return the transitive closure of ``beats[..., i, j]``: i beat or tied with j.

    Each system reaches itself. All strengths are finite exactly when every system can
    reach every other one: else some group never lost to the rest, and an infinite
    distance explains the data best (Zermelo 1929; Ford 1957).
    """
    size = beats.shape[-1]
    closed = (beats > 0) | np.eye(size, dtype=bool)
    steps = 1
    while steps < size:
        closed = (closed.astype(np.float32) @ closed.astype(np.float32)) > 0
        steps *= 2
    return np.asarray(closed)


def connected(beats: Array) -> Mask:
    """Mask where all strengths are finite [shape=(...)]."""
    return np.asarray(reach(beats).all((-2, -1)))


def explain(beats: Array, systems: tuple[str, ...]) -> str | None:
    """Say why there is no finite strength, naming the systems; None when there is."""
    ways = reach(beats)
    if ways.all():
        return None
    for index, system in enumerate(systems):
        others = [i for i in range(len(systems)) if i != index]
        if not beats[index, others].any():
            return f"{system} has no win and no tie: its strength is minus infinity"
        if not beats[others, index].any():
            return f"{system} has no loss and no tie: its strength is infinite"
    first = int(np.flatnonzero(~ways.all(1))[0])
    unreached = [
        name for name, way in zip(systems, ways[first], strict=True) if not way
    ]
    if not ways[:, first][~ways[first]].any():
        return (
            f"{', '.join(unreached)} were never compared, even through others, with"
            f" {systems[first]}: their distance is unknown"
        )
    return (
        f"{', '.join(unreached)} never lost to or tied with the rest: the distance is"
        " infinite"
    )
