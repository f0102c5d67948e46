"""When a finite strength exists: Ford (1957), Zermelo (1929).

Draw an arrow from each system to every system that it beat or tied with. All strengths are
finite exactly when every system can reach every other one: otherwise some group never lost
to the rest, and the data are best explained by an infinite distance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def reach(beats: NDArray[Any]) -> NDArray[np.bool_]:
    """Transitive closure of ``beats[..., i, j]`` (i beat or tied with j), each system its own."""
    size = beats.shape[-1]
    closed = (beats > 0) | np.eye(size, dtype=bool)
    steps = 1
    while steps < size:
        closed = (closed.astype(np.float32) @ closed.astype(np.float32)) > 0
        steps *= 2
    return np.asarray(closed)


def connected(beats: NDArray[Any]) -> NDArray[np.bool_]:
    """True where all strengths are finite [shape=(...)]."""
    return np.asarray(reach(beats).all((-2, -1)))


def explain(beats: NDArray[Any], systems: tuple[str, ...]) -> str | None:
    """Why there is no finite strength, naming the systems; None when there is."""
    ways = reach(beats)
    if ways.all():
        return None
    for index, system in enumerate(systems):
        others = [i for i in range(len(systems)) if i != index]
        if not beats[index, others].any():
            return f"{system} has no win and no tie: its strength is minus infinity"
        if not beats[others, index].any():
            return f"{system} has no loss and no tie: its strength is infinite"
    first = int(np.flatnonzero(~ways.all(1))[0])
    unreached = [name for name, way in zip(systems, ways[first], strict=True) if not way]
    if not ways[:, first][~ways[first]].any():
        return (
            f"{', '.join(unreached)} were never compared, even through others, with"
            f" {systems[first]}: their distance is unknown"
        )
    return f"{', '.join(unreached)} never lost to or tied with the rest: the distance is infinite"
