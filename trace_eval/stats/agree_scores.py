"""Scores of judges beside human ratings: all that the two say about each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from blueprints import UserError, counted
from trace_eval.estimate.arrays import Mask
from trace_eval.estimate.ranks import spearman
from trace_eval.estimate.resample import MAX_UNITS, Resampler
from trace_eval.opinions.found_scales import DEFAULT_SCALE
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import levels_of, nearest
from trace_eval.stats.agreement.alpha import (
    Alpha,
    interval_alpha,
    scale_alpha,
    with_each_judge,
)
from trace_eval.stats.agreement.baselines import baselines
from trace_eval.stats.agreement.counts import defined
from trace_eval.stats.agreement.figures import (
    AgreementFigure,
    FigureBook,
    add_agreement,
    add_ceiling,
    add_differences,
)
from trace_eval.stats.agreement.forecasts import score_ratings
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.linear import BinaryAgreement, binary_agreement
from trace_eval.stats.agreement.raters import (
    MAX_RATERS,
    add_raters,
    add_samples,
    growth,
)
from trace_eval.stats.agreement.scored import (
    by_rater,
    counts_of,
    join_scores,
    names_of,
    only,
    rated_often,
    ratings_of,
    scale_of,
    units_of,
    unjudged_ratings,
    with_clamped,
)
from trace_eval.stats.agreement.selective import Selective, add_selective
from trace_eval.stats.agreement.spread import (
    add_calibration,
    add_variance,
    fit_factor,
    verdict,
)
from trace_eval.stats.agreement.systems import (
    FEW_SYSTEMS,
    MAX_SYSTEMS,
    SystemAgreement,
    SystemShares,
    add_systems,
    system_rows,
    systems_of,
)
from trace_eval.stats.options import AgreeOptions, settled
from trace_eval.stats.report import (
    AlphaOfScores,
    Coverage,
    Growth,
    ScoreReport,
    SplitRow,
)

#: Why nothing was drawn in a comparison of scores.
_NOT_DRAWN = (
    f"it draws random groups of questions where there are over {MAX_UNITS:,}, and there"
    " are fewer"
)

#: The split on which constants are fitted where there is one.
TRAIN = "train"


def agree_scores(
    sources: Sequence[Opinions], ratings: Opinions, options: AgreeOptions
) -> ScoreReport:
    """See :func:`trace_eval.decide.agree.agree`; all sources are on one scale."""
    scale = sources[0].scale or DEFAULT_SCALE
    items, judges = join_scores(sources, ratings, scale, options.missing)
    report = compare_scores(items, list(with_clamped(judges)), options)
    caveats: dict[str, None] = {}
    for judge in judges:
        caveats.update(dict.fromkeys(_caveats(judge.own)))
    notes = list(caveats)
    if options.missing == "drop":
        notes.extend(unjudged_ratings(sources, items, ratings))
    for source in chain(sources, (ratings,)):
        notes.extend(warning.text for warning in source.warnings)
    if "mos" in ratings_of(items).facts and "mos" not in ratings.facts:
        notes.append(
            f"{ratings.source}: numbers between labels are taken as mean opinions"
        )
    notes.extend(report.notes)
    return replace(report, rubric=sources[0].rubric, notes=tuple(notes))


def _caveats(judged: Opinions) -> Iterator[str]:
    """Return the caveats that stand on every score of a judge."""
    if "caveats" not in judged.facts:
        return
    counts: Counter[str] = Counter()
    for of_item in judged.facts["caveats"].tolist():
        counts.update(of_item or ())
    scores = int((~np.isnan(judged.facts["score"])).sum())
    for caveat, number in counts.items():
        if number == scores:
            yield caveat


def compare_scores(
    items: Opinions,
    judges: Sequence[JudgeOpinions],
    options: AgreeOptions | None = None,
) -> ScoreReport:
    """Compare judges' scores, a row for each item, with human ratings of the items.

    All judges and baselines are compared on the items that annotators rated and every
    judge scored; without any it is a UserError.
    """
    options = options or AgreeOptions()
    rated = items.scored
    chosen = _chosen(items, options)
    train, fitted_on = _train(items, rated, chosen)
    rules = baselines(
        items, train, any("beta" in judge.joined.scores for judge in judges)
    )
    scored = np.logical_and.reduce([judge.joined.scored for judge in judges])
    common = np.asarray(rated & chosen & scored, bool)
    if not common.any():
        raise UserError(
            f"{ratings_of(items).source}: none of the"
            f" {counted(int((rated & chosen).sum()), 'rated item')} is scored by every"
            " judge; check that the ids of labels and scores are the same"
        )
    part = only(items, common)
    ours = [_of(judge, common) for judge in judges]
    common_rules = [_of(rule, common) for rule in rules]
    theirs = [rule for rule in common_rules if rule.joined.scored.all()]
    growths = [_growth(part, judge) for judge in ours]
    often = train & rated_often(items)
    factor = fit_factor(items.score[often], items.scores["variance"][often])
    figures, selective, notes = _figures(
        part, ours, rules=theirs, factor=factor, options=options
    )
    systems, agreements = _systems(items, judges, chosen, options)
    last_unit = max(
        int(units_of(part).max()),
        int(units_of(only(items, chosen)).max()),
    )
    drawn = settled(options.bootstrap, last_unit >= MAX_UNITS, _NOT_DRAWN)
    rivals = [rule.name for rule in theirs]
    questions = None
    units = part.units()
    if units is not None:
        questions = int(units.max()) + 1
    binary: tuple[BinaryAgreement, ...] = ()
    if len(scale_of(items).labels) == 2:
        binary = tuple(
            binary_agreement(judge.name, judge.joined.score, part.score)
            for judge in ours
        )
    return ScoreReport(
        labels=ratings_of(items).source,
        rubric=None,
        items=len(part),
        ratings=len(ratings_of(part)),
        questions=questions,
        raters=len(names_of(items)),
        low=float(scale_of(items).low),
        high=float(scale_of(items).high),
        fitted_on=fitted_on,
        options=replace(options, bootstrap=drawn),
        coverage=tuple(_coverage(judge, rated, chosen) for judge in judges),
        figures=tuple(figures),
        selective=tuple(selective),
        systems=systems,
        system_agreement=agreements,
        growth=tuple(growth for growth in growths if growth),
        binary=binary,
        alphas=tuple(_alphas(part, ours)),
        splits=tuple(row for judge in ours for row in _by_split(part, judge)),
        verdicts=tuple(verdict(judge.name, rivals, figures) for judge in ours),
        notes=(*_notes(items, part, rated & chosen, options), *notes),
    )


def _coverage(judge: JudgeOpinions, rated: Mask, chosen: Mask) -> Coverage:
    scored = judge.joined.scored
    return Coverage(
        judge=judge.name,
        items=int(chosen.sum()),
        rated=int((rated & chosen).sum()),
        scored=int((scored & rated & chosen).sum()),
        unscored=int((chosen & ~scored).sum()),
    )


def _of(judge: JudgeOpinions, chosen: Mask) -> JudgeOpinions:
    return judge if chosen.all() else judge._replace(joined=judge.joined.take(chosen))


def _figures(
    items: Opinions,
    judges: list[JudgeOpinions],
    rules: Sequence[JudgeOpinions],
    factor: float,
    options: AgreeOptions,
) -> tuple[list[AgreementFigure], list[Selective], list[str]]:
    """Compute the figures that share resamples, curves of withholding, and notes."""
    book = FigureBook(Resampler(units_of(items), options.bootstrap.start))
    for judge in chain(judges, rules):
        add_agreement(book, items, judge)
    add_ceiling(book, items, judges)
    notes = add_raters(book, items, judges)
    add_variance(book, items, judges, factor)
    forecasts = [rule for rule in rules if "shares" in rule.joined.scores]
    for judge in chain(judges, forecasts):
        add_calibration(book, items, judge)
    for judge in judges:
        add_samples(book, judge)
    add_differences(book, judges)
    curves = []
    for judge in judges:
        variance = judge.joined.scores.get("variance")
        if variance is not None and not np.isnan(variance).any():
            error = abs(judge.joined.score - items.score)
            curves.append(add_selective(book.resampler, judge.name, error, variance))
    figures, estimates = book.finish(options.bootstrap)
    selective = [row for rows in curves for row in rows(estimates)]
    if book.resampler.grouped:
        notes.insert(0, f"questions are drawn in {MAX_UNITS:,} random groups")
    return figures, selective, notes


def _chosen(items: Opinions, options: AgreeOptions) -> Mask:
    split = items.facts.get("split")
    if options.split is None:
        return np.ones(len(items), bool)
    if split is None:
        raise UserError(
            f"--split {options.split}: the items have no split; leave the option out"
        )
    chosen = split == options.split
    if not chosen.any():
        available = ", ".join(sorted({str(name) for name in split if name}))
        raise UserError(
            f"--split {options.split}: no item belongs to it; there are {available}"
        )
    return np.asarray(chosen, bool)


def _train(items: Opinions, rated: Mask, chosen: Mask) -> tuple[Mask, str]:
    split = items.facts.get("split")
    if split is not None and (train := np.asarray(split == TRAIN, bool) & rated).any():
        return (
            train,
            f"the {counted(int(train.sum()), 'rated item')} of the split {TRAIN}",
        )
    if not (rated & chosen).any():
        if not chosen.all():
            raise UserError(
                "no item of that --split has a rating by annotators; leave the option out"
            )
        raise UserError(
            f"{ratings_of(items).source}: none of its ratings is of a scored item;"
            " correct the ids"
        )
    # not "those that are compared": some of them may be unscored
    return rated & chosen, counted(int((rated & chosen).sum()), "rated item")


def _systems(
    whole: Opinions,
    judges: Sequence[JudgeOpinions],
    chosen: Mask,
    options: AgreeOptions,
) -> tuple[tuple[SystemShares, ...], tuple[SystemAgreement, ...]]:
    names, codes = systems_of(whole)
    if not 0 < len(names) <= MAX_SYSTEMS:
        return (), ()
    items = only(whole, chosen)
    systems = (names, codes[chosen])
    judges = [_of(judge, chosen) for judge in judges]
    resampler = Resampler(units_of(items), options.bootstrap.start)
    for judge in judges:
        add_systems(
            resampler, items, systems=systems, judge=judge, families=options.families
        )
    estimates = resampler.estimates(options.bootstrap)
    results = [
        system_rows(
            items, systems, judge=one, estimates=estimates, families=options.families
        )
        for one in judges
    ]
    rows, agreements = zip(*results, strict=True)
    return tuple(chain.from_iterable(rows)), agreements


def _growth(items: Opinions, judge: JudgeOpinions) -> Growth | None:
    samples = judge.joined.scores.get("samples")
    if samples is None or samples.shape[1] < 2:
        return None
    present = 2 <= len(names_of(items)) <= MAX_RATERS
    targets = list(by_rater(items).T) if present else [items.score]
    return Growth(judge.name, growth(samples, targets))


def _alphas(
    items: Opinions, judges: Sequence[JudgeOpinions]
) -> Iterator[AlphaOfScores]:
    ratings = ratings_of(items)
    size = len(items)
    most = max(int(counts_of(items).max(initial=0)), len(names_of(items)))
    if most < 2 or "mos" in ratings.facts:
        return  # agreement among annotators is not told by their mean
    levels = levels_of(scale_of(items))
    alpha = scale_alpha(
        ratings.item,
        nearest(levels, ratings.score),
        items=size,
        positions=levels,
        raters=most,
    )
    yield AlphaOfScores("people", alpha)
    scores = {judge.name: judge.joined.score for judge in judges}
    for who, row, value in with_each_judge(ratings.item, ratings.score, scores):
        interval = interval_alpha(row, value, size)
        yield AlphaOfScores(
            who,
            Alpha(
                nominal=None,
                ordinal=None,
                interval=interval,
                raters=most + 1,
                items=size,
            ),
        )


def _by_split(items: Opinions, judge: JudgeOpinions) -> Iterator[SplitRow]:
    split = items.facts.get("split", np.array([]))
    names = sorted({str(name) for name in split if name})
    if len(names) < 2:
        return
    for name in names:
        is_in_split = np.asarray(split == name, bool)
        part = only(items, is_in_split)
        judged = _of(judge, is_in_split).joined
        crps = score_ratings(part, judged).crps
        yield SplitRow(
            judge=judge.name,
            split=name,
            items=int(is_in_split.sum()),
            spearman=defined(spearman(judged.score, part.score)),
            mae=float(abs(judged.score - part.score).mean()),
            crps=None if crps is None else float(crps.mean()),
        )


def _notes(
    items: Opinions, part: Opinions, rated: Mask, options: AgreeOptions
) -> Iterator[str]:
    if len(part) < int(rated.sum()):
        yield (
            f"compared: {counted(len(part), 'item')} that every judge scored, of"
            f" {int(rated.sum())} that annotators rated"
        )
    if part.units() is None:
        yield "items have no question_id: they are drawn one by one"
    split = part.facts.get("split")
    systems = systems_of(items)[0]
    if options.split is None and split is not None and (split == TRAIN).any():
        yield (
            "items of the split train are among those compared: a scorer that was"
            " trained on them looks better than it is; see the table by split, or pass"
            " --split test"
        )
    if 0 < len(systems) <= FEW_SYSTEMS:
        yield f"a correlation over {len(systems)} systems means little"
