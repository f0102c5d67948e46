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
from typing import NamedTuple

import numpy as np

from blueprints import UserError, counted
from fusion import DIMENSIONS
from trace_eval.estimate.arrays import Array, Mask
from trace_eval.opinions.codes import POINTS, Codes
from trace_eval.opinions.units import WholeNumbers
from trace_eval.show.table import column
from trace_eval.stats.agreement.baselines import RULES, codes_by
from trace_eval.stats.inference.calibrators import (
    METHODS,
    Calibrator,
    Draws,
    HeldOutFit,
    Method,
    log_loss,
    measured,
    sklearn_isotonic,
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
    """Pairs of like probability.

    They have the mean prediction, the share in which annotators prefer A, and how many
    they are.
    """

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
    """Fit all methods and keep the best.

    ``baselines`` are rules to beat, besides the usual ones.

    Raises:
        UserError: too few labelled pairs or instructions, or a package is not
            installed.
    """
    x, names = features_of(run)
    scored = run.scored
    labelled, group, unit = labelled_pairs(run)
    pairs = len(group)
    groups = len(np.unique(group))
    folds = min(folds, groups)
    fold = _folds(group, folds, seed)
    x_labelled = x[labelled]
    y = _preference(run.truth[labelled])
    held_out: dict[str, Array] = {}
    for method in _methods(x):
        held_out[method.name] = _held_out(method.fit, x_labelled, y, fold)
    order = sorted(held_out, key=lambda name: log_loss(held_out[name], y))
    draws = Draws(group, level, seed)
    fit_best = partial(_fit_best, folds=folds, seed=seed)
    chosen = _held_out(fit_best, x_labelled, y, fold, group)
    [best] = [method for method in METHODS if method.name == order[0]]
    everywhere = best.fit(x_labelled, y)(x[scored])
    ids = run.table.ids
    probabilities = dict(zip(ids[scored].tolist(), everywhere.tolist(), strict=True))
    probabilities |= dict(zip(ids[labelled].tolist(), chosen.tolist(), strict=True))
    rules = _rules(run, labelled, chosen=chosen, draws=draws, baselines=baselines)
    return Calibration(
        judge=run.judge,
        pairs=pairs,
        groups=groups,
        unit=unit,
        folds=folds,
        features=names,
        half=float(np.mean((y - 0.5) ** 2)),
        methods=tuple(_measured(name, held_out[name], y, draws) for name in order),
        chosen=_measured(CHOSEN, chosen, y, draws),
        best=best.name,
        rules=tuple(rules),
        probabilities=probabilities,
    )


class LabelledPairs(NamedTuple):
    """The pairs that maps are fitted to.

    Attributes:
        rows: which of the run they are [shape=(n,)].
        group: independent unit of each [shape=(pairs,)].
        unit: what such a unit is, an instruction or a pair.
    """

    rows: Mask
    group: WholeNumbers
    unit: str


def labelled_pairs(run: LabelledRun) -> LabelledPairs:
    """Return the pairs with a verdict and a label; UserError where they are too few."""
    rows = run.scored & run.has_label
    unit_of = run.table.units()
    if unit_of is None:
        unit_of = np.arange(len(rows))
    pairs = int(rows.sum())
    group = unit_of[rows]
    groups = len(np.unique(group))
    instructions = run.table.facts.get("instruction_id", ())
    knows_instructions = any(name is not None for name in instructions)
    unit = "instruction" if knows_instructions else "pair"
    if pairs < LEAST_PAIRS or groups < 2:
        raise UserError(
            f"calibration needs at least {LEAST_PAIRS} labelled pairs, of 2 {unit}s or"
            f" more; there are {pairs}, of {counted(groups, unit)};"
            " label more"
        )
    return LabelledPairs(rows, group, unit)


def refuse_unfit(run: LabelledRun) -> None:
    """Raise the UserError that :func:`calibrate` would, without fitting anything."""
    labelled_pairs(run)
    sklearn_isotonic()


def features_of(run: LabelledRun) -> tuple[Array, tuple[str, ...]]:
    """Return a judge's measures of every pair, for A against B [shape=(n, features)].

    The lead is its margin, else the logit of its own distribution, else its label; the
    margins of the dimensions follow.
    """
    facts = run.table.facts
    codes = run.codes
    if "p_a" in facts and not np.isnan(facts["p_a"]).all():
        p = np.clip(np.nan_to_num(facts["p_a"], nan=0.5), 0.01, 0.99)
        lead = np.log(p / (1 - p))
        name = "logit of the votes"
    elif "margin" in facts:
        lead = np.nan_to_num(facts["margin"])
        name = "margin"
    elif "score_a" in facts and "score_b" in facts:
        lead = np.nan_to_num(facts["score_a"] - facts["score_b"])
        name = "score difference"
    else:
        lead = 2 * _preference(codes) - 1
        name = "label"
    columns = [lead]
    names = [name]
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


def _folds(group: WholeNumbers, folds: int, seed: int) -> WholeNumbers:
    """Return the fold of every pair; instructions are dealt out, the largest first."""
    _, instruction, sizes = np.unique(group, return_inverse=True, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(sizes))
    largest_first = np.argsort(-sizes[order], kind="stable")
    pairs_of_fold = np.zeros(folds, np.int64)
    fold_of_instruction = np.zeros(len(sizes), np.int64)
    for number in order[largest_first]:
        fold = int(pairs_of_fold.argmin())
        fold_of_instruction[number] = fold
        pairs_of_fold[fold] += sizes[number]
    return np.asarray(fold_of_instruction[instruction])


def _methods(x: Array) -> list[Method]:
    """Return the methods that a number of features allows."""
    return [method for method in METHODS if x.shape[1] >= method.features]


def _fit_best(
    x: Array, y: Array, group: WholeNumbers, folds: int, seed: int
) -> Calibrator:
    """Fit by the method that is best on held-out parts of these pairs."""
    methods = _methods(x)
    groups = len(np.unique(group))
    if groups < 2:
        # one instruction is left: nothing to choose by
        return methods[0].fit(x, y)
    inner_fold = _folds(group, min(folds, groups), seed)
    losses: list[float] = []
    for method in methods:
        probabilities = _held_out(method.fit, x, y, inner_fold)
        losses.append(log_loss(probabilities, y))
    best = methods[int(np.argmin(losses))]
    return best.fit(x, y)


def _held_out(
    fit: Callable[..., Calibrator],
    x: Array,
    y: Array,
    fold: WholeNumbers,
    *details: Array,
) -> Array:
    """Predict every fold by what is fitted to the others and their ``details``."""
    probabilities = np.full(len(y), 0.5)
    for number in np.unique(fold):
        train = fold != number
        fitted = fit(x[train], y[train], *(column[train] for column in details))
        probabilities[~train] = fitted(x[~train])
    return probabilities


def _measured(name: str, p: Array, y: Array, draws: Draws) -> Fitted:
    """Measure held-out probabilities."""
    bin_of_pair = _bins(p)
    bins: list[Bin] = []
    for number in range(int(bin_of_pair.max()) + 1):
        in_bin = bin_of_pair == number
        predicted = float(p[in_bin].mean())
        observed = float(y[in_bin].mean())
        bins.append(Bin(predicted, observed, pairs=int(in_bin.sum())))
    return Fitted(
        method=name,
        brier=draws.mean((p - y) ** 2),
        ece=draws.gap(p - y, bin_of_pair),
        log_loss=log_loss(np.clip(p, 1e-6, 1 - 1e-6), y),
        accuracy=draws.mean(_right(p, y)),
        bins=tuple(bins),
    )


def _bins(p: Array) -> WholeNumbers:
    """Cut into bins of equal counts; equal probabilities stay together."""
    ranks = np.searchsorted(np.sort(p), p, side="left")
    place = np.minimum(ranks * BINS // len(p), BINS - 1)
    _, number = np.unique(place, return_inverse=True)
    return np.asarray(number)


def _right(p: Array, y: Array) -> Array:
    """Credit preferring the likelier answer: a tie of either side is half."""
    side = np.where(np.abs(p - 0.5) < 1e-9, 0.5, (p > 0.5).astype(float))
    return np.asarray(1 - np.abs(side - y))


def _rules(
    run: LabelledRun,
    labelled: Mask,
    chosen: Array,
    draws: Draws,
    baselines: Sequence[NumberRule],
) -> list[Rule]:
    """Measure rules without a fit on the labelled pairs, beside the chosen method."""
    y = _preference(run.truth[labelled])
    right_of_chosen = _right(chosen, y)
    rules: list[Rule] = []

    def add(name: str, preference: Array, pairs: int) -> None:
        right = _right(preference, y)
        difference = draws.mean(right_of_chosen - right)
        rules.append(
            Rule(
                name=name,
                pairs=pairs,
                accuracy=draws.mean(right),
                difference=difference,
            )
        )

    verdicts: dict[str, Codes | None] = {"judge's own label": run.codes}
    for rule in RULES + tuple(baselines):
        verdicts[rule.name] = codes_by(rule, run.table.facts)
    for name, codes in verdicts.items():
        if codes is None:
            continue
        of_labelled = codes[labelled]
        names_winner = (of_labelled == 0) | (of_labelled == 1)
        add(name, _preference(of_labelled), pairs=int(names_winner.sum()))
    if y.mean() > 0.5:
        add("always A", np.ones(len(y)), pairs=len(y))
    else:
        add("always B", np.zeros(len(y)), pairs=len(y))
    add("always a tie", np.full(len(y), 0.5), pairs=len(y))
    return rules
