"""The order of items and answers for each rater, and items with enough raters."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256

from trace_eval.data.outcome import Order
from trace_eval.review.forms import NO_SCORE
from trace_eval.review.views import StoredAnswer, StoreView

#: How long an item is kept for a rater who began it, seconds.
LEASE_S = 1800.0


def shown_order(seed: int, rater: str, item: str, repeat: int) -> Order:
    """Toss a fair coin per item, rater and repetition for which answer comes first."""
    digest = _digest("order", str(seed), rater, item, str(repeat))
    return "ba" if digest[0] & 1 else "ab"


def _digest(*parts: str) -> bytes:
    """Hash some texts, so that a rater's order is the same whenever it is asked for."""
    return sha256("\0".join(parts).encode()).digest()


def rater_order(seed: int, rater: str, tasks: Sequence[tuple[str, int]]) -> list[int]:
    """Return a random order of tasks for one rater; repetitions come last."""

    def place(task: int) -> tuple[int, bytes]:
        item, repeat = tasks[task]
        return repeat, _digest("place", str(seed), rater, item)

    return sorted(range(len(tasks)), key=place)


def disputed_items(
    views: Iterable[StoreView], answers: Iterable[StoredAnswer], step: str
) -> set[str]:
    """Return the items to whose question raters gave different scores."""
    first = {view.number for view in views if view.finished and view.repeat == 0}
    scores: dict[str, set[str]] = {}
    for answer in answers:
        if answer.view in first and answer.step == step and answer.value != NO_SCORE:
            scores.setdefault(answer.item, set()).add(answer.value)
    return {item for item, different in scores.items() if len(different) > 1}


def full_items(
    views: Iterable[StoreView],
    rater: str,
    raters: int,
    disputed: Collection[str] = frozenset(),
) -> set[str]:
    """Return the items that enough others have rated, or are rating now.

    Whoever began an item and left gives the place back after a while. Disputed items
    need one more rater.
    """
    since = time.time() - LEASE_S
    others: dict[str, int] = {}
    for view in views:
        held = view.finished is not None or view.started > since
        if held and view.rater != rater and view.repeat == 0:
            others[view.item] = others.get(view.item, 0) + 1
    full: set[str] = set()
    for item, number in others.items():
        needed = raters + 1 if item in disputed else raters
        if number >= needed:
            full.add(item)
    return full


def shuffled_for(names: Iterable[str], view: StoreView, seed: int) -> list[str]:
    """Return the answers of a page in a random order for one rater."""

    def place(name: str) -> bytes:
        repeat = str(view.repeat)
        return _digest("page", str(seed), view.rater, view.item, repeat, name)

    return sorted(names, key=place)
