"""The stages of a plan as Ray Data ``map_batches`` over pools of actors.

A row is a chunk, so that it is never split or merged on its way. Order is not kept; the name
tells which shard came out. When a node dies, Ray restarts its actors elsewhere and runs their
tasks again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from blueprints import UserError
from trace_eval.extracting.plan import Stage
from trace_eval.extracting.ray.actors import NAME, PARQUET, PROBLEM, WORK, Brief, StageActor, Work
from trace_eval.extracting.ray.cluster import Size
from trace_eval.extracting.ray.job import Chunk

#: CPUs of an actor where the plan is one stage.
WHOLE_CPU = 1.0

#: CPUs of an actor where it has several. One actor of each stage fits on one CPU: were they
#: to wait for each other's, the job would hang. An actor of a GPU is counted by its GPU.
FIRST_STAGE_CPU = 0.9
LATER_STAGE_CPU = 0.04

#: Chunks that an actor has at hand: the pool grows while this many wait for each.
AT_HAND = 2


def run(
    brief: Brief, chunks: Sequence[Chunk], size: Size, most: int | None
) -> Iterator[tuple[str, bytes]]:
    """Run the plan over the chunks: (name, content) of each shard as soon as it is finished.

    Args:
        brief: what actors are told.
        chunks: what is to be done.
        size: of the cluster.
        most: actors of the first stage; None: as many as the cluster has room for.

    Yields:
        The name of a shard, and its bytes unless an actor has written them.

    Raises:
        UserError: a worker cannot do what the driver asks for.
    """
    import ray.data

    rows = [{WORK: Work(chunk).packed()} for chunk in chunks]
    flow: Any = ray.data.from_items(rows, override_num_blocks=len(rows))
    for number, stage in enumerate(brief.plan.stages(brief.split)):
        flow = flow.map_batches(
            StageActor,
            batch_size=1,
            batch_format="numpy",
            fn_constructor_args=(brief, number),
            compute=_pool(stage, number, len(chunks), size, most),
            **_resources(stage, number, brief.split),
        )
    for batch in flow.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
        for row in batch.to_pylist():
            if row[PROBLEM]:
                raise UserError(row[PROBLEM])
            yield row[NAME], row[PARQUET]


def _resources(stage: Stage, number: int, split: bool) -> dict[str, float]:
    if stage.on_gpu:
        return {"num_cpus": 0, "num_gpus": 1}
    if not split:
        return {"num_cpus": WHOLE_CPU}
    return {"num_cpus": LATER_STAGE_CPU if number else FIRST_STAGE_CPU}


def _pool(stage: Stage, number: int, chunks: int, size: Size, most: int | None) -> Any:
    from ray.data import ActorPoolStrategy

    there = size.gpus if stage.on_gpu else 1 if number else size.cpus
    limit = chunks if most is None or number else max(1, min(chunks, most))
    return ActorPoolStrategy(
        min_size=1,
        max_size=limit,
        initial_size=max(1, min(limit, int(there))),
        max_tasks_in_flight_per_actor=AT_HAND,
    )
