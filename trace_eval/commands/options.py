"""Groups of options that several commands share, with the library's own defaults.

A command that is decorated takes the finished options object; the decorator gives it the
single options on the command line. Names, types and defaults come from the dataclass; only
the help texts are written here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, get_origin, get_type_hints

import typer

from blueprints.errors import UserError
from trace_eval.options import ExtractOptions

Command = Callable[..., None]

AudioRoot = Annotated[
    str | None,
    typer.Option(help="Folder of relative audio paths, or its URL; default: the manifest's."),
]

ShardOption = Annotated[
    str | None,
    typer.Option(
        "--shard", metavar="I/N", help="Do part I of N; trace-eval merge joins the parts again."
    ),
]


def _load_config(context: typer.Context, path: Path | None) -> Path | None:
    """Let a file of options stand for what is not on the command line."""
    if path is None or context.resilient_parsing:
        return path
    from trace_eval.runs.config import KEYS, read_config

    found = read_config(path)
    names = {
        name.lstrip("-").replace("-", "_"): option.name
        for option in context.command.params
        for name in (*option.opts, option.name or "")
    }
    given = {key.replace("-", "_"): value for key, value in found.items()}
    if unknown := [key for key in given if key not in names and key not in KEYS]:
        raise UserError(
            f"{path}: no option {unknown[0]!r}; use names of options of"
            f" {context.info_name}, e.g. {', '.join(sorted(KEYS)[:3])}"
        )
    context.default_map = {str(names[key]): value for key, value in given.items() if key in names}
    return path


ConfigOption = Annotated[
    Path | None,
    typer.Option(
        is_eager=True,
        callback=_load_config,
        help="TOML file of options, as trace-eval show RUN --config prints it;"
        " the command line counts more.",
    ),
]
TagOption = Annotated[
    str | None, typer.Option(help="A name for trace-eval runs --tag to find the run by.")
]
EstimateOption = Annotated[
    bool,
    typer.Option("--estimate", help="Print calls, tokens and cost; makes no run, needs no key."),
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help="With --estimate: from durations, without extraction.")
]
BatchFile = Annotated[
    Path | None, typer.Option(help="Write the provider's batch requests here; send nothing.")
]
BatchResults = Annotated[
    list[Path] | None, typer.Option(help="Read the provider's batch results; send nothing.")
]


def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """One keyword parameter of a command."""
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def with_options(
    command: Command,
    target: str,
    parameters: list[inspect.Parameter],
    build: Callable[[dict[str, Any], dict[str, Any]], object],
) -> Command:
    """A command that takes ``parameters`` and hands them to ``command`` as one object.

    Args:
        command: has a keyword parameter ``target``.
        parameters: what takes its place on the command line.
        build: (values of ``parameters``, all other values and the ``context``) -> the object.
    """
    signature = inspect.signature(command, eval_str=True)
    takes_context = "context" in signature.parameters
    own = [p for name, p in signature.parameters.items() if name != target]
    names = {p.name for p in parameters}

    @wraps(command)
    def wrapped(**values: Any) -> None:
        chosen = {name: values.pop(name) for name in names}
        built = build(chosen, values)
        if not takes_context:
            del values["context"]
        command(**values, **{target: built})

    context = (
        [] if takes_context else [parameter("context", typer.Context, inspect.Parameter.empty)]
    )
    merged = [*context, *own, *(p for p in parameters if p.name not in signature.parameters)]
    wrapped.__signature__ = inspect.Signature(merged)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in merged}
    return wrapped


def typed(context: typer.Context, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those values of parameters that stand on the command line or in a file of options."""
    # typer brings its own copy of click or uses the package, so the enum is known by its names.
    sources = {name: context.get_parameter_source(name) for name in values}
    default = {name for name, source in sources.items() if source and source.name == "DEFAULT"}
    return {name: value for name, value in values.items() if name not in default}


#: Shorthand options -> the group whose extractor they name.
_SHORT = {"asr": "transcript", "emotion": "emotion", "accent": "accent"}

_PANEL = "Options of extraction"

#: Field of :class:`ExtractOptions` -> (option, help), in the order of the help page.
_HELP: dict[str, tuple[str, str]] = {
    "profile": ("--profile", "Named set of extractors: screen or paper."),
    "language": ("--language", "Language of the speech, e.g. es or Spanish; default: detected."),
    "beam_size": (
        "--beam-size",
        "Hypotheses that Whisper keeps; default: 1, with paper the library's.",
    ),
    "compute_type": (
        "--compute-type",
        "Numbers of faster-whisper; default: int8 on a CPU, float16 on a GPU.",
    ),
    "device": ("--device", "Where models run: auto, cpu or cuda:N."),
    "batch_size": (
        "--batch-size",
        "Clips that a model works on at once; default: 1, on a GPU more.",
    ),
    "one_model_at_a_time": (
        "--one-model-at-a-time",
        "Release each model before the next is loaded.",
    ),
    "cache": ("--cache", "Cache folder; default: the user's cache folder."),
    "workers": ("--workers", "Processes; 0: none; default: one per core."),
    "max_seconds": ("--max-seconds", "Refuse longer recordings, seconds."),
    "engine": ("--engine", "Where clips are extracted: local or ray."),
    "ray_address": (
        "--ray-address",
        "A running Ray cluster, e.g. auto; default: one on this machine.",
    ),
}


#: Types that the options import for type checkers only; no option is of them.
_LATER = {"Extractor": Any}


def field_parameters(
    options: type, helps: Mapping[str, tuple[str, str]], panel: str
) -> dict[str, inspect.Parameter]:
    """Parameters of a command from the fields of an options class, in the order of ``helps``.

    Args:
        options: a dataclass; names, types and defaults come from it.
        helps: field -> (option, help text); fields that are not here are no options.
        panel: heading on the help page.
    """
    hints = get_type_hints(options, localns=_LATER)
    known = {field.name: field for field in fields(options)}
    made = {}
    for name, (option, text) in helps.items():
        hint: Any = hints[name]
        default = known[name].default
        default = None if default is MISSING else default
        if get_origin(hint) is Literal and default is not None:
            hint = type(default)  # the options class checks it and lists what it takes
        annotation = Annotated[hint, typer.Option(option, help=text, rich_help_panel=panel)]
        made[name] = parameter(name, annotation, default)
    return made


def _extract_parameters() -> list[inspect.Parameter]:
    made = field_parameters(ExtractOptions, _HELP, _PANEL)
    replace = typer.Option(
        "--extractor",
        "-x",
        metavar="GROUP=SPEC",
        help="Replace one extractor, e.g. pitch=pyin, quality=dnsmos:all, emotion=none.",
        rich_help_panel=_PANEL,
    )
    short = [
        parameter(
            name,
            Annotated[
                str | None, typer.Option(help=f"Short for -x {group}=SPEC.", rich_help_panel=_PANEL)
            ],
            None,
        )
        for name, group in _SHORT.items()
    ]
    extractor = parameter("extractor", Annotated[list[str] | None, replace], None)
    return [made.pop("profile"), extractor, *short, *made.values()]


_EXTRACT = _extract_parameters()


def extract_options(command: Command) -> Command:
    """Give a command the options of extraction; it gets them as ``extracting``."""
    return with_options(command, "extracting", _EXTRACT, lambda chosen, _: _build(chosen))


def _build(chosen: dict[str, Any]) -> ExtractOptions:
    overrides: dict[str, Any] = {}
    for item in chosen.pop("extractor") or []:
        group, separator, spec = item.partition("=")
        if not separator or not group or not spec:
            raise UserError(f"--extractor {item!r}: write GROUP=SPEC, e.g. pitch=pyin")
        overrides[group] = spec
    for name, group in _SHORT.items():
        spec = chosen.pop(name)
        if spec:
            overrides[group] = spec
    return ExtractOptions(overrides=overrides, **chosen)
