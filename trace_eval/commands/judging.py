"""The options of judges on the command line: a few of :class:`JudgeOptions`, and ``-J`` for all."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from extractors import cache_folder
from trace_eval.commands.options import extract_options, named_options
from trace_eval.commands.signatures import Command, field_parameters, parameter, with_options
from trace_eval.data.settings import split_settings
from trace_eval.judges.options.judge_options import STATE, JudgeOptions
from trace_eval.options import DEFAULT_JUDGE, ExtractOptions, Options

_PANEL = "Options of judges"

#: What everybody needs; all fields come by ``-J``.
_EVERYBODY = ("base_url", "samples", "max_cost")

_SETTINGS = parameter(
    "judge_settings",
    Annotated[
        list[str] | None,
        typer.Option(
            "-J",
            metavar="KEY=VALUE",
            help="Any other option of the judge, e.g. temperature=1; may be repeated;"
            " trace-eval doctor --judge SPEC lists those that it has.",
            rich_help_panel=_PANEL,
        ),
    ],
    None,
)


def judges_help() -> str:
    """Help of ``--judge``; the kinds, plug-ins included, are looked up when somebody asks."""
    if "--help" not in sys.argv:
        return "Who judges."
    from trace_eval.judges.registry.kinds import judge_specs

    available = dict.fromkeys((*judge_specs(), *judge_specs("single")))
    return f"Who judges: {', '.join(available)}; trace-eval doctor says which can run here."


def judge_options(command: Command) -> Command:
    """Give a command the options of judges; it gets them as ``judging``.

    A ``cache`` of the command also says where replies are kept.
    """
    made = field_parameters(JudgeOptions, _EVERYBODY, _PANEL)
    return with_options(command, "judging", [_SETTINGS, *made], _build)


def _build(chosen: dict[str, Any], others: dict[str, Any]) -> JudgeOptions:
    provided = split_settings(chosen.pop("judge_settings") or (), "-J")
    named = named_options(others["context"], JudgeOptions, STATE, chosen, provided, "-J")
    folder = others.get("cache") or cache_folder()
    return JudgeOptions(**named, cache=Path(folder) / "replies.sqlite")


_JUDGE = parameter(
    "judge",
    Annotated[str, typer.Option(help="Who judges; see trace-eval doctor.")],
    DEFAULT_JUDGE,
)


def run_options(command: Command) -> Command:
    """Give a command one judge, its options and those of extraction; it gets ``options``."""
    rooms = {"extracting": ExtractOptions, "judging": JudgeOptions}
    made = [_JUDGE, *(parameter(*room, inspect.Parameter.empty) for room in rooms.items())]
    joined = with_options(
        command,
        "options",
        made,
        lambda chosen, _: Options(chosen["extracting"], chosen["judge"], chosen["judging"]),
    )
    return judge_options(extract_options(joined))
