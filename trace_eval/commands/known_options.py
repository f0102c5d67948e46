"""Options that an error names, held against those of the command that prints it.

The rooms below know what mends an error, and not which command was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from trace_eval.commands.listing import ImportedOnUse

#: Options of remedies that not every command has -> what to do where there is none.
INSTEAD = {
    "--map": "write what each means into the file, or leave it empty",
    "--scale": "write the labels as 1, 2 and tie, or scores on one scale",
    "--column": "name the column so in the file",
    "--where": "leave these rows out of the file",
    "--judge": "leave the rows of one judge in the file",
    "--dimension": "name that column overall in the file",
    "--rubric": "leave the rows of one rubric in the file",
    "--missing": "leave out what has no label, or no judgement",
    "--flip-b": "exchange A and B in the file",
    "--baseline": "name the other system in the file",
    "--audio-root": "correct the path where it is written",
    "--db": "name another file in its place",
}

#: An option of a command, or a setting behind ``-J`` or ``-X``.
_OPTION = re.compile(r"(?<![\w/-])(?:(--[a-z][a-z0-9-]*)(?![\w{-])|(-[JX]) [a-z_]+)")

#: A setting with its flag, name and value.
_SETTING = re.compile(r"(?<![\w/-])(-[JX]) ([a-z_]+)\b(?:=([\w./:-]+))?")

#: What stands before an option in its own clause.
_CLAUSE = re.compile(r"[^;:()]*\Z")

#: What is said of options that were typed, which is no remedy.
_OF_TYPED = re.compile(r"[^;:()]{0,120}\b(?:means? nothing|describe|belongs? to)\b")


def with_known_options(text: str, command: Any) -> str:
    """Say what to do in place of a remedy's options that this command does not have.

    An option is left alone where its clause names the command that has it: "judge again
    into a new --out".
    """
    own = _options(command)
    if not own:
        return text
    text = _behind_flags(_before_flags(text, own), own)
    for option in dict.fromkeys(_unknown(text, own)):
        text += f"; {command.name} has no {option}: {_instead(option)}"
    return text


def _unknown(text: str, own: frozenset[str]) -> Iterator[str]:
    """Yield the options that neither this command has nor one that its clause names."""
    for found in _OPTION.finditer(text):
        option = found[1] or found[2]
        if option in own or _OF_TYPED.match(text, found.end()):
            continue
        if _holders(option) and not _names_holder(text[: found.start()], option):
            yield option


def _names_holder(before: str, option: str) -> bool:
    """Whether the clause before an option names a command that has it."""
    clause = _CLAUSE.search(before)
    return clause is not None and not set(clause[0].split()).isdisjoint(
        _holders(option)
    )


def _instead(option: str) -> str:
    *most, last = _holders(option)[:3]
    return INSTEAD.get(
        option, f"it belongs to {', '.join(most)}{' and ' * bool(most)}{last}"
    )


@cache
def _holders(option: str) -> tuple[str, ...]:
    """Return the commands that take an option; this imports all of them."""
    commands = ImportedOnUse()
    return tuple(name for name in commands if option in _options(commands[name]))


def _options(command: Any) -> frozenset[str]:
    """Return the options of a command, or of all commands of a group."""
    names: set[str] = set()
    for inner in getattr(command, "commands", {}).values():
        names |= _options(inner)
    for parameter in getattr(command, "params", ()):
        names.update(parameter.opts, parameter.secondary_opts)
    return frozenset(names)


def _before_flags(text: str, own: frozenset[str]) -> str:
    """Write settings as a command without the flag takes them: ``--NAME VALUE``."""

    def written(found: re.Match[str]) -> str:
        option = f"--{found[2].replace('_', '-')}"
        if found[1] in own or option not in own:
            return found[0]
        if _names_holder(text[: found.start()], found[1]):
            return found[0]
        return option if found[3] is None else f"{option} {found[3]}"

    return _SETTING.sub(written, text)


def _behind_flags(text: str, own: frozenset[str]) -> str:
    """Write options of extraction as this command takes them: ``-X NAME=VALUE``."""
    from trace_eval.extracting.options import ExtractOptions

    if "-X" not in own:
        return text
    for name in (field.name for field in fields(ExtractOptions)):
        option = f"--{name.replace('_', '-')}"
        if option not in own:
            text = re.sub(rf"(?<![\w-]){option}[ =](?=\w)", f"-X {name}=", text)
            text = re.sub(rf"(?<![\w-]){option}(?![\w-])", f"-X {name}=VALUE", text)
    return text
