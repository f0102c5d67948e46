"""Tables of bias and noise, for people."""

from __future__ import annotations

from collections.abc import Iterator

from trace_eval.show.table import Table, grid, p_value
from trace_eval.stats.estimate.share import digits
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
    return grid(
        "Length: what the judge does where people see a tie",
        (
            "judge",
            "dimension",
            "human ties",
            "longer",
            "shorter",
            "tie",
            "longer among winners",
            "sign test p",
        ),
        (
            (
                row.judge,
                row.dimension,
                b.human_ties,
                *(_share(n, b.human_ties) for n in (b.longer, b.shorter, b.tied)),
                b.share_longer,
                p_value(b.p, b.human_ties),
            )
            for row in report.length
            for b in (row.bias,)
        ),
    )


def _verbosity(report: AgreeReport) -> Table:
    return grid(
        "Verbosity: human ties whose transcripts differ by 5 tokens or more",
        ("judge", "dimension", "pairs", "longer", "shorter", "tie", "unscored", "sign test p"),
        (
            (
                row.judge,
                row.dimension,
                b.items,
                *(_share(n, b.items) for n in (b.longer, b.shorter, b.tied)),
                b.unscored,
                p_value(b.p, b.items),
            )
            for row in report.verbosity
            for b in (row.bias,)
        ),
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
    return grid(
        "Self-comparisons, counted apart",
        ("judge", "dimension", "pairs", "tie", "first", "second", "sign test p"),
        (
            (row.judge, row.dimension, c.pairs, c.tied, c.first, c.second, p_value(c.p, c.pairs))
            for row in report.self_comparisons
            for c in (row.counts,)
        ),
    )


def noise_table(report: AgreeReport) -> Table:
    """Repeated questions."""
    return grid(
        "Noise: the same question again",
        (
            "judge",
            "dimension",
            "from",
            "items",
            "opinions",
            "pairwise agreement",
            "unanimous",
            "test-retest",
            "test-retest kappa",
        ),
        (
            (
                row.judge,
                row.dimension,
                row.basis,
                n.items,
                n.opinions,
                n.pairwise,
                n.unanimous,
                n.retest,
                n.retest_kappa,
            )
            for row in report.noise
            for n in (row.noise,)
        ),
    )
