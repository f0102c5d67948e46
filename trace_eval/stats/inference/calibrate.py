"""P(annotators prefer A | judge): fitted, cross-validated by instruction, and measured.

Every figure is on held-out pairs: folds (fewer where there are fewer instructions)
never share an instruction, a pair's probability comes from a fit that has not seen its
instruction, and only pairs without a label get the fit on all. Which map to use is
chosen without the pair as well, in every fold by folds within the rest (nested
cross-validation: Stone 1974; Varma & Simon 2006): on the pairs by which it was chosen
the better of several maps looks better than it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from fusion import DIMENSIONS
from trace_eval.estimate.arrays import Array
from trace_eval.opinions.codes import MISSING, POINTS, Codes
from trace_eval.show.table import column
from trace_eval.stats.agreement.baselines import RULES
from trace_eval.stats.inference.calibrators import (
    METHODS,
    Calibrator,
    Draws,
    HeldOutFit,
    Method,
    log_loss,
    measured,
)
from trace_eval.stats.inference.labelled_run import LabelledRun
from trace_eval.stats.options import NumberRule

#: Labelled pairs below which nothing is fitted.
LEAST_PAIRS = 20

#: Bins of equal counts in the reliability diagram and the calibration error.
BINS = 10

#: Name of the map that was chosen anew in every fold.
CHOSEN = "chosen"

#: Head of shares of right pairs in which a tie of either side counts a half, unlike in
#: accuracy.
TIES_HALF = "right, ties half"


@dataclass(frozen=True)
class Bin:
    """Pairs of like probability: mean prediction, share that annotators prefer A, how many."""

    predicted: float
    observed: float
    pairs: int


@dataclass(frozen=True)
class Fitted:
    """One method on held-out pairs.

    Attributes:
        brier: mean squared error of the probability, 0 to 1.
        ece: expected calibration error: mean over bins of |predicted - observed|; never
            negative, so chance alone makes it positive. Its interval is a bound: it
            holds the true gap of these bins at least as often as its level says.
        log_loss: nats; 0.693 is always saying 1/2.
        accuracy: of preferring the likelier answer, ties as halves.
    """

    method: str
    brier: HeldOutFit = field(metadata=column("Brier", measured))
    ece: HeldOutFit = field(metadata=column("ECE", measured))
    log_loss: float
    accuracy: HeldOutFit = field(metadata=column(TIES_HALF, measured))
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Rule:
    """A rule that needs no fit, on the same pairs, ties as halves.

    Attributes:
        pairs: on which it says something; elsewhere it is half right.
        difference: accuracy of the chosen method minus the rule's.
    """

    name: str = field(metadata=column("rule"))
    pairs: int = field(metadata=column("says something on"))
    accuracy: HeldOutFit = field(metadata=column(TIES_HALF, measured))
    difference: HeldOutFit = field(metadata=column(f"{CHOSEN} minus rule", measured))


@dataclass(frozen=True)
class Calibration:
    """Everything about one judge's probabilities.

    Attributes:
        pairs, groups, folds: labelled pairs, their independent units, folds.
        unit: what such a unit is: an instruction, or a pair where instructions are
            unknown.
        features: what was measured, the lead first.
        half: Brier score of always saying 1/2: 0.25 but for people's ties, which are
            1/2.
        methods: each by itself, in the order of their held-out log loss.
        chosen: the method of least log loss among the other folds, chosen and fitted
            anew for every fold: what to expect of the best.
        best: method of least held-out log loss over all labels, used for pairs without
            one.
        probabilities: pair -> P(annotators prefer A); of ``chosen`` where it has a
            label.
    """

    judge: str
    pairs: int
    groups: int
    unit: str
    folds: int
    features: tuple[str, ...]
    half: float
    methods: tuple[Fitted, ...]
    chosen: Fitted
    best: str
    rules: tuple[Rule, ...]
    probabilities: Mapping[str, float]


def calibrate(
    run: LabelledRun,
    folds: int = 5,
    level: float = 0.95,
    seed: int = 0,
    baselines: Sequence[NumberRule] = (),
) -> Calibration:
    """Fit all methods and keep the best; ``baselines`` are rules to beat, besides the usual ones.

    Raises:
        UserError: too few labelled pairs or instructions, or a package is not
            installed.
    """
    x, names = features_of(run)
    scored = run.scored
    available = scored & (run.truth != MISSING)
    unit_of = run.table.units()
    group = np.arange(len(available)) if unit_of is None else unit_of
    groups = len(np.unique(group[available]))
    named = any(
        details is not None for details in run.table.facts.get("instruction_id", ())
    )
    unit = "instruction" if named else "pair"
    if available.sum() < LEAST_PAIRS or groups < 2:
        raise UserError(
            f"calibration needs at least {LEAST_PAIRS} labelled pairs, of 2 {unit}s or"
            f" more; there are {int(available.sum())}, of {counted(groups, unit)};"
            " label more"
        )
    folds = min(folds, groups)
    fold = _folds(group[available], folds, seed)
    y = _preference(run.truth[available])
    held = {one.name: _held_out(one.fit, x[available], y, fold) for one in _methods(x)}
    order = sorted(held, key=lambda name: log_loss(held[name], y))
    draws = Draws(group[available], level, seed)
    fit_best = partial(_fit_best, folds=folds, seed=seed)
    chosen = _held_out(fit_best, x[available], y, fold, group[available])
    best = next(method for method in METHODS if method.name == order[0])
    everywhere = best.fit(x[available], y)(x[scored])
    probabilities = dict(
        zip(run.table.ids[scored].tolist(), everywhere.tolist(), strict=True)
    )
    probabilities |= dict(
        zip(run.table.ids[available].tolist(), chosen.tolist(), strict=True)
    )
    return Calibration(
        judge=run.judge,
        pairs=int(available.sum()),
        groups=groups,
        unit=unit,
        folds=folds,
        features=names,
        half=float(np.mean((y - 0.5) ** 2)),
        methods=tuple(_measured(name, held[name], y, draws) for name in order),
        chosen=_measured(CHOSEN, chosen, y, draws),
        best=order[0],
        rules=tuple(
            _rules(run, available, chosen=chosen, draws=draws, baselines=baselines)
        ),
        probabilities=probabilities,
    )


def features_of(run: LabelledRun) -> tuple[Array, tuple[str, ...]]:
    """Return what the judge measured of every pair, for A against B [shape=(n, features)].

    The lead is its margin, else the logit of its own distribution, else its label; the
    margins of the dimensions follow.
    """
    facts, codes = run.table.facts, run.codes
    if "p_a" in facts and not np.isnan(facts["p_a"]).all():
        p = np.clip(np.nan_to_num(facts["p_a"], nan=0.5), 0.01, 0.99)
        lead, name = np.log(p / (1 - p)), "logit of the votes"
    elif "margin" in facts:
        lead, name = np.nan_to_num(facts["margin"]), "margin"
    elif "score_a" in facts and "score_b" in facts:
        lead, name = (
            np.nan_to_num(facts["score_a"] - facts["score_b"]),
            "score difference",
        )
    else:
        lead, name = 2 * _preference(codes) - 1, "label"
    columns, names = [lead], [name]
    if name != "label":
        columns.append(2 * _preference(codes) - 1)
        names.append("label")
    for dimension in DIMENSIONS:
        if f"margin_{dimension}" in facts:
            columns.append(np.nan_to_num(facts[f"margin_{dimension}"]))
            names.append(f"margin of {dimension}")
    return np.stack(columns, 1).astype(np.float64), tuple(names)


def _preference(codes: Codes) -> Array:
    """Return the human preference of A; one that is missing is a tie."""
    return np.asarray(np.nan_to_num(POINTS[codes], nan=0.5))


def _folds(group: NDArray[np.int64], folds: int, seed: int) -> NDArray[np.int64]:
    """Fold of every pair; instructions are dealt out, the largest first."""
    names, at, sizes = np.unique(group, return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(names))
    order = order[np.argsort(-sizes[order], kind="stable")]
    load, provided = np.zeros(folds, np.int64), np.zeros(len(names), np.int64)
    for name in order:
        provided[name] = int(load.argmin())
        load[provided[name]] += sizes[name]
    return np.asarray(provided[at])


def _methods(x: Array) -> list[Method]:
    """Return the methods that so many features allow."""
    return [method for method in METHODS if x.shape[1] >= method.features]


def _fit_best(
    x: Array, y: Array, group: NDArray[np.int64], folds: int, seed: int
) -> Calibrator:
    """Fit by the method that is best on held-out parts of these pairs."""
    methods, groups = _methods(x), len(np.unique(group))
    if groups < 2:
        return methods[0].fit(x, y)  # one instruction is left: nothing to choose by
    inner = _folds(group, min(folds, groups), seed)
    losses = [log_loss(_held_out(one.fit, x, y, inner), y) for one in methods]
    return methods[int(np.argmin(losses))].fit(x, y)


def _held_out(
    fit: Callable[..., Calibrator],
    x: Array,
    y: Array,
    fold: NDArray[np.int64],
    *details: Array,
) -> Array:
    """Predict every fold by what is fitted to the others, and to ``details`` of those."""
    probabilities = np.full(len(y), 0.5)
    for number in np.unique(fold):
        train = fold != number
        fitted = fit(x[train], y[train], *(column[train] for column in details))
        probabilities[~train] = fitted(x[~train])
    return probabilities


def _measured(name: str, p: Array, y: Array, draws: Draws) -> Fitted:
    bins = _bins(p)
    return Fitted(
        method=name,
        brier=draws.mean((p - y) ** 2),
        ece=draws.gap(p - y, bins),
        log_loss=log_loss(np.clip(p, 1e-6, 1 - 1e-6), y),
        accuracy=draws.mean(_right(p, y)),
        bins=tuple(
            Bin(
                float(p[bins == b].mean()),
                float(y[bins == b].mean()),
                int((bins == b).sum()),
            )
            for b in range(int(bins.max()) + 1)
        ),
    )


def _bins(p: Array) -> NDArray[np.int64]:
    """Cut into bins of equal counts; equal probabilities stay together."""
    ranks = np.searchsorted(np.sort(p), p, side="left")
    raw = np.minimum(ranks * BINS // len(p), BINS - 1)
    return np.asarray(np.unique(raw, return_inverse=True)[1])


def _right(p: Array, y: Array) -> Array:
    """Credit preferring the likelier answer: a tie of either side is half."""
    side = np.where(np.abs(p - 0.5) < 1e-9, 0.5, (p > 0.5).astype(float))
    return np.asarray(1 - np.abs(side - y))


def _rules(
    run: LabelledRun,
    available: NDArray[np.bool_],
    chosen: Array,
    draws: Draws,
    baselines: Sequence[NumberRule],
) -> list[Rule]:
    y = _preference(run.truth[available])
    ours = _right(chosen, y)
    side = float(y.mean() > 0.5)
    always = {f"always {'A' if side else 'B'}": side, "always a tie": 0.5}
    rules: dict[str, Codes | None] = {"judge's own label": run.codes}
    rules |= {rule.name: rule.codes(run.table.facts) for rule in (*RULES, *baselines)}
    verdicts = {
        name: codes[available] for name, codes in rules.items() if codes is not None
    }
    values = {name: _preference(codes) for name, codes in verdicts.items()}
    values |= {name: np.full(len(y), value) for name, value in always.items()}
    results = []
    for name, value in values.items():
        right, codes = _right(value, y), verdicts.get(name)
        winners = len(y) if codes is None else int(((codes == 0) | (codes == 1)).sum())
        results.append(Rule(name, winners, draws.mean(right), draws.mean(ours - right)))
    return results
