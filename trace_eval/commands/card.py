"""``trace-eval card``: one page about a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.console import say_each
from trace_eval.commands.render import AS_AGREE, LabelsOption, Output, print_tables
from trace_eval.commands.result_files import give, give_figures
from trace_eval.commands.signatures import from_classes
from trace_eval.data.columns import Columns


@from_classes
def card(
    *,
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Run folders or files of judgements; several are compared."
        ),
    ],
    labels: LabelsOption = None,
    columns: Annotated[Columns, AS_AGREE],
    probes: Annotated[
        list[Path] | None,
        typer.Option(
            help="Result of trace-eval drill judge; default: probes.json in the run."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for card.md and card.html; default: the run folder, or for files"
            " the current one."
        ),
    ] = None,
    output: Annotated[Output, ("fail_under", "csv", "full")],
) -> None:
    """Say on one page what a judge did, how far it can be trusted, and for what."""
    from trace_eval.decide.answers import card_answer
    from trace_eval.decide.card import make_cards
    from trace_eval.decide.card_files import write_pages
    from trace_eval.decide.card_page import comparison
    from trace_eval.decide.gates import card_values

    cards = make_cards(runs, labels, probes or [], columns)
    values = {one.name: card_values(one) for one in cards}
    output.check(values)
    sentences = card_answer(cards)
    say_each(sentences)
    if output.full:
        print_tables([comparison(cards)])
    has_own_folder = len(runs) == 1 and runs[0].is_dir()
    default = runs[0] if has_own_folder else None
    say_each(write_pages(cards, out or default, sentences))
    give(cards)
    give_figures(cards, output.csv)
    output.close(values)
