"""Judging by several clients at once, which share the calls in flight.

    python -m benchmarks.judge_clients            # minutes
    python -m benchmarks.judge_clients --quick    # a tenth of the calls

One client makes its calls on one core. Here 256 calls in flight, the budget, are split
between clients in threads or in processes of their own, against a loopback server with
a fixed delay of 200 ms. Printed per way: the time that the delay makes unavoidable over
the time it took (efficiency; the goal is .85), CPU milliseconds per call of the clients
and of the server, which runs on the same cores, and how many cores .85 needs at that
price. Where these are more than the machine has, no number of clients gets there: the
most that its cores allow is printed, too, and is what a way can be held to. A user's
server runs elsewhere: there the clients' cores count alone.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import tempfile
import threading
import time
from functools import partial
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, Protocol

from benchmarks.judge_overhead import LATENCY_S, count, made, server
from benchmarks.many_clips import cpu_s
from benchmarks.report import arguments, lines_of, save
from benchmarks.watch import children
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


def judge(
    url: str, folder: str, pairs: int, in_flight: int, ready: Any, spent: Any
) -> None:
    """Judge pairs by a client of its own, once all clients are ready.

    Args:
        spent: a queue for the CPU seconds of this thread's process, before and after.
    """
    Path(folder).mkdir()
    asyncio.run(
        count(made(url, f"{folder}/warm", in_flight), 2, 2)
    )  # imports, the dialect
    client = made(url, folder, in_flight)
    ready.wait()
    before = time.process_time()
    asyncio.run(count(client, pairs, in_flight))
    spent.put((before, time.process_time()))


def measured(kind: str, clients: int, pairs: int) -> dict[str, Any]:
    """Judge a number of pairs by clients of one kind; both orders are a call each."""
    context = multiprocessing.get_context("spawn")
    ready: threading.Barrier | Barrier
    ready = (
        threading.Barrier(clients + 1)
        if kind == "thread"
        else context.Barrier(clients + 1)
    )
    spent = context.SimpleQueue()
    others = {*children(os.getpid())}
    with tempfile.TemporaryDirectory() as folder, server(LATENCY_S) as url:
        [server_id] = {*children(os.getpid())} - others
        make = threading.Thread if kind == "thread" else context.Process
        share = {"pairs": pairs // clients, "in_flight": IN_FLIGHT // clients}
        each = partial(judge, url, ready=ready, spent=spent, **share)
        some: list[Client] = [
            make(target=partial(each, f"{folder}/{number}"))
            for number in range(clients)
        ]
        for client in some:
            client.start()
        ready.wait()
        started, served = time.monotonic(), cpu_s(server_id)
        for client in some:
            client.join()
        took, of_server = time.monotonic() - started, cpu_s(server_id) - served
    times = [spent.get() for _ in some]
    if kind == "thread":  # all of them see the time of one process
        of_clients = max(after for _, after in times) - min(
            before for before, _ in times
        )
    else:
        of_clients = sum(after - before for before, after in times)
    calls = 2 * (pairs // clients) * clients
    rate = IN_FLIGHT / LATENCY_S
    needed = rate * (of_clients + of_server) / calls
    return {
        "clients": f"{clients}, each in a {kind}",
        "calls": calls,
        "calls a second": calls / took,
        "efficiency": calls / rate / took,
        "CPU ms per call": 1000 * of_clients / calls,
        "of the server": 1000 * of_server / calls,
        f"cores for {GOAL}": GOAL * needed,
        "most here": min(1.0, cores() / needed),
    }


def main() -> None:
    """Measure, print, save."""
    quick = arguments(__doc__, quick=(False, "a tenth of the calls")).quick
    lines = [measured(kind, clients, 256 if quick else 2560) for kind, clients in WAYS]
    lines_of(
        f"{IN_FLIGHT} calls of {1000 * LATENCY_S:g} ms in flight, {cores()} cores",
        lines,
    )
    if not quick:
        save("judge_clients", {"lines": lines})


if __name__ == "__main__":
    main()
