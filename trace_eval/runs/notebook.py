"""Results as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import islice

from fusion import DIMENSIONS
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.runs.reader import RunReader
from trace_eval.runs.score_table import COLUMNS, score_rows

#: Rows of a run that a notebook is shown.
_MAX_ROWS = 50


def result_html(judgement: Judgement, fused: Overall) -> str:
    """The overall rating, why, and a row per dimension with its reasoning."""
    rows = [
        (name, str(result.rating), _consistency(result.consistent), result.reasoning)
        for name, result in judgement.dimensions.items()
    ]
    head = f"<p><b>{escape(fused.rating or 'unscored')}</b>: {escape(fused.why)}</p>"
    notes = "".join(f"<p><small>{escape(text)}</small></p>" for text in judgement.caveats)
    return head + _table(("dimension", "rating", "order", "reasoning"), rows) + notes


def summary_of(run: RunReader) -> str:
    """The judge, and how many items were scored."""
    record = run.record()
    done = record.coverage
    scored = f"{done.scored} of {done.total} scored" if done else "not finished"
    return f"{record.judge.spec}, {scored}"


def run_html(run: RunReader, sentences: Iterable[str] = ()) -> str:
    """The judge, how many items were scored, and the first rows of the results.

    Args:
        run: of pairs or scores.
        sentences: what it comes to, in words.
    """
    record = run.record()
    head = f"<p><b>{escape(str(run.folder))}</b>: {escape(summary_of(run))}</p>"
    head += "".join(f"<p>{escape(text)}</p>" for text in sentences)
    if run.holds_scores:
        rows = list(score_rows(run, list(record.rubrics)))
        cells = [
            (*(text or "" for text in texts), *("" if n is None else f"{n:.3g}" for n in numbers))
            for texts, numbers in rows[:_MAX_ROWS]
        ]
        return head + _table(COLUMNS, cells) + _more(len(rows) - len(cells))
    outcomes, overall = run.outcomes(), run.overall()
    shown = [
        (pair, *(str(r or "-") for r in (*outcomes[pair].ratings, fused.rating)), fused.why)
        if pair in outcomes
        else (pair, *("-" for _ in range(len(DIMENSIONS) + 1)), fused.why)
        for pair, fused in islice(overall.items(), _MAX_ROWS)
    ]
    foot = _more(len(overall) - len(shown))
    return head + _table(("pair", *DIMENSIONS, "overall", "why"), shown) + foot


def _more(count: int) -> str:
    return f"<p>... {count} more; see to_pandas()</p>" if count else ""


def table_html(
    title: str,
    sentences: Iterable[str],
    tables: Iterable[tuple[str, Iterable[str], Iterable[Iterable[str]], str]],
) -> str:
    """A heading, sentences, and tables with a caption and a note each."""
    said = "".join(f"<p>{escape(text)}</p>" for text in sentences)
    shown = "".join(
        f"<p><b>{escape(name)}</b></p>{_table(head, rows)}<p><small>{escape(note)}</small></p>"
        for name, head, rows, note in tables
    )
    return f"<p><b>{escape(title)}</b></p>{said}{shown}"


def _consistency(value: bool | None) -> str:
    return {None: "", True: "both orders agree", False: "INCONSISTENT: orders disagree"}[value]


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
