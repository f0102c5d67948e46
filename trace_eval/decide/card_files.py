"""Cards as Markdown and as one HTML file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from markupsafe import Markup, escape

from blueprints import counted
from trace_eval.data.outputs import claimed, write_file
from trace_eval.decide.card import Card
from trace_eval.decide.card_page import AGREEMENT, comparison, sections
from trace_eval.estimate.interval import in_a_clause
from trace_eval.show.markdown import paragraphs, plain, table_lines
from trace_eval.show.pages import environment, page_style
from trace_eval.stats.inference.forest import ForestMark, diagram, forest
from trace_eval.stats.sentences import percent, rate

_INTERVAL = re.compile(r"\[[-\d., ]+\]")


def markdown(cards: Sequence[Card]) -> str:
    """Return the page as Markdown."""
    title, mark = "# Judge cards", "###"
    if len(cards) == 1:
        title, mark = "# Judge card", "##"
    lines = [title, ""]
    if len(cards) > 1:
        lines += table_lines(comparison(cards))
    for card in cards:
        lines += [f"{mark} {plain(card.name)}", ""]
        for title, sentences, tables in sections(card):
            lines += [f"### {title}", ""]
            lines += paragraphs(sentences)
            for shown in tables:
                lines += table_lines(shown)
    return "\n".join(lines).rstrip() + "\n"


def html(cards: Sequence[Card], sentences: Sequence[str]) -> str:
    """Return the page, which begins with its sentences, as one self-contained file."""
    templates = environment("trace_eval.decide")
    templates.filters.update(intervals=_unbroken, counted=counted)
    fits = [
        card.calibration and Markup(diagram(card.calibration.chosen)) for card in cards
    ]
    page: str = templates.get_template("card.html.j2").render(
        cards=cards,
        single=len(cards) == 1,
        style=Markup(page_style()),
        sentences=sentences,
        forest=_forest(cards),
        methods=in_a_clause(card.accuracy_method for card in cards),
        comparison=comparison(cards),
        parts=list(zip(cards, fits, map(sections, cards), strict=True)),
        agreement=AGREEMENT,
    )
    return page


def _unbroken(text: str) -> Markup:
    """Keep the intervals of a text from being broken into lines."""
    return Markup(
        _INTERVAL.sub(r'<span class="bounds">\g<0></span>', str(escape(text)))
    )


def _forest(cards: Sequence[Card]) -> Markup:
    """Draw the accuracies of all cards; empty where none is known."""
    marks = []
    for card in cards:
        value, interval = card.accuracy
        message = "no labels" if value is None else rate(value, interval)
        rule = card.rule and (
            card.rule[1],
            f"{card.rule[0]}: {percent(card.rule[1])} %",
        )
        marks.append(
            ForestMark(
                name=card.name, value=value, interval=interval, told=message, mark=rule
            )
        )
    drawn = ""
    if any(c.main for c in cards):
        drawn = forest(marks, 0, 1, ["0 %", "50 %", "100 %"])
    return Markup(drawn)


def write_pages(
    cards: Sequence[Card], folder: Path | None, sentences: Sequence[str] = ()
) -> list[Path]:
    """Write ``card.md`` and ``card.html``, which begins with the sentences.

    The folder is a new one, one of earlier cards, or a run; None: here, beside whatever
    there is. One that cannot be written, or holds what is not ours, raises a UserError.
    """
    paths = [(folder or Path()) / name for name in ("card.md", "card.html")]
    with claimed(folder) if folder else nullcontext():
        for path, text in zip(
            paths, (markdown(cards), html(cards, sentences)), strict=True
        ):
            write_file(path, text)
    return paths
