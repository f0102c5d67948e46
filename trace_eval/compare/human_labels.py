"""Both judges against human labels, on the labelled items that both judges scored."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from trace_eval.compare.judgings import Ceiling, Joined
from trace_eval.estimate.arrays import Array
from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.options import IntervalOptions, SeedOptions
from trace_eval.estimate.paired import sign_flip
from trace_eval.estimate.ranks import add_spearman
from trace_eval.estimate.resample import Resampler
from trace_eval.opinions.codes import LABELS, MISSING, POINTS, TIE, Codes, is_untyped
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import IDENTITY
from trace_eval.show.table import column
from trace_eval.stats.agree_labels import agree_labels
from trace_eval.stats.agreement.metrics import Comparison
from trace_eval.stats.agreement.score import JudgeScore
from trace_eval.stats.inference.influence import ppi_components
from trace_eval.stats.inference.ppi import PPIEstimate, estimate
from trace_eval.stats.inference.sampling import simple_design
from trace_eval.stats.options import AgreeOptions

#: Shown where neither judge is nearer.
NEITHER = "not told apart"


@dataclass(frozen=True)
class AgainstLabels:
    """Both judges compared with human labels on the items that both scored."""

    metric: str
    # first and second, with the majority class beside them
    scores: tuple[JudgeScore, ...]
    comparison: Comparison  # second minus first, paired, with McNemar's test
    # name of the judge that is nearer; None: not told apart
    nearer: str | None = field(metadata=column(shown=lambda name, _: name or NEITHER))
    # annotators themselves; None: one label per item, or one part of many
    ceiling: Ceiling | None
    # mean human points of answer A over all items, from their labels and each judge
    # (PPI); empty where annotators labelled everything
    powered: tuple[PPIEstimate, ...]


@dataclass(frozen=True)
class AgainstRatings:
    """Two judges' scores beside mean human ratings, on the items that both scored.

    Figures are of the first judge, of the second, and second minus first, paired; the
    last three fields are as of :class:`AgainstLabels`.
    """

    metric: str
    judges: tuple[str, str]
    items: int
    # mean absolute distance from the mean human rating, points from 0 to 1
    errors: tuple[IntervalEstimate, IntervalEstimate, IntervalEstimate]
    # Spearman's rho with it
    ranks: tuple[IntervalEstimate, IntervalEstimate, IntervalEstimate]
    p: float  # of equal errors, by sign flips
    nearer: str | None
    ceiling: Ceiling | None
    powered: tuple[PPIEstimate, ...]


def against_labels(
    joined: Joined, metric: str, options: IntervalOptions
) -> AgainstLabels | None:
    """Compare both with a metric's human labels; None for a score or without labels."""
    labels = joined.first.labels or joined.second.labels
    if labels is None or metric not in joined.first.codes:
        return None
    dimension = metric.rpartition(".")[2]
    is_whole = dimension in ("overall", "preference", "verdict")
    columns = [dimension, "human"]
    if is_whole:
        columns += ["preference", "overall"]
    labelled = [name for name in columns if name in labels.codes]
    if not labelled:
        return None
    about = labelled[0]
    truth = labels.per_item.labels_of(about, joined.first.ids)
    one = joined.first.codes[metric]
    other = joined.second.codes[metric]
    has_all = (one != MISSING) & (other != MISSING) & (truth != MISSING)
    if not has_all.any():
        return None
    items = joined.first.ids[has_all]
    judged = [one[has_all], other[has_all]]
    labels = labels.take(joined.first.take(has_all).find(labels.ids) >= 0)
    human = labels.codes[about]
    has_plain_ties = any(map(is_untyped, [human] + judged))
    column = "overall"
    if has_plain_ties or dimension == "preference":
        column = "preference"
        human = _with_plain_ties(human)
        judged = list(map(_with_plain_ties, judged))
    facts: dict[str, Array] = {}
    for name in IDENTITY:
        if name in joined.first.facts:
            facts[name] = joined.first.facts[name][has_all]
    names = joined.names()
    sources: list[Opinions] = []
    for name, codes in zip(names, judged, strict=True):
        sources.append(Opinions(name, items, {column: codes}, facts=facts))
    instructions = facts.get("instruction_id", np.array([None])).tolist()
    is_clustered = None not in instructions and len(set(instructions)) < len(items)
    people = Opinions("human labels", labels.ids, {column: human}, labels.rater)
    level = SeedOptions(level=options.level)
    report = agree_labels(sources, people, AgreeOptions(level, is_clustered, "drop"))
    (comparison,) = [row for row in report.comparisons if row.dimension == column]
    ceiling = joined.first.ceiling or joined.second.ceiling
    return AgainstLabels(
        metric=metric,
        scores=tuple(score for score in report.scores if score.dimension == column),
        comparison=comparison,
        nearer=_nearer(names, comparison.difference.interval, more_is_better=True),
        ceiling=ceiling if is_whole else None,
        powered=_ppi_estimates(joined, metric, POINTS[truth], options.level),
    )


def _with_plain_ties(codes: Codes) -> Codes:
    """Return codes in which every tie, of whatever kind, is a plain one."""
    return np.where(codes >= TIE, LABELS.index("tie"), codes).astype(np.int8)


def against_ratings(
    joined: Joined, metric: str, options: IntervalOptions
) -> AgainstRatings | None:
    """Compare both with human ratings; None: labels, or nobody rated an item."""
    rated = joined.first.facts.get("rated", joined.second.facts.get("rated"))
    if rated is None or metric in joined.first.codes:
        return None
    one, other = joined.points(metric)
    has_all = ~np.isnan(rated) & ~np.isnan(one) & ~np.isnan(other)
    if not has_all.any():
        return None
    truth = rated[has_all]
    cluster = None if joined.cluster is None else joined.cluster[has_all]
    unit = np.arange(len(truth))
    if cluster is not None:
        _, unit = np.unique(cluster, return_inverse=True)
    resampler = Resampler(unit)
    distances = {"first": np.abs(one - rated), "second": np.abs(other - rated)}
    for name, points in (("first", one), ("second", other)):
        resampler.mean(f"{name} error", distances[name][has_all])
        add_spearman(resampler, f"{name} rho", points[has_all], truth)
    for figure in ("error", "rho"):
        resampler.difference(f"both {figure}", f"first {figure}", f"second {figure}")
    figures = resampler.estimates(options)
    names = joined.names()
    gaps = distances["second"] - distances["first"]
    error_gap = figures["both error"]
    return AgainstRatings(
        metric=metric,
        judges=names,
        items=int(has_all.sum()),
        errors=(figures["first error"], figures["second error"], error_gap),
        ranks=(figures["first rho"], figures["second rho"], figures["both rho"]),
        p=sign_flip(gaps[has_all], cluster),
        nearer=_nearer(names, error_gap.interval, more_is_better=False),
        ceiling=joined.first.ceiling or joined.second.ceiling,
        powered=_ppi_estimates(joined, metric, rated, options.level),
    )


def _ppi_estimates(
    joined: Joined, metric: str, truth: Array, level: float
) -> tuple[PPIEstimate, ...]:
    """Estimate the human mean of all items, with the help of each judge.

    An item that a judge left unscored stands in the middle of its scale: labels correct
    whatever stands there. Where nobody labelled an unscored item, the mean is of the
    items that both scored.
    """
    points = joined.points(metric)
    is_scored = ~np.isnan(points[0]) & ~np.isnan(points[1])
    counts = is_scored
    if (~np.isnan(truth) & ~is_scored).any():
        counts = np.ones(len(is_scored), bool)
    is_labelled = ~np.isnan(truth[counts])
    if is_labelled.all() or not is_labelled.any():
        return ()
    cluster = joined.cluster
    if cluster is not None:
        _, cluster = np.unique(cluster[counts], return_inverse=True)
    design = simple_design(is_labelled, cluster=cluster)
    labels = np.nan_to_num(truth[counts])
    estimates: list[PPIEstimate] = []
    for of_judge in points:
        is_known = ~np.isnan(of_judge[counts])
        values = np.nan_to_num(of_judge[counts], nan=0.5)
        components = ppi_components(labels, values, design, is_known)
        estimates.append(estimate(components, level))
    return tuple(estimates)


def _nearer(
    names: tuple[str, str], limits: tuple[float, float] | None, more_is_better: bool
) -> str | None:
    """Return the nearer judge, if the interval of the difference leaves out 0."""
    if limits is None:
        return None
    low, high = limits
    if low <= 0 <= high:
        return None
    second_is_nearer = (low > 0) == more_is_better
    return names[1] if second_is_nearer else names[0]
