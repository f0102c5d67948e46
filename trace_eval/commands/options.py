"""Options that commands share: of extraction, of judges, and of files of options.

A decorator gives a command the single options on the command line, and the command
takes the finished object. Names, types, defaults and help come from the dataclass.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from blueprints import UserError
from extractors import cache_folder
from trace_eval.commands.signatures import (
    Command,
    field_parameters,
    parameter,
    with_options,
)
from trace_eval.data.settings import (
    hints_of,
    option_field,
    read_settings,
    split_settings,
)
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.options.judge_options import STATE, JudgeOptions
from trace_eval.runs.options import DEFAULT_JUDGE, Options, read_config

#: Key of a context for the settings of a file that are no options of its command.
_TABLE = "trace_eval.table"

#: Headings of the help page.
_EXTRACTION, _JUDGES = "Options of extraction", "Options of judges"

#: Flag -> the class whose fields it names, those that it may not, and where they are
#: listed.
_FLAGS: dict[str, tuple[type[Any], Collection[str], str]] = {
    "-J": (
        JudgeOptions,
        STATE,
        "(trace-eval doctor --judge SPEC lists those of a judge)",
    ),
    "-X": (
        ExtractOptions,
        ("overrides", "extractor_options"),
        "(or EXTRACTOR.KEY=VALUE for an option of one extractor)",
    ),
}


def _load_config(context: typer.Context, path: Path | None) -> Path | None:
    """Read the options that are not on the command line from a file."""
    if path is None or context.resilient_parsing:
        return path
    options = {option.name: option for option in context.command.params if option.name}
    defaults: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for key, value in read_config(path).items():
        if key in options:
            defaults[key] = _as_often(value, options[key])
        else:
            others[key] = value
    context.default_map = defaults
    context.meta[_TABLE] = others
    return path


def _as_often(value: Any, option: Any) -> Any:
    """Return a list where an option may be repeated, else the only value of a list."""
    if option.multiple:
        return value if isinstance(value, list) else [value]
    if isinstance(value, list) and len(value) == 1:
        return value[0]
    return value


ConfigOption = Annotated[
    Path | None,
    typer.Option(
        is_eager=True,
        callback=_load_config,
        help="TOML file of options, as trace-eval show RUN --config prints it;"
        " typed options take precedence.",
    ),
]


def typed(context: typer.Context, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values that were given on the command line or in a file of options."""
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        if _source(context, name) not in ("", "DEFAULT"):
            chosen[name] = value
    return chosen


def _source(context: typer.Context, name: str) -> str:
    """Return a value's source, by name: typer may bring its own copy of click."""
    source = context.get_parameter_source(name)
    return source.name if source else ""


def named_options(
    context: typer.Context,
    flag: str,
    chosen: Mapping[str, Any],
    short: Mapping[str, str],
) -> dict[str, Any]:
    """Collect an options class's fields that a user set by options, ``-J`` or a file.

    Args:
        chosen: values of the options of the command that are fields of it.
        short: what came by ``flag``.

    Raises:
        UserError: an option is unknown, of another type, or given in two ways.
    """
    options, hidden, listed = _FLAGS[flag]
    hints = {
        name: hint for name, hint in hints_of(options).items() if name not in hidden
    }
    line = typed(context, chosen)
    twice: list[str] = []
    for name in short:
        if name in line and _source(context, name) == "COMMANDLINE":
            twice.append(name)
    if twice:
        raise UserError(f"{flag} {twice[0]}: is given as an option too; leave one out")
    table = {
        name: v for name, v in context.meta.get(_TABLE, {}).items() if name in hints
    }
    return {
        **read_settings(table, hints, f"{context.params.get('config')}: "),
        **line,
        **read_settings(short, hints, f"{flag} ", listed),
    }


@dataclass(frozen=True)
class _Settings:
    """Options by which others are named.

    Attributes:
        extractor: replace one extractor, e.g. transcript=faster-whisper:small,
            emotion=none.
        extract_settings: any other option of extraction (max_seconds, engine,
            batch_size, ...), or of one extractor: EXTRACTOR.KEY=VALUE; may be repeated.
        judge_settings: any other option of the judge, e.g. temperature=1; may be
            repeated; trace-eval doctor --judge SPEC lists those that it has.
    """

    extractor: tuple[str, ...] = option_field(
        (), flag="--extractor", short=("-x",), metavar="GROUP=SPEC"
    )
    extract_settings: tuple[str, ...] = option_field((), flag="-X", metavar="KEY=VALUE")
    judge_settings: tuple[str, ...] = option_field((), flag="-J", metavar="KEY=VALUE")


def extract_options(command: Command) -> Command:
    """Give a command the options of extraction; it gets them as ``extracting``."""
    # What everybody needs; the other fields come by ``-X``.
    names = ("profile", "language", "workers", "cache")
    first, *made = field_parameters(ExtractOptions, names, _EXTRACTION)
    settings = field_parameters(
        _Settings, ("extractor", "extract_settings"), _EXTRACTION
    )
    return with_options(
        command, "extracting", [first, *settings, *made], _extract_options
    )


def _extract_options(chosen: dict[str, Any], others: dict[str, Any]) -> ExtractOptions:
    overrides: dict[str, Any] = {}
    for item in chosen.pop("extractor") or []:
        group, separator, spec = item.partition("=")
        if not separator or not group or not spec:
            raise UserError(f"--extractor {item!r}: write GROUP=SPEC, e.g. pitch=pyin")
        overrides[group] = spec
    settings = split_settings(chosen.pop("extract_settings") or (), "-X")
    context = others["context"]
    table = context.meta.get(_TABLE, {})
    options_by_extractor: dict[str, dict[str, Any]] = {}
    for name, options in table.get("extractor_options", {}).items():
        options_by_extractor[name] = dict(options)
    for key in [key for key in settings if "." in key]:
        extractor, _, option = key.rpartition(".")
        options_by_extractor.setdefault(extractor, {})[option] = settings.pop(key)
    if "cache" in settings:
        raise UserError("-X cache: use --cache FOLDER, which keeps replies, too")
    named = named_options(context, "-X", chosen, settings)
    typed_own: dict[str, dict[str, Any]] = {}
    if options_by_extractor:
        from extractors import load

        for name, options in options_by_extractor.items():
            hints = hints_of(load(name))
            typed_own[name] = read_settings(options, hints, f"-X {name}.")
    return ExtractOptions(overrides=overrides, extractor_options=typed_own, **named)


def judges_help() -> str:
    """Return the help of ``--judge``; kinds are looked up only when it is shown.

    Kinds include those of plug-ins.
    """
    if "--help" not in sys.argv:
        return "Who judges."
    from trace_eval.judges.registry.kinds import judge_specs

    specs = dict.fromkeys(judge_specs() + judge_specs("single"))
    return f"Who judges: {', '.join(specs)}; trace-eval doctor says which can run here."


def judge_options(command: Command) -> Command:
    """Give a command the options of judges; it gets them as ``judging``.

    A ``cache`` of the command also says where replies are kept.
    """
    # What everybody needs; all fields come by ``-J``.
    made = field_parameters(JudgeOptions, ("base_url", "samples", "max_cost"), _JUDGES)
    settings = field_parameters(_Settings, ("judge_settings",), _JUDGES)
    return with_options(command, "judging", settings + made, _judge_options)


def _judge_options(chosen: dict[str, Any], others: dict[str, Any]) -> JudgeOptions:
    settings = split_settings(chosen.pop("judge_settings") or (), "-J")
    named = named_options(others["context"], "-J", chosen, settings)
    folder = others.get("cache") or cache_folder()
    return JudgeOptions(**named, cache=Path(folder) / "replies.sqlite")


def run_options(command: Command) -> Command:
    """Give a command one judge and its options, and extraction's, as ``options``."""
    judge = Annotated[str, typer.Option(help="Who judges; see trace-eval doctor.")]
    made = [
        parameter("judge", judge, DEFAULT_JUDGE),
        parameter("extracting", ExtractOptions, Parameter.empty),
        parameter("judging", JudgeOptions, Parameter.empty),
    ]
    joined = with_options(
        command,
        "options",
        made,
        lambda chosen, _: Options(
            chosen["extracting"], chosen["judge"], chosen["judging"]
        ),
    )
    return judge_options(extract_options(joined))
