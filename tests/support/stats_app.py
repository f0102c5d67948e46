"""What the tests of run and commands and others share."""

from __future__ import annotations

import typer

from trace_eval.commands.agree import agree as agree_command
from trace_eval.commands.rank import rank as rank_command


def app() -> typer.Typer:
    commands = typer.Typer()
    commands.command()(agree_command)
    commands.command()(rank_command)
    return commands
