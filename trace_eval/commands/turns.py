"""``trace-eval turns``: who spoke when in conversations, and what follows from it."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from trace_eval.commands.statistics import Level, Seed

_READ = "What a layout may not say"


class AgentChannel(StrEnum):
    """Which channel of a stereo recording is the agent's."""

    FIRST = "0"
    SECOND = "1"
    GREETS = "greets"


def turns(
    path: Annotated[
        Path,
        typer.Argument(help="File or folder: a recording, log, simulation, table, run."),
    ],
    layout: Annotated[
        str | None, typer.Option(metavar="NAME", help="Default: found from the content.")
    ] = None,
    definitions: Annotated[
        str, typer.Option(metavar="NAME/VERSION", help="Rules of events and figures.")
    ] = "trace-eval/1",
    against: Annotated[
        Path | None,
        typer.Option(help="Calls of another system: its figures minus these, by scenario."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Labelled events (CSV, JSONL): conversation, kind, start, end."),
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(help="Events as corrected in a review (corrections.jsonl): figures of both."),
    ] = None,
    recognise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Whether the agent says what its text says: a recogniser that hears it (auto,"
            " pocketsphinx, whisper:NAME); of two, what both miss is sure.",
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="A name that must come through like codes and dates; may be repeated."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which speaker is the agent.", rich_help_panel=_READ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which speaker is the user.", rich_help_panel=_READ),
    ] = None,
    agent_channel: Annotated[
        AgentChannel,
        typer.Option(
            help="Channel of the agent in stereo; greets: whoever speaks first.",
            rich_help_panel=_READ,
        ),
    ] = AgentChannel.SECOND,
    swap: Annotated[
        bool,
        typer.Option("--swap", help="Exchange the channels of both.", rich_help_panel=_READ),
    ] = False,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="START-END",
            help="Seconds that are no speech (music, ringing); may be repeated.",
            rich_help_panel=_READ,
        ),
    ] = None,
    check_clock: Annotated[
        bool,
        typer.Option(
            "--check-clock",
            help="Say how late each voice's echo is on the other channel: offset and drift.",
            rich_help_panel=_READ,
        ),
    ] = False,
    pipeline: Annotated[
        str | None,
        typer.Option(
            help="How an EVA agent was built: cascade, s2s or audio_llm.", rich_help_panel=_READ
        ),
    ] = None,
    shown: Annotated[int, typer.Option(min=0, help="Conversations whose timeline is shown.")] = 3,
    min_events: Annotated[
        int, typer.Option(min=0, help="Rates of fewer events are hidden; medians need half.")
    ] = 10,
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples; 0: none.")] = 2_000,
    level: Level = 0.95,
    seed: Seed = 0,
) -> None:
    """Measure the timing of conversations: replies, interruptions, overlap, dead air."""
    from trace_eval.commands.console import warn_all
    from trace_eval.commands.json_option import give
    from trace_eval.commands.render import print_tables, stdout_console
    from trace_eval.turns import FigureOptions, ReadOptions, TurnsOptions, turns_report

    read = ReadOptions(
        agent=agent,
        user=user,
        agent_channel=0 if agent_channel == AgentChannel.FIRST else 1,
        swap=swap,
        agent_greets=agent_channel == AgentChannel.GREETS,
        pipeline=pipeline,
        ignore=ReadOptions.stretches(ignore or ()),
        check_clock=check_clock,
    )
    figures = FigureOptions(resamples, level, seed, min_events)
    options = TurnsOptions(
        layout, definitions, read, figures, tuple(name or ()), tuple(recognise or ())
    )
    found = turns_report(path, options, against, labels, corrections)
    print_tables(found.tables(shown), stdout_console())
    warn_all(found.report.unread)
    give(found.record())
