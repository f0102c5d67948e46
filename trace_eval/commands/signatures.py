"""Signatures of commands from dataclasses: an option is a field, named and explained there.

A decorated command takes finished objects. What its options are called, of which type they are,
what they default to and what the help page says of them stands in the class alone: fields, their
metadata (see :func:`trace_eval.data.settings.option_field`) and ``Attributes`` of the docstring.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, fields, is_dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from trace_eval.commands.options import Command, parameter, with_options
from trace_eval.data import choices_of, help_of, hints_of, sentence, without_none


def from_classes(command: Command) -> Command:
    """A command whose arguments of dataclasses are options on the command line, one per field."""
    for name, argument in inspect.signature(command, eval_str=True).parameters.items():
        kind = argument.annotation
        if is_dataclass(kind):
            empty = argument.default is argument.empty
            start = kind() if empty else argument.default  # type: ignore[operator]
            command = with_options(command, name, list(_parameters(start)), partial(_filled, start))
    return command


def _shown(start: Any, without: Sequence[str]) -> Iterator[tuple[Field[Any], Any]]:
    """(field, its type) of what stands on the command line."""
    hints = hints_of(type(start))
    for each in fields(start):
        if each.metadata.get("shown", True) and each.name not in without:
            yield each, hints[each.name]


def _parameters(start: Any, without: Sequence[str] = ()) -> Iterator[inspect.Parameter]:
    helps = help_of(type(start))
    for each, hint in _shown(start, without):
        how, value = each.metadata, getattr(start, each.name)
        if is_dataclass(hint):
            yield from _parameters(value, how.get("without", ()))
            continue
        flag = how.get("flag") or f"--{each.name.replace('_', '-')}"
        about = helps[each.name].removeprefix(f"{how.get('kind')}: ")
        typed, default = _typed(each, hint, value)
        option = typer.Option(
            *(flag, *how.get("short", ())),
            help=sentence(about),
            metavar=how.get("metavar"),
            min=how.get("min"),
            max=how.get("max"),
            rich_help_panel=how.get("panel"),
        )
        yield parameter(each.name, Annotated[typed, option], default)


def _typed(each: Field[Any], hint: Any, value: Any) -> tuple[Any, Any]:
    """(type, default) of an option as typer knows them."""
    base = without_none(hint)
    if _repeats(base):
        inner: Any = str if "read" in each.metadata else get_args(base)[0]
        return list[inner] | None, None
    if "read" in each.metadata:
        return str | None, None
    if choices := choices_of(hint):
        names = StrEnum(each.name, {str(choice): choice for choice in choices})  # type: ignore[misc]
        return names if base is hint else names | None, value
    return hint, value


def _repeats(base: Any) -> bool:
    """Whether it holds any number of values, so that its option may be repeated."""
    origin = get_origin(base)
    return origin not in (None, tuple, Literal) or get_args(base)[1:] == (...,)


def _filled(
    start: Any, chosen: dict[str, Any], _: dict[str, Any], without: Sequence[str] = ()
) -> Any:
    """The object with what was typed."""
    changes: dict[str, Any] = {}
    for each, hint in _shown(start, without):
        if is_dataclass(hint):
            inner = getattr(start, each.name)
            changes[each.name] = _filled(inner, chosen, _, each.metadata.get("without", ()))
            continue
        value = chosen[each.name]
        read: Callable[[Any], Any] | None = each.metadata.get("read")
        if read or _repeats(without_none(hint)):
            if value:
                changes[each.name] = (read or tuple)(value)
        else:
            changes[each.name] = value.value if isinstance(value, StrEnum) else value
    return replace(start, **changes)
