"""Starting or joining a Ray cluster, quietly. Called in a process that does nothing else."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from blueprints import UserError, install_line
from trace_eval.data.system import cores

INSTALL = install_line("ray")

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


class Size(NamedTuple):
    """What a cluster has now; an autoscaling one may grow."""

    cpus: float
    gpus: float


@contextmanager
def joined(address: str | None) -> Iterator[Size]:
    """Be a driver of a cluster, and tell its size.

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
