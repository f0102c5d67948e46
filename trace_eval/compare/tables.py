"""The tables of a :class:`~trace_eval.compare.evaluate.RunComparison`, for people."""

from __future__ import annotations

from collections.abc import Iterator

from blueprints import counted
from fusion import DIMENSIONS
from trace_eval.compare.evaluate import RunComparison
from trace_eval.compare.scores import ScoreComparison, score_tables
from trace_eval.show.table import NOTHING, Table, grid, p_value
from trace_eval.stats.label_tables import policy_words


def compare_tables(report: RunComparison | ScoreComparison) -> Iterator[Table]:
    """Cost and coverage, people, differences, each other, noise, and where they are apart."""
    found = score_tables(report) if isinstance(report, ScoreComparison) else _all(report)
    yield from (table for table in found if table.rows)


def _all(report: RunComparison) -> Iterator[Table]:
    yield _costs(report)
    if report.people:
        yield _people(report)
        yield _differences(report)
    yield grid(
        "With each other",
        ("first", "second", "dimension", "pairs", "same label", "kappa"),
        ((m.first, m.second, m.dimension, m.items, m.same, m.kappa) for m in report.mutual),
        f"over the pairs that both scored; {_fused(report)}",
    )
    yield grid(
        "Noise on one answer: unchanged verdicts",
        ("run", "dB", "fell on", "pairs", "repeat without noise", "with noise", "net"),
        (
            (n.run, n.snr_db, e.fell_on, e.items, e.repeat, e.noisy, e.net)
            for n in report.noise
            for e in (n.effect,)
        ),
        "the repetition is the second run without noise; net is what the noise adds to it",
    )
    yield _apart(report)


def _costs(report: RunComparison) -> Table:
    return grid(
        f"Runs over {counted(report.shared, 'shared pair')}",
        (
            "run",
            "judge",
            "policy",
            "scored",
            "coverage",
            "US$",
            "US$ a pair",
            "s a pair: calls",
            "extraction",
            "calls",
            "min of sound sent",
        ),
        (
            (
                c.run,
                c.judge,
                c.policy,
                f"{c.scored}/{c.items}",
                c.coverage,
                NOTHING if c.cost_usd is None else f"{c.cost_usd:.4f}",
                NOTHING if c.cost_per_item is None else f"{c.cost_per_item:.6f}",
                None if c.call_s is None else f"{c.call_s:.2f}",
                None if c.extract_s is None else f"{c.extract_s:.2f}",
                c.calls,
                f"{c.audio_s / 60:.1f}" if c.audio_s else NOTHING,
            )
            for c in report.costs
        ),
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


def _differences(report: RunComparison) -> Table:
    return grid(
        "Difference against people, second minus first, paired",
        (
            "first",
            "second",
            "dimension",
            "pairs",
            "accuracy",
            "kappa",
            "only first right",
            "only second right",
            "exact McNemar p",
            "Holm",
        ),
        (
            (
                d.first,
                d.second,
                d.dimension,
                d.items,
                d.difference,
                d.kappa_difference,
                d.mcnemar.only_first,
                d.mcnemar.only_second,
                p_value(d.mcnemar.p, d.items),
                p_value(d.p_holm, d.items),
            )
            for d in report.differences
        ),
        "two-sided tests; " + _interval(report),
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
        "Furthest apart",
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
    told = [verdicts.get(name, NOTHING) for name in about]
    return " | ".join(told)
