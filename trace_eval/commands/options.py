"""Groups of options that several commands share, with the library's own defaults.

A command that is decorated takes the finished options object; the decorator gives it the
single options on the command line. Names, types and defaults come from the dataclass; only
the help texts are written here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

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
        build: (values of ``parameters``, all other values) -> the object.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [p for name, p in signature.parameters.items() if name != target]
    names = {p.name for p in parameters}

    @wraps(command)
    def wrapped(**values: Any) -> None:
        chosen = {name: values.pop(name) for name in names}
        command(**values, **{target: build(chosen, values)})

    merged = [*own, *(p for p in parameters if p.name not in signature.parameters)]
    wrapped.__signature__ = inspect.Signature(merged)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in merged}
    return wrapped


#: Shorthand options -> the group whose extractor they name.
_SHORT = {"asr": "transcript", "emotion": "emotion", "accent": "accent"}

_PANEL = "Options of extraction"
_DEFAULTS = ExtractOptions()


def _option(*names: str, text: str, **more: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=_PANEL, **more)


_EXTRACT = [
    parameter(
        "profile",
        Annotated[str, _option(text="Named set of extractors: screen or paper.")],
        _DEFAULTS.profile,
    ),
    parameter(
        "extractor",
        Annotated[
            list[str] | None,
            _option(
                "--extractor",
                "-x",
                metavar="GROUP=SPEC",
                text="Replace one extractor, e.g. pitch=pyin, quality=dnsmos:all, emotion=none.",
            ),
        ],
        None,
    ),
    *(
        parameter(name, Annotated[str | None, _option(text=f"Short for -x {group}=SPEC.")], None)
        for name, group in _SHORT.items()
    ),
    parameter(
        "language",
        Annotated[str | None, _option(text="Language of the speech; default: detected.")],
        _DEFAULTS.language,
    ),
    parameter(
        "device",
        Annotated[str, _option(text="Where models run: auto, cpu or cuda:N.")],
        _DEFAULTS.device,
    ),
    parameter(
        "batch_size",
        Annotated[
            int | None,
            _option(text="Clips that a model works on at once; default: 1, on a GPU more."),
        ],
        _DEFAULTS.batch_size,
    ),
    parameter(
        "one_model_at_a_time",
        Annotated[
            bool,
            _option("--one-model-at-a-time", text="Release each model before the next is loaded."),
        ],
        _DEFAULTS.one_model_at_a_time,
    ),
    parameter(
        "cache",
        Annotated[Path | None, _option(text="Cache folder; default: the user's cache folder.")],
        _DEFAULTS.cache,
    ),
    parameter(
        "workers",
        Annotated[int | None, _option(text="Processes; 0: none; default: one per core.")],
        _DEFAULTS.workers,
    ),
    parameter(
        "max_seconds",
        Annotated[float, _option(text="Refuse longer recordings, seconds.")],
        _DEFAULTS.max_seconds,
    ),
    parameter(
        "engine",
        Annotated[str, _option(text="Where clips are extracted: local or ray.")],
        _DEFAULTS.engine,
    ),
    parameter(
        "ray_address",
        Annotated[
            str | None,
            _option(text="A running Ray cluster, e.g. auto; default: one on this machine."),
        ],
        _DEFAULTS.ray_address,
    ),
]


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
