"""Cards as Markdown and as one HTML file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from html import escape
from itertools import groupby
from pathlib import Path

from blueprints import counted
from trace_eval.data.outputs import claimed, write_file
from trace_eval.decide.card import Card
from trace_eval.decide.card_page import AGREEMENT, comparison, sections
from trace_eval.show.static import page_style
from trace_eval.show.table import Table
from trace_eval.stats.inference.forest import ForestMark, diagram, forest
from trace_eval.stats.sentences import percent, rate

_INTERVAL = re.compile(r"\[[-\d., ]+\]")

#: Nothing from a network, and no scripts at all.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


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


def html(cards: Sequence[Card], sentences: Sequence[str]) -> str:
    """The page as one HTML file that needs nothing else.

    Args:
        sentences: what the page begins with.
    """
    single = len(cards) == 1
    name = cards[0].name if single else "Judge cards"
    out = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{escape(name)} · judge card</title><style>{page_style()}</style></head><body>"
        '<header class="top"><span class="brand">TRACE <span>judge card</span></span></header>'
        f'<main><h1 dir="auto">{escape(name)}</h1>'
    ]
    out += (f'<p class="lead" dir="auto">{escape(text)}</p>' for text in sentences)
    if any(card.main for card in cards):
        marks = []
        for card in cards:
            value, interval = card.accuracy
            message = "no labels" if value is None else rate(value, interval)
            rule = card.rule and (card.rule[1], f"{card.rule[0]}: {percent(card.rule[1])} %")
            marks.append(ForestMark(card.name, value, interval, message, rule))
        out.append(forest(marks, 0, 1, ["0 %", "50 %", "100 %"]))
        legend = "accuracy against annotators, with its interval; the line is the best trivial rule"
        out.append(f'<p class="quiet">{legend}</p>')
    if not single:
        out.append(_html_table(comparison(cards)))
    level = 2 if single else 3
    for card in cards:
        if not single:
            out.append(f'<h2 dir="auto">{escape(card.name)}</h2>')
        for title, details, tables in sections(card):
            out.append(f"<h{level}>{escape(title)}</h{level}>")
            out += _html_sentences(details)
            out += [_html_table(shown) for shown in tables]
            if title == AGREEMENT and card.calibration:
                best, pairs = card.calibration.chosen, card.calibration.pairs
                out.append(
                    f"<figure>{diagram(best)}<figcaption>How often annotators prefer A (up) where"
                    f" {best.method} predicts it (across); {counted(pairs, 'held-out pair')}, ties"
                    " as halves</figcaption></figure>"
                )
    return "".join([*out, "</main></body></html>\n"])


def _html_sentences(sentences: Sequence[str]) -> Iterator[str]:
    for starred, texts in groupby(sentences, lambda text: text.startswith("* ")):
        if starred:
            items = "".join(f"<li>{escape(text.removeprefix('* '))}" for text in texts)
            yield f"<ul>{items}</ul>"
        else:
            yield from (f"<p>{escape(text)}</p>" for text in texts)


def _html_table(shown: Table) -> str:
    head = "".join(f"<th>{escape(name)}" for name in shown.columns)
    body = ""
    for row in shown.rows:
        body += "<tr>"
        for place, (name, text) in enumerate(zip(shown.columns, row, strict=True)):
            # an interval is not broken; where a screen is narrow, each cell shows its column
            message = f' data-title="{escape(name)}"' if place else ""
            cell = _INTERVAL.sub(r'<span class="bounds">\g<0></span>', escape(text))
            body += f"<td{message}>{cell}"
    title = f"<h4>{escape(shown.title)}</h4>" if shown.title else ""
    table = f'<table class="titled"><thead><tr>{head}</thead><tbody>{body}</tbody></table>'
    return f'{title}<div class="scroll">{table}</div>'


def write_pages(
    cards: Sequence[Card], folder: Path | None, sentences: Sequence[str] = ()
) -> list[Path]:
    """Write ``card.md`` and ``card.html``, which begins with the sentences.

    Args:
        folder: a new one, one of earlier cards, or a run; None: here, beside whatever there is.
        sentences: the answer in words.

    Raises:
        UserError: the folder cannot be written, or holds what is not ours.
    """
    paths = [(folder or Path()) / name for name in ("card.md", "card.html")]
    with claimed(folder) if folder else nullcontext():
        for path, text in zip(paths, (markdown(cards), html(cards, sentences)), strict=True):
            write_file(path, text)
    return paths
