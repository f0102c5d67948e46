"""What is published of judges of naturalness, for the cards of such judges."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from blueprints import Strict
from trace_eval.data import strict_toml

#: The task of those judges.
NATURALNESS = "naturalness"


class Published(Strict):
    """Figures and sentences of the publication, for judge cards.

    Attributes:
        accuracy: (who, regular, expressive, all), in per cent of right pairs.
        known: what its readers must know.
        unknown: what it does not say.
    """

    source: str
    accuracy: tuple[tuple[str, float, float, float], ...]
    known: tuple[str, ...]
    unknown: tuple[str, ...]


@lru_cache(maxsize=1)
def published() -> Published:
    """What is published of judges of naturalness."""
    file = Path(__file__).with_suffix(".toml")
    return Published.model_validate(strict_toml.loads(file.read_bytes()))
