"""The process that drives Ray: it can be stopped at any moment, and takes Ray's state with it.

Ray connects a whole process to a cluster, prints among its output, and cannot be left while it
works without bringing the process down.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from blueprints import UserError
from trace_eval.data.system import cores
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.ray.actors import NAME, PARQUET, PROBLEM, WORK, StageActor, Work
from trace_eval.extracting.ray.shards import Chunk, cut
from trace_eval.extracting.source import ClipSource
from trace_eval.extracting.workers import exit_with_parent, without_script

#: Seconds for Ray to stop in good order before it is killed.
_PATIENCE_S = 10.0

#: CPUs of an actor where the plan is one stage.
WHOLE_CPU = 1.0

#: CPUs of an actor where it has several. One actor of each stage fits on one CPU: were they
#: to wait for each other's, the job would hang. An actor of a GPU is counted by its GPU.
FIRST_STAGE_CPU = 0.9
LATER_STAGE_CPU = 0.04

#: Chunks that an actor has at hand: the pool grows while this many wait for each.
AT_HAND = 2

#: Of a cluster on this machine, bytes: only texts travel, and audio embedded in a manifest.
OBJECT_STORE_BYTES = 256 * 2**20

#: Seconds to wait for a cluster's answer.
KNOCK_S = 15.0

#: Ray tells of lost nodes in tens of lines; they are in its log folder too.
_QUIET = {"RAY_DEDUP_LOGS_SKIP_REGEX": "."}

#: For a cluster of our own: it writes no key into the home folder and tells nobody of its
#: use. Where memory runs out, Ray would kill an actor and start its task again, for ever; the
#: kernel kills the process that holds the clip, which is then an error of that clip.
_OWN = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_memory_monitor_refresh_ms": "0",
}


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


class Driver:
    """The driver's process, as seen from outside."""

    def __init__(self, job: RayJob) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_drive, args=(job, theirs), daemon=True)
        with without_script(job):
            self._process.start()
        theirs.close()

    def begun(self) -> tuple[int, dict[str, list[str]]]:
        """Wait for the cluster: its workers, and shard -> recordings as the job was cut."""
        workers, chunks = self._next()
        return workers, chunks

    def arrivals(self) -> Iterator[tuple[str, bytes]]:
        """(name, content that is yet to be written) of the shards as they are finished."""
        return iter(self._next, None)

    def _next(self) -> Any:
        try:
            message = self._pipe.recv()
        except (EOFError, OSError):
            died = "Ray: its process died; see the logs in /tmp/ray/session_latest"
            raise RuntimeError(died) from None
        if isinstance(message, Exception):
            raise message
        return message

    def stop(self) -> None:
        """End it, whatever it is doing."""
        self._process.terminate()
        self._process.join(_PATIENCE_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._pipe.close()


# --- inside the driver -----------------------------------------------------------------


def _drive(job: RayJob, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    exit_with_parent()
    _quieten()
    try:
        with _joined(job.options.ray_address) as size:
            _work(job, size, pipe)
            pipe.send(None)
    except UserError as error:
        pipe.send(UserError(str(error)))
    except Exception as error:
        details = " ".join(str(error).split())[:600]
        pipe.send(RuntimeError(f"Ray: {type(error).__name__}: {details}"))


class Size(NamedTuple):
    """What a cluster has now; an autoscaling one may grow."""

    cpus: float
    gpus: float


@contextmanager
def _joined(address: str | None) -> Iterator[Size]:
    """Be a driver of a cluster, quietly, and tell its size.

    Args:
        address: of a running one; None: start one on this machine.

    Raises:
        UserError: nothing answers at the address.
    """
    for name, value in (_QUIET | (_OWN if address is None else {})).items():
        os.environ.setdefault(name, value)
    import ray
    import ray.data  # configures its logger

    if address is None:
        ray.init(
            address="local",
            num_cpus=cores(),
            object_store_memory=OBJECT_STORE_BYTES,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    else:
        try:
            _knock(address)
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (OSError, ValueError, RuntimeError) as error:
            details = " ".join(str(error).split())[:200]
            raise UserError(
                f"ray address {address!r}: no cluster answers ({details}); start one with"
                " 'ray start --head', or leave the address out for one on this machine"
            ) from None
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    try:
        result = ray.cluster_resources()
        yield Size(result.get("CPU", 0.0), result.get("GPU", 0.0))
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Ray itself waits for minutes where nobody listens at ``HOST:PORT``."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "://" not in address:
        socket.create_connection((host.strip("[]"), int(port)), timeout=KNOCK_S).close()


def _work(job: RayJob, size: Size, pipe: Connection) -> None:
    split, cpus = _split(job, size), int(size.cpus)
    workers = max(1, min(cpus, job.options.workers or cpus))
    chunks = cut(job.digest, job.sources, workers, names=job.names, earlier=job.earlier)
    pipe.send((workers, {c.name: [source.id for source in c.sources] for c in chunks}))
    for arrived in _run(job, split, chunks, size):
        pipe.send(arrived)


def _split(job: RayJob, size: Size) -> bool:
    """Whether what runs on a GPU is a stage of its own."""
    device = job.options.device
    if device == "cpu" or not any(e.runs_on == "gpu" for e in job.plan.extractors):
        return False
    if device not in ("auto", "cuda", "cuda:0"):
        raise UserError(f"device {device!r}: under Ray each actor sees one GPU; use -X device=cuda")
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

    A row is a chunk, so that it is never split or merged on its way; chunks come out in any order.
    When a node dies, Ray restarts its actors elsewhere and runs their tasks again.

    Raises:
        UserError: a worker cannot do what the driver asks for.
    """
    import ray.data

    rows = [{WORK: Work(chunk).packed()} for chunk in chunks]
    flow: Any = ray.data.from_items(rows, override_num_blocks=len(rows))
    most, stages = job.options.workers or None, job.plan.stages(split)
    for number, stage in enumerate(stages):
        limit = len(chunks) if most is None or number else max(1, min(len(chunks), most))
        room = size.gpus if stage.on_gpu else 1 if number else size.cpus
        cpus = (LATER_STAGE_CPU if number else FIRST_STAGE_CPU) if split else WHOLE_CPU
        flow = flow.map_batches(
            StageActor,
            batch_size=1,
            batch_format="numpy",
            fn_constructor_args=(job.plan, stage, stage is stages[-1], job.place, job.record),
            compute=ray.data.ActorPoolStrategy(
                min_size=1,
                max_size=limit,
                initial_size=max(1, min(limit, int(room))),
                max_tasks_in_flight_per_actor=AT_HAND,
            ),
            num_cpus=0 if stage.on_gpu else cpus,
            **({"num_gpus": 1} if stage.on_gpu else {}),
        )
    for batch in flow.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
        for row in batch.to_pylist():
            if row[PROBLEM]:
                raise UserError(row[PROBLEM])
            yield row[NAME], row[PARQUET]


def _quieten() -> None:
    """Send what libraries print to stderr, and what Ray's C++ parts print nowhere."""
    sys.stdout = sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
