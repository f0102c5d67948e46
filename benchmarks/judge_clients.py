"""Judging by several clients at once: threads and processes that share the calls in flight.

    python -m benchmarks.judge_clients            # minutes
    python -m benchmarks.judge_clients --quick    # a tenth of the calls

One client makes its calls on one core. Here 256 calls in flight, the budget, are split between
clients in threads or in processes of their own, against a loopback server with a fixed delay of
200 ms. Printed per way: the time that the delay makes unavoidable over the time it took
(efficiency; the goal is .85), CPU milliseconds per call, and how many cores .85 needs at that
price. Where these are more than the machine has beside the server, no number of clients gets there.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
import tempfile
import threading
import time
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, Protocol

from benchmarks.judge_overhead import LATENCY_S, count, made, server
from benchmarks.report import arguments, lines_of, save
from trace_eval.data.system import cores

IN_FLIGHT, GOAL = 256, 0.85

#: Kind of client -> how many of them.
WAYS = (("thread", 1), ("thread", 2), ("thread", 4), ("process", 2), ("process", 4))


class Client(Protocol):
    """A thread or a process."""

    def start(self) -> None:
        """Begin."""

    def join(self) -> None:
        """Wait for the end."""


def judge(url: str, folder: str, pairs: int, in_flight: int, ready: Any) -> None:
    """Judge pairs by a client of its own, once all clients are ready."""
    Path(folder).mkdir()
    asyncio.run(count(made(url, f"{folder}/warm", in_flight), 2, 2))  # imports, the dialect
    client = made(url, folder, in_flight)
    ready.wait()
    asyncio.run(count(client, pairs, in_flight))


def cpu_s() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measured(kind: str, clients: int, pairs: int) -> dict[str, Any]:
    """Judge so many pairs by clients of one kind; both orders are a call each."""
    context = multiprocessing.get_context("spawn")
    ready: threading.Barrier | Barrier
    ready = threading.Barrier(clients + 1) if kind == "thread" else context.Barrier(clients + 1)
    with tempfile.TemporaryDirectory() as folder, server(LATENCY_S) as url:
        make = threading.Thread if kind == "thread" else context.Process
        each = partial(judge, url, pairs=pairs // clients, in_flight=IN_FLIGHT // clients)
        some: list[Client] = [
            make(target=partial(each, f"{folder}/{number}", ready=ready))
            for number in range(clients)
        ]
        for client in some:
            client.start()
        ready.wait()
        started, before = time.monotonic(), cpu_s()
        for client in some:
            client.join()
        took, spent = time.monotonic() - started, cpu_s() - before
    calls = 2 * (pairs // clients) * clients
    share = calls / IN_FLIGHT * LATENCY_S / took
    line: dict[str, Any] = {"clients": f"{clients} in {kind}s", "calls": calls}
    line |= {"calls a second": calls / took, "efficiency": share}
    if kind == "thread":  # of a process its start would count, too
        per_call = spent / calls
        line |= {"CPU ms per call": 1000 * per_call}
        line |= {f"cores for {GOAL}": GOAL * IN_FLIGHT / LATENCY_S * per_call}
    return line


def main() -> None:
    """Measure, print, save."""
    quick = arguments(__doc__, quick=(False, "a tenth of the calls")).quick
    lines = [measured(kind, clients, 256 if quick else 2560) for kind, clients in WAYS]
    lines_of(f"{IN_FLIGHT} calls of {1000 * LATENCY_S:g} ms in flight, {cores()} cores", lines[:3])
    lines_of("the same by processes", lines[3:])
    if not quick:
        save("judge_clients", {"cores": os.cpu_count(), "lines": lines})


if __name__ == "__main__":
    main()
