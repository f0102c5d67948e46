"""Options of ``compare``."""

from __future__ import annotations

from dataclasses import dataclass, field

from blueprints import UserError
from trace_eval.data.settings import option_field, with_groups
from trace_eval.estimate.options import BootstrapOptions


@with_groups
@dataclass(frozen=True)
class CompareOptions:
    """How runs are compared.

    Attributes:
        bootstrap: resamples, level and seed of the intervals.
        cluster: draw whole instructions instead of items, where there are human labels.
        top: pairs to list where the runs are furthest apart.
    """

    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)
    cluster: bool = False
    top: int = option_field(10, shown=False)


@with_groups
@dataclass(frozen=True)
class ChangeOptions:
    """How a judge change is looked at.

    Attributes:
        bootstrap: resamples, level and seed of the intervals.
        margin: shift of points, 0 to 1, that is called no difference.
        top: flipped items and groups that are listed.
        truth: human labels in a table FILE:COLUMN.
        keys: columns that together name a system of a board; may be repeated; None: system.
        items: items behind each win rate of a board.
    """

    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions, metadata={"shown": False})
    margin: float = 0.02
    top: int = option_field(10, shown=False)
    truth: str | None = option_field(None, metavar="COLUMN")
    keys: tuple[str, ...] = option_field(("system",), flag="--key", metavar="COLUMN")
    items: int | None = option_field(None, min=2)

    def __post_init__(self) -> None:
        if not 0 < self.margin < 1:
            raise UserError(f"margin {self.margin:g}: give points between 0 and 1, e.g. 0.02")
