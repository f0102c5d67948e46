"""Scores of judges compared with human ratings: everything that the two can say about each
other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError, counted
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.resample import MAX_UNITS, Resampler
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.alpha import Alpha, interval_alpha, scale_alpha
from trace_eval.stats.agreement.baselines import baselines
from trace_eval.stats.agreement.binary import BinaryAgreement, binary_agreement
from trace_eval.stats.agreement.figures import (
    AgreementFigure,
    FigureBook,
    add_agreement,
    add_ceiling,
    add_differences,
)
from trace_eval.stats.agreement.forecasts import score_ratings
from trace_eval.stats.agreement.growth import growth
from trace_eval.stats.agreement.sample_figures import add_raters, add_samples
from trace_eval.stats.agreement.score_columns import ScoreColumn, judges_of
from trace_eval.stats.agreement.score_files import ScoreFile, own_labels, read_with_ratings
from trace_eval.stats.agreement.score_join import join_scores
from trace_eval.stats.agreement.selective import Selective, add_selective, selective_rows
from trace_eval.stats.agreement.spearman import spearman
from trace_eval.stats.agreement.spread_figures import add_calibration, add_variance
from trace_eval.stats.agreement.study import JudgeScores, Study
from trace_eval.stats.agreement.systems import (
    FEW_SYSTEMS,
    MAX_SYSTEMS,
    SystemAgreement,
    SystemShares,
    add_systems,
    system_rows,
)
from trace_eval.stats.agreement.variance import fit_factor, rated_often
from trace_eval.stats.agreement.verdict import verdict
from trace_eval.stats.options import AgreeOptions
from trace_eval.stats.report import AlphaOfScores, Coverage, Growth, ScoreReport, SplitRow

Mask = NDArray[np.bool_]

#: The split on which constants are fitted where there is one.
TRAIN = "train"


def agree_score_sources(
    sources: Sequence[Path | ScoreFile],
    labels: Path | Opinions | None,
    options: AgreeOptions,
    columns: Mapping[str, str] | None = None,
) -> ScoreReport:
    """See :func:`trace_eval.decide.agree.agree`."""
    files, ratings = read_with_ratings(sources, labels, options.rubric, columns)
    ratings = own_labels(files) if ratings is None else ratings
    study, scores = join_scores(files, ratings, options.rubric, options.missing)
    judges = [judge for column in scores.columns for judge in judges_of(column, study)]
    report = agree_scores(study, judges, options, ratings.source, scores.rubric)
    notes = _caveats(scores.columns)
    if study.people.opinions and "mos" not in ratings.facts:
        notes.append(f"{ratings.source}: numbers between labels are taken as mean opinions")
    return replace(report, notes=(*notes, *report.notes))


def _caveats(columns: Sequence[ScoreColumn]) -> list[str]:
    """What every score of a judge says of itself."""
    every = [
        caveat
        for column in columns
        for caveat, count in column.caveats.items()
        if count == len(column.value)
    ]
    return list(dict.fromkeys(every))


def agree_scores(
    study: Study,
    judges: Sequence[JudgeScores],
    options: AgreeOptions | None = None,
    labels: str = "labels",
    rubric: str | None = None,
) -> ScoreReport:
    """Compare judges' scores with human ratings, as arrays.

    All judges and baselines are compared on the same items: those that people rated and
    every judge scored.

    Args:
        study: items and ratings.
        judges: their scores of the study's items, one or more.
        options: default: :class:`AgreeOptions`.
        labels, rubric: for the record.

    Raises:
        UserError: there is nothing to compare.
    """
    options = options or AgreeOptions()
    rated = study.people.count > 0
    chosen = _chosen(study, options)
    train, fitted_on = _train(study, rated, chosen)
    rules = baselines(study, train, any(judge.beta is not None for judge in judges))
    common = _common(rated & chosen, judges, labels)
    part = study.take(common)
    ours = [judge.take(common) for judge in judges]
    theirs = [rule for rule in (rule.take(common) for rule in rules) if rule.scored.all()]
    figures = _figures(part, ours, theirs, _variance_factor(study, train), options)
    systems = _systems(study.take(chosen), [j.take(chosen) for j in judges], options)
    baseline_names = [rule.name for rule in theirs]
    return ScoreReport(
        labels=labels,
        rubric=rubric,
        items=len(part.ids),
        ratings=len(part.people.row),
        questions=None if part.question is None else int(part.question.max()) + 1,
        raters=len(part.people.raters),
        low=study.low,
        high=study.high,
        fitted_on=fitted_on,
        options=options,
        coverage=tuple(_coverage(judge, rated & chosen, chosen) for judge in judges),
        figures=figures.figures,
        selective=figures.selective,
        systems=systems[0],
        system_agreement=systems[1],
        growth=tuple(result for judge in ours if (result := _growth(part, judge))),
        binary=tuple(_binary(part, ours)),
        alphas=tuple(_alphas(part, ours)),
        splits=tuple(row for judge in ours for row in _by_split(part, judge)),
        verdicts=tuple(verdict(judge.name, baseline_names, figures.figures) for judge in ours),
        notes=(*_notes(study, part, rated & chosen, options, figures.grouped), *figures.notes),
    )


@dataclass(frozen=True)
class _Figures:
    """All figures that share their resamples; ``grouped``: questions were drawn in groups."""

    figures: tuple[AgreementFigure, ...]
    selective: tuple[Selective, ...]
    notes: list[str]
    grouped: bool


def _figures(
    study: Study,
    judges: list[JudgeScores],
    rules: Sequence[JudgeScores],
    factor: float,
    options: AgreeOptions,
) -> _Figures:
    book = FigureBook(Resampler(study.unit, options.bootstrap.seed))
    for judge in (*judges, *rules):
        add_agreement(book, study, judge)
    add_ceiling(book, study, judges)
    notes = add_raters(book, study, judges)
    add_variance(book, study, judges, factor)
    for judge in (*judges, *(rule for rule in rules if rule.shares is not None)):
        add_calibration(book, study, judge)
    for judge in judges:
        add_samples(book, judge)
    add_differences(book, judges)
    for judge in judges:
        _add_selective(book.resampler, study, judge)
    result, estimates = book.finish(options.bootstrap)
    items = len(study.ids)
    selective = (row for judge in judges for row in selective_rows(estimates, judge.name, items))
    return _Figures(tuple(result), tuple(selective), notes, book.resampler.grouped)


def _common(rated: Mask, judges: Sequence[JudgeScores], labels: str) -> Mask:
    """Rated items that every judge scored."""
    common = np.asarray(rated & np.logical_and.reduce([judge.scored for judge in judges]), bool)
    if not common.any():
        raise UserError(
            f"{labels}: none of the {counted(int(rated.sum()), 'rated item')} is scored by every"
            " judge; check that the ids of labels and scores are the same"
        )
    return common


def _chosen(study: Study, options: AgreeOptions) -> Mask:
    if options.split is None:
        return np.ones(len(study.ids), bool)
    if study.split is None:
        raise UserError(f"--split {options.split}: the items have no split; leave the option out")
    chosen = study.split == options.split
    if not chosen.any():
        available = ", ".join(sorted({str(name) for name in study.split if name}))
        raise UserError(f"--split {options.split}: no item is of it; there are {available}")
    return np.asarray(chosen, bool)


def _train(study: Study, rated: Mask, chosen: Mask) -> tuple[Mask, str]:
    if study.split is not None and (train := (study.split == TRAIN) & rated).any():
        return train, f"the {counted(int(train.sum()), 'rated item')} of the split {TRAIN}"
    if not (rated & chosen).any():
        raise UserError("no item has a rating by people; pass --labels FILE")
    same = counted(int((rated & chosen).sum()), "item that is", "items that are")
    return rated & chosen, f"the same {same} compared"


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
    study: Study, judges: Sequence[JudgeScores], options: AgreeOptions
) -> tuple[tuple[SystemShares, ...], tuple[SystemAgreement, ...]]:
    if study.system is None or not 0 < len(study.systems) <= MAX_SYSTEMS:
        return (), ()
    unit = np.unique(study.unit, return_inverse=True)[1]
    resampler = Resampler(unit, options.bootstrap.seed)
    for judge in judges:
        add_systems(resampler, study, judge, options.families)
    estimates: dict[str, IntervalEstimate] = resampler.estimates(options.bootstrap)
    rows: list[SystemShares] = []
    agreements = []
    for judge in judges:
        mine, agreement = system_rows(study, judge, estimates, options.families)
        rows += mine
        agreements.append(agreement)
    return tuple(rows), tuple(agreements)


def _binary(study: Study, judges: Sequence[JudgeScores]) -> Iterator[BinaryAgreement]:
    if len(study.levels) == 2:
        for judge in judges:
            yield binary_agreement(judge.name, judge.mean, study.people.mean)


def _growth(study: Study, judge: JudgeScores) -> Growth | None:
    if judge.samples is None or judge.samples.shape[1] < 2:
        return None
    present = 2 <= len(study.people.raters) <= 40
    targets = list(study.people.by_rater().T) if present else [study.people.mean]
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
    alphas = [AlphaOfScores("people", alpha)]
    for judge in judges:
        row = np.concatenate([people.row, np.arange(items)])
        value = np.concatenate([people.value, judge.mean])
        interval = interval_alpha(row, value, items)
        with_judge = Alpha(None, None, interval, most + 1, items)
        alphas.append(AlphaOfScores(f"people and {judge.name}", with_judge))
    return alphas


def _by_split(study: Study, judge: JudgeScores) -> list[SplitRow]:
    if study.split is None or len(names := sorted({str(s) for s in study.split if s})) < 2:
        return []
    rows = []
    for name in names:
        mine = np.asarray(study.split == name, bool)
        part, scores = study.take(mine), judge.take(mine)
        crps = score_ratings(part, scores).crps
        rho = spearman(scores.mean, part.people.mean)
        rows.append(
            SplitRow(
                judge.name,
                name,
                int(mine.sum()),
                None if np.isnan(rho) else rho,
                float(abs(scores.mean - part.people.mean).mean()),
                None if crps is None else float(crps.mean()),
            )
        )
    return rows


def _notes(
    study: Study, part: Study, rated: Mask, options: AgreeOptions, grouped: bool
) -> list[str]:
    notes = []
    if len(part.ids) < int(rated.sum()):
        notes.append(
            f"compared: {counted(len(part.ids), 'item')} that every judge scored, of"
            f" {int(rated.sum())} that people rated"
        )
    if part.question is None:
        notes.append("items have no question_id: they are drawn one by one")
    if grouped:
        notes.append(f"questions are drawn in {MAX_UNITS:,} random groups")
    if options.split is None and part.split is not None and (part.split == TRAIN).any():
        notes.append(
            "items of the split train are among those compared: a scorer that was trained on them"
            " looks better than it is; see the table by split, or pass --split test"
        )
    if part.system is not None and 0 < len(part.systems) <= FEW_SYSTEMS:
        notes.append(f"a correlation over {len(part.systems)} systems means little")
    return notes


def figure(report: ScoreReport, group: str, who: str, name: str) -> AgreementFigure:
    """One figure of a report.

    Raises:
        KeyError: it has none of that name.
    """
    for result in report.figures:
        if (result.group, result.who, result.name) == (group, who, name):
            return result
    raise KeyError(f"{group}, {who}, {name}")
