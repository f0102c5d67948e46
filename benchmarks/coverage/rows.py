"""The table of a study of coverage, which grows world by world, and its file.

Rows of worlds that the file has at that number of seeds or more are kept, so that a run
that was stopped goes on; remove the file to draw everything anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import RESULTS, machine
from trace_eval.opinions.opinions import Opinions

#: Coverage that 95 % intervals should have, at least and at most.
LEAST, MOST = 0.935, 0.97

Row = dict[str, Any]
Array = NDArray[np.float64]

#: World -> its row, from a number of seeds.
Worlds = Mapping[str, Callable[[int], Row]]


def rng_of(name: str, *seed: int) -> np.random.Generator:
    """Random numbers of a world: its own, whatever is drawn beside it."""
    return np.random.default_rng([*seed, crc32(name.encode())])


def opinions(who: str, codes: Array, **facts: Any) -> Opinions:
    """Return one rater's labels of ``p0``, ``p1``, and so on.

    Facts are lists of texts, or arrays of numbers.
    """
    ids = np.array([f"p{number}" for number in range(len(codes))], object)
    columns = {
        name: column if isinstance(column, np.ndarray) else np.array(column, object)
        for name, column in facts.items()
    }
    return Opinions(who, ids, {"preference": codes.astype(np.int8)}, facts=columns)


def share(hits: int, draws: int) -> Row:
    """Return a share of the draws with its exact 95 % interval."""
    from scipy.stats import binomtest

    low, high = binomtest(hits, draws).proportion_ci() if draws else (0.0, 1.0)
    return {"share": hits / draws if draws else None, "from": low, "to": high}


def shown(value: object) -> str:
    """Format a cell: a share with its interval, coverage, or a number."""
    if isinstance(value, float):
        return f"{value:.3g}"
    if not isinstance(value, dict):
        return str(value)
    if value.get("share", value.get("held", "")) is None:
        return "-"
    if "share" in value:
        return f"{value['share']:.1%} [{value['from']:.1%}, {value['to']:.1%}]"
    if {"held", "given"} <= value.keys():  # ranks have shares by method under held
        return f"{value['held']:.1%} of {value['given']:.0%}"
    return ", ".join(f"{name} {shown(one)}" for name, one in value.items())


def table(
    name: str,
    worlds: Worlds,
    seeds: int,
    exact: Mapping[str, Mapping[str, float]] | None = None,
) -> None:
    """Draw every world, print its row, and store it at once.

    Args:
        name: of the file among the results.
        worlds: what to draw.
        seeds: of every world.
        exact: heading -> shares that need no draws, stored besides.
    """
    path, exact = RESULTS / f"{name}.json", exact or {}
    rows: dict[str, Row] = (
        json.loads(path.read_text())["worlds"] if path.exists() else {}
    )
    for world, draw in worlds.items():
        if rows.get(world, {}).get("seeds", 0) < seeds:
            start = process_time()
            row = {"seeds": seeds, **draw(seeds)}
            rows[world] = {**row, "cpu seconds": round(process_time() - start, 1)}
            ordered = {name: rows[name] for name in worlds if name in rows}
            stored = {"machine": machine(), "worlds": ordered, **exact}
            path.write_text(json.dumps(stored, indent=1) + "\n")
        print(f"| {world} | {shown(rows[world])} |", flush=True)
    for heading, shares in exact.items():
        print(f"{heading}: {shown(shares)}")
