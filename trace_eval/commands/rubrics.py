"""``trace-eval rubrics``: list rubrics and protocols, show one, check one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trace_eval.commands.console import print_rows, say, say_each
from trace_eval.commands.result_files import give

if TYPE_CHECKING:
    from trace_eval.data.rubrics.protocols import PairProtocol, Protocol
    from trace_eval.data.rubrics.single import ScoreRubric

app = typer.Typer(
    name="rubrics",
    help="List, show and check the rubrics of scores, and the protocols of people.",
    no_args_is_help=True,
)

_Name = Annotated[
    str, typer.Argument(metavar="RUBRIC", help="A shipped name, or a .toml file.")
]


@app.command("list")
def list_() -> None:
    """Name the shipped rubrics and protocols, with their scales."""
    from trace_eval.data.rubrics.load import (
        PROTOCOLS,
        load_protocol,
        load_rubric,
        rubric_names,
    )

    rubrics = [load_rubric(name) for name in rubric_names()]
    protocols = [load_protocol(name) for name in rubric_names(PROTOCOLS)]
    collected: list[Protocol] = [*rubrics, *protocols]
    rows = []
    for one in collected:
        reference = "needed" if "reference" in one.inputs else "-"
        rows.append((one.name, one.scale_name, reference, one.title))
    print_rows(("rubric", "scale", "reference", "about"), rows)
    give(collected)


@app.command()
def show(name: _Name) -> None:
    """Print the file of a rubric or protocol, as a start for one's own."""
    from trace_eval.data.rubrics.load import load_protocol, protocol_path

    protocol = load_protocol(name)
    typer.echo(protocol_path(name).read_text(encoding="utf-8"), nl=False)
    give(protocol)


@app.command()
def check(name: _Name) -> None:
    """Read a rubric or protocol and say what it asks; a wrong field ends in code 2."""
    from trace_eval.data.rubrics.load import load_protocol
    from trace_eval.data.rubrics.single import ScoreRubric

    protocol = load_protocol(name)
    if isinstance(protocol, ScoreRubric):
        details = _of_scores(protocol)
    else:
        details = _of_pairs(protocol)
    title = f"{protocol.name} version {protocol.version}: {protocol.title}"
    say(title)
    say_each(details)
    say(f"sha256 {protocol.sha256}")
    give(protocol)


def _of_scores(rubric: ScoreRubric) -> list[str]:
    inputs = f"inputs {', '.join(rubric.inputs)}"
    hidden = f"; hidden {', '.join(rubric.hidden)}" if rubric.hidden else ""
    labels = rubric.choices.removeprefix("one of ")
    return [
        f"scale {rubric.scale_name}: {labels}; samples by {rubric.reduce}",
        inputs + hidden,
    ]


def _of_pairs(protocol: PairProtocol) -> list[str]:
    parts = ", ".join(part.name for part in protocol.parts)
    return [
        f"scale {protocol.scale_name}: {', '.join(protocol.labels)}; asked for {parts}",
        f"inputs {', '.join(protocol.inputs)}",
    ]
