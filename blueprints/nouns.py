"""Numbers with their nouns, so that one is not said like many."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    Args:
        number: how many.
        one: the noun of one, with its verb where the sentence has one.
        many: the same of several; None: ``one`` with an ``s``.

    >>> counted(1, "pair"), counted(1200, "pair")
    ('1 pair', '1,200 pairs')
    >>> counted(1, "reply was", "replies were"), counted(0, "reply was", "replies were")
    ('1 reply was', '0 replies were')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
