"""The simulation behind docs/scale.md, against what can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.cluster import Nodes, simulate


def test_equal_shards_fill_the_workers_evenly() -> None:
    # 10 shards of 60 s on 2 x 2 workers: three rounds, the last half empty; 30 s to start
    found = simulate(np.full(10, 60.0), Nodes(2, 2, start_s=30.0, usd_per_h=3.0))
    assert found.hours * 3600 == pytest.approx(30 + 3 * 60)
    assert found.node_hours * 3600 == pytest.approx(2 * 210)
    assert found.usd == pytest.approx(2 * 210 / 3600 * 3)
    assert found.busy == pytest.approx(600 / (2 * 2 * 210))
    assert (found.killed, found.repeated) == (0, 0)


def test_one_long_shard_decides() -> None:
    found = simulate(np.array([100.0, 1.0, 1.0]), Nodes(2, 1, start_s=0.0))
    assert found.hours * 3600 == pytest.approx(100)


def test_nodes_that_are_taken_away_cost_work_but_never_a_shard() -> None:
    work = np.full(2000, 300.0)
    kept = simulate(work, Nodes(4, 8, start_s=60.0))
    spot = simulate(work, Nodes(4, 8, start_s=60.0, life_h=1.0), seed=1)
    assert spot.killed > 10
    assert spot.hours > kept.hours
    # A shard of 5 minutes is lost half done on average, on 8 workers, once an hour per node.
    assert spot.repeated == pytest.approx(150 / 3600, rel=0.3)
    # Whatever was rented was busy, started, wasted or idle at the end.
    assert spot.node_hours <= spot.hours * 4 + 1e-9
