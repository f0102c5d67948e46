"""What a review refuses, each in one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Collection

from blueprints import UserError

#: Longest name of a rater, characters.
NAME_LIMIT = 60

#: The answers as they are shown, by the keys that play them.
SHOWN = ("a", "b")


def check_played(played: Collection[str]) -> None:
    """Refuse a rating of answers that were not both played.

    Raises:
        UserError: names those that were not.
    """
    if missing := [letter.upper() for letter in SHOWN if letter not in played]:
        raise UserError(f"play {' and '.join(missing)} first: a rating asks to have heard both")


def check_name(name: str) -> str:
    """A rater's name as it is stored.

    Raises:
        UserError: it is empty, too long, or holds control characters.
    """
    name = " ".join(name.split())
    if not name or len(name) > NAME_LIMIT or not name.isprintable():
        raise UserError(f"rater {name!r:.80}: give a name of 1 to {NAME_LIMIT} characters")
    return name


def check_for_pairs(ignored: Collection[str]) -> None:
    """Refuse what a review of single answers does not have.

    Raises:
        UserError: names the options.
    """
    if ignored:
        raise UserError(f"{', '.join(ignored)}: belong to reviews of pairs; leave them out")
