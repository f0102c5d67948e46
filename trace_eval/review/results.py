"""The results of a review so far: progress, agreement of raters, judge's accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fusion import RATINGS, Rating
from trace_eval.review.corrections import DEFINITIONS
from trace_eval.review.estimate import RATED, accuracies
from trace_eval.review.exports import files_of, without_rows
from trace_eval.review.forms import Phase
from trace_eval.review.loudness import ItemLoudness
from trace_eval.review.pages import titles_of
from trace_eval.review.protocol_notes import notes
from trace_eval.review.protocol_results import protocol_results
from trace_eval.review.session import Review
from trace_eval.review.views import Labelled
from trace_eval.stats.agreement.alpha import alpha, noise
from trace_eval.stats.agreement.counts import joint_counts, kappa
from trace_eval.turns.corrected import correct_report
from trace_eval.turns.options import FigureOptions
from trace_eval.turns.report import measure_items

#: Files to download -> what the link says.
DOWNLOADS: dict[str, str] = {
    "labels.csv": "CSV",
    "labels.jsonl": "JSON lines",
    "labels.json": "HCoT JSON",
    "decided.csv": "decided scores",
    "retest.jsonl": "repeated pairs",
    "retest.csv": "repeated items",
    "training.csv": "training",
    "traps.csv": "traps",
    "loudness.csv": "loudness",
    "set_aside.csv": "taken back, or given before a correction",
    "ratings.jsonl": "answers with their scores",
    "events.csv": "events of calls as corrected",
}


class RaterAgreement(NamedTuple):
    """How far raters agree on one dimension."""

    # Two raters (kappa), all (Krippendorff's alpha, nominal), or one who rated pairs
    # twice.
    who: str
    phase: Phase
    items: int
    value: (
        float | None
    )  # beyond chance, -1 to 1; None: not defined, e.g. only one label occurs
    same: float | None = None  # share of equal ratings, 0 to 1; None of alpha
    reason: str | None = None


def agreement(labelled: Sequence[Labelled]) -> dict[str, list[RaterAgreement]]:
    """Measure kappa of each two raters, alpha of all, and test-retest of each."""
    kappas: list[RaterAgreement] = []
    alphas: list[RaterAgreement] = []
    retests: list[RaterAgreement] = []
    for phase in RATED:
        by_rater: dict[str, dict[str, Rating]] = {}
        rated = [row for row in labelled if phase in row.ratings]
        for row in rated:
            if row.view.repeat == 0:
                ratings = by_rater.setdefault(row.view.rater, {})
                ratings[row.view.item] = row.ratings[phase]
        for first, second in combinations(sorted(by_rater.items()), 2):
            (_, ratings_of_first), (_, ratings_of_second) = first, second
            if ratings_of_first.keys() & ratings_of_second.keys():
                kappas.append(_kappa(phase, first, second))
        if len(by_rater) > 1:
            alphas.append(_alpha(phase, by_rater))
        for rater in sorted({row.view.rater for row in rated}):
            views = [row for row in rated if row.view.rater == rater]
            views.sort(key=lambda row: row.view.repeat)
            item = _numbers(row.view.item for row in views)
            retest = noise(item, _codes([row.ratings[phase] for row in views]))
            if retest.items:
                retests.append(
                    RaterAgreement(
                        who=rater,
                        phase=phase,
                        items=retest.items,
                        value=retest.retest_kappa,
                        same=retest.retest,
                    )
                )
    return {"kappas": kappas, "alphas": alphas, "retests": retests}


def _codes(ratings: Sequence[Rating]) -> NDArray[np.int8]:
    return np.array([RATINGS.index(rating) for rating in ratings], np.int8)


def _numbers(names: Iterable[str]) -> NDArray[np.int64]:
    index: dict[str, int] = {}
    return np.array([index.setdefault(name, len(index)) for name in names], np.int64)


def _kappa(
    phase: Phase,
    first: tuple[str, dict[str, Rating]],
    second: tuple[str, dict[str, Rating]],
) -> RaterAgreement:
    (first_rater, first_ratings), (second_rater, second_ratings) = first, second
    both = [item for item in first_ratings if item in second_ratings]
    one = _codes([first_ratings[item] for item in both])
    two = _codes([second_ratings[item] for item in both])
    value = float(kappa(joint_counts(one, two, len(RATINGS))))
    return RaterAgreement(
        who=f"{first_rater} and {second_rater}",
        phase=phase,
        items=len(both),
        value=None if np.isnan(value) else value,
        same=float((one == two).mean()),
    )


def _alpha(phase: Phase, by_rater: dict[str, dict[str, Rating]]) -> RaterAgreement:
    names: list[str] = []
    ratings: list[Rating] = []
    for of_rater in by_rater.values():
        names.extend(of_rater.keys())
        ratings.extend(of_rater.values())
    item = _numbers(names)
    number_of_items = int(item.max()) + 1
    result = alpha(item, _codes(ratings), number_of_items, len(by_rater))
    reason = None
    if result.nominal is None and result.items:
        reason = "only one label occurs"
    elif result.nominal is None:
        reason = "no pair has two raters"
    return RaterAgreement(
        who="all raters",
        phase=phase,
        items=result.items,
        value=result.nominal,
        reason=reason,
    )


def results_page(
    review: Review, unlocked: bool, measured: Sequence[ItemLoudness] = ()
) -> dict[str, Any]:
    """Fill the page of results; the judge's share of it only when unlocked.

    ``measured`` says how loud the answers are, of the items that were played so far.
    """
    raters = sorted({view.rater for view in review.store.views()})
    files = [name for name in files_of(review) if name not in without_rows(review)]
    values: dict[str, Any] = {
        "progress": [(name, *review.progress(name)) for name in raters],
        "unlocked": unlocked,
        "downloads": [(name, DOWNLOADS[name]) for name in files if name in DOWNLOADS],
        "population": len(review.plan.population),
        "left_out": len(review.material.left_out),
        "notes": [],
        "has_protocol": review.has_protocol and not review.is_hcot,
        "timing": None,
    }
    if unlocked:
        values["notes"] = notes(review, measured)
        values["timing"] = _timing(review)
    if unlocked and values["has_protocol"]:
        values |= protocol_results(review)
    if review.is_hcot:
        values |= _pair_results(review, unlocked)
    return values


def _timing(review: Review) -> dict[str, Any] | None:
    """Return timing as measured and as corrected; None: nobody looked at events."""
    log = review.events
    if log is None or not log.looked_at:
        return None
    report = measure_items(
        log.items, DEFINITIONS, options=FigureOptions(intervals=False)
    )
    table = correct_report(report, log.made()).figures()
    names = ("figure", "measured", "corrected", "events")
    places = [table.columns.index(name) for name in names]
    return {
        "looked_at": len(log.looked_at),
        "calls": len(log.items),
        "columns": names,
        "rows": [list(map(row.__getitem__, places)) for row in table.rows],
    }


def _pair_results(review: Review, unlocked: bool) -> dict[str, Any]:
    labelled, titles = review.labelled(), titles_of(review.form)
    values: dict[str, Any] = {
        "accuracies": [],
        "judged": review.material.judged,
        "titles": [titles[phase] for phase in RATED],
        "needed": len(review.plan.needed),
        "random": review.plan.drawn,
    }
    if unlocked and review.material.judged:
        for phase, accuracy in accuracies(review, labelled).items():
            values["accuracies"].append((titles[phase], accuracy))
    for name, cells in agreement(labelled).items():
        values[name] = _by_row(cells)
    return values


def _by_row(cells: Iterable[RaterAgreement]) -> dict[str, list[RaterAgreement | None]]:
    rows: dict[str, list[RaterAgreement | None]] = {}
    for cell in cells:
        row = rows.setdefault(cell.who, [None] * len(RATED))
        row[RATED.index(cell.phase)] = cell
    return rows
