"""What became of a claim, and what it was checked against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from blueprints import Blueprint


@dataclass(frozen=True)
class Finding:
    """The outcome of checking a claim: ``holds`` is None where it cannot be checked."""

    holds: bool | None
    why: str


@dataclass(frozen=True)
class ShownAnswers:
    """The blueprints of both answers by the place of showing, and the request.

    ``request``: its words; None: there are none.
    """

    places: Mapping[str, Blueprint]
    request: str | None = None
