"""What the page of results shows: progress, agreement and accuracies as plain values."""

from __future__ import annotations

from typing import Any

from trace_eval.review.events import DEFINITIONS
from trace_eval.review.exports import files_of
from trace_eval.review.pages import TITLES
from trace_eval.review.results import RATED, accuracies, agreement
from trace_eval.review.session import Review
from trace_eval.turns.corrected import correct_report
from trace_eval.turns.options import FigureOptions
from trace_eval.turns.report import measure_items

#: Files to download -> what the link says.
DOWNLOADS: dict[str, str] = {
    "labels.csv": "CSV",
    "labels.jsonl": "JSON lines",
    "labels.json": "HCoT JSON",
    "retest.jsonl": "repeated pairs",
    "set_aside.csv": "taken back, or given before a correction",
    "ratings.jsonl": "answers with their scores",
    "events.csv": "events of calls as corrected",
}


def results_page(review: Review, unlocked: bool) -> dict[str, Any]:
    """Values of the page of results; the judge's share of it only when unlocked."""
    raters = sorted({view.rater for view in review.store.views()})
    values: dict[str, Any] = {
        "progress": [(name, *review.progress(name)) for name in raters],
        "unlocked": unlocked,
        "downloads": [(n, DOWNLOADS[n]) for n in files_of(review) if n in DOWNLOADS],
        "population": len(review.plan.population),
        "left_out": len(review.material.left_out),
    }
    values["timing"] = _timing(review) if unlocked else None
    if review.material.rubric:
        return values
    return values | _pair_results(review, unlocked)


def _timing(review: Review) -> dict[str, Any] | None:
    """Figures of timing as measured and as corrected; None: nobody looked at events."""
    log = review.events
    if log is None or not log.looked_at:
        return None
    report = measure_items(log.items, DEFINITIONS, options=FigureOptions(resamples=0))
    both = correct_report(report, log.made())
    names = ("figure", "measured", "corrected", "events")
    table = both.figures()
    kept = [table.columns.index(name) for name in names]
    return {
        "looked_at": len(log.looked_at),
        "calls": len(log.items),
        "columns": names,
        "rows": [[row[position] for position in kept] for row in table.rows],
    }


def _pair_results(review: Review, unlocked: bool) -> dict[str, Any]:
    labelled = review.labelled()
    result = agreement(labelled)
    return {
        "accuracies": [
            (TITLES[phase], accuracy) for phase, accuracy in accuracies(review, labelled).items()
        ]
        if unlocked and review.material.judged
        else [],
        "judged": review.material.judged,
        "titles": [TITLES[phase] for phase in RATED],
        "kappas": _by_row(result.kappas, lambda k: " and ".join(k.raters)),
        "alphas": _by_row(result.alphas, lambda _: "all raters"),
        "retests": _by_row(result.retests, lambda r: r.rater),
        "needed": len(review.plan.needed),
        "random": review.plan.drawn,
    }


def _by_row(cells: Any, name: Any) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {}
    for cell in cells:
        row = rows.setdefault(name(cell), [None] * len(RATED))
        row[RATED.index(cell.phase)] = cell
    return rows
