"""What a million pairs cost: one machine, a Ray cluster, an API; written into docs/scale.md.

    python -m benchmarks.scale_paper            # from benchmarks/results, measures nothing
    python -m benchmarks.scale_paper --ray      # first times one and two local Ray nodes

Every figure is computed from stored results (extract, judge_overhead, tokens, ray) and from the
assumptions of :mod:`benchmarks.scale`. A cluster of eight nodes is the simulation of
:mod:`benchmarks.cluster` with the share of two nodes' speed that two local nodes kept.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.cluster import Nodes, simulate
from benchmarks.memory import make_pairs
from benchmarks.report import RESULTS, save
from benchmarks.scale import (
    CALL_S,
    CALLS_PER_PAIR,
    CLIPS_PER_PAIR,
    IN_FLIGHT,
    KEPT,
    LENGTH_S,
    MILLION,
    MODEL,
    TOKENS,
    shards,
)
from trace_eval.judges.chat.prices import Price, find_price

PAGE = Path(__file__).resolve().parent.parent / "docs" / "scale.md"
BEGIN, END = "<!-- million: python -m benchmarks.scale_paper -->", "<!-- million: end -->"

#: Pairs of 6 s answers that the local nodes extract (batches have 64 clips, and each node needs
#: some), and tokens a minute of a rate limit.
RAY_PAIRS, TOKENS_PER_MINUTE = 128, (2_000_000, 10_000_000)

#: Cores of a node of the cluster, and how many nodes there are.
NODES, CORES = 8, 16


def stored(name: str) -> dict[str, Any]:
    """Results of another benchmark."""
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return found


def two_of_one() -> tuple[float, str]:
    """Share of twice one's speed that two kept, and what they were."""
    if (RESULTS / "ray.json").is_file():
        return float(stored("ray")["kept of two nodes"]), "two local Ray nodes"
    return float(stored("scale")["scaling"]) / 2, "two worker processes (no Ray node was timed)"


def seconds_on(nodes: int, folder: Path) -> float:
    """Wall seconds of the extract command on so many local Ray nodes of one core each."""
    from ray.cluster_utils import Cluster

    cores = os.sched_getaffinity(0)
    # A node may use what cores there are, whatever it says that it has.
    os.sched_setaffinity(0, sorted(cores)[:nodes])
    out = Path(tempfile.mkdtemp(dir=folder))
    node = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    try:
        for _ in range(nodes - 1):
            cluster.add_node(**node)
        command = [sys.executable, "-m", "trace_eval", "extract", str(folder / "pairs")]
        command += ["--out", str(out / "found"), "--cache", str(out / "cache")]
        command += ["-X", "engine=ray", "-X", f"ray_address={cluster.address}"]
        started = time.monotonic()
        subprocess.run(command, check=True, capture_output=True)
        return time.monotonic() - started
    finally:
        cluster.shutdown()
        os.sched_setaffinity(0, cores)


def on_ray(pairs: int) -> dict[str, Any]:
    """One and two local nodes, each with half and with all of the clips: what starting takes."""
    with tempfile.TemporaryDirectory() as name:
        times = {}
        for share in (pairs // 2, pairs):
            folder = Path(name, str(share))
            folder.mkdir()
            make_pairs(folder / "pairs", share, 6.0)
            for nodes in (1, 2):
                times[nodes, share] = seconds_on(nodes, folder)
    # What both have in common, the start, falls out of the difference.
    per_clip = {n: (times[n, pairs] - times[n, pairs // 2]) / pairs for n in (1, 2)}
    return {
        "pairs": pairs,
        "seconds": {f"{n} nodes, {share} pairs": t for (n, share), t in times.items()},
        "seconds per clip of 6 s": {str(n): value for n, value in per_clip.items()},
        "kept of two nodes": per_clip[1] / per_clip[2] / 2,
    }


def machines(cost: float, kept: float, judge_h: float) -> list[list[str]]:
    """Hours and dollars of extraction, and what takes longer: it, or the judge's calls."""
    work = shards(MILLION, cost * LENGTH_S)
    rows = []
    for name, nodes, share in (
        ("this machine, 2 cores", Nodes(1, 2, usd_per_h=2 * KEPT), 1.0),
        ("one machine of 64 cores", Nodes(1, 64, usd_per_h=64 * KEPT), 1.0),
        (f"Ray, {NODES} nodes of {CORES}", Nodes(NODES, CORES, usd_per_h=CORES * KEPT), kept),
    ):
        found = simulate(work / share, nodes)
        first = "extraction" if found.hours > judge_h else "calls of the judge"
        rows.append([name, f"{found.hours:,.0f}", f"{found.usd:,.0f}", first])
    return rows


def by_api(price: Price, calls: dict[str, Any]) -> list[list[str]]:
    """Tokens, dollars and hours of the judge's calls, by rendering."""
    number = MILLION * CALLS_PER_PAIR
    rows = []
    for rendering in ("paper", "compact", "brief"):
        tokens, static = calls[rendering]["mean"], calls[rendering]["static part"]
        cached = price.cached if price.cached is not None else price.input
        plain = number * (tokens * price.input + TOKENS[1] * price.output) / 1e6
        saved = number * static * (price.input - cached) / 1e6
        limited = [number * (tokens + TOKENS[1]) / limit / 60 for limit in TOKENS_PER_MINUTE]
        rows.append(
            [
                f"`{rendering}`",
                f"{tokens:,.0f}",
                f"{number * tokens / 1e9:,.1f}",
                f"{plain:,.0f}",
                f"{plain - saved:,.0f}",
                *(f"{hours:,.0f}" for hours in limited),
            ]
        )
    return rows


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """A table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def page() -> str:
    """The part of docs/scale.md that comes from results."""
    cost = stored("extract")["cpu_s_per_audio_s"]["all"]
    price = find_price(*MODEL)
    if price is None:
        raise SystemExit(f"{MODEL} is in no price table")
    kept, by = two_of_one()
    own_ms = stored("judge_overhead")["CPU per call"]["CPU ms per call"]
    calls = MILLION * CALLS_PER_PAIR
    judge_h = calls * CALL_S / IN_FLIGHT / 3600
    limits = [f"hours at {n / 1e6:g} M tokens/min" for n in TOKENS_PER_MINUTE]
    answers = MILLION * CLIPS_PER_PAIR
    return "\n\n".join(
        [
            f"A million pairs are {answers:,} answers of {LENGTH_S:g} s, of which a second takes"
            f" {cost:.3f} CPU s; {by} kept {kept:.0%} of twice the speed of one.",
            markdown(
                ["extraction", "hours", "US$", "takes longest"], machines(cost, kept, judge_h)
            ),
            f"The judge's {calls:,} calls, both orders with `{MODEL[1]}` and replies of"
            f" {TOKENS[1]} tokens: {judge_h:.0f} hours at {IN_FLIGHT} calls of {CALL_S:g} s in"
            f" flight, {calls * own_ms / 3.6e6:.1f} CPU hours of the command.",
            markdown(
                [
                    "rendering",
                    "tokens in a call",
                    "10⁹ tokens in",
                    "US$",
                    "US$, static part cached",
                    *limits,
                ],
                by_api(price, stored("tokens")["a call"]),
            ),
        ]
    )


def main() -> None:
    """Measure where asked to, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ray", action="store_true", help="time one and two local Ray nodes")
    if parser.parse_args().ray:
        save("ray", on_ray(RAY_PAIRS))
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{page()}\n\n{END}{after}")


if __name__ == "__main__":
    main()
