"""Remedies that errors print, found in their words and typed."""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

#: An option of a remedy, with its value, quoted or not.
_OPTION = re.compile(
    r"--[a-z][a-z-]*(?:[ =](?:'[^']*'(?:\"'\"'[^']*')*|\"[^\"]*\"|[^\s;,()]+(?:,[^\s;,()]+)*))?"
)

#: What stands where only the user knows the meaning.
BLANKS = ("LABEL", "NUMBER", "COLUMN", "END_OF_A", "END_OF_B", "WORST", "BEST")


class Remedy(NamedTuple):
    """Options that a message prints one after the other, as they are typed."""

    options: tuple[str, ...]

    @property
    def blanks(self) -> tuple[str, ...]:
        """The blanks that are to be filled."""
        typed = " ".join(self.options)
        return tuple(blank for blank in BLANKS if blank in typed)

    @property
    def has_values(self) -> bool:
        """Whether an option stands with its value, as opposed to by its name alone."""
        return any(" " in option for option in self.options)

    def words(self, **filled: str) -> list[str]:
        """Return a command line's words, with blanks filled in their order."""
        typed = " ".join(self.options)
        for blank, value in filled.items():
            typed = typed.replace(blank, value)
        return shlex.split(typed)


def remedies(message: str) -> list[Remedy]:
    """Return all remedies of a message; options side by side are one of them."""
    every: list[Remedy] = []
    end = None
    for one in _OPTION.finditer(message):
        text = one.group().rstrip(".")
        if text.endswith(":"):  # what was typed and is refused
            continue
        if end is not None and message[end : one.start()] == " ":
            every[-1] = Remedy((*every[-1].options, text))
        else:
            every.append(Remedy((text,)))
        end = one.end()
    return [remedy for remedy in every if remedy.has_values]
