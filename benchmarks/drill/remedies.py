"""Remedies of refused commands, typed as printed: the refusal must go or change."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from tests.support.forked import Done
from tests.support.remedies import remedies

#: Remedies that are typed as they stand; what follows the option is no word of the
#: sentence.
TYPED = re.compile(
    r"--(map|column) '?\S+=\S+|--scale \S+\.\.\S+|--missing drop|--dimension [a-z_]+$"
)

#: Blank of a remedy -> what somebody may fill in, whatever the values mean.
FILLED: Mapping[str, str] = {
    "LABEL": "missing",
    "NUMBER": "missing",
    "END_OF_A": "1",
    "END_OF_B": "9",
    "WORST": "0",
    "BEST": "100",
}

#: Runs a command.
Run = Callable[[Sequence[object]], Done]


def followed(command: Sequence[object], done: Done, run: Run) -> dict[str, Done]:
    """Type each remedy of a refusal after the command; empty where there is none."""
    results = {}
    said = _said(done)
    for remedy in remedies(said):
        if any(f"has no {one.split()[0]}" in said for one in remedy.options):
            continue
        words = remedy.words(**FILLED)
        if "COLUMN" in remedy.blanks or not all(map(TYPED.match, remedy.options)):
            continue
        results[" ".join(words)] = run([*command, *words])
    return results


def unchanged(done: Done, again: Done) -> bool:
    """Return whether a command is still refused for the same reason.

    ``again`` ran after the remedy of ``done`` was followed.
    """
    return again.code == done.code and _said(again) == _said(done)


def unknown(again: Done) -> bool:
    """Whether a remedy names an option that the command does not have."""
    return "No such option" in _said(again)


def _said(done: Done) -> str:
    return " ".join(done.err.split())
