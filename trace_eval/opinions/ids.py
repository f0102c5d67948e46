"""Ids of labels, as the judgements beside them call the same items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from trace_eval.data.file_names import one_form, stem, unpadded
from trace_eval.opinions.cells import Texts
from trace_eval.opinions.opinions import Opinions

#: Parts of a recording's name that are compared at most.
_PARTS = 4


def as_judged(ids: Texts, about: Sequence[Opinions]) -> Texts:
    """Return ids as judgements have them: ``q1.wav`` is ``q1``, and ``7`` is ``007``.

    One Unicode form stands for the other, as archives of macOS have it. The name of a
    recording stands for the item whose recording it is, where only one is.
    """
    is_stray = np.full(len(ids), bool(about))
    for judgements in about:
        is_stray &= judgements.find(ids) < 0
    if not is_stray.any():
        return ids
    judged_names = _JudgedNames(about)
    ids = ids.copy()
    for row in np.flatnonzero(is_stray).tolist():
        ids[row] = judged_names.of(str(ids[row])) or ids[row]
    return ids


class _JudgedNames:
    """The ids of judged items, by the other ways in which they may be written."""

    def __init__(self, judgements_of_judges: Sequence[Opinions]) -> None:
        self._by_one_form: dict[str, str] = {}
        paths: set[tuple[str, str]] = set()
        for judgements in judgements_of_judges:
            names = judgements.ids.tolist()
            for name in names:
                self._by_one_form[one_form(str(name))] = str(name)
            recordings = judgements.facts.get("recording", ())
            for name, recording in zip(names, recordings, strict=False):
                paths.add((name, stem(str(recording))))
        self._by_unpadded = _by_unpadded(self._by_one_form.values())
        self._by_last_parts: dict[int, dict[str, str | None]] = {}
        for number_of_parts in range(1, _PARTS + 1):
            by_parts = _by_last_parts(paths, number_of_parts)
            self._by_last_parts[number_of_parts] = by_parts

    def of(self, name: str) -> str | None:
        """Return the id of the item that a name stands for; None for no single one."""
        plain = stem(name)
        if plain in self._by_one_form:
            return self._by_one_form[plain]
        if unpadded(plain) in self._by_unpadded:
            return self._by_unpadded[unpadded(plain)]
        parts = plain.split("/")[-_PARTS:]
        return self._by_last_parts[len(parts)].get("/".join(parts))


def _by_unpadded(names: Iterable[str]) -> dict[str, str]:
    """Map names without leading zeros of their numbers to names, where that is one."""
    names_of_short: dict[str, list[str]] = defaultdict(list)
    for name in names:
        names_of_short[unpadded(name)].append(name)
    only_names: dict[str, str] = {}
    for short, full_names in names_of_short.items():
        if len(full_names) == 1:
            only_names[short] = full_names[0]
    return only_names


def _by_last_parts(
    paths: Iterable[tuple[str, str]], number_of_parts: int
) -> dict[str, str | None]:
    """Map the last parts of each recording's path to its item; None if shared.

    Args:
        paths: item and path of each recording, the path without its ending.
    """
    items: dict[str, str | None] = {}
    for item, path in paths:
        last_parts = "/".join(path.split("/")[-number_of_parts:])
        is_shared = items.get(last_parts, item) != item
        items[last_parts] = None if is_shared else item
    return items
