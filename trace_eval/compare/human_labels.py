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
    scores: tuple[
        JudgeScore, ...
    ]  # first and second, with the majority class beside them
    comparison: Comparison  # second minus first, paired, with McNemar's test
    # name of the judge that is nearer; None: not told apart
    nearer: str | None = field(metadata=column(shown=lambda name, _: name or NEITHER))
    ceiling: (
        Ceiling | None
    )  # annotators themselves; None: one label per item, or one part of many
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
    ranks: tuple[
        IntervalEstimate, IntervalEstimate, IntervalEstimate
    ]  # Spearman's rho with it
    p: float  # of equal errors, by sign flips
    nearer: str | None
    ceiling: Ceiling | None
    powered: tuple[PPIEstimate, ...]


def against_labels(
    joined: Joined, metric: str, options: IntervalOptions
) -> AgainstLabels | None:
    """Compare both with a metric's human labels; None for a score or without labels."""
    labels, items = joined.first.labels or joined.second.labels, joined.first.ids
    dimension = metric.rpartition(".")[2]
    whole = dimension in ("overall", "preference", "verdict")
    columns = (dimension, "human", *(("preference", "overall") if whole else ()))
    about = next(
        (name for name in columns if labels is not None and name in labels.codes), None
    )
    if labels is None or about is None or metric not in joined.first.codes:
        return None
    truth = labels.per_item.labels_of(about, items)
    judged = [judging.codes[metric] for judging in (joined.first, joined.second)]
    has_all = np.all([codes != MISSING for codes in (*judged, truth)], axis=0)
    if not has_all.any():
        return None
    judged, items = [codes[has_all] for codes in judged], items[has_all]
    labels = labels.take(joined.first.take(has_all).find(labels.ids) >= 0)
    typed = not any(is_untyped(codes) for codes in (labels.codes[about], *judged))
    column = "overall" if typed and dimension != "preference" else "preference"
    facts = {
        n: joined.first.facts[n][has_all] for n in IDENTITY if n in joined.first.facts
    }
    named = facts.get("instruction_id", np.array([None])).tolist()

    def own(codes: Codes) -> dict[str, Codes]:
        tie = (codes >= TIE) & (column == "preference")
        return {column: np.where(tie, LABELS.index("tie"), codes).astype(np.int8)}

    names = joined.names()
    sources = [
        Opinions(name, items, own(codes), facts=facts)
        for name, codes in zip(names, judged, strict=True)
    ]
    cluster = None not in named and len({*named}) < len(items)
    provided = Opinions(
        "human labels", labels.ids, own(labels.codes[about]), labels.rater
    )
    level = SeedOptions(level=options.level)
    report = agree_labels(sources, provided, AgreeOptions(level, cluster, "drop"))
    (comparison,) = [c for c in report.comparisons if c.dimension == column]
    return AgainstLabels(
        metric=metric,
        scores=tuple(s for s in report.scores if s.dimension == column),
        comparison=comparison,
        nearer=_nearer(names, comparison.difference.interval, more_is_better=True),
        ceiling=(joined.first.ceiling or joined.second.ceiling) if whole else None,
        powered=_ppi_estimates(joined, metric, POINTS[truth], options.level),
    )


def against_ratings(
    joined: Joined, metric: str, options: IntervalOptions
) -> AgainstRatings | None:
    """Compare both with human ratings; None: labels, or nobody rated an item."""
    both = joined.points(metric)
    rated = joined.first.facts.get("rated", joined.second.facts.get("rated"))
    if rated is None or metric in joined.first.codes:
        return None
    has_all = ~np.isnan(rated) & ~np.isnan(both[0]) & ~np.isnan(both[1])
    if not has_all.any():
        return None
    truth, cluster = rated[has_all], joined.cluster
    unit = np.arange(len(truth))
    if cluster is not None:
        _, unit = np.unique(cluster[has_all], return_inverse=True)
    resampler = Resampler(unit)
    distances = []
    for name, points in zip(("first", "second"), both, strict=True):
        distances.append(np.abs(points[has_all] - truth))
        resampler.mean(f"{name} error", distances[-1])
        add_spearman(resampler, f"{name} rho", points[has_all], truth)
    for figure in ("error", "rho"):
        resampler.difference(f"both {figure}", f"first {figure}", f"second {figure}")
    result = resampler.estimates(options)
    errors, ranks = (
        (
            result[f"first {figure}"],
            result[f"second {figure}"],
            result[f"both {figure}"],
        )
        for figure in ("error", "rho")
    )
    names = joined.names()
    units = None if cluster is None else cluster[has_all]
    return AgainstRatings(
        metric=metric,
        judges=names,
        items=int(has_all.sum()),
        errors=errors,
        ranks=ranks,
        p=sign_flip(distances[1] - distances[0], units),
        nearer=_nearer(names, errors[2].interval, more_is_better=False),
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
    scored = ~np.isnan(points[0]) & ~np.isnan(points[1])
    everything = bool((~np.isnan(truth) & ~scored).any())
    shown = np.ones(len(scored), bool) if everything else scored
    labelled = ~np.isnan(truth[shown])
    if labelled.all() or not labelled.any():
        return ()
    cluster = joined.cluster
    if cluster is not None:
        _, cluster = np.unique(cluster[shown], return_inverse=True)
    design = simple_design(labelled, cluster=cluster)
    labels = np.nan_to_num(truth[shown])
    results = []
    for own in points:
        known = ~np.isnan(own[shown])
        values = np.nan_to_num(own[shown], nan=0.5)
        results.append(estimate(ppi_components(labels, values, design, known), level))
    return tuple(results)


def _nearer(
    names: tuple[str, str], limits: tuple[float, float] | None, more_is_better: bool
) -> str | None:
    """Return the nearer judge, if the interval of the difference leaves out 0."""
    if limits is None or limits[0] <= 0 <= limits[1]:
        return None
    return names[(limits[0] > 0) == more_is_better]
