"""Bounded concurrency over a stream: as many in flight as asked, whatever the stream's length."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def each(items: Iterable[T], work: Callable[[T], Awaitable[object]], window: int) -> None:
    """Work on all items, begun in order, at most ``window`` of them at a time.

    The next item is taken when there is room for it. The first exception ends the others
    and passes through.
    """
    slots = asyncio.Semaphore(window)

    async def one(item: T) -> None:
        try:
            await work(item)
        finally:
            slots.release()

    try:
        async with asyncio.TaskGroup() as group:
            for item in items:
                await slots.acquire()
                group.create_task(one(item))
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
