"""Results as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from itertools import islice

from fusion import DIMENSIONS
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.runs.reader import RunReader
from trace_eval.runs.table import table_of

#: Rows of a run that a notebook is shown.
_MAX_ROWS = 50


def result_html(judgement: Judgement, fused: Overall) -> str:
    """The overall rating, why, and a row per dimension with its reasoning."""
    orders = {None: "", True: "both orders agree", False: "INCONSISTENT: orders disagree"}
    rows = [
        (name, str(result.rating), orders[result.consistent], result.reasoning)
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
    """The judge, how many items were scored, and the first rows of the results."""
    head = f"<p><b>{escape(str(run.folder))}</b>: {escape(summary_of(run))}</p>"
    head += "".join(f"<p>{escape(text)}</p>" for text in sentences)
    table = replace(table_of(run), digits=3)
    titles = table.columns if run.holds_scores else ("pair", *DIMENSIONS, "overall", "why")
    places = [list(table.columns).index(title) for title in titles]
    shown = [[row[n] or "-" for n in places] for row in islice(table.texts(), _MAX_ROWS)]
    more = sum(1 for _ in run.items()) - len(shown)
    foot = f"<p>... {more} more; see to_pandas()</p>" if more else ""
    return head + _table(titles, shown) + foot


def table_html(
    title: str,
    sentences: Iterable[str],
    tables: Iterable[tuple[str, Iterable[str], Iterable[Iterable[str]], str]],
) -> str:
    """A heading, sentences, and tables with a caption and a note each."""
    lines = "".join(f"<p>{escape(text)}</p>" for text in sentences)
    shown = "".join(
        f"<p><b>{escape(name)}</b></p>{_table(head, rows)}<p><small>{escape(note)}</small></p>"
        for name, head, rows, note in tables
    )
    return f"<p><b>{escape(title)}</b></p>{lines}{shown}"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
