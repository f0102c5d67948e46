"""A cluster in simulated time: shards of clips over nodes that start, are killed and return.

The same rules as the Ray engine: a shard belongs to one worker, a killed node's shards are
done again from the start by whoever is free, finished ones never.
"""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Nodes:
    """What is rented.

    Attributes:
        count: nodes.
        workers: clips that each works on at once: its cores, or its GPU's share.
        start_s: from asking for a node to its first clip.
        life_h: mean hours until a node is taken away (spot), exponential; None: never.
        usd_per_h: price of a node.
    """

    count: int
    workers: int
    start_s: float = 180.0
    life_h: float | None = None
    usd_per_h: float = 0.0


@dataclass(frozen=True)
class Outcome:
    """What a job came to.

    Attributes:
        hours: from asking for the nodes to the last shard.
        node_hours: rented in all.
        usd: what they cost.
        killed: nodes that were taken away.
        repeated: share of the work that was done twice.
        busy: share of the rented workers' time that went into shards that counted.
    """

    hours: float
    node_hours: float
    usd: float
    killed: int
    repeated: float
    busy: float


class Event(NamedTuple):
    """Something that will happen to a node: it is up, it is gone, or a shard is done."""

    at: float
    order: int
    node: int
    what: str
    shard: int = -1


class Cluster:
    """The state of a job at one moment; :func:`simulate` runs it to its end."""

    def __init__(self, shards_s: npt.NDArray[np.float64], nodes: Nodes, seed: int) -> None:
        self.shards_s, self.nodes = shards_s, nodes
        self.rng = np.random.default_rng(seed)
        self.waiting = deque(range(len(shards_s)))
        self.events: list[Event] = []
        self.orders, self.names = count(), count()
        self.rented_at: dict[int, float] = {}
        self.running: dict[int, dict[int, float]] = {}
        self.now = self.wasted_s = self.rented_s = 0.0
        self.killed = self.done = 0
        for _ in range(nodes.count):
            self.rent()

    def tell(self, delay: float, node: int, what: str, shard: int = -1) -> None:
        """Let something happen later."""
        event = Event(self.now + delay, next(self.orders), node, what, shard)
        heapq.heappush(self.events, event)

    def rent(self) -> None:
        """Ask for a node."""
        node = next(self.names)
        self.rented_at[node] = self.now
        self.tell(self.nodes.start_s, node, "up")
        if self.nodes.life_h is not None:
            self.tell(self.rng.exponential(self.nodes.life_h * 3600), node, "gone")

    def feed(self, node: int) -> None:
        """Give a node's free workers something to do."""
        while self.waiting and len(self.running[node]) < self.nodes.workers:
            shard = self.waiting.popleft()
            self.running[node][shard] = self.now
            self.tell(float(self.shards_s[shard]), node, "done", shard)

    def step(self) -> None:
        """Let the next thing happen."""
        event = heapq.heappop(self.events)
        if event.node not in self.rented_at:
            return  # its node is gone
        self.now = event.at
        if event.what == "up":
            self.running[event.node] = {}
            self.feed(event.node)
        elif event.what == "done":
            del self.running[event.node][event.shard]
            self.done += 1
            self.feed(event.node)
        else:
            self.lose(event.node)

    def lose(self, node: int) -> None:
        """A node is gone: its shards begin anew elsewhere, and another one is asked for."""
        self.killed += 1
        self.rented_s += self.now - self.rented_at.pop(node)
        for shard, since in self.running.pop(node, {}).items():
            self.wasted_s += self.now - since
            self.waiting.appendleft(shard)
        self.rent()
        for other in self.running:
            self.feed(other)


def simulate(shards_s: npt.NDArray[np.float64], nodes: Nodes, seed: int = 0) -> Outcome:
    """Run shards of these lengths, seconds on one worker [shape=(n,)], on the nodes."""
    cluster = Cluster(shards_s, nodes, seed)
    while cluster.done < len(shards_s):
        cluster.step()
    rented_s = cluster.rented_s + sum(cluster.now - at for at in cluster.rented_at.values())
    work_s = float(shards_s.sum())
    return Outcome(
        hours=cluster.now / 3600,
        node_hours=rented_s / 3600,
        usd=rented_s / 3600 * nodes.usd_per_h,
        killed=cluster.killed,
        repeated=cluster.wasted_s / work_s,
        busy=work_s / (rented_s * nodes.workers),
    )
