"""``agree --scores``: everything that scores and people's ratings can say about each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.stats.agreement.alpha import Alpha, interval_alpha, scale_alpha
from trace_eval.stats.agreement.bootstrap import IntervalEstimate
from trace_eval.stats.agreement.scores.baselines import baselines
from trace_eval.stats.agreement.scores.binary import binary_agreement
from trace_eval.stats.agreement.scores.figures import (
    FigureBook,
    add_agreement,
    add_ceiling,
    add_differences,
)
from trace_eval.stats.agreement.scores.forecasts import score_ratings
from trace_eval.stats.agreement.scores.growth import growth
from trace_eval.stats.agreement.scores.report import (
    AlphaOfScores,
    Coverage,
    Figure,
    Growth,
    ScoreOptions,
    ScoreReport,
    SplitRow,
)
from trace_eval.stats.agreement.scores.resample import MAX_UNITS, Resampler
from trace_eval.stats.agreement.scores.sample_figures import add_raters, add_samples
from trace_eval.stats.agreement.scores.selective import add_selective, selective_rows
from trace_eval.stats.agreement.scores.spearman import spearman
from trace_eval.stats.agreement.scores.spread_figures import add_calibration, add_variance
from trace_eval.stats.agreement.scores.study import JudgeScores, Study
from trace_eval.stats.agreement.scores.systems import (
    FEW_SYSTEMS,
    MAX_SYSTEMS,
    SystemAgreement,
    SystemRow,
    add_systems,
    system_rows,
)
from trace_eval.stats.agreement.scores.variance import fit_factor, rated_often
from trace_eval.stats.agreement.scores.verdict import verdict

Mask = NDArray[np.bool_]

#: The split on which constants are fitted where there is one.
TRAIN = "train"


def agree_scores(
    study: Study,
    judges: Sequence[JudgeScores],
    options: ScoreOptions | None = None,
    labels: str = "labels",
    rubric: str | None = None,
) -> ScoreReport:
    """Compare judges' scores with people's ratings.

    All judges and baselines are compared on the same items: those that people rated and
    every judge scored.

    Args:
        study: items and ratings.
        judges: their scores of the study's items, one or more.
        options: default: :class:`ScoreOptions`.
        labels, rubric: for the record.

    Raises:
        UserError: there is nothing to compare.
    """
    options = options or ScoreOptions()
    rated = study.people.count > 0
    chosen = _chosen(study, options)
    train, fitted_on = _train(study, rated, chosen)
    with_beta = any(judge.beta is not None for judge in judges)
    rules = baselines(study, train, with_beta)
    factor = _variance_factor(study, train)
    common = rated & chosen & np.logical_and.reduce([judge.scored for judge in judges])
    if not common.any():
        raise UserError(
            f"{labels}: none of the {int((rated & chosen).sum())} rated items is scored by every"
            " judge; check that the ids of labels and scores are the same"
        )
    part = study.take(common)
    ours = [judge.take(common) for judge in judges]
    theirs = [rule for rule in (rule.take(common) for rule in rules) if rule.scored.all()]
    book = FigureBook(Resampler(part.unit, options.bootstrap.seed))
    for judge in (*ours, *theirs):
        add_agreement(book, part, judge)
    add_ceiling(book, part, ours)
    notes = add_raters(book, part, ours)
    add_variance(book, part, ours, factor)
    for judge in (*ours, *(rule for rule in theirs if rule.shares is not None)):
        add_calibration(book, part, judge)
    for judge in ours:
        add_samples(book, judge)
    add_differences(book, ours)
    for judge in ours:
        _add_selective(book.resampler, part, judge)
    figures, estimates = book.finish(options.bootstrap)
    grouped = book.resampler.grouped
    del book  # its columns; those of the systems are next
    rows, agreements = _systems(study.take(chosen), [j.take(chosen) for j in judges], options)
    return ScoreReport(
        labels,
        rubric,
        len(part.ids),
        len(part.people.row),
        None if part.question is None else int(part.question.max()) + 1,
        len(part.people.raters),
        study.low,
        study.high,
        fitted_on,
        options,
        tuple(_coverage(judge, rated & chosen, chosen) for judge in judges),
        tuple(figures),
        tuple(
            row for judge in ours for row in selective_rows(estimates, judge.name, len(part.ids))
        ),
        tuple(rows),
        tuple(agreements),
        tuple(found for judge in ours if (found := _growth(part, judge))),
        tuple(
            binary_agreement(judge.name, judge.mean, part.people.mean)
            for judge in ours
            if len(study.levels) == 2
        ),
        tuple(_alphas(part, ours)),
        tuple(row for judge in ours for row in _by_split(part, judge)),
        tuple(verdict(judge.name, [rule.name for rule in theirs], figures) for judge in ours),
        (*_notes(study, part, rated & chosen, options, grouped), *notes),
    )


def _chosen(study: Study, options: ScoreOptions) -> Mask:
    if options.split is None:
        return np.ones(len(study.ids), bool)
    if study.split is None:
        raise UserError(f"--split {options.split}: the items have no split; leave the option out")
    chosen = study.split == options.split
    if not chosen.any():
        known = ", ".join(sorted({str(name) for name in study.split if name}))
        raise UserError(f"--split {options.split}: no item is of it; there are {known}")
    return np.asarray(chosen, bool)


def _train(study: Study, rated: Mask, chosen: Mask) -> tuple[Mask, str]:
    if study.split is not None and (train := (study.split == TRAIN) & rated).any():
        return train, f"the {int(train.sum())} rated items of the split {TRAIN}"
    if not (rated & chosen).any():
        raise UserError("no item has a rating by people; pass --labels FILE")
    return rated & chosen, f"the same {int((rated & chosen).sum())} items that are compared"


def _variance_factor(study: Study, train: Mask) -> float:
    often = train & rated_often(study.people)
    return fit_factor(study.people.mean[often], study.people.variance[often])


def _coverage(judge: JudgeScores, rated: Mask, chosen: Mask) -> Coverage:
    scored = judge.scored
    return Coverage(
        judge.name,
        int(chosen.sum()),
        int(rated.sum()),
        int((scored & rated).sum()),
        int((chosen & ~scored).sum()),
    )


def _add_selective(resampler: Resampler, study: Study, judge: JudgeScores) -> None:
    if judge.variance is not None and not np.isnan(judge.variance).any():
        error = abs(judge.mean - study.people.mean)
        add_selective(resampler, judge.name, error, judge.variance)


def _systems(
    study: Study, judges: Sequence[JudgeScores], options: ScoreOptions
) -> tuple[list[SystemRow], list[SystemAgreement]]:
    if study.system is None or not 0 < len(study.systems) <= MAX_SYSTEMS:
        return [], []
    unit = np.unique(study.unit, return_inverse=True)[1]
    resampler = Resampler(unit, options.bootstrap.seed)
    for judge in judges:
        add_systems(resampler, study, judge, options.families)
    estimates: dict[str, IntervalEstimate] = resampler.estimates(options.bootstrap)
    rows: list[SystemRow] = []
    agreements = []
    for judge in judges:
        mine, agreement = system_rows(study, judge, estimates, options.families)
        rows += mine
        agreements.append(agreement)
    return rows, agreements


def _growth(study: Study, judge: JudgeScores) -> Growth | None:
    if judge.samples is None or judge.samples.shape[1] < 2:
        return None
    known = 2 <= len(study.people.raters) <= 40
    targets = list(study.people.by_rater().T) if known else [study.people.mean]
    return Growth(judge.name, growth(judge.samples, targets))


def _alphas(study: Study, judges: Sequence[JudgeScores]) -> list[AlphaOfScores]:
    people, items = study.people, len(study.ids)
    if people.opinions:
        return []  # agreement among people is not told by their mean
    most = max(int(people.count.max(initial=0)), len(people.raters))
    if most < 2:
        return []
    label = study.nearest(people.value)
    alpha = scale_alpha(people.row, label, items, study.levels, most)
    found = [AlphaOfScores("people", alpha)]
    for judge in judges:
        row = np.concatenate([people.row, np.arange(items)])
        value = np.concatenate([people.value, judge.mean])
        interval = interval_alpha(row, value, items)
        with_judge = Alpha(None, None, interval, most + 1, items)
        found.append(AlphaOfScores(f"people and {judge.name}", with_judge))
    return found


def _by_split(study: Study, judge: JudgeScores) -> list[SplitRow]:
    if study.split is None or len(names := sorted({str(s) for s in study.split if s})) < 2:
        return []
    found = []
    for name in names:
        mine = np.asarray(study.split == name, bool)
        part, scores = study.take(mine), judge.take(mine)
        crps = score_ratings(part, scores).crps
        rho = spearman(scores.mean, part.people.mean)
        found.append(
            SplitRow(
                judge.name,
                name,
                int(mine.sum()),
                None if np.isnan(rho) else rho,
                float(abs(scores.mean - part.people.mean).mean()),
                None if crps is None else float(crps.mean()),
            )
        )
    return found


def _notes(
    study: Study, part: Study, rated: Mask, options: ScoreOptions, grouped: bool
) -> list[str]:
    found = []
    if len(part.ids) < int(rated.sum()):
        found.append(
            f"compared are the {len(part.ids)} items that every judge scored, of"
            f" {int(rated.sum())} that people rated"
        )
    if part.question is None:
        found.append("items have no question_id: they are drawn one by one")
    if grouped:
        found.append(f"questions are drawn in {MAX_UNITS:,} random groups")
    if options.split is None and part.split is not None and (part.split == TRAIN).any():
        found.append(
            "items of the split train are among those compared: a scorer that was trained on them"
            " looks better than it is; see the table by split, or pass --split test"
        )
    if part.system is not None and 0 < len(part.systems) <= FEW_SYSTEMS:
        found.append(f"a correlation over {len(part.systems)} systems means little")
    return found


def figure(report: ScoreReport, group: str, who: str, name: str) -> Figure:
    """One figure of a report.

    Raises:
        KeyError: it has none of that name.
    """
    for found in report.figures:
        if (found.group, found.who, found.name) == (group, who, name):
            return found
    raise KeyError(f"{group}, {who}, {name}")
