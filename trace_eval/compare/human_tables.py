"""Printed tables of both judges against human labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from blueprints import counted
from trace_eval.compare.change_report import JudgeChange
from trace_eval.compare.human_labels import NEITHER, AgainstLabels, AgainstRatings
from trace_eval.compare.judgings import Ceiling
from trace_eval.show.table import NOTHING, Table, grid, p_value, table

_AMONG = "annotators themselves"


def human_tables(report: JudgeChange) -> Iterator[Table]:
    """Agreement with human labels, the nearer judge, estimates from few labels, confusions."""
    yield table(
        "Human labels",
        [
            {
                "metric": one.metric,
                "score": score,
                "majority": score.majority.accuracy,
                "among": _among(one.ceiling),
            }
            for one in report.people
            for score in one.scores
        ],
        "metric score.judge score.scored score.accuracy score.metrics.kappa majority among",
        f"{_AMONG}: share of two who give a pair as a whole the same label, with kappa",
        scored="items",
        majority="majority class",
        among=_AMONG,
    )
    tests = " ".join(f"comparison.mcnemar{name}" for name in (".only_first", ".only_second", ""))
    yield table(
        "Nearer to annotators",
        report.people,
        f"metric comparison.difference comparison.kappa_difference {tests} nearer",
        difference="accuracy, second minus first",
        kappa_difference="kappa, second minus first",
        only_first="only first right",
        only_second="only second right",
    )
    yield _ratings(report.rated)
    names = (report.first, report.second)
    helped: list[AgainstLabels | AgainstRatings] = [*report.people, *report.rated]
    yield table(
        "Human mean from few labels",
        [
            {"metric": one.metric, "helper": name, "mean": mean}
            for one in helped
            for name, mean in zip(names, one.powered, strict=False)
        ],
        "metric helper mean.labelled mean.judged mean.labels mean.judge mean.both mean.effective",
        "points of answer A, of scores their place on the scale; right where the labelled items"
        " were drawn at random; worth labels: so many labels alone would be as precise",
        helper="with the help of",
    )
    for result in report.people:
        for score in result.scores:
            yield grid(
                f"Confusion: {score.judge} on {result.metric}",
                ("human label", *score.labels),
                (
                    (label, *(f"{n:.3g}" if n % 1 else int(n) for n in row))
                    for label, row in zip(score.labels, score.confusion, strict=True)
                ),
            )


def _among(ceiling: Ceiling | None) -> str:
    if ceiling is None:
        return NOTHING
    pairs = counted(ceiling.pairs, "pair")
    if ceiling.error is not None:
        return f"{ceiling.error:.3f} ({pairs})"
    kappa = "" if ceiling.kappa is None else f", kappa {ceiling.kappa:.3f}"
    return f"{ceiling.agreement or 0:.3f}{kappa} ({pairs})"


def _ratings(rated: Sequence[AgainstRatings]) -> Table:
    rows = []
    for one in rated:
        judges, among = (*one.judges, "second minus first"), _among(one.ceiling)
        last = p_value(one.p, one.items), one.nearer or NEITHER, NOTHING
        ends = ((None, None, among), (None, None, among), last)
        for judge, error, rank, end in zip(judges, one.errors, one.ranks, ends, strict=True):
            rows.append((one.metric, one.items, judge, error, rank, *end))
    return grid(
        "Nearer to human ratings",
        ("metric", "items", "judge", "mean distance", "Spearman", "p", "nearer", _AMONG),
        rows,
        f"points from 0 to 1; p of equal distances, by sign flips; {_AMONG}: mean distance of two"
        " of their ratings",
    )
