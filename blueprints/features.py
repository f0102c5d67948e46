"""Names of feature groups, for renderings that leave some of them out."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from blueprints.blueprint import GROUPS
from blueprints.errors import UserError

#: Names that stand for several groups; ``properties`` is the TRACE paper's word.
ALIASES: dict[str, tuple[str, ...]] = {"properties": ("pitch", "loudness", "rate")}


def feature_groups(names: Collection[str], extensions: Iterable[str] = ()) -> frozenset[str]:
    """The groups that ``names`` stands for, aliases resolved.

    Raises:
        UserError: a name is neither a group, nor an alias, nor one of ``extensions``.
    """
    if isinstance(names, str):
        raise UserError(f"drop {names!r}: give a list of groups, e.g. [{names!r}]")
    available = {*GROUPS, *extensions}
    results: set[str] = set()
    for name in names:
        if name not in available and name not in ALIASES:
            raise UserError(
                f"drop {name!r}: no such feature group; use {', '.join((*GROUPS, *ALIASES))}"
            )
        results.update(ALIASES.get(name, (name,)))
    return frozenset(results)
