"""Both judges against people, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blueprints import counted
from trace_eval.compare.change_report import JudgeChange
from trace_eval.compare.judgings import Ceiling
from trace_eval.compare.people import People, RatedByPeople
from trace_eval.show.table import NOTHING, Table, grid, p_value
from trace_eval.stats.estimate.interval import IntervalEstimate
from trace_eval.stats.inference.ppi import PPIEstimate

#: Said where neither judge is nearer.
_NEITHER = "not told apart"


def people_tables(report: JudgeChange) -> Iterator[Table]:
    """Agreement with people, who is nearer, what their few labels say, and confusions."""
    yield _labels(report.people)
    yield _nearer(report.people)
    yield _ratings(report.rated)
    yield _ppi_table([*report.people, *report.rated], (report.first, report.second))
    for found in report.people:
        for score in found.scores:
            yield grid(
                f"Confusion: {score.judge} on {found.metric}",
                ("people", *score.labels),
                (
                    (label, *(f"{n:.3g}" if n % 1 else int(n) for n in row))
                    for label, row in zip(score.labels, score.confusion, strict=True)
                ),
            )


def _labels(people: Sequence[People]) -> Table:
    return grid(
        "People",
        ("metric", "judge", "items", "accuracy", "kappa", "majority class", "people themselves"),
        (
            (
                p.metric,
                s.judge,
                s.scored,
                s.metrics.get("accuracy_4way") or s.metrics.get("accuracy_3way"),
                s.metrics.get("kappa"),
                s.majority.accuracy,
                _among(p.ceiling),
            )
            for p in people
            for s in p.scores
        ),
        "people themselves: share of two people who say the same of a pair as a whole, with kappa",
    )


def _among(ceiling: Ceiling | None) -> str:
    if ceiling is None:
        return NOTHING
    if ceiling.error is not None:
        return f"{ceiling.error:.3f} ({counted(ceiling.pairs, 'pair')})"
    kappa = "" if ceiling.kappa is None else f", kappa {ceiling.kappa:.3f}"
    return f"{ceiling.agreement or 0:.3f}{kappa} ({counted(ceiling.pairs, 'pair')})"


def _nearer(people: Sequence[People]) -> Table:
    return grid(
        "Nearer to people",
        (
            "metric",
            "accuracy, second minus first",
            "kappa, second minus first",
            "only first right",
            "only second right",
            "McNemar p",
            "nearer",
        ),
        (
            (
                p.metric,
                p.comparison.difference,
                p.comparison.kappa_difference,
                p.comparison.mcnemar.only_first,
                p.comparison.mcnemar.only_second,
                p_value(p.comparison.mcnemar.p, p.comparison.items),
                p.nearer or _NEITHER,
            )
            for p in people
        ),
    )


def _ratings(rated: Sequence[RatedByPeople]) -> Table:
    return grid(
        "Nearer to people's ratings",
        (
            "metric",
            "items",
            "judge",
            "mean distance",
            "Spearman",
            "p",
            "nearer",
            "people themselves",
        ),
        (
            (
                r.metric,
                r.items,
                who,
                r.errors[row],
                r.ranks[row],
                p_value(r.p, r.items) if row == 2 else NOTHING,
                (r.nearer or _NEITHER) if row == 2 else NOTHING,
                _among(r.ceiling) if row < 2 else NOTHING,
            )
            for r in rated
            for row, who in enumerate((*r.judges, "second minus first"))
        ),
        "points from 0 to 1; p of equal distances, by sign flips; people themselves: mean distance"
        " of two of their ratings",
    )


def _ppi_table(people: Sequence[People | RatedByPeople], names: tuple[str, str]) -> Table:
    rows: list[tuple[str, str, PPIEstimate]] = [
        (p.metric, name, found)
        for p in people
        for name, found in zip(names, p.powered, strict=False)
    ]
    return grid(
        "People's mean from few labels",
        (
            "metric",
            "with the help of",
            "labelled",
            "judged",
            "labels only",
            "judge only",
            "both (PPI++)",
            "worth labels",
        ),
        (
            (
                metric,
                name,
                found.labelled,
                found.judged,
                IntervalEstimate(found.labels, found.labels_interval),
                IntervalEstimate(found.judge, found.judge_interval),
                IntervalEstimate(found.both, found.interval),
                NOTHING if found.effective is None else f"{found.effective:.0f}",
            )
            for metric, name, found in rows
        ),
        "points of answer A, of scores their place on the scale; right where the labelled items"
        " were drawn at random; worth labels: so many labels alone would say as much",
    )
