"""``train fusion``: runs of several judges and human ratings -> one fused judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from blueprints import UserError, counted
from trace_eval.data.fused_scores import FusionModel
from trace_eval.data.scores import ScoreEstimate
from trace_eval.estimate.arrays import Array
from trace_eval.opinions.found_scales import DEFAULT_SCALE
from trace_eval.opinions.opinions import Opinions
from trace_eval.show.table import Table, grid
from trace_eval.stats.agreement.counts import defined
from trace_eval.stats.agreement.fit_fusion import (
    CrossValidated,
    FusionRows,
    average,
    cross_validated,
    fit_blend,
    fit_factor,
    fit_map,
    members,
    squared_error,
)
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.scored import join_scores, ratings_of
from trace_eval.stats.options import FusionOptions

#: Share of the questions that calibrate the fusion where the labels have no split
#: ``dev``.
DEV_SHARE = 0.2


@dataclass(frozen=True)
class FusionTraining:
    """A fused judge and how it was measured.

    Attributes:
        model: what is stored.
        path: where it is stored; None: it is not better than its rivals, so it was not.
        train, dev, test: which rows were used, in words.
        errors: squared errors on held-out questions of the training rows.
        test_errors: the same on the split ``test``; empty: there is none.
        verdict: whether fusing was worth it.
    """

    model: FusionModel
    path: Path | None
    train: str
    dev: str
    test: str | None
    errors: tuple[CrossValidated, ...]
    test_errors: tuple[CrossValidated, ...]
    verdict: str


def train_fusion(
    sources: Sequence[Opinions],
    ratings: Opinions,
    out: Path,
    options: FusionOptions | None = None,
) -> FusionTraining:
    """Fit a fused judge and store it, if it beats its judges and their average.

    Rows of the split ``train`` fit calibrations and weights, those of ``dev`` the last
    map and the variance factor; without splits a share of the questions takes the place
    of ``dev``. All sources are on one scale, and every judge in them joins, except
    mixtures; fewer than two judges or too few rows are a UserError.
    """
    options = options or FusionOptions()
    scale = sources[0].scale or DEFAULT_SCALE
    items, every = join_scores(sources, ratings, scale, "drop")
    judges = _joining(every)
    train, dev, test, details = _parts(items, options.seed)
    names = [judge.name for judge in judges]
    scores = np.stack([judge.joined.score for judge in judges], axis=1)
    rows = FusionRows(scores, items.score, _questions(items))
    blend = fit_blend(rows.take(train))
    last = fit_map(blend.apply(rows.scores[dev]), rows.truth[dev])
    errors = cross_validated(rows.take(train), names, last)
    held_out = rows.take(test)
    predicted = dict(zip(names, held_out.scores.T, strict=True)) if test.any() else {}
    if predicted:
        predicted["average"] = average(held_out.scores)
        predicted["fused"] = last(blend.apply(held_out.scores))
    labels = tuple(map(float, scale.labels))
    model = FusionModel(
        rubric=sources[0].rubric,
        labels=labels,
        members=members(names, blend),
        last=last,
        variance_factor=None,
    )
    fitted = {
        "train": details["train"],
        "dev": details["dev"],
        "questions": len(np.unique(rows.question[items.scored])),
        "ratings": len(ratings_of(items)),
        "errors": [asdict(error) for error in errors],
    }
    factor = _factor(model, items, judges, dev)
    model = replace(model, variance_factor=factor, fitted=fitted)
    worth, verdict = _verdict(errors, names)
    stored = worth or options.force
    if not stored:
        verdict += f" It was not written to {out}; --force writes it all the same."
    return FusionTraining(
        model=model,
        path=model.save(out) if stored else None,
        train=details["train"],
        dev=details["dev"],
        test=details.get("test"),
        errors=tuple(errors),
        test_errors=tuple(
            squared_error(who, of, held_out.truth) for who, of in predicted.items()
        ),
        verdict=verdict,
    )


def _joining(every: Sequence[JudgeOpinions]) -> list[JudgeOpinions]:
    """Return the judges with scores of their own; refuse fewer than two."""
    judges: list[JudgeOpinions] = []
    for judge in every:
        is_mixture = any(judge.own.facts.get("pooled", ()))
        if judge.joined.scored.any() and not is_mixture:
            judges.append(judge)
    if len(judges) < 2:
        raise UserError(
            f"train fusion: {len(judges)} judges have scores; name runs of two or more"
        )
    return judges


def _parts(items: Opinions, seed: int) -> tuple[Array, Array, Array, dict[str, str]]:
    """Return masks of training, development and test rows, and what they are."""
    rated = items.scored
    split = items.facts.get("split")
    if split is not None and (split == "train").any():
        train, dev, test = (
            rated & np.asarray(split == name, bool) for name in ("train", "dev", "test")
        )
        if dev.any():
            details: dict[str, str] = {}
            for name, mask in (("train", train), ("dev", dev), ("test", test)):
                if mask.any():
                    rows = counted(int(mask.sum()), "rated item")
                    details[name] = f"{rows} of the split {name}"
            return train, dev, test, details
    else:
        train = rated
        test = np.zeros_like(rated)
    unit = _questions(items)
    questions = np.unique(unit[train])
    order = np.random.default_rng(seed).permutation(questions)
    held_out = order[: max(1, round(DEV_SHARE * len(order)))]
    dev = train & np.isin(unit, held_out)
    train = train & ~dev
    learned = len(questions) - len(held_out)
    details = {
        "train": (
            f"{counted(int(train.sum()), 'rated item')} of"
            f" {counted(learned, 'question')}"
        ),
        "dev": f"{counted(int(dev.sum()), 'rated item')} of"
        f" {counted(len(held_out), 'other question')}, seed {seed}",
    }
    return train, dev, test, details


def _questions(items: Opinions) -> Array:
    """Assign each item the number of its question, in the order of names.

    A seed then holds out the same ones whatever the order of the items. An item without
    a question has its own.
    """
    names = items.facts.get("instruction_id", np.full(len(items), None)).tolist()
    keys: list[tuple[bool, str, int]] = []
    for row, name in enumerate(names):
        keys.append((name is None, name or "", 0 if name else row))
    place = {key: number for number, key in enumerate(sorted(set(keys)))}
    return np.array([place[key] for key in keys], np.int64)


def _factor(
    model: FusionModel, items: Opinions, judges: Sequence[JudgeOpinions], dev: Array
) -> float | None:
    """Fit the factor of the variance on these rows; see :func:`fit_factor`."""
    unknown, mean, spread = np.full((3, len(items)), np.nan)
    for row in np.flatnonzero(dev):
        stated: dict[str, ScoreEstimate] = {}
        for judge in judges:
            score = judge.joined.score[row]
            if np.isnan(score):
                continue
            variance = judge.joined.scores.get("variance", unknown)[row]
            stated[judge.name] = ScoreEstimate(
                mean=float(score), variance=defined(variance)
            )
        fused = model.fuse(stated)
        if fused is None:
            continue
        mean[row] = fused.mean
        parts = [part for part in (fused.within, fused.between) if part is not None]
        if parts:
            spread[row] = sum(parts)
    human = ratings_of(items, dev)
    return fit_factor(human.score, mean[human.item], spread[human.item])


def _verdict(
    errors: Sequence[CrossValidated], names: Sequence[str]
) -> tuple[bool, str]:
    """Whether fusing is worth it on held-out questions, and why."""
    by_name = {error.who: error.mse for error in errors}
    fused = by_name["fused"]
    plain = by_name["average"]
    single, best = min((by_name[name], name) for name in names)
    message = (
        f"squared error {fused:.4f}, average {plain:.4f}, best single judge"
        f" {single:.4f} ({best})"
    )
    if fused < min(plain, single):
        better = "the fused judge is better than the average and every single judge"
        return True, f"{better}: {message}."
    rival = "the plain average" if plain <= single else best
    return (
        False,
        f"the fused judge is not better than {rival} on held-out questions: {message}.",
    )


def training_tables(training: FusionTraining) -> list[Table]:
    """Return printed tables of the fitted model and its errors."""
    model = training.model
    factor = "none"
    if model.variance_factor is not None:
        factor = f"{model.variance_factor:.4f}"
    held_out = {error.who: (error.rows, error.mse) for error in training.test_errors}
    fitted = grid(
        "Fused judge",
        ("judge", "weight", "points of its calibration"),
        [(m.judge, m.weight, len(m.calibration.x)) for m in model.members],
        f"weights and calibrations: {training.train}; last calibration"
        f" ({len(model.last.x)} points) and variance factor ({factor}): {training.dev}",
    )
    errors = grid(
        "Mean squared error against human mean, on [0, 1]",
        ("", "rows", "cross-validated by question", "rows of test", "test"),
        [
            (error.who, error.rows, error.mse, *held_out.get(error.who, (None, None)))
            for error in training.errors
        ],
    )
    return [fitted, errors]
