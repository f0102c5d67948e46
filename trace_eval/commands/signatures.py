"""Signatures of commands from dataclasses: an option is a field, explained there.

A decorated command takes finished objects. Name, type, default and help of an option
stand in the class alone: fields, their metadata (see
:func:`trace_eval.data.settings.option_field`) and ``Attributes`` of the docstring.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from enum import StrEnum
from functools import partial, wraps
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import typer

from blueprints import UserError
from trace_eval.data.settings import (
    choices_of,
    help_of,
    hints_of,
    sentence,
    without_none,
)

Command = Callable[..., None]

_EMPTY = inspect.Parameter.empty


class ExplainedBy(NamedTuple):
    """The command that explains a class's options, if another one does.

    Its own help page then shows one of them, which names the others.
    """

    command: str
    shown: str  # the field that stands on the help page


def from_classes(command: Command) -> Command:
    """Turn the dataclass arguments of a command into options, one per field.

    ``Annotated[CLASS, (NAME, ...)]`` has these fields of the class alone on the command
    line; with an :class:`ExplainedBy` behind the class, one of the options stands for
    all on the help page.
    """
    for name, argument in inspect.signature(command, eval_str=True).parameters.items():
        options, chosen, elsewhere = _options_class(argument.annotation)
        if options is None:
            continue
        start = options if argument.default is _EMPTY else argument.default
        without: list[str] = []
        if chosen:
            names = [each.name for each in fields(options)]
            without = [field for field in names if field not in chosen]
        parameters = list(_parameters(start, without))
        if elsewhere is not None:
            flags = {each.name: _flag(each) for each in fields(options)}
            _explain_elsewhere(parameters, flags, elsewhere)
        build = partial(_filled, start, without)
        command = with_options(command, name, parameters, build)
    return command


def _options_class(
    annotation: Any,
) -> tuple[type[Any] | None, tuple[str, ...], ExplainedBy | None]:
    """Return a dataclass of options, its chosen fields, and where it is explained.

    None: the argument is an option by itself. No field is chosen: all are options.
    """
    kind = annotation
    chosen: tuple[str, ...] = ()
    elsewhere: ExplainedBy | None = None
    if get_origin(annotation) is Annotated:
        kind, *notes = get_args(annotation)
        for note in notes:
            if isinstance(note, ExplainedBy):
                elsewhere = note
            elif isinstance(note, tuple):
                chosen = note
    is_class = isinstance(kind, type) and is_dataclass(kind)
    return (kind if is_class else None), chosen, elsewhere


def _explain_elsewhere(
    parameters: Sequence[inspect.Parameter],
    flags: Mapping[str, str],
    elsewhere: ExplainedBy,
) -> None:
    """Leave one option on the help page; its help names the others and their page."""
    options = {one.name: get_args(one.annotation)[1] for one in parameters}
    shown = options.pop(elsewhere.shown)
    for option in options.values():
        option.hidden = True
    *most, last = [flags[name] for name in options]
    shown.help += (
        f" Also taken: {', '.join(most)} and {last}, as trace-eval help"
        f" {elsewhere.command} explains them."
    )


def refuse_unused(context: typer.Context, names: Collection[str], where: str) -> None:
    """Refuse options that were typed and do nothing in this way of using a command.

    Args:
        where: the way of using it, e.g. ``without --html``.

    Raises:
        UserError: one of them was typed.
    """
    for each in context.command.params:
        source = context.get_parameter_source(each.name or "")
        if each.name in names and source is not None and source.name == "COMMANDLINE":
            raise UserError(f"{each.opts[0]} means nothing {where}; leave it out")


def option_names(options: type[Any]) -> set[str]:
    """Name the options that a class stands for, those of its inner classes as well."""
    return {each.name for each in _parameters(options)}


def parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """Make one keyword parameter of a command."""
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def with_options(
    command: Command,
    target: str,
    parameters: Sequence[inspect.Parameter],
    build: Callable[[dict[str, Any], dict[str, Any]], object],
) -> Command:
    """Make a command that takes ``parameters`` and hands them on as one object.

    Args:
        target: the keyword parameter of ``command`` whose place they take.
        build: (values of ``parameters``, all other values and the ``context``) -> the
            object.
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
        values[target] = built
        command(**values)

    merged: list[inspect.Parameter] = []
    if not takes_context:
        merged.append(parameter("context", typer.Context, _EMPTY))
    merged += own
    merged += [p for p in parameters if p.name not in signature.parameters]
    wrapped.__signature__ = inspect.Signature(merged)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in merged}
    return wrapped


def field_parameters(
    options: type[Any], names: Sequence[str], panel: str | None = None
) -> list[inspect.Parameter]:
    """Make parameters of a command from some fields of an options class."""
    others = [each.name for each in fields(options) if each.name not in names]
    by_name = {each.name: each for each in _parameters(options, others, panel)}
    return [by_name[name] for name in names]


def _shown(start: Any, without: Sequence[str]) -> Iterator[tuple[Field[Any], Any]]:
    """Return the fields that stand on the command line, with their types."""
    hints = hints_of(start if isinstance(start, type) else type(start))
    for each in fields(start):
        if each.metadata.get("shown", True) and each.name not in without:
            yield each, hints[each.name]


def _parameters(
    start: Any, without: Sequence[str] = (), panel: str | None = None
) -> Iterator[inspect.Parameter]:
    """Make parameters from an options class, or an object whose values are defaults."""
    helps = help_of(start if isinstance(start, type) else type(start))
    for each, hint in _shown(start, without):
        value = _default(start, each)
        if is_dataclass(hint):
            yield from _parameters(value, each.metadata.get("without", ()))
        else:
            yield _parameter(each, *_typed(each, hint, value), helps[each.name], panel)


def _default(start: Any, each: Field[Any]) -> Any:
    if not isinstance(start, type):
        return getattr(start, each.name)
    if each.default_factory is not MISSING:
        return each.default_factory()
    if each.default is MISSING:
        return _EMPTY  # it must be named
    return each.default


def _parameter(
    each: Field[Any], typed: Any, default: Any, about: str, panel: str | None = None
) -> inspect.Parameter:
    how = each.metadata
    option = typer.Option(
        _flag(each),
        *how.get("short", ()),
        help=sentence(about.removeprefix(f"{how.get('kind')}: ")),
        metavar=how.get("metavar"),
        min=how.get("min"),
        max=how.get("max"),
        rich_help_panel=panel or how.get("panel"),
    )
    return parameter(each.name, Annotated[typed, option], default)


def _flag(each: Field[Any]) -> str:
    return each.metadata.get("flag") or f"--{each.name.replace('_', '-')}"


def _typed(each: Field[Any], hint: Any, value: Any) -> tuple[Any, Any]:
    """Return type and default of an option as typer knows them."""
    base = without_none(hint)
    if _repeats(each, base):
        inner: Any = str if "read" in each.metadata else get_args(base)[0]
        return list[inner] | None, None
    if "read" in each.metadata:
        return str | None, None
    if choices := choices_of(hint):
        names = map(str, choices)
        kind = StrEnum(each.name, {name: name for name in names})  # type: ignore[misc]
        return (kind, str(value)) if base is hint else (kind | None, value)
    return hint, value


def _repeats(each: Field[Any], base: Any) -> bool:
    """Tell whether a field holds any number of values: its option may be repeated."""
    origin = get_origin(base)
    several = origin not in (None, tuple, Literal) or get_args(base)[1:] == (...,)
    return several and not each.metadata.get("once")


def _filled(
    start: Any, without: Sequence[str], chosen: dict[str, Any], _: dict[str, Any]
) -> Any:
    """Return the object with the values that were typed."""
    changes: dict[str, Any] = {}
    for each, hint in _shown(start, without):
        if is_dataclass(hint):
            inner = _default(start, each)
            left_out = each.metadata.get("without", ())
            changes[each.name] = _filled(inner, left_out, chosen, _)
            continue
        value = chosen[each.name]
        read: Callable[[Any], Any] | None = each.metadata.get("read")
        if read or _repeats(each, without_none(hint)):
            if value:
                changes[each.name] = (read or tuple)(value)
        elif isinstance(value, StrEnum):
            by_name = {str(choice): choice for choice in choices_of(hint)}
            changes[each.name] = by_name[value.value]
        else:
            changes[each.name] = value
    return start(**changes) if isinstance(start, type) else replace(start, **changes)
