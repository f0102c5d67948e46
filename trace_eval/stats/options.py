"""Options that mean something for labels alone, or for scores alone."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any

from blueprints import UserError

#: What a source holds: a label per pair, or a score per answer.
LABELS, SCORES = "labels", "scores"


def only(kind: str, flag: str, default: Any) -> Any:
    """A field of options that sources of one kind have.

    Args:
        kind: :data:`LABELS` or :data:`SCORES`.
        flag: its name on the command line.
        default: what it is if nobody asks.
    """
    return field(default=default, metadata={"kind": kind, "flag": flag})


def check(options: Any, kind: str) -> None:
    """Refuse what means nothing for sources that hold ``kind``.

    Raises:
        UserError: an option of the other kind is not at its default.
    """
    for option in fields(options):
        of = option.metadata.get("kind", kind)
        if of != kind and getattr(options, option.name) != option.default:
            raise UserError(
                f"{option.metadata['flag']} means nothing for {kind}, and the sources hold {kind};"
                " leave it out"
            )
