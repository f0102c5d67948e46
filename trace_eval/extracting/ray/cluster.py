"""A process that is a driver of a Ray cluster; it can be stopped at any moment.

Ray connects a whole process to a cluster, prints among its output, and cannot be left
while it works without bringing the process down.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from blueprints import UserError
from trace_eval.data.system import cores
from trace_eval.extracting.workers import exit_with_parent, without_script

#: Seconds for Ray to stop in good order before it is killed.
_PATIENCE_S = 10.0

#: Of a cluster on this machine, bytes: only texts travel, and audio embedded in a
#: manifest.
OBJECT_STORE_BYTES = 256 * 2**20

#: Seconds to wait for a cluster's answer.
KNOCK_S = 15.0

#: Ray tells of lost nodes in tens of lines; they are in its log folder too.
_QUIET = {"RAY_DEDUP_LOGS_SKIP_REGEX": "."}

#: For a cluster of our own: it writes no key into the home folder and tells nobody of
#: its use. Where memory runs out, Ray would kill an actor and start its task again, for
#: ever; the kernel kills the process that holds the clip, which is then an error of
#: that clip.
_OWN = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_memory_monitor_refresh_ms": "0",
}


class Size(NamedTuple):
    """The present size of a cluster; an autoscaling one may grow."""

    cpus: float
    gpus: float


#: Works through a job in the process of a driver: (job, size of the cluster, where to
#: send).
DriverWork = Callable[[Any, Size, Connection], None]


class Driver:
    """The driver's process, as seen from outside.

    Args:
        address: of a running cluster; None: start one on this machine.
        work: a function of a module, called in the process with ``job``, the size of
            the cluster, and the end of the pipe for what :meth:`next` returns.
    """

    def __init__(self, address: str | None, work: DriverWork, job: object) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe(duplex=False)
        arguments = (address, work, job, theirs)
        self._process = context.Process(target=_drive, args=arguments, daemon=True)
        with without_script(job):
            self._process.start()
        theirs.close()

    def arrivals(self) -> Iterator[Any]:
        """Yield what the work sends, to its end."""
        return iter(self.next, None)

    def next(self) -> Any:
        """Wait for what the work sends next; None: it has ended.

        Raises:
            UserError, RuntimeError: why it has failed.
        """
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


# --- inside the driver ----------------------------------------------------------------


def _drive(
    address: str | None, work: DriverWork, job: object, pipe: Connection
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    exit_with_parent()
    _quieten()
    try:
        with _joined(address) as size:
            work(job, size, pipe)
            pipe.send(None)
    except Exception as error:
        pipe.send(failure(error))


def failure(error: Exception) -> Exception:
    """Return what the parent raises: a worker's refusal without the words of Ray."""
    inner: object = error
    while isinstance(inner, Exception):
        cause = getattr(inner, "cause", None)  # where Ray keeps what a worker raised
        if isinstance(inner, UserError) and not isinstance(cause, UserError):
            return UserError(str(inner))
        inner = cause or inner.__cause__
    details = " ".join(str(error).split())[:600]
    return RuntimeError(f"Ray: {type(error).__name__}: {details}")


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
                f"ray address {address!r}: no cluster answers ({details}); start one"
                " with 'ray start --head', or leave the address out for one on this"
                " machine"
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
    """Refuse an address where nobody listens; Ray itself waits there for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "://" not in address:
        socket.create_connection((host.strip("[]"), int(port)), timeout=KNOCK_S).close()


def _quieten() -> None:
    """Send what libraries print to stderr, and what Ray's C++ parts print nowhere."""
    sys.stdout = sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
