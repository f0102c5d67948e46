"""Sentences and tables as Markdown, for cards, summaries of CI and chat messages."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from trace_eval.show.latex import CONTROL
from trace_eval.show.table import Table

#: Characters that mean something to Markdown or to the pages that show it.
_SPECIAL = "\\`*_[]<>|#"

_ESCAPES = str.maketrans({sign: f"\\{sign}" for sign in _SPECIAL})


def plain(text: str) -> str:
    """Escape text, so that Markdown takes it literally, on one line."""
    return _one_line(text).translate(_ESCAPES)


def _one_line(text: str) -> str:
    return " ".join(CONTROL.sub(" ", text).split())


def paragraphs(sentences: Iterable[str]) -> list[str]:
    """Write a paragraph for each sentence.

    Those that begin with a star are items of a list.
    """
    lines: list[str] = []
    for text in sentences:
        if text.startswith("* "):
            lines.append(f"* {plain(text[2:])}")
        else:
            lines += [plain(text), ""]
    if lines and lines[-1]:
        lines.append("")
    return lines


def table_lines(shown: Table) -> list[str]:
    """Write a table with its title above it."""
    lines: list[str] = []
    if shown.title:
        lines += [f"{plain(shown.title)}:", ""]
    lines.append(_row(shown.columns))
    lines.append("|" + "---|" * len(shown.columns))
    lines += [_row(row) for row in shown.rows]
    lines.append("")
    return lines


def _row(texts: Iterable[str]) -> str:
    return f"| {' | '.join(map(plain, texts))} |"


def document(title: str, sentences: Iterable[str], tables: Iterable[Table]) -> str:
    """Write a summary: a heading, the sentences, and each table that has rows, folded.

    Where ``<details>`` is not folded, as in a terminal, the tables stand below each
    other.
    """
    lines = [f"### {plain(title)}", ""]
    lines += paragraphs(sentences)
    for table in tables:
        if table.rows:
            name = escape(_one_line(table.title or "Figures"))
            lines += [f"<details><summary>{name}</summary>", ""]
            lines += table_lines(Table("", table.columns, table.rows))
            if table.caption:
                lines += paragraphs([table.caption])
            lines += ["</details>", ""]
    return "\n".join(lines).rstrip() + "\n"
