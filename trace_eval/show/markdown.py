"""Sentences and tables as Markdown, for cards, summaries of CI and chat messages."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from trace_eval.show.latex import CONTROL
from trace_eval.show.table import Table

#: Characters that mean something to Markdown or to the pages that show it.
_SPECIAL = "\\`*_[]<>|#"


def plain(text: str) -> str:
    """Escape text, so that Markdown takes it literally, on one line."""
    shown = " ".join(CONTROL.sub(" ", text).split())
    return "".join(f"\\{sign}" if sign in _SPECIAL else sign for sign in shown)


def paragraphs(sentences: Iterable[str]) -> list[str]:
    """Write a paragraph for each sentence; those that begin with a star are items of a list."""
    lines: list[str] = []
    for text in sentences:
        starred = text.startswith("* ")
        lines += [f"* {plain(text[2:])}"] if starred else [plain(text), ""]
    return [*lines, ""] if lines and lines[-1] else lines


def table_lines(shown: Table) -> list[str]:
    """Write a table with its title above it."""
    head = f"| {' | '.join(map(plain, shown.columns))} |"
    rows = [f"| {' | '.join(map(plain, row))} |" for row in shown.rows]
    title = [f"{plain(shown.title)}:", ""] if shown.title else []
    return [*title, head, "|" + "---|" * len(shown.columns), *rows, ""]


def document(title: str, sentences: Iterable[str], tables: Iterable[Table]) -> str:
    """Write a summary: a heading, the sentences, and each table that has rows, folded.

    Where ``<details>`` is not folded, as in a terminal, the tables stand below each
    other.
    """
    lines = [f"### {plain(title)}", "", *paragraphs(sentences)]
    for table in tables:
        if table.rows:
            name = escape(" ".join(CONTROL.sub(" ", table.title or "Figures").split()))
            body = table_lines(Table("", table.columns, table.rows))
            lines += [f"<details><summary>{name}</summary>", "", *body]
            lines += paragraphs([table.caption] if table.caption else [])
            lines += ["</details>", ""]
    return "\n".join(lines).rstrip() + "\n"
