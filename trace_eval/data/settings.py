"""Options as users write them: ``KEY=VALUE`` texts, or a TOML file's tables.

What an option is called, which type it has and what it means stands in its dataclass:
the fields, and the ``Attributes`` of the docstring.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, fields, is_dataclass, replace
from difflib import get_close_matches
from inspect import cleandoc
from math import isfinite
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from blueprints import UserError

_ENTRY = re.compile(r"^    ([a-z_0-9]+(?:, [a-z_0-9]+)*): (.*(?:\n {5,}.*)*)", re.M)
T = TypeVar("T")

_BOOLEANS = {"true": True, "false": False}

#: Types that options import for type checkers only; no text is of them.
_LATER = {"Extractor": Any, "Judge": Any, "Listener": Any}


def option_field(default: Any, **how: Any) -> Any:
    """Make a field of an options class, and say how it stands on the command line.

    Args:
        how: ``flag``: its name there; ``short``: more of them; ``metavar``; ``min``,
            ``max``; ``panel``: heading of the help page; ``read``: makes the value of
            what was typed, of all texts together where it may be repeated; ``once``: it
            may not be, though it holds several; ``shown``: False keeps it off the line;
            ``without``: fields that stay off it, of options within options.
    """
    return field(default=default, metadata=how)


def help_of(options: type) -> dict[str, str]:
    """Map options to meanings, from a dataclass's and its bases' ``Attributes``."""
    texts: dict[str, str] = {}
    for kind in reversed(options.__mro__):
        _, _, listed = cleandoc(vars(kind).get("__doc__") or "").partition(
            "Attributes:\n"
        )
        for names, text in _ENTRY.findall(listed.partition("\n\n")[0]):
            texts.update(dict.fromkeys(names.split(", "), " ".join(text.split())))
    return texts


def with_groups(options: type[T]) -> type[T]:
    """Add options of bases and parts, in groups, to a class's docstring, for ``help``.

    A part is a field whose type is another dataclass of options.
    """
    parts: list[Any] = [
        hint for hint in hints_of(options).values() if is_dataclass(hint)
    ]
    lines = [cleandoc(options.__doc__ or "")]
    bases = [base for part in parts for base in reversed(part.__mro__[:-1])]
    for group in dict.fromkeys([*reversed(options.__mro__[1:-1]), *bases]):
        texts = help_of(group)
        names = [
            name for name in vars(group).get("__annotations__", {}) if name in texts
        ]
        if names:
            lines.append(
                f"\n{group.__name__}: {(group.__doc__ or '').partition(chr(10))[0]}"
            )
            lines += [f"    {name}: {texts[name]}" for name in names]
    options.__doc__ = "\n".join(lines)
    return options


def sentence(text: str) -> str:
    """Print a help text as a sentence of its own, without the marks of code."""
    text = text.replace("``", "").replace(". None:", ". Default:")
    text = text.replace("None:", "default:")
    return f"{text[:1].upper()}{text[1:]}"


def hints_of(options: type[Any]) -> dict[str, Any]:
    """Map each option of a dataclass to its type."""
    result = get_type_hints(options, localns=_LATER)
    return {each.name: result[each.name] for each in fields(options)}


class UnknownSettingError(UserError):
    """A field that no options have; names the nearest one.

    Attributes:
        name: as it was typed.
        known: the fields that there are.
    """

    def __init__(self, name: str, known: Collection[str]) -> None:
        super().__init__(f"{name}: is unknown; {nearest(name, known)}")
        self.name = name
        self.known = frozenset(known)


def with_settings(options: T, settings: Mapping[str, Any]) -> T:
    """Return options with changed fields; nested options by their own names.

    Of an unknown field the nearest one is named.
    """
    hints = hints_of(type(options))
    parts = {name: fields(hint) for name, hint in hints.items() if is_dataclass(hint)}
    places = {each.name: part for part, inner in parts.items() for each in inner}
    changes: dict[str, Any] = {}
    for name, value in settings.items():
        if name in hints:
            changes[name] = value
        elif name in places:
            part = places[name]
            change = {name: value}
            changes[part] = replace(changes.get(part, getattr(options, part)), **change)
        else:
            raise UnknownSettingError(name, hints.keys() | places.keys())
    return replace(options, **changes)  # type: ignore[type-var]


def choices_of(hint: Any) -> tuple[Any, ...]:
    """Return the values that a type lists, without None; nothing for other types."""
    base = without_none(hint)
    return get_args(base) if get_origin(base) is Literal else ()


#: Letters by which the beginning of a word is known.
_WORD = 3


def nearest(name: str, available: Collection[str]) -> str:
    """Write ``did you mean X?`` where a known name is like it, or list them all."""
    if not available:
        return "there are no options here"
    close = get_close_matches(name, available, n=1, cutoff=0.5)
    if close and (_begins_alike(name, close[0]) or get_close_matches(name, close)):
        return f"did you mean {close[0]}?"
    return f"known are {', '.join(sorted(available))}"


def _begins_alike(one: str, other: str) -> bool:
    """Tell whether names share their first three letters, or one is in the other."""
    one, other = one.casefold(), other.casefold()
    if len(one) < _WORD:
        return False
    return one[:_WORD] == other[:_WORD] or one in other


def split_settings(texts: Iterable[str], option: str) -> dict[str, str]:
    """Split ``KEY=VALUE`` texts; a key must not be empty or come twice."""
    settings: dict[str, str] = {}
    for text in texts:
        key, separator, value = text.partition("=")
        if not separator or not key:
            raise UserError(f"{option} {text!r}: write {option} KEY=VALUE")
        if key in settings:
            raise UserError(f"{option} {key}: is given twice; leave one out")
        settings[key] = value
    return settings


def read_settings(
    provided: Mapping[str, Any], hints: Mapping[str, Any], where: str, remedy: str = ""
) -> dict[str, Any]:
    """Parse option values from user input.

    Args:
        provided: option -> text, or a value of a TOML file.
        hints: option -> type, of every option that there is.
        where: what stands before their names in a message, e.g. ``-J ``.
        remedy: said after the nearest name of an unknown one.

    Raises:
        UserError: an option is unknown (names the nearest one), or a value is of
            another type.
    """
    for name in provided:
        if name not in hints:
            message = f"{where}{name}: is unknown; {nearest(name, hints)}"
            raise UserError(f"{message} {remedy}".rstrip())
    values: dict[str, Any] = {}
    for name, value in provided.items():
        values[name] = value_of(name, value, hints[name], where)
    return values


def value_of(name: str, value: Any, hint: Any, where: str) -> Any:
    """Convert a text, or a value of a TOML file, to this type; others are refused."""
    base = without_none(hint)
    for choice in choices_of(hint):
        if str(choice) == str(
            value
        ):  # 1 of a file and "1" of a command line are one choice
            return choice
    if get_origin(base) is tuple:
        parts = value.split(",") if isinstance(value, str) else value
        if isinstance(parts, list) and all(isinstance(part, str) for part in parts):
            names = [part.strip() for part in parts]
            return tuple(name for name in names if name not in ("", "none"))
    elif base is bool:
        result = _BOOLEANS.get(value.lower()) if isinstance(value, str) else value
        if isinstance(result, bool):
            return result
    elif base in (int, float):
        return _number(name, value, base, where)
    elif isinstance(
        value, str
    ):  # paths and choices are checked by the options themselves
        return value
    wanted = {bool: "true or false", tuple: "names, separated by commas"}
    kind = wanted.get(get_origin(base) or base, "a text")
    raise UserError(f"{where}{name}: {value!r:.60} is not {kind}")


def _number(name: str, value: Any, kind: type, where: str) -> Any:
    try:
        if isinstance(value, bool | list | dict) or (
            kind is int and isinstance(value, float)
        ):
            raise ValueError
        number = kind(value)
        if not isfinite(number):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        wanted = "a whole number" if kind is int else "a number"
        raise UserError(f"{where}{name}: {value!r:.60} is not {wanted}") from None
    return number


def without_none(hint: Any) -> Any:
    """Return a type without its ``None``, where it has one."""
    if get_origin(hint) not in (Union, UnionType):
        return hint
    (base, *_) = [part for part in get_args(hint) if part is not NoneType]
    return base


def texts_to_paths(options: Any) -> None:
    """Turn new frozen options' texts and ``os.PathLike`` values into paths."""
    for option in fields(options):
        value = getattr(options, option.name)
        if "Path" not in str(option.type) or value is None or isinstance(value, Path):
            continue
        try:
            object.__setattr__(options, option.name, Path(value))
        except TypeError:
            raise UserError(
                f"{option.name}: {value!r:.60} is no path; give a text"
            ) from None
