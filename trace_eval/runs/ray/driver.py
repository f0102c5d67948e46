"""The driver of a job: it hands shards to actors, and those of lost ones to others."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.extracting.ray.cluster import Size
from trace_eval.runs.ray.desk import Desk
from trace_eval.runs.ray.judger import Common, Judged, Judger, ShardToJudge

#: Seconds between two looks at the cluster.
_TICK_S = 1.0

#: Tries of a shard that ended its worker, or whose judge could not be reached. Tries on
#: a node that was lost are not counted.
TRIES = 3


@dataclass(frozen=True)
class JudgeJob:
    """The settings of the driver.

    Attributes:
        shards: name -> file with its :class:`~trace_eval.runs.ray.judger.ShardToJudge`,
            which may be written yet.
        ledger: of all calls, on this machine.
        most: actors at once; None: as many as there is room for.
        on_gpu: each wants a GPU where the cluster has any.
    """

    common: Common
    shards: dict[str, Path]
    ledger: Path
    most: int | None = None
    on_gpu: bool = False


@dataclass
class _Try:
    """One try of a shard, by an actor."""

    shard: str
    holder: str
    actor: Any


@dataclass
class _Crew:
    """The actors of a job and what they work on."""

    job: JudgeJob
    size: Size
    desk: Any
    common: Any
    waiting: deque[str]
    busy: dict[Any, _Try] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    succeeded: int = 0
    given_up: dict[str, str] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    def fill(self) -> None:
        """Start actors while shards wait and the cluster, as it is now, has room."""
        import ray

        resources = ray.cluster_resources()
        gpus = 1 if self.job.on_gpu and resources.get("GPU") else 0
        room = int(resources.get("GPU" if gpus else "CPU", 0.0))
        room = max(1, room if self.job.most is None else min(room, self.job.most))
        actor_of = ray.remote(Judger).options(
            num_cpus=1, num_gpus=gpus, max_restarts=0, scheduling_strategy="SPREAD"
        )
        while self.ready and len(self.busy) < room:
            self.give(actor_of.remote(self.common, self.desk))

    @property
    def ready(self) -> bool:
        """Whether a shard waits whose work is written."""
        return bool(self.waiting) and self.job.shards[self.waiting[0]].exists()

    def give(self, actor: Any) -> None:
        """Hand the next shard to an actor."""
        shard = self.waiting.popleft()
        holder = f"{shard}.{next(self.numbers)}"
        packed = self.job.shards[shard].read_bytes()
        self.busy[actor.judge.remote(holder, packed)] = _Try(shard, holder, actor)

    def finished(self) -> Iterator[Judged]:
        """Yield the shards that are done by now, after a tick at most."""
        import ray

        if not self.busy:  # the first shard is still being written
            time.sleep(_TICK_S)
            return
        done, _ = ray.wait(list(self.busy), num_returns=1, timeout=_TICK_S)
        for reference in done:
            attempt = self.busy.pop(reference)
            try:
                judged: Judged = ray.get(reference)
            except ray.exceptions.RayError as error:
                ray.kill(attempt.actor)
                self.lose(attempt, error)
                continue
            yield judged
            if judged.problem:
                self.again(attempt, judged)
            else:
                self.succeeded += 1
            if self.ready:
                self.give(attempt.actor)
            else:
                ray.kill(attempt.actor)

    def lose(self, attempt: _Try, error: Exception) -> None:
        """Put a shard back whose worker or node is gone."""
        import ray

        node = ray.get(self.desk.lost.remote(attempt.holder))
        alive = {each["NodeID"] for each in ray.nodes() if each["Alive"]}
        self.failures[attempt.shard] += node is None or node in alive
        self.retry(
            attempt.shard, f"its worker ended ({' '.join(str(error).split())[:300]})"
        )

    def again(self, attempt: _Try, judged: Judged) -> None:
        """Try a shard again whose judge could not be reached.

        Raises:
            UserError: no other try would do better.
        """
        import ray

        if not judged.passing:
            raise UserError(judged.problem)
        ray.get(self.desk.lost.remote(attempt.holder))
        if judged.files:
            path = self.job.shards[attempt.shard]
            work = ShardToJudge.unpacked(path.read_bytes())
            path.write_bytes(replace(work, before=judged.files).packed())
        self.failures[attempt.shard] += 1
        self.retry(attempt.shard, judged.problem)

    def retry(self, shard: str, problem: str) -> None:
        """Put a shard back, or give it up after several tries.

        Raises:
            UserError: the first tries of all shards failed: it is not the shards'
                fault.
        """
        if not self.succeeded and self.failures.total() >= TRIES:
            raise UserError(f"no shard could be judged: {problem}")
        if self.failures[shard] < TRIES:
            self.waiting.appendleft(shard)
        else:
            self.given_up[shard] = problem


def judge_shards(job: JudgeJob, size: Size, pipe: Connection) -> None:
    """Send each shard as it is finished, and in between how far the job is.

    Raises:
        UserError: no try would do better, or some shards were given up.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(
        ray.get_runtime_context().get_node_id(), soft=False
    )
    limit = job.common.options.judging.max_cost
    make_desk = ray.remote(Desk).options(num_cpus=0, scheduling_strategy=here)
    desk: Any = make_desk.remote(limit, job.ledger)
    crew = _Crew(job, size, desk, ray.put(job.common), deque(job.shards))
    while crew.waiting or crew.busy:
        crew.fill()
        for judged in crew.finished():
            pipe.send(judged)
        pipe.send(ray.get(desk.standing.remote()))
    if crew.given_up:
        shard, problem = next(iter(crew.given_up.items()))
        raise UserError(
            f"{len(crew.given_up)} of {len(job.shards)} shards were given up after"
            f" {TRIES} tries; {shard}: {problem}; the others are kept, and the same"
            " command goes on"
        )
