"""The process that drives Ray: it can be stopped at any moment, and takes Ray's state with it.

Ray connects a whole process to a cluster, prints among its output, and cannot be left while
it works without bringing the process down. So it gets one of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from blueprints import UserError
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.ray import flow
from trace_eval.extracting.ray.actors import Brief
from trace_eval.extracting.ray.cluster import Size, joined
from trace_eval.extracting.ray.job import cut
from trace_eval.extracting.source import ClipSource
from trace_eval.extracting.workers import exit_with_parent, without_script

#: Seconds for Ray to stop in good order before it is killed.
_PATIENCE_S = 10.0


@dataclass(frozen=True)
class RayJob:
    """The settings of the driver.

    Attributes:
        plan: what is run.
        record: group -> provenance, as the user's machine sees it.
        digest: of the plan.
        names: of the plan's shards that are there.
        sources: what is left to do.
        place: of the shards.
        address: of the cluster; None: one on this machine.
        device: ``auto``, ``cpu`` or ``cuda``.
        most: CPU actors at most; None: as many as the cluster has room for.
    """

    plan: Plan
    record: dict[str, Any]
    digest: str
    names: frozenset[str]
    sources: list[ClipSource]
    place: str
    address: str | None = None
    device: str = "auto"
    most: int | None = None


@dataclass(frozen=True)
class Begun:
    """The driver's first message: how the job was cut."""

    chunks: dict[str, list[str]]
    workers: int


class Arrived(NamedTuple):
    """A shard is finished; its content is yet to be written where there is any."""

    name: str
    content: bytes


@dataclass(frozen=True)
class Failed:
    """The driver's last message, if it comes."""

    problem: str
    by_user: bool


class Driver:
    """The driver's process, as seen from outside.

    Args:
        job: what it does.
    """

    def __init__(self, job: RayJob) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_drive, args=(job, theirs), daemon=True)
        with without_script(job):
            self._process.start()
        theirs.close()

    def begun(self) -> Begun:
        """Wait for the cluster and the cut."""
        message = self._next()
        if not isinstance(message, Begun):
            raise _error(message)
        return message

    def arrivals(self) -> Iterator[Arrived]:
        """The shards as they are finished, until all are."""
        while (message := self._next()) is not None:
            if not isinstance(message, Arrived):
                raise _error(message)
            yield message

    def _next(self) -> object:
        try:
            return self._pipe.recv()
        except (EOFError, OSError):
            return Failed("its process died; see the logs in /tmp/ray/session_latest", False)

    def stop(self) -> None:
        """End it, whatever it is doing."""
        self._process.terminate()
        self._process.join(_PATIENCE_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._pipe.close()


def _error(message: object) -> Exception:
    if not isinstance(message, Failed):
        raise TypeError(f"the driver said {message!r:.80}")
    return (
        UserError(message.problem) if message.by_user else RuntimeError(f"Ray: {message.problem}")
    )


# --- inside the driver -----------------------------------------------------------------


def _drive(job: RayJob, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    exit_with_parent()
    _quieten()
    try:
        with joined(job.address) as size:
            _work(job, size, pipe)
            pipe.send(None)
    except UserError as error:
        pipe.send(Failed(str(error), by_user=True))
    except Exception as error:
        details = " ".join(str(error).split())[:600]
        pipe.send(Failed(f"{type(error).__name__}: {details}", by_user=False))


def _work(job: RayJob, size: Size, pipe: Connection) -> None:
    split = _split(job, size)
    workers = max(1, min(int(size.cpus), job.most or int(size.cpus)))
    chunks = cut(job.digest, job.sources, workers, job.names)
    pipe.send(Begun({c.name: [source.id for source in c.sources] for c in chunks}, workers))
    brief = Brief(job.plan, split, job.place, job.record)
    for name, content in flow.run(brief, chunks, size, job.most):
        pipe.send(Arrived(name, content))


def _split(job: RayJob, size: Size) -> bool:
    """Whether what runs on a GPU is a stage of its own."""
    if job.device == "cpu" or not any(e.runs_on == "gpu" for e in job.plan.extractors):
        return False
    if job.device not in ("auto", "cuda", "cuda:0"):
        raise UserError(
            f"device {job.device!r}: under Ray each actor sees one GPU; use -X device=cuda"
        )
    if job.device != "auto" and not size.gpus:
        raise UserError(
            f"device {job.device!r}: the cluster has no GPU; start a node with one, or use"
            " -X device=cpu"
        )
    return size.gpus > 0


def _quieten() -> None:
    """What libraries print goes to stderr; what Ray's C++ parts print goes nowhere."""
    sys.stdout = sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
