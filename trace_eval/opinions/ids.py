"""Ids of labels, as the judgements beside them call the same items."""

from __future__ import annotations

from collections import Counter
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
    stray = np.full(len(ids), bool(about))
    for one in about:
        stray &= one.find(ids) < 0
    if not stray.any():
        return ids
    judged_ids: dict[str, str] = {}  # name in one Unicode form -> as judged
    paths: set[tuple[str, str]] = set()
    for one in about:
        names = one.ids.tolist()
        judged_ids.update((one_form(str(name)), str(name)) for name in names)
        for name, path in zip(names, one.facts.get("recording", ()), strict=False):
            paths.add((name, stem(str(path))))
    padded = _by_unpadded(judged_ids.values())
    items = {depth: _by_last_parts(paths, depth) for depth in range(1, _PARTS + 1)}
    ids = ids.copy()
    for row in np.flatnonzero(stray).tolist():
        plain = stem(str(ids[row]))
        last = plain.split("/")[-_PARTS:]
        if plain in judged_ids:
            ids[row] = judged_ids[plain]
        elif unpadded(plain) in padded:
            ids[row] = padded[unpadded(plain)]
        else:
            ids[row] = items[len(last)].get("/".join(last)) or ids[row]
    return ids


def _by_unpadded(names: Iterable[str]) -> dict[str, str]:
    """Map names without leading zeros of their numbers to names, where that is one."""
    short_names = {name: unpadded(name) for name in names}
    times = Counter(short_names.values())
    return {short: name for name, short in short_names.items() if times[short] == 1}


def _by_last_parts(
    paths: Iterable[tuple[str, str]], depth: int
) -> dict[str, str | None]:
    """Map each recording's last parts of its name to its item; None if shared."""
    items: dict[str, str | None] = {}
    for name, path in paths:
        last = "/".join(path.split("/")[-depth:])
        items[last] = name if items.get(last, name) == name else None
    return items
