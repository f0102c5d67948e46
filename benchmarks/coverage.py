"""What the coverage benchmarks share: a table that grows world by world, and its file.

Rows of worlds that the file has at that number of seeds or more are kept, so that a run that was
stopped goes on; remove the file to draw everything anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from time import process_time
from typing import Any

from benchmarks.report import RESULTS, machine
from trace_eval.estimate.interval import Range

#: Coverage that 95 % intervals should have, at least and at most.
LEAST, MOST = 0.935, 0.97

Row = dict[str, Any]

#: A world by its name: draws so many seeds and says what was found.
Worlds = Mapping[str, Callable[[int], Row]]


def share(hits: int, draws: int) -> Row:
    """A share of the draws with its exact 95 % interval."""
    from scipy.stats import binomtest

    low, high = binomtest(hits, draws).proportion_ci() if draws else (0.0, 1.0)
    return {"share": hits / draws if draws else None, "from": low, "to": high}


def shown(result: Row) -> str:
    """A share with its interval, for people; nothing was drawn: a dash."""
    if result["share"] is None:
        return "-"
    bounds: Range = result["from"], result["to"]
    return f"{result['share']:.1%} [{bounds[0]:.1%}, {bounds[1]:.1%}]"


def table(
    name: str,
    worlds: Worlds,
    seeds: int,
    columns: Mapping[str, Callable[[Row], str]],
    exact: Mapping[str, Mapping[str, float]] | None = None,
) -> None:
    """Draw every world, print its row in Markdown, and store it at once.

    Args:
        name: of the file among the results.
        worlds: what to draw.
        seeds: of every world.
        columns: what to print of a row, by heading.
        exact: shares that need no draws, by heading, to be printed below and stored besides.
    """
    path = RESULTS / f"{name}.json"
    rows: dict[str, Row] = json.loads(path.read_text())["worlds"] if path.exists() else {}
    rows = {world: rows[world] for world in worlds if world in rows}

    def store() -> None:
        ordered = {name: rows[name] for name in worlds if name in rows}
        stored = {"machine": machine(), "worlds": ordered, **(exact or {})}
        path.write_text(json.dumps(stored, indent=1) + "\n")

    print("| world | seeds |", " | ".join(columns), "|")
    print("|---|---|" + "---|" * len(columns))
    for world, draw in worlds.items():
        if rows.get(world, {}).get("seeds", 0) < seeds:
            start = process_time()
            result = draw(seeds)
            rows[world] = {
                "seeds": seeds,
                **result,
                "cpu seconds": round(process_time() - start, 1),
            }
            store()
        row = rows[world]
        cells = " | ".join(print_cell(row) for print_cell in columns.values())
        print(f"| {world} | {row['seeds']} | {cells} |", flush=True)
    for heading, shares in (exact or {}).items():
        print(f"\n{heading}:", ", ".join(f"{what}: {at:.1%}" for what, at in shares.items()))
    store()
