"""The driver of an extraction, which cuts the recordings and runs stages over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from blueprints import UserError
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.ray.actors import (
    NAME,
    PARQUET,
    PROBLEM,
    WORK,
    StageActor,
    Work,
)
from trace_eval.extracting.ray.cluster import Size
from trace_eval.extracting.ray.shards import Chunk, cut
from trace_eval.extracting.source import ClipSource

#: CPUs of an actor where the plan is one stage.
WHOLE_CPU = 1.0

#: CPUs of an actor where it has several. One actor of each stage fits on one CPU: were
#: they to wait for each other's, the job would hang. An actor of a GPU is counted by
#: its GPU.
FIRST_STAGE_CPU = 0.9
LATER_STAGE_CPU = 0.04

#: Chunks that an actor has at hand: the pool grows while this many wait for each.
AT_HAND = 2


@dataclass(frozen=True)
class RayJob:
    """The settings of the driver.

    Attributes:
        record: group -> provenance, as the user's machine sees it.
        digest: of the plan.
        names: of the plan's shards that are there.
        sources: what is left to do.
        earlier: recording -> the shard of another plan that holds it.
        place: of the shards.
        options: address of the cluster, device, and ``workers`` as the most CPU actors.
    """

    plan: Plan
    record: dict[str, Any]
    digest: str
    names: frozenset[str]
    sources: list[ClipSource]
    earlier: dict[str, str]
    place: str
    options: ExtractOptions


def extract_chunks(job: RayJob, size: Size, pipe: Connection) -> None:
    """Tell the workers and the chunks of a job, then each shard as it is finished."""
    split, cpus = _split(job, size), int(size.cpus)
    workers = max(1, min(cpus, job.options.workers or cpus))
    chunks = cut(job.digest, job.sources, workers, names=job.names, earlier=job.earlier)
    ids: dict[str, list[str]] = {}
    for chunk in chunks:
        ids[chunk.name] = [source.id for source in chunk.sources]
    pipe.send((workers, ids))
    for arrived in _run(job, split, chunks, size):
        pipe.send(arrived)


def _split(job: RayJob, size: Size) -> bool:
    """Whether what runs on a GPU is a stage of its own."""
    device = job.options.device
    if device == "cpu" or not any(e.runs_on == "gpu" for e in job.plan.extractors):
        return False
    if device not in ("auto", "cuda", "cuda:0"):
        raise UserError(
            f"device {device!r}: under Ray each actor sees one GPU; use -X device=cuda"
        )
    if device != "auto" and not size.gpus:
        raise UserError(
            f"device {device!r}: the cluster has no GPU; start a node with one, or use"
            " -X device=cpu"
        )
    return size.gpus > 0


def _run(
    job: RayJob, split: bool, chunks: Sequence[Chunk], size: Size
) -> Iterator[tuple[str, bytes]]:
    """Run the stages of a plan as Ray Data ``map_batches`` over pools of actors.

    A row is a chunk, so that it is never split or merged on its way; chunks come out in
    any order. When a node dies, Ray restarts its actors elsewhere and runs their tasks
    again.

    Raises:
        UserError: a worker cannot do what the driver asks for.
    """
    import ray.data

    rows = [{WORK: Work(chunk).packed()} for chunk in chunks]
    flow: Any = ray.data.from_items(rows, override_num_blocks=len(rows))
    most, stages = job.options.workers or None, job.plan.stages(split)
    for number, stage in enumerate(stages):
        limit = (
            len(chunks) if most is None or number else max(1, min(len(chunks), most))
        )
        if stage.on_gpu:
            room = size.gpus
        else:
            room = 1 if number else size.cpus
        cpus = WHOLE_CPU
        if split:
            cpus = LATER_STAGE_CPU if number else FIRST_STAGE_CPU
        flow = flow.map_batches(
            StageActor,
            batch_size=1,
            batch_format="numpy",
            fn_constructor_args=(
                job.plan,
                stage,
                stage is stages[-1],
                job.place,
                job.record,
            ),
            compute=ray.data.ActorPoolStrategy(
                min_size=1,
                max_size=limit,
                initial_size=max(1, min(limit, int(room))),
                max_tasks_in_flight_per_actor=AT_HAND,
            ),
            num_cpus=0 if stage.on_gpu else cpus,
            **({"num_gpus": 1} if stage.on_gpu else {}),
        )
    for batch in flow.iter_batches(
        batch_size=None, batch_format="pyarrow", prefetch_batches=0
    ):
        for row in batch.to_pylist():
            if row[PROBLEM]:
                raise UserError(row[PROBLEM])
            yield row[NAME], row[PARQUET]
