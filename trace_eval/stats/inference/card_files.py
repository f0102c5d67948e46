"""Cards as Markdown and as one HTML file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from trace_eval.data import make_folder, replace_file
from trace_eval.stats.agreement.interval import Range
from trace_eval.stats.agreement.tabular import Table
from trace_eval.stats.inference.calibrate import Calibration
from trace_eval.stats.inference.card import Card
from trace_eval.stats.inference.card_page import AGREEMENT, comparison, sections
from trace_eval.stats.inference.forest import svg
from trace_eval.stats.inference.reliability import diagram

_INTERVAL = re.compile(r"\[[-\d., ]+\]")

_STYLE = """
:root{color-scheme:light dark;--text:#222;--page:#fff;--line:#ddd;--quiet:#666;--blue:#06c}
@media(prefers-color-scheme:dark){:root{--text:#ddd;--page:#181818;--line:#444;--quiet:#aaa;
--blue:#5aa9ff}}
body{font:15px/1.5 system-ui,sans-serif;max-width:76em;margin:2em auto;padding:0 1em;
color:var(--text);background:var(--page)}
h1{font-size:1.6em}h2{font-size:1.15em;margin-top:1.6em}h3{font-size:1em}
p{margin:.4em 0}ul{margin:.2em 0;padding-left:1.2em;color:var(--quiet)}
.wide{overflow-x:auto}table{border-collapse:collapse}
th,td{border-bottom:1px solid var(--line);padding:4px 14px 4px 0;text-align:left;
vertical-align:top;font-variant-numeric:tabular-nums}
.range{white-space:nowrap;color:var(--quiet)}
.verdict{font-size:1.2em;border-left:4px solid var(--blue);padding-left:.7em}
.wide svg{width:100%;max-width:660px;min-width:440px}
svg{font-size:11px}svg text{fill:var(--text)}.reliability{width:300px;max-width:100%}
figure{margin:1em 0}figcaption{color:var(--quiet)}
.null{stroke:#888;stroke-dasharray:3 3}.frame{fill:none;stroke:var(--line)}
circle.s0{fill:var(--blue)}line.s0{stroke:var(--blue)}circle.s1{fill:#999}line.s1{stroke:#999}
.name{text-anchor:end}.axis{text-anchor:middle}
"""


def markdown(cards: Sequence[Card]) -> str:
    """The page as Markdown."""
    lines = ["# Judge card" if len(cards) == 1 else "# Judge cards", ""]
    if len(cards) > 1:
        lines += _markdown_table(comparison(cards))
    for card in cards:
        lines += [f"{'#' * (1 if len(cards) == 1 else 2)}# {_plain(card.name)}", ""]
        for title, sentences, tables in sections(card):
            lines += [f"### {title}", ""]
            lines += _paragraphs(sentences)
            for shown in tables:
                lines += _markdown_table(shown)
    return "\n".join(lines).rstrip() + "\n"


def _paragraphs(sentences: Iterable[str]) -> list[str]:
    lines: list[str] = []
    for text in sentences:
        lines.append(_plain(text) if not text.startswith("* ") else f"* {_plain(text[2:])}")
        if not text.startswith("* "):
            lines.append("")
    return [*lines, ""] if lines and lines[-1] else lines


def _plain(text: str) -> str:
    """Text that Markdown takes literally."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(text.split()))


def _markdown_table(shown: Table) -> list[str]:
    head = f"| {' | '.join(map(_plain, shown.columns))} |"
    rows = [f"| {' | '.join(map(_plain, row))} |" for row in shown.rows]
    title = [f"{_plain(shown.title)}:", ""] if shown.title else []
    return [*title, head, "|" + "---|" * len(shown.columns), *rows, ""]


def html(cards: Sequence[Card]) -> str:
    """The page as one HTML file that needs nothing else."""
    name = "Judge card" if len(cards) == 1 else "Judge cards"
    out = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f"<h1>{name}</h1>"
    ]
    if len(cards) > 1:
        out.append(_html_table(comparison(cards)))
    rows: list[tuple[str, list[tuple[float | None, Range | None]]]] = [
        (card.name, [card.accuracy, (card.rule[1] if card.rule else None, None)])
        for card in cards
        if card.main
    ]
    if rows:
        plot = svg(rows, ["accuracy", "best trivial rule"], 0, 1, 0.5)
        out.append(f'<div class="wide">{plot}</div>')
    for card in cards:
        out.append(f"<h1>{escape(card.name)}</h1>")
        for number, (title, sentences, tables) in enumerate(sections(card)):
            kind = ' class="verdict"' if number == 0 else ""
            out.append(f"<h2{kind}>{escape(title)}</h2>")
            out += _html_sentences(sentences)
            out += [_html_table(shown) for shown in tables]
            if title == AGREEMENT and card.calibration:
                out.append(_reliability(card.calibration))
    return "".join([*out, "</html>\n"])


def _html_sentences(sentences: Sequence[str]) -> Iterator[str]:
    for starred, texts in groupby(sentences, lambda text: text.startswith("* ")):
        if starred:
            items = "".join(f"<li>{escape(text.removeprefix('* '))}" for text in texts)
            yield f"<ul>{items}</ul>"
        else:
            yield from (f"<p>{escape(text)}</p>" for text in texts)


def _reliability(found: Calibration) -> str:
    best = found.chosen
    return (
        f"<figure>{diagram(best)}<figcaption>How often people prefer A (up) where {best.method}"
        f" predicts it (across); {found.pairs} held-out pairs, ties as halves</figcaption></figure>"
    )


def _html_table(shown: Table) -> str:
    head = "".join(f"<th>{escape(name)}" for name in shown.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_html_cell(cell)}" for cell in row) for row in shown.rows
    )
    title = f"<h3>{escape(shown.title)}</h3>" if shown.title else ""
    table = f"<table><thead><tr>{head}</thead><tbody>{body}</tbody></table>"
    return f'{title}<div class="wide">{table}</div>'


def _html_cell(text: str) -> str:
    """An interval is not broken."""
    return _INTERVAL.sub(r'<span class="range">\g<0></span>', escape(text))


def write_pages(cards: Sequence[Card], folder: Path) -> list[Path]:
    """Write ``card.md`` and ``card.html``.

    Raises:
        UserError: the folder cannot be written.
    """
    make_folder(folder)
    paths = [folder / "card.md", folder / "card.html"]
    for path, text in zip(paths, (markdown(cards), html(cards)), strict=True):
        replace_file(path, text)
    return paths
