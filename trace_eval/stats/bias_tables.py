"""Printed tables of bias and noise."""

from __future__ import annotations

from collections.abc import Iterator

from trace_eval.estimate.share import digits
from trace_eval.show.table import Table, grid, p_value, table
from trace_eval.stats.report import AgreeReport


def _share(count: int, total: int) -> str:
    return f"{count} ({count / total:.{digits(total)}f})" if total else str(count)


def bias_tables(report: AgreeReport) -> Iterator[Table]:
    """Position, length, verbosity, difficulty and self-comparisons."""
    yield _position(report)
    yield _length(report)
    yield _verbosity(report)
    yield _difficulty(report)
    yield _self(report)


def _position(report: AgreeReport) -> Table:
    return grid(
        "Position: the same two recordings in both orders",
        (
            "judge",
            "dimension",
            "joined by",
            "pairs",
            "stable",
            "first",
            "second",
            "a tie",
            "decided",
            "stable",
            "first",
            "second",
            "sign test p",
        ),
        (
            (
                row.judge,
                row.dimension,
                row.basis,
                b.pairs,
                *(_share(n, b.pairs) for n in (b.stable, b.first, b.second, b.tied)),
                b.decided,
                *(_share(n, b.decided) for n in (b.stable, b.first, b.second)),
                p_value(b.p, b.pairs),
            )
            for row in report.position
            for b in (row.bias,)
        ),
        "shares of all pairs, then of the pairs with a winner in both orders",
    )


def _length(report: AgreeReport) -> Table:
    return table(
        "Length: what the judge does where annotators see a tie",
        report.length,
        "judge dimension bias.human_ties bias.longer bias.shorter bias.tied bias.share_longer"
        " bias.p",
        share_longer="longer among winners",
    )


def _verbosity(report: AgreeReport) -> Table:
    return table(
        "Verbosity: human ties whose transcripts differ by 5 tokens or more",
        report.verbosity,
        "judge dimension bias.items bias.longer bias.shorter bias.tied bias.unscored bias.p",
        "an unscored verdict is not a tie; of runs the tokens are the transcript's words",
    )


def _difficulty(report: AgreeReport) -> Table:
    return grid(
        "Difficulty: quarters by the difference of mean opinions, hardest first",
        (
            "judge",
            "dimension",
            "difference",
            "pairs",
            "accuracy",
            "stable",
            "first",
            "second",
            "a tie",
            "Spearman of ease and place-bound",
            "p",
        ),
        (
            (
                row.judge,
                row.dimension,
                f"{q.low:.2f} to {q.high:.2f}",
                q.items,
                q.accuracy,
                *(_share(n, q.bias.pairs) for n in (q.bias.stable, q.bias.first)),
                *(_share(n, q.bias.pairs) for n in (q.bias.second, q.bias.tied)),
                row.difficulty.spearman,
                p_value(row.difficulty.p),
            )
            for row in report.difficulty
            for q in row.difficulty.quartiles
        ),
    )


def _self(report: AgreeReport) -> Table:
    return table(
        "Self-comparisons, counted apart",
        report.self_comparisons,
        "judge dimension counts.pairs counts.tied counts.first counts.second counts.p",
    )


def noise_table(report: AgreeReport) -> Table:
    """Repeated questions."""
    return table(
        "Noise: the same question again",
        report.noise,
        "judge dimension basis noise.items noise.opinions noise.pairwise noise.unanimous"
        " noise.retest noise.retest_kappa",
    )
