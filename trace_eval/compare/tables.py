"""The printed tables of a :class:`~trace_eval.compare.evaluate.RunComparison`."""

from __future__ import annotations

from collections.abc import Iterator

from blueprints import counted
from fusion import DIMENSIONS
from trace_eval.compare.evaluate import RunComparison
from trace_eval.compare.scores import ScoreComparison, score_tables
from trace_eval.show.table import NOTHING, Table, grid, table
from trace_eval.stats.label_tables import comparison_table, policy_words

#: Title of the table of pairs; a page shows them one by one.
APART = "Furthest apart"


def compare_tables(report: RunComparison | ScoreComparison) -> Iterator[Table]:
    """Cost and coverage, people, differences, each other, noise, and where they are apart."""
    result = score_tables(report) if isinstance(report, ScoreComparison) else _all(report)
    yield from (table for table in result if table.rows)


def _all(report: RunComparison) -> Iterator[Table]:
    yield _costs(report)
    if report.people:
        yield _people(report)
        title = "Difference against people, second minus first, paired"
        note = f"two-sided tests; {_interval(report)}"
        yield comparison_table(title, report.differences, note, "pairs")
    yield table(
        "With each other",
        report.mutual,
        "first second dimension items same kappa",
        f"over the pairs that both scored; {_fused(report)}",
    )
    effect = " ".join(f"effect.{name}" for name in ("fell_on", "items", "repeat", "noisy", "net"))
    yield table(
        "Noise on one answer: unchanged verdicts",
        report.noise,
        f"run snr_db {effect}",
        "the repetition is the second run without noise; net is what the noise adds to it",
    )
    yield _apart(report)


def _costs(report: RunComparison) -> Table:
    return table(
        f"Runs over {counted(report.shared, 'shared pair')}",
        report.costs,
        "run judge policy scored coverage cost_usd cost_per_item call_s extract_s calls audio_s",
        "money of all calls, cached ones at their price; - where no price is known",
    )


def _people(report: RunComparison) -> Table:
    return grid(
        f"With people ({report.labels})",
        ("run", "dimension", "scored", "4-way", "3-way", "kappa", "majority class"),
        (
            (
                s.judge,
                s.dimension,
                f"{s.scored}/{s.labelled}",
                s.metrics.get("accuracy_4way"),
                s.metrics.get("accuracy_3way"),
                s.metrics.get("kappa"),
                s.majority.accuracy,
            )
            for s in report.people
        ),
        _interval(report),
    )


def _interval(report: RunComparison) -> str:
    options = report.options.bootstrap
    unit = report.drawn.replace("items", "pairs")
    return (
        f"{options.level:.0%} intervals, {options.resamples} resamples of {unit}; {_fused(report)}"
    )


def _fused(report: RunComparison) -> str:
    return policy_words({cost.run: cost.policy for cost in report.costs})


def _apart(report: RunComparison) -> Table:
    about = [
        name
        for name in ("overall", "preference", "match", *DIMENSIONS)
        if any(name in said for item in report.apart for said in item.verdicts.values())
    ]
    return grid(
        APART,
        ("pair", *report.names, "people"),
        (
            (
                item.pair,
                *(_said(item.verdicts[name], about) for name in report.names),
                _said(item.people, about) if item.people else NOTHING,
            )
            for item in report.apart
        ),
        f"{' | '.join(about)}; {_fused(report)}",
    )


def _said(verdicts: dict[str, str], about: list[str]) -> str:
    lines = [verdicts.get(name, NOTHING) for name in about]
    return " | ".join(lines)
