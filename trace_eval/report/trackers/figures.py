"""What a tracker is told of a run: how it was made, and its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from blueprints import UserError
from trace_eval.report.answer import ranking_of
from trace_eval.runs.run import Run


@dataclass(frozen=True)
class Figures:
    """A run for a tracker.

    Attributes:
        name: of the run's folder.
        parameters: judge, policy, profile and input.
        metrics: ``coverage``, ``scored``, and per system ``win_rate/SYSTEM`` with the ends of its
            interval ``_low`` and ``_high``; of scores ``score/SYSTEM``, the mean. What is not
            known is left out.
    """

    name: str
    parameters: Mapping[str, str]
    metrics: Mapping[str, float]


def figures_of(folder: Path | str) -> Figures:
    """The figures of a run.

    Raises:
        UserError: there is no run.
    """
    run = Run.open(folder)
    record = run.record()
    outcomes = run.score_outcomes() if run.holds_scores else run.outcomes()
    scored = sum(row.status == "scored" for row in outcomes.values())
    total = record.coverage.total if record.coverage else len(outcomes)
    metrics = {"scored": float(scored)}
    if total:
        metrics["coverage"] = scored / total
    metrics |= dict(_means(run) if run.holds_scores else _rates(run))
    if not outcomes:
        raise UserError(f"{folder}: nothing is judged yet, so there are no figures; judge first")
    details = {"judge": record.judge.spec, "input": record.input, "tag": record.tag}
    parameters = {name: str(value) for name, value in details.items() if value}
    return Figures(run.folder.resolve().name, parameters, metrics)


def _rates(run: Run) -> Iterator[tuple[str, float]]:
    ranking, _ = ranking_of(run)
    for row in ranking.judged if ranking else ():
        if row.rate.labels is None:
            continue
        yield f"win_rate/{row.system}", row.rate.labels
        if row.rate.labels_interval:
            for end, value in zip(("low", "high"), row.rate.labels_interval, strict=True):
                yield f"win_rate/{row.system}_{end}", value


def _means(run: Run) -> Iterator[tuple[str, float]]:
    systems = {item.id: item.system for item in run.singles()}
    values: dict[str, list[float]] = {}
    for (item, rubric), row in run.score_outcomes().items():
        if row.value is not None:
            who = systems.get(item) or "all"
            values.setdefault(f"{rubric}/{who}", []).append(row.value)
    for name, result in values.items():
        yield f"score/{name}", sum(result) / len(result)
